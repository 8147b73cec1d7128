/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the values of multicast-iface at both ends.
 * tests/loopback/two-interfaces.py tests several interfaces on real
 * networks.
 */
#include "element-tools.h"

#include <gst/check/gstcheck.h>

static const gchar *const elements[] = { "lmccsink", "lmccsrc" };

typedef struct
{
  const gchar *address;
  const gchar *interfaces;
  GstMessageType type; /* text of the message; NULL: no message */
  const gchar *words[2];
} Row;

static const Row rows[] = {
  { "239.255.77.1", "lo", 0, { NULL } },
  { "239.255.77.1", " lo , 127.0.0.1,lo,", 0, { NULL } },
  { "239.255.77.1", "lo,nosuch0", GST_MESSAGE_WARNING,
      { "cannot be used now: 'nosuch0'", "Interfaces: lo (127.0.0.1" } },
  { "239.255.77.1", "nosuch0,127.0.0.1,192.0.2.77", GST_MESSAGE_WARNING,
      { "now: 'nosuch0', '192.0.2.77'", "The others continue" } },
  { "239.255.77.1", "nosuch0,nosuch1", GST_MESSAGE_ERROR,
      { "nosuch0", "lo (127.0.0.1" } },
  { "239.255.77.1", "n0,n1,n2,n3,n4,n5,n6,n7,n8", GST_MESSAGE_ERROR,
      { "more than 8", "name fewer" } },
  { "ff02::77:1", "lo,nosuch0", GST_MESSAGE_ERROR,
      { "several interfaces", "name one" } },
};

static void
check_told (GstBus *bus, const Row *row)
{
  g_autoptr (GstMessage) message =
      gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
  g_autoptr (GError) error = NULL;
  guint i;

  fail_unless_equals_int (message ? GST_MESSAGE_TYPE (message) : 0, row->type);
  if (message == NULL)
    return;
  if (row->type == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  else
    gst_message_parse_warning (message, &error, NULL);
  for (i = 0; i < G_N_ELEMENTS (row->words); i++)
    fail_unless (strstr (error->message, row->words[i]) != NULL, "%s",
        error->message);
}

static void
check_row (const gchar *name, const Row *row)
{
  GstElement *element = gst_element_factory_make (name, NULL);
  g_autoptr (GstBus) bus = gst_bus_new ();
  GstStateChangeReturn ret;

  g_printerr ("%s %s %s\n", name, row->address, row->interfaces);
  gst_object_ref_sink (element);
  gst_element_set_bus (element, bus);
  g_object_set (element, "address", row->address, "multicast-iface",
      row->interfaces, NULL);
  ret = gst_element_set_state (element, GST_STATE_PAUSED);
  fail_unless (
      (ret == GST_STATE_CHANGE_FAILURE) == (row->type == GST_MESSAGE_ERROR));
  check_told (bus, row);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_set_bus (element, NULL);
  gst_object_unref (element);
}

GST_START_TEST (interfaces_are_one_or_several)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (rows); i++)
    check_row (elements[__i__], &rows[i]);
}

GST_END_TEST;

/* A URI and a property may name several interfaces, and the URI repeats
 * them. */
GST_START_TEST (a_uri_says_several)
{
  GstElement *element = gst_element_factory_make (elements[__i__], NULL);
  g_autofree gchar *interfaces = NULL, *uri = NULL;

  gst_object_ref_sink (element);
  g_object_set (element, "uri",
      "lmcc://239.255.77.1:5004?multicast-iface=eth0,eth1", NULL);
  g_object_get (element, "multicast-iface", &interfaces, "uri", &uri, NULL);
  fail_unless_equals_string (interfaces, "eth0,eth1");
  fail_unless_equals_string (uri,
      "lmcc://239.255.77.1:5004?multicast-iface=eth0%2Ceth1");
  gst_object_unref (element);
}

GST_END_TEST;

static Suite *
interfaces_suite (void)
{
  Suite *suite = suite_create ("interfaces");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, interfaces_are_one_or_several, 0,
      G_N_ELEMENTS (elements));
  tcase_add_loop_test (tcase, a_uri_says_several, 0, G_N_ELEMENTS (elements));

  return suite;
}

GST_CHECK_MAIN (interfaces);
