/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The sender's interface for its caller. No other part calls it.
 */
#include "control/controller.h"
#include "control/sending.h"
#include "sender/native.h"
#include "sender/private.h"
#include "wire/levels.h"
#include "wire/session-internal.h"

#include <glib/gi18n-lib.h>
#include <string.h>

static void
handle_record (LmccSender *sender, LmccTime now)
{
  g_autoptr (GPtrArray) packets = NULL;
  guint i;

  if (now < lmcc_sender_next_record (sender))
    return;

  packets = lmcc_sender_make_record (sender, now);
  for (i = 0; i < packets->len; i++) {
    LmccPacket *packet = g_ptr_array_index (packets, i);

    if (sender->shaped)
      lmcc_sender_queue_control (sender, packet,
          LMCC_RECORD_REPEATS * packets->len);
    else
      lmcc_sender_send_control (sender, packet, now);
  }
}

/* Key frames of the lowest rung determine the window of layers of fixed
 * rates and the times of records. If key frames come because receivers ask
 * for them, the next one cannot be predicted, and no record waits for it. */
static void
follow_keys (LmccSender *sender, const LmccUnit *unit, LmccTime now)
{
  LmccTime distance = lmcc_sender_follow_keys (sender, unit);
  gboolean own;

  lmcc_sender_note_picture (sender, unit);
  if (!LMCC_TIME_IS_VALID (distance))
    return;
  own = lmcc_sender_note_key (sender, now);
  if (sender->shaped)
    lmcc_sender_follow_distance (sender, distance, now);
  else
    lmcc_sender_expect_key (sender, unit->decoding_time, own ? distance : 0);
}

/**
 * lmcc_sender_push_unit:
 * @sender: a sender
 * @unit: (transfer full): the next unit, in the order (decoding time, stream,
 *     class)
 * @now: the time
 *
 * Takes a unit, which is sent between its decoding time and the end of the
 * window. An invalid unit is dropped and counted; if its class is 0 it still
 * counts in the anchor, so that receivers know that something is missing.
 */
void
lmcc_sender_push_unit (LmccSender *sender, LmccUnit *unit, LmccTime now)
{
  gsize bytes, largest;

  if (sender->stopped) {
    lmcc_unit_free (unit);
    return;
  }
  if (sender->shaped)
    lmcc_sender_handle_shaped (sender, now);
  else
    lmcc_sender_handle_media (sender, now);

  if (!lmcc_sender_knows_unit (sender, unit)) {
    sender->stats.units_invalid++;
    lmcc_unit_free (unit);
    return;
  }
  if (unit->stream == LMCC_STREAM_SOUND)
    unit->klass = 0;
  lmcc_sender_count_anchor (sender, unit);
  if (!lmcc_sender_measure_unit (sender, unit, &bytes, &largest)) {
    sender->stats.units_invalid++;
    if (sender->shaped)
      lmcc_sender_lose (sender, unit, now);
    else
      lmcc_unit_free (unit);
    return;
  }

  sender->stats.units[unit->stream]++;
  lmcc_sender_learn_from_unit (sender, unit, now);
  follow_keys (sender, unit, now);
  if (sender->shaped)
    lmcc_sender_collect (sender, unit, bytes, largest, now);
  else
    lmcc_sender_queue (sender, unit, bytes, now);
}

/**
 * lmcc_sender_handle_timeout:
 * @sender: a sender
 * @now: the time
 *
 * Queues everything that is due by @now. May be called at any time: late
 * packets are sent, and packets that are not due stay.
 */
void
lmcc_sender_handle_timeout (LmccSender *sender, LmccTime now)
{
  if (sender->stopped) {
    lmcc_sender_handle_byes (sender, now);
    return;
  }

  lmcc_sender_handle_key_requests (sender, now);
  if (sender->shaped) {
    lmcc_sender_handle_feedback (sender, now);
    handle_record (sender, now);
    lmcc_sender_handle_shaped (sender, now);
    return;
  }

  lmcc_sender_handle_native (sender, now);
  lmcc_sender_handle_feedback (sender, now);
  handle_record (sender, now);
}

/**
 * lmcc_sender_next_timeout:
 * @sender: a sender
 *
 * Returns the time of the next call of lmcc_sender_handle_timeout().
 *
 * Returns: when lmcc_sender_handle_timeout() has something to do, which may be
 * in the past; the time of the last call if that left work undone;
 * %LMCC_TIME_NONE after all copies of the BYE were sent
 */
