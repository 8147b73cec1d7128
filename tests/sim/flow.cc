/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "flow.h"

#include <ns3/core-module.h>

#include <algorithm>

Flow::Flow (std::string flow_name, std::string flow_kind, std::string node_name,
    double start_time)
    : name (std::move (flow_name)), kind (std::move (flow_kind)),
      node (std::move (node_name)), start (start_time)
{
}

void
Flow::BeginMeasurement ()
{
  m_begin = Count ();
}

/* A flow that starts or stops in between is measured while it runs. */
void
Flow::EndMeasurement (double begin, double end)
{
  FlowCounters counters = Count ();
  double from = std::max (begin, start);
  double to = stop > 0 ? std::min (stop, end) : end;
  double offered = counters.offered - m_begin.offered;

  if (to > from)
    throughput = 8 * (counters.bytes - m_begin.bytes) / (to - from);
  if (offered > 0)
    loss = std::max (0.0, counters.lost - m_begin.lost) / offered;
  joins = counters.joins - m_begin.joins;
  leaves = counters.leaves - m_begin.leaves;
  if (kind == "lmcc")
    MeasureLevels (from, to);
}

void
Flow::Sample ()
{
  series.push_back (Count ().bytes);
  status_series.push_back (GetStatus ());
  level_series.push_back (changes.empty () ? -1 : changes.back ().to);
}

/* A late packet that arrives after all no longer counts as lost. */
void
Flow::NoteLosses ()
{
  FlowCounters counters = Count ();

  if (counters.lost > m_noted)
    losses.push_back ({ ns3::Simulator::Now ().GetSeconds (), counters.offered,
        counters.lost - m_noted });
  m_noted = counters.lost;
}

void
Flow::SampleEstimates ()
{
  for (const auto &estimate : GetEstimates ()) {
    const FlowStatus &now = estimate.second;
    if (now.loss_event_rate == 0)
      continue;
    FlowStatus &mean = estimates[estimate.first];
    auto n = static_cast<double> (++m_samples[estimate.first]);

    mean.loss_event_rate += (now.loss_event_rate - mean.loss_event_rate) / n;
    mean.calculated_rate += (now.calculated_rate - mean.calculated_rate) / n;
    mean.round_trip_time += (now.round_trip_time - mean.round_trip_time) / n;
  }
}

void
Flow::BeginPhase (const std::string &phase)
{
  m_phase_begin[phase] = Count ().bytes;
}

void
Flow::EndPhase (const std::string &phase, double duration)
{
  phases[phase] = 8 * (Count ().bytes - m_phase_begin[phase]) / duration;
}

int
Flow::LevelAt (double time) const
{
  int level = -1;

  for (const LevelChange &change : changes)
    if (change.time <= time)
      level = change.to;
  return level;
}

/* A flow has converged when it first reaches the level that it then holds longest. */
void
Flow::MeasureLevels (double begin, double end)
{
  double since = begin;
  int level = LevelAt (begin);
  auto spend = [this] (int at, double time) {
    if (at < 0)
      return;
    if (time_at_level.size () <= static_cast<size_t> (at))
      time_at_level.resize (static_cast<size_t> (at) + 1);
    time_at_level[static_cast<size_t> (at)] += time;
  };

  for (const LevelChange &change : changes) {
    if (change.time <= begin)
      continue;
    changes_measured++;
    spend (level, change.time - since);
    since = change.time;
    level = change.to;
  }
  spend (level, end - since);
  auto most = std::max_element (time_at_level.begin (), time_at_level.end ());
  for (const LevelChange &change : changes)
    if (most != time_at_level.end ()
        && change.to == most - time_at_level.begin ()) {
      convergence_time = change.time - start;
      break;
    }
}
