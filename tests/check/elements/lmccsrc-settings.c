/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests lmccsrc's properties and addresses, without a sender.
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/lmcc.h>
#include <string.h>

typedef struct
{
  const gchar *uri;
  gboolean good;
  const gchar *address;
  gint port;
  gint max_level;
  guint latency;
  const gchar *source;
} UriCase;

static const UriCase uri_cases[] = {
  { "lmcc://239.1.2.3", TRUE, "239.1.2.3", 5004, -1, 200, NULL },
  { "lmcc://239.1.2.3:6000", TRUE, "239.1.2.3", 6000, -1, 200, NULL },
  { "lmcc://239.1.2.3:6000/?max-level=2&latency=50", TRUE, "239.1.2.3", 6000, 2,
      50, NULL },
  { "lmcc://239.1.2.3?max-level=-1&max-bitrate=500000&on-loss=freeze"
    "&algorithm=none&multicast-iface=lo&rtt-mode=fixed&rtt=20",
      TRUE, "239.1.2.3", 5004, -1, 200, NULL },
  { "lmcc://10.0.0.1@232.1.2.3", TRUE, "232.1.2.3", 5004, -1, 200, "10.0.0.1" },
  { "lmcc://[ff15::1]:6000", TRUE, "ff15::1", 6000, -1, 200, NULL },
  { "lmcc://fd00::7@[ff35::1]", TRUE, "ff35::1", 5004, -1, 200, "fd00::7" },
  { "lmcc://239.1.2.3?location=/etc/passwd&sdp=x", TRUE, "239.1.2.3", 5004, -1,
      200, NULL },
  { "LMCC://239.1.2.3", TRUE, "239.1.2.3", 5004, -1, 200, NULL },
  { "lmcc://10.0.0.1", FALSE },
  { "lmcc://example.org", FALSE },
  { "lmcc://", FALSE },
  { "lmcc:239.1.2.3", FALSE },
  { "", FALSE },
  { "udp://239.1.2.3", FALSE },
  { "lmcc://239.1.2.3:0", FALSE },
  { "lmcc://239.1.2.3:65535", FALSE },
  { "lmcc://239.1.2.3:99999", FALSE },
  { "lmcc://239.1.2.3/path", FALSE },
  { "lmcc://239.1.2.3?max-level=64", FALSE },
  { "lmcc://239.1.2.3?max-level=-2", FALSE },
  { "lmcc://239.1.2.3?max-level=", FALSE },
  { "lmcc://239.1.2.3?latency=1s", FALSE },
  { "lmcc://239.1.2.3?max-bitrate=-1", FALSE },
  { "lmcc://239.1.2.3?max-memory=64M", FALSE },
  { "lmcc://239.1.2.3?max-bitrate=99999999999999999999999", FALSE },
  { "lmcc://239.1.2.3?algorithm=magic", FALSE },
  { "lmcc://239.1.2.3?on-loss=panic", FALSE },
  { "lmcc://239.1.2.3?max-level", FALSE },
  { "lmcc://239.1.2.3?rtt-mode=guess", FALSE },
  { "lmcc://239.1.2.3?rtt=0", FALSE },
  { "lmcc://239.1.2.3?rtt=1ms", FALSE },
  { "lmcc://224.0.0.1@239.1.2.3", FALSE },
  { "lmcc://fd00::7@239.1.2.3", FALSE },
  { "lmcc://[ff15::1", FALSE },
};

