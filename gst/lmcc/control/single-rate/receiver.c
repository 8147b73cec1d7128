/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Receivers of pgmcc and TFMCC: the whole stream is the base, which is held;
 * what they can take is the sender's to follow.
 */
#include "control/controller.h"

#include <gst/lmcc/lmcc-session-algorithm.h>
#include "control/single-rate/pgmcc-receiver.h"
#include "control/single-rate/tfmcc-receiver.h"

#include <string.h>

typedef struct
{
  LmccController parent;
  LmccPgmccReceiver *pgmcc;
  LmccTfmccReceiver *tfmcc;

  gboolean has_pgmcc;           /* the packet that comes next has an element */
  LmccPgmccElement pgmcc_element;
  gboolean has_tfmcc;
  LmccTfmccElement tfmcc_element;

  guint32 ssrc;
  gboolean has_leader;          /* as the latest packets said */
  guint32 leader;
  LmccTime rtt;                 /* pgmcc: the ackers', or 0 */
} SingleRate;

static void
single_on_second_element (LmccController * controller, const guint8 * data,
    gsize size)
{
  SingleRate *single = (SingleRate *) controller;

  single->has_pgmcc = single->pgmcc != NULL
      && lmcc_pgmcc_element_parse (data, size, &single->pgmcc_element);
  single->has_tfmcc = single->tfmcc != NULL
      && lmcc_tfmcc_element_parse (data, size, &single->tfmcc_element);
}

static void
follow_elements (SingleRate * single)
{
  const LmccTfmccElement *tfmcc = &single->tfmcc_element;

  if (single->has_pgmcc) {
    single->has_leader = single->pgmcc_element.has_acker;
    single->leader = single->pgmcc_element.acker;
    single->rtt = single->pgmcc_element.rtt;
  }
  if (single->has_tfmcc && tfmcc->has_receiver && tfmcc->is_limiting) {
    single->has_leader = TRUE;
    single->leader = tfmcc->receiver;
  }
}

static void
take_packet (SingleRate * single, LmccTime arrival, const LmccHeader * header,
    gsize size)
{
  follow_elements (single);
  if (single->pgmcc != NULL)
    lmcc_pgmcc_receiver_packet (single->pgmcc, arrival, header->lsn,
        header->send_time, single->has_pgmcc ? &single->pgmcc_element : NULL);
  else
    lmcc_tfmcc_receiver_packet (single->tfmcc, arrival, size,
        header->send_time, single->has_tfmcc ? &single->tfmcc_element : NULL);
}

static void
single_on_packet (LmccController * controller, LmccTime now G_GNUC_UNUSED,
    LmccTime arrival, const LmccHeader * header, gsize size)
{
  SingleRate *single = (SingleRate *) controller;

  if (header->layer == 0)
    take_packet (single, arrival, header, size);
  single->has_pgmcc = FALSE;
  single->has_tfmcc = FALSE;
}

/* pgmcc sees by the numbers what is missing. */
static void
single_on_loss (LmccController * controller, LmccTime now, guint layer,
    const LmccLoss * loss)
{
  SingleRate *single = (SingleRate *) controller;

  if (single->tfmcc != NULL && layer == 0)
    lmcc_tfmcc_receiver_loss (single->tfmcc, now, loss);
}

static void
single_on_timeout (LmccController * controller, LmccTime now)
{
  SingleRate *single = (SingleRate *) controller;

  if (single->pgmcc != NULL)
    lmcc_pgmcc_receiver_handle_timeout (single->pgmcc, now);
  else
    lmcc_tfmcc_receiver_handle_timeout (single->tfmcc, now);
}

static LmccTime
single_next_timeout (const LmccController * controller)
{
  const SingleRate *single = (const SingleRate *) controller;

  return single->pgmcc != NULL
      ? lmcc_pgmcc_receiver_next_timeout (single->pgmcc)
      : lmcc_tfmcc_receiver_next_timeout (single->tfmcc);
}

static void
single_on_leave (LmccController * controller)
{
  SingleRate *single = (SingleRate *) controller;

  if (single->tfmcc != NULL)
    lmcc_tfmcc_receiver_leave (single->tfmcc);
}

