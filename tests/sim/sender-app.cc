/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sender-app.h"

#include <ctime>
#include <numeric>
#include <stdexcept>

using namespace ns3;

/* Frames for layers of fixed rates wait for the next key frame. */
static const LmccTime SHAPED_WINDOW = 2200 * LMCC_MSECOND;

/* The largest size of the elements that pgmcc or TFMCC adds to each packet. A packet of
 * more than the links' 1500 bytes would be two fragments, and twice as likely lost. */
static const uint32_t SECOND_ELEMENT = 16;

/* NTP time of the simulation's start, an arbitrary value. */
static const LmccTime NTP_OFFSET =
    G_GUINT64_CONSTANT (3900000000) * LMCC_SECOND;

SenderApp::SenderApp (Session &session) : m_session (session)
{
}

SenderApp::~SenderApp ()
{
  if (m_sender != nullptr)
    lmcc_sender_free (m_sender);
}

/* Adds the processor time of its lifetime to a total. */
class Stopwatch
{
public:
  explicit Stopwatch (double &total) : m_total (total), m_start (std::clock ())
  {
  }
  ~Stopwatch ()
  {
    m_total += static_cast<double> (std::clock () - m_start) / CLOCKS_PER_SEC;
  }

private:
  double &m_total;
  std::clock_t m_start;
};

SenderCost
SenderApp::GetCost () const
{
  if (m_sender == nullptr)
    return { m_session.config.name, 0, 0, 0, 0, 0, m_phases };
  const LmccSenderStats *stats = lmcc_sender_get_stats (m_sender);

  return { m_session.config.name, static_cast<double> (stats->packets),
    static_cast<double> (stats->reports),
    static_cast<double> (stats->feedback_bytes), stats->receivers, m_processor,
    m_phases };
}

SenderCounters
SenderApp::Count () const
{
  if (m_sender == nullptr)
    return {};
  const LmccSenderStats *stats = lmcc_sender_get_stats (m_sender);

  return { static_cast<double> (stats->bytes),
    static_cast<double> (stats->reports),
    static_cast<double> (stats->single.reports_leader),
    static_cast<double> (stats->single.rounds),
    static_cast<double> (stats->single.switches),
    static_cast<double> (stats->single.stalls) };
}

void
SenderApp::BeginPhase (const std::string &phase)
{
  m_phases[phase] = Count ();
}

void
SenderApp::EndPhase (const std::string &phase)
{
  SenderCounters counters = Count ();

  counters.Add (m_phases[phase], -1);
  m_phases[phase] = counters;
}

void
SenderApp::StartApplication ()
{
  OpenSockets ();
  StartSender ();
  StartSource ();
  Drain ();
}

void
SenderApp::StopApplication ()
{
  m_timer.Cancel ();
}

void
SenderApp::OpenSockets ()
{
  m_media = Socket::CreateSocket (GetNode (), UdpSocketFactory::GetTypeId ());
  m_media->SetAttribute ("IpMulticastTtl", UintegerValue (64));
  m_media->Bind (InetSocketAddress (Network::GetAddress (GetNode ()),
      static_cast<uint16_t> (40000 + m_session.port)));
  m_feedback =
      Socket::CreateSocket (GetNode (), UdpSocketFactory::GetTypeId ());
  m_feedback->Bind (
      InetSocketAddress (Ipv4Address::GetAny (), m_session.feedback_port));
  m_feedback->SetRecvCallback (MakeCallback (&SenderApp::HandleReport, this));
}

static void
SetLayers (const SessionConfig &config, LmccSession *session)
{
  std::vector<double> rates = config.layers.LayerRates ();

  if (rates.size () > LMCC_MAX_LAYERS)
    throw std::runtime_error ("a session cannot have so many layers");
  if (config.native) {
    if (rates.size () > LMCC_MAX_RUNGS)
      throw std::runtime_error ("a native session has at most 14 layers");
    session->n_rungs = static_cast<guint> (rates.size ());
    session->window = LMCC_DEFAULT_WINDOW;
    return;
  }
  session->native = FALSE;
  session->n_layers = static_cast<guint> (rates.size ());
  for (size_t i = 0; i < rates.size (); i++)
    session->layers[i].rate = static_cast<guint64> (rates[i] + 0.5);
  session->window = SHAPED_WINDOW;
}

/* Throws if the layers do not suit the algorithm; lmcc_sender_new() would only omit the
 * marks. */
static void
CheckFit (const LmccSenderConfig &config)
{
  LmccSession session = config.session;
  g_autoptr (GError) error = nullptr;

  if (!lmcc_session_fit_algorithm (&session, config.nominal_rtt,
          config.leave_latency, &error))
    throw std::runtime_error (error->message);
}

/* NULL, for the library's own, if the scenario has none. */
static const double *
ReadProbabilities (const SessionConfig &config, double *probabilities)
{
  auto n = static_cast<guint> (config.layers.LayerRates ().size ());
  g_autoptr (GError) error = nullptr;

  if (config.probabilities.empty ())
    return nullptr;
  if (!lmcc_increase_probabilities_parse (config.probabilities.c_str (), n,
          probabilities, &error))
    throw std::runtime_error (error->message);
  return probabilities;
}

