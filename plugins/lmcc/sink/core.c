/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The element inside lmccsink that takes RTP packets on its pads. They are
 * processed in sink/pad.c, sink/collect.c and sink/pacer.c.
 */
#include "config.h"

#include "sink/core.h"

#include <plugins/common/messages.h>

#include <errno.h>
#include <string.h>

GST_DEBUG_CATEGORY (gst_lmcc_sink_debug);
#define GST_CAT_DEFAULT gst_lmcc_sink_debug

G_DEFINE_TYPE (GstLmccSinkCore, gst_lmcc_sink_core, GST_TYPE_ELEMENT);

/* Opening and closing */

/* gst-launch-1.0 shows only the debug text of an info message. */
static void
say_fallback (GstLmccSinkCore *core)
{
  g_autofree gchar *text = g_strdup_printf (
      _ ("No route leads to the multicast group: sending on the loopback "
         "interface %s, to receivers on this host only. Set multicast-iface to "
         "reach other hosts."),
      core->place.iface.name);

  GST_ELEMENT_INFO (core, RESOURCE, SETTINGS, ("%s", text), ("%s", text));
}

static void
warn_odd_port (GstLmccSinkCore *core)
{
  gint port = core->settings.properties.port;

  if (port % 2 == 0)
    return;
  GST_ELEMENT_WARNING (core, RESOURCE, SETTINGS,
      (_ ("The port %d is odd. RTP uses an even port, and RTCP the next one "
          "(RFC 3550 section 11): players of the base layer may use %d and %d "
          "instead. Set port to an even number."),
          port, port - 1, port),
      (NULL));
}

/* If the address is not available yet, opening is retried while packets are
 * sent. */
static gboolean
open_feedback (GstLmccSinkCore *core)
{
  g_autoptr (GError) error = NULL;

  if (gst_lmcc_sink_feedback_open (core, &core->place, &error) >= 0
      || error == NULL)
    return TRUE;
  if (error->code == (gint) g_io_error_from_errno (EADDRNOTAVAIL)) {
    GST_INFO_OBJECT (core, "not yet: %s", error->message);
    return TRUE;
  }
  GST_ELEMENT_ERROR (core, RESOURCE, OPEN_READ, ("%s", error->message),
      ("property feedback-port"));
  return FALSE;
}

static gboolean
open_sockets (GstLmccSinkCore *core)
{
  g_autoptr (GError) error = NULL;

  memset (&core->place, 0, sizeof (core->place));
  core->moved = FALSE;
  if (!gst_lmcc_sink_socket_choose_interface (core, &error)) {
    GST_ELEMENT_ERROR (core, RESOURCE, SETTINGS, ("%s", error->message),
        (NULL));
    return FALSE;
  }
  if (!gst_lmcc_sink_socket_find_source (core, &core->place.source))
    core->place.source.family = LMCC_FAMILY_NONE;
  if (!gst_lmcc_sink_paths_check (core, &error)) {
    GST_ELEMENT_ERROR (core, RESOURCE, SETTINGS, ("%s", error->message),
        (NULL));
    return FALSE;
  }
  if (!gst_lmcc_sink_socket_open (core, &error)) {
    GST_ELEMENT_ERROR (core, RESOURCE, OPEN_WRITE, ("%s", error->message),
        (NULL));
    return FALSE;
  }
  GST_INFO_OBJECT (core, "sending on interface %s", core->place.iface.name);
  gst_lmcc_sink_sending_open (core);
  gst_lmcc_sink_paths_warn (core);
  if (core->place.iface.is_fallback)
    say_fallback (core);
  warn_odd_port (core);
  return open_feedback (core);
}

/**
 * gst_lmcc_sink_core_open:
 * @core: the core, closed
 * @settings: (inout): settings to take over; zeroed
 *
 * Opens the sockets. After an error, which is posted, nothing stays open.
 *
 * Returns: whether they are open
 */
gboolean
gst_lmcc_sink_core_open (GstLmccSinkCore *core, GstLmccSinkSettings *settings)
{
  /* A run that was stopped by its own handler may not have returned yet. */
  gst_lmcc_io_detach (core->io);
  gst_lmcc_sink_settings_clear (&core->settings);
  core->settings = *settings;
  memset (settings, 0, sizeof (*settings));
  if (open_sockets (core))
    return TRUE;
  gst_lmcc_sink_core_close (core);
  return FALSE;
}