LmccTime
lmcc_sender_next_timeout (const LmccSender *sender)
{
  LmccTime next, record;

  if (sender->stopped)
    return lmcc_sender_next_bye (sender);

  record = lmcc_sender_next_record (sender);
  next = sender->shaped ? lmcc_sender_next_shaped (sender)
                        : lmcc_sender_next_native (sender);
  next = MIN (next, lmcc_sender_next_feedback (sender));
  next = MIN (next, lmcc_sender_next_key_request (sender));

  return MIN (next, record);
}

/**
 * lmcc_sender_flush:
 * @sender: a sender
 * @now: the time; not used
 *
 * Drops all waiting units, for instance at a seek. The session continues.
 */
void
lmcc_sender_flush (LmccSender *sender, LmccTime now G_GNUC_UNUSED)
{
  if (sender->stopped)
    return;
  lmcc_allocator_flush (&sender->allocator);
  if (sender->shaped)
    lmcc_sender_flush_shaped (sender);
  lmcc_sender_flush_single (sender);
  lmcc_sender_flush_above (sender);
  lmcc_sender_flush_repair (sender);
  lmcc_sender_flush_intake (sender);
}

/**
 * lmcc_sender_is_idle:
 * @sender: a sender
 *
 * Checks whether everything pushed so far has been sent, for instance before
 * the end of a stream.
 *
 * Returns: whether no unit and no repair packet waits to be sent
 */
gboolean
lmcc_sender_is_idle (const LmccSender *sender)
{
  return lmcc_allocator_is_empty (&sender->allocator)
      && !lmcc_sender_waits_above (sender) && !lmcc_sender_owes_repair (sender)
      && !(sender->shaped && lmcc_sender_collects (sender));
}

/**
 * lmcc_sender_renew_description:
 * @sender: a sender
 * @now: the time
 *
 * Gives the session the next revision because parts of its description outside
 * the record (#LmccSdpDetails) have changed: according to RFC 8866 section 5.2,
 * the version in o= increases with each change.
 * %LMCC_SENDER_ACTION_SESSION_CHANGED follows, and the record is sent at once.
 * Has no effect after lmcc_sender_stop().
 */
void
lmcc_sender_renew_description (LmccSender *sender, LmccTime now)
{
  if (sender->stopped)
    return;
  sender->session.revision++;
  lmcc_sender_announce (sender, now);
}

/**
 * lmcc_sender_stop:
 * @sender: a sender
 * @now: the time
 *
 * Drops waiting units and says BYE (RFC 3550 section 6.6). Afterwards
 * lmcc_sender_handle_timeout() only sends two copies, 5 ms apart. A caller that
 * has no time for them may skip them; if the BYE is lost, receivers then notice
 * the end of the session only by a long silence.
 */
void
lmcc_sender_stop (LmccSender *sender, LmccTime now)
{
  if (sender->stopped)
    return;

  lmcc_sender_flush (sender, now);
  sender->stopped = TRUE;
  lmcc_sender_begin_byes (sender, now);
  lmcc_sender_handle_byes (sender, now);
}

/**
 * lmcc_sender_get_session:
 * @sender: a sender
 *
 * Returns the present session, which belongs to the sender and may change with
 * each call.
 *
 * Returns: (transfer none): the session at present
 */
const LmccSession *
lmcc_sender_get_session (const LmccSender *sender)
{
  return &sender->session;
}

/**
 * lmcc_sender_get_stats:
 * @sender: a sender
 *
 * Returns the counters, which belong to the sender.
 *
 * Returns: (transfer none): the present counters
 */
const LmccSenderStats *
lmcc_sender_get_stats (const LmccSender *sender)
{
  LmccSenderStats *stats = (LmccSenderStats *) &sender->stats;
  guint i;

  for (i = 0; i < sender->session.n_layers; i++)
    stats->layers[i].queued = sender->allocator.layers[i].n_packets;
  lmcc_sender_get_repair_stats (sender, stats);
  lmcc_sender_get_feedback_stats (sender, stats);
  lmcc_sender_get_single_stats (sender, stats);

  return stats;
}

