/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/lmcc/lmcc-session-algorithm.h>

#include "control/single-rate/sender.h"
#include "control/slots/dynamic-layering.h"
#include "control/slots/increase-probabilities.h"
#include "control/slots/sync-points.h"
#include "wire/session-internal.h"

#include <math.h>

/* Rates are whole bit/s, and may come from a list that somebody rounded. */
#define DOUBLING_TOLERANCE 0.01

/* A slot without a packet of the base counts as loss. With two none is without
 * one where RTCP takes a turn. */
#define MIN_BASE_PACKETS 2

#define LEAST_TIME 1e-3
#define LONGEST_SLOT (LMCC_MAX_SLOT / (gdouble) LMCC_SECOND)
#define NOMINAL_RTT (LMCC_DEFAULT_NOMINAL_RTT / (gdouble) LMCC_SECOND)

typedef struct
{
  const gchar *name;
  gboolean (*fit) (LmccSession * session, LmccTime nominal_rtt,
      LmccTime leave_latency, GError ** error);
  const LmccSetting *settings;
  guint n_settings;
} Fitting;

#define FLID_SETTINGS \
  {"slot", LMCC_SETTING_TIME, LEAST_TIME, LONGEST_SLOT, \
      LMCC_FLID_SLOT / (gdouble) LMCC_SECOND, NULL, \
      "Length of a slot (Byers et al. 2002, section V-A)"}, \
  {"nominal-rtt", LMCC_SETTING_TIME, LEAST_TIME, LONGEST_SLOT, NOMINAL_RTT, \
      NULL, "Round-trip time of the TCP that receivers equal: a fifth of the " \
        "slot (likewise)"}, \
  {"probabilities", LMCC_SETTING_CHOICE, 0, 0, \
      LMCC_INCREASE_METHOD_HEURISTIC, lmcc_increase_method_names, \
      "How likely each level may go up after a slot (likewise, appendix); or " \
        "a number for each layer, the last of them 0"}

static const LmccSetting flid_sl_settings[] = {
  FLID_SETTINGS,
};

static const LmccSetting flid_dl_settings[] = {
  FLID_SETTINGS,
  {"leave-latency", LMCC_SETTING_TIME, LEAST_TIME, LONGEST_SLOT,
        LMCC_DEFAULT_LEAVE_LATENCY / (gdouble) LMCC_SECOND, NULL,
      "The longest time from a leave to the last packet: so long a group is "
        "silent before it comes back (likewise, section V-B)"},
};

static const LmccSetting rlc_settings[] = {
  {"slot", LMCC_SETTING_TIME, 0, LONGEST_SLOT, 0, NULL,
      "Time between points of the base; 0: 8 of its packets (Legout and "
        "Biersack 2000, section 4), or as nominal-rtt has it"},
  {"nominal-rtt", LMCC_SETTING_TIME, 0, LONGEST_SLOT, 0, NULL,
      "Round-trip time of the TCP that receivers equal, in place of slot; 0: "
        "as slot has it"},
};

static const LmccSetting synchronized_settings[] = {
  {"slot", LMCC_SETTING_TIME, 0, LONGEST_SLOT, 0, NULL,
      "Time between points of the base; 0: as nominal-rtt has it"},
  {"nominal-rtt", LMCC_SETTING_TIME, 0, LONGEST_SLOT, 0, NULL,
      "Round-trip time of the TCP that receivers equal (Wei and Zhang 2000, "
        "section IV), in place of slot; 0: 0.1"},
};

static gboolean
refuse (GError ** error, const gchar * format, ...) G_GNUC_PRINTF (2, 3);

static gboolean
refuse (GError ** error, const gchar * format, ...)
{
  g_autofree gchar *text = NULL;
  va_list arguments;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error_literal (error, LMCC_SESSION_ERROR, LMCC_SESSION_ERROR_VALUE,
      text);

  return FALSE;
}

static LmccTime
base_packets_time (const LmccSession * session, guint n)
{
  return lmcc_rlc_slot_from_packets ((gdouble) session->layers[0].rate,
      session->packet_size, n);
}