/**
 * gst_lmcc_sink_core_close:
 * @core: the stopped core
 *
 * Repeats the BYE and closes the sockets.
 */
void
gst_lmcc_sink_core_close (GstLmccSinkCore *core)
{
  gst_lmcc_sink_farewell_end (core);
  gst_lmcc_sink_sending_close (core);
  gst_lmcc_sink_socket_close (core);
  gst_lmcc_sink_feedback_close (core);
}

static void
reset (GstLmccSinkCore *core)
{
  GList *l;

  g_mutex_lock (&core->lock);
  for (l = core->pads; l; l = l->next)
    gst_lmcc_sink_pad_reset (l->data);
  g_atomic_int_set (&core->running, TRUE);
  core->playing = FALSE;
  core->ready = FALSE;
  core->flush_sender = FALSE;
  core->epoch = 0;
  core->now = 0;
  core->first = TRUE;
  core->shift = 0;
  core->collected = 0;
  core->missing_since = LMCC_TIME_NONE;
  core->started = FALSE;
  core->has_sound = FALSE;
  core->send_errors = 0;
  core->next_estimate = 0;
  core->estimated_bitrate = 0;
  core->estimate_told = FALSE;
  core->estimate_waits = FALSE;
  core->warned_encoder = FALSE;
  core->own_key_distance = 0;
  core->reports_dropped = 0;
  g_clear_pointer (&core->sdp, g_free);
  g_clear_pointer (&core->described, g_free);
  g_mutex_unlock (&core->lock);
  core->advised = FALSE;
  core->deafness_told = FALSE;
  core->fragments_told = FALSE;
  core->control_fragments_told = FALSE;
  core->next_stats = 0;
  core->key_interval = 0;
  core->next_key_unit = 0;
  core->window_told = 0;
  core->next_key_check = 0;
  core->requested_key_unit = 0;
  core->eos_posted = FALSE;
  core->address_wait = 0;
  core->expected = LMCC_TIME_NONE;
  core->not_before = 0;
  gst_lmcc_sink_ahead_restart (&core->ahead);
  g_atomic_int_set (&core->timed, FALSE);
}

/**
 * gst_lmcc_sink_core_start:
 * @core: the open core
 *
 * Attaches the core to an I/O thread, where it waits for PLAYING. An error is
 * posted as a message.
 *
 * Returns: whether it is attached
 */
gboolean
gst_lmcc_sink_core_start (GstLmccSinkCore *core)
{
  g_autoptr (GError) error = NULL;

  gst_lmcc_io_detach (core->io);
  gst_lmcc_sink_farewell_drop (core);
  reset (core);
  gst_lmcc_sink_host_paused (core);
  gst_lmcc_sink_sdp_start (core);
  gst_lmcc_sink_host_start (core);
  gst_lmcc_sink_range_open (core);
  core->attached = TRUE;
  if (gst_lmcc_io_attach (core->io, &error))
    return TRUE;
  gst_lmcc_sink_core_stop (core);
  GST_ELEMENT_ERROR (core, RESOURCE, FAILED, ("%s", error->message), (NULL));
  return FALSE;
}

/**
 * gst_lmcc_sink_core_stop:
 * @core: the core
 *
 * Sends BYE, detaches from the I/O thread and unblocks streaming threads.
 */
void
gst_lmcc_sink_core_stop (GstLmccSinkCore *core)
{
  if (!core->attached)
    return;
  core->attached = FALSE;
  g_mutex_lock (&core->lock);
  g_atomic_int_set (&core->running, FALSE);
  gst_lmcc_sink_wake (core);
  g_mutex_unlock (&core->lock);
  gst_lmcc_io_detach (core->io);
  gst_lmcc_sink_range_close (core);
  gst_lmcc_sink_pacer_stop (core);
  gst_lmcc_sink_host_stop (core);
  gst_lmcc_sink_sdp_stop (core);
}

/**
 * gst_lmcc_sink_core_set_own_key_distance:
 * @core: the core
 * @distance: key-frame interval of the encoders that lmccsink has created, ns
 */
void
gst_lmcc_sink_core_set_own_key_distance (GstLmccSinkCore *core,
    LmccTime distance)
{
  g_mutex_lock (&core->lock);
  core->own_key_distance = distance;
  g_mutex_unlock (&core->lock);
}

/* Element */

/**
 * gst_lmcc_sink_list_pads:
 * @element: the core or lmccsink
 *
 * Returns: (transfer full) (element-type GstPad): its current sink pads
 */
