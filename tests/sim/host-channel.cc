/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "host-channel.h"

using namespace ns3;

NS_OBJECT_ENSURE_REGISTERED (HostChannel);

TypeId
HostChannel::GetTypeId ()
{
  static TypeId id = TypeId ("HostChannel")
                         .SetParent<PointToPointChannel> ()
                         .AddConstructor<HostChannel> ();

  return id;
}

void
HostChannel::SetHost (Ptr<PointToPointNetDevice> host, double processing)
{
  m_host = host;
  m_processing = CreateObjectWithAttributes<UniformRandomVariable> ("Max",
      DoubleValue (processing));
}

/* Source and destination address and ports behind the two bytes of PPP. */
static uint64_t
FlowOf (Ptr<const Packet> packet)
{
  uint8_t bytes[26] = {};
  uint64_t flow = 0;

  packet->CopyData (bytes, sizeof (bytes));
  for (int i = 14; i < 26; i++)
    flow = flow * 1099511628211u + bytes[i];
  return flow;
}

bool
HostChannel::TransmitStart (Ptr<const Packet> packet,
    Ptr<PointToPointNetDevice> from, Time duration)
{
  Ptr<PointToPointNetDevice> to = GetPointToPointDevice (0);
  Time arrival =
      Simulator::Now () + duration + Seconds (m_processing->GetValue ());
  TimeValue delay;

  if (from != m_host)
    return PointToPointChannel::TransmitStart (packet, from, duration);
  if (to == from)
    to = GetPointToPointDevice (1);
  GetAttribute ("Delay", delay);
  Time &last = m_last[FlowOf (packet)];
  last = std::max (last, arrival + delay.Get ());
  Simulator::ScheduleWithContext (to->GetNode ()->GetId (),
      last - Simulator::Now (), &PointToPointNetDevice::Receive, to,
      packet->Copy ());
  return true;
}