GST_START_TEST (test_uris_set_properties_or_are_refused)
{
  const UriCase *c = &uri_cases[__i__];
  GstElement *src = gst_element_factory_make ("lmccsrc", NULL);
  g_autoptr (GError) error = NULL;
  g_autofree gchar *address = NULL;
  g_autofree gchar *source = NULL;
  g_autofree gchar *before = gst_uri_handler_get_uri (GST_URI_HANDLER (src));
  g_autofree gchar *after = NULL;
  gint port, max_level;
  guint latency;
  gboolean ok = gst_uri_handler_set_uri (GST_URI_HANDLER (src), c->uri, &error);

  fail_unless (ok == c->good, "%s: %s", c->uri, error ? error->message : "ok");
  after = gst_uri_handler_get_uri (GST_URI_HANDLER (src));
  if (c->good) {
    g_object_get (src, "address", &address, "port", &port, "max-level",
        &max_level, "latency", &latency, "multicast-source", &source, NULL);
    fail_unless_equals_string (address, c->address);
    fail_unless_equals_int (port, c->port);
    fail_unless_equals_int (max_level, c->max_level);
    fail_unless_equals_int (latency, c->latency);
    fail_unless_equals_string (source, c->source);
    /* A setting is read back unchanged. */
    fail_unless (gst_uri_handler_set_uri (GST_URI_HANDLER (src), after, NULL));
    g_free (before);
    before = gst_uri_handler_get_uri (GST_URI_HANDLER (src));
  } else {
    fail_unless (error != NULL && strlen (error->message) > 10);
  }
  fail_unless_equals_string (before, after);
  gst_object_unref (src);
}

GST_END_TEST;

typedef struct
{
  const gchar *property;
  const gchar *value;
  gboolean sayable; /* a URI can express it */
} OddValue;

static const OddValue odd_values[] = {
  { "address", "239.1.2.3", TRUE },
  { "address", "FF15::AB", TRUE },
  { "address", "ff3e::8000:1", TRUE },
  { "address", "", FALSE },
  { "address", "10.0.0.1", FALSE },
  { "address", "239.1.2.3:5004", FALSE },
  { "address", "239.1.2.3?max-level=1", FALSE },
  { "address", "a@239.1.2.3", FALSE },
  { "address", "%32", FALSE },
  { "address", "[ff15::1]", FALSE },
  { "address", "ff15::1%lo", FALSE },
  { "address", "\xff\xfe", FALSE },
  { "port", "1", TRUE },
  { "port", "65534", TRUE },
  { "multicast-source", "10.0.0.1", TRUE },
  { "multicast-source", "+10.0.0.1", TRUE },
  { "multicast-source", " 10.0.0.1 ", TRUE },
  { "multicast-source", "+ 10.0.0.1", TRUE },
  { "multicast-source", "", TRUE },
  { "multicast-source", "+", FALSE },
  { "multicast-source", "2001:db8::1", FALSE },
  { "multicast-source", "10.0.0.1,10.0.0.2", FALSE },
  { "multicast-source", "239.1.1.1", FALSE },
  { "multicast-source", "a/b", FALSE },
  { "multicast-source", "a@b", FALSE },
  { "multicast-source", "%zz", FALSE },
  { "multicast-iface", "eth0.100:1", TRUE },
  { "multicast-iface", "a&b=c#d?e/f%g h+i", TRUE },
  { "multicast-iface", "\xc3\xa4", TRUE },
  { "multicast-iface", "\n", TRUE },
  { "multicast-iface", "", TRUE },
  { "multicast-iface", "\xff\xfe", FALSE },
  { "latency", "0", TRUE },
  { "latency", "60000", TRUE },
  { "max-level", "-1", TRUE },
  { "max-level", "63", TRUE },
  { "max-bitrate", "18446744073709551615", TRUE },
  { "max-memory", "33554432", TRUE },
  { "rtt", "1", TRUE },
  { "rtt", "60000", TRUE },
  { "rtt-mode", "fixed", TRUE },
  { "algorithm", "none", TRUE },
  { "algorithm", "flid-dl", TRUE },
  { "on-loss", "freeze", TRUE },
  { "source-policy", "any", TRUE },
  { "source-policy", "ask", TRUE },
  { "eos-on-bye", "true", TRUE },
  { "eos-timeout", "0", TRUE },
};

static void
set_text (GstElement *src, const gchar *property, const gchar *text)
{
  GParamSpec *pspec =
      g_object_class_find_property (G_OBJECT_GET_CLASS (src), property);

  if (pspec->value_type == G_TYPE_STRING)
    g_object_set (src, property, text, NULL);
  else
    gst_util_set_object_arg (G_OBJECT (src), property, text);
}

/* All pairs: a combination that a URI cannot express must not be expressed
 * in part. */
