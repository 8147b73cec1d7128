/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_GATE_PRIVATE_H
#define LMCC_RECEIVER_GATE_PRIVATE_H

#include <gst/lmcc/lmcc-classify.h>
#include "receiver/gate/delivery.h"
#include "receiver/gate/gate.h"
#include "receiver/gate/groups.h"
#include "receiver/gate/unit.h"

G_BEGIN_DECLS

/* Where a class of a rung stands with the decoder. */
typedef enum
{
  LMCC_GATE_CLASS_CLOSED = 0, /* nothing delivered since it was joined */
  LMCC_GATE_CLASS_DAMAGED,    /* something was lost since its switch point */
  LMCC_GATE_CLASS_INTACT,
} LmccGateClass;

typedef struct
{
  LmccGateClass states[LMCC_MAX_CLASSES];
  guint classes_seen;  /* bit set: since the key frame */
  guint classes_known; /* bit set: at any time */
  /* Per class: groups of pictures since it came without it, and with a higher
   * one. */
  guint8 groups_without[LMCC_MAX_CLASSES];
  gboolean group_is_held; /* the same layers since the key frame */
  gboolean has_anchor;
  guint8 anchor;
  gboolean lost; /* something may be lost since its key frame */
  LmccGateHistory history;
} LmccGateRung;

struct _LmccGate
{
  LmccOnLoss on_loss;
  LmccDiscard *discard; /* or NULL */
  LmccSession session;
  const LmccCodec *codec; /* of the session's video, or NULL */
  guint8 table;           /* of the latest packet */
  LmccLayerSet held;
  LmccLayerSet fresh;                  /* layers that begin later */
  gint64 first_order[LMCC_MAX_LAYERS]; /* where they do */
  LmccGateRung rungs[LMCC_MAX_RUNGS];
  LmccGateGroups groups;
  LmccGateKeys keys;
  gint active;
  guint unheard; /* units of rung 0 since it was heard */

  LmccGateUnit *current; /* the unit whose packets are coming */
  LmccGateUnit *key;     /* best key frame of this picture so far */
  LmccTime key_deadline;

  LmccGateDelivery delivery;
  LmccGateStats stats;
};

G_END_DECLS

#endif
