/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "session-filter.h"

#include <ns3/ipv4-queue-disc-item.h>
#include <ns3/packet.h>

using namespace ns3;

NS_OBJECT_ENSURE_REGISTERED (SessionFilter);

TypeId
SessionFilter::GetTypeId ()
{
  static TypeId id = TypeId ("SessionFilter")
                         .SetParent<Ipv4PacketFilter> ()
                         .AddConstructor<SessionFilter> ();

  return id;
}

int32_t
SessionFilter::DoClassify (Ptr<QueueDiscItem> item) const
{
  auto packet = DynamicCast<Ipv4QueueDiscItem> (item);
  uint32_t source = packet->GetHeader ().GetSource ().Get ();
  uint8_t ports[2] = { 0, 0 };

  /* UDP and TCP headers both begin with the source port. */
  packet->GetPacket ()->CopyData (ports, sizeof (ports));
  return static_cast<int32_t> (
      (source * 65599u + ports[0] * 256u + ports[1]) & 0x7fffffff);
}
