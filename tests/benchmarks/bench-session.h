/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A whole session in virtual time: classifiers, a sender and a receiver,
 * without sockets, threads or waiting.
 */
#ifndef BENCH_SESSION_H
#define BENCH_SESSION_H

#include "bench.h"

/**
 * BenchShape:
 * @name: what it is
 * @n_rungs: number of encodings
 * @n_classes: classes of each encoding, at most 3
 * @fixed_rates: four layers of fixed rates instead of native ones
 * @repair: repair share of the media's bytes, in 1/1000
 * @lost: one packet in this many is lost; 0: none
 * @copied: packets are in foreign buffers, as in lmccsink, and arrive in such
 *     buffers, as in lmccsrc
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

/* Current phase; only time within phases is measured. */
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
 * @delivered: packets output by the receiver
 * @n_classified: packets given to classifiers
 * @n_sent: RTP packets sent
 * @n_received: of these, packets received
 *
 * The other fields are private.
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