static void
fit_algorithm (LmccSender *sender, const LmccSenderConfig *config,
    gdouble *probabilities)
{
  if (!lmcc_session_fit_algorithm (&sender->session, config->nominal_rtt,
          config->leave_latency, NULL)) {
    if (lmcc_session_has_single_rate (&sender->session))
      g_strlcpy (sender->session.algorithm, lmcc_algorithm_none.name,
          sizeof (sender->session.algorithm));
    g_strlcpy (sender->session.base_algorithm, lmcc_algorithm_none.name,
        sizeof (sender->session.base_algorithm));
    sender->session.slot = 0;
    sender->session.turning_groups = 0;
    sender->session.silent_groups = 0;
    return;
  }
  if (config->probabilities != NULL)
    memcpy (probabilities, config->probabilities,
        sender->session.n_layers * sizeof (gdouble));
  else
    lmcc_session_compute_probabilities (&sender->session, config->nominal_rtt,
        LMCC_INCREASE_METHOD_HEURISTIC, probabilities);
}

/* The base layer's second element is counted in all layers. A place takes no
 * extra room. */
static void
reserve_second_element (LmccSender *sender)
{
  const LmccSessionAlgorithms *found = &sender->algorithms;
  gsize size = 0;

  if (found->base != NULL)
    size = found->base->sending->rate_setter->element_size;
  if (sender->session.slot > 0 && lmcc_algorithm_has_slots (found->algorithm)
      && found->algorithm->sending->get_element_size != NULL)
    size = found->algorithm->sending->get_element_size (&sender->session);
  sender->allocator.packet_overhead +=
      lmcc_rtp_get_header_size (size) - lmcc_rtp_get_header_size (0);
}

static gboolean
check_layers (const LmccSession *session, GError **error)
{
  if (session->n_layers > LMCC_MAX_LAYERS)
    return lmcc_sending_refuse (error,
        _ ("there are %u layers, but the maximum is %u"), session->n_layers,
        LMCC_MAX_LAYERS);
  /* Units poured into a layer may depend on all layers below it. */
  if (!lmcc_session_is_cumulative (session))
    return lmcc_sending_refuse (error,
        _ ("layers of fixed rates need cumulative levels: set levels to "
           "cumulative"));

  return lmcc_sending_check_rates (session, error);
}

static LmccLevels
choose_levels (const LmccSession *session)
{
  const LmccAlgorithm *algorithm = lmcc_algorithm_find (session->algorithm);

  return algorithm != NULL && algorithm->sending != NULL
          && algorithm->sending->wants_cumulative
      ? LMCC_LEVELS_CUMULATIVE
      : LMCC_LEVELS_FALLBACK;
}

static gboolean
check_levels (const LmccSession *session, LmccLevels levels, GError **error)
{
  if (levels != LMCC_LEVELS_FALLBACK && levels != LMCC_LEVELS_REPLICATED)
    return TRUE;
  if (!session->native)
    return lmcc_sending_refuse (error,
        _ ("levels=fallback and levels=replicated need native layers, but "
           "these have fixed rates: set layering to native, or levels to "
           "cumulative"));
  if (session->n_rungs < 2)
    return lmcc_sending_refuse (error,
        _ ("levels=fallback and levels=replicated need several encodings of "
           "the video, but there is only one: link more, or set levels to "
           "cumulative"));

  return TRUE;
}

/* Slots have their own bursts, and a network-driven rate determines itself
 * when packets are sent. */
static LmccTime
find_train_cycle (const LmccSession *session,
    const LmccSessionAlgorithms *found)
{
  if (session->slot > 0 || found->base != NULL)
    return 0;
  if (LMCC_TIME_IS_VALID (session->train_cycle))
    return session->train_cycle;

  return found->algorithm != NULL ? found->algorithm->train_cycle : 0;
}

/* If a level shows a single encoding, with or without the lowest one, each
 * encoding is one layer: a part of another one is never shown, and the
 * classes of the lowest one would add levels for less than a sixth of its
 * rate. */
static gboolean
init_layers (LmccSender *sender, GError **error)
{
  LmccSession *session = &sender->session;

  if (sender->shaped)
    lmcc_allocator_init_shaped (&sender->allocator, session);
  else
    lmcc_allocator_init (&sender->allocator, session);
  if (sender->levels == LMCC_LEVELS_REPLICATED
      && !lmcc_allocator_make_base_thin (&sender->allocator))
    return lmcc_sending_refuse (error,
        _ ("levels=replicated needs one group per encoding and one more, but "
           "there are fewer from the address on: use a lower address"));
  lmcc_sender_describe_layers (sender);
  if (lmcc_session_lists_levels (session)) {
    lmcc_allocator_join_classes (&sender->allocator);
    lmcc_sender_describe_layers (sender);
  }

  return TRUE;
}

