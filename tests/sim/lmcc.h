/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The library, and the encoder model of the other tests, for C++.
 */
#ifndef SIM_LMCC_H
#define SIM_LMCC_H

#include "support/test-source.h"

#include <gst/lmcc/wire/rtp.h>

#include <ns3/core-module.h>
#include <ns3/network-module.h>

/* The library's clock begins with ns-3's. */
inline LmccTime
SimNow ()
{
  return static_cast<LmccTime> (ns3::Simulator::Now ().GetNanoSeconds ());
}

inline LmccAddress
ToLmcc (ns3::Ipv4Address address)
{
  LmccAddress result = {};

  result.family = LMCC_FAMILY_IPV4;
  address.Serialize (result.bytes);
  return result;
}

inline ns3::Ipv4Address
FromLmcc (const LmccAddress &address)
{
  return ns3::Ipv4Address::Deserialize (address.bytes);
}

/* An event at the next timeout of a state machine. It is only moved to an earlier time:
 * an event that comes too early costs less than a new event for each packet. */
class SimTimer
{
public:
  template <typename Function> void Set (LmccTime at, Function expire)
  {
    if (at == LMCC_TIME_NONE || (m_event.IsRunning () && m_at <= at))
      return;
    m_event.Cancel ();
    m_at = std::max (at, SimNow ());
    m_event =
        ns3::Simulator::Schedule (ns3::NanoSeconds (m_at - SimNow ()), expire);
  }

  void Cancel ()
  {
    m_event.Cancel ();
  }

private:
  ns3::EventId m_event;
  LmccTime m_at = 0;
};

#endif
