/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_MEMORY_H
#define LMCC_RECEIVER_MEMORY_H

#include <gst/lmcc/lmcc-receiver.h>
#include "base/memory.h"
#include "receiver/message-limit.h"

G_BEGIN_DECLS

/* What is given up when the memory limit is reached, in this order. */
typedef enum
{
  LMCC_MEMORY_STEP_HISTORY,
  LMCC_MEMORY_STEP_LAYER,
  LMCC_MEMORY_STEP_PACKETS,
  LMCC_N_MEMORY_STEPS,
} LmccMemoryStep;

/* Memory use of a receiver, in bytes. */
typedef struct
{
  LmccMemory *count;
  gsize outside; /* delivered packets held by the caller */
  gsize budget;  /* limit for both */
  gsize peak;
  guint64 taken; /* packets received since the rate was measured */
  guint64 rate;  /* per second, over the last interval */
  gint cap;      /* highest level that fits into the memory */
  LmccTime cap_until;
  LmccTime hold; /* duration of the present restriction */
  LmccTime raised_at;
  gsize most;       /* maximum held since @cap last changed */
  gboolean lets_go; /* waiting packets are passed on, whatever is missing */
  LmccMessageLimit limits[LMCC_N_MEMORY_STEPS];
} LmccReceiverMemory;

void lmcc_receiver_init_memory (LmccReceiver *receiver);
void lmcc_receiver_clear_memory (LmccReceiver *receiver);
void lmcc_receiver_reset_memory (LmccReceiver *receiver);
void lmcc_receiver_update_budget (LmccReceiver *receiver);
gboolean lmcc_receiver_memory_fits (const LmccReceiver *receiver);
gboolean lmcc_receiver_memory_suffices (const LmccReceiver *receiver);
void
lmcc_receiver_count_taken (LmccReceiver *receiver, const LmccPacket *packet);
LmccPacket *
lmcc_receiver_count_packet (LmccReceiver *receiver, LmccPacket *packet);
void lmcc_receiver_lower_cap (LmccReceiver *receiver, LmccTime now);
void lmcc_receiver_update_memory (LmccReceiver *receiver, LmccTime span,
    LmccTime now);
gint lmcc_receiver_get_memory_level (const LmccReceiver *receiver);
void lmcc_receiver_get_memory_stats (const LmccReceiver *receiver,
    LmccReceiverStats *stats);

void lmcc_receiver_discard_some (LmccReceiver *receiver);

/* receiver/memory-full.c: what is given up to make room for a packet */
gboolean lmcc_receiver_admit (LmccReceiver *receiver, const LmccPacket *packet,
    LmccTime now);

G_END_DECLS

#endif
