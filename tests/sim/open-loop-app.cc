/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "open-loop-app.h"

#include "network.h"

#include <gst/lmcc/measure/loss.h>
#include <gst/lmcc/measure/tcp-model.h>

#include <algorithm>

using namespace ns3;

static const uint32_t HEADERS = 28;

/* Weight of a sample of the round-trip time; RFC 5348 section 4.3 recommends q = 0.9. */
static const double RTT_WEIGHT = 0.1;

/* Used until a round-trip time is known (RFC 4654 section 3.1). */
static const LmccTime RTT_UNKNOWN = 500 * LMCC_MSECOND;

/* The beginning of the payload. */
struct Stamp
{
  LmccTime sent;
  uint16_t number;
};

static Stamp
ReadStamp (Ptr<const Packet> packet)
{
  Stamp stamp;

  packet->CopyData (reinterpret_cast<uint8_t *> (&stamp),
      static_cast<uint32_t> (sizeof (stamp)));
  return stamp;
}

OpenLoopApp::OpenLoopApp (const OpenLoopConfig &config, uint32_t packet_size,
    double start_time, Ptr<Node> receiver, uint16_t port)
    : Flow (config.name, "open-loop", config.to, start_time), m_config (config),
      m_packet_size (config.packet_size > 0 ? config.packet_size : packet_size),
      m_receiver_node (receiver), m_port (port),
      m_account (lmcc_layer_account_new (&m_reordering))
{
  lmcc_ewma_init (&m_rtt, RTT_WEIGHT);
  for (const EstimatorConfig &estimator : config.estimators)
    AddEstimator (estimator);
}

OpenLoopApp::~OpenLoopApp ()
{
  lmcc_layer_account_free (m_account);
  for (const Estimator &estimator : m_estimators)
    lmcc_loss_intervals_free (estimator.history);
}

void
OpenLoopApp::AddEstimator (const EstimatorConfig &config)
{
  uint32_t size = config.virtual_packet_size;
  Estimator estimator = { config.name, size > 0 ? size : m_packet_size,
    lmcc_loss_intervals_new (config.window, RTT_UNKNOWN), {} };

  lmcc_virtual_packets_init (&estimator.packets, size);
  m_estimators.push_back (estimator);
}

FlowCounters
OpenLoopApp::Count ()
{
  const LmccLayerStats *stats = lmcc_layer_account_get_stats (m_account);
  auto received = static_cast<double> (stats->received);
  auto lost = static_cast<double> (stats->lost);

  return { received * m_packet_size, received + lost, lost };
}

std::map<std::string, FlowStatus>
OpenLoopApp::GetEstimates ()
{
  std::map<std::string, FlowStatus> estimates;

  for (const Estimator &estimator : m_estimators) {
    double loss_rate = lmcc_loss_intervals_get_loss_rate (estimator.history);

    if (!m_rtt.started)
      continue;
    estimates[estimator.name] = { loss_rate,
      lmcc_tcp_model_rate (loss_rate,
          static_cast<LmccTime> (m_rtt.value * LMCC_SECOND),
          estimator.packet_size),
      m_rtt.value };
  }
  return estimates;
}

void
OpenLoopApp::StartApplication ()
{
  m_receiver =
      Socket::CreateSocket (m_receiver_node, UdpSocketFactory::GetTypeId ());
  m_receiver->Bind (InetSocketAddress (Ipv4Address::GetAny (), m_port));
  m_receiver->SetRecvCallback (MakeCallback (&OpenLoopApp::Take, this));
  m_sender = Socket::CreateSocket (GetNode (), UdpSocketFactory::GetTypeId ());
  m_sender->Bind ();
  m_sender->Connect (
      InetSocketAddress (Network::GetAddress (m_receiver_node), m_port));
  m_sender->SetRecvCallback (MakeCallback (&OpenLoopApp::TakeReport, this));
  Send ();
}

void
OpenLoopApp::StopApplication ()
{
  m_event.Cancel ();
}

void
OpenLoopApp::Send ()
{
  std::vector<uint8_t> data (m_packet_size - HEADERS);
  Stamp stamp = { SimNow (), static_cast<uint16_t> (m_sent++) };

  std::copy_n (reinterpret_cast<const uint8_t *> (&stamp), sizeof (stamp),
      data.begin ());
  m_sender->Send (
      Create<Packet> (data.data (), static_cast<uint32_t> (data.size ())));
  m_event = Simulator::Schedule (Seconds (8.0 * m_packet_size / m_config.rate),
      &OpenLoopApp::Send, this);
}

void
OpenLoopApp::Take (Ptr<Socket> socket)
{
  Address from;

  while (Ptr<Packet> packet = socket->RecvFrom (from)) {
    lmcc_layer_account_packet (m_account, SimNow (), ReadStamp (packet).number,
        m_packet_size);
    for (Estimator &estimator : m_estimators)
      lmcc_loss_intervals_packet (estimator.history, SimNow (),
          lmcc_virtual_packets_add (&estimator.packets, m_packet_size));
    lmcc_layer_account_timeout (m_account, SimNow ());
    TakeLosses ();
    Report (from, packet);
  }
}

/* The first interval is set to the one at which TCP would have this rate (RFC 5348
 * section 6.3.1). */
void
OpenLoopApp::TakeLosses ()
{
  LmccLoss loss;

  while (lmcc_layer_account_poll_loss (m_account, &loss))
    for (Estimator &estimator : m_estimators) {
      bool first = lmcc_loss_intervals_get_events (estimator.history) == 0;

      for (guint i = 0; i < loss.count; i++)
        lmcc_loss_intervals_loss (estimator.history,
            lmcc_loss_get_time (&loss, i),
            lmcc_virtual_packets_lose (&estimator.packets, 1));
      if (first && m_rtt.started)
        lmcc_loss_intervals_set_first (estimator.history,
            lmcc_loss_intervals_first_length (m_config.rate,
                static_cast<LmccTime> (m_rtt.value * LMCC_SECOND),
                estimator.packet_size));
    }
}

/* Sends a report once per round-trip time. */
void
OpenLoopApp::Report (const Address &to, Ptr<Packet> packet)
{
  auto rtt =
      static_cast<LmccTime> (m_rtt.started ? m_rtt.value * LMCC_SECOND : 0);

  if (SimNow () < m_reported + rtt)
    return;
  m_reported = SimNow ();
  m_receiver->SendTo (packet->CreateFragment (0, sizeof (Stamp)), 0, to);
}

/* Sets the receiver's round-trip time at once, half a round trip earlier than the next
 * packet would. */
void
OpenLoopApp::TakeReport (Ptr<Socket> socket)
{
  while (Ptr<Packet> packet = socket->Recv ()) {
    lmcc_ewma_add (&m_rtt,
        static_cast<double> (SimNow () - ReadStamp (packet).sent)
            / LMCC_SECOND);
    for (const Estimator &estimator : m_estimators)
      lmcc_loss_intervals_set_rtt (estimator.history,
          static_cast<LmccTime> (m_rtt.value * LMCC_SECOND));
  }
}
