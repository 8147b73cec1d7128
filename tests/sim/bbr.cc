/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "bbr.h"

using namespace ns3;

NS_OBJECT_ENSURE_REGISTERED (Bbr);

TypeId
Bbr::GetTypeId ()
{
  static TypeId type =
      TypeId ("lmcc::Bbr").SetParent<TcpBbr> ().AddConstructor<Bbr> ();
  return type;
}

/* ns-3 measures from the time at which the previous packet was sent, or from 0 without a
 * valid sample, and an invalid sample keeps the rate of the last one. */
void
Bbr::CongControl (Ptr<TcpSocketState> state,
    const TcpRateOps::TcpRateConnection &connection,
    const TcpRateOps::TcpRateSample &sample)
{
  TcpRateOps::TcpRateSample repaired = sample;

  repaired.m_delivered =
      static_cast<int32_t> (connection.m_delivered - sample.m_priorDelivered);
  repaired.m_ackElapsed = Simulator::Now () - sample.m_priorTime;
  repaired.m_interval = std::max (sample.m_sendElapsed, repaired.m_ackElapsed);
  repaired.m_deliveryRate = DataRate (0); /* ignored */
  if (!sample.m_priorTime.IsZero () && repaired.m_delivered > 0
      && repaired.m_interval >= state->m_minRtt)
    repaired.m_deliveryRate = DataRate (static_cast<uint64_t> (
        repaired.m_delivered * 8 / repaired.m_interval.GetSeconds ()));
  TcpBbr::CongControl (state, connection, repaired);
}

/* ns-3 makes it the window after a recovery, but TcpBbr never sets it, so the window
 * would be infinite. */
uint32_t
Bbr::GetSsThresh (Ptr<const TcpSocketState> state, uint32_t bytes_in_flight)
{
  TcpBbr::GetSsThresh (state, bytes_in_flight);
  return state->m_cWnd.Get ();
}

Ptr<TcpCongestionOps>
Bbr::Fork ()
{
  return CopyObject<Bbr> (this);
}
