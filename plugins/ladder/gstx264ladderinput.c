/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Handles raw pictures before they are distributed to the rungs: it chooses the
 * rungs for their size, requests key frames for all rungs at the same picture,
 * and skips pictures in all rungs when the encoders are too slow.
 */
#include "config.h"

#include "gstx264ladderprivate.h"

#include <math.h>
#include <stdio.h>

#include <gst/video/video.h>
#include <plugins/common/ladder.h>
#include <plugins/common/messages.h>

#define GST_CAT_DEFAULT gst_x264_ladder_enc_debug

/* A live picture is skipped if this much video waits before an encoder. This is
 * the default rung-timeout of lmccsink. */
#define BACKLOG (200 * GST_MSECOND)
#define LEAST_BACKLOG 4

/* Each rung sends its own requests for a key frame "now", and repeats them
 * until the key frame arrives. Requests within this time count as one.
 * libwebrtc answers requests at most this often, too. */
#define LEAST_KEY_DISTANCE (300 * GST_MSECOND)

/**
 * gst_x264_ladder_reset:
 * @self: the ladder, without data flow
 *
 * Resets it to the state before the first picture.
 */
void
gst_x264_ladder_reset (GstX264LadderEnc *self)
{
  guint i;

  gst_segment_init (&self->segment, GST_FORMAT_UNDEFINED);
  self->n_in = 0;
  for (i = 0; i < self->rungs->len; i++) {
    GstX264LadderRung *rung = g_ptr_array_index (self->rungs, i);

    g_atomic_int_set (&rung->taken, 0);
  }
  GST_OBJECT_LOCK (self);
  self->requested_key = GST_CLOCK_TIME_NONE;
  self->last_key = GST_CLOCK_TIME_NONE;
  self->newest = 0;
  self->since_key = 0;
  self->changed = FALSE;
  self->asked_live = FALSE;
  self->live = FALSE;
  gst_ladder_watch_init (&self->watch);
  GST_OBJECT_UNLOCK (self);
}

/* Choosing the rungs for a picture */

/* Maximum bitrate of x264enc, bit/s. */
#define MOST_BITRATE 2048000000

static guint
parse_bitrates (const gchar *text, guint64 rates[LMCC_MAX_RUNGS],
    GError **error)
{
  gdouble parsed[LMCC_MAX_LAYERS];
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);
  guint n = g_strv_length (parts), i;

  for (i = 0; i < n && i < LMCC_MAX_RUNGS; i++) {
    if (!lmcc_rate_parse (g_strstrip (parts[i]), &parsed[i])
        || parsed[i] < LMCC_LADDER_MIN_BITRATE || parsed[i] > MOST_BITRATE) {
      g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
          _ ("'%s' is not a rate from 16 kbit/s to 2048 Mbit/s; write bit/s, "
             "such as 300000, 300k or 1.5M"),
          parts[i]);
      return 0;
    }
    rates[i] = (guint64) parsed[i];
    if (i == 0 || rates[i] > rates[i - 1])
      continue;
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        _ ("'%s' is not higher than the rate of the rung below; list the "
           "lowest rate first"),
        parts[i]);
    return 0;
  }
  return n;
}

/* Chooses the rates of the rungs from the properties, otherwise from the
 * picture. */
static gboolean
choose_rates (GstX264LadderEnc *self, const LmccPicture *picture,
    guint64 rates[LMCC_MAX_RUNGS], GError **error)
{
  guint n_rungs = self->rungs->len, n = 0;
  g_autofree gchar *bitrates = NULL;
  guint64 top;

  GST_OBJECT_LOCK (self);
  bitrates = g_strdup (self->props.bitrates);
  top = self->props.bitrate;
  GST_OBJECT_UNLOCK (self);
  if (bitrates && bitrates[0]) {
    n = parse_bitrates (bitrates, rates, error);
    if (n > 0 && n != n_rungs)
      g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
          _ ("it has %u rates for %u pads src_%%u: list one rate for each pad"),
          n, n_rungs);
    g_prefix_error (error, "bitrates=%s: ", bitrates);
    return n == n_rungs;
  }
  if (top == 0)
    top = lmcc_ladder_default_top (picture);
  n = lmcc_ladder_rates_below (top, n_rungs, rates);
  if (n == 0)
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        _ ("%.0f bit/s are not enough for %u rungs, each with a third of the "
           "rate of the next: set a higher bitrate, use fewer pads, or set "
           "bitrates"),
        (gdouble) top, n_rungs);
  return n > 0;
}

