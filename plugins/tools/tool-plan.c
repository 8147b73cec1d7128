/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tool.h"

#include <math.h>

#include <gst/lmcc/lmcc-rates.h>

/* A base layer of 128 kbit/s has room for a session record every 250 ms. */
#define DEFAULT_BASE_RATE 128000.0
#define DEFAULT_LAYERS 6
#define DEFAULT_PACKET_SIZE 1200
#define NOT_GIVEN G_MININT
/* FLID-DL, section IV-A. */
#define DEFAULT_FACTOR 1.3

/* An RTP packet with our header extension and IPv6 and UDP headers. */
#define MIN_PACKET_SIZE (40 + 8 + 12 + 24)

typedef struct
{
  gchar *scheme_name;
  gchar *factor_text;
  gchar *rates_text;
  gchar *base_rate_text;
  gchar *address_text;
  gint n_layers;
  gint packet_size;
  gboolean json;
} PlanOptions;

typedef struct
{
  LmccRateScheme scheme;
  gdouble base_rate;
  gdouble factor;
  guint n_layers;
  gdouble rates[LMCC_MAX_LAYERS];
  guint packet_size;
  LmccAddress address;
} Plan;

static void
plan_options_clear (PlanOptions * options)
{
  g_free (options->scheme_name);
  g_free (options->factor_text);
  g_free (options->rates_text);
  g_free (options->base_rate_text);
  g_free (options->address_text);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PlanOptions, plan_options_clear)

static gboolean bad_value (GError ** error, const gchar * format,
    ...) G_GNUC_PRINTF (2, 3);

static gboolean
bad_value (GError ** error, const gchar * format, ...)
{
  va_list args;
  g_autofree gchar *text = NULL;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error_literal (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, text);

  return FALSE;
}

static gboolean
read_scheme (const PlanOptions * options, Plan * plan, GError ** error)
{
  /* A list of rates can mean only one scheme. */
  plan->scheme = options->rates_text != NULL ? LMCC_RATE_SCHEME_EXPLICIT
      : LMCC_RATE_SCHEME_DOUBLING;
  if (options->scheme_name == NULL)
    return TRUE;
  if (lmcc_rate_scheme_from_name (options->scheme_name, &plan->scheme))
    return TRUE;

  return bad_value (error, "there is no scheme `%s'; write --scheme=equal, "
      "increase-by-one, doubling, multiplicative, heavy-tail or explicit",
      options->scheme_name);
}

static gboolean
read_factor (const PlanOptions * options, Plan * plan, GError ** error)
{
  gchar *end;

  plan->factor = DEFAULT_FACTOR;
  if (options->factor_text == NULL)
    return TRUE;
  if (plan->scheme != LMCC_RATE_SCHEME_MULTIPLICATIVE)
    return bad_value (error, "--factor belongs to --scheme=multiplicative, not "
        "to %s; leave it out", lmcc_rate_scheme_name (plan->scheme));

  plan->factor = g_ascii_strtod (options->factor_text, &end);
  if (end == options->factor_text || *end != '\0' || !isfinite (plan->factor)
      || plan->factor <= 1)
    return bad_value (error, "--factor=%s is not a number above 1; write how "
        "many times the cumulative rate grows with each layer, such as 1.3",
        options->factor_text);

  return TRUE;
}

static gboolean
read_explicit_rates (const PlanOptions * options, Plan * plan, GError ** error)
{
  g_auto (GStrv) texts = NULL;
  guint n, i;

  if (options->rates_text == NULL)
    return bad_value (error, "--scheme=explicit has no rates; write the rate "
        "of each layer, base first, such as --rates=128k,128k,256k");
  if (options->base_rate_text != NULL)
    return bad_value (error, "--base-rate and --rates both give the base's "
        "rate; leave --base-rate out");

  texts = g_strsplit (options->rates_text, ",", -1);
  n = g_strv_length (texts);
  if (n > LMCC_MAX_LAYERS)
    return bad_value (error, "--rates has %u rates; a session has at most %d "
        "layers", n, LMCC_MAX_LAYERS);
  if (options->n_layers != NOT_GIVEN && (guint) options->n_layers != n)
    return bad_value (error, "--layers=%d, but --rates has %u rates; leave "
        "--layers out", options->n_layers, n);
  for (i = 0; i < n; i++) {
    if (!tool_rate_parse (g_strstrip (texts[i]), &plan->rates[i], error))
      return FALSE;
  }
  plan->n_layers = n;
  plan->base_rate = plan->rates[0];

  return TRUE;
}

