/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests an external algorithm with slots: a registry row with the receivers'
 * and the sender's part. The registry accepts it, and a whole session uses
 * it. Also checks that no session looks its algorithm up for each packet.
 */
#include "support/test-loop.h"
#include "support/test-single.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/control/controller.h>
#include <gst/lmcc/control/sending.h>
#include <gst/lmcc/control/slots/slot-controller.h>

#define N_LAYERS 4
#define BASE 400000

#define SLOT (200 * LMCC_MSECOND)

/* All receivers may go up after each slot of this kind. */
#define PERIOD 5

static const LmccAlgorithm fifth;

/* The receivers' part: one level up after a marked slot without loss, one
 * level down at any loss. */

static void
on_slot_end (LmccSlotController *slots, LmccTime now G_GNUC_UNUSED,
    const LmccSlotEnd *end)
{
  if (slots->level >= 0 && end->signal >= slots->level
      && lmcc_slot_end_is_clean (end)
      && slots->level + 1 < (gint) slots->session->n_layers)
    lmcc_controller_want (&slots->parent, slots->level + 1, "a marked slot");
}

static void
on_loss (LmccController *controller, LmccTime now G_GNUC_UNUSED, guint layer,
    const LmccLoss *loss)
{
  LmccSlotController *slots = (LmccSlotController *) controller;

  lmcc_slot_controller_loss (slots, layer, loss);
  lmcc_controller_want (controller, MAX (slots->level - 1, 0), "loss");
}

static const LmccControllerClass fifth_class = {
  .on_packet = lmcc_slot_controller_packet,
  .on_expected = lmcc_slot_controller_expected,
  .on_waiting_packet = lmcc_slot_controller_waiting_packet,
  .on_refused_packet = lmcc_slot_controller_refused_packet,
  .on_loss = on_loss,
  .on_left_packet = lmcc_slot_controller_left_packet,
  .on_level = lmcc_slot_controller_level,
  .on_timeout = lmcc_slot_controller_timeout,
  .next_timeout = lmcc_slot_controller_next_timeout,
  .free = lmcc_slot_controller_free,
};

static LmccController *
create (const LmccSession *session, const LmccSettings *settings G_GNUC_UNUSED,
    guint32 seed G_GNUC_UNUSED)
{
  LmccSlotController *slots = g_new0 (LmccSlotController, 1);

  lmcc_slot_controller_init (slots, &fifth, &fifth_class, session, 0);
  slots->slot_end = on_slot_end;

  return &slots->parent;
}

/* The sender's part. */

typedef struct
{
  guint top;
  guint64 n_slots;
} Marks;

static gboolean
fit (LmccSession *session, LmccTime nominal_rtt G_GNUC_UNUSED,
    LmccTime leave_latency G_GNUC_UNUSED, GError **error G_GNUC_UNUSED)
{
  session->slot = SLOT;
  session->slot_modulus = lmcc_slot_modulus (PERIOD);

  return TRUE;
}

static void
init (gpointer state, const LmccSession *session,
    const gdouble *probabilities G_GNUC_UNUSED)
{
  ((Marks *) state)->top = session->n_layers - 1;
}

static void
mark (gpointer state, guint64 slot, guint layer G_GNUC_UNUSED,
    LmccTime offset G_GNUC_UNUSED, LmccMarks *marks)
{
  Marks *own = state;

  own->n_slots = MAX (own->n_slots, slot + 1);
  if (own->n_slots % PERIOD == 0)
    marks->signal = (gint8) own->top;
}

static const LmccSending sending = {
  .fit = fit,
  .state_size = sizeof (Marks),
  .init = init,
  .mark = mark,
};

static const LmccAlgorithm fifth = {
  .name = "fifth",
  .description = "Up after each fifth slot, down at any loss",
  .sending = &sending,
  .create = create,
};

/* The linker redirects all callers of the registry's function to this one. */
const LmccAlgorithm *__real_lmcc_algorithm_find (const gchar *name);
const LmccAlgorithm *__wrap_lmcc_algorithm_find (const gchar *name);

static guint n_lookups;

const LmccAlgorithm *
__wrap_lmcc_algorithm_find (const gchar *name)
{
  n_lookups++;

  return __real_lmcc_algorithm_find (name);
}

static TestLoop *
new_loop (const gchar *algorithm)
{
  TestLoop *loop = test_loop_new (1, FALSE);
  guint i;

  loop->n_layers = N_LAYERS;
  loop->window = 100 * LMCC_MSECOND;
  for (i = 0; i < N_LAYERS; i++)
    loop->rates[i] = i < 2 ? BASE : (guint64) BASE << (i - 1);
  loop->packet_size = 400;
  loop->feedback_interval = LMCC_SECOND;
  loop->algorithm = algorithm;
  test_loop_start_sender (loop, 0x1000);
  test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_FREEZE);

  return loop;
}

static LmccReceiverStats
get_stats (TestLoop *loop)
{
  LmccReceiverStats stats;

  lmcc_receiver_get_stats (loop->receivers[0].receiver, loop->now, &stats);

  return stats;
}

/* Time of the latest level change. */
static LmccTime
run_until_level (TestLoop *loop, gint level)
{
  LmccTime end = loop->now + 30 * LMCC_SECOND;

  while (get_stats (loop).level != level && loop->now < end)
    test_loop_run (loop, 10 * LMCC_MSECOND);
  fail_unless_equals_int (get_stats (loop).level, level);

  return loop->now;
}

