/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "wire/sdp-internal.h"

#include "wire/algorithm-element.h"
#include "wire/constants.h"
#include "wire/layer-header.h"
#include "wire/levels.h"

#include <string.h>

/* RFC 3551: RTP over UDP with the audio/video profile. */
#define PROTOCOL "RTP/AVP"

/* Used if the user gives no name: s= must not be empty (RFC 8866 section
 * 5.3). */
#define SESSION_NAME "lmcc layered multicast"

static void
append_time (GString *text, const gchar *key, LmccTime time)
{
  static const struct
  {
    LmccTime unit;
    const gchar *name;
  } units[] = {
    { LMCC_SECOND, "s" },
    { LMCC_MSECOND, "ms" },
    { LMCC_USECOND, "us" },
    { 1, "ns" },
  };
  guint i = 0;

  while (time % units[i].unit != 0)
    i++;
  g_string_append_printf (text, " %s=%" G_GUINT64_FORMAT "%s", key,
      time / units[i].unit, units[i].name);
}

static void
append_time_unless_zero (GString *text, const gchar *key, LmccTime time)
{
  if (time != 0)
    append_time (text, key, time);
}

static void
append_number (GString *text, const gchar *key, guint value,
    guint default_value)
{
  if (value != default_value)
    g_string_append_printf (text, " %s=%u", key, value);
}

static void
append_name (GString *text, const gchar *key, const gchar *value)
{
  if (!g_str_equal (value, LMCC_SDP_NO_ALGORITHM))
    g_string_append_printf (text, " %s=%s", key, value);
}

static void
append_layers (GString *text, const LmccSession *session, LmccSdpForm form)
{
  LmccLayer expected = { 0, 0, 0 };
  guint i;

  g_string_append (text, session->native ? " l=" : " f=");
  for (i = 0; i < session->n_layers; i++) {
    const LmccLayer *layer = &session->layers[i];

    if (i > 0)
      g_string_append_c (text, ',');
    g_string_append_printf (text, "%" G_GUINT64_FORMAT, layer->rate);

    lmcc_sdp_expect_layer (session->native, i, i > 0 ? layer - 1 : NULL,
        &expected);
    if (form == LMCC_SDP_RECORD && layer->stream == expected.stream
        && layer->klass == expected.klass)
      continue;
    if (form == LMCC_SDP_RECORD && layer->klass == 0 && i > 0
        && layer->stream == layer[-1].stream + 1)
      g_string_append_c (text, '+');
    else
      g_string_append_printf (text, ":%u.%u", layer->stream, layer->klass);
  }
}

/* Levels that consist of the first layers each need no list. */
static void
append_levels (GString *text, const LmccSession *session)
{
  guint n = lmcc_session_count_levels (session), level;

  if (lmcc_session_is_cumulative (session))
    return;
  for (level = 0; level < n; level++)
    g_string_append_printf (text, "%s%" G_GINT64_MODIFIER "x",
        level == 0 ? " lv=" : ",",
        lmcc_session_level_layers (session, (gint) level));
}

static void
append_attribute (GString *text, const LmccSession *session, LmccSdpForm form)
{
  guint payload_type = session->payload_type;

  g_string_append_printf (text, "a=x-lmcc:%u v=%u", LMCC_HEADER_VERSION,
      session->version);
  append_layers (text, session, form);
  append_levels (text, session);
  append_number (text, "g", session->n_groups, session->n_layers);
  append_number (text, "n", session->n_rungs, lmcc_sdp_expect_rungs (session));
  append_number (text, "rp", session->repair_payload_type,
      payload_type + LMCC_PAYLOAD_TYPE_REPAIR);
  append_number (text, "fp", session->filler_payload_type,
      payload_type + LMCC_PAYLOAD_TYPE_FILLER);
  append_number (text, "s", session->packet_size, LMCC_DEFAULT_PACKET_SIZE);
  append_time_unless_zero (text, "w", session->window);
  append_time_unless_zero (text, "d", session->latency);
  append_name (text, "a", session->algorithm);
  append_name (text, "b", session->base_algorithm);
  append_time_unless_zero (text, "slot", session->slot);
  append_number (text, "mod", session->slot_modulus, LMCC_MAX_SLOT_MODULUS);
  append_number (text, "turn", session->turning_groups, 0);
  append_number (text, "silent", session->silent_groups, 0);
  if (session->rtt_max != LMCC_DEFAULT_RTT_MAX)
    append_time (text, "rtt", session->rtt_max);
  append_time_unless_zero (text, "fb", session->feedback_interval);
  if (session->feedback_port != 0)
    append_number (text, "fbp", session->feedback_port, session->port + 1u);
  if (session->key_request_wait > LMCC_DEFAULT_KEY_REQUEST_WAIT)
    append_time (text, "kw", session->key_request_wait);
  append_number (text, "rep", session->repair, 0);
  append_time_unless_zero (text, "rd", session->repair_delay);
  if (session->loss_reports)
    g_string_append (text, " lr");
  append_time_unless_zero (text, "tr", session->train_cycle);
  if (session->address.family == LMCC_FAMILY_IPV6)
    append_number (text, "ttl", session->ttl, 1);
  if (session->nonce != 0)
    g_string_append_printf (text, " sn=%014" G_GINT64_MODIFIER "x",
        session->nonce);

  if (form == LMCC_SDP_FILE)
    return;
  append_number (text, "id", session->header_id, LMCC_HEADER_DEFAULT_ID);
  if (session->source_specific)
    g_string_append (text, " ssm");
  if (session->sound.encoding_name[0] != '\0')
    g_string_append_printf (text, " snd=%s/%u", session->sound.encoding_name,
        session->sound.clock_rate);
  if (session->sound_parameters[0] != '\0')
    g_string_append_printf (text, " sndp=%s", session->sound_parameters);
}

