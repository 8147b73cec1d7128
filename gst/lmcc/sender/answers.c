/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sender/answers.h"

#include <math.h>
#include <string.h>

/* RFC 3550 section 6.2: control traffic is 1/20 of the session's; here of
 * the base layer's, in any LIMIT_WINDOW, and three times that in any
 * BURST_WINDOW. */
#define LIMIT_SHARE 0.05
#define LIMIT_WINDOW (10 * LMCC_SECOND)
#define BURST_SHARE (3 * LIMIT_SHARE)
#define BURST_WINDOW LMCC_SECOND

/* Target as a fraction of the limit. Reports arrive at random, and an
 * estimate of a third of the audience stays within the limit. */
#define AIM (1.0 / 3)

/* Answers leave room for this many standard deviations of the reports to
 * come, plus a margin of reports. */
#define RESERVE_DEVIATIONS 4
#define RESERVE_MARGIN 2

/* How long answers wait to share a packet with others, and how long at most
 * for room. */
#define HOLD (50 * LMCC_MSECOND)
#define HOLD_LONGEST (2 * LMCC_SECOND)

/* Fraction of the limit for answers to addresses that report more than they
 * are counted for. */
#define SURPLUS_PART 0.5

/* RFC 3611 sections 2, 4.4 and 4.5: size of an XR packet with a reference
 * time, of an XR packet without answers, and of each answer. */
#define REPORT_SIZE 20
#define ANSWER_SIZE 12
#define SUB_BLOCK_SIZE 12

/* Contents of one packet. */
typedef struct
{
  const LmccSession *session;
  gboolean found;
  LmccReferenceTime report;
  LmccLossReport losses;
} Parsed;

/*
 * lmcc_feedback_init:
 * @feedback: (out): no reports yet
 * @session: the session; its feedback interval is the shortest one
 * @packet_overhead: size of the IP and UDP headers in bytes
 * @now: the time
 * @secret: a random number
 */
void
lmcc_feedback_init (LmccFeedback *feedback, const LmccSession *session,
    gsize packet_overhead, LmccTime now, guint32 secret)
{
  memset (feedback, 0, sizeof (*feedback));
  feedback->packet_overhead = packet_overhead;
  feedback->slice = now / LMCC_FEEDBACK_SLICE;
  lmcc_audience_init (&feedback->audience, session->feedback_interval, now,
      secret);
}

void
lmcc_feedback_clear (LmccFeedback *feedback)
{
  lmcc_audience_clear (&feedback->audience);
}

static gdouble
report_size (const LmccFeedback *feedback, const LmccSession *session)
{
  gsize losses = session->loss_reports ? LMCC_RTCP_LOSSES_SIZE : 0;

  return (gdouble) (feedback->packet_overhead + REPORT_SIZE + losses);
}

static gdouble
base_rate (const LmccSession *session)
{
  guint64 rate = lmcc_session_level_rate (session, 0);

  return (gdouble) (rate > 0 ? rate : LMCC_FEEDBACK_LEAST_RATE);
}

/* Reports per second that take, together with their answers, the target
 * rate. Answers share packets, at most one per HOLD. */
static gdouble
wanted_rate (const LmccFeedback *feedback, const LmccSession *session)
{
  gdouble bytes = base_rate (session) / 8 * LIMIT_SHARE * AIM;
  gdouble packet = (gdouble) feedback->packet_overhead + ANSWER_SIZE;
  gdouble report = report_size (feedback, session) + SUB_BLOCK_SIZE;
  gdouble packets = (gdouble) LMCC_SECOND / (gdouble) HOLD;

  return MAX (bytes / (report + packet), (bytes - packets * packet) / report);
}

static void
advance (LmccFeedback *feedback, LmccTime now)
{
  guint64 slice = now / LMCC_FEEDBACK_SLICE;

  if (slice >= feedback->slice + LMCC_FEEDBACK_SLICES)
    feedback->slice = slice - LMCC_FEEDBACK_SLICES;
  while (feedback->slice < slice) {
    feedback->slice++;
    feedback->slices[feedback->slice % LMCC_FEEDBACK_SLICES] = 0;
  }
}

static void
spend (LmccFeedback *feedback, LmccTime now, gsize bytes)
{
  advance (feedback, now);
  feedback->slices[feedback->slice % LMCC_FEEDBACK_SLICES] += bytes;
  feedback->stats.bytes += bytes;
}

/* Bytes spent in the latest @window, and in the slice in which it begins. */
static gdouble
spent (const LmccFeedback *feedback, LmccTime window)
{
  guint64 n = MIN (window / LMCC_FEEDBACK_SLICE, feedback->slice);
  guint64 i;
  gsize sum = 0;

  for (i = 0; i <= n; i++)
    sum += feedback->slices[(feedback->slice - i) % LMCC_FEEDBACK_SLICES];

  return (gdouble) sum;
}

