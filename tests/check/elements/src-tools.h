/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An lmccsrc in its own pipeline, whose buffers and messages a test
 * examines.
 */
#ifndef SRC_TOOLS_H
#define SRC_TOOLS_H

#include <gst/gst.h>

/* Longest wait for an expected event; then the test fails. */
#define TEST_SRC_PATIENCE (15 * GST_SECOND)

typedef struct
{
  GstElement *pipeline;
  GstElement *src;
  GstElement *sink; /* appsink */
  GstBus *bus;
} TestSrc;

void test_src_init (TestSrc *self, const gchar *options, const gchar *uri,
    const gchar *sink_options);
void test_src_play (TestSrc *self);
void test_src_clear (TestSrc *self);
GstSample *test_src_pull (TestSrc *self);
void test_src_await (TestSrc *self);
GstMessage *test_src_wait (TestSrc *self, const gchar *name);
void test_src_wait_level (TestSrc *self, gint level);

#endif
