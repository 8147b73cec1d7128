/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <glib/gi18n-lib.h>
#include <gst/lmcc/lmcc-sdp.h>

#include "wire/algorithm-element.h"
#include "wire/layer-header.h"
#include "wire/levels.h"
#include "wire/sdp-keys.h"

#include <string.h>

#define ATTRIBUTE "a=x-lmcc:"

/* The m= section that the lines belong to. */
typedef enum
{
  SECTION_SESSION,
  SECTION_VIDEO,
  SECTION_AUDIO,
  SECTION_OTHER,
} Section;

/* Lines that have occurred, so that none counts twice or is missing. */
enum
{
  SEEN_ORIGIN = 1 << 0,
  SEEN_NAME = 1 << 1,
  SEEN_CONNECTION = 1 << 2,
  SEEN_TIME = 1 << 3,
  SEEN_VIDEO = 1 << 4,
  SEEN_AUDIO = 1 << 5,
  SEEN_VIDEO_MAP = 1 << 6,
  SEEN_AUDIO_MAP = 1 << 7,
  SEEN_HEADER_ID = 1 << 8,
};

#define SEEN_REQUIRED                                                 \
  (SEEN_ORIGIN | SEEN_NAME | SEEN_CONNECTION | SEEN_TIME | SEEN_VIDEO \
      | SEEN_VIDEO_MAP)

typedef struct
{
  LmccSession *session;
  Section section;
  guint seen;
  guint audio_payload_type;
  guint8 second_id; /* 0: none */
} Parser;

static gboolean
parse_family (const gchar *text, LmccFamily *family)
{
  if (g_str_equal (text, "IP4"))
    *family = LMCC_FAMILY_IPV4;
  else if (g_str_equal (text, "IP6"))
    *family = LMCC_FAMILY_IPV6;
  else
    return FALSE;

  return TRUE;
}

static gboolean
parse_address (const gchar *family_text, const gchar *text,
    LmccAddress *address)
{
  LmccFamily family;

  return parse_family (family_text, &family)
      && lmcc_address_parse (text, address) && address->family == family;
}

/* RFC 8866 section 5.2: user, S0, revision, "IN", family, the sender's
 * address. */
static gboolean
parse_origin (Parser *parser, const gchar *text)
{
  LmccSession *session = parser->session;
  g_auto (GStrv) parts = g_strsplit (text, " ", 7);
  static const guint8 unspecified[16] = { 0 };

  if (g_strv_length (parts) != 6 || !g_str_equal (parts[3], "IN")
      || !lmcc_sdp_parse_uint (parts[1], G_MAXUINT32, &session->ssrc_base)
      || !lmcc_sdp_parse_uint (parts[2], G_MAXUINT32, &session->revision)
      || !parse_address (parts[4], parts[5], &session->source))
    return FALSE;
  if (memcmp (session->source.bytes, unspecified, sizeof (unspecified)) == 0)
    session->source.family = LMCC_FAMILY_NONE;

  return TRUE;
}

/* RFC 8866 section 5.7: a TTL for IPv4 only; no range of groups, because the
 * library's own attribute has the groups. */
static gboolean
read_connection (const gchar *text, LmccAddress *address, guint8 *ttl)
{
  g_auto (GStrv) parts = g_strsplit (text, " ", 4);
  gchar *slash;

  if (g_strv_length (parts) != 3 || !g_str_equal (parts[0], "IN"))
    return FALSE;
  slash = strchr (parts[2], '/');
  if ((slash != NULL) != g_str_equal (parts[1], "IP4"))
    return FALSE;
  if (slash != NULL) {
    *slash = '\0';
    if (!lmcc_sdp_parse_uint8 (slash + 1, G_MAXUINT8, ttl))
      return FALSE;
  }

  return parse_address (parts[1], parts[2], address);
}

static gboolean
parse_connection (Parser *parser, const gchar *text)
{
  LmccSession *session = parser->session;
  LmccAddress address;

  if (!read_connection (text, &address, &session->ttl))
    return FALSE;
  session->address = address;

  return TRUE;
}

/* The video has its own connection line, with the lowest rung's group, if
 * the base layer carries no rung. */
static gboolean
parse_video_connection (const Parser *parser, const gchar *text)
{
  const LmccSession *session = parser->session;
  guint lowest = lmcc_session_lowest_layer (session);
  LmccAddress address, group;
  guint8 ttl;

  return parser->section == SECTION_VIDEO && lowest > 0
      && read_connection (text, &address, &ttl)
      && lmcc_address_group (&session->address, lowest, &group)
      && lmcc_address_equal (&address, &group);
}

