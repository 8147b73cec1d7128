/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_VP9_SVC_DESCRIPTOR_H
#define GST_VP9_SVC_DESCRIPTOR_H

#include "gstvp9svcstructure.h"

G_BEGIN_DECLS

/* Maximum size of payload descriptor and scalability structure: 3 + 2 octets, 1 + 3 sizes
 * of 4, 1 + 4 pictures of 2. */
#define GST_VP9_SVC_DESCRIPTOR_MAX_SIZE 27

/**
 * GstVp9SvcDescriptor:
 * @frame: the layer frame
 * @picture_id: 15 bits
 * @tl0picidx: counts the pictures of temporal layer 0
 * @start: whether the packet begins the layer frame
 * @end: whether the packet ends it
 * @highest: whether it is the highest layer of the picture
 * @structure: (nullable): scalability structure to put into the packet
 * @width: width of the video, for the structure
 * @height: height of the video, for the structure
 *
 * The payload descriptor of one packet (RFC 9628 section 4.2, non-flexible mode).
 */
typedef struct
{
  GstVp9SvcLayerFrame frame;
  guint16 picture_id;
  guint8 tl0picidx;
  gboolean start;
  gboolean end;
  gboolean highest;
  const GstVp9SvcStructure *structure;
  guint width;
  guint height;
} GstVp9SvcDescriptor;

gsize gst_vp9_svc_descriptor_write (const GstVp9SvcDescriptor *descriptor,
    guint8 *data);

G_END_DECLS

#endif
