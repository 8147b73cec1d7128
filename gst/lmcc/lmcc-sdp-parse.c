/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "lmcc-sdp.h"

#include "lmcc-header.h"
#include "lmcc-sdp-internal.h"

#include <string.h>

#define ATTRIBUTE "a=x-lmcc:"

/* Which m= section the lines belong to. */
typedef enum
{
  SECTION_SESSION,
  SECTION_VIDEO,
  SECTION_AUDIO,
  SECTION_OTHER,
} Section;

/* What was there, so that nothing counts twice or is missing. */
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

#define SEEN_REQUIRED (SEEN_ORIGIN | SEEN_NAME | SEEN_CONNECTION | SEEN_TIME \
    | SEEN_VIDEO | SEEN_VIDEO_MAP)

typedef struct
{
  LmccSession *session;
  Section section;
  guint seen;
  guint32 keys_seen;
  guint audio_payload_type;
  guint groups, rungs, repair_payload_type, filler_payload_type;
  const gchar *layers;
} Parser;

static gboolean
parse_number (const gchar * text, guint64 max, guint64 * value)
{
  guint64 number = 0;

  if (*text == '\0' || (text[0] == '0' && text[1] != '\0'))
    return FALSE;
  for (; *text != '\0'; text++) {
    guint digit = (guint) (*text - '0');

    if (!g_ascii_isdigit (*text) || digit > max || number > (max - digit) / 10)
      return FALSE;
    number = 10 * number + digit;
  }
  *value = number;

  return TRUE;
}

static gboolean
parse_uint (const gchar * text, guint max, guint * value)
{
  guint64 number;

  if (!parse_number (text, max, &number))
    return FALSE;
  *value = (guint) number;

  return TRUE;
}

static gboolean
parse_time (const gchar * text, LmccTime * time)
{
  static const struct
  {
    const gchar *name;
    LmccTime unit;
  } units[] = {
    {"ms", LMCC_MSECOND},
    {"us", LMCC_USECOND},
    {"ns", 1},
    {"s", LMCC_SECOND},
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (units); i++) {
    if (g_str_has_suffix (text, units[i].name)) {
      g_autofree gchar *digits =
          g_strndup (text, strlen (text) - strlen (units[i].name));
      guint64 number;

      if (!parse_number (digits, G_MAXINT64 / units[i].unit, &number))
        return FALSE;
      *time = number * units[i].unit;
      return TRUE;
    }
  }

  return FALSE;
}

/* "H264/90000" with an optional "/channels", which says nothing to us. */
static gboolean
parse_codec (const gchar * text, LmccMedia * media)
{
  g_auto (GStrv) parts = g_strsplit (text, "/", 4);
  g_autofree gchar *name = NULL;
  guint n_parts = g_strv_length (parts);
  guint clock_rate, channels;

  if (n_parts < 2 || n_parts > 3 || parts[0][0] == '\0'
      || !parse_uint (parts[1], G_MAXUINT32, &clock_rate)
      || (n_parts == 3 && !parse_uint (parts[2], 255, &channels)))
    return FALSE;

  name = g_ascii_strup (parts[0], -1);
  if (g_strlcpy (media->encoding_name, name, sizeof (media->encoding_name))
      >= sizeof (media->encoding_name))
    return FALSE;
  media->clock_rate = clock_rate;

  return TRUE;
}

static gboolean
parse_layer (gchar * text, gboolean native, guint index, LmccLayer * layers)
{
  LmccLayer *layer = &layers[index];
  const LmccLayer *below = index > 0 ? layer - 1 : NULL;
  gchar *end = text + strspn (text, "0123456789");
  gchar mark = *end;
  guint stream, klass;

  *end = '\0';
  if (!parse_number (text, G_MAXUINT64, &layer->rate))
    return FALSE;

  if (mark == '\0') {
    lmcc_sdp_expect_layer (native, index, below, layer);
    return TRUE;
  }
  if (mark == '+') {
    if (end[1] != '\0' || below == NULL)
      return FALSE;
    layer->stream = below->stream + 1;
    layer->klass = 0;
    return TRUE;
  }
  if (mark == ':') {
    gchar *dot = strchr (end + 1, '.');

    if (dot == NULL)
      return FALSE;
    *dot = '\0';
    if (!parse_uint (end + 1, LMCC_STREAM_NONE, &stream)
        || !parse_uint (dot + 1, LMCC_CLASS_MIXED, &klass))
      return FALSE;
    layer->stream = stream;
    layer->klass = klass;
    return TRUE;
  }

  return FALSE;
}