static gdouble
rung_pixel_rate (const LmccPicture *picture, guint64 bitrate)
{
  guint width, height;

  lmcc_ladder_size (picture, bitrate, &width, &height);
  return (gdouble) width * height * picture->rate;
}

static void
choose_speed (GstX264LadderEnc *self, const LmccPicture *picture,
    const guint64 *rates, GstX264LadderSettings *settings)
{
  guint cores = g_get_num_processors (), i;
  gdouble all = 0, largest = 0;

  for (i = 0; i < self->rungs->len; i++) {
    largest = rung_pixel_rate (picture, rates[i]);
    all += largest;
  }
  if (settings->speed == GST_LADDER_SPEED_AUTO)
    settings->speed = settings->real_time ? gst_ladder_speed_choose (all, cores)
                                          : GST_LADDER_SPEED_MEDIUM;
  settings->threads =
      gst_ladder_speed_get_threads (settings->speed, largest, cores);
  GST_INFO_OBJECT (self, "%u rungs, %.3g pixels/s on %u cores: %s, %u threads",
      self->rungs->len, all, cores, gst_ladder_speed_get_name (settings->speed),
      settings->threads);
}

static gboolean
start_rungs (GstX264LadderEnc *self, const guint64 *rates,
    const GstX264LadderSettings *settings)
{
  guint i;

  for (i = 0; i < self->rungs->len; i++) {
    GstX264LadderRung *rung = g_ptr_array_index (self->rungs, i);

    rung->bitrate = rates[i];
    gst_x264_ladder_rung_configure (rung, settings);
    g_signal_emit (self, gst_x264_ladder_enc_setup_signal, 0, rung->encoder,
        rung->index);
  }
  for (i = 0; i < self->rungs->len; i++) {
    if (!gst_x264_ladder_rung_unlock (g_ptr_array_index (self->rungs, i)))
      return FALSE;
  }
  return TRUE;
}

/* The number of pictures whose time comes closest to the interval, as in
 * is_key_due(). */
static guint
get_key_distance (GstX264LadderEnc *self, const LmccPicture *picture)
{
  gdouble pictures = picture->rate * self->key_interval / GST_SECOND;

  return (guint) MAX (1, ceil (pictures - 0.5));
}

static gboolean
configure (GstX264LadderEnc *self, const LmccPicture *picture)
{
  GstX264LadderSettings settings = { 0 };
  guint64 rates[LMCC_MAX_RUNGS];
  g_autoptr (GError) error = NULL;

  if (self->rungs->len == 0) {
    GST_ELEMENT_ERROR (self, CORE, PAD,
        (_ ("No source pad is linked: link src_0 (the lowest rung), src_1 and "
            "so on of x264ladderenc.")),
        (NULL));
    return FALSE;
  }
  if (!choose_rates (self, picture, rates, &error)) {
    GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS,
        (_ ("Cannot make these rungs: %s."), error->message), (NULL));
    return FALSE;
  }
  GST_OBJECT_LOCK (self);
  settings.vbv_capacity = self->props.vbv_buf_capacity;
  settings.bframes = self->props.bframes;
  settings.lookahead = self->props.lookahead;
  settings.speed = self->props.speed;
  settings.real_time = self->props.real_time;
  self->key_interval = self->props.key_unit_interval * GST_MSECOND;
  GST_OBJECT_UNLOCK (self);
  settings.key_distance = get_key_distance (self, picture);
  choose_speed (self, picture, rates, &settings);
  GST_OBJECT_LOCK (self);
  self->configured = TRUE;
  self->key_distance = settings.key_distance;
  self->speed = settings.speed;
  GST_OBJECT_UNLOCK (self);
  return start_rungs (self, rates, &settings);
}

