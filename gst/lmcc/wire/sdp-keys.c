/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "wire/sdp-keys.h"

#include "wire/constants.h"
#include "wire/sdp-internal.h"

#include <string.h>

/* Keys of the library's attribute, in the order of take_value(). */
typedef enum
{
  KEY_VERSION,
  KEY_NATIVE,
  KEY_FIXED,
  KEY_GROUPS,
  KEY_RUNGS,
  KEY_REPAIR_TYPE,
  KEY_FILLER_TYPE,
  KEY_PACKET_SIZE,
  KEY_WINDOW,
  KEY_LATENCY,
  KEY_ALGORITHM,
  KEY_BASE_ALGORITHM,
  KEY_SLOT,
  KEY_MODULUS,
  KEY_TURNING,
  KEY_SILENT,
  KEY_RTT,
  KEY_FEEDBACK,
  KEY_REPAIR,
  KEY_TTL,
  KEY_HEADER_ID,
  KEY_SOURCE_SPECIFIC,
  KEY_SOUND,
  KEY_FEEDBACK_PORT,
  KEY_REQUEST_WAIT,
  KEY_REPAIR_DELAY,
  KEY_SOUND_PARAMETERS,
  KEY_NONCE,
  KEY_TRAINS,
  KEY_LEVELS,
  KEY_LOSS_REPORTS,
  N_KEYS
} Key;

static const gchar *const key_names[N_KEYS] = {
  "v",
  "l",
  "f",
  "g",
  "n",
  "rp",
  "fp",
  "s",
  "w",
  "d",
  "a",
  "b",
  "slot",
  "mod",
  "turn",
  "silent",
  "rtt",
  "fb",
  "rep",
  "ttl",
  "id",
  "ssm",
  "snd",
  "fbp",
  "kw",
  "rd",
  "sndp",
  "sn",
  "tr",
  "lv",
  "lr",
};

/* Hexadecimal digits of a nonce. */
#define NONCE_DIGITS 14

typedef struct
{
  LmccSession *session;
  LmccSdpKeys *keys;
  guint32 seen; /* bits: values of Key */
  const gchar *layers;
} Parser;

static gboolean
parse_number (const gchar *text, guint64 max, guint64 *value)
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

/*
 * lmcc_sdp_parse_uint:
 * @text: a decimal number without leading zeros
 * @max: the greatest accepted value
 * @value: (out): the number
 *
 * Returns: whether @text is such a number
 */
gboolean
lmcc_sdp_parse_uint (const gchar *text, guint max, guint *value)
{
  guint64 number;

  if (!parse_number (text, max, &number))
    return FALSE;
  *value = (guint) number;

  return TRUE;
}

gboolean
lmcc_sdp_parse_uint8 (const gchar *text, guint max, guint8 *value)
{
  guint wide;

  if (!lmcc_sdp_parse_uint (text, max, &wide))
    return FALSE;
  *value = wide;

  return TRUE;
}

static gboolean
parse_time (const gchar *text, LmccTime *time)
{
  static const struct
  {
    const gchar *name;
    LmccTime unit;
  } units[] = {
    { "ms", LMCC_MSECOND },
    { "us", LMCC_USECOND },
    { "ns", 1 },
    { "s", LMCC_SECOND },
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

/*
 * lmcc_sdp_parse_codec:
 * @text: "H264/90000" with an optional "/channels", which is ignored
 * @media: (out): name and clock rate
 *
 * Returns: whether @text has that form
 */
gboolean
lmcc_sdp_parse_codec (const gchar *text, LmccMedia *media)
{
  g_auto (GStrv) parts = g_strsplit (text, "/", 4);
  g_autofree gchar *name = NULL;
  guint n_parts = g_strv_length (parts);
  guint clock_rate, channels;

  if (n_parts < 2 || n_parts > 3 || parts[0][0] == '\0'
      || !lmcc_sdp_parse_uint (parts[1], G_MAXUINT32, &clock_rate)
      || (n_parts == 3 && !lmcc_sdp_parse_uint (parts[2], 255, &channels)))
    return FALSE;

  name = g_ascii_strup (parts[0], -1);
  if (g_strlcpy (media->encoding_name, name, sizeof (media->encoding_name))
      >= sizeof (media->encoding_name))
    return FALSE;
  media->clock_rate = clock_rate;

  return TRUE;
}

static gboolean
parse_layer (gchar *text, gboolean native, guint index, LmccLayer *layers)
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
    if (!lmcc_sdp_parse_uint (end + 1, LMCC_STREAM_NONE, &stream)
        || !lmcc_sdp_parse_uint (dot + 1, LMCC_CLASS_MIXED, &klass))
      return FALSE;
    layer->stream = stream;
    layer->klass = klass;
    return TRUE;
  }

  return FALSE;
}

