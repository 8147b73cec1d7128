/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "ladder-tools.h"

GstHarness *
ladder_harness_new (const gchar *caps)
{
  GstHarness *h =
      gst_harness_new_with_padnames ("x264ladderenc", "sink", "src_0");

  gst_harness_set_live (h, FALSE);
  if (caps)
    gst_harness_set_src_caps_str (h, caps);
  return h;
}

GstBuffer *
ladder_make_picture (guint i, guint width, guint height)
{
  GstBuffer *buffer =
      gst_buffer_new_allocate (NULL, width * height * 3 / 2, NULL);

  gst_buffer_memset (buffer, 0, (guint8) (i * 8), width * height * 3 / 2);
  GST_BUFFER_PTS (buffer) = gst_util_uint64_scale (i, GST_SECOND, 25);
  GST_BUFFER_DURATION (buffer) = GST_SECOND / 25;
  return buffer;
}
