/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/controller.h"
#include "control/session-algorithm.h"
#include "receiver/actions.h"
#include "receiver/algorithm.h"
#include "receiver/private.h"

#include <glib/gi18n-lib.h>

/* Calls a callback of a controller if it is set. */
#define CALL_ONE(controller, callback, ...)                          \
  G_STMT_START                                                       \
  {                                                                  \
    LmccController *controller_ = (controller);                      \
    if (controller_ != NULL && controller_->klass->callback != NULL) \
      controller_->klass->callback (controller_, __VA_ARGS__);       \
  }                                                                  \
  G_STMT_END

/* Calls both controllers: losses of the base layer count for its rate and
 * for the layers above. */
#define CALL(receiver, callback, ...)                              \
  G_STMT_START                                                     \
  {                                                                \
    CALL_ONE ((receiver)->base_controller, callback, __VA_ARGS__); \
    CALL_ONE ((receiver)->controller, callback, __VA_ARGS__);      \
  }                                                                \
  G_STMT_END

static const LmccAlgorithm *
choose_algorithm (LmccReceiver *receiver)
{
  const LmccAlgorithm *algorithm = receiver->any_algorithm
      ? lmcc_algorithm_find (receiver->session.algorithm)
      : receiver->chosen;

  if (algorithm != NULL)
    return algorithm;

  lmcc_receiver_warn (receiver, LMCC_WARNING_ALGORITHM,
      N_ ("the session's algorithm is unknown to this receiver: the user sets "
          "the level (max-level)"));

  return &lmcc_algorithm_none;
}

static LmccSettings *
choose_settings (LmccReceiver *receiver, const LmccAlgorithm *algorithm)
{
  if (receiver->settings != NULL) {
    if (lmcc_settings_is_of (receiver->settings, algorithm->settings))
      return lmcc_settings_copy (receiver->settings);
    lmcc_receiver_warn (receiver, LMCC_WARNING_SETTINGS,
        N_ ("the settings are for another algorithm than the session's: using "
            "the defaults"));
  }

  return lmcc_settings_new (algorithm->settings, algorithm->n_settings);
}

/* If the session is unsuitable for the algorithm, the receiver stays at the
 * base layer and reports the reason. */
static LmccController *
create (LmccReceiver *receiver)
{
  const LmccAlgorithm *algorithm = choose_algorithm (receiver);
  g_autofree gchar *obstacle =
      lmcc_algorithm_find_obstacle (algorithm, &receiver->session);
  g_autoptr (LmccSettings) settings = NULL;

  if (obstacle != NULL) {
    lmcc_receiver_warn (receiver, LMCC_WARNING_OBSTACLE,
        lmcc_receiver_intern (receiver, obstacle,
            N_ ("the session is unsuitable for its algorithm: only the base "
                "layer is joined")));
    return lmcc_controller_new_base_only (algorithm);
  }
  settings = choose_settings (receiver, algorithm);

  return algorithm->create (&receiver->reckoned, settings,
      receiver->config.sequence_seed);
}

/* Every receiver sends reports for the base layer, whatever algorithm
 * chooses among the layers above. */
static LmccController *
create_base (LmccReceiver *receiver)
{
  LmccSessionAlgorithms found;

  lmcc_session_find_algorithms (&receiver->session, &found);
  if (found.base == NULL || found.base == found.algorithm)
    return NULL;

  return found.base->create (&receiver->reckoned, NULL,
      receiver->config.sequence_seed);
}

void
lmcc_receiver_create_controller (LmccReceiver *receiver, LmccTime now)
{
  lmcc_receiver_clear_controller (receiver);
  receiver->controller = create (receiver);
  receiver->base_controller = create_base (receiver);
  lmcc_receiver_tell_join_lead (receiver, now);
  if (receiver->level >= 0)
    lmcc_receiver_tell_level (receiver, now);
}

void
lmcc_receiver_clear_controller (LmccReceiver *receiver)
{
  if (receiver->controller != NULL)
    receiver->controller->klass->free (receiver->controller);
  receiver->controller = NULL;
  if (receiver->base_controller != NULL)
    receiver->base_controller->klass->free (receiver->base_controller);
  receiver->base_controller = NULL;
}

void
lmcc_receiver_tell_packet (LmccReceiver *receiver, LmccTime now,
    LmccTime arrival, const LmccRtp *rtp, const LmccHeader *header, gsize size)
{
  if (rtp->second != NULL)
    CALL (receiver, on_second_element, rtp->second, rtp->second_size);
  CALL (receiver, on_packet, now, arrival, header, size);
}

void
lmcc_receiver_tell_expected (LmccReceiver *receiver, LmccTime now, guint layer,
    guint16 lsn, LmccTime since, guint slot)
{
  CALL (receiver, on_expected, now, layer, lsn, since, slot);
}

void
lmcc_receiver_tell_waiting_packet (LmccReceiver *receiver, LmccTime now,
    guint layer)
{
  CALL (receiver, on_waiting_packet, now, layer);
}

void
lmcc_receiver_tell_refused_packet (LmccReceiver *receiver, LmccTime now,
    const LmccHeader *header)
{
  CALL (receiver, on_refused_packet, now, header);
}