static gboolean
handle_caps (GstX264LadderEnc *self, GstCaps *caps)
{
  LmccPicture picture;

  if (!gst_x264_ladder_read_picture (caps, &picture)) {
    g_autofree gchar *text = gst_caps_to_string (caps);

    GST_ELEMENT_ERROR (self, STREAM, FORMAT,
        (_ ("The raw video has no width, height or fixed framerate, which are "
            "needed to choose sizes and rates of the encodings: its caps are "
            "%s. Set them upstream: videorate ! video/x-raw,framerate=25/1"),
            text),
        (NULL));
    return FALSE;
  }
  GST_OBJECT_LOCK (self);
  self->picture_duration = (GstClockTime) (GST_SECOND / picture.rate);
  /* A change of these caps restarts the encoders. */
  self->changed = self->configured;
  GST_OBJECT_UNLOCK (self);
  return self->configured || configure (self, &picture);
}

/**
 * gst_x264_ladder_sink_event:
 * @pad: the sink pad
 * @parent: the ladder
 * @event: (transfer full): the event
 *
 * Returns: whether the event was handled
 */
gboolean
gst_x264_ladder_sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstX264LadderEnc *self = GST_X264_LADDER_ENC (parent);
  GstCaps *caps;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      gst_event_parse_caps (event, &caps);
      if (!handle_caps (self, caps)) {
        gst_event_unref (event);
        return FALSE;
      }
      break;
    case GST_EVENT_SEGMENT:
      gst_event_copy_segment (event, &self->segment);
      break;
    case GST_EVENT_FLUSH_STOP:
      gst_x264_ladder_reset (self);
      break;
    default:
      break;
  }
  return gst_pad_event_default (pad, parent, event);
}

/* Key frames */

/* Whether there is a key frame at that time already, because each rung sends
 * its own request. Called with the object lock. */
static gboolean
is_served (GstX264LadderEnc *self, GstClockTime requested)
{
  return GST_CLOCK_TIME_IS_VALID (self->last_key) && requested > 0
      && requested <= self->last_key + self->picture_duration / 2
      && requested + self->picture_duration > self->last_key;
}

/**
 * gst_x264_ladder_request_key:
 * @self: the ladder
 * @running_time: earliest time of the key frame; %GST_CLOCK_TIME_NONE for now
 *
 * Makes the next picture from that time on a key frame in all rungs.
 */
void
gst_x264_ladder_request_key (GstX264LadderEnc *self, GstClockTime running_time)
{
  gboolean fresh;

  GST_OBJECT_LOCK (self);
  fresh = GST_CLOCK_TIME_IS_VALID (self->last_key)
      && self->newest < self->last_key + LEAST_KEY_DISTANCE;
  if (!GST_CLOCK_TIME_IS_VALID (running_time) && !fresh)
    running_time = 0;
  if (GST_CLOCK_TIME_IS_VALID (running_time) && !is_served (self, running_time))
    self->requested_key = MIN (self->requested_key, running_time);
  GST_OBJECT_UNLOCK (self);
}

/* Whether the picture at @now must become a key frame. The encoders make the
 * first one on their own, and one at each interval. They need a request after a
 * user's request, and if pictures are missing in between. Called with the
 * object lock. */
static gboolean
is_key_due (GstX264LadderEnc *self, GstClockTime now)
{
  GstClockTime nearest = now + self->picture_duration / 2;
  gboolean requested = self->requested_key <= nearest, own, due;

  own = !GST_CLOCK_TIME_IS_VALID (self->last_key)
      || ++self->since_key >= self->key_distance;
  due = own || nearest >= self->last_key + self->key_interval
      || (requested && now >= self->last_key + LEAST_KEY_DISTANCE)
      || self->changed;
  own = own && !self->changed;
  self->changed = FALSE;
  self->newest = now;
  if (!due)
    return FALSE;
  self->last_key = now;
  self->since_key = 0;
  if (requested)
    self->requested_key = GST_CLOCK_TIME_NONE;
  return !own;
}

