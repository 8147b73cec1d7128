/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cbr-app.h"

#include "network.h"

#include <cmath>

using namespace ns3;

static const uint32_t HEADERS = 28;

CbrApp::CbrApp (const CbrConfig &config, uint32_t packet_size,
    Ptr<Node> receiver, uint16_t port)
    : Flow (config.name, "cbr", config.to, config.start), m_config (config),
      m_packet_size (packet_size), m_receiver_node (receiver), m_port (port)
{
}

FlowCounters
CbrApp::Count ()
{
  return { static_cast<double> (m_received) * m_packet_size,
    static_cast<double> (m_sent),
    static_cast<double> (m_sent) - static_cast<double> (m_received) };
}

void
CbrApp::StartApplication ()
{
  m_receiver =
      Socket::CreateSocket (m_receiver_node, UdpSocketFactory::GetTypeId ());
  m_receiver->Bind (InetSocketAddress (Ipv4Address::GetAny (), m_port));
  m_receiver->SetRecvCallback (MakeCallback (&CbrApp::Take, this));
  m_sender = Socket::CreateSocket (GetNode (), UdpSocketFactory::GetTypeId ());
  m_sender->Bind ();
  m_sender->Connect (
      InetSocketAddress (Network::GetAddress (m_receiver_node), m_port));
  Send ();
}

void
CbrApp::StopApplication ()
{
  m_event.Cancel ();
}

void
CbrApp::Send ()
{
  double interval = 8.0 * m_packet_size / m_config.rate;
  double age = Simulator::Now ().GetSeconds () - m_config.start;
  double turn = m_config.on + m_config.off;

  m_sender->Send (Create<Packet> (m_packet_size - HEADERS));
  m_sent++;
  if (m_config.on > 0 && std::fmod (age, turn) + interval > m_config.on)
    interval = turn - std::fmod (age, turn);
  m_event = Simulator::Schedule (Seconds (interval), &CbrApp::Send, this);
}

void
CbrApp::Take (Ptr<Socket> socket)
{
  while (socket->Recv ())
    m_received++;
}