/* Tests may share a process. */
static void
add_fifth (void)
{
  static gboolean added = FALSE;

  if (!added)
    fail_unless (lmcc_algorithm_add (&fifth));
  added = TRUE;
}

GST_START_TEST (the_registry_takes_its_sender_s_half_from_the_library_alone)
{
  fail_if (lmcc_algorithm_register (&fifth));
  add_fifth ();
  fail_if (lmcc_algorithm_add (&fifth));
  fail_unless (lmcc_algorithm_has_slots (lmcc_algorithm_find ("fifth")));
  fail_if (lmcc_algorithm_sets_rate (lmcc_algorithm_find ("fifth")));
}

GST_END_TEST;

GST_START_TEST (a_session_with_its_slots_says_so)
{
  g_autofree gchar *text = NULL, *obstacle = NULL;
  TestLoop *loop;
  const LmccSession *session;

  add_fifth ();
  loop = new_loop ("fifth");
  session = lmcc_sender_get_session (loop->sender);
  fail_unless (session->slot == SLOT);
  fail_unless_equals_int (session->slot_modulus % PERIOD, 0);
  fail_unless (lmcc_session_has_second_element (session));
  text = lmcc_sdp_format (session, LMCC_SDP_FILE);
  fail_unless (strstr (text, "urn:x-lmcc:algorithm") != NULL, "%s", text);
  fail_unless (strstr (text, "fifth") != NULL, "%s", text);
  obstacle =
      lmcc_algorithm_find_obstacle (lmcc_algorithm_find ("rlc"), session);
  fail_unless (strstr (obstacle, "those of fifth") != NULL, "%s", obstacle);
  test_loop_free (loop);
}

GST_END_TEST;

/* The highest level is reached one level per mark, and left at a loss. */
GST_START_TEST (a_receiver_goes_up_at_its_marks)
{
  gboolean cut = FALSE;
  TestLoop *loop;
  LmccTime reached[N_LAYERS];
  guint i;

  add_fifth ();
  loop = new_loop ("fifth");
  loop->impair = test_network_cut;
  loop->impair_data = &cut;
  for (i = 0; i < N_LAYERS; i++)
    reached[i] = run_until_level (loop, (gint) i);
  fail_unless_equals_string (get_stats (loop).algorithm, "fifth");
  fail_unless_equals_int (loop->receivers[0].n_warnings, 0);
  for (i = 2; i < N_LAYERS; i++) {
    LmccTime between = reached[i] - reached[i - 1];

    fail_unless (between > PERIOD * SLOT - SLOT / 2
            && between < PERIOD * SLOT + SLOT / 2,
        "%u us to level %u", (guint) (between / LMCC_USECOND), i);
  }

  cut = TRUE;
  test_loop_run (loop, 100 * LMCC_MSECOND);
  cut = FALSE;
  test_loop_run (loop, 300 * LMCC_MSECOND);
  fail_unless (get_stats (loop).level < N_LAYERS - 1);
  run_until_level (loop, N_LAYERS - 1);
  test_loop_free (loop);
}

GST_END_TEST;

static guint64
run_loop (const gchar *algorithm)
{
  TestLoop *loop = new_loop (algorithm);
  guint64 packets;

  test_loop_run (loop, 10 * LMCC_SECOND);
  packets = loop->packets_sent;
  n_lookups = 0;
  test_loop_run (loop, 10 * LMCC_SECOND);
  packets = loop->packets_sent - packets;
  test_loop_free (loop);

  return packets;
}

static guint64
run_single (const gchar *algorithm)
{
  TestWorld *world = test_single_new (&test_single_narrow);
  TestSingleSession *session = test_single_add_session (world, algorithm);
  guint64 packets;

  test_single_add_receiver (session, 0);
  test_single_run (world, 10);
  packets = lmcc_sender_get_stats (session->sender)->packets;
  n_lookups = 0;
  test_single_run (world, 10);
  packets = lmcc_sender_get_stats (session->sender)->packets - packets;
  test_world_free (world);

  return packets;
}

/* In the second ten seconds of a session: about a thousand packets. */
GST_START_TEST (no_packet_is_looked_up_by_its_algorithm_s_name)
{
  guint n, i;
  const LmccAlgorithm *const *list;

  add_fifth ();
  list = lmcc_algorithm_list (&n);
  for (i = 0; i < n; i++) {
    guint64 packets = lmcc_algorithm_sets_rate (list[i])
        ? run_single (list[i]->name)
        : run_loop (list[i]->name);

    fail_unless (packets > 500, "%s: %u packets", list[i]->name,
        (guint) packets);
    fail_unless (n_lookups == 0, "%s: %u lookups, %u packets", list[i]->name,
        n_lookups, (guint) packets);
  }
}

GST_END_TEST;

static Suite *
own_slots_suite (void)
{
  Suite *s = suite_create ("own-slots");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 60);
  tcase_add_test (tc,
      the_registry_takes_its_sender_s_half_from_the_library_alone);
  tcase_add_test (tc, a_session_with_its_slots_says_so);
  tcase_add_test (tc, a_receiver_goes_up_at_its_marks);
  tcase_add_test (tc, no_packet_is_looked_up_by_its_algorithm_s_name);

  return s;
}

GST_CHECK_MAIN (own_slots);
