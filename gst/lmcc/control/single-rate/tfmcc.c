/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * TFMCC: its entry in the registry. The state machines are in
 * tfmcc-receiver.c and tfmcc-sender.c.
 */
#include "control/sending.h"
#include "control/single-rate/receiver.h"
#include "control/single-rate/tfmcc-receiver.h"
#include "control/single-rate/tfmcc-sender.h"

#include <glib/gi18n-lib.h>

typedef struct
{
  LmccSingleRateController single;
  LmccTfmccReceiver *receiver;
  gboolean has_element; /* the next packet has one */
  LmccTfmccElement element;
} Tfmcc;

static void
on_second_element (LmccController *controller, const guint8 *data, gsize size)
{
  Tfmcc *tfmcc = (Tfmcc *) controller;

  tfmcc->has_element = lmcc_tfmcc_element_parse (data, size, &tfmcc->element);
}

static void
take_packet (Tfmcc *tfmcc, LmccTime arrival, const LmccHeader *header,
    gsize size)
{
  const LmccTfmccElement *element = &tfmcc->element;

  if (tfmcc->has_element && element->has_receiver && element->is_limiting) {
    tfmcc->single.has_leader = TRUE;
    tfmcc->single.leader = element->receiver;
  }
  lmcc_tfmcc_receiver_packet (tfmcc->receiver, arrival, size, header->send_time,
      tfmcc->has_element ? element : NULL);
}

static void
on_packet (LmccController *controller, LmccTime now G_GNUC_UNUSED,
    LmccTime arrival, const LmccHeader *header, gsize size)
{
  Tfmcc *tfmcc = (Tfmcc *) controller;

  if (header->layer == 0)
    take_packet (tfmcc, arrival, header, size);
  tfmcc->has_element = FALSE;
}

static void
on_loss (LmccController *controller, LmccTime now, guint layer,
    const LmccLoss *loss)
{
  if (layer == 0)
    lmcc_tfmcc_receiver_loss (((Tfmcc *) controller)->receiver, now, loss);
}

static void
on_found (LmccController *controller, LmccTime now G_GNUC_UNUSED, guint layer,
    const LmccLoss *loss)
{
  if (layer == 0)
    lmcc_tfmcc_receiver_found (((Tfmcc *) controller)->receiver, loss);
}

static void
on_timeout (LmccController *controller, LmccTime now)
{
  lmcc_tfmcc_receiver_handle_timeout (((Tfmcc *) controller)->receiver, now);
}

static LmccTime
next_timeout (const LmccController *controller)
{
  return lmcc_tfmcc_receiver_next_timeout (
      ((const Tfmcc *) controller)->receiver);
}

static void
on_leave (LmccController *controller)
{
  lmcc_tfmcc_receiver_leave (((Tfmcc *) controller)->receiver);
}

static LmccPacket *
poll_report (LmccController *controller, LmccTime now)
{
  LmccTfmccReport report;

  return lmcc_tfmcc_receiver_poll_report (((Tfmcc *) controller)->receiver, now,
             &report)
      ? lmcc_tfmcc_report_build (&report)
      : NULL;
}

static const gchar *
find_reason_to_leave (LmccController *controller, LmccTime now)
{
  if (!lmcc_tfmcc_receiver_must_leave (((Tfmcc *) controller)->receiver, now))
    return NULL;

  return N_ ("for 120 s this path has carried less than one packet in 8 s, "
             "which limits all other receivers, too: leaving all groups (RFC "
             "4654 section 3.3)");
}

static void
get_status (LmccController *controller, LmccTime now,
    LmccControllerStatus *status)
{
  const Tfmcc *tfmcc = (const Tfmcc *) controller;

  lmcc_single_rate_controller_get_status (&tfmcc->single, status);
  if (lmcc_tfmcc_receiver_has_rtt (tfmcc->receiver))
    status->rtt = lmcc_tfmcc_receiver_get_rtt (tfmcc->receiver);
  status->loss_event_rate = lmcc_tfmcc_receiver_get_loss_rate (tfmcc->receiver);
  status->calculated_rate = lmcc_tfmcc_receiver_get_rate (tfmcc->receiver, now);
}

static void
free_controller (LmccController *controller)
{
  lmcc_tfmcc_receiver_free (((Tfmcc *) controller)->receiver);
  g_free (controller);
}

