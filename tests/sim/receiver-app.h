/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * LmccReceiver as an application of ns-3: group membership and a timer.
 */
#ifndef SIM_RECEIVER_APP_H
#define SIM_RECEIVER_APP_H

#include "flow.h"
#include "session.h"

class ReceiverApp : public ns3::Application, public Flow, public HostedReceiver
{
public:
  ReceiverApp (Session &session, const std::string &node, uint32_t number,
      double start);
  ~ReceiverApp () override;

  FlowCounters Count () override;
  FlowStatus GetStatus () override;
  void TakeMedia (uint32_t group, const LmccAddress &source, uint16_t port,
      LmccPacket *packet) override;
  void TakeControl (uint32_t group, const LmccAddress &source, uint16_t port,
      const std::vector<uint8_t> &data) override;

private:
  void StartApplication () override;
  void StopApplication () override;
  void SetUpReceiver ();
  void HandleTimeout ();
  void Drain ();
  void SetMember (uint32_t group, bool control, bool member);

  Session &m_session;
  const uint32_t m_number;
  ReceiverHost *m_host = nullptr;
  LmccReceiver *m_receiver = nullptr;
  bool m_member[LMCC_MAX_GROUPS + 1] = {};
  uint32_t m_learning_group = 0;
  double m_bytes = 0;
  double m_joins = 0;
  double m_leaves = 0;
  SimTimer m_timer;
};

#endif