static gdouble
room_in (const LmccFeedback *feedback, const LmccSession *session,
    gdouble share, LmccTime window)
{
  gdouble seconds = (gdouble) window / (gdouble) LMCC_SECOND;
  gdouble report = report_size (feedback, session);
  gdouble reports = wanted_rate (feedback, session) * seconds;

  return base_rate (session) / 8 * share * seconds - spent (feedback, window)
      - (RESERVE_DEVIATIONS * sqrt (reports) + RESERVE_MARGIN) * report;
}

/* How many answers may be sent now in one packet, within @part of the limit. */
static guint
count_room (const LmccFeedback *feedback, const LmccSession *session,
    gdouble part)
{
  gdouble room;

  if (lmcc_session_level_rate (session, 0) == 0)
    return 0;
  room = MIN (room_in (feedback, session, part * LIMIT_SHARE, LIMIT_WINDOW),
      room_in (feedback, session, part * BURST_SHARE, BURST_WINDOW));
  room -= (gdouble) feedback->packet_overhead + ANSWER_SIZE;

  return room < SUB_BLOCK_SIZE
      ? 0
      : (guint) MIN (room / SUB_BLOCK_SIZE, LMCC_RTCP_MAX_DLRR);
}

/*
 * lmcc_feedback_note_sent:
 * @feedback: the sender's side of feedback
 * @now: the time
 * @size: size of a packet other than an answer that feedback caused
 *
 * The packet reduces the room for answers.
 */
void
lmcc_feedback_note_sent (LmccFeedback *feedback, LmccTime now, gsize size)
{
  spend (feedback, now, feedback->packet_overhead + size);
}

static void
remove_answers (LmccFeedbackQueue *queue, guint at, guint n)
{
  queue->n -= n;
  memmove (queue->answers + at, queue->answers + at + n,
      (queue->n - at) * sizeof (queue->answers[0]));
  memmove (queue->arrived + at, queue->arrived + at + n,
      (queue->n - at) * sizeof (queue->arrived[0]));
}

static void
forget_earlier (LmccFeedback *feedback, guint32 ssrc)
{
  guint i, at;

  for (i = 0; i < G_N_ELEMENTS (feedback->queues); i++) {
    LmccFeedbackQueue *queue = &feedback->queues[i];

    for (at = 0; at < queue->n && queue->answers[at].ssrc != ssrc; at++)
      ;
    if (at == queue->n)
      continue;
    feedback->stats.answers_dropped++;
    remove_answers (queue, at, 1);
  }
}

/* A receiver's later report replaces its earlier one. */
static void
enqueue (LmccFeedback *feedback, LmccFeedbackQueue *queue,
    const LmccReferenceTime *report, LmccTime now)
{
  LmccDlrr answer = { report->ssrc, (guint32) (report->ntp_time >> 16), 0 };

  forget_earlier (feedback, report->ssrc);
  if (queue->n == LMCC_FEEDBACK_QUEUE) {
    feedback->stats.answers_dropped++;
    return;
  }
  queue->answers[queue->n] = answer;
  queue->arrived[queue->n] = now;
  queue->n++;
}

static void
take_reference_time (gpointer user_data, const LmccReferenceTime *report)
{
  Parsed *parsed = user_data;

  if (parsed->found
      || (report->ssrc & LMCC_SSRC_BASE_MASK) == parsed->session->ssrc_base)
    return;
  parsed->found = TRUE;
  parsed->report = *report;
}

/* It must be the reporter's own. */
static void
take_losses (gpointer user_data, guint32 ssrc, const LmccLossReport *report)
{
  Parsed *parsed = user_data;

  if (parsed->found && ssrc == parsed->report.ssrc)
    parsed->losses = *report;
}

static gboolean
follow_audience (LmccFeedback *feedback, LmccSession *session, gboolean changed)
{
  if (!changed)
    return FALSE;
  session->feedback_interval = feedback->audience.interval;
  session->revision++;

  return TRUE;
}

static LmccTime
get_age (const LmccReferenceTime *report)
{
  return (report->ntp_time >> 32) * LMCC_SECOND
      + ((report->ntp_time & G_MAXUINT32) * LMCC_SECOND >> 32);
}

/*
 * lmcc_feedback_take:
 * @feedback: the sender's side of feedback
 * @session: (inout): the session; its feedback interval follows the audience
 * @now: the time
 * @origin: where the packet comes from, see lmcc_report_origin()
 * @data: one UDP payload from the feedback port
 * @size: its length in bytes
 * @losses: (out): the losses that it tells; a burst of 0 if none, or if it does
 *     not count
 *
 * Takes a receiver's report; a packet has one. Other packets are counted.
 * Reports of an address beyond its due are not counted and do not reduce the
 * other receivers' share; they are answered last.
 *
 * Returns: whether @session changed
 */
