/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* What x264 costs, and which speed preset the machine can run in real time. */
#include "config.h"

#include "gstladderspeed.h"

#include <math.h>

/* Maximum share of all cores for the encoders by these figures. The rest is for
 * other work of the host, the video source above all, for processors half as
 * fast, and for video that is harder to encode than the measured film. */
#define SHARE (1.0 / 6)

/* Seconds of one core per pixel of a film, measured with threads=1, bframes=3
 * on a Xeon of 2023 (docs/users/raw-video.md). */
static const gdouble costs[] = {
  [GST_LADDER_SPEED_ULTRAFAST] = 7.1e-9,
  [GST_LADDER_SPEED_SUPERFAST] = 11.5e-9,
  [GST_LADDER_SPEED_VERYFAST] = 17.9e-9,
  [GST_LADDER_SPEED_FASTER] = 32.2e-9,
  [GST_LADDER_SPEED_FAST] = 42.1e-9,
  [GST_LADDER_SPEED_MEDIUM] = 48.6e-9,
  [GST_LADDER_SPEED_SLOW] = 100e-9,
};

GType
gst_ladder_speed_get_type (void)
{
  static const GEnumValue values[] = {
    { GST_LADDER_SPEED_AUTO, "The preset that the machine can use in real time",
        "auto" },
    { GST_LADDER_SPEED_ULTRAFAST, "ultrafast", "ultrafast" },
    { GST_LADDER_SPEED_SUPERFAST, "superfast", "superfast" },
    { GST_LADDER_SPEED_VERYFAST, "veryfast", "veryfast" },
    { GST_LADDER_SPEED_FASTER, "faster", "faster" },
    { GST_LADDER_SPEED_FAST, "fast", "fast" },
    { GST_LADDER_SPEED_MEDIUM, "medium", "medium" },
    { GST_LADDER_SPEED_SLOW, "slow", "slow" },
    { 0, NULL, NULL },
  };
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type,
        g_enum_register_static ("GstLadderSpeed", values));
  return (GType) type;
}

/**
 * gst_ladder_speed_get_name:
 * @speed: a speed
 *
 * Returns: its name in x264
 */
const gchar *
gst_ladder_speed_get_name (GstLadderSpeed speed)
{
  g_autoptr (GEnumClass) klass = g_type_class_ref (GST_TYPE_LADDER_SPEED);

  return g_enum_get_value (klass, (gint) speed)->value_nick;
}

/**
 * gst_ladder_speed_choose:
 * @pixel_rate: pixels per second of all rungs
 * @cores: number of processors
 *
 * Returns: the slowest preset that leaves enough of the machine free, but at
 * most medium: slower presets gain almost nothing
 */
GstLadderSpeed
gst_ladder_speed_choose (gdouble pixel_rate, guint cores)
{
  GstLadderSpeed speed;

  for (speed = GST_LADDER_SPEED_MEDIUM; speed > GST_LADDER_SPEED_ULTRAFAST;
       speed--) {
    if (costs[speed] * pixel_rate <= SHARE * cores)
      break;
  }
  return speed;
}

/**
 * gst_ladder_speed_get_threads:
 * @speed: a speed, not auto
 * @pixel_rate: pixels per second of one rung
 * @cores: number of processors
 *
 * Rungs already run in parallel, and threads within a rung cost quality.
 *
 * Returns: number of threads that the rung needs, 1 to @cores
 */
guint
gst_ladder_speed_get_threads (GstLadderSpeed speed, gdouble pixel_rate,
    guint cores)
{
  gdouble threads = ceil (costs[speed] * pixel_rate / SHARE);

  return (guint) CLAMP (threads, 1, cores);
}
