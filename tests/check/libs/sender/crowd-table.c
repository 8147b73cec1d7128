/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Prints a table of feedback with audiences of all sizes: its share of the
 * base rate, the time until first measurements, and the sender's estimate of
 * the number of receivers.
 */
#include "support/crowd.h"
#include "support/test-options.h"
#include "support/test-page.h"

#include <gst/check/gstcheck.h>
#include <math.h>

#define SEEDS 3

/* The limits (RFC 3550 section 6.2's 5 %, three times that in one second),
 * and the allowed error of the estimate when 95 % of the receivers have
 * measured. */
#define LIMIT 0.05
#define BURST_LIMIT 0.15
#define ESTIMATE_FACTOR 4

/* The measurement ends here, although some receivers may not have measured. */
#define LONGEST (4 * 3600 * LMCC_SECOND)
#define SHORTEST (60 * LMCC_SECOND)
#define STEP (10 * LMCC_SECOND)

/* Times in s, shares of the base rate; by seed. */
typedef struct
{
  guint base_rate;
  guint receivers;
  gdouble ten_seconds[SEEDS];
  gdouble one_second[SEEDS];
  gdouble half[SEEDS];
  gdouble nearly_all[SEEDS]; /* 95 % */
  gdouble estimate[SEEDS];
} Row;

static gboolean full;
static gchar *markdown;
static GArray *rows;

static const GOptionEntry options[] = {
  { "full", 'f', 0, G_OPTION_ARG_NONE, &full, "Include the largest audiences",
      NULL },
  { "markdown", 'm', 0, G_OPTION_ARG_FILENAME, &markdown,
      "Write the table to its place in a page", "FILE" },
  { NULL }
};

static gdouble
first_rtt (const Crowd *crowd, gdouble share)
{
  LmccTime time = crowd_first_rtt (crowd, share);

  return time == LMCC_TIME_NONE ? INFINITY : (gdouble) time / LMCC_SECOND;
}

static void
run (Row *row)
{
  guint32 seed;

  for (seed = 0; seed < SEEDS; seed++) {
    Crowd *crowd = crowd_new (row->base_rate, seed);
    LmccTime begun = crowd->now;

    crowd->loss = 0.01;
    crowd_join (crowd, row->receivers, 0);
    do
      crowd_run (crowd, STEP);
    while (crowd->now - begun < SHORTEST
        || (isinf (first_rtt (crowd, 0.95)) && crowd->now - begun < LONGEST));
    row->ten_seconds[seed] = crowd_largest_share (crowd, 10 * LMCC_SECOND);
    row->one_second[seed] = crowd_largest_share (crowd, LMCC_SECOND);
    row->half[seed] = first_rtt (crowd, 0.5);
    row->nearly_all[seed] = first_rtt (crowd, 0.95);
    row->estimate[seed] = crowd_stats (crowd)->receivers;
    crowd_free (crowd);
  }
}

static gint
compare (gconstpointer a, gconstpointer b)
{
  gdouble first = *(const gdouble *) a, second = *(const gdouble *) b;

  return first < second ? -1 : first > second;
}

/* Each on its own: a column does not say which seed it is from. */
static void
sort (Row *row)
{
  qsort (row->ten_seconds, SEEDS, sizeof (gdouble), compare);
  qsort (row->one_second, SEEDS, sizeof (gdouble), compare);
  qsort (row->half, SEEDS, sizeof (gdouble), compare);
  qsort (row->nearly_all, SEEDS, sizeof (gdouble), compare);
  qsort (row->estimate, SEEDS, sizeof (gdouble), compare);
}

GST_START_TEST (an_audience_of_each_size)
{
  Row *row = &g_array_index (rows, Row, __i__);

  run (row);
  sort (row);
  fail_unless (row->ten_seconds[SEEDS - 1] < LIMIT);
  fail_unless (row->one_second[SEEDS - 1] < BURST_LIMIT);
  fail_unless (isfinite (row->nearly_all[SEEDS - 1]));
  fail_unless (row->estimate[0] * ESTIMATE_FACTOR >= row->receivers);
  fail_unless (row->estimate[SEEDS - 1] <= ESTIMATE_FACTOR * row->receivers);
}

GST_END_TEST;

static void
append_time (GString *text, gdouble time)
{
  if (isinf (time))
    g_string_append (text, " more than 4 h |");
  else if (time < 600)
    g_string_append_printf (text, " %.0f s |", time);
  else if (time < 3600)
    g_string_append_printf (text, " %.0f min |", time / 60);
  else
    g_string_append_printf (text, " %.1f h |", time / 3600);
}

static gchar *
make_table (void)
{
  GString *text = g_string_new (NULL);
  guint i;

  g_string_append (text,
      "| base, kbit/s | receivers | most in 10 s, % | most in 1 s, % | half "
      "have measured after | 95 % after | estimate |\n"
      "|--:|--:|--:|--:|--:|--:|--:|\n");
  for (i = 0; i < rows->len; i++) {
    const Row *row = &g_array_index (rows, Row, i);

    g_string_append_printf (text, "| %u | %u | %.1f | %.1f |",
        row->base_rate / 1000, row->receivers,
        100 * row->ten_seconds[SEEDS - 1], 100 * row->one_second[SEEDS - 1]);
    append_time (text, row->half[SEEDS / 2]);
    append_time (text, row->nearly_all[SEEDS / 2]);
    g_string_append_printf (text, " %.0f to %.0f |\n", row->estimate[0],
        row->estimate[SEEDS - 1]);
  }

  return g_string_free (text, FALSE);
}

static void
choose_rows (void)
{
  static const guint base_rates[] = { 64000, 400000 };
  static const guint audiences[] = { 1, 10, 100, 1000, 10000 };
  guint n_audiences = G_N_ELEMENTS (audiences) - (full ? 0 : 2);
  guint i, j;

  rows = g_array_new (FALSE, TRUE, sizeof (Row));
  for (i = 0; i < G_N_ELEMENTS (base_rates); i++) {
    for (j = 0; j < n_audiences; j++) {
      Row row = { .base_rate = base_rates[i], .receivers = audiences[j] };

      g_array_append_val (rows, row);
    }
  }
}

static Suite *
crowd_table_suite (void)
{
  Suite *suite = suite_create ("crowd-table");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_loop_test (tc, an_audience_of_each_size, 0, (gint) rows->len);

  return suite;
}

gint
main (gint argc, gchar **argv)
{
  g_autoptr (GError) error = NULL;
  g_autofree gchar *table = NULL;
  SRunner *runner;
  gint n_failed;

  if (!test_options_parse (options, &argc, &argv))
    return 2;
  gst_check_init (&argc, &argv);
  choose_rows ();

  /* All in this process, or the rows would be lost. */
  runner = srunner_create (crowd_table_suite ());
  srunner_set_fork_status (runner, CK_NOFORK);
  srunner_run_all (runner, CK_NORMAL);
  n_failed = srunner_ntests_failed (runner);
  srunner_free (runner);

  table = make_table ();
  g_print ("%s", table);
  g_array_unref (rows);
  /* A row whose test ended early has no figures. */
  if (n_failed == 0 && markdown != NULL
      && !test_page_write_table (markdown, "feedback", table, &error)) {
    g_printerr ("%s\n", error->message);
    return 2;
  }

  return n_failed > 0;
}