static gboolean
parse_layers (const gchar * text, LmccSession * session)
{
  g_auto (GStrv) parts = g_strsplit (text, ",", LMCC_MAX_LAYERS + 1);
  guint i;

  session->n_layers = g_strv_length (parts);
  if (session->n_layers == 0 || session->n_layers > LMCC_MAX_LAYERS)
    return FALSE;
  for (i = 0; i < session->n_layers; i++) {
    if (!parse_layer (parts[i], session->native, i, session->layers))
      return FALSE;
  }

  return TRUE;
}

static gboolean
parse_name (const gchar * text, gchar * name, gsize size)
{
  return *text != '\0' && g_strlcpy (name, text, size) < size;
}

static gboolean
take_layers (Parser * parser, const gchar * value, gboolean native)
{
  if (parser->layers != NULL)
    return FALSE;
  parser->layers = value;
  parser->session->native = native;

  return TRUE;
}

static gboolean
take_uint8 (const gchar * value, guint max, guint8 * number)
{
  guint wide;

  if (!parse_uint (value, max, &wide))
    return FALSE;
  *number = wide;

  return TRUE;
}

/* The keys of our attribute; the order is that of take_value(). */
typedef enum
{
  KEY_VERSION, KEY_NATIVE, KEY_FIXED, KEY_GROUPS, KEY_RUNGS, KEY_REPAIR_TYPE,
  KEY_FILLER_TYPE, KEY_PACKET_SIZE, KEY_WINDOW, KEY_LATENCY, KEY_ALGORITHM,
  KEY_BASE_ALGORITHM, KEY_SLOT, KEY_MODULUS, KEY_TURNING, KEY_SILENT, KEY_RTT,
  KEY_FEEDBACK, KEY_REPAIR, KEY_TTL, KEY_HEADER_ID, KEY_SOURCE_SPECIFIC,
  KEY_SOUND, N_KEYS
} Key;

static const gchar *const keys[N_KEYS] = {
  "v", "l", "f", "g", "n", "rp", "fp", "s", "w", "d", "a", "b", "slot", "mod",
  "turn", "silent", "rtt", "fb", "rep", "ttl", "id", "ssm", "snd",
};

static gboolean
take_value (Parser * parser, Key key, const gchar * value)
{
  LmccSession *session = parser->session;

  switch (key) {
    case KEY_VERSION:
      return take_uint8 (value, G_MAXUINT8, &session->version);
    case KEY_NATIVE:
      return take_layers (parser, value, TRUE);
    case KEY_FIXED:
      return take_layers (parser, value, FALSE);
    case KEY_GROUPS:
      return parse_uint (value, LMCC_MAX_GROUPS, &parser->groups)
          && parser->groups > 0;
    case KEY_RUNGS:
      return parse_uint (value, LMCC_MAX_RUNGS, &parser->rungs)
          && parser->rungs > 0;
    case KEY_REPAIR_TYPE:
      return parse_uint (value, 127, &parser->repair_payload_type);
    case KEY_FILLER_TYPE:
      return parse_uint (value, 127, &parser->filler_payload_type);
    case KEY_PACKET_SIZE:
      return parse_uint (value, G_MAXUINT16, &session->packet_size);
    case KEY_WINDOW:
      return parse_time (value, &session->window);
    case KEY_LATENCY:
      return parse_time (value, &session->latency);
    case KEY_ALGORITHM:
      return parse_name (value, session->algorithm,
          sizeof (session->algorithm));
    case KEY_BASE_ALGORITHM:
      return parse_name (value, session->base_algorithm,
          sizeof (session->base_algorithm));
    case KEY_SLOT:
      return parse_time (value, &session->slot);
    case KEY_MODULUS:
      return parse_uint (value, LMCC_SDP_SLOT_MODULUS, &session->slot_modulus);
    case KEY_TURNING:
      return parse_uint (value, LMCC_MAX_GROUPS, &session->turning_groups);
    case KEY_SILENT:
      return parse_uint (value, LMCC_MAX_GROUPS, &session->silent_groups);
    case KEY_RTT:
      return parse_time (value, &session->rtt_max);
    case KEY_FEEDBACK:
      return parse_time (value, &session->feedback_interval);
    case KEY_REPAIR:
      return parse_uint (value, G_MAXUINT16, &session->repair);
    case KEY_TTL:
      return take_uint8 (value, G_MAXUINT8, &session->ttl);
    case KEY_HEADER_ID:
      return take_uint8 (value, 14, &session->header_id);
    case KEY_SOURCE_SPECIFIC:
      session->source_specific = TRUE;
      return *value == '\0';
    case KEY_SOUND:
      return parse_codec (value, &session->sound);
    default:
      return TRUE;
  }
}

