/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LMCC_SEND_BATCH_H
#define GST_LMCC_SEND_BATCH_H

#include <gst/lmcc/lmcc-address.h>
#include <gst/lmcc/lmcc-packet.h>

G_BEGIN_DECLS

/* Maximum number of packets of a batch and of a super-packet. Older kernels do not accept
 * more (UDP_MAX_SEGMENTS in linux/udp.h). */
#define GST_LMCC_SEND_BATCH_SIZE 64

typedef struct _GstLmccSendBatch GstLmccSendBatch;

/**
 * GstLmccSentFunc:
 * @destination: destination of the packet
 * @code: 0, or the errno with which sending has failed
 * @user_data: as for gst_lmcc_send_batch_new()
 */
typedef void (
    *GstLmccSentFunc) (guint destination, gint code, gpointer user_data);

GstLmccSendBatch *gst_lmcc_send_batch_new (guint n_destinations,
    GstLmccSentFunc sent, gpointer user_data);
void gst_lmcc_send_batch_free (GstLmccSendBatch *batch);
void gst_lmcc_send_batch_set_destination (GstLmccSendBatch *batch,
    guint destination, const LmccAddress *address, guint16 port, guint scope);
gboolean gst_lmcc_send_batch_set_segmentation (GstLmccSendBatch *batch, gint fd,
    gboolean wanted);
gboolean gst_lmcc_send_batch_segments (const GstLmccSendBatch *batch);
gboolean gst_lmcc_send_batch_set_txtime (GstLmccSendBatch *batch, gint fd,
    gboolean wanted);
gboolean gst_lmcc_send_batch_has_txtime (const GstLmccSendBatch *batch);
void gst_lmcc_send_batch_add (GstLmccSendBatch *batch, gint fd,
    guint destination, LmccPacket *packet, guint64 time);
void gst_lmcc_send_batch_flush (GstLmccSendBatch *batch, gint fd);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstLmccSendBatch, gst_lmcc_send_batch_free)

G_END_DECLS

#endif
