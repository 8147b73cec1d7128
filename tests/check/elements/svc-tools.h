/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef SVC_TOOLS_H
#define SVC_TOOLS_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* One layer of one picture, with the encoder's metadata. */
typedef struct
{
  GstClockTime pts;
  guint spatial_id;
  guint temporal_id;
  gboolean inter_picture;
  gboolean inter_layer;
  guint klass;
  gboolean switch_point;
  gboolean delta;
  gboolean last; /* within its picture */
  GstBuffer *buffer;
} LayerFrame;

/* A picture that a decoder shows. */
typedef struct
{
  GstClockTime pts;
  gint width;
  gint height;
  gchar *checksum;
} ShownPicture;

/* Whether a layer frame belongs to a subset. */
typedef gboolean (*SubsetFunc) (const LayerFrame *frame, gpointer user_data);

GArray *svc_layer_frames_new (void);
void svc_take_layer_frame (GArray *frames, GstBuffer *buffer);
GArray *svc_encode (const gchar *description, GstCaps **caps);
GArray *
svc_make_pictures (GArray *frames, SubsetFunc subset, gpointer user_data);
GArray *
svc_decode_stock (const gchar *elements, const gchar *caps, GArray *buffers);
GArray *svc_decode_offline (GArray *pictures);
GArray *svc_decode_both (GArray *frames, SubsetFunc subset, gpointer user_data);
void svc_assert_same_pictures (GArray *shown, GArray *expected);

G_END_DECLS

#endif