static gboolean
parse_attribute (Parser * parser, const gchar * text)
{
  g_auto (GStrv) tokens = NULL;
  guint i, key;

  tokens = g_strsplit (text, " ", -1);
  for (i = 1; tokens[i] != NULL; i++) {
    gchar *equals = strchr (tokens[i], '=');
    const gchar *value = "";

    if (equals != NULL) {
      *equals = '\0';
      value = equals + 1;
    }
    for (key = 0; key < N_KEYS; key++) {
      if (g_str_equal (tokens[i], keys[key]))
        break;
    }
    if (key == N_KEYS)
      continue;
    if (parser->keys_seen & (1u << key))
      return FALSE;
    parser->keys_seen |= 1u << key;
    if (!take_value (parser, key, value))
      return FALSE;
  }

  return parser->layers != NULL
      && parse_layers (parser->layers, parser->session);
}

static gboolean
parse_family (const gchar * text, LmccFamily * family)
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
parse_address (const gchar * family_text, const gchar * text,
    LmccAddress * address)
{
  LmccFamily family;

  return parse_family (family_text, &family)
      && lmcc_address_parse (text, address) && address->family == family;
}

/* RFC 8866 section 5.2: user, S0, revision, "IN", family, the sender's address.
 * */
static gboolean
parse_origin (Parser * parser, const gchar * text)
{
  LmccSession *session = parser->session;
  g_auto (GStrv) parts = g_strsplit (text, " ", 7);
  static const guint8 unspecified[16] = { 0, };

  if (g_strv_length (parts) != 6 || !g_str_equal (parts[3], "IN")
      || !parse_uint (parts[1], G_MAXUINT32, &session->ssrc_base)
      || !parse_uint (parts[2], G_MAXUINT32, &session->revision)
      || !parse_address (parts[4], parts[5], &session->source))
    return FALSE;
  if (memcmp (session->source.bytes, unspecified, sizeof (unspecified)) == 0)
    session->source.family = LMCC_FAMILY_NONE;

  return TRUE;
}

/* RFC 8866 section 5.7: a TTL for IPv4 and only there; no range of groups,
 * because the groups are in our own attribute. */
static gboolean
parse_connection (Parser * parser, const gchar * text)
{
  LmccSession *session = parser->session;
  g_auto (GStrv) parts = g_strsplit (text, " ", 4);
  LmccAddress address;
  gchar *slash;

  if (g_strv_length (parts) != 3 || !g_str_equal (parts[0], "IN"))
    return FALSE;
  slash = strchr (parts[2], '/');
  if ((slash != NULL) != g_str_equal (parts[1], "IP4"))
    return FALSE;
  if (slash != NULL) {
    *slash = '\0';
    if (!take_uint8 (slash + 1, G_MAXUINT8, &session->ttl))
      return FALSE;
  }
  if (!parse_address (parts[1], parts[2], &address))
    return FALSE;
  session->address = address;

  return TRUE;
}

/* RFC 4570 section 3: " incl IN IP4 group source". */
static gboolean
parse_source_filter (Parser * parser, const gchar * text)
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
parse_media (Parser * parser, const gchar * text)
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
  if ((parser->seen & seen) || !parse_uint (parts[1], G_MAXUINT16, &port)
      || (!g_str_equal (parts[2], "RTP/AVP")
          && !g_str_equal (parts[2], "RTP/AVPF"))
      || !parse_uint (parts[3], 127, &payload_type))
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
parse_rtpmap (Parser * parser, const gchar * text)
{
  LmccSession *session = parser->session;
  g_auto (GStrv) parts = g_strsplit (text, " ", 3);
  gboolean video = parser->section == SECTION_VIDEO;
  guint seen = video ? SEEN_VIDEO_MAP : SEEN_AUDIO_MAP;
  guint payload_type;

  if (g_strv_length (parts) != 2 || !parse_uint (parts[0], 127, &payload_type))
    return FALSE;
  if (payload_type != (video ? session->payload_type
          : parser->audio_payload_type))
    return TRUE;
  if (parser->seen & seen)
    return FALSE;
  parser->seen |= seen;

  return parse_codec (parts[1], video ? &session->video : &session->sound);
}

