/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the validation of sessions.
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/wire/levels.h>

static void
valid_session (LmccSession *session)
{
  lmcc_session_init (session);
  fail_unless (lmcc_address_parse ("239.255.42.1", &session->address));
  session->port = 5004;
  session->ssrc_base = 0x1000;
  g_strlcpy (session->video.encoding_name, "H264",
      sizeof (session->video.encoding_name));
  session->video.clock_rate = 90000;
}

#define ASSERT_RANGE(field, low, high)                                      \
  G_STMT_START                                                              \
  {                                                                         \
    static const gint64 values[] = { (low) -1, (low), (high), (high) + 1 }; \
    guint at;                                                               \
    for (at = 0; at < 4; at++) {                                            \
      g_autoptr (GError) error = NULL;                                      \
      LmccSession session;                                                  \
      valid_session (&session);                                             \
      session.field = values[at];                                           \
      fail_unless_equals_int (lmcc_session_validate (&session, &error),     \
          at == 1 || at == 2);                                              \
      fail_unless (at == 1 || at == 2                                       \
          || g_error_matches (error, LMCC_SESSION_ERROR,                    \
              LMCC_SESSION_ERROR_VALUE));                                   \
    }                                                                       \
  }                                                                         \
  G_STMT_END

GST_START_TEST (ranges_end_where_they_should)
{
  ASSERT_RANGE (port, 1, 65534);
  ASSERT_RANGE (n_layers, 1, 1);
  ASSERT_RANGE (n_groups, 1, LMCC_MAX_GROUPS);
  ASSERT_RANGE (n_rungs, 1, LMCC_MAX_RUNGS);
  ASSERT_RANGE (header_id, 1, 14);
  ASSERT_RANGE (packet_size, 100, LMCC_MAX_PACKET_SIZE);
  ASSERT_RANGE (slot_modulus, 1, 65536);
  ASSERT_RANGE (repair_payload_type, 113, 127);
}

GST_END_TEST;

#define ASSERT_LIMIT(field, high)                         \
  G_STMT_START                                            \
  {                                                       \
    LmccSession session;                                  \
    valid_session (&session);                             \
    session.field = (high);                               \
    fail_unless (lmcc_session_validate (&session, NULL)); \
    session.field = (high) + 1;                           \
    fail_if (lmcc_session_validate (&session, NULL));     \
  }                                                       \
  G_STMT_END

GST_START_TEST (times_and_rates_are_limited)
{
  ASSERT_LIMIT (window, 60 * LMCC_SECOND);
  ASSERT_LIMIT (latency, 60 * LMCC_SECOND);
  ASSERT_LIMIT (slot, 60 * LMCC_SECOND);
  ASSERT_LIMIT (rtt_max, 60 * LMCC_SECOND);
  ASSERT_LIMIT (feedback_interval, 1000000 * LMCC_SECOND);
  ASSERT_LIMIT (layers[0].rate, G_GUINT64_CONSTANT (1000000000000));
  ASSERT_LIMIT (layers[0].klass, 15);
  ASSERT_LIMIT (layers[0].stream, 15);
  ASSERT_LIMIT (repair, 10000);
  ASSERT_LIMIT (repair_delay, 60 * LMCC_SECOND);
  ASSERT_LIMIT (train_cycle, 60 * LMCC_SECOND);
  ASSERT_LIMIT (turning_groups, 1);
  ASSERT_LIMIT (ssrc_base, 0xfffff000);
}

GST_END_TEST;

GST_START_TEST (groups_stay_in_the_scope_and_suffice)
{
  LmccSession session;

  valid_session (&session);
  session.n_layers = session.n_groups = 64;
  fail_unless (lmcc_session_validate (&session, NULL));
  session.n_groups = 63;
  fail_if (lmcc_session_validate (&session, NULL));
  session.turning_groups = 63;
  fail_unless (lmcc_session_validate (&session, NULL));
  session.silent_groups = 64;
  fail_if (lmcc_session_validate (&session, NULL));
  session.silent_groups = 63;
  session.address.bytes[2] = 255;
  session.address.bytes[3] = 255 - 62;
  fail_unless (lmcc_session_validate (&session, NULL));
  session.address.bytes[3]++;
  fail_if (lmcc_session_validate (&session, NULL));
  session.address.bytes[0] = 192;
  fail_if (lmcc_session_validate (&session, NULL));
}

GST_END_TEST;

