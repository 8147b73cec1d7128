/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ns-3's BBR without two faults of ns-3 3.37, after which a loss can leave it at a few
 * packets per second.
 */
#ifndef SIM_BBR_H
#define SIM_BBR_H

#include <ns3/internet-module.h>

class Bbr : public ns3::TcpBbr
{
public:
  static ns3::TypeId GetTypeId ();

  void CongControl (ns3::Ptr<ns3::TcpSocketState> state,
      const ns3::TcpRateOps::TcpRateConnection &connection,
      const ns3::TcpRateOps::TcpRateSample &sample) override;
  uint32_t GetSsThresh (ns3::Ptr<const ns3::TcpSocketState> state,
      uint32_t bytes_in_flight) override;
  ns3::Ptr<ns3::TcpCongestionOps> Fork () override;
};

#endif
