/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A wire behind a host that takes a random time for each packet. Otherwise packets
 * clocked by acknowledgements would always find room in a full queue, and evenly spaced
 * packets never (Floyd and Jacobson, "On Traffic Phase Effects in Packet-Switched
 * Gateways", 1991). Packets of one flow stay in order.
 */
#ifndef SIM_HOST_CHANNEL_H
#define SIM_HOST_CHANNEL_H

#include <map>
#include <ns3/core-module.h>
#include <ns3/point-to-point-module.h>

class HostChannel : public ns3::PointToPointChannel
{
public:
  static ns3::TypeId GetTypeId ();

  /* Delays only the packets that @host sends, each by a time below @processing. */
  void SetHost (ns3::Ptr<ns3::PointToPointNetDevice> host, double processing);

  bool TransmitStart (ns3::Ptr<const ns3::Packet> packet,
      ns3::Ptr<ns3::PointToPointNetDevice> from, ns3::Time duration) override;

private:
  ns3::Ptr<ns3::PointToPointNetDevice> m_host;
  ns3::Ptr<ns3::UniformRandomVariable> m_processing;
  std::map<uint64_t, ns3::Time> m_last; /* arrival of each flow's last packet */
};

#endif
