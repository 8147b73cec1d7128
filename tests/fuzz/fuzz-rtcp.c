/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fuzzes the RTCP parsers of receivers and senders. A rejected packet yields
 * nothing, everything that is yielded survives being built again, and the
 * assembler accepts all fragments. This includes reports of the single-rate
 * algorithms, key frame requests and address claims.
 */
#include "fuzz.h"

#include <gst/lmcc/control/single-rate/pgmcc-wire.h>
#include <gst/lmcc/control/single-rate/tfmcc-wire.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/wire/address-claim.h>
#include <gst/lmcc/wire/key-request.h>
#include <gst/lmcc/wire/rtcp.h>
#include <string.h>

typedef struct
{
  LmccRecordAssembler *assembler;
  guint n_calls;
  guint32 sender_ssrc;
  guint n_answers;
  LmccDlrr answers[LMCC_RTCP_MAX_DLRR];
} Context;

static void
on_report (gpointer user_data, const LmccSenderReport *report G_GNUC_UNUSED)
{
  ((Context *) user_data)->n_calls++;
}

static void
on_record (gpointer user_data, const LmccRecordFragment *fragment)
{
  static const LmccSenderReport report;
  Context *context = user_data;
  g_autoptr (LmccPacket) packet =
      lmcc_rtcp_build (&report, 1, "fuzz", fragment);
  g_autofree gchar *text = NULL;

  context->n_calls++;
  g_assert (packet != NULL);
  g_assert (memmem (packet->data, packet->size, fragment->data, fragment->size)
      != NULL);
  text = lmcc_record_assembler_push (context->assembler, fragment);
  g_assert (text == NULL || strlen (text) <= LMCC_SDP_MAX_SIZE);
}

static void
on_bye (gpointer user_data, guint32 ssrc G_GNUC_UNUSED)
{
  ((Context *) user_data)->n_calls++;
}

static void
take_reference_time (gpointer user_data, const LmccReferenceTime *report)
{
  *(LmccReferenceTime *) user_data = *report;
}

static void
on_reference_time (gpointer user_data, const LmccReferenceTime *report)
{
  static const LmccRtcpHandler handler = {
    .reference_time = take_reference_time,
  };
  g_autoptr (LmccPacket) packet = lmcc_rtcp_build_reference_time (report, NULL);
  LmccReferenceTime again = { 0 };

  ((Context *) user_data)->n_calls++;
  g_assert (lmcc_rtcp_parse (packet->data, packet->size, &handler, &again));
  g_assert (again.ssrc == report->ssrc && again.ntp_time == report->ntp_time);
}

static void
take_losses (gpointer user_data, guint32 ssrc G_GNUC_UNUSED,
    const LmccLossReport *report)
{
  *(LmccLossReport *) user_data = *report;
}

static void
on_losses (gpointer user_data, guint32 ssrc, const LmccLossReport *report)
{
  static const LmccRtcpHandler handler = { .loss_report = take_losses };
  const LmccReferenceTime time = { ssrc, 0 };
  g_autoptr (LmccPacket) packet =
      lmcc_rtcp_build_reference_time (&time, report);
  LmccLossReport again = { 0 };

  ((Context *) user_data)->n_calls++;
  g_assert (report->loss_rate >= 0 && report->loss_rate < 1);
  g_assert (report->burst >= 1);
  g_assert (lmcc_rtcp_parse (packet->data, packet->size, &handler, &again));
  g_assert (
      again.loss_rate == report->loss_rate && again.burst == report->burst);
}

static void
keep_answer (gpointer user_data, guint32 sender_ssrc, const LmccDlrr *answer)
{
  Context *context = user_data;

  g_assert (context->n_answers < G_N_ELEMENTS (context->answers));
  context->sender_ssrc = sender_ssrc;
  context->answers[context->n_answers++] = *answer;
}

