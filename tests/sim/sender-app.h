/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * LmccSender as an application of ns-3: sockets and a timer.
 */
#ifndef SIM_SENDER_APP_H
#define SIM_SENDER_APP_H

#include "report.h"
#include "session.h"

class SenderApp : public ns3::Application
{
public:
  explicit SenderApp (Session &session);
  ~SenderApp () override;

  SenderCost GetCost () const;
  void BeginPhase (const std::string &phase);
  void EndPhase (const std::string &phase);

private:
  SenderCounters Count () const;
  void StartApplication () override;
  void StopApplication () override;
  void OpenSockets ();
  void StartSender ();
  void StartSource ();
  void PushPictures ();
  void HandleTimeout ();
  void HandleReport (ns3::Ptr<ns3::Socket> socket);
  void Drain ();
  void Transmit (LmccPacket *packet, uint32_t group, bool control);

  Session &m_session;
  ns3::Ptr<ns3::Socket> m_media;
  ns3::Ptr<ns3::Socket> m_feedback;
  LmccSender *m_sender = nullptr;
  TestSource m_source = {};
  SimTimer m_timer;
  double m_processor = 0;
  std::map<std::string, SenderCounters>
      m_phases; /* counters at the start, then of the phase */
};

#endif
