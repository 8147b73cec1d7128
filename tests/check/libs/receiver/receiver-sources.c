/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests which sender's session a receiver accepts.
 */
#include "support/test-scene.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/receiver/message-limit.h>
#include <string.h>

typedef enum
{
  END,
  PLAY,  /* the first host sends and is established */
  START, /* the first host restarts with @ssrc */
  ANEW,  /* the same, with another nonce */
  OTHER, /* the other host starts */
  BYE,   /* the first host says BYE */
  KILL,  /* the first host is silent */
  PAUSE,
  RESUME,
  MAX_LEVEL, /* the user sets one */
  RUN,       /* for @ms, with @share of the other host's packets */
  WITH,      /* the receiver is with @ssrc */
  CHANGED,   /* the host was reported @n times */
  ANEW_IS_TAKEN,
  WARNED,   /* there is no algorithm */
  PICTURES, /* at least ten pictures are output */
} Kind;

/* A step of a row, and the expected state. */
typedef struct
{
  Kind kind;
  guint32 ssrc;
  guint ms;
  TestShare share;
  guint n;
  const gchar *from; /* the latest change */
  const gchar *to;
} Step;

typedef struct
{
  const gchar *name;
  LmccSourcePolicy policy;
  guint64 nonce;          /* the other host's; 0: its own */
  const gchar *algorithm; /* the other host's; NULL: the same */
  Step steps[14];
} Row;

#define OTHER_SSRC TEST_OTHER_SSRC
#define SSRC TEST_SSRC
#define FIRST "10.0.0.1"
#define SECOND "10.0.0.2"

#define START(s) .kind = START, .ssrc = (s)
#define ANEW(s) .kind = ANEW, .ssrc = (s)
#define OTHER(s) .kind = OTHER, .ssrc = (s)
#define RUN(t, what) .kind = RUN, .ms = (t), .share = TEST_SHARE_##what
#define WITH(s) .kind = WITH, .ssrc = (s)
#define CHANGED(times, a, b) .kind = CHANGED, .n = (times), .from = a, .to = b
#define UNCHANGED CHANGED (0, NULL, NULL)

/* A host that repeats the old record of a host that pauses. */
#define PAUSE_BESIDE(share)                                                  \
  {                                                                          \
    { PLAY }, { OTHER (OTHER_SSRC) }, { PAUSE }, { RUN (5000, share) },      \
        { WITH (SSRC) }, { RESUME }, { RUN (5000, share) }, { WITH (SSRC) }, \
    {                                                                        \
      UNCHANGED                                                              \
    }                                                                        \
  }

/* As when the sender's own address changes. */
#define ANOTHER_ADDRESS(ssrc)                                         \
  {                                                                   \
    { PLAY }, { OTHER (ssrc) }, { KILL }, { RUN (9900, EVERYTHING) }, \
        { UNCHANGED }, { RUN (600, EVERYTHING) }, { WITH (ssrc) },    \
        { CHANGED (1, FIRST, SECOND) }, { RUN (3000, EVERYTHING) },   \
    {                                                                 \
      PICTURES                                                        \
    }                                                                 \
  }

/* Meanwhile an address repeats the old record. */
#define BEGIN_ANEW(ssrc, ms, end)                                          \
  {                                                                        \
    { PLAY }, { OTHER (OTHER_SSRC) }, { RUN (5000, EVERYTHING) }, { end }, \
        { KILL }, { RUN (100, EVERYTHING) }, { ANEW (ssrc) },              \
        { RUN (ms, EVERYTHING) }, { ANEW_IS_TAKEN },                       \
        { RUN (5000, EVERYTHING) }, { ANEW_IS_TAKEN },                     \
    {                                                                      \
      UNCHANGED                                                            \
    }                                                                      \
  }

#define FORGED_FIRST(share)                                                \
  {                                                                        \
    { OTHER (OTHER_SSRC) }, { RUN (30000, share) }, { WITH (OTHER_SSRC) }, \
        { START (SSRC) }, { RUN (9000, share) }, { WITH (SSRC) },          \
        { CHANGED (1, SECOND, FIRST) }, { RUN (30000, EVERYTHING) },       \
        { WITH (SSRC) },                                                   \
    {                                                                      \
      CHANGED (1, SECOND, FIRST)                                           \
    }                                                                      \
  }

