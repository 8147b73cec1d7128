/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The sender's layers of fixed rates, which send all the time. */
#include "sender/shaped.h"

#include <gst/lmcc/lmcc-classify.h>
#include "sender/private.h"
#include "wire/constants.h"

/* A sender that was unable to run for longer than this continues from the
 * present: catching up would be a burst. */
#define CATCH_UP_MAX (100 * LMCC_MSECOND)

/* Duration of a filler packet while the next window may begin. */
#define WINDOW_DUE_INTERVAL (10 * LMCC_MSECOND)

/* Greatest delay of a picture. */
#define LATE_TIME (200 * LMCC_MSECOND)

/* Work per unit to pour it, to close its window and to register its packets,
 * in multiplications: about 0.5 us. */
#define UNIT_WORK 500

static guint64
bytes_in (const LmccSender *sender, guint layer, LmccTime duration)
{
  return (guint64) ((gdouble) duration
      * (gdouble) sender->session.layers[layer].rate / (8.0 * LMCC_SECOND));
}

/* If receivers follow marks, filler packets have the session's packet size,
 * because the expected rate of a level is computed in packets of that size
 * (Byers et al., "FLID-DL", 2002, section IV-C: p_i follows from T q R_i),
 * and the effect of a burst on a queue depends on their number (Legout and
 * Biersack, "Pathological Behaviors for RLM and RLC", 2000, section 4).
 * Smaller ones would be more numerous, and each may be lost. Otherwise
 * filler packets are small enough for a slow layer to report its progress
 * once per interval, and for the next window, due when the previous one has
 * been sent, to begin on time. */
static gsize
filler_payload_size (const LmccSender *sender, guint layer)
{
  gsize overhead = lmcc_allocator_packet_size (&sender->allocator, 0);
  gsize begun = lmcc_schedule_get_begun (&sender->windows.schedule, layer);
  LmccTime time = lmcc_schedule_get_begin (&sender->windows.schedule, layer);
  LmccTime end = sender->windows.sending_until;
  LmccTime longest = LMCC_FILLER_INTERVAL;
  guint64 size;

  if (begun > 0)
    return begun - overhead;
  if (sender->session.slot > 0)
    return MAX (sender->session.packet_size, overhead) - overhead;
  if (time < end)
    longest = MIN (longest, end - time);
  else if (time < end + sender->windows.shaper.grace)
    longest = WINDOW_DUE_INTERVAL;
  size = MIN (bytes_in (sender, layer, longest), sender->session.packet_size);

  return (gsize) MAX (size, overhead + LMCC_FILLER_PAYLOAD_SIZE) - overhead;
}

/* Plans the layer's next packet as far as it is known. RTCP is not known,
 * but the base layer's packets are sent without waiting. */
static void
plan (LmccSender *sender, guint layer)
{
  gsize size = lmcc_sender_peek_repair (sender, layer);
  gboolean filler = FALSE;

  if (size == 0)
    size = lmcc_allocator_peek_size (&sender->allocator, layer);
  if (size == 0) {
    filler = TRUE;
    size = lmcc_allocator_packet_size (&sender->allocator,
        filler_payload_size (sender, layer));
  }
  lmcc_schedule_plan (&sender->windows.schedule, layer, size, filler);
}

static void
plan_all (LmccSender *sender)
{
  guint i;

  for (i = 0; i < sender->session.n_layers; i++)
    plan (sender, i);
}

void
lmcc_sender_init_shaped (LmccSender *sender, const gdouble *probabilities,
    LmccTime key_distance, LmccTime now)
{
  const LmccCodec *codec =
      lmcc_codec_find (sender->session.video.encoding_name);

  lmcc_schedule_init (&sender->windows.schedule, &sender->session,
      probabilities, &sender->trains, now);
  lmcc_sender_mark_by (sender, &sender->windows.schedule.marker);
  lmcc_shaper_init (&sender->windows.shaper, &sender->allocator,
      sender->session.window);
  sender->windows.follows = key_distance > 0;
  sender->windows.measure = key_distance == LMCC_TIME_NONE;
  if (codec != NULL)
    sender->windows.shaper.pour.n_temporal = codec->n_temporal;
  plan_all (sender);
}

static void
drop_pending (LmccSender *sender)
{
  g_queue_clear_full (&sender->windows.pending,
      (GDestroyNotify) lmcc_queued_unit_free);
  sender->windows.closing = FALSE;
}

