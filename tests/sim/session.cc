/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "session.h"

using namespace ns3;

Session::Session (const Scenario &scenario, const SessionConfig &session,
    const Network &network, uint32_t number)
    : config (session),
      packet_size (
          session.packet_size > 0 ? session.packet_size : scenario.packet_size),
      seed (scenario.seed * 1000 + number),
      leave_latency (scenario.leave_latency.most),
      base (0xef000001 + (number << 8)),
      port (static_cast<uint16_t> (5004 + 4 * number)),
      feedback_port (static_cast<uint16_t> (port + 2)),
      source (network.GetNode (session.source)),
      tree (network, source, scenario.join_latency, scenario.leave_latency)
{
}

Ipv4Address
Session::Group (uint32_t index) const
{
  return Ipv4Address (base.Get () + index);
}

ReceiverHost &
Session::Host (Ptr<Node> node)
{
  std::unique_ptr<ReceiverHost> &host = hosts[node->GetId ()];

  if (host == nullptr)
    host = std::make_unique<ReceiverHost> (*this, node);
  return *host;
}
