/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Common code of the element tests: pipelines, statistics of elements, and
 * waiting for other threads.
 */
#ifndef ELEMENT_TOOLS_H
#define ELEMENT_TOOLS_H

#include <gst/gst.h>
#include <gst/lmcc/lmcc.h>

G_BEGIN_DECLS

#define TEST_PICTURE_TIME (20 * GST_MSECOND)

typedef gboolean (*TestCondition) (gpointer user_data);

GstElement *test_launch (const gchar *format, ...) G_GNUC_PRINTF (1, 2);
GstElement *test_launch_sink (const gchar *text, gint *port);
GstMessage *test_wait_message (GstElement *pipeline, GstMessageType types);
void test_end_pipeline (GstElement *pipeline);

guint64 test_get_count (GstElement *element, const gchar *name);
gdouble test_get_number (GstElement *element, const gchar *name);
guint64 test_get_drops (GstElement *src, LmccDrop kind);
guint test_count_fds (void);
guint test_count_threads (const gchar *name);
void test_wait_no_threads (const gchar *name);

GstBuffer *test_make_picture (guint number);

void test_tell (void);
void test_watch (gpointer object, const gchar *property);
gboolean
test_wait_for (TestCondition is_met, gpointer user_data, gint64 patience);
void test_wait_count (GstElement *element, const gchar *name, guint64 least,
    gint64 patience);

G_END_DECLS

#endif
