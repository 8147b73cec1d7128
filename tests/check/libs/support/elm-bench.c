/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "support/elm-bench.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/control/controller.h>
#include <gst/lmcc/measure/loss.h>

void
bench_init_without_rtt (Bench *bench, const gchar *const *settings)
{
  const LmccAlgorithm *elm = lmcc_algorithm_find ("elm");
  guint i;

  *bench = (Bench){ .cap = N_LAYERS - 1, .now = LMCC_SECOND, .level = -1 };
  lmcc_session_init (&bench->session);
  bench->session.n_layers = N_LAYERS;
  bench->session.packet_size = PACKET_SIZE;
  bench->session.rtt_max = 10 * RTT;
  bench->session.layers[0].rate = BASE_RATE;
  for (i = 1; i < N_LAYERS; i++)
    bench->session.layers[i].rate = BASE_RATE << (i - 1);
  bench->settings = lmcc_settings_new (elm->settings, elm->n_settings);
  for (; settings != NULL && *settings != NULL; settings += 2)
    fail_unless (
        lmcc_settings_set (bench->settings, settings[0], settings[1], NULL));
  bench->controller = elm->create (&bench->session, bench->settings, 1);
}

void
bench_init (Bench *bench, const gchar *const *settings)
{
  bench_init_without_rtt (bench, settings);
  bench->controller->klass->on_rtt (bench->controller, bench->now, RTT);
}

void
bench_clear (Bench *bench)
{
  bench->controller->klass->free (bench->controller);
  lmcc_settings_free (bench->settings);
}

void
bench_obey (Bench *bench)
{
  gint wanted = MIN (bench->controller->wanted_level, bench->cap);

  if (wanted == bench->level)
    return;
  fail_unless (wanted >= 0 && ABS (wanted - bench->level) == 1);
  if (wanted > bench->level)
    bench->n_joins++;
  else
    bench->n_leaves++;
  bench->level = wanted;
  bench->controller->klass->on_level (bench->controller, bench->now, wanted);
}

void
bench_packet (Bench *bench)
{
  LmccHeader header = { .layer = 0 };

  bench->controller->klass->on_packet (bench->controller, bench->now,
      bench->now, &header, PACKET_SIZE);
}

void
bench_lose (Bench *bench, LmccTime time)
{
  LmccLoss loss = lmcc_loss_at (time, 1);

  bench->controller->klass->on_loss (bench->controller, bench->now, 0, &loss);
}

/* Runs for @seconds and loses one packet per @interval; 0: no loss. */
void
bench_run (Bench *bench, gdouble seconds, guint interval)
{
  const LmccTime step = LMCC_MSECOND;
  LmccTime end = bench->now + (LmccTime) (seconds * LMCC_SECOND);

  bench_obey (bench);
  for (; bench->now < end; bench->now += step) {
    bench->debt += (gdouble) lmcc_session_level_rate (&bench->session,
                       (guint) bench->level)
        / 1000;
    for (; bench->debt >= PACKET_SIZE * 8; bench->debt -= PACKET_SIZE * 8) {
      if (interval > 0 && ++bench->until_loss >= interval) {
        bench->until_loss = 0;
        bench_lose (bench, bench->now);
      } else {
        bench_packet (bench);
      }
      bench_obey (bench);
    }
    if (bench->controller->klass->next_timeout (bench->controller)
        <= bench->now) {
      bench->controller->klass->on_timeout (bench->controller, bench->now);
      bench_obey (bench);
      fail_unless (bench->controller->klass->next_timeout (bench->controller)
          > bench->now);
    }
  }
}

LmccControllerStatus
bench_status (Bench *bench)
{
  LmccControllerStatus status = { 0 };

  bench->controller->klass->get_status (bench->controller, bench->now, &status);

  return status;
}