static gboolean
check_doubling (const LmccSession * session, GError ** error)
{
  guint i;

  for (i = 1; i < session->n_layers; i++) {
    gdouble step = (gdouble) lmcc_session_cumulative_rate (session, i) /
        (gdouble) lmcc_session_cumulative_rate (session, i - 1);

    if (!(fabs (step - 2) <= DOUBLING_TOLERANCE))
      return refuse (error, "rlc needs layers of which each doubles the rate, "
          "and layer %u does not: take the scheme doubling, or flid-dl or "
          "synchronized for any rates", i);
  }

  return TRUE;
}

/* A slot and a round-trip time follow from each other. */
static gboolean
take_slot_of_rtt (LmccSession * session, LmccTime slot, GError ** error)
{
  slot = MAX (slot, base_packets_time (session, MIN_BASE_PACKETS));
  if (session->slot != 0 && session->slot != slot)
    return refuse (error, "the slot and the nominal round-trip time both give "
        "the slot of %s: leave one of them out", session->algorithm);
  session->slot = slot;

  return TRUE;
}

static gboolean
fit_rlc (LmccSession * session, LmccTime nominal_rtt, LmccTime leave_latency,
    GError ** error)
{
  gdouble base = (gdouble) session->layers[0].rate;
  guint top = session->n_layers - 1;

  if (!check_doubling (session, error))
    return FALSE;
  if (nominal_rtt > 0
      && !take_slot_of_rtt (session, lmcc_rlc_slot_from_rtt (base,
              session->packet_size, nominal_rtt, LMCC_SYNC_POINTS_UPPER_SHARE),
          error))
    return FALSE;
  if (session->slot == 0)
    session->slot = base_packets_time (session, LMCC_RLC_BASE_PACKETS);
  session->slot_modulus =
      lmcc_slot_modulus (top < 16 ? 1u << top : LMCC_MAX_SLOT_MODULUS);

  return TRUE;
}

static gboolean
fit_flid_sl (LmccSession * session, LmccTime nominal_rtt,
    LmccTime leave_latency, GError ** error)
{
  if (session->slot == 0)
    session->slot = LMCC_FLID_SLOT;

  return TRUE;
}

static gboolean
fit_flid_dl (LmccSession * session, LmccTime nominal_rtt,
    LmccTime leave_latency, GError ** error)
{
  LmccDynamicLayering layering;

  if (session->slot == 0)
    session->slot = LMCC_FLID_SLOT;
  if (leave_latency == 0)
    leave_latency = LMCC_DEFAULT_LEAVE_LATENCY;
  if (!lmcc_dynamic_layering_init (&layering, LMCC_LAYERING_CUMULATIVE,
          session->n_layers, lmcc_dynamic_layering_spread (leave_latency,
              session->slot), error))
    return FALSE;
  session->turning_groups = layering.turning_groups;
  session->silent_groups = layering.silent_groups;
  session->n_groups = layering.n_groups;
  session->slot_modulus = lmcc_slot_modulus (layering.turning_groups);

  return TRUE;
}

static gboolean
fit_synchronized (LmccSession * session, LmccTime nominal_rtt,
    LmccTime leave_latency, GError ** error)
{
  gdouble rates[LMCC_MAX_LAYERS];
  guint i;

  if (nominal_rtt == 0 && session->slot > 0)
    return TRUE;
  if (nominal_rtt == 0)
    nominal_rtt = LMCC_DEFAULT_NOMINAL_RTT;
  for (i = 0; i < session->n_layers; i++)
    rates[i] = (gdouble) lmcc_session_cumulative_rate (session, i);

  return take_slot_of_rtt (session, lmcc_sync_points_slot_from_rtt (rates,
          session->n_layers, session->packet_size, nominal_rtt,
          LMCC_SYNC_POINTS_UPPER_SHARE), error);
}