GList *
gst_lmcc_sink_list_pads (GstElement *element)
{
  GList *pads, *l;

  GST_OBJECT_LOCK (element);
  pads = g_list_copy (element->sinkpads);
  for (l = pads; l; l = l->next)
    gst_object_ref (l->data);
  GST_OBJECT_UNLOCK (element);
  return pads;
}

static gboolean
push_upstream (GstElement *element, GstEvent *event)
{
  gboolean all = GST_EVENT_TYPE (event) != GST_EVENT_SEEK, done = FALSE;
  GList *pads, *l;

  pads = gst_lmcc_sink_list_pads (GST_ELEMENT (element));
  for (l = pads; l && (all || !done); l = l->next)
    done = gst_pad_push_event (l->data, gst_event_ref (event)) || done;
  g_list_free_full (pads, gst_object_unref);
  gst_event_unref (event);
  return done;
}

/* All rungs share one timeline, so the slowest one determines the latency. */
static gboolean
query_latency (GstElement *element, GstQuery *query)
{
  GstClockTime min = 0, max = GST_CLOCK_TIME_NONE;
  gboolean live = FALSE, answered = FALSE;
  GList *pads, *l;

  pads = gst_lmcc_sink_list_pads (GST_ELEMENT (element));
  for (l = pads; l; l = l->next) {
    g_autoptr (GstQuery) peer = gst_query_new_latency ();
    GstClockTime peer_min, peer_max;
    gboolean peer_live;

    if (!gst_pad_peer_query (l->data, peer))
      continue;
    answered = TRUE;
    gst_query_parse_latency (peer, &peer_live, &peer_min, &peer_max);
    live = live || peer_live;
    min = MAX (min, peer_min);
    max = MIN (max, peer_max);
  }
  g_list_free_full (pads, gst_object_unref);
  if (answered)
    gst_query_set_latency (query, live, min, max);
  return answered;
}

/**
 * gst_lmcc_sink_is_live:
 * @core: the core; called without lock
 *
 * Returns: whether an upstream element is live, as far as it can be reached:
 * before its caps a pad has no payloader
 */
gboolean
gst_lmcc_sink_is_live (GstLmccSinkCore *core)
{
  g_autoptr (GstQuery) query = gst_query_new_latency ();
  gboolean live = FALSE;

  if (query_latency (GST_ELEMENT (core), query))
    gst_query_parse_latency (query, &live, NULL, NULL);
  return live;
}

/**
 * gst_lmcc_sink_update_latency:
 * @core: the core; called without lock
 *
 * Queries the latency of the encoders, not that of the pipeline's slowest sink:
 * packets need not be in sync with other sinks.
 */
void
gst_lmcc_sink_update_latency (GstLmccSinkCore *core)
{
  g_autoptr (GstQuery) query = gst_query_new_latency ();
  GstClockTime min = 0, max;
  gboolean live = FALSE;

  if (query_latency (GST_ELEMENT (core), query))
    gst_query_parse_latency (query, &live, &min, &max);
  GST_INFO_OBJECT (core, "latency %" GST_TIME_FORMAT "%s", GST_TIME_ARGS (min),
      live ? ", live" : "");
  g_mutex_lock (&core->lock);
  core->live = live;
  core->next_latency = min;
  gst_lmcc_sink_wake (core);
  g_mutex_unlock (&core->lock);
}

static gboolean
gst_lmcc_sink_core_send_event (GstElement *element, GstEvent *event)
{
  GstLmccSinkCore *core = GST_LMCC_SINK_CORE (element);

  if (!GST_EVENT_IS_UPSTREAM (event))
    return GST_ELEMENT_CLASS (gst_lmcc_sink_core_parent_class)
        ->send_event (element, event);
  if (GST_EVENT_TYPE (event) == GST_EVENT_LATENCY)
    gst_lmcc_sink_update_latency (core);
  return push_upstream (element, event);
}

static gboolean
gst_lmcc_sink_core_query (GstElement *element, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) == GST_QUERY_LATENCY)
    return query_latency (element, query);
  return GST_ELEMENT_CLASS (gst_lmcc_sink_core_parent_class)
      ->query (element, query);
}

static void
set_playing (GstLmccSinkCore *core, gboolean playing)
{
  g_mutex_lock (&core->lock);
  core->playing = playing;
  gst_lmcc_sink_wake (core);
  g_mutex_unlock (&core->lock);
}