GST_START_TEST (test_a_uri_that_is_told_is_read_as_the_same)
{
  static const gchar *const names[] = { "port", "latency", "max-level",
    "max-bitrate", "max-memory", "rtt", "rtt-mode", "algorithm", "on-loss",
    "source-policy", "eos-on-bye", "eos-timeout", "multicast-iface",
    "address" };
  const OddValue *first = &odd_values[__i__];
  guint i, j;

  for (i = 0; i < G_N_ELEMENTS (odd_values); i++) {
    const OddValue *second = &odd_values[i];
    GstElement *src = gst_element_factory_make ("lmccsrc", NULL);
    GstElement *other = gst_element_factory_make ("lmccsrc", NULL);
    g_autofree gchar *uri = NULL;
    g_autofree gchar *again = NULL;
    g_autoptr (GError) error = NULL;
    gboolean same = g_str_equal (first->property, second->property);

    set_text (src, first->property, first->value);
    set_text (src, second->property, second->value);
    uri = gst_uri_handler_get_uri (GST_URI_HANDLER (src));
    if (!second->sayable || (!same && !first->sayable)) {
      fail_if (uri != NULL && strstr (first->property, "source") == NULL
              && strstr (second->property, "source") == NULL,
          "%s", uri);
    } else if (uri == NULL) {
      /* Only if the address families differ. */
      fail_unless (strchr (first->value, ':') != NULL
              || strchr (second->value, ':') != NULL,
          "%s=%s %s=%s", first->property, first->value, second->property,
          second->value);
    }
    if (uri != NULL) {
      fail_unless (gst_uri_handler_set_uri (GST_URI_HANDLER (other), uri,
                       &error),
          "%s: %s", uri, error ? error->message : "");
      again = gst_uri_handler_get_uri (GST_URI_HANDLER (other));
      fail_unless_equals_string (uri, again);
      for (j = 0; j < G_N_ELEMENTS (names); j++) {
        g_auto (GValue) a = G_VALUE_INIT, b = G_VALUE_INIT;
        g_autofree gchar *a_text = NULL, *b_text = NULL;

        g_object_get_property (G_OBJECT (src), names[j], &a);
        g_object_get_property (G_OBJECT (other), names[j], &b);
        a_text = g_strdup_value_contents (&a);
        b_text = g_strdup_value_contents (&b);
        fail_unless (g_ascii_strcasecmp (a_text, b_text) == 0
                || g_str_equal (a_text, "\"\""),
            "%s: %s, %s", names[j], a_text, b_text);
      }
    }
    gst_object_unref (src);
    gst_object_unref (other);
  }
}

GST_END_TEST;

GST_START_TEST (test_a_new_uri_resets_what_the_old_one_set)
{
  GstElement *src = gst_element_factory_make ("lmccsrc", NULL);
  gint max_level, on_loss;
  guint latency, rtt;
  guint64 max_bitrate;
  gint rtt_mode;

  g_object_set (src, "max-bitrate", G_GUINT64_CONSTANT (5), "uri",
      "lmcc://10.0.0.1@239.1.2.3?max-level=3&latency=7&on-loss=freeze"
      "&rtt-mode=fixed&rtt=20",
      NULL);
  g_object_get (src, "rtt-mode", &rtt_mode, "rtt", &rtt, NULL);
  fail_unless_equals_int (rtt_mode, LMCC_RTT_MODE_FIXED);
  fail_unless_equals_int (rtt, 20);
  g_object_set (src, "uri", "lmcc://239.1.2.4", NULL);
  g_object_get (src, "max-level", &max_level, "latency", &latency, "on-loss",
      &on_loss, "max-bitrate", &max_bitrate, "rtt-mode", &rtt_mode, "rtt", &rtt,
      NULL);
  fail_unless_equals_int (rtt_mode, LMCC_RTT_MODE_FEEDBACK);
  fail_unless_equals_int (rtt, 100);
  fail_unless_equals_int (max_level, -1);
  fail_unless_equals_int (latency, 200);
  fail_unless_equals_int (on_loss, LMCC_ON_LOSS_CONCEAL);
  /* The URI did not set this property. */
  fail_unless_equals_uint64 (max_bitrate, 5);
  gst_object_unref (src);
}

