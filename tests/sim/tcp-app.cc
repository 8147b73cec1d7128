/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tcp-app.h"

#include "bbr.h"
#include "network.h"

using namespace ns3;

/* IP and TCP headers with the timestamps option. */
static const uint32_t HEADERS = 52;

static const uint32_t BUFFER = 4 << 20;

/* RFC 5681 section 3.1 halves the unacknowledged data, which is the whole window of a
 * sender that always has data. TcpNewReno subtracts the segments that SACK has reported
 * and the lost ones first, and halves the rest. */
class TcpHalving : public TcpNewReno
{
public:
  static TypeId GetTypeId ()
  {
    static TypeId type = TypeId ("lmcc::TcpHalving")
                             .SetParent<TcpNewReno> ()
                             .AddConstructor<TcpHalving> ();
    return type;
  }

  uint32_t GetSsThresh (Ptr<const TcpSocketState> state, uint32_t) override
  {
    return std::max (2 * state->m_segmentSize, state->m_cWnd.Get () / 2);
  }

  Ptr<TcpCongestionOps> Fork () override
  {
    return CopyObject<TcpHalving> (this);
  }
};

NS_OBJECT_ENSURE_REGISTERED (TcpHalving);

void
ConfigureTcp (const TcpSettings &settings, uint32_t packet_size)
{
  const uint32_t segment = packet_size - HEADERS;

  Config::SetDefault ("ns3::TcpL4Protocol::SocketType",
      TypeIdValue (settings.halving ? TcpHalving::GetTypeId ()
                                    : TcpNewReno::GetTypeId ()));
  if (settings.classic_recovery)
    Config::SetDefault ("ns3::TcpL4Protocol::RecoveryType",
        TypeIdValue (TcpClassicRecovery::GetTypeId ()));
  Config::SetDefault ("ns3::TcpSocketBase::Sack", BooleanValue (settings.sack));
  Config::SetDefault ("ns3::TcpSocketBase::MinRto",
      TimeValue (Seconds (settings.min_rto)));
  Config::SetDefault ("ns3::TcpSocket::DelAckCount",
      UintegerValue (settings.delayed_acknowledgements));
  Config::SetDefault ("ns3::TcpSocket::SegmentSize", UintegerValue (segment));
  Config::SetDefault ("ns3::TcpSocket::SndBufSize", UintegerValue (BUFFER));
  Config::SetDefault ("ns3::TcpSocket::RcvBufSize", UintegerValue (BUFFER));
}

TcpApp::TcpApp (const TcpConfig &config, const Scenario &scenario,
    const std::string &node_name, double start_time, Ptr<Node> receiver,
    uint16_t port)
    : Flow (config.name, "tcp", node_name, start_time), m_type (config.type),
      m_window (std::min (scenario.tcp_settings.window,
          BUFFER / scenario.packet_size)),
      m_packet_size (scenario.packet_size), m_receiver_node (receiver),
      m_port (port)
{
}

FlowCounters
TcpApp::Count ()
{
  double segment = m_packet_size - HEADERS;

  return { static_cast<double> (m_in_order) * m_packet_size / segment,
    static_cast<double> (m_sent),
    static_cast<double> (m_sent) - static_cast<double> (m_received) };
}

/* ConfigureTcp() has already made all connections NewReno. */
void
TcpApp::SetType ()
{
  auto tcp = DynamicCast<TcpSocketBase> (m_sender);

  if (m_type == TcpType::Cubic) {
    tcp->SetCongestionControlAlgorithm (CreateObject<TcpCubic> ());
  } else if (m_type == TcpType::Bbr) {
    auto bbr = CreateObject<Bbr> ();
    bbr->SetStream (m_port); /* otherwise all draw the same numbers */
    tcp->SetCongestionControlAlgorithm (bbr);
    tcp->SetPacingStatus (true);
  }
}

void
TcpApp::StartApplication ()
{
  m_listener =
      Socket::CreateSocket (m_receiver_node, TcpSocketFactory::GetTypeId ());
  m_listener->Bind (InetSocketAddress (Ipv4Address::GetAny (), m_port));
  m_listener->Listen ();
  m_listener->SetAcceptCallback (
      MakeNullCallback<bool, Ptr<Socket>, const Address &> (),
      MakeCallback (&TcpApp::Accept, this));
  m_sender = Socket::CreateSocket (GetNode (), TcpSocketFactory::GetTypeId ());
  SetType ();
  m_sender->TraceConnectWithoutContext ("Tx",
      MakeCallback (&TcpApp::NoteSent, this));
  m_sender->SetSendCallback (MakeCallback (&TcpApp::Fill, this));
  m_sender->Bind ();
  m_sender->Connect (
      InetSocketAddress (Network::GetAddress (m_receiver_node), m_port));
}

void
TcpApp::StopApplication ()
{
  m_stopped = true;
  if (m_sender != nullptr)
    m_sender->Close ();
}

/* The buffer has the data in flight and the data sent after Close(). */
void
TcpApp::Fill (Ptr<Socket> socket, uint32_t)
{
  auto tcp = DynamicCast<TcpSocketBase> (socket);
  uint32_t segment = m_packet_size - HEADERS;

  while (!m_stopped
      && tcp->GetTxAvailable () > BUFFER - m_window * m_packet_size
      && socket->Send (Create<Packet> (segment)) > 0)
    continue;
}

void
TcpApp::Accept (Ptr<Socket> socket, const Address &)
{
  m_receiver = socket;
  socket->SetRecvCallback (MakeCallback (&TcpApp::Take, this));
  socket->TraceConnectWithoutContext ("Rx",
      MakeCallback (&TcpApp::NoteReceived, this));
}

void
TcpApp::Take (Ptr<Socket> socket)
{
  while (Ptr<Packet> packet = socket->Recv ())
    m_in_order += packet->GetSize ();
}

void
TcpApp::NoteSent (Ptr<const Packet> packet, const TcpHeader &,
    Ptr<const TcpSocketBase>)
{
  m_sent += packet->GetSize () > 0 ? 1 : 0;
}

void
TcpApp::NoteReceived (Ptr<const Packet> packet, const TcpHeader &,
    Ptr<const TcpSocketBase>)
{
  m_received += packet->GetSize () > 0 ? 1 : 0;
}