#define NO_ALGORITHM                                                         \
  {                                                                          \
    { PLAY }, { OTHER (OTHER_SSRC) }, { KILL }, { RUN (20000, EVERYTHING) }, \
        { WITH (SSRC) }, { UNCHANGED }, { WARNED }, { MAX_LEVEL },           \
        { RUN (3000, EVERYTHING) },                                          \
    {                                                                        \
      WITH (OTHER_SSRC)                                                      \
    }                                                                        \
  }

static const Row rows[] = {
  {"test_a_pause_is_not_used_by_who_repeats_a_record: records",.steps =
        PAUSE_BESIDE (RECORDS)},
  {"test_a_pause_is_not_used_by_who_repeats_a_record: media too",.steps =
        PAUSE_BESIDE (EVERYTHING)},
  {"test_the_sender_is_returned_to_after_a_minute",.steps = {
              {PLAY}, {OTHER (OTHER_SSRC)}, {PAUSE}, {RUN (9900, EVERYTHING)},
              {WITH (SSRC)}, {RUN (50000, EVERYTHING)}, {WITH (OTHER_SSRC)},
              {CHANGED (1, FIRST, SECOND)},
              {RESUME}, {RUN (2000, EVERYTHING)}, {WITH (SSRC)},
              {CHANGED (2, SECOND, FIRST)},
          }},
  {"test_another_address_is_taken_after_ten_seconds: its own S0",.steps =
        ANOTHER_ADDRESS (OTHER_SSRC)},
  /* And nonce: an observer can copy both. */
  {"test_another_address_is_taken_after_ten_seconds: the same S0",.nonce =
        TEST_NONCE,.steps = ANOTHER_ADDRESS (SSRC)},
  {"test_a_sender_that_begins_anew_is_back_within_two_seconds: another S0",
      .steps = BEGIN_ANEW (SSRC + 0x1000, 2000, KILL)},
  {"test_a_sender_that_begins_anew_is_back_within_two_seconds: after a BYE",
      .steps = BEGIN_ANEW (SSRC + 0x1000, 2000, BYE)},
  /* With the same S0, of which there are a million, its media packets look
   * like the earlier ones: only the missing old record shows the change. */
  {"test_a_sender_that_begins_anew_is_back_within_two_seconds: the same S0, "
        "within three",.steps = BEGIN_ANEW (SSRC, 3000, KILL)},
  {"test_a_sender_that_begins_anew_is_back_within_two_seconds: the same S0, "
        "after a BYE",.steps = BEGIN_ANEW (SSRC, 2000, BYE)},
  {"test_a_forged_record_that_was_first_gives_way: a record",.steps =
        FORGED_FIRST (RECORDS)},
  {"test_a_forged_record_that_was_first_gives_way: some media",.steps =
        FORGED_FIRST (TRICKLE)},
  {"test_of_two_whole_sessions_the_first_one_stays",.steps = {
              {START (SSRC)}, {RUN (300, NOTHING)}, {OTHER (OTHER_SSRC)},
              {RUN (60000, EVERYTHING)}, {WITH (SSRC)}, {UNCHANGED},
          }},
  {"test_no_other_host_says_that_there_is_no_algorithm: none",.algorithm =
        "none",.steps = NO_ALGORITHM},
  {"test_no_other_host_says_that_there_is_no_algorithm: one that nobody knows",
      .algorithm = "unheard-of",.steps = NO_ALGORITHM},
  {"test_any_sender_is_taken_where_the_user_says_so",
        LMCC_SOURCE_POLICY_ANY,.steps = {
              {PLAY}, {OTHER (OTHER_SSRC)}, {RUN (3000, EVERYTHING)},
              {WITH (SSRC)},
              {PAUSE}, {RUN (1000, EVERYTHING)}, {WITH (OTHER_SSRC)},
              {RESUME}, {RUN (5000, EVERYTHING)}, {WITH (OTHER_SSRC)},
          }},
  /* Without an answer, it behaves as with the first policy. */
  {"test_a_question_without_an_answer_changes_nothing",
        LMCC_SOURCE_POLICY_ASK,.steps = {
              {PLAY}, {OTHER (OTHER_SSRC)}, {PAUSE}, {RUN (9900, EVERYTHING)},
              {WITH (SSRC)}, {RUN (3000, EVERYTHING)}, {WITH (OTHER_SSRC)},
              {RESUME}, {RUN (2000, EVERYTHING)}, {WITH (SSRC)},
          }},
};

