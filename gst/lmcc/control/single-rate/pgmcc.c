/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * pgmcc: its entry in the registry. The state machines are in
 * pgmcc-receiver.c and pgmcc-sender.c.
 */
#include "control/sending.h"
#include "control/single-rate/pgmcc-receiver.h"
#include "control/single-rate/pgmcc-sender.h"
#include "control/single-rate/receiver.h"

#include <glib/gi18n-lib.h>

typedef struct
{
  LmccSingleRateController single;
  LmccPgmccReceiver *receiver;
  gboolean has_element; /* the next packet has one */
  LmccPgmccElement element;
  LmccTime rtt; /* of the ackers, or 0 */
} Pgmcc;

static void
on_second_element (LmccController *controller, const guint8 *data, gsize size)
{
  Pgmcc *pgmcc = (Pgmcc *) controller;

  pgmcc->has_element = lmcc_pgmcc_element_parse (data, size, &pgmcc->element);
}

static void
take_packet (Pgmcc *pgmcc, LmccTime arrival, const LmccHeader *header)
{
  if (pgmcc->has_element) {
    pgmcc->single.has_leader = pgmcc->element.has_acker;
    pgmcc->single.leader = pgmcc->element.acker;
    pgmcc->rtt = pgmcc->element.rtt;
  }
  lmcc_pgmcc_receiver_packet (pgmcc->receiver, arrival, header->lsn,
      header->send_time, pgmcc->has_element ? &pgmcc->element : NULL);
}

/* The state machine detects missing packets by their numbers. */
static void
on_packet (LmccController *controller, LmccTime now G_GNUC_UNUSED,
    LmccTime arrival, const LmccHeader *header, gsize size G_GNUC_UNUSED)
{
  Pgmcc *pgmcc = (Pgmcc *) controller;

  if (header->layer == 0)
    take_packet (pgmcc, arrival, header);
  pgmcc->has_element = FALSE;
}

static void
on_timeout (LmccController *controller, LmccTime now)
{
  lmcc_pgmcc_receiver_handle_timeout (((Pgmcc *) controller)->receiver, now);
}

static LmccTime
next_timeout (const LmccController *controller)
{
  return lmcc_pgmcc_receiver_next_timeout (
      ((const Pgmcc *) controller)->receiver);
}

/* A report that is due is polled after this call; there is no extra one. */
static void
on_leave (LmccController *controller G_GNUC_UNUSED)
{
}

static LmccPacket *
poll_report (LmccController *controller, LmccTime now)
{
  LmccPgmccReport report;

  return lmcc_pgmcc_receiver_poll_report (((Pgmcc *) controller)->receiver, now,
             &report)
      ? lmcc_pgmcc_report_build (&report)
      : NULL;
}

static void
get_status (LmccController *controller, LmccTime now G_GNUC_UNUSED,
    LmccControllerStatus *status)
{
  const Pgmcc *pgmcc = (const Pgmcc *) controller;

  lmcc_single_rate_controller_get_status (&pgmcc->single, status);
  status->rtt = pgmcc->rtt;
  status->loss_event_rate =
      lmcc_pgmcc_receiver_get_loss (pgmcc->receiver) / 65536.0;
  status->suppressed = lmcc_pgmcc_receiver_get_suppressed (pgmcc->receiver);
}

static void
free_controller (LmccController *controller)
{
  lmcc_pgmcc_receiver_free (((Pgmcc *) controller)->receiver);
  g_free (controller);
}

static const LmccControllerClass controller_class = {
  .on_second_element = on_second_element,
  .on_packet = on_packet,
  .on_timeout = on_timeout,
  .next_timeout = next_timeout,
  .on_leave = on_leave,
  .poll_report = poll_report,
  .get_status = get_status,
  .free = free_controller,
};

static LmccController *
create (const LmccSession *session, const LmccSettings *settings G_GNUC_UNUSED,
    guint32 seed)
{
  Pgmcc *pgmcc = g_new0 (Pgmcc, 1);

  lmcc_single_rate_controller_init (&pgmcc->single, &lmcc_algorithm_pgmcc,
      &controller_class, session, seed);
  pgmcc->receiver =
      lmcc_pgmcc_receiver_new (pgmcc->single.ssrc, session->ssrc_base, seed);

  return &pgmcc->single.parent;
}