GST_START_TEST (payload_types_are_not_used_twice)
{
  LmccSession session;

  valid_session (&session);
  session.n_rungs = 14;
  g_strlcpy (session.sound.encoding_name, "OPUS",
      sizeof (session.sound.encoding_name));
  fail_if (lmcc_session_validate (&session, NULL));
  session.sound.clock_rate = 48000;
  fail_unless (lmcc_session_validate (&session, NULL));
  for (session.filler_payload_type = 0; session.filler_payload_type < 128;
       session.filler_payload_type++)
    fail_unless_equals_int (lmcc_session_validate (&session, NULL),
        session.filler_payload_type < 96 || session.filler_payload_type > 111);
  session.filler_payload_type = 95;
  session.payload_type = 114;
  fail_if (lmcc_session_validate (&session, NULL));
  session.sound.encoding_name[0] = '\0';
  fail_unless (lmcc_session_validate (&session, NULL));
  session.payload_type = 115;
  fail_if (lmcc_session_validate (&session, NULL));
}

GST_END_TEST;

GST_START_TEST (the_source_is_a_host_of_the_same_family)
{
  LmccSession session;

  valid_session (&session);
  session.source_specific = TRUE;
  fail_if (lmcc_session_validate (&session, NULL));
  lmcc_address_parse ("192.0.2.1", &session.source);
  fail_unless (lmcc_session_validate (&session, NULL));
  lmcc_address_parse ("2001:db8::1", &session.source);
  fail_if (lmcc_session_validate (&session, NULL));
  lmcc_address_parse ("239.0.0.1", &session.source);
  fail_if (lmcc_session_validate (&session, NULL));
  lmcc_address_parse ("255.255.255.255", &session.source);
  fail_if (lmcc_session_validate (&session, NULL));
}

GST_END_TEST;

GST_START_TEST (names_are_tokens)
{
  guint value;

  for (value = 1; value < 256; value++) {
    LmccSession session;

    valid_session (&session);
    session.video.encoding_name[1] = value;
    session.algorithm[1] = value;
    fail_unless_equals_int (lmcc_session_validate (&session, NULL),
        g_ascii_isdigit (value) || strchr ("-._+", value) != NULL);
    valid_session (&session);
    session.algorithm[1] = value;
    fail_unless_equals_int (lmcc_session_validate (&session, NULL),
        g_ascii_isdigit (value) || g_ascii_islower (value)
            || strchr ("-._+", value) != NULL);
  }
}

GST_END_TEST;

GST_START_TEST (ssrcs_and_rates_add_up)
{
  LmccSession session;
  guint i;

  valid_session (&session);
  session.n_layers = 3;
  for (i = 0; i < 3; i++)
    session.layers[i].rate = 1000 << i;
  fail_unless_equals_uint64 (lmcc_session_level_rate (&session, 0), 1000);
  fail_unless_equals_uint64 (lmcc_session_level_rate (&session, 2), 7000);
  fail_unless_equals_uint64 (lmcc_session_level_rate (&session, 9), 7000);
  fail_unless_equals_uint64 (lmcc_session_ssrc (&session, 0, 0), 0x1000);
  fail_unless_equals_uint64 (lmcc_session_ssrc (&session, 14, 63), 0x13bf);
}

GST_END_TEST;

/* The fourth layer belongs to no level. */
static void
list_levels (LmccSession *session)
{
  guint i;

  valid_session (session);
  session->n_layers = session->n_groups = 4;
  for (i = 0; i < 4; i++)
    session->layers[i].rate = 1000 << i;
  session->level_layers[0] = 1;
  session->level_layers[1] = 3;
  session->level_layers[2] = 5;
}

GST_START_TEST (a_level_is_the_first_layers_where_nobody_says)
{
  LmccSession session;
  gint level;
  guint n;

  for (n = 1; n <= LMCC_MAX_LAYERS; n++) {
    valid_session (&session);
    session.n_layers = session.n_groups = n;
    fail_unless_equals_int (lmcc_session_count_levels (&session), n);
    fail_unless (lmcc_session_is_cumulative (&session));
    fail_unless_equals_uint64 (lmcc_session_level_layers (&session, -1), 0);
    for (level = 0; level < (gint) n; level++) {
      fail_unless_equals_uint64 (lmcc_session_level_layers (&session, level),
          lmcc_layer_set_first ((guint) level + 1));
      fail_unless_equals_uint64 (lmcc_session_level_adds (&session, level),
          G_GUINT64_CONSTANT (1) << level);
      fail_unless_equals_uint64 (lmcc_session_layer_levels (&session,
                                     (guint) level),
          lmcc_layer_set_first (n) & ~lmcc_layer_set_first ((guint) level));
    }
    fail_unless_equals_uint64 (lmcc_session_level_layers (&session,
                                   LMCC_MAX_LAYERS),
        lmcc_layer_set_first (n));
  }
}