void
lmcc_receiver_tell_loss (LmccReceiver *receiver, LmccTime now, guint layer,
    const LmccLoss *loss)
{
  CALL (receiver, on_loss, now, layer, loss);
}

void
lmcc_receiver_tell_found (LmccReceiver *receiver, LmccTime now, guint layer,
    const LmccLoss *loss)
{
  CALL (receiver, on_found, now, layer, loss);
}

void
lmcc_receiver_tell_join_lead (LmccReceiver *receiver, LmccTime now)
{
  if (receiver->membership.slots != NULL)
    CALL (receiver, on_join_lead, now, receiver->membership.join_lead);
}

void
lmcc_receiver_tell_left_packet (LmccReceiver *receiver, LmccTime now,
    LmccTime arrival, guint layer)
{
  CALL (receiver, on_left_packet, now, arrival, layer);
}

void
lmcc_receiver_tell_neighbour_join (LmccReceiver *receiver, LmccTime now,
    guint level)
{
  CALL (receiver, on_neighbour_join, now, level);
}

void
lmcc_receiver_tell_level (LmccReceiver *receiver, LmccTime now)
{
  CALL (receiver, on_level, now, receiver->level);
}

void
lmcc_receiver_tell_session (LmccReceiver *receiver, LmccTime now)
{
  CALL (receiver, on_session, now);
}

void
lmcc_receiver_tell_rtt (LmccReceiver *receiver, LmccTime now, LmccTime rtt)
{
  CALL (receiver, on_rtt, now, rtt);
}

/* A unit of the current level that a loss kept from the decoder counts as
 * missing. Units withheld because of a level change do not count, nor units
 * that extend into layers that are not joined: at a lower level even more of
 * them would be missing. */
void
lmcc_receiver_tell_quality (LmccReceiver *receiver, LmccTime now)
{
  const LmccGateStats *stats = lmcc_gate_get_stats (receiver->gate);

  CALL (receiver, on_quality, now,
      (guint) (stats->units_due - receiver->units_before),
      (guint) (stats->units_missed - receiver->missing_before));
  receiver->units_before = stats->units_due;
  receiver->missing_before = stats->units_missed;
}

/* Returns: whether the controller decides by what arrives and what is lost */
gboolean
lmcc_receiver_judges_packets (const LmccReceiver *receiver)
{
  const LmccController *controller = receiver->controller;

  return controller != NULL
      && (controller->klass->on_packet != NULL
          || controller->klass->on_loss != NULL);
}

/* The controller that sends reports to the sender, if any. */
static LmccController *
get_reporter (const LmccReceiver *receiver)
{
  return receiver->base_controller != NULL ? receiver->base_controller
                                           : receiver->controller;
}

/* Returns: (transfer full) (nullable): the algorithm's next report */
LmccPacket *
lmcc_receiver_poll_report (LmccReceiver *receiver, LmccTime now)
{
  LmccController *controller = get_reporter (receiver);

  if (controller == NULL || controller->klass->poll_report == NULL)
    return NULL;

  return controller->klass->poll_report (controller, now);
}

/* Whether the session's sender needs reports of this receiver. */
gboolean
lmcc_receiver_needs_sender (const LmccReceiver *receiver)
{
  const LmccController *controller = get_reporter (receiver);

  return receiver->have_session && controller != NULL
      && lmcc_algorithm_sets_rate (controller->algorithm)
      && receiver->session.feedback_interval > 0;
}

/* Returns: whether the reporting controller may have a last report now */
gboolean
lmcc_receiver_tell_leave (LmccReceiver *receiver)
{
  LmccController *controller = get_reporter (receiver);

  if (controller == NULL || controller->klass->on_leave == NULL)
    return FALSE;
  controller->klass->on_leave (controller);

  return TRUE;
}

/* Returns: (transfer none) (nullable): why the receiver must leave the
 * session */
const gchar *
lmcc_receiver_poll_reason_to_leave (LmccReceiver *receiver, LmccTime now)
{
  LmccController *controller = get_reporter (receiver);

  if (controller == NULL || controller->klass->find_reason_to_leave == NULL)
    return NULL;

  return controller->klass->find_reason_to_leave (controller, now);
}

void
lmcc_receiver_tell_timeout (LmccReceiver *receiver, LmccTime now)
{
  CALL (receiver, on_timeout, now);
}

static LmccTime
next_timeout (const LmccController *controller)
{
  if (controller == NULL || controller->klass->next_timeout == NULL)
    return LMCC_TIME_NONE;

  return controller->klass->next_timeout (controller);
}

LmccTime
lmcc_receiver_next_controller_timeout (const LmccReceiver *receiver)
{
  return MIN (next_timeout (receiver->base_controller),
      next_timeout (receiver->controller));
}

void
lmcc_receiver_get_controller_stats (const LmccReceiver *receiver, LmccTime now,
    LmccReceiverStats *stats)
{
  if (receiver->controller == NULL)
    return;
  stats->algorithm = receiver->controller->algorithm->name;
  CALL_ONE (receiver->controller, get_status, now, &stats->status);
  if (receiver->base_controller == NULL)
    return;
  stats->base_algorithm = receiver->base_controller->algorithm->name;
  CALL_ONE (receiver->base_controller, get_status, now, &stats->base_status);
}
