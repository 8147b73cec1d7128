/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/single-rate/pgmcc-sender.h"

#include "measure/rtt.h"
#include "measure/smoothing.h"
#include "measure/tcp-model.h"
#include "wire/layer-header.h"

#include <math.h>
#include <string.h>

/* The window opens exponentially up to this size; a packet is lost when this
 * many later ones were acknowledged (section 3.4). */
#define SLOW_START_WINDOW 6
#define DUPACK_THRESHOLD 3

/* Above this loss rate the simple formula is too inaccurate (section 3.5,
 * footnote 3). */
#define FULL_FORMULA_LOSS 0.05

/* The paper does not say after which time a session has stalled. Here: as a
 * timeout of RFC 6298, at least a second, and the 4 R of RFC 5348 section
 * 3.1. */
#define STALL_MIN (1 * LMCC_SECOND)
#define STALL_RTTS 4

/* After two stalls in a row the sender elicits a new acker (section 3.6). */
#define STALLS_WITHOUT_ACKER 2

/* RFC 6298 section 2. */
#define RTT_WEIGHT 0.125

/* Two times in 1/65536 s, both rounded down. */
#define CLOCK_ROUNDING (LMCC_SECOND / 32768)

#define BITMAP_BITS 32

/* One NAK per this many packets suffices. If there are more, receivers wait
 * longer, so that the first ones suppress the rest. */
#define PACKETS_PER_NAK 20
#define LEAST_NAKS 2
#define NAK_WAIT_MAX (10 * LMCC_SECOND)
#define NAK_WAIT_DECAY 0.9

/* Greatest number of unused tokens, per packet in flight, when packets are
 * sent: according to RFC 7661 section 4.3, a window of which less than half
 * is used does not grow, because it says nothing about the network. A window
 * that is short of tokens is in use. */
#define UNUSED_MAX 1

typedef enum
{
  PACKET_DONE,
  PACKET_SENT,
} PacketState;

struct _LmccPgmccSender
{
  gdouble hysteresis;
  gdouble window; /* W */
  gdouble tokens; /* T */
  guint ignored;  /* number of further ACKs that yield no token */
  gboolean recovering;
  guint16 recover;    /* losses up to this packet belong to one event */
  gboolean realign;   /* adjust the window when that event is over */
  gboolean realigned; /* after the latest event */

  gboolean sent;
  guint16 last; /* sequence number of the last packet sent */
  guint8 states[LMCC_PGMCC_MAX_WINDOW];

  gboolean has_acker;
  guint32 acker;
  guint32 previous;    /* its ACKs may still be on their way */
  guint acker_packets; /* its round-trip time in packets */
  gdouble acker_loss;
  LmccEwma rtt;

  LmccTime nak_wait;
  LmccTime nak_period; /* start of the period, at a NAK, or none */
  guint nak_packets;   /* packets since the previous period ended */
  guint naks;
  guint16 nak_loss; /* the largest loss in them */

  LmccTime progress; /* time of the latest packet, ACK or stall */
  guint stalls_in_row;
  guint64 stalls;
  guint64 switches;
};

static void
restart (LmccPgmccSender *sender, LmccTime now)
{
  sender->window = 1;
  sender->tokens = 1;
  sender->ignored = 0;
  sender->realign = FALSE;
  sender->realigned = FALSE;
  sender->progress = now;
}

/**
 * lmcc_pgmcc_sender_new:
 * @now: the time
 * @hysteresis: c, above 0, at most 1; usually %LMCC_PGMCC_HYSTERESIS
 *
 * Returns: (transfer full): a sender that may send one packet, which elicits an
 * acker
 */
LmccPgmccSender *
lmcc_pgmcc_sender_new (LmccTime now, gdouble hysteresis)
{
  LmccPgmccSender *sender = g_new0 (LmccPgmccSender, 1);

  sender->hysteresis = hysteresis;
  lmcc_ewma_init (&sender->rtt, RTT_WEIGHT);
  sender->nak_wait = LMCC_PGMCC_NAK_WAIT;
  restart (sender, now);

  return sender;
}

/**
 * lmcc_pgmcc_sender_free:
 * @sender: (transfer full) (nullable): a sender
 */
void
lmcc_pgmcc_sender_free (LmccPgmccSender *sender)
{
  g_free (sender);
}