static const gchar *
get_family_name (const LmccSession *session)
{
  return session->address.family == LMCC_FAMILY_IPV4 ? "IP4" : "IP6";
}

static void
format_group (const LmccSession *session, guint group,
    gchar text[LMCC_ADDRESS_STRLEN])
{
  LmccAddress address = session->address;

  lmcc_address_group (&session->address, group, &address);
  lmcc_address_format (&address, text);
}

static void
append_connection (GString *text, const LmccSession *session, guint group,
    const gchar *eol)
{
  gchar address[LMCC_ADDRESS_STRLEN];

  format_group (session, group, address);
  g_string_append_printf (text, "c=IN %s %s", get_family_name (session),
      address);
  if (session->address.family == LMCC_FAMILY_IPV4)
    g_string_append_printf (text, "/%u", session->ttl);
  g_string_append (text, eol);
}

/* RFC 3605: all reports use the base group. */
static void
append_rtcp (GString *text, const LmccSession *session, gboolean elsewhere,
    const gchar *eol)
{
  gchar address[LMCC_ADDRESS_STRLEN];

  g_string_append_printf (text, "a=rtcp:%u", session->port + 1u);
  if (elsewhere) {
    format_group (session, 0, address);
    g_string_append_printf (text, " IN %s %s", get_family_name (session),
        address);
  }
  g_string_append (text, eol);
}

static void
append_source_filter (GString *text, const LmccSession *session, guint group,
    const gchar *eol)
{
  gchar address[LMCC_ADDRESS_STRLEN], source[LMCC_ADDRESS_STRLEN];

  if (!session->source_specific)
    return;
  format_group (session, group, address);
  lmcc_address_format (&session->source, source);
  g_string_append_printf (text, "a=source-filter: incl IN %s %s %s%s",
      get_family_name (session), address, source, eol);
}

/* Writes the text on one line, without cutting a character. */
static void
append_name_line (GString *text, const LmccSdpDetails *details,
    const gchar *eol)
{
  const gchar *name = details != NULL ? details->session_name : NULL;
  g_autofree gchar *valid = g_utf8_make_valid (name != NULL ? name : "", -1);
  gchar *at;

  if (strlen (valid) > LMCC_SDP_MAX_NAME)
    *g_utf8_find_prev_char (valid, valid + LMCC_SDP_MAX_NAME + 1) = '\0';
  for (at = valid; *at != '\0'; at++) {
    if (g_ascii_iscntrl (*at))
      *at = ' ';
  }
  g_string_append_printf (text, "s=%s%s",
      valid[0] != '\0' ? valid : SESSION_NAME, eol);
}

static gboolean
are_parameters (const gchar *parameters)
{
  gsize size = strlen (parameters), i;

  if (size == 0 || size > LMCC_SDP_MAX_PARAMETERS)
    return FALSE;
  for (i = 0; i < size; i++) {
    if (!g_ascii_isprint (parameters[i]))
      return FALSE;
  }

  return TRUE;
}

static void
append_video_parameters (GString *text, const LmccSession *session,
    const LmccSdpDetails *details, const gchar *eol)
{
  if (details != NULL && details->video_parameters != NULL
      && are_parameters (details->video_parameters))
    g_string_append_printf (text, "a=fmtp:%u %s%s", session->payload_type,
        details->video_parameters, eol);
}

