/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "plan.h"
#include "tool-parser.h"

#include <math.h>

#include <gst/gst.h>
#include <gst/lmcc/control/slots/increase-probabilities.h>

/* A base layer of 128 kbit/s has room for a session record every 250 ms. */
#define DEFAULT_BASE_RATE 128000.0
#define DEFAULT_LAYERS 6
/* FLID-DL, section IV-A. */
#define DEFAULT_FACTOR 1.3

typedef struct
{
  gchar *scheme_name;
  gchar *factor_text;
  gchar *rates_text;
  gchar *base_rate_text;
  gchar *address_text;
  gchar *plot_file;
  gchar *stream;
  PlanMarksOptions marks;
  PlanRepairOptions repair;
  gint n_layers;
  gint packet_size;
  gboolean json;
} PlanOptions;

static void
plan_options_clear (PlanOptions *options)
{
  g_free (options->scheme_name);
  g_free (options->factor_text);
  g_free (options->rates_text);
  g_free (options->base_rate_text);
  g_free (options->address_text);
  g_free (options->plot_file);
  g_free (options->stream);
  g_free (options->marks.algorithm_name);
  g_free (options->marks.slot_text);
  g_free (options->marks.rtt_text);
  g_free (options->marks.probabilities_text);
  g_free (options->marks.leave_latency_text);
  g_free (options->repair.share_text);
  g_free (options->repair.loss_text);
  g_free (options->repair.burst_text);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PlanOptions, plan_options_clear)

static gboolean
read_scheme (const PlanOptions *options, Plan *plan, GError **error)
{
  /* A list of rates can mean only one scheme. */
  plan->scheme = options->rates_text != NULL ? LMCC_RATE_SCHEME_EXPLICIT
                                             : LMCC_RATE_SCHEME_DOUBLING;
  if (options->scheme_name == NULL)
    return TRUE;
  if (lmcc_rate_scheme_from_name (options->scheme_name, &plan->scheme))
    return TRUE;

  return plan_bad_value (error,
      _ ("there is no scheme `%s'; write --scheme=equal, "
         "increase-by-one, doubling, multiplicative, heavy-tail or "
         "explicit"),
      options->scheme_name);
}

static gboolean
read_factor (const PlanOptions *options, Plan *plan, GError **error)
{
  gchar *end;

  plan->factor = DEFAULT_FACTOR;
  if (options->factor_text == NULL)
    return TRUE;
  if (plan->scheme != LMCC_RATE_SCHEME_MULTIPLICATIVE)
    return plan_bad_value (error,
        _ ("--factor belongs to --scheme=multiplicative, not to %s; "
           "omit it"),
        lmcc_rate_scheme_name (plan->scheme));

  plan->factor = g_ascii_strtod (options->factor_text, &end);
  if (end == options->factor_text || *end != '\0' || !isfinite (plan->factor)
      || plan->factor <= 1)
    return plan_bad_value (error,
        _ ("--factor=%s is not a number above 1; write the ratio of "
           "the cumulative rates of two neighbouring levels, such as "
           "1.3"),
        options->factor_text);

  return TRUE;
}

static gboolean
read_explicit_rates (const PlanOptions *options, Plan *plan, GError **error)
{
  guint n;

  if (options->rates_text == NULL)
    return plan_bad_value (error,
        _ ("--scheme=explicit needs rates; write the rate of each "
           "layer, base layer first, such as --rates=128k,128k,256k"));
  if (options->base_rate_text != NULL)
    return plan_bad_value (error,
        _ ("--base-rate and --rates both give the rate of the base "
           "layer; omit --base-rate"));

  n = lmcc_rates_parse (options->rates_text, plan->rates, error);
  if (n == 0) {
    g_prefix_error (error, "--rates=%s: ", options->rates_text);
    return FALSE;
  }
  if (options->n_layers != PLAN_NOT_GIVEN && (guint) options->n_layers != n)
    return plan_bad_value (error,
        _ ("--layers=%d, but --rates has %u rates; omit --layers"),
        options->n_layers, n);
  plan->n_layers = n;
  plan->base_rate = plan->rates[0];

  return TRUE;
}

static gboolean
read_rates (const PlanOptions *options, Plan *plan, GError **error)
{
  if (plan->scheme == LMCC_RATE_SCHEME_EXPLICIT)
    return read_explicit_rates (options, plan, error);

  if (options->rates_text != NULL)
    return plan_bad_value (error,
        _ ("--rates belongs to --scheme=explicit, not to %s; omit "
           "one of them"),
        lmcc_rate_scheme_name (plan->scheme));

  plan->base_rate = DEFAULT_BASE_RATE;
  if (options->base_rate_text != NULL
      && !tool_rate_parse (options->base_rate_text, &plan->base_rate, error))
    return FALSE;

  plan->n_layers = options->n_layers != PLAN_NOT_GIVEN
      ? (guint) options->n_layers
      : DEFAULT_LAYERS;

  return TRUE;
}

