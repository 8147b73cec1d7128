/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the URI that sets several of lmccsink's properties, as lmccsrc's URI
 * does.
 */
#include "element-tools.h"

#include <gst/check/gstcheck.h>
#include <string.h>

typedef struct
{
  const gchar *uri;
  const gchar *told; /* NULL: unchanged */
  const gchar *address;
  gint port;
  const gchar *bind_address;
  const gchar *iface;
  gint ttl;
  guint latency;
} Row;

static const Row rows[] = {
  { "lmcc://239.1.2.3:6000", NULL, "239.1.2.3", 6000, NULL, NULL, 1, 0 },
  { "lmcc://239.1.2.3", "lmcc://239.1.2.3:5004", "239.1.2.3", 5004, NULL, NULL,
      1, 0 },
  { "LMCC://[ff15::1]:7000?multicast-iface=eth0&ttl-mc=4",
      "lmcc://[ff15::1]:7000?multicast-iface=eth0&ttl-mc=4", "ff15::1", 7000,
      NULL, "eth0", 4, 0 },
  { "lmcc://10.0.0.1@232.1.2.3:5004?latency=300", NULL, "232.1.2.3", 5004,
      "10.0.0.1", NULL, 1, 300 },
  /* Settings of receivers are ignored. */
  { "lmcc://239.1.2.3:5004?max-level=1&eos-on-bye=true&latency=5",
      "lmcc://239.1.2.3:5004?latency=5", "239.1.2.3", 5004, NULL, NULL, 1, 5 },
};

static void
check_row (GstElement *sink, const Row *row)
{
  g_autofree gchar *address = NULL, *bind_address = NULL, *iface = NULL;
  g_autofree gchar *told = NULL, *handled = NULL;
  gint port, ttl;
  guint latency;

  g_object_get (sink, "address", &address, "port", &port, "bind-address",
      &bind_address, "multicast-iface", &iface, "ttl-mc", &ttl, "latency",
      &latency, "uri", &told, NULL);
  handled = gst_uri_handler_get_uri (GST_URI_HANDLER (sink));
  fail_unless_equals_string (address, row->address);
  fail_unless_equals_int (port, row->port);
  fail_unless (g_strcmp0 (bind_address, row->bind_address) == 0);
  fail_unless (g_strcmp0 (iface, row->iface) == 0);
  fail_unless_equals_int (ttl, row->ttl);
  fail_unless_equals_int (latency, row->latency);
  fail_unless_equals_string (told, row->told != NULL ? row->told : row->uri);
  fail_unless_equals_string (handled, told);
}

/* One after the other on one element: nothing of an earlier one remains. */
GST_START_TEST (test_a_uri_sets_what_it_says_and_no_more)
{
  GstElement *sink = gst_element_factory_make ("lmccsink", NULL);
  guint i, j;

  gst_object_ref_sink (sink);
  for (i = 0; i < G_N_ELEMENTS (rows); i++) {
    for (j = 0; j < G_N_ELEMENTS (rows); j++) {
      g_object_set (sink, "uri", rows[i].uri, NULL);
      fail_unless (
          gst_uri_handler_set_uri (GST_URI_HANDLER (sink), rows[j].uri, NULL));
      check_row (sink, &rows[j]);
    }
  }
  gst_object_unref (sink);
}

GST_END_TEST;

GST_START_TEST (test_a_sink_is_made_from_a_uri)
{
  GstElement *sink =
      gst_element_make_from_uri (GST_URI_SINK, rows[3].uri, NULL, NULL);
  GstElement *src =
      gst_element_make_from_uri (GST_URI_SRC, rows[0].uri, NULL, NULL);

  fail_unless (sink != NULL && src != NULL);
  gst_object_ref_sink (sink);
  gst_object_ref_sink (src);
  fail_unless_equals_string (G_OBJECT_TYPE_NAME (sink), "GstLmccSink");
  fail_unless_equals_string (G_OBJECT_TYPE_NAME (src), "GstLmccSrc");
  check_row (sink, &rows[3]);
  gst_object_unref (sink);
  gst_object_unref (src);
}

GST_END_TEST;

/**
 * BadUri:
 * @uri: not a valid URI of a sender
 * @by_handler: (nullable): text in the error of #GstURIHandler; %NULL if
 *     GStreamer itself rejects it
 * @at_start: text in the error at the start
 */
typedef struct
{
  const gchar *uri;
  const gchar *by_handler;
  const gchar *at_start;
} BadUri;

#define BAD(uri, words)     \
  {                         \
    (uri), (words), (words) \
  }

