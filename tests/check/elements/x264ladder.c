/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the encodings of x264ladderenc: key frames, sizes, rates, settings and
 * their changes.
 */
#include "ladder-tools.h"

#include <string.h>

#include <gst/check/gstcheck.h>
#include <gst/video/video.h>

#define MAX_RUNGS 3
#define RATE 24

typedef struct
{
  GstClockTime time;
  gsize size;
  gboolean key;
  gint width;
  gint reference;
} Picture;

typedef struct
{
  GstElement *pipeline;
  GstElement *ladder;
  guint n_rungs;
  GArray *rungs[MAX_RUNGS]; /* Picture, in decoding order */
  GString *setup;
  gboolean request;
} Ladder;

/* The largest nal_ref_idc of the slices (H.264 table 7-1). */
static gint
get_reference (GstBuffer *buffer)
{
  GstMapInfo map;
  gsize at = 0;
  gint largest = 0;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  while (at + 5 <= map.size) {
    guint8 header = map.data[at + 4];

    if ((header & 0x1f) == 1 || (header & 0x1f) == 5)
      largest = MAX (largest, header >> 5);
    at += 4
        + ((gsize) map.data[at] << 24 | map.data[at + 1] << 16
            | map.data[at + 2] << 8 | map.data[at + 3]);
  }
  gst_buffer_unmap (buffer, &map);
  return largest;
}

static gint
current_width (GstPad *pad)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  gint width = 0;

  gst_structure_get_int (gst_caps_get_structure (caps, 0), "width", &width);
  return width;
}

static GstPadProbeReturn
collect (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  g_autoptr (GstEvent) event =
      gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  const GstSegment *segment;
  Picture picture = { 0 };

  gst_event_parse_segment (event, &segment);
  picture.time = gst_segment_to_running_time (segment, GST_FORMAT_TIME,
      GST_BUFFER_PTS (buffer));
  picture.size = gst_buffer_get_size (buffer);
  picture.key = !GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT);
  picture.width = current_width (pad);
  picture.reference = get_reference (buffer);
  g_array_append_val ((GArray *) user_data, picture);
  return GST_PAD_PROBE_OK;
}

static void
on_setup (GstElement *ladder G_GNUC_UNUSED, GstElement *encoder, guint rung,
    gpointer user_data)
{
  g_autofree gchar *name = gst_element_get_name (encoder);

  g_string_append_printf (user_data, "%s=%u ", name, rung);
}

static void
ladder_open (Ladder *l, guint n_rungs, const gchar *source,
    const gchar *settings)
{
  g_autofree gchar *front = g_strdup_printf ("%s ! x264ladderenc name=ladder "
                                             "%s",
      source, settings);
  g_autoptr (GString) text = g_string_new (front);
  g_autoptr (GError) error = NULL;
  guint i;

  for (i = 0; i < n_rungs; i++)
    g_string_append_printf (text,
        " ladder.src_%u ! "
        "video/x-h264,stream-format=avc ! queue ! rtph264pay ! "
        "fakesink async=false",
        i);
  l->pipeline = gst_parse_launch (text->str, &error);
  g_assert_no_error (error);
  l->ladder = gst_bin_get_by_name (GST_BIN (l->pipeline), "ladder");
  l->n_rungs = n_rungs;
  l->setup = g_string_new (NULL);
  g_signal_connect (l->ladder, "encoder-setup", G_CALLBACK (on_setup),
      l->setup);
  for (i = 0; i < n_rungs; i++) {
    g_autofree gchar *name = g_strdup_printf ("src_%u", i);
    g_autoptr (GstPad) pad = gst_element_get_static_pad (l->ladder, name);

    l->rungs[i] = g_array_new (FALSE, FALSE, sizeof (Picture));
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, collect, l->rungs[i],
        NULL);
  }
}

static GstMessage *
ladder_run (Ladder *l, GstMessageType types)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (l->pipeline);
  GstMessage *message;

  gst_element_set_state (l->pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE, types);
  return message;
}

static void
ladder_run_to_end (Ladder *l)
{
  g_autoptr (GstMessage) message =
      ladder_run (l, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);

  fail_unless (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS);
}

static void
ladder_close (Ladder *l)
{
  guint i;

  gst_element_set_state (l->pipeline, GST_STATE_NULL);
  gst_object_unref (l->ladder);
  gst_object_unref (l->pipeline);
  g_string_free (l->setup, TRUE);
  for (i = 0; i < l->n_rungs; i++)
    g_array_unref (l->rungs[i]);
}

