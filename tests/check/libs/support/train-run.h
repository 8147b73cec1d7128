/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A sender with packet trains in virtual time; records which packets it
 * sends, and when.
 */
#ifndef TRAIN_RUN_H
#define TRAIN_RUN_H

#include "support/sender-harness.h"

/* Pictures of native layers. */
#define PICTURE (40 * MS)

typedef struct
{
  LmccTime time;
  guint size; /* size of the IP packet */
  LmccPacketType type;
  guint8 layer;
  gboolean control;
  gboolean burst;
  gint8 signal;
  guint16 lsn;
  guint16 osn;
} TrainPacket;

/**
 * TrainRun:
 * @sender: the sender
 * @now: virtual time
 * @n_wakes: number of calls of the sender
 * @sent: (element-type TrainPacket): all packets sent
 */
typedef struct
{
  LmccSender *sender;
  LmccTime now;
  guint n_wakes;
  GArray *sent;
} TrainRun;

#define TRAIN_PACKET(run, i) (&g_array_index ((run)->sent, TrainPacket, i))

LmccSenderConfig
train_fixed_config (guint n_layers, gdouble base, gdouble factor);
LmccSenderConfig train_native_config (guint n_layers);
TrainRun train_run_new (const LmccSenderConfig *config, gboolean trains);
void train_run_clear (TrainRun *run);
void train_run_wake (TrainRun *run, LmccTime now);
void train_run_until (TrainRun *run, LmccTime until);
void train_run_push (TrainRun *run, LmccUnit *unit);
void train_run_push_picture (TrainRun *run, const LmccSenderConfig *rates,
    guint n_layers, LmccTime time);
void train_run_push_classes (TrainRun *run, const LmccSenderConfig *rates,
    guint n_layers, LmccTime time);
void train_run_push_pictures (TrainRun *run, const LmccSenderConfig *rates,
    LmccTime until);
const LmccSession *train_run_session (const TrainRun *run);

#endif
