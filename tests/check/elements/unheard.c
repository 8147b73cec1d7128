/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests lmccsrc's messages when no packets arrive, and when they stop.
 */
#include "fake-sender.h"
#include "src-tools.h"

#include <gst/check/gstcheck.h>
#include <string.h>
#include <unistd.h>

#define PORT (40000 + 2 * (getpid () % 5000))

/* From TEST-NET-3 (RFC 5737), which is no host's network. */
#define FAR_SOURCE "203.0.113.77"
#define NEAR_SOURCE "127.0.0.9"

static void
start (TestSrc *self, const gchar *source)
{
  g_autofree gchar *uri =
      g_strdup_printf ("lmcc://%s%s239.255.%d.1:%d?multicast-iface=lo",
          source ? source : "", source ? "@" : "",
          20 + (gint) (getpid () % 100), PORT);

  test_src_init (self, "max-level=0", uri, "max-buffers=10 drop=true");
  test_src_play (self);
}

/* (transfer full): the warning that no packets arrive */
static gchar *
wait_unheard (TestSrc *self)
{
  g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (self->bus,
      TEST_SRC_PATIENCE, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR);
  g_autoptr (GError) error = NULL;

  fail_unless (message != NULL, "no warning came");
  fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_WARNING);
  gst_message_parse_warning (message, &error, NULL);

  return g_strdup (error->message);
}

static void
check_words (const gchar *text, const gchar *const *words, gboolean there)
{
  for (; *words != NULL; words++)
    fail_unless ((strstr (text, *words) != NULL) == there, "'%s' %s in: %s",
        *words, there ? "is not" : "is", text);
}

GST_START_TEST (test_a_sender_beyond_a_router_needs_a_ttl)
{
  static const gchar *const routers[] = { FAR_SOURCE, "behind a router",
    "ttl-mc", "forward multicast", NULL };
  static const gchar *const all[] = { "No sender heard", "within 5 s",
    "Allow incoming UDP", "gst-lmcc-1.0 doctor", NULL };
  static const struct
  {
    const gchar *source;
    gboolean router;
  } rows[] = { { FAR_SOURCE, TRUE }, { NEAR_SOURCE, FALSE }, { NULL, FALSE } };
  TestSrc receivers[G_N_ELEMENTS (rows)];
  guint i;

  for (i = 0; i < G_N_ELEMENTS (rows); i++)
    start (&receivers[i], rows[i].source);
  for (i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree gchar *text = wait_unheard (&receivers[i]);

    check_words (text, all, TRUE);
    check_words (text, routers + !rows[i].router, rows[i].router);
    test_src_clear (&receivers[i]);
  }
}

GST_END_TEST;

GST_START_TEST (test_a_silence_in_mid_session_has_its_own_words)
{
  static const gchar *const present[] = { "Packets from 127.0.0.1 to 239.255.",
    "stopped after", "has arrived for 5 s", "querier", NULL };
  static const gchar *const absent[] = { "No sender heard",
    "Allow incoming UDP", NULL };
  g_autofree gchar *address =
      g_strdup_printf ("239.255.%d.1", 20 + (gint) (getpid () % 100));
  g_autofree gchar *text = NULL;
  g_autoptr (GstMessage) message = NULL;
  const GstStructure *s;
  FakeSender *sender = fake_sender_start (address, (guint16) PORT, 1, NULL);
  gdouble heard = -1;
  TestSrc receiver;

  start (&receiver, NULL);
  test_src_await (&receiver);
  fake_sender_kill (sender);
  text = wait_unheard (&receiver);
  check_words (text, present, TRUE);
  check_words (text, absent, FALSE);
  message = test_src_wait (&receiver, "lmcc-unheard");
  s = gst_message_get_structure (message);
  fail_unless (gst_structure_get_double (s, "heard-ms", &heard));
  fail_unless (heard >= 0 && heard < 60000, "%f", heard);
  test_src_clear (&receiver);
}

GST_END_TEST;

static Suite *
unheard_suite (void)
{
  Suite *suite = suite_create ("unheard");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 60);
  tcase_add_test (tcase, test_a_sender_beyond_a_router_needs_a_ttl);
  tcase_add_test (tcase, test_a_silence_in_mid_session_has_its_own_words);

  return suite;
}

GST_CHECK_MAIN (unheard);