void
SenderApp::StartSender ()
{
  const SessionConfig &wanted = m_session.config;
  LmccSenderConfig config = {};
  double probabilities[LMCC_MAX_LAYERS];

  lmcc_session_init (&config.session);
  config.session.address = ToLmcc (m_session.base);
  config.session.port = m_session.port;
  config.session.ttl = 64;
  config.session.source = ToLmcc (Network::GetAddress (GetNode ()));
  config.session.ssrc_base = m_session.seed << 12;
  SetLayers (wanted, &config.session);
  config.session.video.clock_rate = 90000;
  config.session.packet_size = m_session.packet_size;
  config.session.feedback_interval = LMCC_DEFAULT_FEEDBACK_INTERVAL;
  config.session.feedback_port = m_session.feedback_port;
  g_strlcpy (config.session.video.encoding_name, "H264",
      LMCC_ENCODING_NAME_SIZE);
  g_strlcpy (config.session.algorithm, wanted.algorithm.c_str (),
      sizeof (config.session.algorithm));
  config.session.slot = static_cast<LmccTime> (wanted.slot * LMCC_SECOND);
  config.session.train_cycle = wanted.train_interval < 0
      ? LMCC_TIME_NONE
      : static_cast<LmccTime> (wanted.train_interval * LMCC_SECOND);
  config.nominal_rtt = static_cast<LmccTime> (wanted.nominal_rtt * LMCC_SECOND);
  config.leave_latency =
      static_cast<LmccTime> (m_session.leave_latency * LMCC_SECOND);
  config.cname = "simulation";
  config.sequence_seed = m_session.seed;
  config.ntp_offset = NTP_OFFSET;
  config.mtu = 1400;
  config.hysteresis = wanted.hysteresis;
  if (!wanted.native)
    CheckFit (config);
  config.probabilities = ReadProbabilities (wanted, probabilities);
  m_sender = lmcc_sender_new (&config, SimNow (), NULL);
}

/* Layers of fixed rates carry one video of half of their rate; the rest is filler. */
void
SenderApp::StartSource ()
{
  std::vector<double> rates = m_session.config.layers.LayerRates ();
  double half = std::accumulate (rates.begin (), rates.end (), 0.0) / 2;

  if (m_session.config.native)
    test_source_init (&m_source, m_sender, rates.data (),
        static_cast<guint> (rates.size ()), SimNow ());
  else
    test_source_init (&m_source, m_sender, &half, 1, SimNow ());
  m_source.packet_size = m_session.packet_size;
  if (lmcc_session_has_single_rate (lmcc_sender_get_session (m_sender)))
    m_source.packet_size -= SECOND_ELEMENT;
  m_source.single_packets = m_session.config.greedy;
  PushPictures ();
}

void
SenderApp::PushPictures ()
{
  {
    Stopwatch stopwatch (m_processor);
    test_source_push (&m_source, SimNow ());
  }
  Simulator::Schedule (NanoSeconds (m_source.next - SimNow ()),
      &SenderApp::PushPictures, this);
  Drain ();
}

void
SenderApp::HandleTimeout ()
{
  if (lmcc_sender_next_timeout (m_sender) <= SimNow ()) {
    Stopwatch stopwatch (m_processor);
    lmcc_sender_handle_timeout (m_sender, SimNow ());
  }
  Drain ();
}

void
SenderApp::HandleReport (Ptr<Socket> socket)
{
  Address from;

  while (Ptr<Packet> packet = socket->RecvFrom (from)) {
    std::vector<uint8_t> data (packet->GetSize ());
    InetSocketAddress sender = InetSocketAddress::ConvertFrom (from);
    LmccAddress address = ToLmcc (sender.GetIpv4 ());

    packet->CopyData (data.data (), static_cast<uint32_t> (data.size ()));
    {
      Stopwatch stopwatch (m_processor);
      lmcc_sender_handle_control (m_sender, SimNow (), &address,
          sender.GetPort (), data.data (), data.size ());
    }
    Drain ();
  }
}

void
SenderApp::Drain ()
{
  LmccSenderAction action;

  while (lmcc_sender_poll_action (m_sender, &action)) {
    switch (action.type) {
      case LMCC_SENDER_ACTION_SEND:
        Transmit (action.packet, action.group, false);
        break;
      case LMCC_SENDER_ACTION_SEND_CONTROL:
        Transmit (action.packet, 0, true);
        break;
      case LMCC_SENDER_ACTION_SESSION_CHANGED:
      case LMCC_SENDER_ACTION_REQUEST_KEY_UNIT:
        break;
    }
  }
  m_timer.Set (lmcc_sender_next_timeout (m_sender),
      [this] () { HandleTimeout (); });
}

void
SenderApp::Transmit (LmccPacket *packet, uint32_t group, bool control)
{
  Ipv4Address address = m_session.Group (group);

  if (m_session.config.native)
    test_source_note_sent (&m_source, packet, control);
  /* The first router would drop a group that nobody joined. */
  if (m_session.tree.HasMembers (address))
    m_media->SendTo (Create<Packet> (packet->data,
                         static_cast<uint32_t> (packet->size)),
        0,
        InetSocketAddress (address,
            static_cast<uint16_t> (m_session.port + (control ? 1 : 0))));
  lmcc_packet_unref (packet);
}
