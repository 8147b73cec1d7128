/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LMCC_SRC_OUTPUT_H
#define GST_LMCC_SRC_OUTPUT_H

#include <gst/lmcc/lmcc.h>

#include "src/queue.h"

G_BEGIN_DECLS

/**
 * GstLmccSrcOutput:
 * @pad: the source pad
 * @queue: what is to be pushed; the streams do not wait for each other
 * @optional: it may stay unlinked
 * @caps: the latest in @queue; the receiving thread's
 * @lock: of the two that follow
 * @active: the pad is
 * @task_started: the task was started since it is
 * @stream_started: the pad's task's
 * @left: buffers that are still to be pushed before EOS, below 0 for no end;
 *     likewise
 * @segment_sent: likewise
 * @first_codec: likewise: the encoding name in its first caps; "" before
 * @codec: likewise: that in the latest
 *
 * A pad of lmccsrc with its queue and its task.
 */
typedef struct
{
  GstElement *element;
  GstPad *pad;
  GstLmccSrcQueue *queue;
  gboolean optional;
  GstCaps *caps;
  GMutex lock;
  gboolean active;
  gboolean task_started;
  gboolean stream_started;
  gboolean segment_sent;
  gchar first_codec[LMCC_ENCODING_NAME_SIZE];
  gchar codec[LMCC_ENCODING_NAME_SIZE];
  gint left;
} GstLmccSrcOutput;

void gst_lmcc_src_output_init (GstLmccSrcOutput *output, GstElement *element,
    GstStaticPadTemplate *template, GstPadQueryFunction query);
void gst_lmcc_src_output_finalize (GstLmccSrcOutput *output);
void gst_lmcc_src_output_reset (GstLmccSrcOutput *output);
void gst_lmcc_src_output_push_event (GstLmccSrcOutput *output, GstEvent *event);
void gst_lmcc_src_output_wake (GstLmccSrcOutput *output);
void gst_lmcc_src_output_set_caps (GstLmccSrcOutput *output, GstCaps *caps);
gboolean
gst_lmcc_src_output_start_flush (GstLmccSrcOutput *output, GstEvent *event);
gboolean
gst_lmcc_src_output_stop_flush (GstLmccSrcOutput *output, GstEvent *event);

G_END_DECLS

#endif
