/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/sending.h"
#include "control/session-algorithm.h"
#include "control/slots/increase-probabilities.h"
#include "wire/constants.h"
#include "wire/levels.h"

#include <glib/gi18n-lib.h>

static gboolean
check_layers (const LmccSession *session, GError **error)
{
  if (session->native)
    return lmcc_sending_refuse (error,
        _ ("%s needs layers of fixed rates, but the session has native layers: "
           "set layering=doubling on lmccsink (with base-rate and layers), or "
           "use an algorithm for native layers, such as plumb or elm"),
        session->algorithm);
  if (session->n_layers == 0 || session->n_layers > LMCC_MAX_LAYERS)
    return lmcc_sending_refuse (error,
        _ ("the number of layers is not between 1 and %d"), LMCC_MAX_LAYERS);
  /* All of control/slots assumes that level i consists of layers 0 to i. */
  if (!lmcc_session_is_cumulative (session))
    return lmcc_sending_refuse (error,
        _ ("%s needs cumulative levels, which this session does not have: use "
           "another algorithm"),
        session->algorithm);

  return lmcc_sending_check_rates (session, error);
}

static gboolean
check_slot (const LmccSession *session, GError **error)
{
  LmccTime shortest = lmcc_sending_slot_from_packets (session, 1);

  if (session->slot < shortest)
    return lmcc_sending_refuse (error,
        _ ("the slot of %s is %g s, too short for a packet of the base layer: "
           "use a longer slot, a higher base rate or smaller packets"),
        session->algorithm, session->slot / (gdouble) LMCC_SECOND);
  if (session->slot > LMCC_MAX_SLOT)
    return lmcc_sending_refuse (error,
        _ ("the slot of %s would be %g s, but the maximum is %g s: use a "
           "higher base rate, a shorter nominal round-trip time or smaller "
           "packets"),
        session->algorithm, session->slot / (gdouble) LMCC_SECOND,
        LMCC_MAX_SLOT / (gdouble) LMCC_SECOND);

  return TRUE;
}

/* The network sets the rate of the base layer, and receivers choose among
 * the layers above. */
static gboolean
check_driven_base (const LmccSession *session,
    const LmccSessionAlgorithms *found, GError **error)
{
  const gchar *base = found->base->name;

  if (lmcc_algorithm_has_slots (found->algorithm))
    return lmcc_sending_refuse (error,
        _ ("%s needs a fixed rate for every layer, but %s changes the rate of "
           "the base layer: use elm or rlm for the layers above, or remove the "
           "algorithm of the base layer"),
        session->algorithm, base);
  if (!session->native)
    return lmcc_sending_refuse (error,
        _ ("%s lets the network set the rate of the base layer, but the layers "
           "have fixed rates: remove the rate scheme and the rates of the "
           "layers, or the algorithm of the base layer"),
        base);
  if (session->repair > 0)
    return lmcc_sending_refuse (error,
        _ ("%s permits no repair data in the base layer, because it would "
           "displace the pictures that it protects: set repair to 0"),
        base);
  if (session->feedback_interval == 0)
    return lmcc_sending_refuse (error,
        _ ("%s needs receiver reports, but this session takes none: enable "
           "feedback"),
        base);

  return TRUE;
}

/* One rate for all receivers, set by the network and not by layers. */
static gboolean
check_single_rate (const LmccSession *session, GError **error)
{
  if (lmcc_algorithm_sets_rate (lmcc_algorithm_find (session->base_algorithm)))
    return lmcc_sending_refuse (error,
        _ ("%s sends the whole stream at one rate, so %s cannot set the rate "
           "of a base layer: remove the algorithm of the base layer, or use "
           "elm for layers above it"),
        session->algorithm, session->base_algorithm);
  if (!session->native)
    return lmcc_sending_refuse (error,
        _ ("%s sends the whole stream at one rate that the network sets: "
           "remove the rate scheme and the rates of the layers"),
        session->algorithm);
  if (session->n_rungs > 1)
    return lmcc_sending_refuse (error,
        _ ("%s sends one stream to all receivers, but there are %u encodings: "
           "link a single encoder, or use an algorithm with layers"),
        session->algorithm, session->n_rungs);
  if (session->repair > 0)
    return lmcc_sending_refuse (error,
        _ ("%s permits no repair data, because it would displace the pictures "
           "that it protects: set repair to 0"),
        session->algorithm);
  if (session->feedback_interval == 0)
    return lmcc_sending_refuse (error,
        _ ("%s needs receiver reports, but this session takes none: enable "
           "feedback"),
        session->algorithm);

  return TRUE;
}