GST_END_TEST;

static guint
latency_of (GstElement *source)
{
  guint latency;

  g_object_get (source, "latency", &latency, NULL);
  return latency;
}

GST_START_TEST (test_a_profile_sets_a_latency_that_is_not_set)
{
  GstElement *source = gst_element_factory_make ("lmccsrc", NULL);

  fail_unless_equals_int (latency_of (source), 200);
  gst_util_set_object_arg (G_OBJECT (source), "latency-profile", "live");
  fail_unless_equals_int (latency_of (source), 40);
  g_object_set (source, "uri", "lmcc://239.1.2.3?latency-profile=quality",
      NULL);
  fail_unless_equals_int (latency_of (source), 500);
  g_object_set (source, "uri", "lmcc://239.1.2.3?latency=70", NULL);
  fail_unless_equals_int (latency_of (source), 70);
  gst_util_set_object_arg (G_OBJECT (source), "latency-profile", "live");
  fail_unless_equals_int (latency_of (source), 70);
  g_object_set (source, "uri", "lmcc://239.1.2.3", NULL);
  fail_unless_equals_int (latency_of (source), 40);

  /* Also if it is the default. */
  g_object_set (source, "latency", 200, NULL);
  gst_util_set_object_arg (G_OBJECT (source), "latency-profile", "quality");
  fail_unless_equals_int (latency_of (source), 200);
  gst_object_unref (source);
}

GST_END_TEST;

static const struct
{
  const gchar *property;
  const gchar *value;
  const gchar *in_message;
} bad_properties[] = {
  { "address", "10.0.0.1", "not a multicast address" },
  { "address", "no-such-host", "not a multicast address" },
  { "address", "232.1.2.3", "multicast-source" },
  { "multicast-source", "10.0.0.1+10.0.0.2", "multicast-source" },
  { "multicast-source", "fd00::1", "same family" },
  { "multicast-iface", "nosuchif0", "nosuchif0" },
  { "sdp", "v=0\r\ngarbage", "session description" },
  { "sdp", "/nonexistent/file.sdp", "session description" },
  { "uri", "lmcc://10.0.0.1", "multicast address" },
};

GST_START_TEST (test_bad_properties_fail_with_cause_and_remedy)
{
  GstElement *src = gst_element_factory_make ("lmccsrc", NULL);
  GstBus *bus = gst_bus_new ();
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL;

  gst_element_set_bus (src, bus);
  g_object_set (src, "multicast-iface", "lo", NULL);
  g_object_set (src, bad_properties[__i__].property,
      bad_properties[__i__].value, NULL);
  fail_unless_equals_int (gst_element_set_state (src, GST_STATE_PAUSED),
      GST_STATE_CHANGE_FAILURE);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (strstr (error->message, bad_properties[__i__].in_message)
          != NULL,
      "%s", error->message);
  gst_element_set_state (src, GST_STATE_NULL);
  gst_element_set_bus (src, NULL);
  gst_object_unref (bus);
  gst_object_unref (src);
}

GST_END_TEST;

static const struct
{
  const gchar *algorithm;
  const gchar *settings;
  const gchar *in_message;
} algorithm_settings[] = {
  { "auto", "elm,strategy=lazy,join-time=25.0,restart=false,loss-window=5",
      NULL },
  { "elm", "elm,join-time=25,strategy=(string)naive", NULL },
  { "auto", "elm", NULL },
  { "none", "none", NULL },
  { "auto", "magic,strategy=lazy", "are: none, elm" },
  { "auto", "elm,colour=red", "strategy" },
  { "auto", "elm,strategy=eager", "naive" },
  { "auto", "elm,strategy=1", "naive" },
  { "auto", "elm,join-time=-1", "join-time" },
  { "auto", "elm,join-time=soon", "0 to 3600 s" },
  { "auto", "elm,loss-window=2.5", "whole number" },
  { "auto", "elm,restart=7", "true|false" },
  { "none", "none,strategy=lazy", "strategy" },
  { "none", "elm,strategy=lazy", "algorithm is none" },
};

