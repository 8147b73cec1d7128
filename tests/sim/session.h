/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parts that sender and receivers of one session share: addresses, tree and hosts.
 */
#ifndef SIM_SESSION_H
#define SIM_SESSION_H

#include "lmcc.h"
#include "multicast-tree.h"
#include "receiver-host.h"

#include <memory>

struct Session
{
  Session (const Scenario &scenario, const SessionConfig &session,
      const Network &network, uint32_t number);

  ns3::Ipv4Address Group (uint32_t index) const;
  ReceiverHost &Host (ns3::Ptr<ns3::Node> node);

  SessionConfig config;
  uint32_t packet_size;
  uint32_t seed;
  double leave_latency; /* the longest */
  ns3::Ipv4Address base;
  uint16_t port; /* RTCP on the next one */
  uint16_t feedback_port;
  ns3::Ptr<ns3::Node> source;
  MulticastTree tree;
  std::map<uint32_t, std::unique_ptr<ReceiverHost>> hosts; /* by node */
};

#endif
