/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LMCC_SRC_QUEUE_H
#define GST_LMCC_SRC_QUEUE_H

#include <gst/gst.h>

G_BEGIN_DECLS

/**
 * GstLmccSrcQueue:
 *
 * A queue between the receiving thread, which it never blocks, and the pad's task,
 * which waits in it. Units that the task cannot push in time are dropped, oldest first
 * and as a whole. Events are never dropped.
 */
typedef struct _GstLmccSrcQueue GstLmccSrcQueue;

GstLmccSrcQueue *gst_lmcc_src_queue_new (gsize max_bytes, guint64 max_time);
void gst_lmcc_src_queue_free (GstLmccSrcQueue *queue);
void gst_lmcc_src_queue_set_latency (GstLmccSrcQueue *queue, guint64 latency);
void gst_lmcc_src_queue_set_max_bytes (GstLmccSrcQueue *queue, gsize max_bytes);
void gst_lmcc_src_queue_push_event (GstLmccSrcQueue *queue, GstEvent *event);
void gst_lmcc_src_queue_push_buffer (GstLmccSrcQueue *queue, GstBuffer *buffer,
    gboolean unit_start, guint64 now);
gboolean gst_lmcc_src_queue_wake (GstLmccSrcQueue *queue);
GstMiniObject *gst_lmcc_src_queue_pop (GstLmccSrcQueue *queue);
void
gst_lmcc_src_queue_set_flushing (GstLmccSrcQueue *queue, gboolean flushing);
void gst_lmcc_src_queue_clear (GstLmccSrcQueue *queue, gboolean events);
gsize gst_lmcc_src_queue_get_bytes (GstLmccSrcQueue *queue);
guint64 gst_lmcc_src_queue_get_dropped (GstLmccSrcQueue *queue);

G_END_DECLS

#endif
