/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests addresses: their text form, multicast ranges, and the groups of a
 * session.
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/lmcc.h>

static LmccAddress
address (const gchar *text)
{
  LmccAddress result;

  fail_unless (lmcc_address_parse (text, &result), "%s", text);

  return result;
}

GST_START_TEST (text_survives)
{
  static const gchar *const texts[] = {
    "0.0.0.0",
    "239.255.42.1",
    "255.255.255.255",
    "::",
    "ff15::4242:1",
    "2001:db8:1234:5678:9abc:def0:1234:5678",
    "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255",
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (texts); i++) {
    LmccAddress read = address (texts[i]);
    gchar text[LMCC_ADDRESS_STRLEN];
    LmccAddress again = address (lmcc_address_format (&read, text));

    fail_unless (lmcc_address_equal (&read, &again), "%s", texts[i]);
    fail_unless_equals_int (read.family,
        strchr (texts[i], ':') ? LMCC_FAMILY_IPV6 : LMCC_FAMILY_IPV4);
  }
}

GST_END_TEST;

GST_START_TEST (other_text_is_refused)
{
  static const gchar *const texts[] = {
    "",
    "239.1.1",
    "239.1.1.256",
    "239.1.1.1/1",
    " 239.1.1.1",
    "239.1.1.1 ",
    "[ff15::1]",
    "ff15::1%lo",
    "ff15:::1",
    "host.example",
    "1:2:3:4:5:6:7",
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (texts); i++) {
    LmccAddress result;
    gchar text[LMCC_ADDRESS_STRLEN] = "x";

    fail_if (lmcc_address_parse (texts[i], &result), "%s", texts[i]);
    fail_unless_equals_int (result.family, LMCC_FAMILY_NONE);
    fail_unless_equals_string (lmcc_address_format (&result, text), "");
  }
}

GST_END_TEST;

GST_START_TEST (multicast_ranges_end_where_the_rfcs_say)
{
  static const struct
  {
    const gchar *text;
    gboolean multicast, source_specific;
  } cases[] = {
    { "223.255.255.255", FALSE, FALSE },
    { "224.0.0.0", TRUE, FALSE },
    { "239.255.255.255", TRUE, FALSE },
    { "240.0.0.0", FALSE, FALSE },
    { "231.255.255.255", TRUE, FALSE },
    { "232.0.0.0", TRUE, TRUE },
    { "232.255.255.255", TRUE, TRUE },
    { "233.0.0.0", TRUE, FALSE },
    { "feff::1", FALSE, FALSE },
    { "ff00::1", TRUE, FALSE },
    { "ffff::1", TRUE, FALSE },
    { "ff2e::1", TRUE, FALSE },
    { "ff30::1", TRUE, TRUE },
    { "ff3f::1", TRUE, TRUE },
    { "ff3e:1::1", TRUE, FALSE },
    { "ff40::1", TRUE, FALSE },
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (cases); i++) {
    LmccAddress a = address (cases[i].text);

    fail_unless_equals_int (lmcc_address_is_multicast (&a), cases[i].multicast);
    fail_unless_equals_int (lmcc_address_is_source_specific (&a),
        cases[i].source_specific);
  }
}

GST_END_TEST;

GST_START_TEST (groups_count_up_inside_the_scope)
{
  static const struct
  {
    const gchar *base;
    guint index;
    const gchar *group;
  } cases[] = {
    { "239.255.42.1", 0, "239.255.42.1" },
    { "239.255.42.1", 96, "239.255.42.97" },
    { "239.255.42.1", 97, NULL },
    { "239.255.42.1", G_MAXUINT, NULL },
    { "239.255.42.255", 1, "239.255.43.0" },
    { "239.255.255.255", 0, "239.255.255.255" },
    { "239.255.255.255", 1, NULL },
    { "239.254.255.255", 1, NULL },
    { "232.255.255.255", 1, NULL },
    { "231.255.255.255", 1, NULL },
    { "224.0.0.255", 1, NULL },
    { "224.0.0.250", 5, "224.0.0.255" },
    { "224.0.1.255", 1, "224.0.2.0" },
    { "192.0.2.1", 0, NULL },
    { "255.255.255.255", 1, NULL },
    { "ff15::ffff", 1, "ff15::1:0" },
    { "ff15::ffff:ffff", 1, NULL },
    { "ff15::ffff:ffff", 0, "ff15::ffff:ffff" },
    { "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", 1, NULL },
    { "2001:db8::1", 0, NULL },
  };
  LmccAddress none = { LMCC_FAMILY_NONE, }, group;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (cases); i++) {
    LmccAddress base = address (cases[i].base);
    gboolean found = lmcc_address_group (&base, cases[i].index, &group);

    fail_unless_equals_int (found, cases[i].group != NULL);
    if (found) {
      LmccAddress expected = address (cases[i].group);

      fail_unless (lmcc_address_equal (&group, &expected), "%s", cases[i].base);
    }
  }
  fail_if (lmcc_address_group (&none, 0, &group));
  fail_if (lmcc_address_is_multicast (&none));
  fail_if (lmcc_address_is_source_specific (&none));
}

GST_END_TEST;

static Suite *
address_suite (void)
{
  Suite *suite = suite_create ("address");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, text_survives);
  tcase_add_test (tcase, other_text_is_refused);
  tcase_add_test (tcase, multicast_ranges_end_where_the_rfcs_say);
  tcase_add_test (tcase, groups_count_up_inside_the_scope);

  return suite;
}

GST_CHECK_MAIN (address);