/* RFC 4570 section 3: " incl IN IP4 group source". */
static gboolean
parse_source_filter (Parser *parser, const gchar *text)
{
  LmccSession *session = parser->session;
  g_auto (GStrv) parts = g_strsplit (text + (*text == ' '), " ", 6);
  LmccAddress source;

  if (g_strv_length (parts) != 5 || !g_str_equal (parts[0], "incl")
      || !g_str_equal (parts[1], "IN")
      || !parse_address (parts[2], parts[4], &source)
      || !lmcc_address_equal (&source, &session->source))
    return FALSE;
  session->source_specific = TRUE;

  return TRUE;
}

static gboolean
parse_media (Parser *parser, const gchar *text)
{
  LmccSession *session = parser->session;
  g_auto (GStrv) parts = g_strsplit (text, " ", -1);
  guint n_parts = g_strv_length (parts);
  guint port, payload_type, seen;

  parser->section = SECTION_OTHER;
  if (n_parts < 4)
    return FALSE;
  if (g_str_equal (parts[0], "video"))
    parser->section = SECTION_VIDEO;
  else if (g_str_equal (parts[0], "audio"))
    parser->section = SECTION_AUDIO;
  else
    return TRUE;

  seen = parser->section == SECTION_VIDEO ? SEEN_VIDEO : SEEN_AUDIO;
  if ((parser->seen & seen)
      || !lmcc_sdp_parse_uint (parts[1], G_MAXUINT16, &port)
      || (!g_str_equal (parts[2], "RTP/AVP")
          && !g_str_equal (parts[2], "RTP/AVPF"))
      || !lmcc_sdp_parse_uint (parts[3], 127, &payload_type))
    return FALSE;
  parser->seen |= seen;
  if ((parser->seen & (SEEN_VIDEO | SEEN_AUDIO)) != seen
      && port != session->port)
    return FALSE;
  session->port = port;
  if (parser->section == SECTION_VIDEO)
    session->payload_type = payload_type;
  else
    parser->audio_payload_type = payload_type;

  return TRUE;
}

static gboolean
parse_rtpmap (Parser *parser, const gchar *text)
{
  LmccSession *session = parser->session;
  g_auto (GStrv) parts = g_strsplit (text, " ", 3);
  gboolean video = parser->section == SECTION_VIDEO;
  guint seen = video ? SEEN_VIDEO_MAP : SEEN_AUDIO_MAP;
  guint payload_type;

  if (g_strv_length (parts) != 2
      || !lmcc_sdp_parse_uint (parts[0], 127, &payload_type))
    return FALSE;
  if (payload_type
      != (video ? session->payload_type : parser->audio_payload_type))
    return TRUE;
  if (parser->seen & seen)
    return FALSE;
  parser->seen |= seen;

  return lmcc_sdp_parse_codec (parts[1],
      video ? &session->video : &session->sound);
}

/* Only for the sound: the video has its parameter sets in band. Spaces may
 * follow the semicolons (RFC 3640 section 4.1). */
static gboolean
parse_fmtp (Parser *parser, const gchar *text)
{
  LmccSession *session = parser->session;
  const gchar *space = strchr (text, ' ');
  g_autofree gchar *number = NULL;
  gsize n = 0;
  guint payload_type;

  if (parser->section != SECTION_AUDIO)
    return TRUE;
  if (space == NULL)
    return FALSE;
  number = g_strndup (text, (gsize) (space - text));
  if (!lmcc_sdp_parse_uint (number, 127, &payload_type))
    return FALSE;
  if (payload_type != parser->audio_payload_type)
    return TRUE;
  if (session->sound_parameters[0] != '\0')
    return FALSE;
  for (; *space != '\0'; space++) {
    if (*space == ' ')
      continue;
    if (n + 1 == LMCC_PARAMETERS_SIZE)
      return FALSE;
    session->sound_parameters[n++] = *space;
  }

  return TRUE;
}

static gboolean
take_second_id (Parser *parser, guint8 id)
{
  if (id == 0 || (parser->second_id != 0 && id != parser->second_id))
    return FALSE;
  parser->second_id = id;

  return TRUE;
}