static const Fitting fittings[] = {
  {"rlc", fit_rlc, rlc_settings, G_N_ELEMENTS (rlc_settings)},
  {"flid-sl", fit_flid_sl, flid_sl_settings, G_N_ELEMENTS (flid_sl_settings)},
  {"flid-dl", fit_flid_dl, flid_dl_settings, G_N_ELEMENTS (flid_dl_settings)},
  {"synchronized", fit_synchronized, synchronized_settings,
      G_N_ELEMENTS (synchronized_settings)},
};

static const Fitting *
find_fitting (const gchar * algorithm)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (fittings); i++) {
    if (g_str_equal (fittings[i].name, algorithm))
      return &fittings[i];
  }

  return NULL;
}

static gboolean
check_layers (const LmccSession * session, GError ** error)
{
  guint i;

  if (session->native)
    return refuse (error, "%s needs layers of fixed rates, and the codec makes "
        "these: give the layers a scheme or a list of rates",
        session->algorithm);
  if (session->n_layers == 0 || session->n_layers > LMCC_MAX_LAYERS)
    return refuse (error, "the number of layers is not between 1 and %d",
        LMCC_MAX_LAYERS);
  for (i = 0; i < session->n_layers; i++) {
    if (session->layers[i].rate == 0)
      return refuse (error, "layer %u has no rate: give it one", i);
  }

  return TRUE;
}

static gboolean
check_slot (const LmccSession * session, GError ** error)
{
  LmccTime shortest = base_packets_time (session, 1);

  if (session->slot < shortest)
    return refuse (error, "the slot of %s is %g s, in which the base does not "
        "send a packet: take a longer slot, a higher base rate or smaller "
        "packets", session->algorithm, session->slot / (gdouble) LMCC_SECOND);
  if (session->slot > LMCC_MAX_SLOT)
    return refuse (error, "the slot of %s would be %g s, and may be %g s: take "
        "a higher base rate, a shorter nominal round-trip time or smaller "
        "packets", session->algorithm, session->slot / (gdouble) LMCC_SECOND,
        LMCC_MAX_SLOT / (gdouble) LMCC_SECOND);

  return TRUE;
}

/* The network's rate for the base, receivers' choice above. */
static gboolean
check_driven_base (const LmccSession * session, GError ** error)
{
  const gchar *base = session->base_algorithm;

  if (find_fitting (session->algorithm) != NULL)
    return refuse (error, "%s needs layers of fixed rates, the base's too, and "
        "%s changes the base's rate: take elm or rlm for the layers above, or "
        "leave the base's algorithm out", session->algorithm, base);
  if (!session->native)
    return refuse (error, "%s lets the network set the base's rate, and these "
        "layers have fixed ones: leave the layers' scheme and rates out, or "
        "the base's algorithm", base);
  if (session->repair > 0)
    return refuse (error, "%s has no repair data in the base: it would be sent "
        "in place of the pictures that it is for; set repair to 0", base);
  if (session->feedback_interval == 0)
    return refuse (error, "%s needs receivers' reports, and this session takes "
        "none: turn feedback on", base);

  return TRUE;
}

/* One rate for all: the network's, not the layers'. */
static gboolean
check_single_rate (const LmccSession * session, GError ** error)
{
  if (lmcc_algorithm_sets_rate (session->base_algorithm))
    return refuse (error, "%s sends the whole stream at one rate, and %s would "
        "set that of a base: leave the base's algorithm out, or take elm for "
        "layers above it", session->algorithm, session->base_algorithm);
  if (!session->native)
    return refuse (error, "%s sends the whole stream at one rate that the "
        "network gives: leave the layers' scheme and rates out",
        session->algorithm);
  if (session->n_rungs > 1)
    return refuse (error, "%s sends one stream for all receivers, and there "
        "are %u rungs: link one encoder, or take an algorithm with layers",
        session->algorithm, session->n_rungs);
  if (session->repair > 0)
    return refuse (error, "%s has no repair data: it would be sent in place of "
        "the pictures that it is for; set repair to 0", session->algorithm);
  if (session->feedback_interval == 0)
    return refuse (error, "%s needs receivers' reports, and this session takes "
        "none: turn feedback on", session->algorithm);

  return TRUE;
}

