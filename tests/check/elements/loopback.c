/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Plays through real encoders, real sockets on loopback and a real decoder.
 * Each picture that a receiver shows is compared with the output of a
 * decoder for the same encoder at the sender.
 *
 * LMCC_LOOPBACK_SECONDS sets the duration of each run; the default is 12 s
 * for runs with level changes and 7 s for those at a fixed level.
 */
#include <gst/app/app.h>
#include <gst/check/gstcheck.h>
#include <gst/video/video.h>

#define FRAME_RATE 24
#define GOP 24
#define PICTURE_TIME ((GstClockTime) GST_SECOND / FRAME_RATE)
#define MAX_RUNGS 3
#define DEFAULT_SECONDS 12

/* Pictures shown before the level is reached and the clocks agree are not
 * judged. */
#define WARM_UP_SECONDS 3

/* Tolerance for delays on a busy machine, added to lmccsrc's own latency;
 * they make no picture go missing. */
#define DEFAULT_LATENCY_MS 200
#define PATIENCE_MS 1000

typedef struct
{
  GstClockTime pts;
  gchar *checksum;
  gint rung;
  GstClockTime reference_pts;
} Shown;

typedef struct
{
  gint rung;
  GstClockTime pts;
} Reference;

typedef struct
{
  GstElement *sender;
  GstElement *receiver;
  guint n_rungs;
  guint n_levels;
  GMutex lock;
  GHashTable *references; /* checksum -> GArray of Reference */
  GArray *shown;          /* Shown, in display order */
  guint late;
  GHashTable *late_seconds; /* set of running times */
  guint level_changes;
} Loopback;

static guint
run_seconds (void)
{
  const gchar *text = g_getenv ("LMCC_LOOPBACK_SECONDS");

  return text != NULL ? (guint) atoi (text) : DEFAULT_SECONDS;
}

static guint
level_seconds (void)
{
  return g_getenv ("LMCC_LOOPBACK_SECONDS") != NULL
      ? run_seconds ()
      : WARM_UP_SECONDS + 4 + PATIENCE_MS / 1000;
}

/* Only the visible pixels, because decoders pad their lines. */
static gchar *
checksum_sample (GstSample *sample)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_MD5);
  GstVideoFrame frame;
  GstVideoInfo info;
  guint plane;
  gint line;

  fail_unless (gst_video_info_from_caps (&info, gst_sample_get_caps (sample)));
  fail_unless (gst_video_frame_map (&frame, &info,
      gst_sample_get_buffer (sample), GST_MAP_READ));
  for (plane = 0; plane < GST_VIDEO_FRAME_N_PLANES (&frame); plane++) {
    const guint8 *data = GST_VIDEO_FRAME_PLANE_DATA (&frame, plane);

    for (line = 0; line < GST_VIDEO_FRAME_COMP_HEIGHT (&frame, plane); line++)
      g_checksum_update (checksum,
          data + line * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, plane),
          GST_VIDEO_FRAME_COMP_WIDTH (&frame, plane));
  }
  gst_video_frame_unmap (&frame);

  return g_strdup (g_checksum_get_string (checksum));
}

static GstFlowReturn
take_reference (GstAppSink *sink, gpointer user_data)
{
  Loopback *loopback = user_data;
  g_autoptr (GstSample) sample = gst_app_sink_pull_sample (sink);
  Reference reference;
  g_autofree gchar *checksum = checksum_sample (sample);
  GArray *same;

  reference.rung =
      GPOINTER_TO_INT (g_object_get_data (G_OBJECT (sink), "rung"));
  reference.pts = gst_segment_to_running_time (gst_sample_get_segment (sample),
      GST_FORMAT_TIME, GST_BUFFER_PTS (gst_sample_get_buffer (sample)));
  g_mutex_lock (&loopback->lock);
  same = g_hash_table_lookup (loopback->references, checksum);
  if (same == NULL) {
    same = g_array_new (FALSE, FALSE, sizeof (Reference));
    g_hash_table_insert (loopback->references, g_steal_pointer (&checksum),
        same);
  }
  g_array_append_val (same, reference);
  g_mutex_unlock (&loopback->lock);

  return GST_FLOW_OK;
}