/**
 * lmcc_session_fit_algorithm:
 * @session: (inout): a session with its algorithm, layers, rates and packet
 *     size, and with the slot's length unless the default is wanted; unchanged
 *     on failure
 * @nominal_rtt: round-trip time of the TCP connection whose rate receivers aim
 *     at, ns; 0: the slot of rlc is 8 packets of the base layer, other
 *     algorithms use %LMCC_DEFAULT_NOMINAL_RTT
 * @leave_latency: longest time from a leave to the last packet, ns; 0:
 *     %LMCC_DEFAULT_LEAVE_LATENCY
 * @error: (nullable): what is wrong and how to fix it, in %LMCC_SESSION_ERROR
 *
 * Sets slot, slot modulus, turning and silent groups and the number of groups
 * as the algorithm requires; a second call changes nothing. Algorithms without
 * slots require nothing. The default slot of rlc and of synchronized is at
 * least two packets of the base layer.
 *
 * Returns: whether the session's sender can produce the algorithm's marks
 */
gboolean
lmcc_session_fit_algorithm (LmccSession *session, LmccTime nominal_rtt,
    LmccTime leave_latency, GError **error)
{
  LmccSessionAlgorithms found;
  LmccSession fitted = *session;

  lmcc_session_find_algorithms (session, &found);
  if (found.base != NULL && found.base == found.algorithm)
    return check_single_rate (session, error);
  if (found.base != NULL)
    return check_driven_base (session, &found, error);
  if (!lmcc_algorithm_has_slots (found.algorithm))
    return TRUE;
  fitted.n_groups = fitted.n_layers;
  fitted.slot_modulus = LMCC_MAX_SLOT_MODULUS;
  fitted.turning_groups = 0;
  fitted.silent_groups = 0;
  if (!check_layers (&fitted, error)
      || !found.algorithm->sending->fit (&fitted, nominal_rtt, leave_latency,
          error)
      || !check_slot (&fitted, error))
    return FALSE;
  *session = fitted;

  return TRUE;
}

/**
 * lmcc_session_compute_probabilities:
 * @session: a session from lmcc_session_fit_algorithm()
 * @nominal_rtt: round-trip time of the TCP connection whose rate FLID's
 *     receivers aim at, ns; 0: %LMCC_DEFAULT_NOMINAL_RTT
 * @method: how to compute the probabilities
 * @probabilities: (out) (array): p_i of each level
 *
 * Computes the probabilities with which FLID's levels may go up after a slot.
 * Hill climbing takes time, because it tries thousands of sets.
 */
void
lmcc_session_compute_probabilities (const LmccSession *session,
    LmccTime nominal_rtt, LmccIncreaseMethod method, gdouble *probabilities)
{
  LmccTcpTarget tcp = { .rtt = nominal_rtt > 0 ? nominal_rtt
                                               : LMCC_DEFAULT_NOMINAL_RTT,
    .packet_size = session->packet_size };
  gdouble rates[LMCC_MAX_LAYERS];
  LmccMarkovChain chain;
  guint i;

  if (session->slot == 0)
    return;
  for (i = 0; i < session->n_layers; i++)
    rates[i] = (gdouble) session->layers[i].rate;
  lmcc_markov_chain_init (&chain, rates, session->n_layers,
      session->packet_size, session->slot);
  lmcc_increase_probabilities_compute (method, &chain, lmcc_tcp_target_rate,
      &tcp, probabilities);
}

/**
 * lmcc_session_algorithm_get_settings:
 * @name: name of an algorithm
 * @n: (out): number of settings
 *
 * Settings of an algorithm at the sender. #LmccAlgorithm has the settings of
 * receivers.
 *
 * Returns: (array length=n) (nullable): the table; %NULL if there are no
 * settings
 */
const LmccSetting *
lmcc_session_algorithm_get_settings (const gchar *name, guint *n)
{
  const LmccAlgorithm *algorithm = lmcc_algorithm_find (name);
  const LmccSending *sending = algorithm != NULL ? algorithm->sending : NULL;

  *n = sending != NULL ? sending->n_settings : 0;

  return sending != NULL ? sending->settings : NULL;
}

/* Separates these random numbers from others of the same receiver with the
 * same seed. */
#define SSRC_PURPOSE 0x73737263u

/**
 * lmcc_session_make_receiver_ssrc:
 * @session: a session
 * @seed: a random number, different for each receiver
 *
 * Chooses an SSRC for a receiver.
 *
 * Returns: the SSRC of the receiver's reports, which differs from all of the
 * sender's (RFC 3550 section 8.2)
 */
guint32
lmcc_session_make_receiver_ssrc (const LmccSession *session, guint32 seed)
{
  const guint32 seeds[] = { seed, SSRC_PURPOSE };
  g_autoptr (GRand) random =
      g_rand_new_with_seed_array (seeds, G_N_ELEMENTS (seeds));
  guint32 ssrc = g_rand_int (random);

  if ((ssrc & LMCC_SSRC_BASE_MASK) == session->ssrc_base)
    ssrc ^= ~LMCC_SSRC_BASE_MASK + 1;

  return ssrc;
}
