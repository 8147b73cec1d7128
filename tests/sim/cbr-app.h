/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * UDP packets at a constant rate, continuously or on and off in turns.
 */
#ifndef SIM_CBR_APP_H
#define SIM_CBR_APP_H

#include "flow.h"
#include "scenario.h"

#include <ns3/core-module.h>
#include <ns3/internet-module.h>
#include <ns3/network-module.h>

class CbrApp : public ns3::Application, public Flow
{
public:
  CbrApp (const CbrConfig &config, uint32_t packet_size,
      ns3::Ptr<ns3::Node> receiver, uint16_t port);

  FlowCounters Count () override;

private:
  void StartApplication () override;
  void StopApplication () override;
  void Send ();
  void Take (ns3::Ptr<ns3::Socket> socket);

  const CbrConfig m_config;
  const uint32_t m_packet_size;
  ns3::Ptr<ns3::Node> m_receiver_node;
  const uint16_t m_port;
  ns3::Ptr<ns3::Socket> m_sender;
  ns3::Ptr<ns3::Socket> m_receiver;
  ns3::EventId m_event;
  uint64_t m_sent = 0;
  uint64_t m_received = 0;
};

#endif