/* Initializes the parts of the session that are known at the start, and
 * FLID's probabilities; fails if receivers would not accept its record. */
static gboolean
init_session (LmccSender *sender, const LmccSenderConfig *config,
    gdouble *probabilities, GError **error)
{
  LmccSession *session = &sender->session;

  *session = config->session;
  sender->shaped = !session->native;
  session->n_rungs = CLAMP (session->n_rungs, 1, LMCC_MAX_RUNGS);
  if (session->window == 0)
    session->window = sender->shaped
        ? lmcc_sender_get_window_for (config->key_distance)
        : LMCC_DEFAULT_WINDOW;
  if (!check_levels (session, config->levels, error)
      || (sender->shaped && !check_layers (session, error)))
    return FALSE;
  sender->levels = config->levels == LMCC_LEVELS_AUTO ? choose_levels (session)
                                                      : config->levels;
  if (!init_layers (sender, error))
    return FALSE;
  fit_algorithm (sender, config, probabilities);
  lmcc_session_find_algorithms (session, &sender->algorithms);
  if (lmcc_session_base_is_thin (session) && sender->algorithms.base != NULL)
    return lmcc_sending_refuse (error,
        _ ("with this algorithm the network sets the rate of the base layer, "
           "but with levels=replicated the base layer has no video: set levels "
           "to fallback"));
  session->train_cycle = find_train_cycle (session, &sender->algorithms);

  return lmcc_session_validate (session, error);
}

/**
 * lmcc_sender_new:
 * @config: the configuration; copied
 * @now: the time
 * @error: (nullable): what is wrong with the session, in %LMCC_SESSION_ERROR
 *
 * Starts the session: its record is due at once, fillers after 100 ms. The
 * first order sequence number is the low 16 bits of the configuration's
 * sequence_seed.
 *
 * Returns: (transfer full) (nullable): a sender; %NULL if
 * lmcc_session_validate() rejects its session, or if a layer of fixed rates has
 * no rate
 */
LmccSender *
lmcc_sender_new (const LmccSenderConfig *config, LmccTime now, GError **error)
{
  LmccSender *sender = g_new0 (LmccSender, 1);
  gdouble probabilities[LMCC_MAX_LAYERS] = { 0.0 };

  if (!init_session (sender, config, probabilities, error)) {
    g_free (sender);
    return NULL;
  }
  sender->udp_overhead = lmcc_allocator_packet_size (&sender->allocator, 0)
      - LMCC_RTP_HEADER_SIZE - LMCC_RTP_OVERHEAD;
  reserve_second_element (sender);
  lmcc_sender_init_repair (sender, config, now);
  sender->osn = (guint16) config->sequence_seed;
  lmcc_sender_init_intake (sender);
  lmcc_sender_init_output (sender, config, now);
  lmcc_rate_watch_init (&sender->rates, now);
  lmcc_trains_init (&sender->trains, &sender->session, now);
  if (sender->shaped)
    lmcc_sender_init_shaped (sender, probabilities, config->key_distance, now);
  else
    lmcc_sender_init_native (sender);
  lmcc_sender_init_feedback (sender, now, config->sequence_seed);
  lmcc_sender_init_key_requests (sender, config->key_requests);
  lmcc_sender_init_single (sender, config->hysteresis, now);
  lmcc_sender_announce (sender, now);

  return sender;
}

/**
 * lmcc_sender_free:
 * @sender: (transfer full): a sender
 *
 * Frees the sender and all that waits; call lmcc_sender_stop() first, so that
 * receivers are informed.
 */
void
lmcc_sender_free (LmccSender *sender)
{
  lmcc_sender_clear_output (sender);
  lmcc_sender_flush_above (sender);
  lmcc_allocator_clear (&sender->allocator);
  if (sender->shaped)
    lmcc_sender_clear_shaped (sender);
  lmcc_sender_clear_repair (sender);
  lmcc_sender_clear_single (sender);
  lmcc_sender_clear_feedback (sender);
  g_free (sender);
}
