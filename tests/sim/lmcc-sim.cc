/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs one scenario with the library's senders and receivers, and reports the results of
 * each flow.
 */
#include "report.h"
#include "simulation.h"

#include <cstdio>
#include <cstring>
#include <stdexcept>

namespace
{

struct Options
{
  char *scenario = nullptr;
  char *session = nullptr;
  char *algorithm = nullptr;
  char *layers = nullptr;
  char *layering = nullptr;
  char *probabilities = nullptr;
  char *set = nullptr;
  char *tcp = nullptr;
  char *json = nullptr;
  double slot = 0;
  double trains = -1;
  gboolean no_circuit_breaker = FALSE;
  int seed = 1;
  double duration = 0;
  double warm_up = -1;
  double series = 0;
  gboolean losses = FALSE;
  gboolean cost = FALSE;
};

void
ParseOptions (int argc, char **argv, Options &options)
{
  const GOptionEntry entries[] = {
    { "scenario", 's', 0, G_OPTION_ARG_STRING, &options.scenario,
        "A file, or the name of a file in tests/sim/scenarios", "NAME|FILE" },
    { "session", 0, 0, G_OPTION_ARG_STRING, &options.session,
        "Let the options of sessions change only the session of this name",
        "NAME" },
    { "algorithm", 'a', 0, G_OPTION_ARG_STRING, &options.algorithm,
        "Algorithm and settings of the sessions, such as elm,strategy=naive",
        "A[,KEY=VALUE...]" },
    { "layers", 'l', 0, G_OPTION_ARG_STRING, &options.layers,
        "Layers of the sessions: multiplicative:BASE:FACTOR:COUNT, "
        "linear:BASE:COUNT or "
        "list:RATE,RATE...",
        "LAYERS" },
    { "layering", 0, 0, G_OPTION_ARG_STRING, &options.layering,
        "Native layers (one encoding per layer), or layers of fixed rates",
        "native|fixed" },
    { "trains", 0, 0, G_OPTION_ARG_DOUBLE, &options.trains,
        "Time between two packet trains of a sender for one level; 0: no "
        "trains (default: the scenario's, or else the algorithm's)",
        "S" },
    { "no-circuit-breaker", 0, 0, G_OPTION_ARG_NONE,
        &options.no_circuit_breaker,
        "Let receivers go on if a path does not carry the base layer, as in "
        "the papers",
        nullptr },
    { "slot", 0, 0, G_OPTION_ARG_DOUBLE, &options.slot,
        "Length of a slot of the sessions, if their algorithm has slots",
        "SECONDS" },
    { "probabilities", 0, 0, G_OPTION_ARG_STRING, &options.probabilities,
        "Probability that a level of FLID sessions may go up after a slot, one "
        "per level, the last one 0 (default: the library's)",
        "P,P..." },
    { "set", 0, 0, G_OPTION_ARG_STRING, &options.set,
        "Change parameters of the scenario", "NAME=NUMBER[,...]" },
    { "tcp", 0, 0, G_OPTION_ARG_STRING, &options.tcp,
        "Change all TCP connections: type (newreno, cubic, bbr), sack, "
        "classic-recovery (0 or 1), delayed-acknowledgements, min-rto (s), "
        "halving (newreno: RFC 5681), window (maximum, packets)",
        "NAME=VALUE[,...]" },
    { "seed", 0, 0, G_OPTION_ARG_INT, &options.seed, "Seed (default: 1)", "N" },
    { "duration", 'd', 0, G_OPTION_ARG_DOUBLE, &options.duration,
        "Length of the simulation", "SECONDS" },
    { "warm-up", 0, 0, G_OPTION_ARG_DOUBLE, &options.warm_up,
        "Time at the start that is not measured", "SECONDS" },
    { "series", 0, 0, G_OPTION_ARG_DOUBLE, &options.series,
        "Also output time series, at this interval", "SECONDS" },
    { "losses", 0, 0, G_OPTION_ARG_NONE, &options.losses,
        "Also output each loss of the sessions' receivers: time, packets so "
        "far, lost packets",
        nullptr },
    { "cost", 0, 0, G_OPTION_ARG_NONE, &options.cost,
        "Also output processor times, which differ between runs", nullptr },
    { "json", 'j', 0, G_OPTION_ARG_FILENAME, &options.json,
        "Output file (default: standard output)", "FILE" },
    {}
  };
  GOptionContext *context =
      g_option_context_new ("- simulate layered multicast in ns-3");
  GError *error = nullptr;

  g_option_context_add_main_entries (context, entries, nullptr);
  bool good = g_option_context_parse (context, &argc, &argv, &error);
  g_option_context_free (context);
  if (!good)
    throw std::runtime_error (error->message);
  if (options.scenario == nullptr)
    throw std::runtime_error ("--scenario is missing");
  if (options.seed < 1)
    throw std::runtime_error ("--seed is below 1");
  if (options.slot < 0)
    throw std::runtime_error ("--slot is below 0");
  if (options.trains > 60)
    throw std::runtime_error ("--trains is above 60");
  if (options.layering != nullptr && strcmp (options.layering, "native") != 0
      && strcmp (options.layering, "fixed") != 0)
    throw std::runtime_error ("--layering is native or fixed");
}

void
ChangeSession (const Options &options, SessionConfig &session)
{
  if (options.session != nullptr && session.name != options.session)
    return;
  if (options.algorithm != nullptr)
    ParseAlgorithm (options.algorithm, session);
  if (options.layers != nullptr)
    session.layers = ParseLayers (options.layers);
  if (options.layering != nullptr)
    session.native = strcmp (options.layering, "native") == 0;
  if (options.slot > 0)
    session.slot = options.slot;
  if (options.probabilities != nullptr)
    session.probabilities = options.probabilities;
  if (options.no_circuit_breaker)
    session.circuit_breaker = false;
  if (options.trains >= 0)
    session.train_interval = options.trains;
}

Scenario
MakeScenario (const Options &options)
{
  std::string path = options.scenario;
  if (!g_file_test (options.scenario, G_FILE_TEST_IS_REGULAR))
    path = std::string (SCENARIOS) + "/" + options.scenario + ".json";
  Scenario scenario = ReadScenario (path,
      ParseParameters (options.set == nullptr ? "" : options.set));

  scenario.seed = static_cast<uint32_t> (options.seed);
  if (options.duration > 0)
    scenario.duration = options.duration;
  if (options.warm_up >= 0)
    scenario.warm_up = options.warm_up;
  scenario.series = options.series;
  scenario.losses = options.losses;
  scenario.cost = options.cost;
  scenario.tcp_settings =
      ParseTcpSettings (options.tcp == nullptr ? "" : options.tcp);
  for (TcpConfig &tcp : scenario.tcp)
    tcp.type = scenario.tcp_settings.type.value_or (tcp.type);
  for (SessionConfig &session : scenario.sessions)
    ChangeSession (options, session);
  return scenario;
}

void
Write (const Options &options, const std::string &text)
{
  GError *error = nullptr;

  if (options.json == nullptr)
    fwrite (text.data (), 1, text.size (), stdout);
  /* Written in place, so that a device or a pipe is not replaced by a file. */
  else if (!g_file_set_contents_full (options.json, text.data (),
               static_cast<gssize> (text.size ()), G_FILE_SET_CONTENTS_NONE,
               0666, &error))
    throw std::runtime_error (error->message);
}

} // namespace

int
main (int argc, char **argv)
{
  Options options;

  try {
    ParseOptions (argc, argv, options);
    Scenario scenario = MakeScenario (options);
    Simulation simulation (scenario);
    g_autofree char *file = g_path_get_basename (options.scenario);
    std::string name = file;
    simulation.Run ();
    Write (options,
        FormatReport (name, scenario, simulation.GetFlows (),
            simulation.GetSenders ()));
  } catch (const std::exception &error) {
    fprintf (stderr, "lmcc-sim: %s\n", error.what ());
    return 1;
  }
  return 0;
}
