/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "report.h"

#include <json-glib/json-glib.h>

#include <cmath>
#include <ctime>
#include <map>

namespace
{

/* Six digits are more precise than a simulation is. */
double
Round (double value)
{
  double scale;

  if (value == 0 || !std::isfinite (value))
    return 0;
  scale = std::pow (10, 5 - std::floor (std::log10 (std::fabs (value))));
  return std::round (value * scale) / scale;
}

void
AddNumber (JsonBuilder *builder, const char *name, double value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_double_value (builder, Round (value));
}

void
AddText (JsonBuilder *builder, const char *name, const std::string &value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_string_value (builder, value.c_str ());
}

/* Jain, Chiu and Hawe, "A Quantitative Measure of Fairness", 1984. */
double
JainIndex (const std::vector<Flow *> &flows)
{
  double sum = 0;
  double squares = 0;
  size_t n = 0;

  for (const Flow *flow : flows) {
    if (flow->kind == "cbr" || flow->kind == "open-loop")
      continue;
    sum += flow->throughput;
    squares += flow->throughput * flow->throughput;
    n++;
  }
  return squares > 0 ? sum * sum / (static_cast<double> (n) * squares) : 0;
}

void
AddStatus (JsonBuilder *builder, const char *name, const Flow &flow,
    double FlowStatus::*member)
{
  json_builder_set_member_name (builder, name);
  json_builder_begin_array (builder);
  for (size_t i = 1; i < flow.status_series.size (); i++)
    json_builder_add_double_value (builder,
        Round (flow.status_series[i].*member));
  json_builder_end_array (builder);
}

/* The throughput in each interval, and the status at its end. */
void
AddSeries (JsonBuilder *builder, const Flow &flow, double interval)
{
  json_builder_set_member_name (builder, "series");
  json_builder_begin_object (builder);
  AddNumber (builder, "interval", interval);
  json_builder_set_member_name (builder, "throughput");
  json_builder_begin_array (builder);
  for (size_t i = 1; i < flow.series.size (); i++)
    json_builder_add_double_value (builder,
        Round (8 * (flow.series[i] - flow.series[i - 1]) / interval));
  json_builder_end_array (builder);
  if (flow.kind == "lmcc") {
    json_builder_set_member_name (builder, "level");
    json_builder_begin_array (builder);
    for (size_t i = 1; i < flow.level_series.size (); i++)
      json_builder_add_int_value (builder, flow.level_series[i]);
    json_builder_end_array (builder);
    AddStatus (builder, "loss-event-rate", flow, &FlowStatus::loss_event_rate);
    AddStatus (builder, "calculated-rate", flow, &FlowStatus::calculated_rate);
    AddStatus (builder, "round-trip-time", flow, &FlowStatus::round_trip_time);
  }
  json_builder_end_object (builder);
}

void
AddChanges (JsonBuilder *builder, const Flow &flow)
{
  json_builder_set_member_name (builder, "changes");
  json_builder_begin_array (builder);
  for (const LevelChange &change : flow.changes) {
    json_builder_begin_object (builder);
    AddNumber (builder, "time", change.time);
    json_builder_set_member_name (builder, "from");
    json_builder_add_int_value (builder, change.from);
    json_builder_set_member_name (builder, "to");
    json_builder_add_int_value (builder, change.to);
    AddText (builder, "reason", change.reason);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
}

/* For each loss: its time, the packets so far, and the number of lost packets. */
void
AddLosses (JsonBuilder *builder, const Flow &flow)
{
  json_builder_set_member_name (builder, "losses");
  json_builder_begin_array (builder);
  for (const Loss &each : flow.losses) {
    json_builder_begin_array (builder);
    json_builder_add_double_value (builder, Round (each.time));
    json_builder_add_double_value (builder, Round (each.offered));
    json_builder_add_double_value (builder, Round (each.lost));
    json_builder_end_array (builder);
  }
  json_builder_end_array (builder);
}

void
AddLevels (JsonBuilder *builder, const Flow &flow)
{
  json_builder_set_member_name (builder, "level-changes");
  json_builder_add_int_value (builder, flow.changes_measured);
  json_builder_set_member_name (builder, "level-changes-since-start");
  json_builder_add_int_value (builder,
      static_cast<gint64> (flow.changes.size ()));
  AddNumber (builder, "joins", flow.joins);
  AddNumber (builder, "leaves", flow.leaves);
  json_builder_set_member_name (builder, "time-at-level");
  json_builder_begin_array (builder);
  for (double time : flow.time_at_level)
    json_builder_add_double_value (builder, Round (time));
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "convergence-time");
  if (flow.convergence_time < 0)
    json_builder_add_null_value (builder);
  else
    json_builder_add_double_value (builder, Round (flow.convergence_time));
}

/* A flow's rate in each phase. */
void
AddPhases (JsonBuilder *builder, const Flow &flow)
{
  if (flow.phases.empty ())
    return;
  json_builder_set_member_name (builder, "phases");
  json_builder_begin_object (builder);
  for (const auto &phase : flow.phases)
    AddNumber (builder, phase.first.c_str (), phase.second);
  json_builder_end_object (builder);
}

/* The time at which all receivers first held one level; below 0: never. */
double
EqualAt (const std::vector<const Flow *> &receivers)
{
  std::multimap<double, std::pair<const Flow *, int>> changes;
  std::map<const Flow *, int> levels;
  std::map<int, size_t> at_level;

  for (const Flow *receiver : receivers)
    for (const LevelChange &change : receiver->changes)
      changes.emplace (change.time, std::make_pair (receiver, change.to));
  for (const auto &change : changes) {
    auto known = levels.find (change.second.first);
    if (known != levels.end ())
      at_level[known->second]--;
    levels[change.second.first] = change.second.second;
    if (++at_level[change.second.second] == receivers.size ())
      return change.first;
  }
  return -1;
}

void
AddSenderPhases (JsonBuilder *builder, const SenderCost &sender,
    const Scenario &scenario)
{
  json_builder_set_member_name (builder, "phases");
  json_builder_begin_object (builder);
  for (const PhaseConfig &phase : scenario.phases) {
    const SenderCounters &counters = sender.phases.at (phase.name);

    json_builder_set_member_name (builder, phase.name.c_str ());
    json_builder_begin_object (builder);
    AddNumber (builder, "rate", 8 * counters.bytes / (phase.to - phase.from));
    AddNumber (builder, "reports", counters.reports);
    AddNumber (builder, "leader-reports", counters.leader_reports);
    AddNumber (builder, "rounds", counters.rounds);
    AddNumber (builder, "switches", counters.switches);
    AddNumber (builder, "stalls", counters.stalls);
    json_builder_end_object (builder);
  }
  json_builder_end_object (builder);
}

/* The sums over all sessions of one name. */
void
AddSenders (JsonBuilder *builder, const std::string &name,
    const std::vector<SenderCost> &senders, const Scenario &scenario)
{
  SenderCost sum;

  for (const SenderCost &sender : senders) {
    if (sender.session != name)
      continue;
    sum.packets += sender.packets;
    sum.reports += sender.reports;
    sum.feedback_bytes += sender.feedback_bytes;
    sum.receivers += sender.receivers;
    sum.processor += sender.processor;
    for (const auto &phase : sender.phases)
      sum.phases[phase.first].Add (phase.second, 1);
  }
  AddNumber (builder, "packets", sum.packets);
  AddNumber (builder, "reports", sum.reports);
  AddNumber (builder, "feedback-bytes", sum.feedback_bytes);
  AddNumber (builder, "estimated-receivers", sum.receivers);
  if (scenario.cost)
    AddNumber (builder, "sender-processor", sum.processor);
  if (!sum.phases.empty ())
    AddSenderPhases (builder, sum, scenario);
}

void
AddSessions (JsonBuilder *builder, const std::vector<Flow *> &flows,
    const std::vector<SenderCost> &senders, const Scenario &scenario)
{
  std::map<std::string, std::vector<const Flow *>> sessions;

  for (const Flow *flow : flows)
    if (flow->kind == "lmcc")
      sessions[flow->name].push_back (flow);
  json_builder_set_member_name (builder, "sessions");
  json_builder_begin_object (builder);
  for (const auto &session : sessions) {
    double time = EqualAt (session.second);

    json_builder_set_member_name (builder, session.first.c_str ());
    json_builder_begin_object (builder);
    json_builder_set_member_name (builder, "equal-at");
    if (time < 0)
      json_builder_add_null_value (builder);
    else
      json_builder_add_double_value (builder, Round (time));
    AddSenders (builder, session.first, senders, scenario);
    json_builder_end_object (builder);
  }
  json_builder_end_object (builder);
}

/* Only if the scenario asks for means of the estimates. */
void
AddEstimates (JsonBuilder *builder, const Flow &flow)
{
  if (flow.estimates.empty ())
    return;
  json_builder_set_member_name (builder, "estimates");
  json_builder_begin_object (builder);
  for (const auto &estimate : flow.estimates) {
    json_builder_set_member_name (builder, estimate.first.c_str ());
    json_builder_begin_object (builder);
    AddNumber (builder, "loss-event-rate", estimate.second.loss_event_rate);
    AddNumber (builder, "calculated-rate", estimate.second.calculated_rate);
    AddNumber (builder, "round-trip-time", estimate.second.round_trip_time);
    json_builder_end_object (builder);
  }
  json_builder_end_object (builder);
}

void
AddFlow (JsonBuilder *builder, const Flow &flow, double interval)
{
  json_builder_begin_object (builder);
  AddText (builder, "name", flow.name);
  AddText (builder, "kind", flow.kind);
  AddNumber (builder, "throughput", flow.throughput);
  AddNumber (builder, "loss", flow.loss);
  AddEstimates (builder, flow);
  AddPhases (builder, flow);
  if (flow.kind == "lmcc")
    AddLevels (builder, flow);
  if (flow.notes_losses)
    AddLosses (builder, flow);
  if (interval > 0) {
    AddSeries (builder, flow, interval);
    if (flow.kind == "lmcc")
      AddChanges (builder, flow);
  }
  json_builder_end_object (builder);
}

} // namespace