/* RFC 8285 section 8: identifier, perhaps a direction, the name. */
static gboolean
parse_extmap (Parser * parser, const gchar * text)
{
  g_auto (GStrv) parts = g_strsplit (text, " ", 3);
  guint8 id;

  if (g_strv_length (parts) < 2)
    return FALSE;
  if (!g_str_equal (parts[1], LMCC_HEADER_URI))
    return TRUE;
  parts[0][strcspn (parts[0], "/")] = '\0';
  if (!take_uint8 (parts[0], 14, &id)
      || ((parser->seen & SEEN_HEADER_ID) && id != parser->session->header_id))
    return FALSE;
  parser->seen |= SEEN_HEADER_ID;
  parser->session->header_id = id;

  return TRUE;
}

static gboolean
parse_rtcp (Parser * parser, const gchar * text)
{
  g_auto (GStrv) parts = g_strsplit (text, " ", 2);
  guint port;

  return parts[0] != NULL && parse_uint (parts[0], G_MAXUINT16, &port)
      && port == parser->session->port + 1u;
}

static gboolean
parse_attribute_line (Parser * parser, const gchar * line)
{
  gboolean in_media = parser->section == SECTION_VIDEO
      || parser->section == SECTION_AUDIO;

  if (g_str_has_prefix (line, "a=source-filter:"))
    return parse_source_filter (parser, line + strlen ("a=source-filter:"));
  if (in_media && g_str_has_prefix (line, "a=rtpmap:"))
    return parse_rtpmap (parser, line + strlen ("a=rtpmap:"));
  if (in_media && g_str_has_prefix (line, "a=extmap:"))
    return parse_extmap (parser, line + strlen ("a=extmap:"));
  if (in_media && g_str_has_prefix (line, "a=rtcp:"))
    return parse_rtcp (parser, line + strlen ("a=rtcp:"));

  return TRUE;
}

static gboolean
take_once (Parser * parser, guint seen)
{
  if (parser->section != SECTION_SESSION || (parser->seen & seen))
    return FALSE;
  parser->seen |= seen;

  return TRUE;
}

static gboolean
parse_line (Parser * parser, const gchar * line)
{
  if (parser->section == SECTION_OTHER && line[0] != 'm')
    return TRUE;

  switch (line[0]) {
    case 'o':
      return take_once (parser, SEEN_ORIGIN) && parse_origin (parser, line + 2);
    case 's':
      return take_once (parser, SEEN_NAME);
    case 'c':
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
fail (GError ** error, LmccSessionError code, const gchar * what)
{
  g_set_error_literal (error, LMCC_SESSION_ERROR, code, what);

  return FALSE;
}

/* RFC 8866 section 5: every line is a known letter, "=" and a value, the first
 * is the version. Takes line ends off; returns our attribute. */
static gboolean
check_lines (gchar ** lines, const gchar ** attribute, GError ** error)
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
          "line %u is not one of a session description (RFC 8866)", i + 1);
      return FALSE;
    }
    if (g_str_has_prefix (lines[i], ATTRIBUTE)) {
      if (*attribute != NULL)
        return fail (error, LMCC_SESSION_ERROR_SYNTAX,
            "there is more than one a=x-lmcc line");
      *attribute = lines[i] + strlen (ATTRIBUTE);
    }
  }

  if (!g_str_equal (lines[0], "v=0"))
    return fail (error, LMCC_SESSION_ERROR_SYNTAX,
        "the description does not begin with v=0");

  return TRUE;
}

