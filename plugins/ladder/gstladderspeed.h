/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LADDER_SPEED_H
#define GST_LADDER_SPEED_H

#include <gst/gst.h>

G_BEGIN_DECLS

/**
 * GstLadderSpeed:
 *
 * Speed presets of x264. The numbers are those of x264enc's speed-preset.
 */
typedef enum
{
  GST_LADDER_SPEED_AUTO,
  GST_LADDER_SPEED_ULTRAFAST,
  GST_LADDER_SPEED_SUPERFAST,
  GST_LADDER_SPEED_VERYFAST,
  GST_LADDER_SPEED_FASTER,
  GST_LADDER_SPEED_FAST,
  GST_LADDER_SPEED_MEDIUM,
  GST_LADDER_SPEED_SLOW,
} GstLadderSpeed;

#define GST_TYPE_LADDER_SPEED (gst_ladder_speed_get_type ())
GType gst_ladder_speed_get_type (void);

const gchar *gst_ladder_speed_get_name (GstLadderSpeed speed);
GstLadderSpeed gst_ladder_speed_choose (gdouble pixel_rate, guint cores);
guint gst_ladder_speed_get_threads (GstLadderSpeed speed, gdouble pixel_rate,
    guint cores);

G_END_DECLS

#endif