/**
 * lmcc_session_fit_algorithm:
 * @session: (inout): algorithm, layers with their rates and packet size are
 *     set, and the slot's length if it is not to be the default one; untouched
 *     on failure
 * @nominal_rtt: of the TCP that receivers should equal, ns; 0: rlc's slot is
 *     8 packets of the base, others take %LMCC_DEFAULT_NOMINAL_RTT
 * @leave_latency: longest time from a leave to the last packet, ns; 0:
 *     %LMCC_DEFAULT_LEAVE_LATENCY
 * @error: (nullable): what is wrong and what to do, in %LMCC_SESSION_ERROR
 *
 * Sets slot, slot modulus, turning and silent groups and the number of groups
 * as the algorithm wants them; a second time changes nothing. Algorithms
 * without slots want nothing. The default slot of rlc and of synchronized is
 * not shorter than two packets of the base.
 *
 * Returns: whether the session's sender can make the algorithm's marks
 */
gboolean
lmcc_session_fit_algorithm (LmccSession * session, LmccTime nominal_rtt,
    LmccTime leave_latency, GError ** error)
{
  const Fitting *fitting = find_fitting (session->algorithm);
  LmccSession fitted = *session;

  if (lmcc_session_has_single_rate (session))
    return check_single_rate (session, error);
  if (lmcc_session_has_driven_base (session))
    return check_driven_base (session, error);
  if (fitting == NULL)
    return TRUE;
  fitted.n_groups = fitted.n_layers;
  fitted.slot_modulus = LMCC_MAX_SLOT_MODULUS;
  fitted.turning_groups = 0;
  fitted.silent_groups = 0;
  if (!check_layers (&fitted, error)
      || !fitting->fit (&fitted, nominal_rtt, leave_latency, error)
      || !check_slot (&fitted, error))
    return FALSE;
  *session = fitted;

  return TRUE;
}

/**
 * lmcc_session_compute_probabilities:
 * @session: as lmcc_session_fit_algorithm() made it
 * @nominal_rtt: of the TCP that FLID's receivers should equal, ns; 0:
 *     %LMCC_DEFAULT_NOMINAL_RTT
 * @method: how
 * @probabilities: (out) (array): p_i of each level
 *
 * How likely FLID's levels may go up after a slot. Hill climbing takes time: it
 * tries thousands of sets.
 */
void
lmcc_session_compute_probabilities (const LmccSession * session,
    LmccTime nominal_rtt, LmccIncreaseMethod method, gdouble * probabilities)
{
  LmccTcpTarget tcp = {.rtt =
        nominal_rtt > 0 ? nominal_rtt : LMCC_DEFAULT_NOMINAL_RTT,.packet_size =
        session->packet_size
  };
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
 * @name: an algorithm's
 * @n: (out): how many
 *
 * What can be set where the session is sent. That of receivers is in
 * #LmccAlgorithm.
 *
 * Returns: (array length=n) (nullable): the table; %NULL where there is nothing
 *     to set
 */
const LmccSetting *
lmcc_session_algorithm_get_settings (const gchar * name, guint * n)
{
  const Fitting *fitting = find_fitting (name);

  *n = fitting != NULL ? fitting->n_settings : 0;

  return fitting != NULL ? fitting->settings : NULL;
}

/* Other dice of the same receiver are made from the same seed. */
#define SSRC_PURPOSE 0x73737263u

/**
 * lmcc_session_make_receiver_ssrc:
 * @session: a session
 * @seed: random, of its own for each receiver
 *
 * Returns: the SSRC of the receiver's reports, none of the sender's (RFC 3550
 *     section 8.2)
 */
guint32
lmcc_session_make_receiver_ssrc (const LmccSession * session, guint32 seed)
{
  const guint32 seeds[] = { seed, SSRC_PURPOSE };
  g_autoptr (GRand) random =
      g_rand_new_with_seed_array (seeds, G_N_ELEMENTS (seeds));
  guint32 ssrc = g_rand_int (random);

  if ((ssrc & LMCC_SSRC_BASE_MASK) == session->ssrc_base)
    ssrc ^= ~LMCC_SSRC_BASE_MASK + 1;

  return ssrc;
}