void
SenderCounters::Add (const SenderCounters &more, double sign)
{
  bytes += sign * more.bytes;
  reports += sign * more.reports;
  leader_reports += sign * more.leader_reports;
  rounds += sign * more.rounds;
  switches += sign * more.switches;
  stalls += sign * more.stalls;
}

std::string
FormatReport (const std::string &name, const Scenario &scenario,
    const std::vector<Flow *> &flows, const std::vector<SenderCost> &senders)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (JsonGenerator) generator = json_generator_new ();
  std::map<std::string, std::vector<Flow *>> nodes;

  for (Flow *flow : flows)
    nodes[flow->node].push_back (flow);
  json_builder_begin_object (builder);
  AddText (builder, "scenario", name);
  json_builder_set_member_name (builder, "seed");
  json_builder_add_int_value (builder, scenario.seed);
  AddNumber (builder, "duration", scenario.duration);
  AddNumber (builder, "warm-up", scenario.warm_up);
  if (scenario.cost)
    AddNumber (builder, "processor",
        static_cast<double> (std::clock ()) / CLOCKS_PER_SEC);
  AddSessions (builder, flows, senders, scenario);
  json_builder_set_member_name (builder, "nodes");
  json_builder_begin_object (builder);
  for (const auto &node : nodes) {
    json_builder_set_member_name (builder, node.first.c_str ());
    json_builder_begin_object (builder);
    AddNumber (builder, "jain-index", JainIndex (node.second));
    json_builder_set_member_name (builder, "flows");
    json_builder_begin_array (builder);
    for (const Flow *flow : node.second)
      AddFlow (builder, *flow, scenario.series);
    json_builder_end_array (builder);
    json_builder_end_object (builder);
  }
  json_builder_end_object (builder);
  json_builder_end_object (builder);
  JsonNode *root = json_builder_get_root (builder);
  json_generator_set_root (generator, root);
  json_generator_set_pretty (generator, TRUE);
  g_autofree char *text = json_generator_to_data (generator, nullptr);
  json_node_unref (root);
  return std::string (text) + "\n";
}
