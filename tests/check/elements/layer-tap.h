/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Records the output of encoders before the payloader, and compares it with
 * the classified units.
 */
#ifndef LAYER_TAP_H
#define LAYER_TAP_H

#include <gst/gst.h>
#include <gst/lmcc/media/classify-private.h>
#include <gst/lmcc/lmcc-classify.h>

#define LAYER_N_PICTURES 60

/* Moves, so that no two pictures are equal. */
#define LAYER_SOURCE                                       \
  "videotestsrc num-buffers=60 pattern=zone-plate kx2=20 " \
  "ky2=20 kt=3 ! video/x-raw,width=160,height=120,framerate=25/1 ! "
#define LAYER_X264                                       \
  LAYER_SOURCE "x264enc b-pyramid=true bframes=3 "       \
               "b-adapt=false key-int-max=24 threads=1 " \
               "option-string=\"scenecut=0:open-gop=0\" ! "

#define LAYER_EXT_ID 3

/* Facts about an access unit before the payloader. */
typedef struct
{
  GstClockTime pts;
  gint klass;
  gboolean switch_point;
  GstBuffer *buffer;
} LayerPicture;

typedef LayerPicture (*LayerInspectFunc) (GstBuffer *buffer);

typedef struct
{
  LayerInspectFunc inspect;
  gboolean mark;
  /* Protects @pictures, to which the encoder's thread still adds during the
   * comparison. */
  GMutex lock;
  GArray *pictures;
  GstCaps *caps;
} LayerTap;

void layer_tap_init (LayerTap *tap, LayerInspectFunc inspect, gboolean mark);
void layer_tap_clear (LayerTap *tap);
LayerPicture layer_tap_find (LayerTap *tap, GstClockTime pts);
GstElement *
layer_tap_launch (const gchar *description, const gchar *encoder_property,
    void (*configure) (GstElement *encoder), LayerTap *tap);
void layer_tap_run (const gchar *description, const LmccCodec *codec,
    LayerTap *tap, void (*configure) (GstElement *encoder), guint seen[3]);

LayerPicture layer_inspect_h264 (GstBuffer *buffer);
LayerPicture layer_inspect_avc (GstBuffer *buffer);
LayerPicture layer_inspect_vp8 (GstBuffer *buffer);

gboolean layer_have_x265 (void);
void
layer_tap_run_h265 (const gchar *temporal_layers, LayerTap *tap, guint seen[3]);

#endif
