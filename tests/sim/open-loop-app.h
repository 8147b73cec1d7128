/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * UDP packets at a constant rate without congestion control, and the library's loss
 * estimators at the receiver.
 */
#ifndef SIM_OPEN_LOOP_APP_H
#define SIM_OPEN_LOOP_APP_H

#include "flow.h"
#include "lmcc.h"
#include "scenario.h"

#include <gst/lmcc/control/elm/virtual-packets.h>
#include <gst/lmcc/measure/loss-intervals.h>
#include <gst/lmcc/measure/smoothing.h>
#include <gst/lmcc/receiver/layer-account.h>

#include <ns3/internet-module.h>

class OpenLoopApp : public ns3::Application, public Flow
{
public:
  OpenLoopApp (const OpenLoopConfig &config, uint32_t packet_size, double start,
      ns3::Ptr<ns3::Node> receiver, uint16_t port);
  ~OpenLoopApp () override;

  FlowCounters Count () override;
  std::map<std::string, FlowStatus> GetEstimates () override;

private:
  struct Estimator
  {
    std::string name;
    uint32_t packet_size; /* s of the model, bytes */
    LmccLossIntervals *history;
    LmccVirtualPackets packets;
  };

  void StartApplication () override;
  void StopApplication () override;
  void AddEstimator (const EstimatorConfig &config);
  void Send ();
  void Take (ns3::Ptr<ns3::Socket> socket);
  void TakeLosses ();
  void Report (const ns3::Address &to, ns3::Ptr<ns3::Packet> packet);
  void TakeReport (ns3::Ptr<ns3::Socket> socket);

  const OpenLoopConfig m_config;
  const uint32_t m_packet_size;
  ns3::Ptr<ns3::Node> m_receiver_node;
  const uint16_t m_port;
  ns3::Ptr<ns3::Socket> m_sender;
  ns3::Ptr<ns3::Socket> m_receiver;
  ns3::EventId m_event;
  uint64_t m_sent = 0;
  LmccReordering m_reordering{};
  LmccLayerAccount *m_account;
  std::vector<Estimator> m_estimators;
  LmccEwma m_rtt;
  LmccTime m_reported = 0;
};

#endif
