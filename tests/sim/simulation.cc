/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "simulation.h"

using namespace ns3;

Simulation::Simulation (const Scenario &scenario) : m_scenario (scenario)
{
  RngSeedManager::SetSeed (scenario.seed);
  ConfigureTcp (scenario.tcp_settings, scenario.packet_size);
  m_network = std::make_unique<Network> (scenario);
  for (const SessionConfig &session : scenario.sessions)
    for (uint32_t i = 0; i < session.count; i++)
      AddSession (session, i * session.spacing);
  for (const TcpConfig &tcp : scenario.tcp)
    AddTcp (tcp);
  for (const CbrConfig &cbr : scenario.cbr)
    AddCbr (cbr);
  for (const OpenLoopConfig &open_loop : scenario.open_loop)
    AddOpenLoop (open_loop);
}

Simulation::~Simulation ()
{
  Simulator::Destroy ();
}

template <typename App>
void
Simulation::Add (Ptr<Node> node, Ptr<App> app, double start, double stop)
{
  node->AddApplication (app);
  app->SetStartTime (Seconds (start));
  if (stop > 0)
    app->SetStopTime (Seconds (stop));
  m_applications.push_back (app);
}

/* All nodes, or some of them at random. */
static std::vector<std::string>
ChooseNodes (const ReceiverConfig &receiver)
{
  std::vector<std::string> names = ExpandNames (receiver.node, receiver.count);

  for (uint32_t i = 0; i < receiver.choose; i++) {
    double place = Draw ({ 0, static_cast<double> (names.size () - i) });
    std::swap (names[i], names[i + static_cast<size_t> (place)]);
  }
  if (receiver.choose > 0)
    names.resize (receiver.choose);
  return names;
}

void
Simulation::AddSession (const SessionConfig &config, double delay)
{
  auto number = static_cast<uint32_t> (m_sessions.size () + 1);
  uint32_t n_receivers = 0;

  m_sessions.push_back (
      std::make_unique<Session> (m_scenario, config, *m_network, number));
  Session &session = *m_sessions.back ();
  if (config.algorithm == "rlm")
    session.tree.AddSharedGroup (*m_network,
        session.Group (
            static_cast<uint32_t> (config.layers.LayerRates ().size ())));
  m_senders.push_back (Create<SenderApp> (session));
  Add (session.source, m_senders.back (), Draw (config.start) + delay, 0);
  for (const ReceiverConfig &receiver : config.receivers)
    for (const std::string &name : ChooseNodes (receiver))
      for (uint32_t i = 0; i < receiver.each; i++) {
        double start = Draw (receiver.start) + delay;
        auto app = Create<ReceiverApp> (session, name, n_receivers++, start);

        app->notes_losses = m_scenario.losses;
        Add (m_network->GetNode (name), app, start, 0);
        m_flows.push_back (PeekPointer (app));
      }
}

void
Simulation::AddTcpTo (const TcpConfig &config, const std::string &to,
    double delay)
{
  double start = Draw (config.start) + delay;
  auto app = Create<TcpApp> (config, m_scenario, to, start,
      m_network->GetNode (to), m_next_port++);

  app->stop = config.stop;
  Add (m_network->GetNode (config.from), app, start, config.stop);
  m_flows.push_back (PeekPointer (app));
}

void
Simulation::AddTcp (const TcpConfig &config)
{
  double delay = 0;

  for (const std::string &to : ExpandNames (config.to, config.nodes))
    for (uint32_t i = 0; i < config.count; i++, delay += config.spacing)
      AddTcpTo (config, to, delay);
}

void
Simulation::AddCbr (const CbrConfig &config)
{
  auto app = Create<CbrApp> (config, m_scenario.packet_size,
      m_network->GetNode (config.to), m_next_port++);

  app->stop = config.stop;
  Add (m_network->GetNode (config.from), app, config.start, config.stop);
  m_flows.push_back (PeekPointer (app));
}

void
Simulation::AddOpenLoop (const OpenLoopConfig &config)
{
  double start = Draw (config.start);
  auto app = Create<OpenLoopApp> (config, m_scenario.packet_size, start,
      m_network->GetNode (config.to), m_next_port++);

  Add (m_network->GetNode (config.from), app, start, 0);
  m_flows.push_back (PeekPointer (app));
}

std::vector<SenderCost>
Simulation::GetSenders () const
{
  std::vector<SenderCost> costs;

  for (const Ptr<SenderApp> &sender : m_senders)
    costs.push_back (sender->GetCost ());
  return costs;
}

void
Simulation::BeginMeasurement ()
{
  for (Flow *flow : m_flows)
    flow->BeginMeasurement ();
}

void
Simulation::SchedulePhase (const PhaseConfig &phase)
{
  Simulator::Schedule (Seconds (phase.from), [this, phase] () {
    for (Flow *flow : m_flows)
      flow->BeginPhase (phase.name);
    for (const Ptr<SenderApp> &sender : m_senders)
      sender->BeginPhase (phase.name);
  });
  Simulator::Schedule (Seconds (phase.to), [this, phase] () {
    for (Flow *flow : m_flows)
      flow->EndPhase (phase.name, phase.to - phase.from);
    for (const Ptr<SenderApp> &sender : m_senders)
      sender->EndPhase (phase.name);
  });
}

void
Simulation::Sample ()
{
  for (Flow *flow : m_flows)
    flow->Sample ();
  Simulator::Schedule (Seconds (m_scenario.series), &Simulation::Sample, this);
}

void
Simulation::SampleEstimates ()
{
  for (Flow *flow : m_flows)
    flow->SampleEstimates ();
  Simulator::Schedule (Seconds (m_scenario.estimates),
      &Simulation::SampleEstimates, this);
}

void
Simulation::Run ()
{
  Simulator::Schedule (Seconds (m_scenario.warm_up),
      &Simulation::BeginMeasurement, this);
  for (const PhaseConfig &phase : m_scenario.phases)
    SchedulePhase (phase);
  if (m_scenario.series > 0)
    Simulator::Schedule (Seconds (0), &Simulation::Sample, this);
  if (m_scenario.estimates > 0)
    Simulator::Schedule (Seconds (m_scenario.warm_up),
        &Simulation::SampleEstimates, this);
  /* A little later, so that the events at the end still happen. */
  Simulator::Stop (Seconds (m_scenario.duration) + MicroSeconds (1));
  Simulator::Run ();
  for (Flow *flow : m_flows)
    flow->EndMeasurement (m_scenario.warm_up, m_scenario.duration);
}