static gboolean
read_address (const PlanOptions *options, Plan *plan, GError **error)
{
  const gchar *text = options->address_text != NULL ? options->address_text
                                                    : TOOL_DEFAULT_ADDRESS;
  LmccAddress last;

  if (!lmcc_address_parse (text, &plan->address))
    return plan_bad_value (error,
        _ ("--address=%s is not an IPv4 or IPv6 address; write one such as "
           "%s"),
        text, TOOL_DEFAULT_ADDRESS);
  if (!lmcc_address_is_multicast (&plan->address))
    return plan_bad_value (error,
        _ ("--address=%s is not a multicast address; use one of "
           "239.255.0.0/16 or ff15::/16"),
        text);
  if (!lmcc_address_group (&plan->address, plan->layering.n_groups - 1, &last))
    return plan_bad_value (error,
        _ ("%u groups from --address=%s on leave its scope; use a "
           "lower address or fewer --layers"),
        plan->layering.n_groups, text);

  return TRUE;
}

static gboolean
compute_rates (Plan *plan, GError **error)
{
  gdouble sum = 0;
  guint i;

  if (!lmcc_rates_compute_from_base (plan->scheme, plan->base_rate,
          plan->factor, plan->n_layers, plan->rates, error))
    return FALSE;

  for (i = 0; i < plan->n_layers; i++) {
    sum += plan->rates[i];
    plan->cumulative_rates[i] = sum;
  }

  return TRUE;
}

static gboolean
check_plot (const PlanOptions *options, const Plan *plan, GError **error)
{
  g_autofree gchar *flid = NULL;

  if (options->plot_file == NULL || plan_is_flid (plan))
    return TRUE;
  flid = plan_list_algorithms ("probabilities");

  return plan_bad_value (error,
      _ ("--plot draws the joins and the throughput of FLID; write "
         "--algorithm=%s"),
      flid);
}

/* An RTP packet with our header extension and IPv6 and UDP headers. */
static gint
min_packet_size (void)
{
  const LmccAddress address = { .family = LMCC_FAMILY_IPV6 };

  return (gint) lmcc_address_get_udp_overhead (&address) + LMCC_RTP_HEADER_SIZE
      + LMCC_RTP_OVERHEAD;
}

static gboolean
plan_make (const PlanOptions *options, Plan *plan, GError **error)
{
  if (options->n_layers != PLAN_NOT_GIVEN
      && (options->n_layers < 1 || options->n_layers > LMCC_MAX_LAYERS))
    return plan_bad_value (error,
        _ ("--layers=%d is out of range; write 1 to %d"), options->n_layers,
        LMCC_MAX_LAYERS);
  if (options->packet_size < min_packet_size ()
      || options->packet_size > LMCC_MAX_PACKET_SIZE)
    return plan_bad_value (error,
        _ ("--packet-size=%d is out of range; write %d to %d bytes, "
           "including IP and UDP headers"),
        options->packet_size, min_packet_size (), LMCC_MAX_PACKET_SIZE);
  plan->packet_size = options->packet_size;

  return read_scheme (options, plan, error)
      && read_factor (options, plan, error) && read_rates (options, plan, error)
      && compute_rates (plan, error)
      && plan_read_marks (&options->marks, plan, error)
      && plan_read_repair (&options->repair, plan, error)
      && check_plot (options, plan, error)
      && read_address (options, plan, error);
}

/* Adds the names that these options accept, for completion. */
static void
add_values (ToolParser *parser)
{
  const LmccAlgorithm *const *list;
  guint n, i;

  for (i = 0; lmcc_rate_scheme_name (i) != NULL; i++)
    tool_parser_add_value (parser, "SCHEME", lmcc_rate_scheme_name (i));
  for (i = 0; lmcc_increase_method_name (i) != NULL; i++)
    tool_parser_add_value (parser, "HOW", lmcc_increase_method_name (i));

  list = lmcc_algorithm_list (&n);
  for (i = 0; i < n; i++) {
    if (plan_takes_algorithm (list[i]))
      tool_parser_add_value (parser, "ALGORITHM", list[i]->name);
  }
}