/* RFC 8285 section 8: identifier, optionally a direction, the name. */
static gboolean
parse_extmap (Parser *parser, const gchar *text)
{
  g_auto (GStrv) parts = g_strsplit (text, " ", 3);
  gboolean second;
  guint8 id;

  if (g_strv_length (parts) < 2)
    return FALSE;
  second = g_str_equal (parts[1], LMCC_SECOND_ELEMENT_URI);
  if (!second && !g_str_equal (parts[1], LMCC_HEADER_URI))
    return TRUE;
  parts[0][strcspn (parts[0], "/")] = '\0';
  if (!lmcc_sdp_parse_uint8 (parts[0], 14, &id))
    return FALSE;
  if (second)
    return take_second_id (parser, id);
  if ((parser->seen & SEEN_HEADER_ID) && id != parser->session->header_id)
    return FALSE;
  parser->seen |= SEEN_HEADER_ID;
  parser->session->header_id = id;

  return TRUE;
}

static gboolean
parse_rtcp (Parser *parser, const gchar *text)
{
  g_auto (GStrv) parts = g_strsplit (text, " ", 2);
  guint port;

  return parts[0] != NULL && lmcc_sdp_parse_uint (parts[0], G_MAXUINT16, &port)
      && port == parser->session->port + 1u;
}

static gboolean
parse_attribute_line (Parser *parser, const gchar *line)
{
  gboolean in_media =
      parser->section == SECTION_VIDEO || parser->section == SECTION_AUDIO;

  if (g_str_has_prefix (line, "a=source-filter:"))
    return parse_source_filter (parser, line + strlen ("a=source-filter:"));
  if (in_media && g_str_has_prefix (line, "a=rtpmap:"))
    return parse_rtpmap (parser, line + strlen ("a=rtpmap:"));
  if (in_media && g_str_has_prefix (line, "a=fmtp:"))
    return parse_fmtp (parser, line + strlen ("a=fmtp:"));
  if (in_media && g_str_has_prefix (line, "a=extmap:"))
    return parse_extmap (parser, line + strlen ("a=extmap:"));
  if (in_media && g_str_has_prefix (line, "a=rtcp:"))
    return parse_rtcp (parser, line + strlen ("a=rtcp:"));

  return TRUE;
}

static gboolean
take_once (Parser *parser, guint seen)
{
  if (parser->section != SECTION_SESSION || (parser->seen & seen))
    return FALSE;
  parser->seen |= seen;

  return TRUE;
}

static gboolean
parse_line (Parser *parser, const gchar *line)
{
  if (parser->section == SECTION_OTHER && line[0] != 'm')
    return TRUE;

  switch (line[0]) {
    case 'o':
      return take_once (parser, SEEN_ORIGIN) && parse_origin (parser, line + 2);
    case 's':
      return take_once (parser, SEEN_NAME);
    case 'c':
      if (parser->section != SECTION_SESSION)
        return parse_video_connection (parser, line + 2);
      return take_once (parser, SEEN_CONNECTION)
          && parse_connection (parser, line + 2);
    case 't':
      parser->seen |= SEEN_TIME;
      return parser->section == SECTION_SESSION;
    case 'm':
      return parse_media (parser, line + 2);
    case 'a':
      return parse_attribute_line (parser, line);
    default:
      return TRUE;
  }
}

static gboolean
fail (GError **error, LmccSessionError code, const gchar *what)
{
  g_set_error_literal (error, LMCC_SESSION_ERROR, code, what);

  return FALSE;
}

/* RFC 8866 section 5: every line is a known letter, "=" and a value, and the
 * first one is the version. Removes line ends; returns the library's
 * attribute. */
static gboolean
check_lines (gchar **lines, const gchar **attribute, GError **error)
{
  guint i;

  *attribute = NULL;
  for (i = 0; lines[i] != NULL; i++) {
    gsize length = strlen (lines[i]);

    if (length > 0 && lines[i][length - 1] == '\r')
      lines[i][length - 1] = '\0';
    if (lines[i][0] == '\0' && lines[i + 1] == NULL && i > 0)
      break;
    if (lines[i][0] == '\0' || strchr ("vosiuepcbtrzkam", lines[i][0]) == NULL
        || lines[i][1] != '=' || (i == 0) != (lines[i][0] == 'v')) {
      g_set_error (error, LMCC_SESSION_ERROR, LMCC_SESSION_ERROR_SYNTAX,
          _ ("line %u is not one of a session description (RFC 8866)"), i + 1);
      return FALSE;
    }
    if (g_str_has_prefix (lines[i], ATTRIBUTE)) {
      if (*attribute != NULL)
        return fail (error, LMCC_SESSION_ERROR_SYNTAX,
            _ ("there is more than one a=x-lmcc line"));
      *attribute = lines[i] + strlen (ATTRIBUTE);
    }
  }

  if (!g_str_equal (lines[0], "v=0"))
    return fail (error, LMCC_SESSION_ERROR_SYNTAX,
        _ ("the description does not begin with v=0"));

  return TRUE;
}