static const Picture *
get (const Ladder *l, guint rung, guint i)
{
  return &g_array_index (l->rungs[rung], Picture, i);
}

static gint
compare_times (gconstpointer a, gconstpointer b)
{
  const Picture *first = a, *second = b;

  return first->time < second->time ? -1 : first->time > second->time;
}

/* Positions of the key frames in display order, the same in all rungs, with
 * all pictures at the same times. */
static gchar *
aligned_keys (Ladder *l)
{
  GString *keys = g_string_new (NULL);
  guint rung, i;

  for (rung = 0; rung < l->n_rungs; rung++)
    g_array_sort (l->rungs[rung], compare_times);
  for (i = 0; i < l->rungs[0]->len; i++) {
    for (rung = 0; rung < l->n_rungs; rung++) {
      fail_unless (i < l->rungs[rung]->len);
      fail_unless_equals_uint64 (get (l, rung, i)->time, get (l, 0, i)->time);
      fail_unless_equals_int (get (l, rung, i)->key, get (l, 0, i)->key);
    }
    if (get (l, 0, i)->key)
      g_string_append_printf (keys, "%u ", i);
  }
  for (rung = 1; rung < l->n_rungs; rung++)
    fail_unless_equals_int (l->rungs[rung]->len, l->rungs[0]->len);
  return g_string_free (keys, FALSE);
}

#define SOURCE(n, pattern)                           \
  "videotestsrc num-buffers=" #n " pattern=" pattern \
  " ! video/x-raw,width=640,height=360,framerate=24/1"

GST_START_TEST (test_key_frames_fall_on_the_same_pictures)
{
  /* 23.976 pictures per second: 1 s is 23.976 pictures. */
  static const struct
  {
    const gchar *framerate;
    const gchar *keys;
  } rates[] = { { "24/1", "0 24 48 72 " }, { "24000/1001", "0 24 48 72 " },
    { "25/2", "0 12 24 36 48 60 72 " } };
  Ladder l;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (rates); i++) {
    g_autofree gchar *source = g_strdup_printf (
        "videotestsrc num-buffers=80 "
        "pattern=ball ! video/x-raw,width=320,height=180,framerate=%s",
        rates[i].framerate);
    g_autofree gchar *keys = NULL;

    ladder_open (&l, 3, source, "bitrates=50k,150k,500k");
    ladder_run_to_end (&l);
    keys = aligned_keys (&l);
    fail_unless_equals_int (l.rungs[0]->len, 80);
    fail_unless_equals_string (keys, rates[i].keys);
    ladder_close (&l);
  }
}

GST_END_TEST;

static GstPadProbeReturn
ask_for_key (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info,
    gpointer user_data)
{
  Ladder *l = user_data;
  guint i;

  if (GST_BUFFER_PTS (GST_PAD_PROBE_INFO_BUFFER (info)) < GST_SECOND / 2)
    return GST_PAD_PROBE_OK;
  /* As in lmccsink: each rung requests a key frame for the same time. */
  for (i = 0; i < l->n_rungs; i++) {
    g_autofree gchar *name = g_strdup_printf ("src_%u", i);
    g_autoptr (GstPad) src = gst_element_get_static_pad (l->ladder, name);

    gst_pad_send_event (src,
        gst_video_event_new_upstream_force_key_unit (
            l->request ? GST_CLOCK_TIME_NONE : 1500 * GST_MSECOND, TRUE, 0));
  }
  return GST_PAD_PROBE_REMOVE;
}

GST_START_TEST (test_a_request_makes_one_key_frame_in_all_rungs)
{
  static const gchar *const keys[] = { "0 24 36 60 ", "0 13 37 61 " };
  Ladder l;
  guint i;

  for (i = 0; i < 2; i++) {
    g_autoptr (GstPad) sink = NULL;
    g_autofree gchar *found = NULL;

    ladder_open (&l, 3, SOURCE (80, "ball"), "bitrates=100k,300k,900k");
    l.request = i == 1;
    sink = gst_element_get_static_pad (l.ladder, "sink");
    gst_pad_add_probe (sink, GST_PAD_PROBE_TYPE_BUFFER, ask_for_key, &l, NULL);
    ladder_run_to_end (&l);
    found = aligned_keys (&l);
    /* The probe runs after the ladder's own: "now" is the next picture. */
    fail_unless_equals_string (found, keys[i]);
    ladder_close (&l);
  }
}