static void
rebuild_answers (Context *context)
{
  static const LmccRtcpHandler handler = { .dlrr = keep_answer };
  g_autoptr (LmccPacket) packet = lmcc_rtcp_build_dlrr (context->sender_ssrc,
      context->answers, context->n_answers);
  Context again = { 0 };
  guint i;

  g_assert (packet != NULL);
  g_assert (lmcc_rtcp_parse (packet->data, packet->size, &handler, &again));
  g_assert (again.sender_ssrc == context->sender_ssrc);
  g_assert (again.n_answers == context->n_answers);
  for (i = 0; i < again.n_answers; i++) {
    g_assert (again.answers[i].ssrc == context->answers[i].ssrc);
    g_assert (again.answers[i].last_rr == context->answers[i].last_rr);
    g_assert (again.answers[i].delay == context->answers[i].delay);
  }
  context->n_answers = 0;
}

static void
on_dlrr (gpointer user_data, guint32 sender_ssrc, const LmccDlrr *answer)
{
  Context *context = user_data;

  context->n_calls++;
  if (context->n_answers > 0
      && (context->sender_ssrc != sender_ssrc
          || context->n_answers == LMCC_RTCP_MAX_DLRR))
    rebuild_answers (context);
  keep_answer (context, sender_ssrc, answer);
}

/* All bytes except the reserved ones are written again. */
static void
check_key_requests (const guint8 *data, gsize size)
{
  LmccKeyRequest request;
  guint32 ssrc;

  if (lmcc_key_request_parse (data, size, &request)) {
    g_autoptr (LmccPacket) packet = lmcc_key_request_build (&request);

    g_assert (packet->size == size && memcmp (packet->data, data, 18) == 0);
  }
  if (lmcc_key_notice_parse (data, size, &ssrc)) {
    g_autoptr (LmccPacket) packet = lmcc_key_notice_build (ssrc);

    g_assert (packet->size == size && memcmp (packet->data, data, size) == 0);
  }
}

/* All its bits are used except twelve bits of S0. */
static void
check_claim (const guint8 *data, gsize size)
{
  g_autoptr (LmccPacket) packet = NULL;
  const gboolean taken = FALSE;
  LmccAddressClaims claims;
  guint32 ssrc_base;

  lmcc_address_claims_init (&claims, 0);
  if (!lmcc_address_claim_parse (data, size, &ssrc_base)) {
    g_assert (!lmcc_address_claims_take (&claims, data, size));
    return;
  }
  packet = lmcc_address_claim_build (ssrc_base);
  g_assert (packet->size == size && memcmp (packet->data, data, 6) == 0);
  g_assert (memcmp (packet->data + 8, data + 8, 4) == 0);
  g_assert (lmcc_address_claims_take (&claims, data, size) == (ssrc_base != 0));
  g_assert (lmcc_address_claims_choose (&claims, &taken, 1) == 0);
}

static void
check_reports (const guint8 *data, gsize size)
{
  LmccTfmccReport tfmcc;
  LmccPgmccReport pgmcc;

  if (lmcc_tfmcc_report_parse (data, size, &tfmcc)) {
    g_autoptr (LmccPacket) packet = lmcc_tfmcc_report_build (&tfmcc);

    g_assert (tfmcc.rate >= LMCC_TFMCC_MIN_RATE);
    g_assert (packet->size == size && memcmp (packet->data, data, 17) == 0);
    g_assert ((packet->data[18] ^ data[18]) == (data[18] & 0x10));
    g_assert (memcmp (packet->data + 19, data + 19, size - 19) == 0);
  }
  if (lmcc_pgmcc_report_parse (data, size, &pgmcc)) {
    g_autoptr (LmccPacket) packet = lmcc_pgmcc_report_build (&pgmcc);

    g_assert (packet->size == size && memcmp (packet->data, data, 16) == 0);
    g_assert (memcmp (packet->data + 18, data + 18, 4) == 0);
    g_assert (memcmp (packet->data + 24, data + 24, size - 24) == 0);
  }
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  static const LmccRtcpHandler handler = { on_report, on_record, on_bye,
    on_reference_time, on_dlrr, on_losses };
  g_autoptr (LmccRecordAssembler) assembler = lmcc_record_assembler_new ();
  Context context = { .assembler = assembler };

  if (!lmcc_rtcp_parse (data, size, &handler, &context))
    g_assert (context.n_calls == 0);
  if (context.n_answers > 0)
    rebuild_answers (&context);
  check_key_requests (data, size);
  check_claim (data, size);
  check_reports (data, size);

  return 0;
}
