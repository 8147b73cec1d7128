/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Nodes, point-to-point links with their queues and losses, addresses and unicast
 * routes, from a scenario.
 */
#ifndef SIM_NETWORK_H
#define SIM_NETWORK_H

#include "scenario.h"

#include <ns3/core-module.h>
#include <ns3/internet-module.h>
#include <ns3/network-module.h>
#include <ns3/point-to-point-module.h>

#include <map>
#include <string>
#include <vector>

/* One end of a link, seen from its node. */
struct NetworkPort
{
  ns3::Ptr<ns3::Node> neighbour;
  uint32_t interface = 0; /* of this node */
  uint32_t neighbour_interface = 0;
  ns3::Time delay;
};

class Network
{
public:
  explicit Network (const Scenario &scenario);

  /* Throws if there is no node of this name. */
  ns3::Ptr<ns3::Node> GetNode (const std::string &name) const;
  std::string GetName (ns3::Ptr<ns3::Node> node) const;
  const std::vector<NetworkPort> &GetPorts (ns3::Ptr<ns3::Node> node) const;
  const ns3::NodeContainer &GetNodes () const
  {
    return m_nodes;
  }

  /* The address of the node's first interface. */
  static ns3::Ipv4Address GetAddress (ns3::Ptr<ns3::Node> node);
  static ns3::Ptr<ns3::Ipv4StaticRouting>
  GetStaticRouting (ns3::Ptr<ns3::Node> node);

private:
  void AddNodes (const Scenario &scenario);
  void AddLink (const LinkConfig &link, const std::string &to);
  void AddRoutes (ns3::Ptr<ns3::Node> node) const;

  ns3::NodeContainer m_nodes;
  std::map<std::string, ns3::Ptr<ns3::Node>> m_by_name;
  std::map<uint32_t, std::string> m_names;
  std::map<uint32_t, std::vector<NetworkPort>> m_ports;
  ns3::Ipv4AddressHelper m_addresses;
};

/* A random number from a range, the same for the same seed and order of calls. */
double Draw (const Range &range);

#endif