static LmccPacket *
single_poll_report (LmccController * controller, LmccTime now)
{
  SingleRate *single = (SingleRate *) controller;
  LmccPgmccReport pgmcc;
  LmccTfmccReport tfmcc;

  if (single->pgmcc != NULL)
    return lmcc_pgmcc_receiver_poll_report (single->pgmcc, now, &pgmcc)
        ? lmcc_pgmcc_report_build (&pgmcc) : NULL;

  return lmcc_tfmcc_receiver_poll_report (single->tfmcc, now, &tfmcc)
      ? lmcc_tfmcc_report_build (&tfmcc) : NULL;
}

static const gchar *
single_find_reason_to_leave (LmccController * controller, LmccTime now)
{
  const SingleRate *single = (const SingleRate *) controller;

  if (single->tfmcc == NULL
      || !lmcc_tfmcc_receiver_must_leave (single->tfmcc, now))
    return NULL;

  return "this path has not carried a packet in 8 s for 120 s, and all other "
      "receivers get no more than it: all groups are left (RFC 4654 section "
      "3.3)";
}

static void
single_get_status (LmccController * controller, LmccTime now,
    LmccControllerStatus * status)
{
  SingleRate *single = (SingleRate *) controller;

  status->has_leader = single->has_leader;
  status->leader = single->leader;
  status->leads = single->has_leader && single->leader == single->ssrc;
  status->state = status->leads ? "leads" : single->has_leader ? "follows" :
      "waits";
  if (single->pgmcc != NULL) {
    status->rtt = single->rtt;
    status->loss_event_rate = lmcc_pgmcc_receiver_get_loss (single->pgmcc) /
        65536.0;
    status->suppressed = lmcc_pgmcc_receiver_get_suppressed (single->pgmcc);
    return;
  }
  if (lmcc_tfmcc_receiver_has_rtt (single->tfmcc))
    status->rtt = lmcc_tfmcc_receiver_get_rtt (single->tfmcc);
  status->loss_event_rate = lmcc_tfmcc_receiver_get_loss_rate (single->tfmcc);
  status->calculated_rate = lmcc_tfmcc_receiver_get_rate (single->tfmcc, now);
}

static void
single_free (LmccController * controller)
{
  SingleRate *single = (SingleRate *) controller;

  lmcc_pgmcc_receiver_free (single->pgmcc);
  lmcc_tfmcc_receiver_free (single->tfmcc);
  g_free (single);
}

static const LmccControllerClass single_class = {
  .on_second_element = single_on_second_element,
  .on_packet = single_on_packet,
  .on_loss = single_on_loss,
  .on_timeout = single_on_timeout,
  .next_timeout = single_next_timeout,
  .on_leave = single_on_leave,
  .poll_report = single_poll_report,
  .find_reason_to_leave = single_find_reason_to_leave,
  .get_status = single_get_status,
  .free = single_free,
};

static SingleRate *
create (const LmccAlgorithm * algorithm, const LmccSession * session,
    guint32 seed)
{
  SingleRate *single = g_new0 (SingleRate, 1);

  lmcc_controller_init (&single->parent, algorithm, &single_class);
  lmcc_controller_want (&single->parent, 0, "one rate for all receivers");
  single->ssrc = lmcc_session_make_receiver_ssrc (session, seed);

  return single;
}

static LmccController *
pgmcc_create (const LmccSession * session,
    const LmccSettings * settings G_GNUC_UNUSED, guint32 seed)
{
  SingleRate *single = create (&lmcc_algorithm_pgmcc, session, seed);

  single->pgmcc = lmcc_pgmcc_receiver_new (single->ssrc, session->ssrc_base,
      seed);

  return &single->parent;
}

static LmccController *
tfmcc_create (const LmccSession * session,
    const LmccSettings * settings G_GNUC_UNUSED, guint32 seed)
{
  SingleRate *single = create (&lmcc_algorithm_tfmcc, session, seed);

  single->tfmcc = lmcc_tfmcc_receiver_new (single->ssrc, session->ssrc_base,
      session->packet_size, seed);

  return &single->parent;
}

const LmccAlgorithm lmcc_algorithm_pgmcc = {
  .name = "pgmcc",
  .description = "Rizzo 2000: one rate for all receivers, by a window that is "
      "run with the slowest one",
  .needs_sender = TRUE,
  .create = pgmcc_create,
};

const LmccAlgorithm lmcc_algorithm_tfmcc = {
  .name = "tfmcc",
  .description = "RFC 4654: one rate for all receivers, that of TCP's equation "
      "for the slowest one",
  .needs_sender = TRUE,
  .create = tfmcc_create,
};