void
lmcc_sender_clear_shaped (LmccSender *sender)
{
  drop_pending (sender);
  lmcc_shaper_clear (&sender->windows.shaper);
  lmcc_schedule_clear (&sender->windows.schedule);
  g_queue_clear_full (&sender->windows.control,
      (GDestroyNotify) lmcc_packet_unref);
}

void
lmcc_sender_flush_shaped (LmccSender *sender)
{
  drop_pending (sender);
  lmcc_shaper_flush (&sender->windows.shaper);
  sender->windows.sending_until = 0;
  plan_all (sender);
}

/* Returns whether a window is being collected. */
gboolean
lmcc_sender_collects (const LmccSender *sender)
{
  return !lmcc_shaper_is_empty (&sender->windows.shaper)
      || !g_queue_is_empty ((GQueue *) &sender->windows.pending);
}

/*
 * lmcc_sender_queue_control:
 * @sender: a sender
 * @packet: (transfer full): an RTCP packet
 * @n_waiting: greatest number of waiting packets; the newest are kept
 *
 * If the base layer has a fixed rate, control packets are part of it and
 * wait for their turn.
 */
void
lmcc_sender_queue_control (LmccSender *sender, LmccPacket *packet,
    guint n_waiting)
{
  g_queue_push_tail (&sender->windows.control, packet);
  if (g_queue_get_length (&sender->windows.control) > n_waiting)
    lmcc_packet_unref (g_queue_pop_head (&sender->windows.control));
}

/* Fills one opportunity: with control packets (base layer only), otherwise
 * with media, after the media of a window with its repair data, otherwise
 * with filler. */
static void
send_at (LmccSender *sender, const LmccOpportunity *opportunity, LmccTime now)
{
  guint layer = opportunity->layer;
  LmccPacket *control = NULL, *repair = NULL;
  gboolean fills =
      lmcc_schedule_get_begun (&sender->windows.schedule, layer) > 0;
  LmccAllotment allotment;
  LmccMarks marks;
  gsize size;

  lmcc_schedule_get_marks (&sender->windows.schedule, opportunity, &marks);
  lmcc_sender_set_marks (sender, &marks);
  if (layer == 0)
    control = g_queue_pop_head (&sender->windows.control);
  if (layer == 0 && control == NULL)
    control = lmcc_sender_take_answer (sender, now);
  if (control == NULL && !fills)
    repair = lmcc_sender_take_repair (sender, opportunity);
  if (control != NULL)
    size = lmcc_sender_send_control (sender, control, now);
  else if (repair != NULL)
    size = lmcc_sender_send_repair (sender, layer, repair, now);
  else if (!fills
      && lmcc_allocator_take (&sender->allocator, layer, &allotment)) {
    lmcc_sender_note_leaving (sender, &allotment, now);
    size = lmcc_sender_send_media (sender, layer, &allotment, opportunity->time,
        now);
  } else
    size = lmcc_sender_send_filler (sender, layer,
        filler_payload_size (sender, layer), now);
  lmcc_schedule_sent (&sender->windows.schedule, layer, size);
  plan (sender, layer);
}

static void
send_due (LmccSender *sender, LmccTime now)
{
  LmccOpportunity opportunity;

  if (now > CATCH_UP_MAX)
    lmcc_schedule_skip (&sender->windows.schedule, now - CATCH_UP_MAX);
  lmcc_trains_advance (&sender->trains, now);
  for (lmcc_schedule_next (&sender->windows.schedule, &opportunity);
       opportunity.time <= now;
       lmcc_schedule_next (&sender->windows.schedule, &opportunity))
    send_at (sender, &opportunity, now);
}

/* Reports and answers together take at most 5 % of the base rate. */
#define FEEDBACK_DIVISOR 20

static gsize
control_bytes (const LmccSender *sender, LmccTime duration, LmccTime now)
{
  gsize bytes = lmcc_sender_expect_records (sender, duration, now);
  const GList *l;

  for (l = sender->windows.control.head; l != NULL; l = l->next)
    bytes += sender->udp_overhead + ((LmccPacket *) l->data)->size;
  if (sender->session.feedback_interval > 0)
    bytes += (gsize) bytes_in (sender, 0, duration) / FEEDBACK_DIVISOR;

  return bytes;
}

/* Computes what the layers can send in @duration and until @until, after
 * everything that waits already. */