static GstFlowReturn
take_shown (GstAppSink *sink, gpointer user_data)
{
  Loopback *loopback = user_data;
  g_autoptr (GstSample) sample = gst_app_sink_pull_sample (sink);
  Shown shown = { .checksum = checksum_sample (sample) };

  shown.pts = gst_segment_to_running_time (gst_sample_get_segment (sample),
      GST_FORMAT_TIME, GST_BUFFER_PTS (gst_sample_get_buffer (sample)));
  g_mutex_lock (&loopback->lock);
  g_array_append_val (loopback->shown, shown);
  g_mutex_unlock (&loopback->lock);

  return GST_FLOW_OK;
}

static void
shown_clear (Shown *shown)
{
  g_free (shown->checksum);
}

/* The test picture repeats itself: among equal references, the one nearest
 * in time is meant. */
static const Reference *
find_reference (GHashTable *references, const Shown *shown)
{
  GArray *same = g_hash_table_lookup (references, shown->checksum);
  const Reference *nearest = NULL;
  guint i;

  for (i = 0; same != NULL && i < same->len; i++) {
    const Reference *other = &g_array_index (same, Reference, i);

    if (nearest == NULL
        || ABS (GST_CLOCK_DIFF (other->pts, shown->pts))
            < ABS (GST_CLOCK_DIFF (nearest->pts, shown->pts)))
      nearest = other;
  }

  return nearest;
}

/* Finds the reference of each shown picture. A decoder may be ahead of the
 * other, so this waits for the end. */
static void
match_references (GHashTable *references, GArray *pictures)
{
  guint i;

  for (i = 0; i < pictures->len; i++) {
    Shown *shown = &g_array_index (pictures, Shown, i);
    const Reference *reference = find_reference (references, shown);

    fail_unless (reference != NULL, "picture %u of %u equals no reference", i,
        pictures->len);
    shown->rung = reference->rung;
    shown->reference_pts = reference->pts;
  }
}

/* In front of a queue, because the sink holds back pictures that arrive
 * early. Counts the pictures that would have been late with lmccsrc's own
 * latency. */
static GstPadProbeReturn
note_arrival (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  Loopback *loopback = user_data;
  g_autoptr (GstElement) sink =
      gst_bin_get_by_name (GST_BIN (loopback->receiver), "output");
  g_autoptr (GstEvent) event =
      gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  GstClockTime now = gst_element_get_current_running_time (sink);
  GstClockTime due = gst_base_sink_get_latency (GST_BASE_SINK (sink));
  const GstSegment *segment;
  GstClockTime time;

  fail_unless (event != NULL);
  gst_event_parse_segment (event, &segment);
  time = gst_segment_to_running_time (segment, GST_FORMAT_TIME,
      GST_BUFFER_PTS (GST_PAD_PROBE_INFO_BUFFER (info)));
  if (time == GST_CLOCK_TIME_NONE || time < WARM_UP_SECONDS * GST_SECOND)
    return GST_PAD_PROBE_OK;
  g_mutex_lock (&loopback->lock);
  if (now + PATIENCE_MS * GST_MSECOND > time + due)
    g_hash_table_add (loopback->late_seconds,
        GUINT_TO_POINTER (time / GST_SECOND));
  g_mutex_unlock (&loopback->lock);

  return GST_PAD_PROBE_OK;
}

static void
count_late (Loopback *loopback, GstMessage *message)
{
  guint64 running_time;

  gst_message_parse_qos (message, NULL, &running_time, NULL, NULL, NULL);
  GST_INFO ("late at %" GST_TIME_FORMAT, GST_TIME_ARGS (running_time));
  if (running_time >= WARM_UP_SECONDS * GST_SECOND)
    loopback->late++;
}

