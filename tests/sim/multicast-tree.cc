/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "multicast-tree.h"

#include <queue>

using namespace ns3;

MulticastTree::MulticastTree (const Network &network, Ptr<Node> source,
    Range join_latency, Range leave_latency)
    : m_source (source), m_join_latency (join_latency),
      m_leave_latency (leave_latency)
{
  std::queue<Ptr<Node>> waiting;

  NS_ABORT_MSG_IF (network.GetPorts (source).size () != 1,
      "the source " << network.GetName (source)
                    << " of a session needs exactly one link");
  waiting.push (source);
  while (!waiting.empty ()) {
    Ptr<Node> node = waiting.front ();
    waiting.pop ();
    for (const NetworkPort &port : network.GetPorts (node)) {
      if (port.neighbour == source
          || m_hops.count (port.neighbour->GetId ()) > 0)
        continue;
      m_hops[port.neighbour->GetId ()] = { node, port.interface,
        port.neighbour_interface, port.delay };
      waiting.push (port.neighbour);
    }
  }
  Network::GetStaticRouting (source)->SetDefaultMulticastRoute (1);
}

void
MulticastTree::Join (Ptr<Node> receiver, Ipv4Address group)
{
  Ask (receiver, group, true, Draw (m_join_latency));
}

void
MulticastTree::Leave (Ptr<Node> receiver, Ipv4Address group)
{
  Ask (receiver, group, false, Draw (m_leave_latency));
}

bool
MulticastTree::HasMembers (Ipv4Address group) const
{
  auto found = m_interfaces.find ({ m_source->GetId (), group });

  return found != m_interfaces.end () && !found->second.empty ();
}

void
MulticastTree::Ask (Ptr<Node> node, Ipv4Address group, bool wanted,
    double latency)
{
  Membership &member = m_members[{ node->GetId (), group }];
  const Hop &hop = m_hops.at (node->GetId ());

  member.wanted = wanted;
  member.change++;
  Simulator::Schedule (hop.delay + Seconds (latency),
      &MulticastTree::TakeEffect, this, node, group, member.change);
}

/* A node's join or leave has reached its parent. */
void
MulticastTree::TakeEffect (Ptr<Node> node, Ipv4Address group, uint32_t change)
{
  const Membership &member = m_members[{ node->GetId (), group }];
  const Hop &hop = m_hops.at (node->GetId ());
  std::set<uint32_t> &interfaces =
      m_interfaces[{ hop.parent->GetId (), group }];
  bool had_some = !interfaces.empty ();

  /* A later join or leave has replaced it. */
  if (change != member.change)
    return;
  if (member.wanted)
    interfaces.insert (hop.parent_interface);
  else
    interfaces.erase (hop.parent_interface);
  if (hop.parent == m_source)
    return;
  SetRoute (hop.parent, group, interfaces);
  if (had_some == interfaces.empty ())
    Ask (hop.parent, group, !had_some, 0);
}

void
MulticastTree::SetRoute (Ptr<Node> router, Ipv4Address group,
    const std::set<uint32_t> &interfaces)
{
  Ptr<Ipv4StaticRouting> routing = Network::GetStaticRouting (router);
  Ipv4Address origin = Network::GetAddress (m_source);
  uint32_t input = m_hops.at (router->GetId ()).interface;

  routing->RemoveMulticastRoute (origin, group, input);
  if (!interfaces.empty ())
    routing->AddMulticastRoute (origin, group, input,
        std::vector<uint32_t> (interfaces.begin (), interfaces.end ()));
}

void
MulticastTree::AddSharedGroup (const Network &network, Ipv4Address group)
{
  for (uint32_t i = 0; i < network.GetNodes ().GetN (); i++) {
    Ptr<Node> node = network.GetNodes ().Get (i);
    const std::vector<NetworkPort> &ports = network.GetPorts (node);

    if (ports.size () == 1 && node != m_source)
      Network::GetStaticRouting (node)->SetDefaultMulticastRoute (1);
    for (const NetworkPort &input : ports) {
      std::vector<uint32_t> others;
      for (const NetworkPort &port : ports)
        if (port.interface != input.interface)
          others.push_back (port.interface);
      if (!others.empty ())
        Network::GetStaticRouting (node)->AddMulticastRoute (
            Ipv4Address::GetAny (), group, input.interface, others);
    }
  }
}
