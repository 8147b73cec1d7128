/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The measurements of a flow: a session at one receiver, a TCP connection, or a stream of
 * constant rate. They count whole IP packets from the end of the warm-up on.
 */
#ifndef SIM_FLOW_H
#define SIM_FLOW_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

struct FlowCounters
{
  double bytes = 0;
  double offered = 0; /* packets sent to the receiver */
  double lost = 0;    /* of these */
  double joins = 0;   /* groups joined */
  double leaves = 0;  /* groups left */
};

/* The status of a session's algorithm; 0: not known. */
struct FlowStatus
{
  double loss_event_rate = 0;
  double calculated_rate = 0;
  double round_trip_time = 0;
};

/* Packets whose loss was detected at one time. */
struct Loss
{
  double time;
  double offered; /* packets so far, including lost ones */
  double lost;
};

struct LevelChange
{
  double time;
  int from;
  int to;
  std::string reason;
};

class Flow
{
public:
  Flow (std::string flow_name, std::string flow_kind, std::string node_name,
      double start_time);
  virtual ~Flow () = default;

  virtual FlowCounters Count () = 0;

  virtual FlowStatus GetStatus ()
  {
    return {};
  }

  /* For flows with several estimators of the same packets. */
  virtual std::map<std::string, FlowStatus> GetEstimates ()
  {
    return { { "own", GetStatus () } };
  }

  void BeginMeasurement ();
  void EndMeasurement (double begin, double end);
  void Sample ();
  void NoteLosses ();
  void SampleEstimates ();
  void BeginPhase (const std::string &phase);
  void EndPhase (const std::string &phase, double duration);

  const std::string name;
  const std::string kind;
  const std::string node;
  const double start;
  std::vector<LevelChange> changes; /* all changes of the level */
  double stop = 0;                  /* 0: the end */
  bool notes_losses = false;
  std::vector<Loss> losses;   /* all, if notes_losses */
  std::vector<double> series; /* bytes so far */
  std::vector<int> level_series;
  std::vector<FlowStatus> status_series;

  /* After EndMeasurement() */
  double throughput = 0;
  std::map<std::string, double> phases; /* throughput in each */
  double loss = 0;
  double joins = 0; /* of groups */
  double leaves = 0;
  std::map<std::string, FlowStatus>
      estimates; /* means, from the first loss on */
  std::vector<double> time_at_level;
  uint32_t changes_measured = 0;
  double convergence_time = -1;

private:
  int LevelAt (double time) const;
  void MeasureLevels (double begin, double end);

  FlowCounters m_begin;
  double m_noted = 0; /* packets lost so far */
  std::map<std::string, uint64_t> m_samples;
  std::map<std::string, double> m_phase_begin; /* bytes */
};

#endif