static gboolean
on_message (GstBus *bus G_GNUC_UNUSED, GstMessage *message, gpointer user_data)
{
  Loopback *loopback = user_data;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    g_autoptr (GError) error = NULL;
    g_autofree gchar *debug = NULL;

    gst_message_parse_error (message, &error, &debug);
    fail ("%s (%s)", error->message, debug);
  }
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_QOS)
    count_late (loopback, message);
  if (gst_message_has_name (message, "lmcc-level-changed"))
    loopback->level_changes++;

  return G_SOURCE_CONTINUE;
}

static void
describe_sender (GString *text, guint n_rungs, gboolean b_pictures,
    const gchar *address)
{
  static const guint bitrates[MAX_RUNGS] = { 100, 250, 600 };
  guint i;

  g_string_append_printf (text,
      "videotestsrc is-live=true pattern=zone-plate kx2=8 ky2=6 kt=2 "
      "! video/x-raw,format=I420,width=320,height=180,framerate=%d/1 "
      "! tee name=raw lmccsink name=sink address=%s multicast-iface=lo ",
      FRAME_RATE, address);
  for (i = 0; i < n_rungs; i++)
    g_string_append_printf (text,
        "raw. ! queue ! x264enc bitrate=%u key-int-max=%d %s "
        "speed-preset=ultrafast threads=1 "
        "option-string=scenecut=0:open-gop=0:rc-lookahead=0:sync-lookahead=0 "
        "! video/x-h264,profile=main ! tee name=coded%u "
        "coded%u. ! queue ! sink.sink_%u "
        "coded%u. ! queue ! h264parse ! avdec_h264 max-threads=1 "
        "! appsink name=reference%u sync=false emit-signals=false ",
        bitrates[i], GOP,
        b_pictures ? "bframes=3 b-pyramid=true b-adapt=false" : "bframes=0", i,
        i, i, i, i);
}

static void
watch (GstElement *pipeline, Loopback *loopback)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);

  gst_bus_add_watch (bus, on_message, loopback);
}

static void
stop (GstElement *pipeline)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);

  gst_bus_remove_watch (bus);
  gst_object_unref (pipeline);
}

static Loopback *
loopback_new (guint n_rungs, gboolean b_pictures, gint max_level,
    const gchar *address)
{
  GstAppSinkCallbacks reference = { .new_sample = take_reference };
  GstAppSinkCallbacks shown = { .new_sample = take_shown };
  Loopback *loopback = g_new0 (Loopback, 1);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GstElement) output = NULL;
  g_autoptr (GstElement) queue = NULL;
  g_autoptr (GstPad) pad = NULL;
  guint i;

  describe_sender (text, n_rungs, b_pictures, address);
  loopback->sender = gst_parse_launch (text->str, &error);
  fail_unless (error == NULL, "%s", error != NULL ? error->message : "");
  g_string_printf (text,
      "lmccsrc name=src address=%s multicast-iface=lo max-level=%d "
      "algorithm=none latency=%d "
      "on-loss=freeze ! rtph264depay ! h264parse ! avdec_h264 max-threads=1 "
      "! queue name=shown max-size-buffers=0 max-size-bytes=0 max-size-time=0 "
      "! appsink name=output sync=true qos=true max-lateness=0 ",
      address, max_level, DEFAULT_LATENCY_MS + PATIENCE_MS);
  loopback->receiver = gst_parse_launch (text->str, &error);
  fail_unless (error == NULL, "%s", error != NULL ? error->message : "");
  loopback->n_rungs = n_rungs;
  loopback->n_levels = n_rungs * (b_pictures ? 3 : 1);
  loopback->references = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      (GDestroyNotify) g_array_unref);
  loopback->shown = g_array_new (FALSE, FALSE, sizeof (Shown));
  g_array_set_clear_func (loopback->shown, (GDestroyNotify) shown_clear);
  g_mutex_init (&loopback->lock);
  loopback->late_seconds = g_hash_table_new (NULL, NULL);
  for (i = 0; i < n_rungs; i++) {
    g_autofree gchar *name = g_strdup_printf ("reference%u", i);
    g_autoptr (GstElement) sink =
        gst_bin_get_by_name (GST_BIN (loopback->sender), name);

    g_object_set_data (G_OBJECT (sink), "rung", GINT_TO_POINTER (i));
    gst_app_sink_set_callbacks (GST_APP_SINK (sink), &reference, loopback,
        NULL);
  }
  output = gst_bin_get_by_name (GST_BIN (loopback->receiver), "output");
  gst_app_sink_set_callbacks (GST_APP_SINK (output), &shown, loopback, NULL);
  queue = gst_bin_get_by_name (GST_BIN (loopback->receiver), "shown");
  pad = gst_element_get_static_pad (queue, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, note_arrival, loopback,
      NULL);
  watch (loopback->sender, loopback);
  watch (loopback->receiver, loopback);

  return loopback;
}

