/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "wire/session-internal.h"

#include "wire/constants.h"
#include "wire/layer-header.h"
#include "wire/levels.h"
#include "wire/sdp-internal.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* Least packet size: it holds IPv6, UDP and RTP headers with the library's
 * element. */
#define PACKET_SIZE_MIN 100

/* In 1/1000 of the media. */
#define REPAIR_MAX 10000

/* Even with a very large audience, feedback (RFC 5760) is not rarer than
 * this. */
#define FEEDBACK_INTERVAL_MAX (1000000 * LMCC_SECOND)

/**
 * lmcc_session_error_quark:
 *
 * The error domain of LmccSessionError.
 *
 * Returns: %LMCC_SESSION_ERROR
 */
G_DEFINE_QUARK (lmcc-session-error-quark, lmcc_session_error);

/**
 * lmcc_session_set_payload_type:
 * @session: a session
 * @payload_type: P of its first rung, 96 to 111 (RFC 3551 section 3)
 *
 * The other rungs and the sound use the following payload types, then come
 * repair and filler packets (docs/developers/wire-format.md).
 */
void
lmcc_session_set_payload_type (LmccSession *session, guint payload_type)
{
  session->payload_type = (guint8) payload_type;
  session->repair_payload_type =
      (guint8) (payload_type + LMCC_PAYLOAD_TYPE_REPAIR);
  session->filler_payload_type =
      (guint8) (payload_type + LMCC_PAYLOAD_TYPE_FILLER);
}

/**
 * lmcc_session_init:
 * @session: (out): a session with default values
 *
 * Sets one layer, and no address, codec or algorithm.
 */
void
lmcc_session_init (LmccSession *session)
{
  guint i;

  memset (session, 0, sizeof (*session));
  session->ttl = 1;
  session->n_groups = 1;
  session->n_layers = 1;
  session->native = TRUE;
  session->n_rungs = 1;
  lmcc_session_set_payload_type (session, LMCC_DEFAULT_PAYLOAD_TYPE);
  session->header_id = LMCC_HEADER_DEFAULT_ID;
  session->packet_size = LMCC_DEFAULT_PACKET_SIZE;
  session->slot_modulus = LMCC_MAX_SLOT_MODULUS;
  session->key_request_wait = LMCC_DEFAULT_KEY_REQUEST_WAIT;
  g_strlcpy (session->algorithm, LMCC_SDP_NO_ALGORITHM,
      sizeof (session->algorithm));
  g_strlcpy (session->base_algorithm, LMCC_SDP_NO_ALGORITHM,
      sizeof (session->base_algorithm));
  for (i = 0; i < LMCC_MAX_LAYERS; i++) {
    session->layers[i].stream = LMCC_STREAM_NONE;
    session->layers[i].klass = LMCC_CLASS_MIXED;
  }
}

static gboolean
invalid (GError **error, const gchar *what)
{
  g_set_error (error, LMCC_SESSION_ERROR, LMCC_SESSION_ERROR_VALUE, "%s", what);

  return FALSE;
}

/* A name that is written unchanged into a line of text: a token without the
 * separators that the library uses. */
static gboolean
name_is_valid (const gchar *name, gsize size, gboolean upper)
{
  const gchar *end = memchr (name, '\0', size);
  const gchar *at;

  if (end == NULL || end == name)
    return FALSE;
  for (at = name; at < end; at++) {
    if (!(upper ? g_ascii_isupper (*at) : g_ascii_islower (*at))
        && !g_ascii_isdigit (*at) && strchr ("-._+", *at) == NULL)
      return FALSE;
  }

  return TRUE;
}

/*
 * lmcc_session_is_algorithm_name:
 * @name: a possible name of an algorithm
 *
 * Returns: whether the session record can contain it
 */
gboolean
lmcc_session_is_algorithm_name (const gchar *name)
{
  return name_is_valid (name, LMCC_ALGORITHM_NAME_SIZE, FALSE);
}

static gboolean
media_is_valid (const LmccMedia *media)
{
  return media->clock_rate >= LMCC_MIN_CLOCK_RATE
      && media->clock_rate <= LMCC_MAX_CLOCK_RATE
      && name_is_valid (media->encoding_name, sizeof (media->encoding_name),
          TRUE);
}

