/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fuzzes the JPEG 2000 parsers. The input is taken for a codestream, and for
 * a sequence of RTP payloads, each after a control byte and a length of 16
 * bits: control bit 0 is the marker, bit 1 the end of the picture.
 */
#include "fuzz.h"

#include "../../plugins/j2k/gstj2kassembly.h"

static void
run_codestream (const guint8 *data, gsize size)
{
  g_autoptr (GError) error = NULL;
  GstJ2kCodestream codestream;
  gsize ends[GST_J2K_MAX_LAYERS];
  gsize before;
  guint i;

  if (!gst_j2k_codestream_parse (&codestream, data, size, &error)) {
    g_assert_nonnull (error);
    return;
  }
  g_assert_cmpuint (codestream.header_size, <, size);
  g_assert_cmpuint (codestream.n_layers_at, <, codestream.header_size);
  g_assert_cmpuint (codestream.data_at, <=, size);
  if (!gst_j2k_codestream_find_layers (&codestream, data, size, ends))
    return;
  before = codestream.data_at;
  for (i = 0; i < codestream.n_layers; i++) {
    g_assert_cmpuint (ends[i], >, before);
    before = ends[i];
  }
  g_assert_cmpuint (before, ==, size);
}

/* The output must be a codestream that states its number of layers. */
static void
finish (GstJ2kAssembly *assembly)
{
  g_autoptr (GError) error = NULL;
  GstJ2kCodestream codestream, again;
  g_autoptr (GBytes) bytes =
      gst_j2k_assembly_finish (assembly, &codestream, &error);
  gconstpointer data;
  gsize size;

  g_assert_true (gst_j2k_assembly_is_empty (assembly));
  if (bytes == NULL) {
    g_assert_nonnull (error);
    return;
  }
  data = g_bytes_get_data (bytes, &size);
  g_assert_true (gst_j2k_codestream_is_whole (data, size));
  g_assert_true (gst_j2k_codestream_parse (&again, data, size, NULL));
  g_assert_cmpuint (again.n_layers, ==, codestream.n_layers);
}

static void
run_packets (const guint8 *data, gsize size)
{
  g_autoptr (GstJ2kAssembly) assembly = gst_j2k_assembly_new ();
  gsize at = 0;

  while (at + 3 <= size) {
    guint8 control = data[at];
    gsize length = (gsize) data[at + 1] << 8 | data[at + 2];

    at += 3;
    length = MIN (length, size - at);
    gst_j2k_assembly_add (assembly, data + at, length, control & 1);
    if (control & 2 || gst_j2k_assembly_is_complete (assembly))
      finish (assembly);
    at += length;
  }
  finish (assembly);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  run_codestream (data, size);
  run_packets (data, size);

  return 0;
}
