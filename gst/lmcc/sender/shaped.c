/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The sender's shaped allocation: layers have fixed rates, and send all the
 * time.
 */
#include "sender/private.h"
#include "wire/constants.h"

#include <gst/lmcc/lmcc-classify.h>

/* A sender that could not run for longer than this goes on from where it is: to
 * catch up would be a burst. */
#define CATCH_UP_MAX (100 * LMCC_MSECOND)

/* How long a filler packet takes while the next window may begin. */
#define WINDOW_DUE_INTERVAL (10 * LMCC_MSECOND)

void
lmcc_sender_init_shaped (LmccSender * sender, LmccTime now)
{
  const LmccCodec *codec =
      lmcc_codec_find (sender->session.video.encoding_name);

  lmcc_schedule_init (&sender->schedule, &sender->session,
      sender->probabilities, now);
  lmcc_shaper_init (&sender->shaper, &sender->allocator,
      sender->session.window);
  if (codec != NULL)
    sender->shaper.pour.n_temporal = codec->n_temporal;
}

void
lmcc_sender_clear_shaped (LmccSender * sender)
{
  lmcc_shaper_clear (&sender->shaper);
  lmcc_schedule_clear (&sender->schedule);
  g_queue_clear_full (&sender->control, (GDestroyNotify) lmcc_packet_unref);
}

void
lmcc_sender_flush_shaped (LmccSender * sender)
{
  lmcc_shaper_flush (&sender->shaper);
  sender->sending_until = 0;
}

static guint64
bytes_in (const LmccSender * sender, guint layer, LmccTime duration)
{
  return (guint64) ((gdouble) duration *
      (gdouble) sender->session.layers[layer].rate / (8.0 * LMCC_SECOND));
}

/* Where receivers follow marks a filler packet is of the session's packet size:
 * what a level gets is reckoned in packets of that size (Byers et al.,
 * "FLID-DL", 2002, section IV-C: p_i follows from T q R_i), and what a burst
 * does to a queue depends on their number (Legout and Biersack, "Pathological
 * Behaviors for RLM and RLC", 2000, section 4). Smaller ones would be more, and
 * each may be lost.
 * Elsewhere they are not so large that a slow layer would say for more than the
 * interval how far it is, nor that the next window would begin late, which is
 * due when the one before it has been sent. */
static gsize
filler_payload_size (const LmccSender * sender, guint layer, LmccTime time)
{
  gsize overhead = lmcc_allocator_packet_size (&sender->allocator, 0);
  LmccTime end = sender->sending_until;
  LmccTime longest = LMCC_FILLER_INTERVAL;
  guint64 size;

  if (sender->session.slot > 0)
    return MAX (sender->session.packet_size, overhead) - overhead;
  if (time < end)
    longest = MIN (longest, end - time);
  else if (time < end + sender->shaper.grace)
    longest = WINDOW_DUE_INTERVAL;
  size = MIN (bytes_in (sender, layer, longest), sender->session.packet_size);

  return (gsize) MAX (size, overhead + LMCC_FILLER_PAYLOAD_SIZE) - overhead;
}

/* Fills one opportunity: with control packets, which are the base's, then
 * media; behind all of a window its repair; then filler. */
static void
send_at (LmccSender * sender, const LmccOpportunity * opportunity, LmccTime now)
{
  guint layer = opportunity->layer;
  LmccPacket *control = NULL, *repair = NULL;
  LmccAllotment allotment;
  gsize size;

  lmcc_schedule_get_marks (&sender->schedule, opportunity,
      &sender->packetizer.marks);
  if (layer == 0)
    control = g_queue_pop_head (&sender->control);
  if (layer == 0 && control == NULL)
    control = lmcc_sender_take_answer (sender, now);
  if (control == NULL)
    repair = lmcc_sender_take_repair (sender, opportunity);
  if (control != NULL)
    size = lmcc_sender_send_control (sender, control, now);
  else if (repair != NULL)
    size = lmcc_sender_send_repair (sender, layer, repair, now);
  else if (lmcc_allocator_take (&sender->allocator, layer, &allotment))
    size = lmcc_sender_send_media (sender, layer, &allotment,
        opportunity->time, now);
  else
    size = lmcc_sender_send_filler (sender, layer, filler_payload_size (sender,
            layer, opportunity->even_time), now);
  lmcc_schedule_sent (&sender->schedule, layer, size);
}

static void
send_due (LmccSender * sender, LmccTime now)
{
  LmccOpportunity opportunity;

  if (now > CATCH_UP_MAX)
    lmcc_schedule_skip (&sender->schedule, now - CATCH_UP_MAX);
  for (lmcc_schedule_next (&sender->schedule, &opportunity);
      opportunity.time <= now;
      lmcc_schedule_next (&sender->schedule, &opportunity))
    send_at (sender, &opportunity, now);
}