static gboolean
validate_source (const LmccSession *session, GError **error)
{
  static const guint8 broadcast[] = { 255, 255, 255, 255 };
  const LmccAddress *source = &session->source;

  if (source->family == LMCC_FAMILY_NONE) {
    return !session->source_specific
        || invalid (error,
            _ ("a source-specific session lacks its source address"));
  }
  if (source->family != session->address.family)
    return invalid (error,
        _ ("the source address and the base address are of different "
           "families"));
  if (lmcc_address_is_multicast (source)
      || (source->family == LMCC_FAMILY_IPV4
          && memcmp (source->bytes, broadcast, sizeof (broadcast)) == 0))
    return invalid (error, _ ("the source address is not a unicast address"));

  return TRUE;
}

/* The parameters are written unchanged into a line of text. */
static gboolean
parameters_are_valid (const gchar *parameters)
{
  const gchar *at;

  if (memchr (parameters, '\0', LMCC_PARAMETERS_SIZE) == NULL)
    return FALSE;
  for (at = parameters; *at != '\0'; at++) {
    if (!g_ascii_isalnum (*at) && strchr ("-._+=;,/:", *at) == NULL)
      return FALSE;
  }

  return TRUE;
}

static gboolean
validate_codecs (const LmccSession *session, GError **error)
{
  guint first = session->payload_type;
  guint end = first + session->n_rungs;
  guint sound = first + LMCC_STREAM_SOUND;
  guint repair = session->repair_payload_type;
  guint filler = session->filler_payload_type;
  gboolean has_sound = session->sound.encoding_name[0] != '\0';

  if (!media_is_valid (&session->video))
    return invalid (error,
        _ ("the encoding name is missing, or the clock rate is not between "
           "1000 and 1,000,000"));
  if (has_sound && !media_is_valid (&session->sound))
    return invalid (error,
        _ ("the encoding name of the sound is not valid, or its clock rate is "
           "not between 1000 and 1,000,000"));
  if (!parameters_are_valid (session->sound_parameters)
      || (!has_sound && session->sound_parameters[0] != '\0'))
    return invalid (error, _ ("the sound's format parameters are not valid"));
  if (end > 128 || repair > 127 || filler > 127 || (has_sound && sound > 127))
    return invalid (error, _ ("a payload type is above 127"));
  if (repair == filler || (repair >= first && repair < end)
      || (filler >= first && filler < end)
      || (has_sound && (repair == sound || filler == sound)))
    return invalid (error, _ ("a payload type is used twice"));

  return TRUE;
}

static gboolean
validate_algorithm (const LmccSession *session, GError **error)
{
  if (!lmcc_session_is_algorithm_name (session->algorithm)
      || !lmcc_session_is_algorithm_name (session->base_algorithm))
    return invalid (error, _ ("the name of an algorithm is not valid"));
  if (session->slot > LMCC_MAX_SLOT)
    return invalid (error, _ ("the slot is longer than 60 s"));
  if (session->slot_modulus == 0
      || session->slot_modulus > LMCC_MAX_SLOT_MODULUS)
    return invalid (error, _ ("the slot modulus is not between 1 and 65536"));
  if (session->turning_groups > session->n_groups
      || session->silent_groups > session->turning_groups)
    return invalid (error,
        _ ("there are more turning groups than groups, or more silent ones "
           "than turning ones"));
  if (session->rtt_max > 60 * LMCC_SECOND)
    return invalid (error, _ ("the largest round-trip time is above 60 s"));
  if (session->key_request_wait > LMCC_MAX_KEY_REQUEST_WAIT)
    return invalid (error, _ ("the wait before a key request is above 60 s"));
  if (session->feedback_interval > FEEDBACK_INTERVAL_MAX)
    return invalid (error, _ ("the feedback interval is above 1,000,000 s"));

  return TRUE;
}

static gboolean
validate_layers (const LmccSession *session, GError **error)
{
  guint i;

  for (i = 0; i < session->n_layers; i++) {
    const LmccLayer *layer = &session->layers[i];

    if (layer->rate > G_GUINT64_CONSTANT (1000000000000))
      return invalid (error, _ ("a layer's rate is above 1 Tbit/s"));
    if (layer->stream >= session->n_rungs && layer->stream != LMCC_STREAM_NONE
        && (i > 0 || !session->native || layer->stream != LMCC_STREAM_SOUND))
      return invalid (error,
          _ ("a layer names a rung that the session does not have"));
    if (layer->klass >= LMCC_MAX_CLASSES)
      return invalid (error, _ ("a layer names a class above 15"));
  }

  return TRUE;
}

