/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "receiver-app.h"

#include <stdexcept>

using namespace ns3;

static const uint32_t IP_OVERHEAD = 28;

ReceiverApp::ReceiverApp (Session &session, const std::string &node_name,
    uint32_t number, double start_time)
    : Flow (session.config.name, "lmcc", node_name, start_time),
      m_session (session), m_number (number)
{
}

ReceiverApp::~ReceiverApp ()
{
  if (m_receiver != nullptr)
    lmcc_receiver_free (m_receiver);
}

FlowCounters
ReceiverApp::Count ()
{
  LmccReceiverStats stats;

  if (m_receiver == nullptr)
    return {};
  lmcc_receiver_get_stats (m_receiver, SimNow (), &stats);
  return { m_bytes, static_cast<double> (stats.packets + stats.lost),
    static_cast<double> (stats.lost), m_joins, m_leaves };
}

FlowStatus
ReceiverApp::GetStatus ()
{
  LmccReceiverStats stats;

  if (m_receiver == nullptr)
    return {};
  lmcc_receiver_get_stats (m_receiver, SimNow (), &stats);
  return { stats.status.loss_event_rate,
    stats.status.fair.used ? stats.status.fair.rate
                           : stats.status.calculated_rate,
    static_cast<double> (stats.rtt) / LMCC_SECOND };
}

static void
FreeSettings (LmccSettings *settings)
{
  if (settings != nullptr)
    lmcc_settings_free (settings);
}

static LmccSettings *
MakeSettings (const SessionConfig &config)
{
  const LmccAlgorithm *algorithm =
      lmcc_algorithm_find (config.algorithm.c_str ());
  LmccSettings *settings = nullptr;
  g_autoptr (GError) error = nullptr;

  if (algorithm == nullptr)
    throw std::runtime_error (
        "there is no algorithm \"" + config.algorithm + "\"");
  if (algorithm->n_settings == 0) {
    if (!config.settings.empty ())
      throw std::runtime_error (config.algorithm + " has no settings");
    return nullptr;
  }
  settings = lmcc_settings_new (algorithm->settings, algorithm->n_settings);
  for (const auto &setting : config.settings)
    if (!lmcc_settings_set (settings, setting.first.c_str (),
            setting.second.c_str (), &error))
      throw std::runtime_error (error->message);
  return settings;
}

void
ReceiverApp::SetUpReceiver ()
{
  LmccSettings *settings = MakeSettings (m_session.config);
  LmccReceiverConfig config = {};

  config.address = ToLmcc (m_session.base);
  config.algorithm = m_session.config.algorithm.c_str ();
  config.settings = settings;
  config.latency = LMCC_DEFAULT_LATENCY;
  config.max_level = -1;
  config.on_loss = LMCC_ON_LOSS_CONCEAL;
  config.no_circuit_breaker = !m_session.config.circuit_breaker;
  config.sequence_seed = m_session.seed + (m_number + 1) * 7919;
  m_receiver = lmcc_receiver_new (&config);
  FreeSettings (settings);
}

void
ReceiverApp::StartApplication ()
{
  m_host = &m_session.Host (GetNode ());
  m_host->Add (this);
  SetUpReceiver ();
  lmcc_receiver_start (m_receiver, SimNow ());
  Drain ();
}

void
ReceiverApp::StopApplication ()
{
  m_timer.Cancel ();
}

void
ReceiverApp::TakeMedia (uint32_t group, const LmccAddress &source,
    uint16_t port, LmccPacket *packet)
{
  if (group > LMCC_MAX_GROUPS || !m_member[group])
    return;
  m_bytes += static_cast<double> (packet->size + IP_OVERHEAD);
  lmcc_receiver_handle_packet (m_receiver, SimNow (), SimNow (), group, &source,
      port, lmcc_packet_ref (packet));
  if (notes_losses)
    NoteLosses ();
  Drain ();
}

void
ReceiverApp::TakeControl (uint32_t group, const LmccAddress &source,
    uint16_t port, const std::vector<uint8_t> &data)
{
  if (group == 0 && m_member[0]) {
    m_bytes += static_cast<double> (data.size () + IP_OVERHEAD);
    lmcc_receiver_handle_control (m_receiver, SimNow (), &source, port,
        data.data (), data.size ());
  } else if (group > 0 && group == m_learning_group)
    lmcc_receiver_handle_learning (m_receiver, SimNow (), data.data (),
        data.size ());
  Drain ();
}

void
ReceiverApp::HandleTimeout ()
{
  if (lmcc_receiver_next_timeout (m_receiver) <= SimNow ())
    lmcc_receiver_handle_timeout (m_receiver, SimNow ());
  if (notes_losses)
    NoteLosses ();
  Drain ();
}

void
ReceiverApp::Drain ()
{
  LmccReceiverAction action;

  while (lmcc_receiver_poll_action (m_receiver, &action)) {
    switch (action.type) {
      case LMCC_RECEIVER_ACTION_JOIN:
      case LMCC_RECEIVER_ACTION_LEAVE:
        SetMember (action.group, action.control,
            action.type == LMCC_RECEIVER_ACTION_JOIN);
        break;
      case LMCC_RECEIVER_ACTION_LEVEL:
        changes.push_back ({ Simulator::Now ().GetSeconds (), action.from,
            action.to, action.reason });
        break;
      case LMCC_RECEIVER_ACTION_REPORT:
        m_host->Send (FromLmcc (action.destination), action.port,
            action.packet);
        break;
      case LMCC_RECEIVER_ACTION_SEND_CONTROL:
        m_host->Send (m_session.Group (action.group), m_session.port + 1u,
            action.packet);
        break;
      case LMCC_RECEIVER_ACTION_DELIVER:
        lmcc_packet_unref (action.packet);
        break;
      default:
        break;
    }
  }
  m_timer.Set (lmcc_receiver_next_timeout (m_receiver),
      [this] () { HandleTimeout (); });
}

void
ReceiverApp::SetMember (uint32_t group, bool control, bool member)
{
  if (control) {
    /* Routers forward this group anyway. */
    m_learning_group = member ? group : 0;
    return;
  }
  if (m_member[group] == member)
    return;
  m_member[group] = member;
  (member ? m_joins : m_leaves) += 1;
  m_host->SetMember (group, member);
}