static const BadUri bad_uris[] = {
  { "http://239.1.2.3:5004", NULL, "scheme 'http': the scheme must be lmcc:" },
  BAD ("lmcc://10.0.0.1:5004",
      "address '10.0.0.1': use a multicast address: 224.0.0.0 to "
      "239.255.255.255"),
  BAD ("lmcc://239.1.2.3:65535",
      "port of 'lmcc://239.1.2.3:65535': use a port from 1 to 65534"),
  BAD ("lmcc://239.1.2.3/path",
      "path '/path': a session has no path; options follow a question mark"),
  BAD ("lmcc://239.1.2.3?ttl-mc=256",
      "ttl-mc '256': use an integer from 0 to 255"),
  BAD ("lmcc://239.1.2.3?algorithm=no-such",
      "algorithm 'no-such': use auto, none, elm"),
  BAD ("lmcc://::1@239.1.2.3",
      "source '::1': use the sender's own address, of the same family as the "
      "group"),
  { "", NULL, "URI '': " },
};

/* A property cannot return an error, so the error is posted at the start. */
GST_START_TEST (test_a_uri_that_cannot_be_is_refused)
{
  const BadUri *row = &bad_uris[__i__];
  const gchar *uri = row->uri;
  GstElement *sink = gst_element_factory_make ("lmccsink", NULL);
  g_autoptr (GstBus) bus = gst_bus_new ();
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL, start_error = NULL;

  gst_object_ref_sink (sink);
  gst_element_set_bus (sink, bus);
  fail_if (gst_uri_handler_set_uri (GST_URI_HANDLER (sink), uri, &error));
  fail_unless (g_error_matches (error, GST_URI_ERROR, GST_URI_ERROR_BAD_URI)
      || g_error_matches (error, GST_URI_ERROR,
          GST_URI_ERROR_UNSUPPORTED_PROTOCOL));
  g_object_set (sink, "uri", uri, NULL);
  fail_unless_equals_int (gst_element_set_state (sink, GST_STATE_READY),
      GST_STATE_CHANGE_FAILURE);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_parse_error (message, &start_error, NULL);
  fail_unless (row->by_handler == NULL
          || strstr (error->message, row->by_handler) != NULL,
      "'%s' is not in: %s", row->by_handler, error->message);
  fail_unless (strstr (start_error->message, row->at_start) != NULL,
      "'%s' is not in: %s", row->at_start, start_error->message);

  /* A valid URI clears the error. */
  gst_element_set_state (sink, GST_STATE_NULL);
  g_object_set (sink, "uri", "lmcc://239.77.22.1:5004?multicast-iface=lo",
      NULL);
  fail_unless_equals_int (gst_element_set_state (sink, GST_STATE_READY),
      GST_STATE_CHANGE_SUCCESS);
  gst_element_set_state (sink, GST_STATE_NULL);
  gst_element_set_bus (sink, NULL);
  gst_object_unref (sink);
}

GST_END_TEST;

GST_START_TEST (test_a_uri_is_set_in_null_only)
{
  GstElement *sink = gst_element_factory_make ("lmccsink", NULL);
  g_autoptr (GError) error = NULL;
  g_autofree gchar *told = NULL;

  gst_object_ref_sink (sink);
  g_object_set (sink, "uri", "lmcc://239.77.22.1:5004?multicast-iface=lo",
      NULL);
  fail_unless_equals_int (gst_element_set_state (sink, GST_STATE_READY),
      GST_STATE_CHANGE_SUCCESS);
  fail_if (
      gst_uri_handler_set_uri (GST_URI_HANDLER (sink), rows[0].uri, &error));
  fail_unless (g_error_matches (error, GST_URI_ERROR, GST_URI_ERROR_BAD_STATE));
  fail_unless (strstr (error->message, "set the element to NULL first") != NULL,
      "%s", error->message);
  g_object_set (sink, "uri", rows[0].uri, NULL);
  g_object_get (sink, "uri", &told, NULL);
  fail_unless_equals_string (told,
      "lmcc://239.77.22.1:5004?multicast-iface=lo");
  gst_element_set_state (sink, GST_STATE_NULL);
  gst_object_unref (sink);
}

GST_END_TEST;

static Suite *
lmccsink_uri_suite (void)
{
  Suite *suite = suite_create ("lmccsink-uri");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_a_uri_sets_what_it_says_and_no_more);
  tcase_add_test (tcase, test_a_sink_is_made_from_a_uri);
  tcase_add_loop_test (tcase, test_a_uri_that_cannot_be_is_refused, 0,
      G_N_ELEMENTS (bad_uris));
  tcase_add_test (tcase, test_a_uri_is_set_in_null_only);

  return suite;
}

GST_CHECK_MAIN (lmccsink_uri);
