/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "network.h"

#include "host-channel.h"
#include "session-filter.h"

#include <ns3/traffic-control-module.h>

#include <queue>
#include <set>
#include <stdexcept>

using namespace ns3;

double
Draw (const Range &range)
{
  static Ptr<UniformRandomVariable> random =
      CreateObject<UniformRandomVariable> ();

  return range.least == range.most ? range.least
                                   : random->GetValue (range.least, range.most);
}

namespace
{

std::string
QueueLimit (const QueueConfig &queue)
{
  return queue.bytes > 0 ? std::to_string (queue.bytes) + "B"
                         : std::to_string (queue.packets) + "p";
}

/* Losses of single packets, or of several in a row; their number is evenly distributed
 * between 1 and twice the mean less 1. */
Ptr<ErrorModel>
MakeLosses (double loss, double burst)
{
  if (burst <= 1)
    return CreateObjectWithAttributes<RateErrorModel> ("ErrorUnit",
        EnumValue (RateErrorModel::ERROR_UNIT_PACKET), "ErrorRate",
        DoubleValue (loss));
  auto length = CreateObjectWithAttributes<UniformRandomVariable> ("Min",
      DoubleValue (1), "Max", DoubleValue (2 * burst - 1));
  /* Only a packet outside of a burst can start one. */
  double start = loss / (burst - loss * (burst - 1));
  return CreateObjectWithAttributes<BurstErrorModel> ("ErrorRate",
      DoubleValue (start), "BurstSize", PointerValue (length));
}

/* Fair queueing over a shared buffer, without CoDel: FqCoDel with a target that no packet
 * reaches. A full buffer drops from the longest queue. */
void
InstallFairQueueing (const QueueConfig &queue,
    const NetDeviceContainer &devices)
{
  TrafficControlHelper control;
  uint16_t handle =
      control.SetRootQueueDisc ("ns3::FqCoDelQueueDisc", "MaxSize",
          QueueSizeValue (QueueSize (std::to_string (queue.packets) + "p")),
          "Target", StringValue ("1000s"), "Interval", StringValue ("1000s"),
          "DropBatchSize", UintegerValue (1));

  control.AddPacketFilter (handle, "SessionFilter");
  control.Install (devices);
}

void
InstallRed (const QueueConfig &queue, double rate, double delay,
    const NetDeviceContainer &devices)
{
  TrafficControlHelper control;

  control.SetRootQueueDisc ("ns3::RedQueueDisc", "MaxSize",
      QueueSizeValue (QueueSize (QueueLimit (queue))), "MinTh",
      DoubleValue (queue.min_threshold), "MaxTh",
      DoubleValue (queue.max_threshold), "LinkBandwidth",
      DataRateValue (DataRate (static_cast<uint64_t> (rate))), "LinkDelay",
      TimeValue (Seconds (delay)), "Gentle", BooleanValue (true));
  control.Install (devices);
}

/* Puts a host with random processing times at the first end of a link. */
void
InstallHost (const NetDeviceContainer &devices, double delay, double processing)
{
  auto channel = CreateObjectWithAttributes<HostChannel> ("Delay",
      TimeValue (Seconds (delay)));

  for (uint32_t i = 0; i < 2; i++)
    DynamicCast<PointToPointNetDevice> (devices.Get (i))->Attach (channel);
  channel->SetHost (DynamicCast<PointToPointNetDevice> (devices.Get (0)),
      processing);
}

} // namespace

Network::Network (const Scenario &scenario)
{
  m_addresses.SetBase ("10.0.0.0", "255.255.255.252");
  AddNodes (scenario);
  for (const LinkConfig &link : scenario.links)
    for (const std::string &to : ExpandNames (link.to, link.count))
      AddLink (link, to);
  for (uint32_t i = 0; i < m_nodes.GetN (); i++)
    AddRoutes (m_nodes.Get (i));
}

void
Network::AddNodes (const Scenario &scenario)
{
  auto add = [this] (const std::string &name) {
    if (m_by_name.count (name) > 0)
      return;
    Ptr<Node> node = CreateObject<Node> ();
    m_by_name[name] = node;
    m_names[node->GetId ()] = name;
    m_nodes.Add (node);
  };

  for (const LinkConfig &link : scenario.links) {
    add (link.from);
    for (const std::string &to : ExpandNames (link.to, link.count))
      add (to);
  }
  InternetStackHelper internet;
  internet.SetIpv6StackInstall (false);
  internet.Install (m_nodes);
}