/**
 * lmcc_pgmcc_sender_may_send:
 * @sender: a sender
 *
 * Returns: whether there is a token for a packet
 */
gboolean
lmcc_pgmcc_sender_may_send (const LmccPgmccSender *sender)
{
  return sender->tokens >= 1;
}

static guint8 *
state_of (LmccPgmccSender *sender, guint16 lsn)
{
  return &sender->states[lsn % LMCC_PGMCC_MAX_WINDOW];
}

/* When the NAKs that one loss causes have arrived. */
static LmccTime
nak_period_end (const LmccPgmccSender *sender)
{
  return sender->nak_period + sender->nak_wait
      + 2 * lmcc_pgmcc_sender_get_rtt (sender);
}

static void
follow_naks (LmccPgmccSender *sender, LmccTime now)
{
  guint enough = MAX (sender->nak_packets / PACKETS_PER_NAK, LEAST_NAKS);

  if (sender->naks == 0 || now < nak_period_end (sender))
    return;
  if (sender->naks > enough)
    sender->nak_wait = MIN (2 * sender->nak_wait, NAK_WAIT_MAX);
  else if (sender->naks <= enough / 2)
    sender->nak_wait =
        MAX ((LmccTime) (NAK_WAIT_DECAY * (gdouble) sender->nak_wait),
            LMCC_PGMCC_NAK_WAIT);
  sender->nak_packets = 0;
  sender->naks = 0;
  sender->nak_loss = 0;
}

static void
take_nak (LmccPgmccSender *sender, LmccTime now, guint16 loss)
{
  follow_naks (sender, now);
  if (sender->naks++ == 0)
    sender->nak_period = now;
  sender->nak_loss = MAX (sender->nak_loss, loss);
}

/**
 * lmcc_pgmcc_sender_send:
 * @sender: a sender with a token
 * @now: the time
 * @lsn: the packet's layer sequence number, one more than the last one's
 * @element: (out): the packet's element
 *
 * Call it when a packet is sent: takes a token and names the acker.
 */
void
lmcc_pgmcc_sender_send (LmccPgmccSender *sender, LmccTime now, guint16 lsn,
    LmccPgmccElement *element)
{
  sender->tokens = MAX (sender->tokens - 1, 0);
  sender->sent = TRUE;
  sender->last = lsn;
  sender->progress = now;
  *state_of (sender, lsn) = PACKET_SENT;
  follow_naks (sender, now);
  sender->nak_packets++;
  *element = (LmccPgmccElement){
    .elicit = !sender->has_acker,
    .has_acker = sender->has_acker,
    .acker = sender->acker,
    .confirms = sender->naks > 0,
    .confirmed_loss = sender->nak_loss,
    .nak_wait = sender->nak_wait,
    .has_rtt = sender->rtt.started,
    .rtt = lmcc_pgmcc_sender_get_rtt (sender),
  };
}

/* Adds a token for each packet that arrived, and the growth of the window. */
static void
take_new_ack (LmccPgmccSender *sender, guint in_flight)
{
  gdouble growth = sender->window < SLOW_START_WINDOW ? 1 : 1 / sender->window;

  if (sender->ignored > 0) {
    sender->ignored--;
    return;
  }
  if (sender->tokens > UNUSED_MAX * (in_flight + 1))
    growth = 0;
  sender->window = MIN (sender->window + growth, LMCC_PGMCC_MAX_WINDOW / 2);
  sender->tokens = MIN (sender->tokens + 1 + growth, sender->window);
}

/* One reaction per round-trip time: losses among packets sent before it
 * belong to one event. First W becomes what is really in flight (section
 * 3.4). Losses detected after that event were counted as in flight. */
static void
take_loss (LmccPgmccSender *sender, guint16 lsn, guint in_flight)
{
  if (sender->recovering && lmcc_sequence_diff (lsn, sender->recover) <= 0) {
    if (sender->realigned)
      sender->window = MAX (sender->window - 1, 1);
    return;
  }
  sender->window = MAX (MIN (sender->window, (gdouble) in_flight) / 2, 1);
  sender->ignored = (guint) sender->window;
  sender->recovering = TRUE;
  sender->realign = TRUE;
  sender->realigned = FALSE;
  sender->recover = sender->last;
}

/* A lost packet returns no token. If one event cost many packets, the number
 * of tokens would stay below the window by as many, however it grows. So the
 * window is set to what really exists, as at the loss itself. */