static void
take (TestScene *scene, const Step *step)
{
  TestLoop *loop = scene->loop;

  switch (step->kind) {
    case PLAY:
      test_scene_play (scene);
      break;
    case ANEW:
      loop->nonce = TEST_NONCE + 1;
      test_loop_start_sender (loop, step->ssrc);
      break;
    case START:
      test_loop_start_sender (loop, step->ssrc);
      break;
    case OTHER:
      test_scene_start_other (scene, step->ssrc);
      break;
    case BYE:
      lmcc_sender_stop (loop->sender, loop->now);
      test_loop_drain (loop);
      break;
    case KILL:
      test_loop_kill_sender (loop);
      break;
    case PAUSE:
      test_loop_pause (loop);
      break;
    case RESUME:
      test_loop_resume (loop);
      break;
    case MAX_LEVEL:
      lmcc_receiver_set_max_level (scene->test->receiver, 1, loop->now);
      break;
    case RUN:
      g_array_set_size (scene->test->pictures, 0);
      test_scene_run (scene, step->ms * LMCC_MSECOND, step->share);
      break;
    default:
      break;
  }
}

static gboolean
is_changed (const TestScene *scene, const Step *step)
{
  const TestReceiver *test = scene->test;
  LmccAddress from, to;

  if (test->n_source_changes != step->n)
    return FALSE;
  if (step->n == 0)
    return TRUE;
  from = test_address (step->from);
  to = test_address (step->to);

  return lmcc_address_equal (&test->source_change.previous, &from)
      && lmcc_address_equal (&test->source_change.destination, &to);
}

/* Whether the expectation of a step holds. */
static gboolean
holds (const TestScene *scene, const Step *step)
{
  switch (step->kind) {
    case WITH:
      return test_scene_is_with (scene, step->ssrc);
    case CHANGED:
      return is_changed (scene, step);
    case ANEW_IS_TAKEN:
      return test_scene_session (scene)->nonce == TEST_NONCE + 1;
    case WARNED:
      return strstr (scene->test->warning, "has no congestion control") != NULL;
    case PICTURES:
      return scene->test->pictures->len > 10;
    default:
      return TRUE;
  }
}

GST_START_TEST (test_who_is_listened_to)
{
  const Row *row = &rows[__i__];
  const Step *step;
  TestScene scene;

  test_scene_init (&scene, row->policy);
  if (row->nonce != 0)
    scene.other->nonce = row->nonce;
  if (row->algorithm != NULL)
    scene.other->algorithm = row->algorithm;
  for (step = row->steps; step->kind != END; step++) {
    take (&scene, step);
    fail_unless (holds (&scene, step), "%s, step %d: %u changes", row->name,
        (gint) (step - row->steps) + 1, scene.test->n_source_changes);
  }
  test_scene_clear (&scene);
}

GST_END_TEST;

GST_START_TEST (test_the_user_is_asked_and_decides)
{
  LmccAddress first = test_address ("10.0.0.1"),
              other = test_address ("10.0.0.2");
  const Step taken = { CHANGED (1, FIRST, SECOND) };
  TestScene scene;

  test_scene_init (&scene, LMCC_SOURCE_POLICY_ASK);
  test_scene_play (&scene);
  test_scene_start_other (&scene, TEST_OTHER_SSRC);
  test_scene_run (&scene, 30 * LMCC_SECOND, TEST_SHARE_EVERYTHING);
  fail_unless (test_scene_is_with (&scene, TEST_SSRC));
  fail_unless_equals_int (scene.test->n_asked, 1);
  fail_unless (lmcc_address_equal (&scene.test->asked.previous, &first));
  fail_unless (lmcc_address_equal (&scene.test->asked.destination, &other));

  fail_unless (lmcc_receiver_answer_source (scene.test->receiver, &other, TRUE,
      scene.loop->now));
  test_loop_drain (scene.loop);
  test_scene_run (&scene, 3 * LMCC_SECOND, TEST_SHARE_EVERYTHING);
  fail_unless (test_scene_is_with (&scene, TEST_OTHER_SSRC));
  fail_unless (is_changed (&scene, &taken));

  /* Nor is it accepted when the other one is silent. */
  fail_if (lmcc_receiver_answer_source (scene.test->receiver, &first, FALSE,
      scene.loop->now));
  test_loop_kill_sender (scene.other);
  test_scene_run (&scene, 30 * LMCC_SECOND, TEST_SHARE_NOTHING);
  fail_unless (test_scene_is_with (&scene, TEST_OTHER_SSRC));
  test_scene_clear (&scene);
}

