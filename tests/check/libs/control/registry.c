/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the registry's data on each algorithm, and the registration of
 * external algorithms.
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/control/controller.h>
#include <gst/lmcc/control/sending.h>
#include <gst/lmcc/lmcc.h>
#include <string.h>

/* The first number that the library does not use: external algorithms count
 * up from here. */
#define FIRST_OF_OTHERS 10

/* Later algorithms of the library get numbers above those of external ones. */
#define FIRST_LATER_NUMBER 101

static LmccController *
create (const LmccSession *session G_GNUC_UNUSED,
    const LmccSettings *settings G_GNUC_UNUSED, guint32 seed G_GNUC_UNUSED)
{
  return NULL;
}

/* Pipelines and compiled programs use these numbers. */
GST_START_TEST (numbers_stay)
{
  static const gchar *const names[] = { [1] = "none",
    [2] = "elm",
    [3] = "flid-dl",
    [4] = "flid-sl",
    [5] = "rlc",
    [6] = "rlm",
    [7] = "synchronized",
    [8] = "pgmcc",
    [9] = "tfmcc",
    [FIRST_LATER_NUMBER] = "plumb" };
  guint i;

  for (i = 1; i < G_N_ELEMENTS (names); i++)
    if (names[i] != NULL)
      fail_unless_equals_int (lmcc_algorithm_get_number (
                                  lmcc_algorithm_find (names[i])),
          i);
}

GST_END_TEST;

/* No publication describes these: "none" is no algorithm, and plumb was
 * developed here. */
static gboolean
is_without_paper (const LmccAlgorithm *algorithm)
{
  return strcmp (algorithm->name, "none") == 0
      || strcmp (algorithm->name, "plumb") == 0;
}

GST_START_TEST (each_of_the_library_s_own_has_a_number_and_a_paper)
{
  guint n, i, j;
  const LmccAlgorithm *const *list = lmcc_algorithm_list (&n);

  for (i = 0; i < n; i++) {
    fail_unless (list[i]->number > 0, "%s", list[i]->name);
    fail_unless (list[i]->number < FIRST_OF_OTHERS
            || list[i]->number >= FIRST_LATER_NUMBER,
        "%s", list[i]->name);
    for (j = 0; j < i; j++)
      fail_unless (list[i]->number != list[j]->number, "%s and %s",
          list[i]->name, list[j]->name);
    fail_unless (is_without_paper (list[i]) || list[i]->paper != NULL, "%s",
        list[i]->name);
  }
}

GST_END_TEST;

GST_START_TEST (others_count_up_as_they_come)
{
  static const LmccAlgorithm early = { .name = "early", .create = create };
  static const LmccAlgorithm late = { .name = "late", .create = create };

  fail_unless (lmcc_algorithm_register (&early));
  fail_unless (lmcc_algorithm_register (&late));
  fail_unless_equals_int (lmcc_algorithm_get_number (&early), FIRST_OF_OTHERS);
  fail_unless_equals_int (lmcc_algorithm_get_number (&late),
      FIRST_OF_OTHERS + 1);
}

GST_END_TEST;

/* Every name that can be registered can be written in a session record, and
 * the other way round. */
GST_START_TEST (names_are_those_of_the_session_record)
{
  static const struct
  {
    const gchar *name;
    gboolean valid;
  } rows[] = {
    { "a", TRUE },
    { "123456789012345", TRUE },
    { "a-b.c_d+0", TRUE },
    { "", FALSE },
    { "1234567890123456", FALSE },
    { "A", FALSE },
    { "a b", FALSE },
    { "a=b", FALSE },
    { "a\n", FALSE },
    { "\xc3\xa4", FALSE },
  };
  static LmccAlgorithm algorithms[G_N_ELEMENTS (rows)];
  guint i;

  for (i = 0; i < G_N_ELEMENTS (rows); i++) {
    LmccSession session;

    algorithms[i].name = rows[i].name;
    algorithms[i].create = create;
    fail_unless (lmcc_algorithm_register (&algorithms[i]) == rows[i].valid,
        "%s", rows[i].name);
    lmcc_session_init (&session);
    fail_unless (lmcc_address_parse ("239.255.42.1", &session.address));
    session.port = 5004;
    g_strlcpy (session.video.encoding_name, "H264", LMCC_ENCODING_NAME_SIZE);
    session.video.clock_rate = 90000;
    if (strlen (rows[i].name) >= LMCC_ALGORITHM_NAME_SIZE)
      continue;
    strcpy (session.algorithm, rows[i].name);
    fail_unless (lmcc_session_validate (&session, NULL) == rows[i].valid, "%s",
        rows[i].name);
  }
}

GST_END_TEST;

GST_START_TEST (a_name_a_number_and_the_sender_s_half_are_not_others_to_take)
{
  static const LmccSending sending = { 0 };
  static const LmccAlgorithm refused[] = {
    { .name = "elm", .create = create },
    { .name = "numbered", .number = 50, .create = create },
    { .name = "sends", .sending = &sending, .create = create },
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (refused); i++)
    fail_if (lmcc_algorithm_register (&refused[i]), "%s", refused[i].name);
}

GST_END_TEST;

static Suite *
registry_suite (void)
{
  Suite *s = suite_create ("registry");
  TCase *tc = tcase_create ("rows");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, numbers_stay);
  tcase_add_test (tc, each_of_the_library_s_own_has_a_number_and_a_paper);
  tcase_add_test (tc, others_count_up_as_they_come);
  tcase_add_test (tc, names_are_those_of_the_session_record);
  tcase_add_test (tc,
      a_name_a_number_and_the_sender_s_half_are_not_others_to_take);

  return s;
}

GST_CHECK_MAIN (registry);
