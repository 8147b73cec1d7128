/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A host with receivers of one session: their sockets, and the groups that it joins at
 * its router. A large audience has many receivers in each host.
 */
#ifndef SIM_RECEIVER_HOST_H
#define SIM_RECEIVER_HOST_H

#include "lmcc.h"
#include "multicast-tree.h"

#include <map>
#include <vector>

struct Session;

/* One of the receivers. */
class HostedReceiver
{
public:
  virtual ~HostedReceiver () = default;

  virtual void TakeMedia (uint32_t group, const LmccAddress &source,
      uint16_t port, LmccPacket *packet) = 0;
  virtual void TakeControl (uint32_t group, const LmccAddress &source,
      uint16_t port, const std::vector<uint8_t> &data) = 0;
};

class ReceiverHost
{
public:
  ReceiverHost (Session &session, ns3::Ptr<ns3::Node> node);

  void Add (HostedReceiver *receiver);
  void SetMember (uint32_t group, bool member);
  void Send (ns3::Ipv4Address to, uint32_t port, LmccPacket *packet);

private:
  ns3::Ptr<ns3::Socket> OpenSocket (uint16_t port);
  uint32_t GroupOf (ns3::Ptr<ns3::Packet> packet) const;
  void HandleMedia (ns3::Ptr<ns3::Socket> socket);
  void HandleControl (ns3::Ptr<ns3::Socket> socket);

  Session &m_session;
  ns3::Ptr<ns3::Node> m_node;
  ns3::Ptr<ns3::Socket> m_media;
  ns3::Ptr<ns3::Socket> m_control;
  std::vector<HostedReceiver *> m_receivers;
  std::map<uint32_t, uint32_t> m_members; /* number by group */
};

#endif