/**
 * lmcc_session_validate:
 * @session: a session
 * @error: (nullable): what is wrong, in %LMCC_SESSION_ERROR
 *
 * Checks every range, and that all groups are in the base group's scope.
 *
 * Returns: whether a receiver may use @session
 */
gboolean
lmcc_session_validate (const LmccSession *session, GError **error)
{
  LmccAddress last;

  if (!lmcc_address_is_multicast (&session->address))
    return invalid (error, _ ("the base address is not a multicast group"));
  if (session->port == 0 || session->port == G_MAXUINT16)
    return invalid (error, _ ("the port is not between 1 and 65534"));
  if (session->n_layers == 0 || session->n_layers > LMCC_MAX_LAYERS)
    return invalid (error, _ ("the number of layers is not between 1 and 64"));
  if (session->n_groups == 0 || session->n_groups > LMCC_MAX_GROUPS)
    return invalid (error, _ ("the number of groups is not between 1 and 97"));
  if (session->turning_groups == 0 && session->n_groups < session->n_layers)
    return invalid (error, _ ("there are fewer groups than layers"));
  if (!lmcc_address_group (&session->address, session->n_groups - 1, &last))
    return invalid (error, _ ("the groups leave the base address's scope"));
  if (session->n_rungs == 0 || session->n_rungs > LMCC_MAX_RUNGS)
    return invalid (error, _ ("the number of rungs is not between 1 and 14"));
  if (session->ssrc_base & ~LMCC_SSRC_BASE_MASK)
    return invalid (error, _ ("the low 12 bits of the base SSRC are not zero"));
  if (session->nonce > LMCC_MAX_NONCE)
    return invalid (error, _ ("the nonce has more than 7 bytes"));
  if (session->header_id == 0 || session->header_id > 14)
    return invalid (error,
        _ ("the header-extension identifier is not 1 to 14"));
  if (session->window > 60 * LMCC_SECOND || session->latency > 60 * LMCC_SECOND)
    return invalid (error, _ ("the window or the latency is above 60 s"));
  if (session->packet_size < PACKET_SIZE_MIN
      || session->packet_size > LMCC_MAX_PACKET_SIZE)
    return invalid (error, _ ("the packet size is not between 100 and 9000"));
  if (session->repair > REPAIR_MAX)
    return invalid (error, _ ("the repair is more than ten times the media"));
  if (session->repair_delay > 60 * LMCC_SECOND)
    return invalid (error, _ ("the repair delay is above 60 s"));
  if (session->train_cycle > 60 * LMCC_SECOND)
    return invalid (error, _ ("the cycle of packet trains is above 60 s"));

  if (!lmcc_session_levels_are_valid (session))
    return invalid (error,
        _ ("the levels are invalid: level 0 must be the base layer, plus one "
           "layer of the lowest encoding if the base layer carries none; every "
           "other level must contain the base layer, only layers of the "
           "session, and not the same layers as the level below it"));

  return validate_source (session, error) && validate_codecs (session, error)
      && validate_algorithm (session, error)
      && validate_layers (session, error);
}

/**
 * lmcc_session_ssrc:
 * @session: a session
 * @stream: a rung or %LMCC_STREAM_SOUND
 * @layer: a layer
 *
 * Computes the SSRC of a media stream.
 *
 * Returns: the SSRC of the RTP stream that carries @stream in @layer
 */
guint32
lmcc_session_ssrc (const LmccSession *session, guint stream, guint layer)
{
  return session->ssrc_base + (stream << LMCC_SSRC_STREAM_SHIFT) + layer;
}

/**
 * lmcc_session_repair_ssrc:
 * @session: a session
 * @layer: a layer
 *
 * Computes the SSRC of repair packets.
 *
 * Returns: the SSRC of the repair packets in @layer
 */
guint32
lmcc_session_repair_ssrc (const LmccSession *session, guint layer)
{
  return session->ssrc_base + LMCC_SSRC_REPAIR + layer;
}

gboolean
lmcc_session_has_sound (const LmccSession *session)
{
  return session->sound.encoding_name[0] != '\0'
      && session->sound.clock_rate > 0;
}