static gboolean
check_attribute (const gchar *attribute, GError **error)
{
  if (attribute == NULL)
    return fail (error, LMCC_SESSION_ERROR_NOT_LMCC,
        _ ("this describes a plain stream, not a layered session (it has no "
           "a=x-lmcc line): play it with sdpsrc, or use the description that "
           "lmccsink writes to its sdp-location"));
  if (attribute[0] != '0' + LMCC_HEADER_VERSION
      || (attribute[1] != ' ' && attribute[1] != '\0'))
    return fail (error, LMCC_SESSION_ERROR_VALUE,
        _ ("the session has another wire format version than 1: use the same "
           "lmcc release on both sides"));

  return TRUE;
}

static gboolean
check_complete (const Parser *parser, GError **error)
{
  if ((parser->seen & SEEN_REQUIRED) != SEEN_REQUIRED)
    return fail (error, LMCC_SESSION_ERROR_SYNTAX,
        _ ("an o=, s=, c=, t=, m=video or a=rtpmap line is missing"));
  if ((parser->seen & SEEN_AUDIO)
      && (!(parser->seen & SEEN_AUDIO_MAP)
          || parser->audio_payload_type
              != (guint) parser->session->payload_type + LMCC_STREAM_SOUND))
    return fail (error, LMCC_SESSION_ERROR_VALUE,
        _ ("the sound has no a=rtpmap line, or its payload type is not the "
           "video's plus 14"));
  if (parser->second_id != 0
      && parser->second_id
          != lmcc_second_element_id (parser->session->header_id))
    return fail (error, LMCC_SESSION_ERROR_VALUE,
        _ ("the second element's identifier is not the first one's plus 1"));

  return TRUE;
}

static gboolean
parse_lines (gchar **lines, LmccSession *session, GError **error)
{
  Parser parser = { .session = session };
  LmccSdpKeys keys;
  const gchar *attribute;
  guint i;

  if (!check_lines (lines, &attribute, error)
      || !check_attribute (attribute, error))
    return FALSE;
  if (!lmcc_sdp_keys_parse (&keys, attribute, session))
    return fail (error, LMCC_SESSION_ERROR_VALUE,
        _ ("the a=x-lmcc line has no layers, a key twice, or a value that is "
           "malformed or out of range"));

  for (i = 1; lines[i] != NULL && lines[i][0] != '\0'; i++) {
    if (!parse_line (&parser, lines[i])) {
      g_set_error (error, LMCC_SESSION_ERROR, LMCC_SESSION_ERROR_VALUE,
          _ ("line %u (%c=) is out of place, malformed or out of range"), i + 1,
          lines[i][0]);
      return FALSE;
    }
  }

  if (!check_complete (&parser, error))
    return FALSE;
  lmcc_sdp_keys_complete (&keys, session);

  return lmcc_session_validate (session, error);
}

/**
 * lmcc_sdp_parse:
 * @text: a session description in either form; lines end in CRLF or LF
 * @size: size of @text in bytes, or -1 if it ends with a zero
 * @session: (out): the session; as from lmcc_session_init() if %FALSE is
 *     returned
 * @error: (nullable): what is wrong, in %LMCC_SESSION_ERROR
 *
 * Parses a description written by lmcc_sdp_format(). Unknown attributes and
 * keys are ignored, every value is checked, and at most %LMCC_SDP_MAX_SIZE
 * bytes are accepted.
 *
 * Returns: whether @session is valid
 */
gboolean
lmcc_sdp_parse (const gchar *text, gssize size, LmccSession *session,
    GError **error)
{
  g_autofree gchar *copy = NULL;
  g_auto (GStrv) lines = NULL;
  gsize length = size < 0 ? strlen (text) : (gsize) size;
  LmccSession parsed;

  lmcc_session_init (session);
  lmcc_session_init (&parsed);
  if (length == 0 || length > LMCC_SDP_MAX_SIZE
      || memchr (text, '\0', length) != NULL)
    return fail (error, LMCC_SESSION_ERROR_SYNTAX,
        _ ("the description is empty, longer than 16384 bytes, or not text"));

  copy = g_strndup (text, length);
  lines = g_strsplit (copy, "\n", -1);

  if (!parse_lines (lines, &parsed, error))
    return FALSE;
  *session = parsed;

  return TRUE;
}