static gboolean
check_attribute (const gchar * attribute, GError ** error)
{
  if (attribute == NULL)
    return fail (error, LMCC_SESSION_ERROR_NOT_LMCC,
        "this describes a plain stream, not a layered session (it has no "
        "a=x-lmcc line): play it with sdpsrc, or take the description that "
        "lmccsink writes to its sdp-location");
  if (attribute[0] != '0' + LMCC_HEADER_VERSION
      || (attribute[1] != ' ' && attribute[1] != '\0'))
    return fail (error, LMCC_SESSION_ERROR_VALUE,
        "the session is of another wire format version than 1: use the same "
        "lmcc release on both sides");

  return TRUE;
}

/* What the description leaves out follows from what it says. */
static gboolean
complete (const Parser * parser, GError ** error)
{
  LmccSession *session = parser->session;
  guint repair = session->payload_type + LMCC_SDP_REPAIR_OFFSET;
  guint filler = session->payload_type + LMCC_SDP_FILLER_OFFSET;

  if ((parser->seen & SEEN_REQUIRED) != SEEN_REQUIRED)
    return fail (error, LMCC_SESSION_ERROR_SYNTAX,
        "an o=, s=, c=, t=, m=video or a=rtpmap line is missing");
  if ((parser->seen & SEEN_AUDIO)
      && (!(parser->seen & SEEN_AUDIO_MAP) || parser->audio_payload_type
          != (guint) session->payload_type + LMCC_STREAM_SOUND))
    return fail (error, LMCC_SESSION_ERROR_VALUE,
        "the sound has no a=rtpmap line, or its payload type is not the "
        "video's plus 14");

  session->n_groups = parser->groups > 0 ? parser->groups : session->n_layers;
  session->n_rungs =
      parser->rungs > 0 ? parser->rungs : lmcc_sdp_expect_rungs (session);
  session->repair_payload_type =
      parser->repair_payload_type < 128 ? parser->repair_payload_type : repair;
  session->filler_payload_type =
      parser->filler_payload_type < 128 ? parser->filler_payload_type : filler;

  return TRUE;
}

static gboolean
parse_lines (gchar ** lines, LmccSession * session, GError ** error)
{
  Parser parser = {.session = session,.repair_payload_type = G_MAXUINT,
    .filler_payload_type = G_MAXUINT
  };
  const gchar *attribute;
  guint i;

  session->rtt_max = LMCC_SDP_RTT_MAX;
  if (!check_lines (lines, &attribute, error)
      || !check_attribute (attribute, error))
    return FALSE;
  if (!parse_attribute (&parser, attribute))
    return fail (error, LMCC_SESSION_ERROR_VALUE,
        "the a=x-lmcc line has no layers, a key twice, or a value that is "
        "malformed or out of range");

  for (i = 1; lines[i] != NULL && lines[i][0] != '\0'; i++) {
    if (!parse_line (&parser, lines[i])) {
      g_set_error (error, LMCC_SESSION_ERROR, LMCC_SESSION_ERROR_VALUE,
          "line %u (%c=) is out of place, malformed or out of range", i + 1,
          lines[i][0]);
      return FALSE;
    }
  }

  return complete (&parser, error) && lmcc_session_validate (session, error);
}

/**
 * lmcc_sdp_parse:
 * @text: a session description in either form; lines end in CRLF or LF
 * @size: bytes in @text, or -1 if it ends in a zero
 * @session: (out): what it says; only valid if %TRUE is returned
 * @error: (nullable): what is wrong, in %LMCC_SESSION_ERROR
 *
 * Parses what lmcc_sdp_format() writes. Unknown attributes and keys are
 * ignored, every value is checked, at most %LMCC_SDP_MAX_SIZE bytes are taken.
 *
 * Returns: whether @session may be used
 */
gboolean
lmcc_sdp_parse (const gchar * text, gssize size, LmccSession * session,
    GError ** error)
{
  g_autofree gchar *copy = NULL;
  g_auto (GStrv) lines = NULL;
  gsize length = size < 0 ? strlen (text) : (gsize) size;

  lmcc_session_init (session);
  if (length == 0 || length > LMCC_SDP_MAX_SIZE
      || memchr (text, '\0', length) != NULL)
    return fail (error, LMCC_SESSION_ERROR_SYNTAX,
        "the description is empty, longer than 16384 bytes, or not text");

  copy = g_strndup (text, length);
  lines = g_strsplit (copy, "\n", -1);

  return parse_lines (lines, session, error);
}
