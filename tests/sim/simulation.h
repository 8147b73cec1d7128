/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A running scenario: the network with all its applications.
 */
#ifndef SIM_SIMULATION_H
#define SIM_SIMULATION_H

#include "cbr-app.h"
#include "open-loop-app.h"
#include "receiver-app.h"
#include "report.h"
#include "sender-app.h"
#include "tcp-app.h"

#include <memory>

class Simulation
{
public:
  explicit Simulation (const Scenario &scenario);
  ~Simulation ();

  void Run ();
  const std::vector<Flow *> &GetFlows () const
  {
    return m_flows;
  }

  std::vector<SenderCost> GetSenders () const;

private:
  template <typename App>
  void
  Add (ns3::Ptr<ns3::Node> node, ns3::Ptr<App> app, double start, double stop);
  void AddSession (const SessionConfig &config, double delay);
  void AddTcp (const TcpConfig &config);
  void AddTcpTo (const TcpConfig &config, const std::string &to, double delay);
  void AddCbr (const CbrConfig &config);
  void AddOpenLoop (const OpenLoopConfig &config);
  void SchedulePhase (const PhaseConfig &phase);
  void BeginMeasurement ();
  void Sample ();
  void SampleEstimates ();

  const Scenario m_scenario;
  std::unique_ptr<Network> m_network;
  std::vector<std::unique_ptr<Session>> m_sessions;
  std::vector<ns3::Ptr<ns3::Application>> m_applications;
  std::vector<ns3::Ptr<SenderApp>> m_senders;
  std::vector<Flow *> m_flows;
  uint16_t m_next_port = 20000;
};

#endif