GST_END_TEST;

GST_START_TEST (test_a_rung_of_little_rate_has_a_smaller_picture)
{
  Ladder l;
  g_autofree gchar *keys = NULL;

  ladder_open (&l, 3, SOURCE (30, "ball"), "bitrates=30k,100k,900k");
  ladder_run_to_end (&l);
  keys = aligned_keys (&l);
  fail_unless_equals_int (get (&l, 0, 0)->width, 214);
  fail_unless_equals_int (get (&l, 1, 0)->width, 480);
  fail_unless_equals_int (get (&l, 2, 0)->width, 640);
  ladder_close (&l);
}

GST_END_TEST;

/* H.264 annex C, with the buffer full at the start: in any interval, the
 * stream has at most its share of the rate plus the buffer's content. */
static void
assert_within_buffer (const GArray *pictures, guint kbits, guint capacity_ms)
{
  gdouble per_picture = kbits * 1000.0 / 8 / RATE;
  gdouble capacity = kbits * capacity_ms / 8.0, excess = 0;
  guint i;

  for (i = 0; i < pictures->len; i++) {
    const Picture *picture = &g_array_index (pictures, Picture, i);

    excess = MAX (excess, 0) + (gdouble) picture->size - per_picture;
    fail_unless (excess <= capacity, "picture %u: %g bytes over, %g are there",
        i, excess, capacity);
    if (picture->key)
      fail_unless ((gdouble) picture->size <= capacity);
  }
}

GST_START_TEST (test_a_film_stays_within_rate_and_buffer)
{
  static const guint kbits[] = { 100, 300, 900 };
  g_autofree gchar *source = g_strdup_printf (
      "filesrc location=%s/pipelines/big-buck-bunny.mp4 "
      "! qtdemux ! avdec_h264 ! videoscale ! "
      "video/x-raw,width=640,height=360 ! identity eos-after=168",
      g_getenv ("LMCC_SOURCE_ROOT"));
  Ladder l;
  guint i, rung;

  ladder_open (&l, 3, source,
      "bitrates=100k,300k,900k vbv-buf-capacity=500 "
      "speed-preset=veryfast");
  ladder_run_to_end (&l);
  for (rung = 0; rung < 3; rung++) {
    guint64 bytes = 0;

    assert_within_buffer (l.rungs[rung], kbits[rung], 500);
    for (i = 0; i < l.rungs[rung]->len; i++)
      bytes += get (&l, rung, i)->size;
    /* It uses its share. */
    fail_unless (bytes * 8 * RATE / l.rungs[rung]->len
            > 0.7 * 1000 * kbits[rung],
        "rung %u: %" G_GUINT64_FORMAT " bytes", rung, bytes);
  }
  ladder_close (&l);
}

GST_END_TEST;

GST_START_TEST (test_b_pictures_make_up_to_three_classes)
{
  static const guint bframes[] = { 0, 1, 3, 7 }, classes[] = { 1, 2, 3, 3 };
  Ladder l;
  guint i, k;

  for (i = 0; i < G_N_ELEMENTS (bframes); i++) {
    g_autofree gchar *settings =
        g_strdup_printf ("bitrates=300k bframes=%u", bframes[i]);
    guint seen = 0, n = 0;

    ladder_open (&l, 1, SOURCE (49, "smpte"), settings);
    ladder_run_to_end (&l);
    /* 3 and 2 are both class 0: key frames, and P pictures. */
    for (k = 0; k < l.rungs[0]->len; k++)
      seen |= 1u << MIN (get (&l, 0, k)->reference, 2);
    for (k = 0; k < 3; k++)
      n += (seen >> k) & 1;
    fail_unless_equals_int (n, classes[i]);
    ladder_close (&l);
  }
}

GST_END_TEST;

static void
use_constant_quantizer (GstElement *ladder G_GNUC_UNUSED, GstElement *encoder,
    guint rung, gpointer user_data G_GNUC_UNUSED)
{
  gst_util_set_object_arg (G_OBJECT (encoder), "pass", "quant");
  g_object_set (encoder, "quantizer", rung == 0 ? 50 : 20, NULL);
}

