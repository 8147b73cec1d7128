/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What tests of elements share: pipelines, and what elements count.
 */
#ifndef ELEMENT_TOOLS_H
#define ELEMENT_TOOLS_H

#include <gst/gst.h>
#include <gst/lmcc/lmcc.h>

G_BEGIN_DECLS

#define TEST_PICTURE_TIME (20 * GST_MSECOND)

GstElement *test_launch (const gchar * format, ...) G_GNUC_PRINTF (1, 2);
GstElement *test_launch_sink (const gchar * text, gint * port);
GstMessage *test_wait_message (GstElement * pipeline, GstMessageType types);
void test_end_pipeline (GstElement * pipeline);

guint64 test_get_count (GstElement * element, const gchar * name);
guint64 test_get_drops (GstElement * src, LmccDrop kind);
guint test_count_fds (void);

GstBuffer *test_make_picture (guint number);

G_END_DECLS

#endif