static gboolean
read_rates (const PlanOptions * options, Plan * plan, GError ** error)
{
  if (plan->scheme == LMCC_RATE_SCHEME_EXPLICIT)
    return read_explicit_rates (options, plan, error);

  if (options->rates_text != NULL)
    return bad_value (error, "--rates belongs to --scheme=explicit, not to %s; "
        "leave one of them out", lmcc_rate_scheme_name (plan->scheme));

  plan->base_rate = DEFAULT_BASE_RATE;
  if (options->base_rate_text != NULL
      && !tool_rate_parse (options->base_rate_text, &plan->base_rate, error))
    return FALSE;

  plan->n_layers = options->n_layers != NOT_GIVEN ? (guint) options->n_layers
      : DEFAULT_LAYERS;

  return TRUE;
}

static gboolean
read_address (const PlanOptions * options, Plan * plan, GError ** error)
{
  const gchar *text = options->address_text != NULL ? options->address_text
      : TOOL_DEFAULT_ADDRESS;
  LmccAddress last;

  if (!lmcc_address_parse (text, &plan->address))
    return bad_value (error, "--address=%s is not an IPv4 or IPv6 address; "
        "write one such as " TOOL_DEFAULT_ADDRESS, text);
  if (!lmcc_address_is_multicast (&plan->address))
    return bad_value (error, "--address=%s is not multicast; take one of "
        "239.255.0.0/16 or ff15::/16", text);
  if (!lmcc_address_group (&plan->address, plan->n_layers - 1, &last))
    return bad_value (error, "%u groups from --address=%s on leave its scope; "
        "take a lower address or fewer --layers", plan->n_layers, text);

  return TRUE;
}

/* The library's heavy-tail scheme starts from C, the rate of all layers, of
 * which the base has C / l (FLID-DL, section IV-A); --base-rate is always the
 * base's. */
static gboolean
compute_rates (Plan * plan, GError ** error)
{
  gdouble rate = plan->base_rate;

  if (plan->scheme == LMCC_RATE_SCHEME_HEAVY_TAIL)
    rate *= plan->n_layers;

  return lmcc_rates_compute (plan->scheme, rate, plan->factor, plan->n_layers,
      plan->rates, error);
}

static gboolean
plan_make (const PlanOptions * options, Plan * plan, GError ** error)
{
  if (options->n_layers != NOT_GIVEN
      && (options->n_layers < 1 || options->n_layers > LMCC_MAX_LAYERS))
    return bad_value (error, "--layers=%d is out of range; write 1 to %d",
        options->n_layers, LMCC_MAX_LAYERS);
  if (options->packet_size < MIN_PACKET_SIZE
      || options->packet_size > LMCC_MAX_PACKET_SIZE)
    return bad_value (error, "--packet-size=%d is out of range; write %d to %d "
        "bytes, IP and UDP headers included", options->packet_size,
        MIN_PACKET_SIZE, LMCC_MAX_PACKET_SIZE);
  plan->packet_size = options->packet_size;

  return read_scheme (options, plan, error)
      && read_factor (options, plan, error)
      && read_rates (options, plan, error)
      && read_address (options, plan, error)
      && compute_rates (plan, error);
}

/* What the session announces: whole bit/s for each layer. */
static guint64
plan_rate (const Plan * plan, guint layer)
{
  return (guint64) (plan->rates[layer] + 0.5);
}

static const gchar *
plan_group (const Plan * plan, guint layer, gchar text[LMCC_ADDRESS_STRLEN])
{
  LmccAddress group;

  text[0] = '\0';
  if (lmcc_address_group (&plan->address, layer, &group))
    lmcc_address_format (&group, text);

  return text;
}