GST_START_TEST (test_the_application_sets_each_encoder_up)
{
  gsize sizes[2] = { 0, 0 };
  Ladder l;
  guint i, rung;

  ladder_open (&l, 2, SOURCE (30, "smpte"), "bitrates=300k,301k");
  g_signal_connect (l.ladder, "encoder-setup",
      G_CALLBACK (use_constant_quantizer), NULL);
  ladder_run_to_end (&l);
  fail_unless_equals_string (l.setup->str, "x264enc-0=0 x264enc-1=1 ");
  for (rung = 0; rung < 2; rung++)
    for (i = 0; i < l.rungs[rung]->len; i++)
      sizes[rung] += get (&l, rung, i)->size;
  fail_unless (sizes[1] > 3 * sizes[0]);
  ladder_close (&l);
}

GST_END_TEST;

GST_START_TEST (test_it_runs_again_and_again)
{
  Ladder l;
  guint i;

  ladder_open (&l, 2, SOURCE (30, "ball"), "bitrates=100k,300k");
  for (i = 0; i < 3; i++) {
    g_autofree gchar *keys = NULL;

    ladder_run_to_end (&l);
    keys = aligned_keys (&l);
    fail_unless_equals_string (keys, "0 24 ");
    fail_unless_equals_int (l.rungs[1]->len, 30);
    gst_element_set_state (l.pipeline,
        i == 1 ? GST_STATE_READY : GST_STATE_NULL);
    g_array_set_size (l.rungs[0], 0);
    g_array_set_size (l.rungs[1], 0);
  }
  ladder_close (&l);
}

GST_END_TEST;

