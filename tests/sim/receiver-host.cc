/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "receiver-host.h"

#include "session.h"

using namespace ns3;

ReceiverHost::ReceiverHost (Session &session, Ptr<Node> node)
    : m_session (session), m_node (node), m_media (OpenSocket (session.port)),
      m_control (OpenSocket (static_cast<uint16_t> (session.port + 1)))
{
  m_media->SetRecvCallback (MakeCallback (&ReceiverHost::HandleMedia, this));
  m_control->SetRecvCallback (
      MakeCallback (&ReceiverHost::HandleControl, this));
}

Ptr<Socket>
ReceiverHost::OpenSocket (uint16_t port)
{
  Ptr<Socket> socket =
      Socket::CreateSocket (m_node, UdpSocketFactory::GetTypeId ());

  socket->Bind (InetSocketAddress (Ipv4Address::GetAny (), port));
  socket->SetRecvPktInfo (true);
  socket->SetAttribute ("IpMulticastTtl", UintegerValue (64));
  return socket;
}

void
ReceiverHost::Add (HostedReceiver *receiver)
{
  m_receivers.push_back (receiver);
}

void
ReceiverHost::SetMember (uint32_t group, bool member)
{
  uint32_t &members = m_members[group];

  if (member && members++ == 0)
    m_session.tree.Join (m_node, m_session.Group (group));
  else if (!member && --members == 0)
    m_session.tree.Leave (m_node, m_session.Group (group));
}

void
ReceiverHost::Send (Ipv4Address to, uint32_t port, LmccPacket *packet)
{
  m_control->SendTo (Create<Packet> (packet->data,
                         static_cast<uint32_t> (packet->size)),
      0, InetSocketAddress (to, static_cast<uint16_t> (port)));
  lmcc_packet_unref (packet);
}

uint32_t
ReceiverHost::GroupOf (Ptr<Packet> packet) const
{
  Ipv4PacketInfoTag tag;

  packet->RemovePacketTag (tag);
  return tag.GetAddress ().Get () - m_session.base.Get ();
}

void
ReceiverHost::HandleMedia (Ptr<Socket> socket)
{
  Address from;

  while (Ptr<Packet> packet = socket->RecvFrom (from)) {
    InetSocketAddress sender = InetSocketAddress::ConvertFrom (from);
    LmccAddress source = ToLmcc (sender.GetIpv4 ());
    uint32_t group = GroupOf (packet);
    LmccPacket *copy = lmcc_packet_new (packet->GetSize ());

    copy->size = packet->CopyData (copy->data, packet->GetSize ());
    for (HostedReceiver *receiver : m_receivers)
      receiver->TakeMedia (group, source, sender.GetPort (), copy);
    lmcc_packet_unref (copy);
  }
}

void
ReceiverHost::HandleControl (Ptr<Socket> socket)
{
  Address from;

  while (Ptr<Packet> packet = socket->RecvFrom (from)) {
    InetSocketAddress sender = InetSocketAddress::ConvertFrom (from);
    LmccAddress source = ToLmcc (sender.GetIpv4 ());
    uint32_t group = GroupOf (packet);
    std::vector<uint8_t> data (packet->GetSize ());

    packet->CopyData (data.data (), static_cast<uint32_t> (data.size ()));
    for (HostedReceiver *receiver : m_receivers)
      receiver->TakeControl (group, source, sender.GetPort (), data);
  }
}