static gboolean
parse_layers (const gchar *text, LmccSession *session)
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

/* Only one spelling is valid: lower case, without leading zeros. */
static gboolean
parse_layer_set (const gchar *text, guint64 *set)
{
  gsize n = strlen (text);

  if (n == 0 || n > LMCC_MAX_LAYERS / 4 || text[0] == '0'
      || strspn (text, "0123456789abcdef") != n)
    return FALSE;
  *set = g_ascii_strtoull (text, NULL, 16);

  return TRUE;
}

static gboolean
parse_levels (const gchar *text, LmccSession *session)
{
  g_auto (GStrv) parts = g_strsplit (text, ",", LMCC_MAX_LAYERS + 1);
  guint n = g_strv_length (parts), i;

  if (n == 0 || n > LMCC_MAX_LAYERS)
    return FALSE;
  for (i = 0; i < n; i++) {
    if (!parse_layer_set (parts[i], &session->level_layers[i]))
      return FALSE;
  }

  return TRUE;
}

static gboolean
parse_name (const gchar *text, gchar *name, gsize size)
{
  return *text != '\0' && g_strlcpy (name, text, size) < size;
}

/* Only one spelling is valid: lower case, with leading zeros. */
/* A session cannot ask for less than the default. */
static gboolean
parse_key_request_wait (const gchar *value, LmccSession *session)
{
  if (!parse_time (value, &session->key_request_wait))
    return FALSE;
  session->key_request_wait =
      MAX (session->key_request_wait, LMCC_DEFAULT_KEY_REQUEST_WAIT);

  return TRUE;
}

static gboolean
parse_nonce (const gchar *text, guint64 *nonce)
{
  if (strlen (text) != NONCE_DIGITS
      || strspn (text, "0123456789abcdef") != NONCE_DIGITS)
    return FALSE;
  *nonce = g_ascii_strtoull (text, NULL, 16);

  return *nonce != 0;
}

static gboolean
take_layers (Parser *parser, const gchar *value, gboolean native)
{
  if (parser->layers != NULL)
    return FALSE;
  parser->layers = value;
  parser->session->native = native;

  return TRUE;
}