static void
assert_refused (guint n_rungs, const gchar *source, const gchar *settings,
    const gchar *cause, const gchar *remedy)
{
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL;
  Ladder l;

  ladder_open (&l, n_rungs, source, settings);
  message = ladder_run (&l, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (strstr (error->message, cause) != NULL, "%s", error->message);
  fail_unless (strstr (error->message, remedy) != NULL, "%s", error->message);
  ladder_close (&l);
}

GST_START_TEST (test_what_is_impossible_is_refused_with_the_cause)
{
  static const gchar source[] = SOURCE (10, "ball");

  assert_refused (2, source, "bitrates=300k,100k", "'100k' is not higher",
      "lowest rate first");
  assert_refused (2, source, "bitrates=100k,many", "'many' is not a rate",
      "such as 300000");
  /* As in kbit/s. */
  assert_refused (2, source, "bitrates=300,900", "'300' is not a rate", "300k");
  assert_refused (2, source, "bitrates=0,100k", "'0' is not a rate",
      "such as 300000");
  assert_refused (2, source, "bitrates=100k,300k,900k", "3 rates for 2 pads",
      "one rate for each");
  assert_refused (3, source, "bitrate=90000",
      "90000 bit/s are not enough for 3", "set a higher bitrate");
  assert_refused (0, source, "", "No source pad is linked", "src_0");
}

GST_END_TEST;

GST_START_TEST (test_caps_without_framerate_or_size_are_refused)
{
  static const gchar *const caps[] = {
    "video/x-raw,format=I420,width=64,height=64",
    "video/x-raw,format=I420,width=64,height=64,framerate=0/1",
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (caps); i++) {
    GstElement *ladder = gst_element_factory_make ("x264ladderenc", NULL);
    g_autoptr (GstBus) bus = gst_bus_new ();
    g_autoptr (GstMessage) message = NULL;
    g_autoptr (GError) error = NULL;
    GstHarness *h;

    gst_object_ref_sink (ladder);
    gst_element_set_bus (ladder, bus);
    h = gst_harness_new_with_element (ladder, "sink", "src_0");
    gst_harness_set_src_caps_str (h, caps[i]);
    gst_harness_push (h, gst_harness_create_buffer (h, 6144));
    message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
    fail_unless (message != NULL);
    gst_message_parse_error (message, &error, NULL);
    fail_unless (strstr (error->message, "framerate") != NULL);
    fail_unless (strstr (error->message, "videorate") != NULL);
    gst_harness_teardown (h);
    gst_element_set_bus (ladder, NULL);
    gst_object_unref (ladder);
  }
}

GST_END_TEST;

GST_START_TEST (test_a_missing_encoder_is_named_with_its_package)
{
  GstRegistry *registry = gst_registry_get ();
  g_autoptr (GstPluginFeature) feature =
      gst_registry_lookup_feature (registry, "x264enc");
  GstElement *ladder = gst_element_factory_make ("x264ladderenc", NULL);
  g_autoptr (GstBus) bus = gst_bus_new ();
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL;

  gst_object_ref_sink (ladder);
  gst_element_set_bus (ladder, bus);
  gst_registry_remove_feature (registry, feature);
  fail_unless (gst_element_request_pad_simple (ladder, "src_%u") == NULL);
  gst_registry_add_feature (registry, feature);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (strstr (error->message, "x264enc") != NULL);
  fail_unless (strstr (error->message, "gstreamer1.0-plugins-ugly") != NULL);
  gst_element_set_bus (ladder, NULL);
  gst_object_unref (ladder);
}

GST_END_TEST;

GST_START_TEST (test_a_new_size_begins_at_the_same_picture_in_all_rungs)
{
  GstHarness *h, *upper;
  guint i, rung, changes[2] = { 0, 0 };

  h = ladder_harness_new (NULL);
  g_object_set (h->element, "bitrates", "200k,600k", "bframes", 0, NULL);
  upper = gst_harness_new_with_element (h->element, NULL, "src_1");
  gst_harness_set_src_caps_str (h, LADDER_CAPS (320, 180));
  for (i = 0; i < 20; i++) {
    if (i == 10)
      gst_harness_set_src_caps_str (h, LADDER_CAPS (160, 120));
    fail_unless_equals_int (gst_harness_push (h,
                                i < 10 ? ladder_make_picture (i, 320, 180)
                                       : ladder_make_picture (i, 160, 120)),
        GST_FLOW_OK);
  }
  gst_harness_push_event (h, gst_event_new_eos ());
  for (rung = 0; rung < 2; rung++) {
    GstHarness *from = rung == 0 ? h : upper;

    for (i = 0; i < 20; i++) {
      g_autoptr (GstBuffer) buffer = gst_harness_pull (from);

      fail_unless (buffer != NULL);
      if (!GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT) && i > 0)
        changes[rung] = changes[rung] == 0 ? i : 99;
    }
    fail_unless_equals_int (changes[rung], 10);
    fail_unless_equals_int (current_width (from->sinkpad), 160);
  }
  gst_harness_teardown (upper);
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (test_a_flush_begins_anew)
{
  GstHarness *h = ladder_harness_new (LADDER_CAPS (64, 64));
  GstSegment segment;
  guint i, n_keys = 0;
  GstBuffer *buffer;

  g_object_set (h->element, "bframes", 0, NULL);
  for (i = 0; i < 40; i++)
    gst_harness_push (h, ladder_make_picture (i, 64, 64));
  gst_harness_push_event (h, gst_event_new_flush_start ());
  gst_harness_push_event (h, gst_event_new_flush_stop (TRUE));
  while ((buffer = gst_harness_try_pull (h)))
    gst_buffer_unref (buffer);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (h, gst_event_new_segment (&segment));
  for (i = 0; i < 40; i++)
    fail_unless_equals_int (gst_harness_push (h,
                                ladder_make_picture (i, 64, 64)),
        GST_FLOW_OK);
  gst_harness_push_event (h, gst_event_new_eos ());
  for (i = 0; i < 40; i++) {
    buffer = gst_harness_pull (h);
    fail_unless (buffer != NULL);
    n_keys += !GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT);
    gst_buffer_unref (buffer);
  }
  fail_unless_equals_int (n_keys, 2);
  gst_harness_teardown (h);
}

GST_END_TEST;

static Suite *
x264ladder_suite (void)
{
  Suite *s = suite_create ("x264ladder");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_key_frames_fall_on_the_same_pictures);
  tcase_add_test (tc, test_a_request_makes_one_key_frame_in_all_rungs);
  tcase_add_test (tc, test_a_rung_of_little_rate_has_a_smaller_picture);
  tcase_add_test (tc, test_a_film_stays_within_rate_and_buffer);
  tcase_add_test (tc, test_b_pictures_make_up_to_three_classes);
  tcase_add_test (tc, test_the_application_sets_each_encoder_up);
  tcase_add_test (tc, test_it_runs_again_and_again);
  tcase_add_test (tc, test_what_is_impossible_is_refused_with_the_cause);
  tcase_add_test (tc, test_caps_without_framerate_or_size_are_refused);
  tcase_add_test (tc, test_a_missing_encoder_is_named_with_its_package);
  tcase_add_test (tc, test_a_new_size_begins_at_the_same_picture_in_all_rungs);
  tcase_add_test (tc, test_a_flush_begins_anew);
  return s;
}

GST_CHECK_MAIN (x264ladder);