/* Reports and their answers together are 5 % of the base rate at most. */
#define FEEDBACK_DIVISOR 20

static gsize
control_bytes (const LmccSender * sender, LmccTime duration)
{
  gsize bytes = lmcc_announcer_expect (&sender->announcer, &sender->session,
      duration);
  const GList *l;

  for (l = sender->control.head; l != NULL; l = l->next)
    bytes += sender->udp_overhead + ((LmccPacket *) l->data)->size;
  if (sender->session.feedback_interval > 0)
    bytes += (gsize) bytes_in (sender, 0, duration) / FEEDBACK_DIVISOR;

  return bytes;
}

/* What the layers can send until @end, after all that waits already. */
static void
measure_room (LmccSender * sender, LmccTime duration, LmccTime now)
{
  LmccPour *pour = &sender->shaper.pour;
  LmccTime rest = sender->sending_until - now;
  guint i;

  for (i = 0; i < sender->session.n_layers; i++) {
    gsize taken = i == 0 ? control_bytes (sender, duration) : 0;
    gsize share = (gsize) bytes_in (sender, i, duration);
    gsize room = lmcc_schedule_get_room (&sender->schedule, i,
        sender->sending_until);

    pour->share[i] = share - MIN (share, taken);
    taken = i == 0 ? control_bytes (sender, rest) : 0;
    taken += lmcc_allocator_queued_bytes (&sender->allocator.layers[i]);
    taken += sender->repairer.owed[i];
    pour->room[i] = room - MIN (room, taken);
  }
}

static void
count_late (LmccSender * sender)
{
  guint i;

  for (i = 0; i < sender->shaper.units->len; i++) {
    const LmccQueuedUnit *queued = g_ptr_array_index (sender->shaper.units, i);

    if (sender->sending_until > queued->deadline)
      sender->stats.units_late++;
  }
}

static void
update_stats (LmccSender * sender)
{
  guint i;

  for (i = 0; i < LMCC_MAX_CLASSES; i++)
    sender->stats.units_dropped[i] = sender->shaper.n_dropped[i];
  for (i = 0; i < LMCC_MAX_RUNGS; i++)
    sender->stats.key_levels[i] = sender->shaper.key_levels[i];
}

/* A window is sent in as long as it lasts, behind the one before it. */
static void
close_window (LmccSender * sender, LmccTime end, LmccTime now)
{
  LmccTime duration = end - sender->shaper.opened;

  sender->sending_until = MAX (sender->sending_until, now) + duration;
  measure_room (sender, duration, now);
  lmcc_sender_reserve_repair (sender, end);
  count_late (sender);
  lmcc_shaper_close (&sender->shaper, end, &sender->allocator, &sender->osn);
  lmcc_sender_plan_repair (sender);
  update_stats (sender);
}

/* @bytes are those of its IP packets. */
void
lmcc_sender_collect (LmccSender * sender, LmccUnit * unit, gsize bytes,
    LmccTime now)
{
  LmccShaper *shaper = &sender->shaper;
  LmccQueuedUnit *queued = g_new0 (LmccQueuedUnit, 1);
  LmccTime end;

  while ((end = lmcc_shaper_get_end (shaper, unit)) != LMCC_TIME_NONE) {
    if (shaper->last_key == 0 && !lmcc_unit_is_key (unit))
      sender->stats.windows_cut++;
    close_window (sender, end, now);
  }
  queued->unit = unit;
  queued->bytes = bytes;
  queued->deadline = unit->decoding_time + sender->session.window;
  queued->anchor = sender->anchors[unit->stream];
  lmcc_shaper_push (shaper, queued);
}

/* Without its packets, so that what needs it is not sent either. */
void
lmcc_sender_lose (LmccSender * sender, LmccUnit * unit, LmccTime now)
{
  g_ptr_array_set_size (unit->packets, 0);
  lmcc_sender_collect (sender, unit, 0, now);
}

void
lmcc_sender_handle_shaped (LmccSender * sender, LmccTime now)
{
  if (lmcc_shaper_next (&sender->shaper) <= now)
    close_window (sender, sender->shaper.opened + sender->shaper.longest, now);
  send_due (sender, now);
}

LmccTime
lmcc_sender_next_shaped (const LmccSender * sender)
{
  LmccOpportunity opportunity;
  LmccTime next = lmcc_shaper_next (&sender->shaper);

  lmcc_schedule_next (&sender->schedule, &opportunity);

  return MIN (next, opportunity.time);
}
