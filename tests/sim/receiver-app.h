/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * LmccReceiver as an application of ns-3: sockets, membership and the timer.
 */
#ifndef SIM_RECEIVER_APP_H
#define SIM_RECEIVER_APP_H

#include "flow.h"
#include "session.h"

#include <memory>

class ReceiverApp : public ns3::Application, public Flow
{
public:
  ReceiverApp (
      Session & session, const std::string & node, uint32_t number, double start);
  ~ReceiverApp () override;

  FlowCounters Count () override;
  FlowStatus GetStatus () override;

private:
  void StartApplication () override;
  void StopApplication () override;
  ns3::Ptr<ns3::Socket> OpenSocket (uint16_t port);
  void SetUpReceiver ();
  void HandleMedia (ns3::Ptr<ns3::Socket> socket);
  void HandleControl (ns3::Ptr<ns3::Socket> socket);
  void HandleTimeout ();
  void Drain ();
  void SetMember (uint32_t group, bool control, bool member);
  void Send (ns3::Ipv4Address to, uint32_t port, LmccPacket * packet);

  Session & m_session;
  const uint32_t m_number;
  ns3::Ptr<ns3::Socket> m_media;
  ns3::Ptr<ns3::Socket> m_control;
  LmccReceiver * m_receiver = nullptr;
  bool m_member[LMCC_MAX_GROUPS + 1] = {};
  uint32_t m_learning_group = 0;
  double m_bytes = 0;
  SimTimer m_timer;
};

#endif
