/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A TCP connection that always has data to send.
 */
#ifndef SIM_TCP_APP_H
#define SIM_TCP_APP_H

#include "flow.h"
#include "scenario.h"

#include <ns3/core-module.h>
#include <ns3/internet-module.h>
#include <ns3/network-module.h>

/* The default settings are those closest to the formula and to Colussi 2004, section 6.3.
 * Call this before any connection is made. */
void ConfigureTcp (const TcpSettings &settings, uint32_t packet_size);

class TcpApp : public ns3::Application, public Flow
{
public:
  TcpApp (const TcpConfig &config, const Scenario &scenario,
      const std::string &node, double start, ns3::Ptr<ns3::Node> receiver,
      uint16_t port);

  FlowCounters Count () override;

private:
  void StartApplication () override;
  void StopApplication () override;
  void SetType ();
  void Fill (ns3::Ptr<ns3::Socket> socket, uint32_t room);
  void Accept (ns3::Ptr<ns3::Socket> socket, const ns3::Address &from);
  void Take (ns3::Ptr<ns3::Socket> socket);
  void NoteSent (ns3::Ptr<const ns3::Packet> packet,
      const ns3::TcpHeader &header, ns3::Ptr<const ns3::TcpSocketBase> socket);
  void NoteReceived (ns3::Ptr<const ns3::Packet> packet,
      const ns3::TcpHeader &header, ns3::Ptr<const ns3::TcpSocketBase> socket);

  const TcpType m_type;
  const uint32_t m_window;
  const uint32_t m_packet_size;
  ns3::Ptr<ns3::Node> m_receiver_node;
  const uint16_t m_port;
  ns3::Ptr<ns3::Socket> m_sender;
  ns3::Ptr<ns3::Socket> m_listener;
  ns3::Ptr<ns3::Socket> m_receiver;
  bool m_stopped = false;
  uint64_t m_in_order = 0;
  uint64_t m_sent = 0;
  uint64_t m_received = 0;
};

#endif
