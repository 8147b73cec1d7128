/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * RTCP: nothing is handed out of a packet that is refused, fragments are in
 * range and survive being built again, and the assembler takes them all.
 */
#include "fuzz.h"

#include <gst/lmcc/lmcc.h>
#include <string.h>

typedef struct
{
  LmccRecordAssembler *assembler;
  guint n_calls;
} Context;

static void
on_report (gpointer user_data, const LmccSenderReport * report)
{
  ((Context *) user_data)->n_calls++;
}

static void
on_record (gpointer user_data, const LmccRecordFragment * fragment)
{
  static const LmccSenderReport report;
  Context *context = user_data;
  g_autoptr (LmccPacket) packet =
      lmcc_rtcp_build (&report, 1, "fuzz", fragment);
  g_autofree gchar *text = NULL;

  context->n_calls++;
  g_assert (packet != NULL);
  g_assert (memmem (packet->data, packet->size, fragment->data,
          fragment->size) != NULL);
  text = lmcc_record_assembler_push (context->assembler, fragment);
  g_assert (text == NULL || strlen (text) <= LMCC_SDP_MAX_SIZE);
}

static void
on_bye (gpointer user_data, guint32 ssrc)
{
  ((Context *) user_data)->n_calls++;
}

int
LLVMFuzzerTestOneInput (const guint8 * data, gsize size)
{
  static const LmccRtcpHandler handler = { on_report, on_record, on_bye };
  g_autoptr (LmccRecordAssembler) assembler = lmcc_record_assembler_new ();
  Context context = { assembler, 0 };

  if (!lmcc_rtcp_parse (data, size, &handler, &context))
    g_assert (context.n_calls == 0);

  return 0;
}
