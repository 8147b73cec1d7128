/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests that all elements present themselves alike: units, names, classes,
 * and statistics without fields that have no value.
 */
#include <gst/check/gstcheck.h>
#include <string.h>

static const gchar *const elements[] = {
  "lmccsink",
  "lmccsrc",
  "x264ladderenc",
  "vp9svcenc",
  "j2klayerenc",
};

/* As in udpsrc and GstVideoEncoder. */
static const gchar *const in_nanoseconds[] = { "timeout",
  "min-force-key-unit-interval", NULL };

static gboolean
is_number (const GParamSpec *pspec)
{
  return G_IS_PARAM_SPEC_INT (pspec) || G_IS_PARAM_SPEC_UINT (pspec)
      || G_IS_PARAM_SPEC_UINT64 (pspec) || G_IS_PARAM_SPEC_DOUBLE (pspec)
      || G_IS_PARAM_SPEC_INT64 (pspec);
}

static gboolean
says (const gchar *text, const gchar *word)
{
  return g_regex_match_simple (word, text, 0, 0);
}

GST_START_TEST (test_times_are_in_ms_and_rates_in_bit_s)
{
  GstElement *element = gst_element_factory_make (elements[__i__], NULL);
  GParamSpec **pspecs;
  guint n, i;

  if (element == NULL)
    return;
  pspecs = g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n);
  for (i = 0; i < n; i++) {
    const gchar *blurb = g_param_spec_get_blurb (pspecs[i]);
    const gchar *name = pspecs[i]->name;

    fail_if (says (blurb, "kbit/s|kbps|\\(s\\b|in seconds"), "%s: %s", name,
        blurb);
    fail_if (says (blurb, "\\bns\\b|nanoseconds")
            && !g_strv_contains (in_nanoseconds, name),
        "%s: %s", name, blurb);
    if (is_number (pspecs[i]) && says (name, "bitrate|-rate$"))
      fail_unless (says (blurb, "bit/s|bit rate|rate of the top"), "%s: %s",
          name, blurb);
    if (is_number (pspecs[i]) && says (name, "latency|interval|delay|rtt"))
      fail_unless (says (blurb, "\\bms\\b")
              || g_strv_contains (in_nanoseconds, name),
          "%s: %s", name, blurb);
  }
  g_free (pspecs);
  gst_object_unref (element);
}

GST_END_TEST;

static void check_structure (const GstStructure *structure);

static void
check_value (const gchar *name, const GValue *value)
{
  guint i;

  fail_if (g_str_has_suffix (name, "-ns"), "%s", name);
  if (G_VALUE_HOLDS_STRING (value))
    fail_if (g_value_get_string (value) == NULL, "%s", name);
  if (G_VALUE_HOLDS_UINT64 (value))
    fail_if (g_value_get_uint64 (value) == G_MAXUINT64, "%s", name);
  if (GST_VALUE_HOLDS_STRUCTURE (value))
    check_structure (gst_value_get_structure (value));
  if (!GST_VALUE_HOLDS_ARRAY (value))
    return;
  for (i = 0; i < gst_value_array_get_size (value); i++)
    check_value (name, gst_value_array_get_value (value, i));
}

static gboolean
check_field (GQuark field, const GValue *value,
    gpointer user_data G_GNUC_UNUSED)
{
  check_value (g_quark_to_string (field), value);
  return TRUE;
}

static void
check_structure (const GstStructure *structure)
{
  gst_structure_foreach (structure, check_field, NULL);
}

GST_START_TEST (test_what_is_not_known_is_left_out_of_the_statistics)
{
  GstElement *element = gst_element_factory_make (elements[__i__], NULL);
  g_autoptr (GstStructure) stats = NULL;

  g_object_get (element, "stats", &stats, NULL);
  check_structure (stats);
  fail_if (gst_structure_has_field (stats, "rtt-ms"));
  fail_if (gst_structure_has_field (stats, "join-to-packet-ms"));
  fail_if (gst_structure_has_field (stats, "reason"));
  gst_object_unref (element);
}

GST_END_TEST;

GST_START_TEST (test_a_pad_that_may_appear_later_is_a_sometimes_pad)
{
  g_autoptr (GstElementFactory) factory = gst_element_factory_find ("lmccsrc");
  const GList *l = gst_element_factory_get_static_pad_templates (factory);

  for (; l; l = l->next)
    fail_unless_equals_int (((GstStaticPadTemplate *) l->data)->presence,
        GST_PAD_SOMETIMES);
}

GST_END_TEST;

/* The texts that users read in gst-inspect-1.0: a property's description and
 * that of its default value. */
GST_START_TEST (test_the_default_algorithm_says_what_it_stands_for)
{
  static const gchar *const stands_for[][2] = {
    { "lmccsink", "(auto: plumb)" },
    { "lmccsrc", "(auto: what the session announces)" },
  };
  GstElement *element = gst_element_factory_make (stands_for[__i__][0], NULL);
  GParamSpec *pspec =
      g_object_class_find_property (G_OBJECT_GET_CLASS (element), "algorithm");
  const gchar *blurb = g_param_spec_get_blurb (pspec);
  const GParamSpecEnum *algorithm = G_PARAM_SPEC_ENUM (pspec);
  const GEnumValue *value =
      g_enum_get_value (algorithm->enum_class, algorithm->default_value);

  fail_unless_equals_string (value->value_nick, "auto");
  fail_unless (strstr (value->value_name, "lmccsink: plumb") != NULL, "%s",
      value->value_name);
  fail_unless (strstr (blurb, stands_for[__i__][1]) != NULL, "%s", blurb);
  gst_object_unref (element);
}

GST_END_TEST;

GST_START_TEST (test_both_ends_are_of_one_class)
{
  static const gchar *const classes[] = { "Sink/Network/RTP",
    "Source/Network/RTP" };
  g_autoptr (GstElementFactory) factory =
      gst_element_factory_find (elements[__i__]);

  fail_unless_equals_string (gst_element_factory_get_metadata (factory,
                                 GST_ELEMENT_METADATA_KLASS),
      classes[__i__]);
}

GST_END_TEST;

static Suite *
faces_suite (void)
{
  Suite *s = suite_create ("faces");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_times_are_in_ms_and_rates_in_bit_s, 0,
      G_N_ELEMENTS (elements));
  tcase_add_loop_test (tc, test_what_is_not_known_is_left_out_of_the_statistics,
      0, 2);
  tcase_add_test (tc, test_a_pad_that_may_appear_later_is_a_sometimes_pad);
  tcase_add_loop_test (tc, test_the_default_algorithm_says_what_it_stands_for,
      0, 2);
  tcase_add_loop_test (tc, test_both_ends_are_of_one_class, 0, 2);
  return s;
}

GST_CHECK_MAIN (faces);