static void
measure_room (LmccSender *sender, LmccTime duration, LmccTime until,
    LmccTime now)
{
  LmccPour *pour = &sender->windows.shaper.pour;
  LmccTime rest = until - now;
  guint i;

  for (i = 0; i < sender->session.n_layers; i++) {
    gsize taken = i == 0 ? control_bytes (sender, duration, now) : 0;
    gsize share = (gsize) bytes_in (sender, i, duration);
    gsize room = lmcc_schedule_get_room (&sender->windows.schedule, i, until);

    pour->share[i] = share - MIN (share, taken);
    taken = i == 0 ? control_bytes (sender, rest, now) : 0;
    taken += lmcc_allocator_queued_bytes (&sender->allocator.layers[i]);
    taken += lmcc_sender_get_repair_owed (sender, i);
    pour->room[i] = room - MIN (room, taken);
  }
}

static void
count_late (LmccSender *sender)
{
  guint i;

  for (i = 0; i < sender->windows.shaper.units->len; i++) {
    const LmccQueuedUnit *queued =
        g_ptr_array_index (sender->windows.shaper.units, i);

    if (sender->windows.sending_until > queued->deadline)
      sender->stats.units_late++;
  }
}

static void
update_stats (LmccSender *sender)
{
  guint i;

  for (i = 0; i < LMCC_MAX_CLASSES; i++)
    sender->stats.units_dropped[i] = sender->windows.shaper.n_dropped[i];
  for (i = 0; i < LMCC_MAX_RUNGS; i++)
    sender->stats.key_levels[i] = sender->windows.shaper.key_levels[i];
}

/* Plans repair of the window that has just been poured into the layers. */
static void
plan_repair (LmccSender *sender, const gsize *reserved)
{
  LmccRepairBudget budget = { 0 };

  if (!lmcc_sender_has_repair (sender))
    return;
  lmcc_sender_get_repair_budget (sender, &sender->windows.schedule,
      sender->windows.sending_until, &sender->windows.shaper.pour, reserved,
      NULL, &budget);
  lmcc_sender_plan_repair (sender, &budget);
}

/* A window is sent within its own duration, after the previous one. */
static void
measure_window (LmccSender *sender, LmccSenderWindow *window, LmccTime now)
{
  LmccSenderShaped *windows = &sender->windows;
  LmccTime duration = windows->end - windows->shaper.opened;

  window->schedule = &windows->schedule;
  window->shaper = &windows->shaper;
  window->end = windows->end;
  window->sending_until = MAX (windows->sending_until, now) + duration;
  lmcc_schedule_hold_begun (&windows->schedule, now);
  measure_room (sender, duration, window->sending_until, now);
}

static void
begin_closing (LmccSender *sender, LmccTime end, LmccTime now)
{
  lmcc_sender_expect_key (sender, MAX (sender->windows.sending_until, now), 0);
  sender->windows.closing = TRUE;
  sender->windows.end = end;
  lmcc_sender_begin_reserve (&sender->windows.reserve);
}

/* The window's reserve is decided. */
static void
close_window (LmccSender *sender, LmccSenderWindow *window)
{
  gsize reserved[LMCC_MAX_LAYERS] = { 0 };
  LmccTime duration = window->end - sender->windows.shaper.opened;

  sender->windows.closing = FALSE;
  sender->windows.sending_until = window->sending_until;
  lmcc_sender_expect_key (sender, window->sending_until, duration);
  lmcc_sender_reserve_repair (sender, window, &sender->windows.reserve,
      reserved);
  count_late (sender);
  lmcc_shaper_close (&sender->windows.shaper, window->end, &sender->allocator,
      &sender->osn);
  plan_repair (sender, reserved);
  plan_all (sender);
  update_stats (sender);
}

/* Moves arrived units into the shaper's window, up to the one that ends it. */
static void
collect_pending (LmccSender *sender, LmccTime now)
{
  LmccShaper *shaper = &sender->windows.shaper;
  LmccQueuedUnit *queued;

  while (!sender->windows.closing
      && (queued = g_queue_peek_head (&sender->windows.pending)) != NULL) {
    LmccTime end = lmcc_shaper_get_end (shaper, queued->unit);

    if (end == LMCC_TIME_NONE) {
      lmcc_shaper_push (shaper, g_queue_pop_head (&sender->windows.pending));
      continue;
    }
    if (shaper->last_key == 0 && !lmcc_unit_is_key (queued->unit)) {
      sender->stats.windows_cut++;
      sender->windows.cut = TRUE;
    }
    begin_closing (sender, end, now);
  }
}

/* Does a part of the work on windows that are being closed and planned.
 * Until it is done, layers send filler, or the window whose repair is not
 * planned yet. */
