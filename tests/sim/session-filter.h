/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The flows of fair queueing: all packets that one source sends from one port. All layers
 * of a session are one flow.
 */
#ifndef SIM_SESSION_FILTER_H
#define SIM_SESSION_FILTER_H

#include <ns3/ipv4-packet-filter.h>

class SessionFilter : public ns3::Ipv4PacketFilter
{
public:
  static ns3::TypeId GetTypeId ();

private:
  int32_t DoClassify (ns3::Ptr<ns3::QueueDiscItem> item) const override;
};

#endif
