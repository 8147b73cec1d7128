/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs an x264ladderenc alone, and makes pictures for it.
 */
#ifndef LADDER_TOOLS_H
#define LADDER_TOOLS_H

#include <gst/check/gstharness.h>

#define LADDER_CAPS(w, h) \
  "video/x-raw,format=I420,width=" #w ",height=" #h ",framerate=25/1"

GstHarness *ladder_harness_new (const gchar *caps);
GstBuffer *ladder_make_picture (guint i, guint width, guint height);

#endif
