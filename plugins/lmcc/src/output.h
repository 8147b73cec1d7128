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
 * @queue: items to push; the two streams do not wait for each other
 * @optional: whether the pad may stay unlinked
 * @caps: the latest caps in @queue; belongs to the receiving thread
 * @lock: protects the two fields that follow
 * @active: whether the pad is active
 * @task_started: whether the task was started since the pad became active
 * @stream_started: belongs to the pad's task
 * @left: number of buffers to push before EOS, below 0 for no limit; belongs to the
 *     pad's task
 * @segment_sent: belongs to the pad's task
 * @first_codec: encoding name in the first caps; "" before; belongs to the pad's task
 * @codec: encoding name in the latest caps; belongs to the pad's task
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