/* Sends the request in order with the pictures, before they are distributed:
 * the queues keep the order, so "now" is the same picture for each encoder. A
 * timestamp would not work: x264enc shifts timestamps with its first output,
 * and GstVideoEncoder 1.22 compares requests from before that with later ones
 * and refuses all later ones. */
static void
order_key (GstX264LadderEnc *self, GstPad *pad, GstClockTime now)
{
  g_autoptr (GstPad) inside =
      GST_PAD (gst_proxy_pad_get_internal (GST_PROXY_PAD (pad)));

  GST_DEBUG_OBJECT (self, "key frames at %" GST_TIME_FORMAT,
      GST_TIME_ARGS (now));
  gst_pad_push_event (inside,
      gst_video_event_new_downstream_force_key_unit (GST_CLOCK_TIME_NONE,
          GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE, TRUE, 0));
}

/* Slow processors */

static const gchar *
advise (GstLadderSpeed speed)
{
  return speed > GST_LADDER_SPEED_ULTRAFAST
      ? _ ("Set speed-preset to a faster one, or use fewer rungs, smaller "
           "pictures or fewer pictures per second")
      : _ ("Use fewer rungs, smaller pictures or fewer pictures per second");
}

static void
tell_overload (GstX264LadderEnc *self, guint rung, GstClockTime behind)
{
  const gchar *speed, *advice;
  guint64 skipped;

  GST_OBJECT_LOCK (self);
  speed = gst_ladder_speed_get_name (self->speed);
  advice = advise (self->speed);
  skipped = self->n_skipped;
  GST_OBJECT_UNLOCK (self);
  gst_element_post_message (GST_ELEMENT (self),
      gst_message_new_element (GST_OBJECT (self),
          gst_structure_new ("lmcc-encoder-overload", "rung", G_TYPE_UINT, rung,
              "behind", G_TYPE_UINT64, (guint64) behind, "pictures-skipped",
              G_TYPE_UINT64, skipped, "speed-preset", G_TYPE_STRING, speed,
              "remedy", G_TYPE_STRING, advice, NULL)));
  GST_ELEMENT_WARNING (self, STREAM, ENCODE,
      (_ ("The processor is too slow for these encoders: rung %u is %u ms "
          "behind with speed-preset=%s, and pictures are skipped or late. %s."),
          rung, (guint) (behind / GST_MSECOND), speed, advice),
      (NULL));
}

/* Whether pictures arrive in real time, independently of what happens here. */
static gboolean
is_live (GstX264LadderEnc *self, GstPad *pad)
{
  g_autoptr (GstQuery) query = NULL;
  gboolean live = FALSE;

  if (self->asked_live)
    return self->live;
  query = gst_query_new_latency ();
  if (gst_pad_peer_query (pad, query))
    gst_query_parse_latency (query, &live, NULL, NULL);
  GST_OBJECT_LOCK (self);
  self->asked_live = TRUE;
  self->live = live;
  GST_OBJECT_UNLOCK (self);
  return live;
}

/* Number of pictures that wait before the slowest encoder. */
static guint
get_backlog (GstX264LadderEnc *self, guint *slowest)
{
  gint backlog = 0;
  guint i;

  for (i = 0; i < self->rungs->len; i++) {
    GstX264LadderRung *rung = g_ptr_array_index (self->rungs, i);
    gint waiting = self->n_in - g_atomic_int_get (&rung->taken);

    if (waiting >= backlog) {
      backlog = waiting;
      *slowest = rung->index;
    }
  }
  return (guint) backlog;
}

