/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Multicast routing for one session, which ns-3 lacks: a tree of shortest paths from the
 * source. Joins and leaves travel up hop by hop, each with the delay of its link. A
 * router forwards a group to a link if a node behind the link has joined it. The last
 * router before a receiver adds the latency of IGMP.
 */
#ifndef SIM_MULTICAST_TREE_H
#define SIM_MULTICAST_TREE_H

#include "network.h"

#include <map>
#include <set>

class MulticastTree
{
public:
  MulticastTree (const Network &network, ns3::Ptr<ns3::Node> source,
      Range join_latency, Range leave_latency);

  void Join (ns3::Ptr<ns3::Node> receiver, ns3::Ipv4Address group);
  void Leave (ns3::Ptr<ns3::Node> receiver, ns3::Ipv4Address group);

  /* Whether the source's router has joined a group. */
  bool HasMembers (ns3::Ipv4Address group) const;

  /* Lets every node send to a group, and forwards the group to all nodes. */
  void AddSharedGroup (const Network &network, ns3::Ipv4Address group);

private:
  struct Hop
  {
    ns3::Ptr<ns3::Node> parent;
    uint32_t parent_interface = 0; /* towards the node */
    uint32_t interface = 0;        /* towards the parent */
    ns3::Time delay;
  };

  /* A group on the link to a node. */
  struct Membership
  {
    bool wanted = false;
    uint32_t change = 0; /* counts joins and leaves */
  };

  void Ask (ns3::Ptr<ns3::Node> node, ns3::Ipv4Address group, bool wanted,
      double latency);
  void TakeEffect (ns3::Ptr<ns3::Node> node, ns3::Ipv4Address group,
      uint32_t change);
  void SetRoute (ns3::Ptr<ns3::Node> router, ns3::Ipv4Address group,
      const std::set<uint32_t> &interfaces);

  ns3::Ptr<ns3::Node> m_source;
  Range m_join_latency;
  Range m_leave_latency;
  std::map<uint32_t, Hop> m_hops; /* by node */
  std::map<std::pair<uint32_t, ns3::Ipv4Address>, Membership> m_members;
  std::map<std::pair<uint32_t, ns3::Ipv4Address>, std::set<uint32_t>>
      m_interfaces;
};

#endif