GST_END_TEST;

GST_START_TEST (levels_that_are_listed_have_their_layers)
{
  static const guint64 rates[] = { 1000, 3000, 5000, 5000 };
  static const guint64 added[] = { 1, 2, 4, 0 };
  static const guint64 holders[] = { 7, 2, 4, 0 };
  LmccSession session;
  guint i, k;

  list_levels (&session);
  fail_unless (lmcc_session_validate (&session, NULL));
  fail_unless_equals_int (lmcc_session_count_levels (&session), 3);
  fail_unless_equals_uint64 (lmcc_session_layers_rate (&session, 6), 6000);
  fail_if (lmcc_session_is_cumulative (&session));
  for (i = 0; i < 4; i++) {
    fail_unless_equals_uint64 (lmcc_session_level_rate (&session, i), rates[i]);
    fail_unless_equals_uint64 (lmcc_session_level_adds (&session, (gint) i),
        added[i]);
    fail_unless_equals_uint64 (lmcc_session_layer_levels (&session, i),
        holders[i]);
    for (k = 0; k < 3; k++)
      fail_unless_equals_int (lmcc_session_level_has_layer (&session, (gint) k,
                                  i),
          holders[i] >> k & 1);
  }
}

GST_END_TEST;

GST_START_TEST (nobody_goes_up_to_a_rate_that_is_not_known)
{
  LmccSession session;

  list_levels (&session);
  fail_unless (lmcc_session_may_go_up (&session, -1));
  fail_unless (lmcc_session_may_go_up (&session, 1));
  fail_if (lmcc_session_may_go_up (&session, 2));
  session.layers[1].rate = 0;
  fail_if (lmcc_session_may_go_up (&session, 0));
  fail_unless (lmcc_session_may_go_up (&session, 1));
  session.layers[2].rate = 0;
  fail_if (lmcc_session_may_go_up (&session, 1));
}

GST_END_TEST;

GST_START_TEST (levels_have_the_base_and_only_layers_of_the_session)
{
  LmccSession session;

  list_levels (&session);
  session.level_layers[1] = 2;
  fail_if (lmcc_session_validate (&session, NULL));
  list_levels (&session);
  session.level_layers[3] = 1 | 1 << 4;
  fail_if (lmcc_session_validate (&session, NULL));
  session.n_layers = session.n_groups = 5;
  fail_unless (lmcc_session_validate (&session, NULL));
  session.level_layers[3] = session.level_layers[2];
  fail_if (lmcc_session_validate (&session, NULL));
}

GST_END_TEST;

/* Rungs of @n_classes classes each. */
static void
fill_rungs (LmccSession *session, guint n_rungs, guint n_classes)
{
  guint i;

  valid_session (session);
  session->n_rungs = n_rungs;
  session->n_layers = session->n_groups = n_rungs * n_classes;
  for (i = 0; i < session->n_layers; i++) {
    session->layers[i].rate = 1000;
    session->layers[i].stream = (guint8) (i / n_classes);
    session->layers[i].klass = (guint8) (i % n_classes);
  }
}

static void
check_levels (const LmccSession *session, const guint64 *layers, guint n)
{
  guint i;

  fail_unless (lmcc_session_validate (session, NULL));
  fail_unless_equals_int (lmcc_session_count_levels (session), n);
  for (i = 0; i < n; i++)
    fail_unless_equals_uint64 (lmcc_session_level_layers (session, (gint) i),
        layers[i]);
}

GST_START_TEST (fallback_levels_are_the_lowest_rung_and_one_more)
{
  static const guint64 layers[] = { 1, 3, 7, 0x3f, 0x1c7 };
  LmccSession session;

  fill_rungs (&session, 3, 3);
  lmcc_session_set_levels (&session, LMCC_LEVELS_FALLBACK);
  check_levels (&session, layers, G_N_ELEMENTS (layers));
  lmcc_session_set_levels (&session, LMCC_LEVELS_CUMULATIVE);
  fail_unless (lmcc_session_is_cumulative (&session));
}