static void
realign_window (LmccPgmccSender *sender, const LmccPgmccReport *report,
    guint in_flight)
{
  guint i;

  if (!sender->realign
      || (in_flight > 0
          && lmcc_sequence_diff (report->lead, sender->recover) <= 0))
    return;
  for (i = 0; i < BITMAP_BITS; i++)
    in_flight +=
        *state_of (sender, (guint16) (report->lead - i)) == PACKET_SENT;
  sender->realign = FALSE;
  sender->realigned = TRUE;
  sender->ignored = 0;
  if (in_flight == 0)
    sender->tokens = MAX (sender->tokens, 1);
  sender->window = CLAMP (in_flight + sender->tokens, 1, sender->window);
}

static void
take_bitmap (LmccPgmccSender *sender, const LmccPgmccReport *report,
    guint in_flight)
{
  guint later = 0, i;

  for (i = 0; i < BITMAP_BITS; i++) {
    guint16 lsn = (guint16) (report->lead - i);
    guint8 *state = state_of (sender, lsn);

    if (report->bitmap >> i & 1) {
      later++;
      if (*state == PACKET_SENT)
        take_new_ack (sender, in_flight);
      *state = PACKET_DONE;
    } else if (*state == PACKET_SENT && later >= DUPACK_THRESHOLD) {
      *state = PACKET_DONE;
      take_loss (sender, lsn, in_flight);
    }
  }
  realign_window (sender, report, in_flight);
  if (lmcc_sequence_diff (report->lead, sender->recover) >= BITMAP_BITS)
    sender->recovering = FALSE;
}

/* T of section 3.5, up to a factor. The round-trip time is in packets: at a
 * single rate, they compare like times. */
static gdouble
throughput (guint packets, gdouble loss, gboolean full)
{
  if (loss <= 0)
    return INFINITY;
  if (full)
    return lmcc_tcp_model_rate (loss, packets * LMCC_MSECOND, 1000);

  return 1 / (packets * sqrt (loss));
}

static gboolean
is_slower (const LmccPgmccSender *sender, guint packets, gdouble loss)
{
  gboolean full = MAX (loss, sender->acker_loss) > FULL_FORMULA_LOSS;

  if (!sender->has_acker)
    return TRUE;

  return throughput (packets, loss, full) < sender->hysteresis
      * throughput (sender->acker_packets, sender->acker_loss, full);
}

static void
elect (LmccPgmccSender *sender, LmccTime now, guint32 ssrc)
{
  if (sender->has_acker) {
    sender->switches++;
    sender->previous = sender->acker;
  } else {
    /* Nobody acknowledges packets sent before. */
    memset (sender->states, PACKET_DONE, sizeof (sender->states));
    sender->progress = now;
    sender->tokens = MAX (sender->tokens, 1);
    sender->previous = ssrc;
  }
  sender->has_acker = TRUE;
  sender->acker = ssrc;
}

static gboolean
is_possible (const LmccPgmccSender *sender, guint32 send_clock,
    const LmccPgmccReport *report)
{
  gint in_flight = lmcc_sequence_diff (sender->last, report->lead);
  gint64 rtt = lmcc_ntp_short_diff (send_clock, report->echoed_time);

  return sender->sent && in_flight >= 0
      && in_flight < LMCC_PGMCC_MAX_WINDOW - BITMAP_BITS
      && rtt >= -(gint64) CLOCK_ROUNDING && rtt <= (gint64) LMCC_RTT_LIMIT;
}

static void
take_ack (LmccPgmccSender *sender, LmccTime now, guint32 send_clock,
    const LmccPgmccReport *report, guint in_flight)
{
  gint64 rtt = lmcc_ntp_short_diff (send_clock, report->echoed_time);

  if (rtt > 0)
    lmcc_ewma_add (&sender->rtt, (gdouble) rtt);
  sender->progress = now;
  sender->stalls_in_row = 0;
  take_bitmap (sender, report, in_flight);
}

/**
 * lmcc_pgmcc_sender_handle_report:
 * @sender: a sender
 * @now: the time
 * @send_clock: the send time that a packet would carry now
 * @report: a receiver's report; any field may be forged
 *
 * An ACK counts only if it comes from the acker or the previous acker. A change
 * of the acker is no sign of congestion (section 3.5).
 *
 * Returns: %FALSE if the report names a packet that was not sent, or a
 * round-trip time that is negative or above %LMCC_RTT_LIMIT, and was ignored
 */
