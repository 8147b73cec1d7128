/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "support/train-run.h"

#include <math.h>

/* Size of a media packet's headers on an IPv4 network. */
#define OVERHEAD (RTP_OVERHEAD + IP_OVERHEAD)

/* @n_layers: number of layers @base: rate of the base layer @factor: ratio
 * of the rates of consecutive levels */
LmccSenderConfig
train_fixed_config (guint n_layers, gdouble base, gdouble factor)
{
  LmccSenderConfig config = sender_config (1);
  guint i;

  config.session.native = FALSE;
  config.session.window = LMCC_DEFAULT_SHAPED_WINDOW;
  config.session.n_layers = n_layers;
  config.session.layers[0].rate = (guint64) base;
  for (i = 1; i < n_layers; i++)
    config.session.layers[i].rate =
        (guint64) (base * pow (factor, i) - base * pow (factor, i - 1));

  return config;
}

/* One rung per layer. */
LmccSenderConfig
train_native_config (guint n_layers)
{
  LmccSenderConfig config = sender_config (n_layers);

  config.session.native = TRUE;

  return config;
}

static void
drain (TrainRun *run)
{
  LmccSenderAction action;
  LmccHeader header;
  LmccRtp rtp;

  while (lmcc_sender_poll_action (run->sender, &action)) {
    TrainPacket sent = { .time = run->now };

    if (action.packet == NULL)
      continue;
    sent.size = (guint) action.packet->size + IP_OVERHEAD;
    sent.control = action.type == LMCC_SENDER_ACTION_SEND_CONTROL;
    if (!sent.control) {
      fail_unless (lmcc_rtp_parse (action.packet->data, action.packet->size,
          LMCC_HEADER_DEFAULT_ID, &rtp));
      fail_unless (lmcc_header_parse (rtp.element, rtp.element_size, &header));
      sent.type = header.type;
      sent.layer = header.layer;
      sent.burst = header.burst;
      sent.signal = header.signal;
      sent.lsn = header.lsn;
      sent.osn = header.osn;
    }
    g_array_append_val (run->sent, sent);
    lmcc_packet_unref (action.packet);
  }
}

TrainRun
train_run_new (const LmccSenderConfig *config, gboolean trains)
{
  LmccSenderConfig own = *config;
  TrainRun run = { .now = START };

  own.session.train_cycle = trains ? (2 * LMCC_SECOND) : 0;
  run.sender = lmcc_sender_new (&own, START, NULL);
  fail_unless (run.sender != NULL);
  run.sent = g_array_new (FALSE, FALSE, sizeof (TrainPacket));
  drain (&run);

  return run;
}

void
train_run_clear (TrainRun *run)
{
  lmcc_sender_free (run->sender);
  g_array_unref (run->sent);
}

void
train_run_wake (TrainRun *run, LmccTime now)
{
  run->now = MAX (run->now, now);
  lmcc_sender_handle_timeout (run->sender, run->now);
  run->n_wakes++;
  drain (run);
}

void
train_run_until (TrainRun *run, LmccTime until)
{
  LmccTime next;

  while ((next = lmcc_sender_next_timeout (run->sender)) <= until)
    train_run_wake (run, next);
  run->now = MAX (run->now, until);
}

void
train_run_push (TrainRun *run, LmccUnit *unit)
{
  train_run_until (run, unit->decoding_time);
  lmcc_sender_push_unit (run->sender, unit, run->now);
  drain (run);
}

static void
push_units (TrainRun *run, const LmccSenderConfig *rates, guint n_layers,
    gboolean classes, LmccTime time)
{
  guint i;

  for (i = 0; i < n_layers; i++) {
    gsize bytes =
        (gsize) (rates->session.layers[i].rate * (PICTURE / MS) / 8000);
    guint n = (guint) (bytes / 1200) + 1;

    train_run_push (run,
        make_unit (classes ? 0 : i, classes ? i : 0, time, n,
            MAX (bytes / n, OVERHEAD + 10) - OVERHEAD));
  }
}

/*
 * train_run_push_picture:
 * @run: a run
 * @rates: of native layers
 * @n_layers: number of layers of the picture
 * @time: its time
 *
 * Each layer is a rung.
 */
void
train_run_push_picture (TrainRun *run, const LmccSenderConfig *rates,
    guint n_layers, LmccTime time)
{
  push_units (run, rates, n_layers, FALSE, time);
}

/* The same with one class per layer. */
void
train_run_push_classes (TrainRun *run, const LmccSenderConfig *rates,
    guint n_layers, LmccTime time)
{
  push_units (run, rates, n_layers, TRUE, time);
}

void
train_run_push_pictures (TrainRun *run, const LmccSenderConfig *rates,
    LmccTime until)
{
  LmccTime time;

  for (time = run->now; time < until; time += PICTURE)
    train_run_push_picture (run, rates, rates->session.n_layers, time);
}

const LmccSession *
train_run_session (const TrainRun *run)
{
  return lmcc_sender_get_session (run->sender);
}