gboolean
lmcc_feedback_take (LmccFeedback *feedback, LmccSession *session, LmccTime now,
    guint64 origin, const guint8 *data, gsize size, LmccLossReport *losses)
{
  static const LmccRtcpHandler handler = {
    .reference_time = take_reference_time,
    .loss_report = take_losses,
  };
  Parsed parsed = { .session = session };

  *losses = parsed.losses;
  if (!lmcc_rtcp_parse (data, size, &handler, &parsed) || !parsed.found) {
    feedback->stats.malformed++;
    return FALSE;
  }

  feedback->stats.reports++;
  if (!lmcc_audience_admit (&feedback->audience, now, origin)) {
    enqueue (feedback, &feedback->queues[1], &parsed.report, now);
    return FALSE;
  }
  *losses = parsed.losses;
  spend (feedback, now, feedback->packet_overhead + size);
  enqueue (feedback, &feedback->queues[0], &parsed.report, now);

  return follow_audience (feedback, session,
      lmcc_audience_report (&feedback->audience, now, origin,
          get_age (&parsed.report), session->rtt_max,
          wanted_rate (feedback, session)));
}

/* If more receivers appear than were known, more of their reports may be
 * under way than intended. */
static LmccTime
next_answer (const LmccFeedback *feedback, const LmccSession *session)
{
  LmccTime oldest = LMCC_TIME_NONE;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (feedback->queues); i++) {
    if (feedback->queues[i].n > 0)
      oldest = MIN (oldest, feedback->queues[i].arrived[0]);
  }
  if (oldest == LMCC_TIME_NONE)
    return LMCC_TIME_NONE;

  return MAX (MAX (oldest + HOLD, feedback->audience.grown + session->rtt_max),
      feedback->retry);
}

static void
drop_expired (LmccFeedback *feedback, LmccTime now)
{
  guint i, n;

  for (i = 0; i < G_N_ELEMENTS (feedback->queues); i++) {
    LmccFeedbackQueue *queue = &feedback->queues[i];

    for (n = 0; n < queue->n && now > queue->arrived[n] + HOLD_LONGEST; n++)
      ;
    feedback->stats.answers_dropped += n;
    remove_answers (queue, 0, n);
  }
}

/* Takes the @n oldest reports of each queue. */
static LmccPacket *
answer_oldest (LmccFeedback *feedback, const LmccSession *session,
    const guint n[2], LmccTime now)
{
  LmccDlrr answers[LMCC_RTCP_MAX_DLRR];
  LmccPacket *packet;
  guint i, from, n_taken = 0;

  for (i = 0; i < G_N_ELEMENTS (feedback->queues); i++) {
    LmccFeedbackQueue *queue = &feedback->queues[i];

    for (from = 0; from < n[i]; from++) {
      LmccTime held = now - queue->arrived[from];

      answers[n_taken] = queue->answers[from];
      /* Rounded down, so that a round-trip time is never measured too short. */
      answers[n_taken++].delay = (guint32) ((held << 16) / LMCC_SECOND);
    }
    remove_answers (queue, 0, n[i]);
  }
  packet = lmcc_rtcp_build_dlrr (lmcc_session_ssrc (session, 0, 0), answers,
      n_taken);
  feedback->stats.answers += n_taken;
  spend (feedback, now, feedback->packet_overhead + packet->size);

  return packet;
}

/*
 * lmcc_feedback_answer:
 * @feedback: the sender's side of feedback
 * @session: the session
 * @now: the time
 *
 * Returns: (transfer full) (nullable): the due answers for which there is
 * room, as an RTCP packet for the base group
 */
LmccPacket *
lmcc_feedback_answer (LmccFeedback *feedback, const LmccSession *session,
    LmccTime now)
{
  guint n[2], rest;

  if (now < next_answer (feedback, session))
    return NULL;
  drop_expired (feedback, now);
  advance (feedback, now);
  n[0] = MIN (count_room (feedback, session, 1), feedback->queues[0].n);
  rest = count_room (feedback, session, SURPLUS_PART);
  n[1] = MIN (rest - MIN (n[0], rest), feedback->queues[1].n);
  if (n[0] + n[1] == 0) {
    feedback->retry = (now / LMCC_FEEDBACK_SLICE + 1) * LMCC_FEEDBACK_SLICE;
    return NULL;
  }

  return answer_oldest (feedback, session, n, now);
}

/*
 * lmcc_feedback_update:
 * @feedback: the sender's side of feedback
 * @session: (inout): the session; its feedback interval follows the audience
 *     and the base layer's rate
 * @now: the time
 *
 * Returns: whether @session changed
 */
gboolean
lmcc_feedback_update (LmccFeedback *feedback, LmccSession *session,
    LmccTime now)
{
  return follow_audience (feedback, session,
      lmcc_audience_update (&feedback->audience, now, session->rtt_max,
          wanted_rate (feedback, session)));
}

/*
 * lmcc_feedback_next:
 * @feedback: the sender's side of feedback
 * @session: the session
 *
 * Returns: when to call lmcc_feedback_answer() or lmcc_feedback_update()
 */
LmccTime
lmcc_feedback_next (const LmccFeedback *feedback, const LmccSession *session)
{
  return MIN (next_answer (feedback, session),
      lmcc_audience_next (&feedback->audience));
}
