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

/* State of a class of a rung with respect to the decoder. */
typedef enum
{
  LMCC_GATE_CLASS_CLOSED = 0, /* nothing delivered since the class was joined */
  LMCC_GATE_CLASS_DAMAGED,    /* something was lost since its switch point */
  LMCC_GATE_CLASS_INTACT,
} LmccGateClass;

typedef struct
{
  LmccGateClass states[LMCC_MAX_CLASSES];
  guint classes_seen;  /* bits: classes seen since the key frame */
  guint classes_known; /* bits: classes seen at any time */
  /* Per class: groups of pictures with a higher class and without this one, since this
   * one last arrived. */
  guint8 groups_without[LMCC_MAX_CLASSES];
  gboolean
      group_is_held; /* the joined layers have not changed since the key frame */
  gboolean has_anchor;
  guint8 anchor;
  gboolean
      lost; /* something may be lost since the last key frame of the rung */
  LmccGateHistory history;
} LmccGateRung;

struct _LmccGate
{
  LmccOnLoss on_loss;
  LmccDiscard *discard; /* or NULL */
  LmccSession session;
  const LmccCodec *codec; /* codec of the session's video, or NULL */
  guint8 table;           /* layer table of the latest packet */
  LmccLayerSet held;
  LmccLayerSet fresh; /* layers whose first packet has not been
                                        * reached in the order */
  gint64
      first_order[LMCC_MAX_LAYERS]; /* order numbers of these first packets */
  LmccGateRung rungs[LMCC_MAX_RUNGS];
  LmccGateGroups groups;
  LmccGateKeys keys;
  gint active;
  guint unheard; /* units of rung 0 since this rung was heard */

  LmccGateUnit *current; /* the unit whose packets are arriving */
  LmccGateUnit *key;     /* best key frame of this picture so far */
  LmccTime key_deadline;

  LmccGateDelivery delivery;
  LmccGateStats stats;
};

G_END_DECLS

#endif