static void
loopback_free (Loopback *loopback)
{
  stop (loopback->sender);
  stop (loopback->receiver);
  g_hash_table_unref (loopback->references);
  g_array_unref (loopback->shown);
  g_hash_table_unref (loopback->late_seconds);
  g_mutex_clear (&loopback->lock);
  g_free (loopback);
}

typedef struct
{
  Loopback *loopback;
  GMainLoop *main_loop;
  GRand *random;
  guint seconds;
} Run;

static gboolean
each_second (gpointer user_data)
{
  Run *run = user_data;

  if (run->seconds-- == 0) {
    g_main_loop_quit (run->main_loop);
    return G_SOURCE_REMOVE;
  }
  if (run->random != NULL) {
    g_autoptr (GstElement) source =
        gst_bin_get_by_name (GST_BIN (run->loopback->receiver), "src");

    g_object_set (source, "max-level",
        g_rand_int_range (run->random, 0, (gint) run->loopback->n_levels),
        NULL);
  }

  return G_SOURCE_CONTINUE;
}

/* Plays in real time: the sockets, the codecs and the kernel are real. */
static void
loopback_run (Loopback *loopback, guint seconds, gboolean change_level)
{
  Run run = { loopback, g_main_loop_new (NULL, FALSE), NULL, seconds };

  if (change_level)
    run.random = g_rand_new_with_seed (20040101);
  fail_if (gst_element_set_state (loopback->receiver, GST_STATE_PLAYING)
      == GST_STATE_CHANGE_FAILURE);
  fail_if (gst_element_set_state (loopback->sender, GST_STATE_PLAYING)
      == GST_STATE_CHANGE_FAILURE);
  /* Not a whole second, so that changes fall on all parts of a group of
   * pictures. */
  g_timeout_add (1017, each_second, &run);
  g_main_loop_run (run.main_loop);
  gst_element_set_state (loopback->receiver, GST_STATE_NULL);
  gst_element_set_state (loopback->sender, GST_STATE_NULL);
  g_main_loop_unref (run.main_loop);
  g_clear_pointer (&run.random, g_rand_free);
}

/* Checks that each picture shown is a reference's, that its time steps equal
 * the encoder's within 1 ms, and that none was late for the sink. Returns
 * the longest time without a picture. */
static GstClockTime
check_shown (Loopback *loopback)
{
  GstClockTime longest = 0;
  const Shown *last = NULL;
  guint i, judged = 0;

  match_references (loopback->references, loopback->shown);
  for (i = 0; i < loopback->shown->len; i++) {
    const Shown *shown = &g_array_index (loopback->shown, Shown, i);

    if (shown->reference_pts < WARM_UP_SECONDS * GST_SECOND)
      continue;
    judged++;
    if (last != NULL) {
      gint64 step = (gint64) (shown->pts - last->pts);
      gint64 reference = (gint64) (shown->reference_pts - last->reference_pts);

      fail_unless (step > 0);
      fail_unless (ABS (step - reference) < (gint64) GST_MSECOND,
          "a step of %" G_GINT64_FORMAT " us is %" G_GINT64_FORMAT " us",
          reference / 1000, step / 1000);
      longest = MAX (longest, (GstClockTime) step);
    }
    last = shown;
  }
  fail_unless_equals_int (loopback->late, 0);
  fail_unless (judged > FRAME_RATE);
  GST_INFO ("%u pictures judged, longest gap %" GST_TIME_FORMAT
            ", %u level changes, %u s with late ones",
      judged, GST_TIME_ARGS (longest), loopback->level_changes,
      g_hash_table_size (loopback->late_seconds));

  return longest;
}