gint
tool_plan (gint argc, gchar **argv)
{
  g_auto (PlanOptions) options = {
    .n_layers = PLAN_NOT_GIVEN,
    .packet_size = LMCC_DEFAULT_PACKET_SIZE,
    .marks = { .n_signals = PLAN_NOT_GIVEN },
  };
  g_autofree gchar *names = plan_list_algorithms (NULL);
  g_autofree gchar *algorithms = g_strdup_printf (
      _ ("Algorithm whose marks the session carries: %s (default: none)"),
      names);
  const GOptionEntry entries[] = {
    { "scheme", 0, 0, G_OPTION_ARG_STRING, &options.scheme_name,
        N_ ("How the rates grow: equal, increase-by-one, doubling "
            "(default), multiplicative, heavy-tail or explicit"),
        "SCHEME" },
    { "factor", 0, 0, G_OPTION_ARG_STRING, &options.factor_text,
        N_ ("multiplicative: ratio of the cumulative rates of "
            "neighbouring levels (default 1.3)"),
        "NUMBER" },
    { "rates", 0, 0, G_OPTION_ARG_STRING, &options.rates_text,
        N_ ("explicit: rate of each layer, base layer first"), "RATE,RATE..." },
    { "layers", 0, 0, G_OPTION_ARG_INT, &options.n_layers,
        N_ ("Number of layers, 1 to 64 (default 6)"), "NUMBER" },
    { "base-rate", 0, 0, G_OPTION_ARG_STRING, &options.base_rate_text,
        N_ ("Rate of the base layer in bit/s; k, M and G are "
            "understood (default 128k)"),
        "RATE" },
    { "packet-size", 0, 0, G_OPTION_ARG_INT, &options.packet_size,
        N_ ("Packet size in bytes, including IP and UDP headers "
            "(default 1200)"),
        "BYTES" },
    { "address", 0, 0, G_OPTION_ARG_STRING, &options.address_text,
        N_ ("Address of the base group; layer i uses the i-th address "
            "after it (default 239.255.42.1)"),
        "ADDRESS" },
    { "algorithm", 0, 0, G_OPTION_ARG_STRING, &options.marks.algorithm_name,
        algorithms, "ALGORITHM" },
    { "slot", 0, 0, G_OPTION_ARG_STRING, &options.marks.slot_text,
        N_ ("Slot duration (default: flid 0.5, rlc 8 packets of the "
            "base layer, synchronized from the nominal RTT)"),
        "SECONDS" },
    { "nominal-rtt", 0, 0, G_OPTION_ARG_STRING, &options.marks.rtt_text,
        N_ ("Round-trip time of the TCP connection whose rate "
            "receivers should equal (default: flid and synchronized "
            "0.1, rlc from the slot)"),
        "SECONDS" },
    { "probabilities", 0, 0, G_OPTION_ARG_STRING,
        &options.marks.probabilities_text,
        N_ ("flid: probability of an increase signal for each level: "
            "heuristic (default), hill-climb, hill-climb-log or a "
            "number for each"),
        "HOW" },
    { "signals", 0, 0, G_OPTION_ARG_INT, &options.marks.n_signals,
        N_ ("Number of slots to show (default 16)"), "NUMBER" },
    { "leave-latency", 0, 0, G_OPTION_ARG_STRING,
        &options.marks.leave_latency_text,
        N_ ("flid-dl: longest time from a leave to the last packet "
            "(default 4)"),
        "SECONDS" },
    { "repair", 0, 0, G_OPTION_ARG_STRING, &options.repair.share_text,
        N_ ("Repair data as a share of the media (default 0.1)"), "SHARE" },
    { "repair-loss", 0, 0, G_OPTION_ARG_STRING, &options.repair.loss_text,
        N_ ("Expected share of lost packets (default 0.02)"), "SHARE" },
    { "repair-burst", 0, 0, G_OPTION_ARG_STRING, &options.repair.burst_text,
        N_ ("Mean number of consecutive lost packets (default 1)"), "NUMBER" },
    { "plot", 0, 0, G_OPTION_ARG_FILENAME, &options.plot_file,
        N_ ("flid: draw joins and throughput over packet loss to a "
            ".png, .svg or .pdf file"),
        "FILE" },
    { "stream", 0, 0, G_OPTION_ARG_FILENAME, &options.stream,
        N_ ("File of encoded video: print the lowest level at which "
            "all its key frames fit"),
        "FILE" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &options.json,
        N_ ("Print JSON, with rates in bit/s"), NULL },
    { NULL }
  };
  g_autoptr (ToolParser) parser = tool_parser_new (NULL,
      N_ ("Prints the layers of a session: rates, packets and "
          "addresses."));
  g_autoptr (GError) error = NULL;
  Plan plan = { 0 };

  tool_parser_add (parser, entries);
  add_values (parser);
  if (!tool_parser_parse (parser, &argc, &argv))
    return TOOL_EXIT_USAGE;
  if (argc > 1) {
    tool_error (_ ("plan takes no argument `%s'; see --help"), argv[1]);
    return TOOL_EXIT_USAGE;
  }

  if (!plan_make (&options, &plan, &error)) {
    tool_error ("%s", error->message);
    return TOOL_EXIT_USAGE;
  }
  if (options.stream != NULL) {
    gst_init (NULL, NULL);
    if (!plan_read_stream (&plan, options.stream, &error)) {
      tool_error ("%s", error->message);
      return TOOL_EXIT_FAILURE;
    }
  }

  if (options.json)
    plan_print_json (&plan);
  else
    plan_print_table (&plan);
  if (options.plot_file != NULL
      && !plan_plot (&plan, options.plot_file, &error)) {
    tool_error ("%s", error->message);
    return TOOL_EXIT_FAILURE;
  }

  return TOOL_EXIT_OK;
}