static GstStateChangeReturn
gst_lmcc_sink_core_change_state (GstElement *element, GstStateChange transition)
{
  GstLmccSinkCore *core = GST_LMCC_SINK_CORE (element);
  GstStateChangeReturn ret;

  switch (transition) {
    case GST_STATE_CHANGE_READY_TO_PAUSED:
      if (!gst_lmcc_sink_core_start (core))
        return GST_STATE_CHANGE_FAILURE;
      break;
    case GST_STATE_CHANGE_PLAYING_TO_PAUSED:
      set_playing (core, FALSE);
      break;
    case GST_STATE_CHANGE_PAUSED_TO_READY:
      /* Stop before the pads are deactivated, which waits for the streaming
       * threads. */
      gst_lmcc_sink_core_stop (core);
      break;
    default:
      break;
  }
  ret = GST_ELEMENT_CLASS (gst_lmcc_sink_core_parent_class)
            ->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING
      && ret != GST_STATE_CHANGE_FAILURE)
    set_playing (core, TRUE);
  else if (transition == GST_STATE_CHANGE_READY_TO_PAUSED
      && ret == GST_STATE_CHANGE_FAILURE)
    gst_lmcc_sink_core_stop (core);
  /* Nothing is sent in PAUSED, so there is no preroll to wait for. With SUCCESS
   * the first element to be ready would be decodebin, whose thread then reports
   * the state of the pipeline. An application that sets PLAYING at this
   * message, such as gst-launch-1.0, may overtake that thread, and GstBin would
   * never report the end. */
  else if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    ret = GST_STATE_CHANGE_NO_PREROLL;
  else if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED
      && ret != GST_STATE_CHANGE_FAILURE)
    ret = GST_STATE_CHANGE_NO_PREROLL;
  return ret;
}

static void
gst_lmcc_sink_core_finalize (GObject *object)
{
  GstLmccSinkCore *core = GST_LMCC_SINK_CORE (object);

  gst_lmcc_sink_core_close (core);
  gst_lmcc_io_free (core->io);
  g_list_free_full (core->pads, (GDestroyNotify) gst_lmcc_sink_pad_free);
  gst_lmcc_sink_settings_clear (&core->settings);
  g_free (core->sdp);
  g_free (core->described);
  g_clear_pointer (&core->sender, lmcc_sender_free);
  g_mutex_clear (&core->lock);
  g_mutex_clear (&core->sender_lock);
  g_cond_clear (&core->cond);
  G_OBJECT_CLASS (gst_lmcc_sink_core_parent_class)->finalize (object);
}

static void
gst_lmcc_sink_core_class_init (GstLmccSinkCoreClass *klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = gst_lmcc_sink_core_finalize;
  element_class->change_state =
      GST_DEBUG_FUNCPTR (gst_lmcc_sink_core_change_state);
  element_class->send_event = GST_DEBUG_FUNCPTR (gst_lmcc_sink_core_send_event);
  element_class->query = GST_DEBUG_FUNCPTR (gst_lmcc_sink_core_query);
  gst_element_class_add_static_pad_template (element_class,
      &gst_lmcc_sink_core_pad_template);
  gst_element_class_add_static_pad_template (element_class,
      &gst_lmcc_sink_core_sound_template);
  gst_element_class_set_static_metadata (element_class,
      "Layered multicast sender", "Sink/Network/RTP",
      "Collects, paces and sends packets; used inside lmccsink",
      "The lmcc project");
}

static void
gst_lmcc_sink_core_init (GstLmccSinkCore *core)
{
  core->io = gst_lmcc_io_new (gst_lmcc_sink_pacer_run, core);
  core->fd = -1;
  core->feedback_fd = -1;
  core->host.netlink_fd = -1;
  core->rivals.media_fd = -1;
  core->range.claims_fd = -1;
  g_mutex_init (&core->lock);
  g_mutex_init (&core->sender_lock);
  g_cond_init (&core->cond);
  GST_OBJECT_FLAG_SET (core, GST_ELEMENT_FLAG_SINK);
}

/**
 * gst_lmcc_sink_core_new:
 * @callbacks: copied
 *
 * Returns: (transfer floating): a core without pads
 */
GstLmccSinkCore *
gst_lmcc_sink_core_new (const GstLmccSinkCallbacks *callbacks)
{
  GstLmccSinkCore *core =
      g_object_new (GST_TYPE_LMCC_SINK_CORE, "name", "core", NULL);

  core->callbacks = *callbacks;
  return core;
}
