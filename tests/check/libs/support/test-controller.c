/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "support/test-controller.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/control/controller.h>
#include <gst/lmcc/measure/loss.h>

#define PACKET_SIZE 1000
#define START (10 * LMCC_SECOND)

TestController *
test_controller_new (const gchar *algorithm, guint n_layers,
    const gchar *setting, const gchar *value)
{
  TestController *test = g_new0 (TestController, 1);
  const LmccAlgorithm *entry = lmcc_algorithm_find (algorithm);
  guint i;

  fail_unless (entry != NULL);
  lmcc_session_init (&test->session);
  g_strlcpy (test->session.algorithm, algorithm,
      sizeof (test->session.algorithm));
  test->session.n_layers = test->session.n_groups = n_layers;
  for (i = 0; i < n_layers; i++)
    test->session.layers[i].rate = 32000u << i;
  test->session.slot = TEST_SLOT;
  test->session.slot_modulus = TEST_MODULUS;
  test->settings = lmcc_settings_new (entry->settings, entry->n_settings);
  if (setting != NULL)
    fail_unless (lmcc_settings_set (test->settings, setting, value, NULL));
  test->controller = entry->create (&test->session, test->settings, 1);
  test->now = START;
  test->level = -1;
  test->cap = (gint) n_layers - 1;
  test->changes = g_array_new (FALSE, FALSE, sizeof (TestLevelChange));
  for (i = 0; i < LMCC_MAX_LAYERS; i++)
    test->accounts[i] = lmcc_layer_account_new (&test->reordering);
  test_controller_follow (test);

  return test;
}

void
test_controller_free (TestController *test)
{
  guint i;

  for (i = 0; i < LMCC_MAX_LAYERS; i++)
    lmcc_layer_account_free (test->accounts[i]);
  test->controller->klass->free (test->controller);
  lmcc_settings_free (test->settings);
  g_array_unref (test->changes);
  g_free (test);
}

/* Joins and leaves as the receiver does: as the controller wants, within the
 * cap. */
void
test_controller_follow (TestController *test)
{
  gint level = MIN (test->controller->wanted_level, test->cap);
  TestLevelChange change = { test->now, test->level, level };
  gint i;

  fail_unless (level >= 0);
  if (level == test->level)
    return;
  for (i = level + 1; i <= test->level; i++) {
    lmcc_layer_account_reset (test->accounts[i]);
    test->left_at[i] = test->now;
  }
  test->level = level;
  g_array_append_val (test->changes, change);
  if (test->controller->klass->on_level != NULL)
    test->controller->klass->on_level (test->controller, test->now, level);
}

static LmccTime
next_timeout (TestController *test)
{
  const LmccControllerClass *klass = test->controller->klass;
  LmccTime next = klass->next_timeout ? klass->next_timeout (test->controller)
                                      : LMCC_TIME_NONE;
  gint i;

  for (i = 0; i <= test->level; i++)
    next = MIN (next, lmcc_layer_account_next_timeout (test->accounts[i]));

  return next;
}

static void
report_losses (TestController *test, guint layer)
{
  LmccLoss loss;

  while (lmcc_layer_account_poll_loss (test->accounts[layer], &loss))
    test->controller->klass->on_loss (test->controller, test->now, layer,
        &loss);
}

/* Advances the time and does everything due until then. */
void
test_controller_until (TestController *test, LmccTime time)
{
  gint i;

  while (next_timeout (test) <= time) {
    LmccTime next = next_timeout (test);

    test->now = MAX (test->now, next);
    for (i = 0; i <= test->level; i++) {
      lmcc_layer_account_timeout (test->accounts[i], test->now);
      report_losses (test, (guint) i);
    }
    if (test->controller->klass->on_timeout != NULL)
      test->controller->klass->on_timeout (test->controller, test->now);
    test_controller_follow (test);
    fail_unless (next_timeout (test) > test->now);
  }
  test->now = MAX (test->now, time);
}

/* Delivers a packet at the current time. */
void
test_controller_packet (TestController *test, const LmccHeader *header)
{
  const LmccControllerClass *klass = test->controller->klass;
  guint layer = header->layer;

  if ((gint) layer > test->level) {
    if (klass->on_left_packet != NULL && test->left_at[layer] > 0
        && test->now < test->left_at[layer] + test->leave_latency)
      klass->on_left_packet (test->controller, test->now, test->now, layer);
    return;
  }
  lmcc_layer_account_packet (test->accounts[layer], test->now, header->lsn,
      PACKET_SIZE);
  klass->on_packet (test->controller, test->now, test->now, header,
      PACKET_SIZE);
  report_losses (test, layer);
  test_controller_follow (test);
}

static gboolean
is_lost (guint layer, guint packet, const TestLoss *losses, guint n_losses)
{
  guint i;

  for (i = 0; i < n_losses; i++) {
    if (losses[i].layer == (gint) layer && packet >= losses[i].from
        && packet <= losses[i].to)
      return TRUE;
  }

  return FALSE;
}

/* A whole slot of all layers. Its second half is a burst of the layers up to
 * the slot's signal. */
void
test_slot_full (TestController *test, gint signal, guint64 up_levels,
    const TestLoss *losses, guint n_losses)
{
  LmccTime begin = test->now;
  guint packet, layer;

  for (packet = 0; packet < TEST_SLOT_PACKETS; packet++) {
    test_controller_until (test,
        begin + (2 * packet + 1) * TEST_SLOT / (2 * TEST_SLOT_PACKETS));
    for (layer = 0; layer < test->session.n_layers; layer++) {
      LmccHeader header = {
        .type = LMCC_PACKET_MEDIA,
        .layer = (guint8) layer,
        .top_layer = (guint8) (test->session.n_layers - 1),
        .slot = (guint16) (test->slot % test->session.slot_modulus),
        .signal = (gint8) signal,
        .burst = (gint) layer <= signal && packet >= TEST_SLOT_PACKETS / 2,
        .lsn = test->lsns[layer]++,
        .has_up_levels = TRUE,
        .up_levels = up_levels,
      };

      if (!is_lost (layer, packet, losses, n_losses))
        test_controller_packet (test, &header);
    }
  }
  test_controller_until (test, begin + TEST_SLOT);
  test->slot++;
}

void
test_slot (TestController *test, gint signal)
{
  test_slot_full (test, signal, 0, NULL, 0);
}

void
test_slot_lossy (TestController *test, gint signal, gint layer, guint from,
    guint to)
{
  TestLoss loss = { layer, from, to };

  test_slot_full (test, signal, 0, &loss, 1);
}

const gchar *
test_controller_state (TestController *test)
{
  LmccControllerStatus status = { 0 };

  test->controller->klass->get_status (test->controller, test->now, &status);

  return status.state;
}

void
test_fail_unless_level (TestController *test, gint level)
{
  fail_unless (test->level == level, "level %d, not %d: %s", test->level, level,
      test->controller->reason);
}