/* At a fixed level. If lmccsrc's own latency were too short, there would be
 * a late picture in each group, and so in each second; a busy machine causes
 * them in a few seconds only. */
static void
check_in_time (const Loopback *loopback)
{
  const Shown *last =
      &g_array_index (loopback->shown, Shown, loopback->shown->len - 1);
  GstClockTime judged = last->reference_pts - WARM_UP_SECONDS * GST_SECOND;
  guint n_late = g_hash_table_size (loopback->late_seconds);

  fail_unless (n_late * GST_SECOND <= judged / 2 + GST_SECOND,
      "with %d ms of latency pictures were late in %u seconds",
      DEFAULT_LATENCY_MS, n_late);
}

static void
check_level (guint n_rungs, gboolean b_pictures, gint level, gint rung,
    guint every, const gchar *address)
{
  Loopback *loopback = loopback_new (n_rungs, b_pictures, level, address);
  guint i;

  loopback_run (loopback, level_seconds (), FALSE);
  /* If only class 0 is joined, every fourth picture, and the last of a
   * group. */
  fail_unless (check_shown (loopback) <= every * PICTURE_TIME + GST_MSECOND);
  for (i = 0; i < loopback->shown->len; i++) {
    const Shown *shown = &g_array_index (loopback->shown, Shown, i);

    if (shown->reference_pts >= WARM_UP_SECONDS * GST_SECOND)
      fail_unless_equals_int (shown->rung, rung);
  }
  check_in_time (loopback);
  loopback_free (loopback);
}

GST_START_TEST (test_the_base_shows_one_picture_in_four)
{
  check_level (1, TRUE, 0, 0, 4, "239.255.61.1");
}

GST_END_TEST;

GST_START_TEST (test_the_first_class_above_shows_every_second_picture)
{
  check_level (1, TRUE, 1, 0, 2, "239.255.62.1");
}

GST_END_TEST;

GST_START_TEST (test_all_classes_show_every_picture)
{
  check_level (1, TRUE, 2, 0, 1, "239.255.63.1");
}

GST_END_TEST;

GST_START_TEST (test_the_highest_rung_shows_every_picture)
{
  check_level (3, FALSE, 2, 2, 1, "239.255.64.1");
}

GST_END_TEST;

/* The classes of the lowest rung, and then one level for each other rung. */
static void
use_fallback (Loopback *loopback, gboolean b_pictures)
{
  g_autoptr (GstElement) sink =
      gst_bin_get_by_name (GST_BIN (loopback->sender), "sink");

  gst_util_set_object_arg (G_OBJECT (sink), "levels", "fallback");
  loopback->n_levels = (b_pictures ? 3 : 1) + loopback->n_rungs - 1;
}

static void
change_levels (guint n_rungs, gboolean b_pictures, gboolean fallback,
    const gchar *address)
{
  Loopback *loopback = loopback_new (n_rungs, b_pictures, -1, address);
  GstClockTime gap;

  if (fallback)
    use_fallback (loopback, b_pictures);
  loopback_run (loopback, run_seconds (), TRUE);
  gap = check_shown (loopback);
  if (n_rungs > 1)
    fail_unless (gap < 300 * GST_MSECOND, "%u ms without a picture",
        (guint) (gap / GST_MSECOND));
  fail_unless (loopback->level_changes > run_seconds () / 3);
  loopback_free (loopback);
}

GST_START_TEST (test_no_picture_breaks_while_classes_come_and_go)
{
  change_levels (1, TRUE, FALSE, "239.255.65.1");
}

