/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_QUALITY_WATCH_H
#define LMCC_CONTROL_QUALITY_WATCH_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/* Greatest number of seconds to look back. */
#define LMCC_QUALITY_WATCH_SECONDS 60

/* Fewer units than this are not evaluated. */
#define LMCC_QUALITY_WATCH_UNITS 10

/**
 * LmccQualityWatch:
 * Detects that the quality for the user has dropped, which is a congestion signal, too
 * (RFC 8085 section 4.1).
 */
typedef struct
{
  guint seconds;
  gdouble share;
  guint n;
  guint units[LMCC_QUALITY_WATCH_SECONDS];
  guint missing[LMCC_QUALITY_WATCH_SECONDS];
} LmccQualityWatch;

void
lmcc_quality_watch_init (LmccQualityWatch *watch, guint seconds, gdouble share);
void lmcc_quality_watch_reset (LmccQualityWatch *watch);
gboolean
lmcc_quality_watch_add (LmccQualityWatch *watch, guint units, guint missing);

G_END_DECLS

#endif