static void
append_media (GString *text, const gchar *kind, const LmccSession *session,
    const LmccMedia *media, guint payload_type, LmccSdpForm form,
    const LmccSdpDetails *details, gboolean second_element, const gchar *eol)
{
  /* RFC 7587 section 7: Opus always has two channels in its rtpmap. */
  const gchar *channels =
      g_str_equal (media->encoding_name, "OPUS") ? "/2" : "";
  /* The sound is in the base layer. */
  guint layer =
      media == &session->video ? lmcc_session_lowest_layer (session) : 0;

  g_string_append_printf (text, "m=%s %u %s %u%s", kind, session->port,
      PROTOCOL, payload_type, eol);
  if (form == LMCC_SDP_FILE && layer > 0) {
    append_connection (text, session, layer, eol);
    append_source_filter (text, session, layer, eol);
  }
  /* RFC 8866 section 5.8: AS is in kbit/s and includes the headers, like
   * r_0. */
  if (form == LMCC_SDP_FILE && media == &session->video
      && session->layers[layer].rate > 0)
    g_string_append_printf (text, "b=AS:%" G_GUINT64_FORMAT "%s",
        (session->layers[layer].rate + 999) / 1000, eol);
  g_string_append_printf (text, "a=rtpmap:%u %s/%u%s%s", payload_type,
      media->encoding_name, media->clock_rate, channels, eol);
  if (media == &session->sound && session->sound_parameters[0] != '\0')
    g_string_append_printf (text, "a=fmtp:%u %s%s", payload_type,
        session->sound_parameters, eol);
  if (media == &session->video)
    append_video_parameters (text, session, details, eol);
  if (form == LMCC_SDP_FILE) {
    append_rtcp (text, session, layer > 0, eol);
    g_string_append_printf (text, "a=extmap:%u %s%s", session->header_id,
        LMCC_HEADER_URI, eol);
  }
  /* RFC 5956 section 4.3: repair is another SSRC of the same RTP session.
   * Its payload type is not on the media line, so that older players need
   * not know it. */
  if (form == LMCC_SDP_FILE && media == &session->video && session->repair > 0)
    g_string_append_printf (text, "a=ssrc-group:FEC-FR %u %u%s",
        lmcc_session_ssrc (session, 0, layer),
        lmcc_session_repair_ssrc (session, layer), eol);
  if (form == LMCC_SDP_FILE && second_element)
    g_string_append_printf (text, "a=extmap:%u %s%s",
        lmcc_second_element_id (session->header_id), LMCC_SECOND_ELEMENT_URI,
        eol);
}

/*
 * lmcc_sdp_write:
 * @session: a session that lmcc_session_validate() accepts
 * @form: the form of the description
 * @details: (nullable): additions for the readable form
 * @second_element: whether packets carry a second element, which depends on the
 *     session's algorithm
 *
 * Writes a session description (RFC 8866; RFC 4570 source filter, RFC 8285
 * extmap, RFC 3605 rtcp, RFC 5956 ssrc-group) according to
 * docs/developers/wire-format.md. The connection line names only the base
 * group; the video's own connection line names the lowest rung's group if the
 * base layer carries no rung. Each media line has a single payload type. So a
 * player that does not know layers plays the lowest layer.
 *
 * Returns: (transfer full): the text
 */
gchar *
lmcc_sdp_write (const LmccSession *session, LmccSdpForm form,
    const LmccSdpDetails *details, gboolean second_element)
{
  const gchar *eol = form == LMCC_SDP_FILE ? "\r\n" : "\n";
  gchar source[LMCC_ADDRESS_STRLEN];
  GString *text;

  lmcc_address_format (&session->source, source);
  if (source[0] == '\0')
    g_strlcpy (source,
        session->address.family == LMCC_FAMILY_IPV4 ? "0.0.0.0" : "::",
        sizeof (source));

  text = g_string_sized_new (512);
  g_string_append_printf (text, "v=0%so=- %u %u IN %s %s%s", eol,
      session->ssrc_base, session->revision, get_family_name (session), source,
      eol);
  if (form == LMCC_SDP_FILE)
    append_name_line (text, details, eol);
  else
    g_string_append_printf (text, "s=-%s", eol);
  append_connection (text, session, 0, eol);
  g_string_append_printf (text, "t=0 0%s", eol);
  if (form == LMCC_SDP_FILE) {
    append_source_filter (text, session, 0, eol);
    /* RFC 8866 section 6.7.1: the reader of this description only receives. */
    g_string_append_printf (text, "a=recvonly%s", eol);
  }
  append_attribute (text, session, form);
  g_string_append (text, eol);

  append_media (text, "video", session, &session->video, session->payload_type,
      form, details, second_element, eol);
  if (form == LMCC_SDP_FILE && session->sound.encoding_name[0] != '\0')
    append_media (text, "audio", session, &session->sound,
        session->payload_type + LMCC_STREAM_SOUND, form, NULL, second_element,
        eol);

  return g_string_free (text, FALSE);
}