GST_END_TEST;

GST_START_TEST (fallback_is_cumulative_where_rungs_have_no_layers_of_their_own)
{
  LmccSession session;

  fill_rungs (&session, 1, 3);
  lmcc_session_set_levels (&session, LMCC_LEVELS_FALLBACK);
  fail_unless (lmcc_session_is_cumulative (&session));
  fill_rungs (&session, 3, 1);
  session.layers[2].stream = LMCC_STREAM_NONE;
  session.layers[2].klass = LMCC_CLASS_MIXED;
  lmcc_session_set_levels (&session, LMCC_LEVELS_FALLBACK);
  fail_unless (lmcc_session_is_cumulative (&session));
  fill_rungs (&session, 3, 1);
  session.native = FALSE;
  lmcc_session_set_levels (&session, LMCC_LEVELS_FALLBACK);
  fail_unless (lmcc_session_is_cumulative (&session));
}

GST_END_TEST;

/* Three rungs above a base layer without a rung. */
static void
fill_replicated (LmccSession *session)
{
  guint i;

  fill_rungs (session, 4, 1);
  session->n_rungs = 3;
  session->layers[0].stream = LMCC_STREAM_SOUND;
  for (i = 1; i < 4; i++)
    session->layers[i].stream = (guint8) (i - 1);
  lmcc_session_set_levels (session, LMCC_LEVELS_REPLICATED);
}

GST_START_TEST (replicated_levels_are_the_base_and_one_rung)
{
  static const guint64 layers[] = { 3, 5, 9 };
  LmccSession session;

  fill_replicated (&session);
  check_levels (&session, layers, G_N_ELEMENTS (layers));
  fail_unless_equals_int (lmcc_session_lowest_layer (&session), 1);
  /* A session with a rung in the base layer has no such levels. */
  fill_rungs (&session, 3, 1);
  lmcc_session_set_levels (&session, LMCC_LEVELS_REPLICATED);
  fail_unless (lmcc_session_is_cumulative (&session));
  fail_unless_equals_int (lmcc_session_lowest_layer (&session), 0);
}

GST_END_TEST;

GST_START_TEST (a_base_without_a_rung_needs_the_lowest_one_beside_it)
{
  LmccSession session;

  fill_replicated (&session);
  session.level_layers[0] = 1;
  fail_if (lmcc_session_validate (&session, NULL));
  session.level_layers[0] = 5;
  fail_if (lmcc_session_validate (&session, NULL));
  session.level_layers[0] = 0xb;
  fail_if (lmcc_session_validate (&session, NULL));
  fill_replicated (&session);
  lmcc_session_set_levels (&session, LMCC_LEVELS_CUMULATIVE);
  fail_if (lmcc_session_validate (&session, NULL));
  fill_replicated (&session);
  session.native = FALSE;
  fail_if (lmcc_session_validate (&session, NULL));
  fill_replicated (&session);
  session.layers[1].stream = LMCC_STREAM_SOUND;
  fail_if (lmcc_session_validate (&session, NULL));
}

GST_END_TEST;

static Suite *
session_suite (void)
{
  Suite *suite = suite_create ("session");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, ranges_end_where_they_should);
  tcase_add_test (tcase, times_and_rates_are_limited);
  tcase_add_test (tcase, groups_stay_in_the_scope_and_suffice);
  tcase_add_test (tcase, payload_types_are_not_used_twice);
  tcase_add_test (tcase, the_source_is_a_host_of_the_same_family);
  tcase_add_test (tcase, names_are_tokens);
  tcase_add_test (tcase, ssrcs_and_rates_add_up);
  tcase_add_test (tcase, a_level_is_the_first_layers_where_nobody_says);
  tcase_add_test (tcase, levels_that_are_listed_have_their_layers);
  tcase_add_test (tcase, nobody_goes_up_to_a_rate_that_is_not_known);
  tcase_add_test (tcase, levels_have_the_base_and_only_layers_of_the_session);
  tcase_add_test (tcase, fallback_levels_are_the_lowest_rung_and_one_more);
  tcase_add_test (tcase,
      fallback_is_cumulative_where_rungs_have_no_layers_of_their_own);
  tcase_add_test (tcase, replicated_levels_are_the_base_and_one_rung);
  tcase_add_test (tcase, a_base_without_a_rung_needs_the_lowest_one_beside_it);

  return suite;
}

GST_CHECK_MAIN (session);