GST_END_TEST;

GST_START_TEST (test_no_picture_breaks_while_rungs_come_and_go)
{
  change_levels (3, FALSE, FALSE, "239.255.66.1");
}

GST_END_TEST;

GST_START_TEST (test_no_picture_breaks_while_rungs_and_classes_come_and_go)
{
  change_levels (3, TRUE, FALSE, "239.255.67.1");
}

GST_END_TEST;

GST_START_TEST (test_no_picture_breaks_while_one_rung_replaces_another)
{
  change_levels (3, TRUE, TRUE, "239.255.69.1");
}

GST_END_TEST;

/* Two receivers on one host at different levels: each shows its own rung
 * only. */
GST_START_TEST (test_two_receivers_never_see_each_others_layers)
{
  Loopback *high = loopback_new (2, FALSE, 1, "239.255.68.1");
  GstAppSinkCallbacks callbacks = { .new_sample = take_shown };
  Loopback low = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (GstElement) receiver = NULL;
  g_autoptr (GstElement) output = NULL;
  g_autoptr (GstElement) source = NULL;
  g_autoptr (GstStructure) stats = NULL;
  guint64 received;
  gint level, i;

  receiver = gst_parse_launch (
      "lmccsrc name=low address=239.255.68.1 "
      "multicast-iface=lo algorithm=none max-level=0 ! rtph264depay "
      "! h264parse "
      "! avdec_h264 max-threads=1 ! appsink name=low-output",
      &error);
  fail_unless (error == NULL);
  gst_object_ref_sink (receiver);
  output = gst_bin_get_by_name (GST_BIN (receiver), "low-output");
  source = gst_bin_get_by_name (GST_BIN (receiver), "low");
  low.shown = g_array_new (FALSE, FALSE, sizeof (Shown));
  g_array_set_clear_func (low.shown, (GDestroyNotify) shown_clear);
  gst_app_sink_set_callbacks (GST_APP_SINK (output), &callbacks, &low, NULL);
  gst_element_set_state (receiver, GST_STATE_PLAYING);
  loopback_run (high, WARM_UP_SECONDS + 4, FALSE);
  g_object_get (source, "stats", &stats, "level", &level, NULL);
  gst_element_set_state (receiver, GST_STATE_NULL);

  fail_unless_equals_int (level, 0);
  fail_unless (gst_structure_get_uint64 (stats, "packets-received", &received));
  fail_unless (received > 0);
  fail_unless (low.shown->len > FRAME_RATE);
  match_references (high->references, low.shown);
  for (i = 0; i < (gint) low.shown->len; i++)
    fail_unless_equals_int (g_array_index (low.shown, Shown, i).rung, 0);
  check_shown (high);
  check_in_time (high);
  fail_unless_equals_int (
      g_array_index (high->shown, Shown, high->shown->len - 1).rung, 1);
  g_array_unref (low.shown);
  loopback_free (high);
}

GST_END_TEST;

static Suite *
loopback_suite (void)
{
  Suite *suite = suite_create ("loopback");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 60 + run_seconds ());
  tcase_add_test (tcase, test_the_base_shows_one_picture_in_four);
  tcase_add_test (tcase, test_the_first_class_above_shows_every_second_picture);
  tcase_add_test (tcase, test_all_classes_show_every_picture);
  tcase_add_test (tcase, test_the_highest_rung_shows_every_picture);
  tcase_add_test (tcase, test_no_picture_breaks_while_classes_come_and_go);
  tcase_add_test (tcase, test_no_picture_breaks_while_rungs_come_and_go);
  tcase_add_test (tcase,
      test_no_picture_breaks_while_rungs_and_classes_come_and_go);
  tcase_add_test (tcase,
      test_no_picture_breaks_while_one_rung_replaces_another);
  tcase_add_test (tcase, test_two_receivers_never_see_each_others_layers);

  return suite;
}

GST_CHECK_MAIN (loopback);