void
Network::AddLink (const LinkConfig &link, const std::string &to)
{
  Ptr<Node> a = m_by_name.at (link.from);
  Ptr<Node> b = m_by_name.at (to);
  double rate = Draw (link.rate);
  double delay = Draw (link.delay);
  bool drop_tail = link.queue.kind == QueueKind::DropTail;
  PointToPointHelper helper;

  helper.SetDeviceAttribute ("DataRate",
      DataRateValue (DataRate (static_cast<uint64_t> (rate))));
  helper.SetChannelAttribute ("Delay", TimeValue (Seconds (delay)));
  /* With another discipline the device only holds the packet that it sends. */
  helper.SetQueue ("ns3::DropTailQueue<Packet>", "MaxSize",
      StringValue (drop_tail ? QueueLimit (link.queue) : "1p"));
  NetDeviceContainer devices = helper.Install (a, b);
  if (link.processing > 0)
    InstallHost (devices, delay, link.processing);
  if (link.queue.kind == QueueKind::FairQueueing)
    InstallFairQueueing (link.queue, devices);
  else if (link.queue.kind == QueueKind::Red)
    InstallRed (link.queue, rate, delay, devices);
  Ipv4InterfaceContainer interfaces = m_addresses.Assign (devices);
  m_addresses.NewNetwork ();
  /* The helper adds a default discipline to every device without one. */
  if (drop_tail)
    TrafficControlHelper ().Uninstall (devices);
  if (link.loss > 0)
    devices.Get (1)->SetAttribute ("ReceiveErrorModel",
        PointerValue (MakeLosses (link.loss, link.burst)));
  m_ports[a->GetId ()].push_back ({ b, interfaces.Get (0).second,
      interfaces.Get (1).second, Seconds (delay) });
  m_ports[b->GetId ()].push_back ({ a, interfaces.Get (1).second,
      interfaces.Get (0).second, Seconds (delay) });
}

/* Shortest paths. The time of ns-3's global routing grows with the cube of the number of
 * nodes: 7 s for 2000, and a quarter of an hour for 10,000. */
void
Network::AddRoutes (Ptr<Node> node) const
{
  Ptr<Ipv4StaticRouting> routing = GetStaticRouting (node);
  const std::vector<NetworkPort> &ports = GetPorts (node);
  std::set<uint32_t> known = { node->GetId () };
  std::queue<std::pair<Ptr<Node>, const NetworkPort *>> waiting;

  if (ports.size () == 1) {
    routing->SetDefaultRoute (ports[0]
                                  .neighbour->GetObject<Ipv4> ()
                                  ->GetAddress (ports[0].neighbour_interface, 0)
                                  .GetLocal (),
        ports[0].interface);
    return;
  }
  for (const NetworkPort &port : ports)
    if (known.insert (port.neighbour->GetId ()).second)
      waiting.push ({ port.neighbour, &port });
  while (!waiting.empty ()) {
    auto [reached, first] = waiting.front ();
    waiting.pop ();
    Ptr<Ipv4> ipv4 = reached->GetObject<Ipv4> ();
    Ipv4Address gateway = first->neighbour->GetObject<Ipv4> ()
                              ->GetAddress (first->neighbour_interface, 0)
                              .GetLocal ();
    for (uint32_t i = 1; i < ipv4->GetNInterfaces (); i++)
      routing->AddHostRouteTo (ipv4->GetAddress (i, 0).GetLocal (), gateway,
          first->interface);
    for (const NetworkPort &port : GetPorts (reached))
      if (known.insert (port.neighbour->GetId ()).second)
        waiting.push ({ port.neighbour, first });
  }
}

Ptr<Node>
Network::GetNode (const std::string &name) const
{
  auto found = m_by_name.find (name);

  if (found == m_by_name.end ())
    throw std::runtime_error ("no link leads to a node \"" + name + "\"");
  return found->second;
}

std::string
Network::GetName (Ptr<Node> node) const
{
  return m_names.at (node->GetId ());
}

const std::vector<NetworkPort> &
Network::GetPorts (Ptr<Node> node) const
{
  return m_ports.at (node->GetId ());
}

Ipv4Address
Network::GetAddress (Ptr<Node> node)
{
  return node->GetObject<Ipv4> ()->GetAddress (1, 0).GetLocal ();
}

Ptr<Ipv4StaticRouting>
Network::GetStaticRouting (Ptr<Node> node)
{
  return Ipv4StaticRoutingHelper ().GetStaticRouting (node->GetObject<Ipv4> ());
}
