/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A whole session in virtual time: classifiers, a sender and a receiver, no
 * sockets, no threads, no waiting.
 */
#ifndef BENCH_SESSION_H
#define BENCH_SESSION_H

#include "bench.h"

/**
 * BenchShape:
 * @name: what it is
 * @n_rungs: encodings
 * @n_classes: classes of each, at most 3
 * @fixed_rates: four layers of fixed rates, else native ones
 * @repair: repair of the media's bytes, in 1/1000
 * @lost: of so many packets one does not arrive; 0: all arrive
 * @copied: packets come in buffers that are not the library's, as in lmccsink,
 *     and arrive in some, as in lmccsrc
 */
typedef struct
{
  const gchar *name;
  guint n_rungs;
  guint n_classes;
  gboolean fixed_rates;
  guint repair;
  guint lost;
  gboolean copied;
} BenchShape;

/* What is being done; nothing that is measured in between. */
typedef enum
{
  BENCH_PHASE_NONE,
  BENCH_PHASE_CLASSIFY,
  BENCH_PHASE_SEND,
  BENCH_PHASE_RECEIVE,
  BENCH_N_PHASES
} BenchPhase;

/**
 * BenchSession:
 * @delivered: packets that the receiver gave out
 * @n_classified: packets that went into classifiers
 * @n_sent: RTP packets that left the sender
 * @n_received: of these, those that arrived
 *
 * What else it has is its own.
 */
typedef struct
{
  guint64 delivered;
  guint64 n_classified;
  guint64 n_sent;
  guint64 n_received;
  /*< private >*/
  const BenchShape *shape;
  void (*enter) (BenchPhase phase);
  LmccClassifier *classifiers[LMCC_MAX_RUNGS];
  LmccSender *sender;
  LmccReceiver *receiver;
  LmccAddress source;
  GQueue units;
  GArray *network;
  guint next_unit;
  guint64 n_on_way;
} BenchSession;

void bench_sender_config_init (LmccSenderConfig *config, guint n_rungs);
LmccReceiver *bench_receiver_new (guint64 max_memory);

void bench_session_init (BenchSession *session, const BenchShape *shape,
    void (*enter) (BenchPhase phase));
void bench_session_clear (BenchSession *session);
void bench_session_reset_counts (BenchSession *session);
void bench_session_run_batch (BenchSession *session);
gboolean bench_session_is_complete (const BenchSession *session);

#endif