static void
go_on (LmccSender *sender, LmccTime now)
{
  guint64 work = LMCC_SENDER_PLAN_WORK, pouring;
  LmccSenderWindow window;

  sender->windows.worked = now;
  for (;;) {
    collect_pending (sender, now);
    if (!lmcc_sender_go_on_planning (sender, now, &work) || work == 0
        || !sender->windows.closing)
      return;
    pouring = sender->windows.shaper.units->len * (guint64) UNIT_WORK;
    measure_window (sender, &window, now);
    if (lmcc_sender_choose_reserve (sender, &window, &sender->windows.reserve))
      close_window (sender, &window);
    work -= MIN (work, pouring);
  }
}

/**
 * lmcc_sender_get_window_for:
 * @key_distance: distance of an encoder's key frames, ns; 0 or %LMCC_TIME_NONE
 *     if unknown
 *
 * With layers of fixed rates, a closed group of pictures is collected and then
 * sent within its own duration. The window includes a tenth more because
 * decoding times are not quite even, and 200 ms for late units.
 *
 * Returns: the session's window for layers of fixed rates, ns: at most
 * %LMCC_DEFAULT_SHAPED_WINDOW, which suffices for groups of 2.1 s
 */
LmccTime
lmcc_sender_get_window_for (LmccTime key_distance)
{
  if (key_distance == 0 || key_distance >= LMCC_DEFAULT_SHAPED_WINDOW / 2)
    return LMCC_DEFAULT_SHAPED_WINDOW;

  return MIN (2 * (key_distance + key_distance / 10) + LATE_TIME,
      LMCC_DEFAULT_SHAPED_WINDOW);
}

/*
 * lmcc_sender_follow_distance:
 * @sender: a sender with layers of fixed rates
 * @distance: distance of the latest key frame from the previous one, ns; 0 for
 *     the first
 * @now: the time
 *
 * Until the first distance is known, only filler has been sent, so the
 * window may still become shorter. Later it grows if a group of pictures was
 * cut; a distance that includes a pause of the source is ignored. It never
 * shrinks again, because receivers would have to skip pictures.
 */
void
lmcc_sender_follow_distance (LmccSender *sender, LmccTime distance,
    LmccTime now)
{
  LmccSenderShaped *windows = &sender->windows;
  gboolean first = windows->measure, cut = windows->cut;
  LmccTime window;

  windows->cut = FALSE;
  if (!windows->follows || distance < LMCC_SHAPER_SHORTEST_WINDOW)
    return;
  windows->measure = FALSE;
  window = lmcc_sender_get_window_for (distance);
  if (first && !cut ? window == sender->session.window
                    : !cut || window <= sender->session.window)
    return;
  sender->session.window = window;
  sender->session.revision++;
  lmcc_shaper_set_hold (&windows->shaper, window);
  lmcc_sender_announce (sender, now);
}

/* @bytes is the size of its IP packets, @largest that of the largest. */
void
lmcc_sender_collect (LmccSender *sender, LmccUnit *unit, gsize bytes,
    gsize largest, LmccTime now)
{
  LmccQueuedUnit *queued = g_new0 (LmccQueuedUnit, 1);

  queued->unit = unit;
  queued->bytes = bytes;
  queued->largest = largest;
  queued->deadline = unit->decoding_time + sender->session.window;
  queued->anchor = lmcc_sender_get_anchor (sender, unit->stream);
  g_queue_push_tail (&sender->windows.pending, queued);
  go_on (sender, now);
}

/* Passes the unit on without its packets, so that units that depend on it
 * are not sent either. */
void
lmcc_sender_lose (LmccSender *sender, LmccUnit *unit, LmccTime now)
{
  g_ptr_array_set_size (unit->packets, 0);
  lmcc_sender_collect (sender, unit, 0, 0, now);
}

void
lmcc_sender_handle_shaped (LmccSender *sender, LmccTime now)
{
  LmccShaper *shaper = &sender->windows.shaper;

  if (!sender->windows.closing && lmcc_shaper_next (shaper) <= now)
    begin_closing (sender, shaper->opened + shaper->longest, now);
  go_on (sender, now);
  send_due (sender, now);
}

LmccTime
lmcc_sender_next_shaped (const LmccSender *sender)
{
  LmccOpportunity opportunity;
  LmccTime next = lmcc_shaper_next (&sender->windows.shaper);

  if (sender->windows.closing || lmcc_sender_plans_repair (sender))
    next = sender->windows.worked;
  lmcc_schedule_next (&sender->windows.schedule, &opportunity);

  next = MIN (next, lmcc_trains_next (&sender->trains));

  return MIN (next, opportunity.time);
}