static gboolean
take_value (Parser *parser, Key key, const gchar *value)
{
  LmccSession *session = parser->session;
  LmccSdpKeys *keys = parser->keys;

  switch (key) {
    case KEY_VERSION:
      return lmcc_sdp_parse_uint8 (value, G_MAXUINT8, &session->version);
    case KEY_NATIVE:
      return take_layers (parser, value, TRUE);
    case KEY_FIXED:
      return take_layers (parser, value, FALSE);
    case KEY_GROUPS:
      return lmcc_sdp_parse_uint (value, LMCC_MAX_GROUPS, &keys->groups)
          && keys->groups > 0;
    case KEY_RUNGS:
      return lmcc_sdp_parse_uint (value, LMCC_MAX_RUNGS, &keys->rungs)
          && keys->rungs > 0;
    case KEY_REPAIR_TYPE:
      return lmcc_sdp_parse_uint (value, 127, &keys->repair_payload_type);
    case KEY_FILLER_TYPE:
      return lmcc_sdp_parse_uint (value, 127, &keys->filler_payload_type);
    case KEY_PACKET_SIZE:
      return lmcc_sdp_parse_uint (value, G_MAXUINT16, &session->packet_size);
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
      return lmcc_sdp_parse_uint (value, LMCC_MAX_SLOT_MODULUS,
          &session->slot_modulus);
    case KEY_TURNING:
      return lmcc_sdp_parse_uint (value, LMCC_MAX_GROUPS,
          &session->turning_groups);
    case KEY_SILENT:
      return lmcc_sdp_parse_uint (value, LMCC_MAX_GROUPS,
          &session->silent_groups);
    case KEY_RTT:
      return parse_time (value, &session->rtt_max);
    case KEY_FEEDBACK:
      return parse_time (value, &session->feedback_interval);
    case KEY_FEEDBACK_PORT:
      return lmcc_sdp_parse_uint (value, G_MAXUINT16, &keys->feedback_port)
          && keys->feedback_port > 0;
    case KEY_REQUEST_WAIT:
      return parse_key_request_wait (value, session);
    case KEY_REPAIR:
      return lmcc_sdp_parse_uint (value, G_MAXUINT16, &session->repair);
    case KEY_REPAIR_DELAY:
      return parse_time (value, &session->repair_delay);
    case KEY_TRAINS:
      return parse_time (value, &session->train_cycle);
    case KEY_TTL:
      return lmcc_sdp_parse_uint8 (value, G_MAXUINT8, &session->ttl);
    case KEY_HEADER_ID:
      return lmcc_sdp_parse_uint8 (value, 14, &session->header_id);
    case KEY_SOURCE_SPECIFIC:
      session->source_specific = TRUE;
      return *value == '\0';
    case KEY_SOUND:
      return lmcc_sdp_parse_codec (value, &session->sound);
    case KEY_SOUND_PARAMETERS:
      return g_strlcpy (session->sound_parameters, value, LMCC_PARAMETERS_SIZE)
          < LMCC_PARAMETERS_SIZE;
    case KEY_NONCE:
      return parse_nonce (value, &session->nonce);
    case KEY_LEVELS:
      return parse_levels (value, session);
    case KEY_LOSS_REPORTS:
      session->loss_reports = TRUE;
      return *value == '\0';
    default:
      return TRUE;
  }
}

/*
 * lmcc_sdp_keys_parse:
 * @keys: (out): input for lmcc_sdp_keys_complete()
 * @text: the value of the attribute
 * @session: (inout): the session that gets the values
 *
 * Unknown keys are ignored.
 *
 * Returns: %FALSE if there are no layers, a key occurs twice, or a value is
 * malformed or out of range
 */
gboolean
lmcc_sdp_keys_parse (LmccSdpKeys *keys, const gchar *text, LmccSession *session)
{
  g_auto (GStrv) tokens = g_strsplit (text, " ", -1);
  Parser parser = { session, keys, 0, NULL };
  guint i, key;

  keys->groups = 0;
  keys->rungs = 0;
  keys->repair_payload_type = G_MAXUINT;
  keys->filler_payload_type = G_MAXUINT;
  keys->feedback_port = 0;
  session->rtt_max = LMCC_DEFAULT_RTT_MAX;
  for (i = 1; tokens[i] != NULL; i++) {
    gchar *equals = strchr (tokens[i], '=');
    const gchar *value = "";

    if (equals != NULL) {
      *equals = '\0';
      value = equals + 1;
    }
    for (key = 0; key < N_KEYS; key++) {
      if (g_str_equal (tokens[i], key_names[key]))
        break;
    }
    if (key == N_KEYS)
      continue;
    if (parser.seen & (1u << key))
      return FALSE;
    parser.seen |= 1u << key;
    if (!take_value (&parser, key, value))
      return FALSE;
  }

  return parser.layers != NULL && parse_layers (parser.layers, session);
}

/*
 * lmcc_sdp_keys_complete:
 * @keys: the keys of the attribute
 * @session: (inout): the session from all lines
 *
 * Derives omitted values from those in the description.
 */
void
lmcc_sdp_keys_complete (const LmccSdpKeys *keys, LmccSession *session)
{
  guint repair = session->payload_type + LMCC_PAYLOAD_TYPE_REPAIR;
  guint filler = session->payload_type + LMCC_PAYLOAD_TYPE_FILLER;

  session->n_groups = keys->groups > 0 ? keys->groups : session->n_layers;
  session->n_rungs =
      keys->rungs > 0 ? keys->rungs : lmcc_sdp_expect_rungs (session);
  session->repair_payload_type =
      keys->repair_payload_type < 128 ? keys->repair_payload_type : repair;
  session->filler_payload_type =
      keys->filler_payload_type < 128 ? keys->filler_payload_type : filler;
  session->feedback_port =
      keys->feedback_port > 0 ? keys->feedback_port : session->port + 1u;
}