GST_START_TEST (test_algorithm_settings_are_taken_or_refused_with_what_exists)
{
  GstElement *src = gst_element_factory_make ("lmccsrc", NULL);
  GstBus *bus = gst_bus_new ();
  const gchar *in_message = algorithm_settings[__i__].in_message;
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GstStructure) settings = NULL;

  gst_element_set_bus (src, bus);
  g_object_set (src, "multicast-iface", "lo", NULL);
  gst_util_set_object_arg (G_OBJECT (src), "algorithm",
      algorithm_settings[__i__].algorithm);
  gst_util_set_object_arg (G_OBJECT (src), "algorithm-settings",
      algorithm_settings[__i__].settings);
  g_object_get (src, "algorithm-settings", &settings, NULL);
  fail_unless (settings != NULL);
  fail_unless_equals_int (gst_element_set_state (src, GST_STATE_PAUSED),
      in_message ? GST_STATE_CHANGE_FAILURE : GST_STATE_CHANGE_NO_PREROLL);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  fail_unless ((message != NULL) == (in_message != NULL));
  if (message) {
    g_autoptr (GError) error = NULL;

    gst_message_parse_error (message, &error, NULL);
    fail_unless (g_error_matches (error, GST_RESOURCE_ERROR,
        GST_RESOURCE_ERROR_SETTINGS));
    fail_unless (strstr (error->message, in_message) != NULL, "%s",
        error->message);
  }
  gst_element_set_state (src, GST_STATE_NULL);
  gst_element_set_bus (src, NULL);
  gst_object_unref (bus);
  gst_object_unref (src);
}

GST_END_TEST;

static void
check_numbers (const gchar *element, const gchar *property, gboolean all)
{
  GstElement *made = gst_element_factory_make (element, NULL);
  GParamSpec *spec =
      g_object_class_find_property (G_OBJECT_GET_CLASS (made), property);
  GEnumClass *values = G_PARAM_SPEC_ENUM (spec)->enum_class;
  guint n, i, n_found = 0;
  const LmccAlgorithm *const *list = lmcc_algorithm_list (&n);

  for (i = 0; i < n; i++) {
    const GEnumValue *value = g_enum_get_value_by_nick (values, list[i]->name);

    fail_unless (value != NULL || !all, "%s", list[i]->name);
    if (value == NULL)
      continue;
    n_found++;
    fail_unless_equals_int (value->value, list[i]->number);
  }
  fail_unless_equals_int (values->n_values, all ? n + 1 : n_found);
  gst_object_unref (made);
}

/* Programs use the numbers, which are compiled into them. */
GST_START_TEST (test_enumerations_have_the_numbers_of_the_registry)
{
  check_numbers ("lmccsrc", "algorithm", TRUE);
  check_numbers ("lmccsink", "algorithm", TRUE);
  check_numbers ("lmccsink", "base-algorithm", FALSE);
}

GST_END_TEST;

static Suite *
lmccsrc_settings_suite (void)
{
  Suite *suite = suite_create ("lmccsrc-settings");
  TCase *settings = tcase_create ("settings");

  suite_add_tcase (suite, settings);
  tcase_add_loop_test (settings, test_uris_set_properties_or_are_refused, 0,
      G_N_ELEMENTS (uri_cases));
  tcase_add_loop_test (settings, test_a_uri_that_is_told_is_read_as_the_same, 0,
      G_N_ELEMENTS (odd_values));
  tcase_add_test (settings, test_a_profile_sets_a_latency_that_is_not_set);
  tcase_add_test (settings, test_a_new_uri_resets_what_the_old_one_set);
  tcase_add_test (settings, test_enumerations_have_the_numbers_of_the_registry);
  tcase_add_loop_test (settings, test_bad_properties_fail_with_cause_and_remedy,
      0, G_N_ELEMENTS (bad_properties));
  tcase_add_loop_test (settings,
      test_algorithm_settings_are_taken_or_refused_with_what_exists, 0,
      G_N_ELEMENTS (algorithm_settings));

  return suite;
}

GST_CHECK_MAIN (lmccsrc_settings);