static const LmccControllerClass controller_class = {
  .on_second_element = on_second_element,
  .on_packet = on_packet,
  .on_loss = on_loss,
  .on_found = on_found,
  .on_timeout = on_timeout,
  .next_timeout = next_timeout,
  .on_leave = on_leave,
  .poll_report = poll_report,
  .find_reason_to_leave = find_reason_to_leave,
  .get_status = get_status,
  .free = free_controller,
};

static LmccController *
create (const LmccSession *session, const LmccSettings *settings G_GNUC_UNUSED,
    guint32 seed)
{
  Tfmcc *tfmcc = g_new0 (Tfmcc, 1);

  lmcc_single_rate_controller_init (&tfmcc->single, &lmcc_algorithm_tfmcc,
      &controller_class, session, seed);
  tfmcc->receiver = lmcc_tfmcc_receiver_new (tfmcc->single.ssrc,
      session->ssrc_base, session->packet_size, seed);

  return &tfmcc->single.parent;
}

/* The sender's half. */

static gpointer
create_sender (const LmccSession *session, gdouble hysteresis G_GNUC_UNUSED,
    LmccTime now)
{
  return lmcc_tfmcc_sender_new (now, session->packet_size, session->rtt_max,
      LMCC_TFMCC_MAX_RATE);
}

static void
free_sender (gpointer machine)
{
  lmcc_tfmcc_sender_free (machine);
}

static void
write_element (gpointer machine, LmccTime now, guint16 lsn G_GNUC_UNUSED,
    guint8 data[LMCC_SECOND_ELEMENT_MAX_SIZE])
{
  LmccTfmccElement element;

  lmcc_tfmcc_sender_get_element (machine, now, &element);
  lmcc_tfmcc_element_write (&element, data);
}

static gdouble
get_rate (gconstpointer machine, gdouble packet_size G_GNUC_UNUSED)
{
  return lmcc_tfmcc_sender_get_rate (machine);
}

static void
set_max_rate (gpointer machine, gdouble rate)
{
  lmcc_tfmcc_sender_set_max_rate (machine, rate);
}

static gboolean
get_leader (gconstpointer machine, guint32 *ssrc)
{
  return lmcc_tfmcc_sender_get_limiting (machine, ssrc);
}

static LmccTime
get_rtt (gconstpointer machine)
{
  return lmcc_tfmcc_sender_get_rtt_max (machine);
}

static gboolean
identify_report (const guint8 *data, gsize size, guint32 *ssrc,
    guint32 *ssrc_base)
{
  LmccTfmccReport report;

  if (!lmcc_tfmcc_report_parse (data, size, &report))
    return FALSE;
  *ssrc = report.ssrc;
  *ssrc_base = report.ssrc_base;

  return TRUE;
}

static gboolean
take_report (gpointer machine, LmccTime now, guint32 send_clock, guint64 origin,
    const guint8 *data, gsize size)
{
  LmccTfmccReport report;

  return lmcc_tfmcc_report_parse (data, size, &report)
      && lmcc_tfmcc_sender_handle_report (machine, now, send_clock, origin,
          &report);
}

static LmccTime
next_sender_timeout (gconstpointer machine)
{
  return lmcc_tfmcc_sender_next_timeout (machine);
}

static void
handle_sender_timeout (gpointer machine, LmccTime now)
{
  lmcc_tfmcc_sender_handle_timeout (machine, now);
}

static void
get_stats (gconstpointer machine, LmccSingleRateStats *stats)
{
  stats->rounds = lmcc_tfmcc_sender_get_rounds (machine);
}

static const LmccRateSetterClass rate_setter = {
  .element_size = LMCC_TFMCC_ELEMENT_SIZE,
  .create = create_sender,
  .free = free_sender,
  .write_element = write_element,
  .get_rate = get_rate,
  .set_max_rate = set_max_rate,
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

const LmccAlgorithm lmcc_algorithm_tfmcc = {
  .name = "tfmcc",
  .number = 9,
  .description = N_ ("RFC 4654: a single rate for all receivers, from TCP's "
                     "equation for the slowest one"),
  .paper = "Widmer, Handley, \"TCP-Friendly Multicast Congestion Control "
           "(TFMCC): Protocol Specification\", RFC 4654, 2006",
  .sending = &sending,
  .create = create,
};