gboolean
lmcc_pgmcc_sender_handle_report (LmccPgmccSender *sender, LmccTime now,
    guint32 send_clock, const LmccPgmccReport *report)
{
  gdouble loss = report->loss / 65536.0;
  guint in_flight, packets;

  if (!is_possible (sender, send_clock, report))
    return FALSE;
  in_flight = (guint) lmcc_sequence_diff (sender->last, report->lead);
  packets = in_flight + 1;
  if (!report->is_ack)
    take_nak (sender, now, report->loss);

  if (report->is_ack && sender->has_acker
      && (report->ssrc == sender->acker || report->ssrc == sender->previous))
    take_ack (sender, now, send_clock, report, in_flight);
  if (!sender->has_acker
      || (report->ssrc != sender->acker && is_slower (sender, packets, loss)))
    elect (sender, now, report->ssrc);
  if (report->ssrc == sender->acker) {
    sender->acker_packets = packets;
    sender->acker_loss = loss;
  }

  return TRUE;
}

/**
 * lmcc_pgmcc_sender_next_timeout:
 * @sender: a sender
 *
 * Returns: when to call lmcc_pgmcc_sender_handle_timeout(), or %LMCC_TIME_NONE
 */
LmccTime
lmcc_pgmcc_sender_next_timeout (const LmccPgmccSender *sender)
{
  if (lmcc_pgmcc_sender_may_send (sender))
    return LMCC_TIME_NONE;

  return sender->progress
      + MAX (STALL_MIN, STALL_RTTS * lmcc_pgmcc_sender_get_rtt (sender));
}

/**
 * lmcc_pgmcc_sender_handle_timeout:
 * @sender: a sender
 * @now: the time
 *
 * Restarts a stalled session with one packet; after two stalls in a row with a
 * packet that elicits a new acker (section 3.6).
 */
void
lmcc_pgmcc_sender_handle_timeout (LmccPgmccSender *sender, LmccTime now)
{
  if (now < lmcc_pgmcc_sender_next_timeout (sender))
    return;
  restart (sender, now);
  sender->recovering = TRUE;
  sender->recover = sender->last;
  sender->stalls++;
  if (++sender->stalls_in_row >= STALLS_WITHOUT_ACKER)
    sender->has_acker = FALSE;
}

/**
 * lmcc_pgmcc_sender_get_acker:
 * @sender: a sender
 * @ssrc: (out): SSRC of the acker
 *
 * Returns: %FALSE if there is none
 */
gboolean
lmcc_pgmcc_sender_get_acker (const LmccPgmccSender *sender, guint32 *ssrc)
{
  *ssrc = sender->acker;

  return sender->has_acker;
}

/**
 * lmcc_pgmcc_sender_get_window:
 * @sender: a sender
 *
 * Returns: W, in packets
 */
gdouble
lmcc_pgmcc_sender_get_window (const LmccPgmccSender *sender)
{
  return sender->window;
}

/**
 * lmcc_pgmcc_sender_get_rtt:
 * @sender: a sender
 *
 * Returns: the smoothed round-trip time of the ackers, 0 before the first
 * measurement
 */
LmccTime
lmcc_pgmcc_sender_get_rtt (const LmccPgmccSender *sender)
{
  return sender->rtt.started ? (LmccTime) sender->rtt.value : 0;
}

/**
 * lmcc_pgmcc_sender_get_loss_rate:
 * @sender: a sender
 *
 * Returns: rx_loss from the acker's latest report, from 0 to 1
 */
gdouble
lmcc_pgmcc_sender_get_loss_rate (const LmccPgmccSender *sender)
{
  return sender->acker_loss;
}

/**
 * lmcc_pgmcc_sender_get_switches:
 * @sender: a sender
 *
 * Returns: number of changes of the acker
 */
guint64
lmcc_pgmcc_sender_get_switches (const LmccPgmccSender *sender)
{
  return sender->switches;
}

/**
 * lmcc_pgmcc_sender_get_stalls:
 * @sender: a sender
 *
 * Returns: number of stalls
 */
guint64
lmcc_pgmcc_sender_get_stalls (const LmccPgmccSender *sender)
{
  return sender->stalls;
}