/* The sender's half. */

static gpointer
create_sender (const LmccSession *session G_GNUC_UNUSED, gdouble hysteresis,
    LmccTime now)
{
  return lmcc_pgmcc_sender_new (now,
      hysteresis > 0 ? hysteresis : LMCC_PGMCC_HYSTERESIS);
}

static void
free_sender (gpointer machine)
{
  lmcc_pgmcc_sender_free (machine);
}

static gboolean
may_send (gconstpointer machine)
{
  return lmcc_pgmcc_sender_may_send (machine);
}

static void
write_element (gpointer machine, LmccTime now, guint16 lsn,
    guint8 data[LMCC_SECOND_ELEMENT_MAX_SIZE])
{
  LmccPgmccElement element;

  lmcc_pgmcc_sender_send (machine, now, lsn, &element);
  lmcc_pgmcc_element_write (&element, data);
}

/* A window of packets corresponds to their size in bytes. */
static gdouble
get_rate (gconstpointer machine, gdouble packet_size)
{
  LmccTime rtt = lmcc_pgmcc_sender_get_rtt (machine);

  return rtt == 0 ? 0
                  : lmcc_pgmcc_sender_get_window (machine) * 8 * packet_size
          * LMCC_SECOND / (gdouble) rtt;
}

static gboolean
get_leader (gconstpointer machine, guint32 *ssrc)
{
  return lmcc_pgmcc_sender_get_acker (machine, ssrc);
}

static LmccTime
get_rtt (gconstpointer machine)
{
  return lmcc_pgmcc_sender_get_rtt (machine);
}

static gboolean
identify_report (const guint8 *data, gsize size, guint32 *ssrc,
    guint32 *ssrc_base)
{
  LmccPgmccReport report;

  if (!lmcc_pgmcc_report_parse (data, size, &report))
    return FALSE;
  *ssrc = report.ssrc;
  *ssrc_base = report.ssrc_base;

  return TRUE;
}

static gboolean
take_report (gpointer machine, LmccTime now, guint32 send_clock,
    guint64 origin G_GNUC_UNUSED, const guint8 *data, gsize size)
{
  LmccPgmccReport report;

  return lmcc_pgmcc_report_parse (data, size, &report)
      && lmcc_pgmcc_sender_handle_report (machine, now, send_clock, &report);
}

static LmccTime
next_sender_timeout (gconstpointer machine)
{
  return lmcc_pgmcc_sender_next_timeout (machine);
}

static void
handle_sender_timeout (gpointer machine, LmccTime now)
{
  lmcc_pgmcc_sender_handle_timeout (machine, now);
}

static void
get_stats (gconstpointer machine, LmccSingleRateStats *stats)
{
  stats->window = lmcc_pgmcc_sender_get_window (machine);
  stats->loss_rate = lmcc_pgmcc_sender_get_loss_rate (machine);
  stats->stalls = lmcc_pgmcc_sender_get_stalls (machine);
  stats->switches = lmcc_pgmcc_sender_get_switches (machine);
}

static const LmccRateSetterClass rate_setter = {
  .element_size = LMCC_PGMCC_ELEMENT_SIZE,
  .create = create_sender,
  .free = free_sender,
  .may_send = may_send,
  .write_element = write_element,
  .get_rate = get_rate,
  .get_leader = get_leader,
  .get_rtt = get_rtt,
  .identify_report = identify_report,
  .take_report = take_report,
  .next_timeout = next_sender_timeout,
  .handle_timeout = handle_sender_timeout,
  .get_stats = get_stats,
};

static const LmccSending sending = {
  .rate_setter = &rate_setter,
};

const LmccAlgorithm lmcc_algorithm_pgmcc = {
  .name = "pgmcc",
  .number = 8,
  .description = N_ ("Rizzo 2000: a single rate for all receivers, by a window "
                     "that the slowest one controls"),
  .paper = "Rizzo, \"pgmcc: a TCP-friendly single-rate multicast congestion "
           "control scheme\", SIGCOMM 2000",
  .sending = &sending,
  .create = create,
};