static gboolean
must_skip (GstX264LadderEnc *self, GstPad *pad, GstClockTime now)
{
  guint slowest = 0, backlog = get_backlog (self, &slowest);
  gboolean live = is_live (self, pad), behind, tell;

  GST_OBJECT_LOCK (self);
  behind = live && self->props.real_time && backlog >= LEAST_BACKLOG
      && backlog * self->picture_duration > BACKLOG;
  tell = gst_ladder_watch_update (&self->watch, now, behind);
  if (behind)
    self->n_skipped++;
  GST_OBJECT_UNLOCK (self);
  if (tell)
    tell_overload (self, slowest, backlog * self->picture_duration);
  return behind;
}

/**
 * gst_x264_ladder_picture_in:
 * @pad: the sink pad
 * @info: the picture
 * @user_data: the ladder
 *
 * Drops pictures outside the segment, because they would not be shown.
 *
 * Returns: whether the picture is passed on
 */
GstPadProbeReturn
gst_x264_ladder_picture_in (GstPad *pad, GstPadProbeInfo *info,
    gpointer user_data)
{
  GstX264LadderEnc *self = user_data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstClockTime now;
  gboolean key;

  if (self->segment.format == GST_FORMAT_TIME
      && GST_BUFFER_PTS_IS_VALID (buffer)) {
    now = gst_segment_to_running_time (&self->segment, GST_FORMAT_TIME,
        GST_BUFFER_PTS (buffer));
    if (!GST_CLOCK_TIME_IS_VALID (now) || must_skip (self, pad, now))
      return GST_PAD_PROBE_DROP;
    GST_OBJECT_LOCK (self);
    key = is_key_due (self, now);
    GST_OBJECT_UNLOCK (self);
    if (key)
      order_key (self, pad, now);
  }
  self->n_in++;
  return GST_PAD_PROBE_OK;
}

static GstClockTimeDiff
get_lateness (GstX264LadderEnc *self, GstPad *pad, GstBuffer *buffer,
    GstClockTime *now)
{
  g_autoptr (GstClock) clock = gst_element_get_clock (GST_ELEMENT (self));
  g_autoptr (GstEvent) event =
      gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  const GstSegment *segment;
  GstClockTime time;

  if (clock == NULL || event == NULL || GST_STATE (self) != GST_STATE_PLAYING)
    return G_MININT64;
  gst_event_parse_segment (event, &segment);
  time = gst_segment_to_running_time (segment, GST_FORMAT_TIME,
      GST_BUFFER_PTS (buffer));
  if (!GST_CLOCK_TIME_IS_VALID (time))
    return G_MININT64;
  *now = gst_clock_get_time (clock)
      - gst_element_get_base_time (GST_ELEMENT (self));
  return GST_CLOCK_DIFF (time, *now);
}

/**
 * gst_x264_ladder_picture_out:
 * @pad: a source pad
 * @info: an encoded picture
 * @user_data: the ladder
 *
 * A source that is not live waits for the encoders. No picture is skipped then,
 * but pictures come out late.
 *
 * Returns: always to pass the picture on
 */
GstPadProbeReturn
gst_x264_ladder_picture_out (GstPad *pad, GstPadProbeInfo *info,
    gpointer user_data)
{
  GstX264LadderEnc *self = user_data;
  GstClockTime now = 0;
  GstClockTimeDiff lateness;
  gboolean tell, matters;
  guint rung = 0;

  GST_OBJECT_LOCK (self);
  matters = self->props.real_time && !self->live;
  GST_OBJECT_UNLOCK (self);
  if (!matters)
    return GST_PAD_PROBE_OK;
  lateness = get_lateness (self, pad, GST_PAD_PROBE_INFO_BUFFER (info), &now);
  if (lateness == G_MININT64)
    return GST_PAD_PROBE_OK;
  GST_OBJECT_LOCK (self);
  tell = gst_ladder_watch_update (&self->watch, now,
      gst_ladder_watch_is_late (&self->watch, lateness));
  GST_OBJECT_UNLOCK (self);
  if (!tell)
    return GST_PAD_PROBE_OK;
  sscanf (GST_PAD_NAME (pad), "src_%u", &rung);
  tell_overload (self, rung, (GstClockTime) lateness);
  return GST_PAD_PROBE_OK;
}
