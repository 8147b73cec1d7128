/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Repeats the BYE. The first copy is sent when the sink stops, the others when
 * its sockets are closed. A bin stops all its sinks before it closes any, so
 * many sinks together wait no longer than one.
 */
#include "config.h"

#include "sink/core.h"

#define GST_CAT_DEFAULT gst_lmcc_sink_debug

static LmccTime
get_time (GstLmccSinkCore *core)
{
  gint64 passed = g_get_monotonic_time () - core->leaving_since;

  return core->leaving_at + (LmccTime) MAX (passed, 0) * LMCC_USECOND;
}

/* A core that was stopped by its own handler still has its sender. */
static LmccSender *
get_sender (GstLmccSinkCore *core)
{
  if (core->ended && core->runner == g_thread_self ())
    return core->sender;
  return core->leaving;
}

static void
send_due (GstLmccSinkCore *core, LmccSender *sender)
{
  LmccSenderAction action;

  lmcc_sender_handle_timeout (sender,
      gst_lmcc_sink_ahead_tell (&core->ahead, get_time (core)));
  while (lmcc_sender_poll_action (sender, &action)) {
    if (action.type == LMCC_SENDER_ACTION_SEND_CONTROL)
      gst_lmcc_sink_send (core, GST_LMCC_SINK_CONTROL, action.packet);
    else
      g_clear_pointer (&action.packet, lmcc_packet_unref);
  }
  gst_lmcc_sink_send_waiting (core);
}

/**
 * gst_lmcc_sink_farewell_begin:
 * @core: the stopped core
 * @now: time of the first BYE, the library's time
 */
void
gst_lmcc_sink_farewell_begin (GstLmccSinkCore *core, LmccTime now)
{
  core->leaving_at = now;
  core->leaving_since = g_get_monotonic_time ();
}

/**
 * gst_lmcc_sink_farewell_take:
 * @core: the stopped core
 * @sender: (transfer full): its sender
 */
void
gst_lmcc_sink_farewell_take (GstLmccSinkCore *core, LmccSender *sender)
{
  gst_lmcc_sink_farewell_drop (core);
  core->leaving = sender;
}

/**
 * gst_lmcc_sink_farewell_end:
 * @core: the stopped core
 *
 * Sends the remaining copies, which takes about 10 ms from the first BYE on.
 */
void
gst_lmcc_sink_farewell_end (GstLmccSinkCore *core)
{
  LmccSender *sender = get_sender (core);
  LmccTime next, now;

  if (sender == NULL)
    return;
  while (LMCC_TIME_IS_VALID (next = lmcc_sender_next_timeout (sender))) {
    now = get_time (core);
    if (next > now)
      g_usleep ((next - now + LMCC_USECOND - 1) / LMCC_USECOND);
    send_due (core, sender);
  }
  gst_lmcc_sink_farewell_drop (core);
}

/**
 * gst_lmcc_sink_farewell_drop:
 * @core: the stopped core
 *
 * Drops the remaining copies, because the next session begins.
 */
void
gst_lmcc_sink_farewell_drop (GstLmccSinkCore *core)
{
  g_clear_pointer (&core->leaving, lmcc_sender_free);
}
