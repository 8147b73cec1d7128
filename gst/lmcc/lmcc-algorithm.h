/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_ALGORITHM_H
#define LMCC_ALGORITHM_H

#include <gst/lmcc/lmcc-session.h>

G_BEGIN_DECLS

/**
 * LmccController:
 * A congestion-control algorithm's receiver side at work. Every callback may
 * change @wanted_level and @reason; the receiver reads them afterwards.
 * @wanted_level: highest layer to hold; the receiver clamps it to the session
 *     and to the user's caps
 * @reason: why, in words, a static or interned string
 */
typedef struct _LmccController LmccController;

/**
 * LmccAlgorithm:
 * @name: as in the `algorithm` properties and the session record
 * @description: one sentence for gst-inspect-1.0
 * @create: a new controller for @session; its first wanted level is set
 *
 * What the registry holds of each algorithm. A callback that is %NULL is not
 * called.
 */
typedef struct
{
  const gchar *name;
  const gchar *description;
  LmccController *(*create) (const LmccSession * session);
} LmccAlgorithm;

struct _LmccController
{
  const LmccAlgorithm *algorithm;
  gint wanted_level;
  const gchar *reason;

  void (*on_packet) (LmccController * controller, LmccTime now, guint layer,
      gsize size);
  void (*on_loss) (LmccController * controller, LmccTime now, guint layer,
      LmccTime loss_time, guint count);
  void (*on_level) (LmccController * controller, LmccTime now, gint level);
  void (*on_timeout) (LmccController * controller, LmccTime now);
  LmccTime (*next_timeout) (const LmccController * controller);
  void (*free) (LmccController * controller);
};

LMCC_API const LmccAlgorithm *lmcc_algorithm_find (const gchar * name);
LMCC_API const LmccAlgorithm *const *lmcc_algorithm_list (guint * n);

G_END_DECLS

#endif