GST_END_TEST;

GST_START_TEST (test_a_second_sender_is_told_of_once)
{
  LmccAddress first = test_address (FIRST), other = test_address (SECOND);
  TestScene scene;

  test_scene_init (&scene, LMCC_SOURCE_POLICY_FIRST);
  test_scene_play (&scene);
  fail_unless_equals_int (scene.test->n_beside, 0);
  test_scene_start_other (&scene, TEST_OTHER_SSRC);
  test_scene_run (&scene, LMCC_SECOND, TEST_SHARE_EVERYTHING);
  fail_unless_equals_int (scene.test->n_beside, 0);
  test_scene_run (&scene, 2 * LMCC_SECOND, TEST_SHARE_EVERYTHING);
  fail_unless_equals_int (scene.test->n_beside, 1);
  fail_unless (lmcc_address_equal (&scene.test->beside.previous, &first));
  fail_unless (lmcc_address_equal (&scene.test->beside.destination, &other));
  test_scene_run (&scene, 60 * LMCC_SECOND, TEST_SHARE_EVERYTHING);
  fail_unless_equals_int (scene.test->n_beside, 1);

  /* Once per session, however often it is silent. */
  test_scene_run (&scene, 10 * LMCC_SECOND, TEST_SHARE_NOTHING);
  test_scene_run (&scene, 3 * LMCC_SECOND, TEST_SHARE_EVERYTHING);
  fail_unless_equals_int (scene.test->n_beside, 1);
  fail_unless (test_scene_is_with (&scene, TEST_SSRC));
  test_scene_clear (&scene);
}

GST_END_TEST;

/* A backup sender that starts when the other one has ended, and one about
 * which the application is asked. */
GST_START_TEST (test_senders_that_take_turns_are_not_told_of)
{
  TestScene scene;

  test_scene_init (&scene, LMCC_SOURCE_POLICY_FIRST);
  test_scene_play (&scene);
  test_loop_kill_sender (scene.loop);
  test_scene_start_other (&scene, TEST_OTHER_SSRC);
  test_scene_run (&scene, 30 * LMCC_SECOND, TEST_SHARE_EVERYTHING);
  fail_unless (test_scene_is_with (&scene, TEST_OTHER_SSRC));
  fail_unless_equals_int (scene.test->n_beside, 0);
  test_scene_clear (&scene);

  test_scene_init (&scene, LMCC_SOURCE_POLICY_ASK);
  test_scene_play (&scene);
  test_scene_start_other (&scene, TEST_OTHER_SSRC);
  test_scene_run (&scene, 30 * LMCC_SECOND, TEST_SHARE_EVERYTHING);
  fail_unless_equals_int (scene.test->n_asked, 1);
  fail_unless_equals_int (scene.test->n_beside, 0);
  test_scene_clear (&scene);
}

GST_END_TEST;

GST_START_TEST (test_messages_of_one_kind_are_ten_seconds_apart_and_counted)
{
  LmccMessageLimit limit = { 0 };
  guint64 held_back = 9;
  guint i;

  fail_unless (lmcc_message_limit_take (&limit, 0, &held_back));
  fail_unless_equals_uint64 (held_back, 0);
  for (i = 1; i < 10; i++)
    fail_if (lmcc_message_limit_take (&limit, i * LMCC_SECOND, NULL));
  fail_unless (lmcc_message_limit_take (&limit, 10 * LMCC_SECOND, &held_back));
  fail_unless_equals_uint64 (held_back, 9);
  fail_unless (lmcc_message_limit_take (&limit, 20 * LMCC_SECOND, &held_back));
  fail_unless_equals_uint64 (held_back, 0);
}

GST_END_TEST;

static Suite *
receiver_sources_suite (void)
{
  Suite *suite = suite_create ("receiver-sources");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 120);
  tcase_add_loop_test (tcase, test_who_is_listened_to, 0, G_N_ELEMENTS (rows));
  tcase_add_test (tcase, test_the_user_is_asked_and_decides);
  tcase_add_test (tcase, test_a_second_sender_is_told_of_once);
  tcase_add_test (tcase, test_senders_that_take_turns_are_not_told_of);
  tcase_add_test (tcase,
      test_messages_of_one_kind_are_ten_seconds_apart_and_counted);

  return suite;
}

GST_CHECK_MAIN (receiver_sources);