static void
print_table (const Plan * plan)
{
  gchar address[LMCC_ADDRESS_STRLEN];
  guint64 cumulative = 0;
  guint i;

  g_print ("scheme %s, %u layers, packets of %u bytes\n\n",
      lmcc_rate_scheme_name (plan->scheme), plan->n_layers, plan->packet_size);
  g_print ("%5s  %16s  %16s  %10s  %s\n", "layer", "rate", "cumulative",
      "packets/s", "address");
  for (i = 0; i < plan->n_layers; i++) {
    guint64 rate = plan_rate (plan, i);
    g_autofree gchar *rate_text = tool_rate_format (rate);
    g_autofree gchar *cumulative_text = NULL;

    cumulative += rate;
    cumulative_text = tool_rate_format (cumulative);
    g_print ("%5u  %16s  %16s  %10.1f  %s\n", i, rate_text, cumulative_text,
        rate / (8.0 * plan->packet_size), plan_group (plan, i, address));
  }
}

static void
print_json (const Plan * plan)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  gchar address[LMCC_ADDRESS_STRLEN];
  guint64 cumulative = 0;
  guint i;

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "scheme");
  json_builder_add_string_value (builder, lmcc_rate_scheme_name (plan->scheme));
  json_builder_set_member_name (builder, "packet-size");
  json_builder_add_int_value (builder, plan->packet_size);
  json_builder_set_member_name (builder, "layers");
  json_builder_begin_array (builder);
  for (i = 0; i < plan->n_layers; i++) {
    guint64 rate = plan_rate (plan, i);

    cumulative += rate;
    json_builder_begin_object (builder);
    json_builder_set_member_name (builder, "layer");
    json_builder_add_int_value (builder, i);
    json_builder_set_member_name (builder, "rate");
    json_builder_add_int_value (builder, rate);
    json_builder_set_member_name (builder, "cumulative-rate");
    json_builder_add_int_value (builder, cumulative);
    json_builder_set_member_name (builder, "packets-per-second");
    json_builder_add_double_value (builder, rate / (8.0 * plan->packet_size));
    json_builder_set_member_name (builder, "address");
    json_builder_add_string_value (builder, plan_group (plan, i, address));
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
  json_builder_end_object (builder);

  tool_json_print (builder, TRUE);
}

gint
tool_plan (gint argc, gchar ** argv)
{
  g_auto (PlanOptions) options = {
    .n_layers = NOT_GIVEN,
    .packet_size = DEFAULT_PACKET_SIZE,
  };
  const GOptionEntry entries[] = {
    {"scheme", 0, 0, G_OPTION_ARG_STRING, &options.scheme_name,
        "How the rates grow: equal, increase-by-one, doubling (default), "
          "multiplicative, heavy-tail or explicit", "SCHEME"},
    {"factor", 0, 0, G_OPTION_ARG_STRING, &options.factor_text,
        "multiplicative: how many times the cumulative rate grows with each "
          "layer (default 1.3)", "NUMBER"},
    {"rates", 0, 0, G_OPTION_ARG_STRING, &options.rates_text,
        "explicit: the rate of each layer, base first", "RATE,RATE..."},
    {"layers", 0, 0, G_OPTION_ARG_INT, &options.n_layers,
        "Number of layers, 1 to 64 (default 6)", "NUMBER"},
    {"base-rate", 0, 0, G_OPTION_ARG_STRING, &options.base_rate_text,
        "Rate of the base layer in bit/s; k, M and G are understood "
          "(default 128k)", "RATE"},
    {"packet-size", 0, 0, G_OPTION_ARG_INT, &options.packet_size,
          "Bytes of a packet, IP and UDP headers included (default 1200)",
        "BYTES"},
    {"address", 0, 0, G_OPTION_ARG_STRING, &options.address_text,
        "Address of the base group; layer i is on the i-th after it "
          "(default " TOOL_DEFAULT_ADDRESS ")", "ADDRESS"},
    {"json", 0, 0, G_OPTION_ARG_NONE, &options.json,
        "Print JSON, rates in bit/s", NULL},
    {NULL}
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GError) error = NULL;
  Plan plan = { 0, };

  g_option_context_set_summary (context,
      "Prints the layers of a session: rates, packets and addresses.");
  g_option_context_add_main_entries (context, entries, NULL);
  if (!tool_parse_options (context, &argc, &argv))
    return TOOL_EXIT_USAGE;
  if (argc > 1) {
    tool_error ("plan takes no argument `%s'; see --help", argv[1]);
    return TOOL_EXIT_USAGE;
  }

  if (!plan_make (&options, &plan, &error)) {
    tool_error ("%s", error->message);
    return TOOL_EXIT_USAGE;
  }

  if (options.json)
    print_json (&plan);
  else
    print_table (&plan);

  return TOOL_EXIT_OK;
}
