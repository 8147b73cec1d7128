/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "scenario.h"

#include <json-glib/json-glib.h>

#include <set>
#include <sstream>
#include <stdexcept>

namespace
{

[[noreturn]] void
Fail (const std::string &where, const std::string &what)
{
  throw std::runtime_error (where + ": " + what);
}

std::vector<std::string>
Split (const std::string &text, char separator)
{
  std::vector<std::string> parts;
  std::stringstream stream (text);
  std::string part;

  while (std::getline (stream, part, separator))
    parts.push_back (part);
  return parts;
}

/* "NAME=VALUE,..." */
std::vector<std::pair<std::string, std::string>>
SplitPairs (const std::string &text)
{
  std::vector<std::pair<std::string, std::string>> pairs;

  for (const std::string &part : Split (text, ',')) {
    size_t equals = part.find ('=');
    if (equals == std::string::npos)
      Fail (part, "a parameter is NAME=VALUE");
    pairs.emplace_back (part.substr (0, equals), part.substr (equals + 1));
  }
  return pairs;
}

double
ToNumber (const std::string &text)
{
  size_t used = 0;
  double number = 0;

  try {
    number = std::stod (text, &used);
  } catch (const std::exception &) {
  }
  if (used == 0 || used != text.size ())
    Fail (text, "not a number");
  return number;
}

TcpType
ToTcpType (const std::string &text)
{
  static const std::map<std::string, TcpType> types = {
    { "newreno", TcpType::NewReno },
    { "cubic", TcpType::Cubic },
    { "bbr", TcpType::Bbr },
  };

  if (types.count (text) == 0)
    Fail (text, "TCP is of type newreno, cubic or bbr");
  return types.at (text);
}

/* An object of the file. It notes which members are read; an unread one is an error. */
class Reader
{
public:
  Reader (JsonNode *node, std::string where, const Parameters &parameters)
      : m_where (std::move (where)), m_parameters (parameters)
  {
    if (!JSON_NODE_HOLDS_OBJECT (node))
      Fail (m_where, "not an object");
    m_object = json_node_get_object (node);
  }

  void Finish () const
  {
    g_autoptr (GList) names = json_object_get_members (m_object);

    for (GList *item = names; item != nullptr; item = item->next) {
      auto name = static_cast<const char *> (item->data);
      if (m_asked.count (name) == 0)
        Fail (m_where, std::string ("there is no \"") + name + "\"");
    }
  }

  JsonNode *Get (const char *name, JsonNodeType type)
  {
    JsonNode *node = json_object_get_member (m_object, name);

    m_asked.insert (name);
    if (node != nullptr && json_node_get_node_type (node) != type)
      Fail (m_where, std::string (name) + " has the wrong type");
    return node;
  }

  template <typename Number> void Read (const char *name, Number &value)
  {
    JsonNode *node = Get (name, JSON_NODE_VALUE);

    if (node == nullptr)
      return;
    double number = ToNumber (node);
    if (!(number >= 0))
      Fail (m_where, std::string (name) + " is below 0");
    value = static_cast<Number> (number);
  }

  void Read (const char *name, bool &value)
  {
    JsonNode *node = Get (name, JSON_NODE_VALUE);

    if (node != nullptr)
      value = json_node_get_boolean (node);
  }

  void Read (const char *name, std::string &value)
  {
    JsonNode *node = Get (name, JSON_NODE_VALUE);

    if (node != nullptr && json_node_get_string (node) == nullptr)
      Fail (m_where, std::string (name) + " is not a string");
    if (node != nullptr)
      value = json_node_get_string (node);
  }

  /* A number, or two as the limits of a random one. */
  void Read (const char *name, Range &range)
  {
    JsonNode *node = json_object_get_member (m_object, name);
    double number = 0;

    if (node == nullptr || !JSON_NODE_HOLDS_ARRAY (node)) {
      if (node != nullptr) {
        Read (name, number);
        range = { number, number };
      }
      return;
    }
    m_asked.insert (name);
    std::vector<double> limits = Numbers (node);
    if (limits.size () != 2 || limits[0] > limits[1])
      Fail (m_where,
          std::string (name) + " is not two numbers, the smaller first");
    range = { limits[0], limits[1] };
  }

  void Read (const char *name, std::vector<double> &numbers)
  {
    JsonNode *node = Get (name, JSON_NODE_ARRAY);

    if (node != nullptr)
      numbers = Numbers (node);
  }

  /* Calls read (Reader &, Element &) for each object of a list. */
  template <typename Element, typename Function>
  void ReadList (const char *name, std::vector<Element> &list, Function read)
  {
    JsonNode *node = Get (name, JSON_NODE_ARRAY);

    if (node == nullptr)
      return;
    JsonArray *array = json_node_get_array (node);
    for (guint i = 0; i < json_array_get_length (array); i++) {
      Reader reader (json_array_get_element (array, i),
          m_where + ": " + name + "[" + std::to_string (i) + "]", m_parameters);
      Element element;
      read (reader, element);
      reader.Finish ();
      list.push_back (element);
    }
  }

  template <typename Function> void ReadObject (const char *name, Function read)
  {
    JsonNode *node = Get (name, JSON_NODE_OBJECT);

    if (node == nullptr)
      return;
    Reader reader (node, m_where + ": " + name, m_parameters);
    read (reader);
    reader.Finish ();
  }

  [[noreturn]] void Refuse (const std::string &what) const
  {
    Fail (m_where, what);
  }

  /* The file's parameters, with the changes of the command line. */
  static Parameters ReadParameters (JsonNode *root, const std::string &where,
      const Parameters &changed)
  {
    static const Parameters none;
    Reader reader (root, where, none);
    JsonNode *node = reader.Get ("parameters", JSON_NODE_OBJECT);
    Parameters parameters;

    if (node != nullptr) {
      Reader own (node, where + ": parameters", none);
      g_autoptr (GList) names = json_object_get_members (own.m_object);
      for (GList *item = names; item != nullptr; item = item->next) {
        auto name = static_cast<const char *> (item->data);
        own.Read (name, parameters[name]);
      }
    }
    for (const auto &parameter : changed) {
      if (parameters.count (parameter.first) == 0)
        Fail (where, "there is no parameter \"" + parameter.first + "\"");
      parameters[parameter.first] = parameter.second;
    }
    return parameters;
  }

private:
  /* The number, or the value of the parameter that it names. */
  double ToNumber (JsonNode *node) const
  {
    const char *name = json_node_get_string (node);

    if (name == nullptr)
      return json_node_get_double (node);
    auto found = m_parameters.find (name);
    if (found == m_parameters.end ())
      Fail (m_where, std::string ("there is no parameter \"") + name + "\"");
    return found->second;
  }

  std::vector<double> Numbers (JsonNode *node) const
  {
    JsonArray *array = json_node_get_array (node);
    std::vector<double> numbers;

    for (guint i = 0; i < json_array_get_length (array); i++)
      numbers.push_back (ToNumber (json_array_get_element (array, i)));
    return numbers;
  }

  JsonObject *m_object = nullptr;
  std::string m_where;
  const Parameters &m_parameters;
  std::set<std::string> m_asked;
};

void
ReadQueue (Reader &reader, QueueConfig &queue)
{
  static const std::map<std::string, QueueKind> kinds = {
    { "drop-tail", QueueKind::DropTail },
    { "red", QueueKind::Red },
    { "fair-queueing", QueueKind::FairQueueing },
  };
  std::string kind = "drop-tail";

  reader.Read ("kind", kind);
  if (kinds.count (kind) == 0)
    reader.Refuse ("there is no queue \"" + kind + "\"");
  queue.kind = kinds.at (kind);
  reader.Read ("packets", queue.packets);
  reader.Read ("bytes", queue.bytes);
  reader.Read ("min-threshold", queue.min_threshold);
  reader.Read ("max-threshold", queue.max_threshold);
}

void
ReadLink (Reader &reader, LinkConfig &link)
{
  reader.Read ("from", link.from);
  reader.Read ("to", link.to);
  reader.Read ("count", link.count);
  reader.Read ("rate", link.rate);
  reader.Read ("delay", link.delay);
  reader.Read ("processing", link.processing);
  reader.Read ("loss", link.loss);
  reader.Read ("burst", link.burst);
  reader.ReadObject ("queue",
      [&link] (Reader &queue) { ReadQueue (queue, link.queue); });
}

void
ReadReceiver (Reader &reader, ReceiverConfig &receiver)
{
  reader.Read ("node", receiver.node);
  reader.Read ("count", receiver.count);
  reader.Read ("choose", receiver.choose);
  reader.Read ("each", receiver.each);
  if (receiver.choose > receiver.count)
    reader.Refuse ("more nodes to choose than there are");
  reader.Read ("start", receiver.start);
}

void
ReadSession (Reader &reader, SessionConfig &session)
{
  std::string algorithm = session.algorithm;
  std::string layers = "multiplicative:128000:2:8";

  reader.Read ("name", session.name);
  reader.Read ("source", session.source);
  reader.Read ("algorithm", algorithm);
  ParseAlgorithm (algorithm, session);
  if (session.name.empty ())
    session.name = session.algorithm;
  reader.Read ("layers", layers);
  session.layers = ParseLayers (layers);
  reader.Read ("native", session.native);
  reader.Read ("greedy", session.greedy);
  reader.Read ("hysteresis", session.hysteresis);
  reader.Read ("packet-size", session.packet_size);
  reader.Read ("slot", session.slot);
  reader.Read ("nominal-rtt", session.nominal_rtt);
  reader.Read ("probabilities", session.probabilities);
  reader.Read ("train-interval", session.train_interval);
  reader.Read ("start", session.start);
  reader.Read ("count", session.count);
  reader.Read ("spacing", session.spacing);
  reader.ReadList ("receivers", session.receivers, ReadReceiver);
}

void
ReadTcp (Reader &reader, TcpConfig &tcp)
{
  std::string type = "newreno";

  reader.Read ("name", tcp.name);
  reader.Read ("from", tcp.from);
  reader.Read ("to", tcp.to);
  reader.Read ("nodes", tcp.nodes);
  reader.Read ("count", tcp.count);
  reader.Read ("spacing", tcp.spacing);
  reader.Read ("start", tcp.start);
  reader.Read ("stop", tcp.stop);
  reader.Read ("type", type);
  tcp.type = ToTcpType (type);
}

void
ReadPhase (Reader &reader, PhaseConfig &phase)
{
  reader.Read ("name", phase.name);
  reader.Read ("from", phase.from);
  reader.Read ("to", phase.to);
  if (phase.from >= phase.to)
    reader.Refuse ("ends before it begins");
}

void
ReadCbr (Reader &reader, CbrConfig &cbr)
{
  reader.Read ("name", cbr.name);
  reader.Read ("from", cbr.from);
  reader.Read ("to", cbr.to);
  reader.Read ("rate", cbr.rate);
  reader.Read ("start", cbr.start);
  reader.Read ("stop", cbr.stop);
  reader.Read ("on", cbr.on);
  reader.Read ("off", cbr.off);
}

void
ReadEstimator (Reader &reader, EstimatorConfig &estimator)
{
  reader.Read ("name", estimator.name);
  reader.Read ("window", estimator.window);
  reader.Read ("virtual-packet-size", estimator.virtual_packet_size);
}

void
ReadOpenLoop (Reader &reader, OpenLoopConfig &open_loop)
{
  reader.Read ("name", open_loop.name);
  reader.Read ("from", open_loop.from);
  reader.Read ("to", open_loop.to);
  reader.Read ("rate", open_loop.rate);
  reader.Read ("packet-size", open_loop.packet_size);
  reader.Read ("start", open_loop.start);
  reader.ReadList ("estimators", open_loop.estimators, ReadEstimator);
}

} // namespace

std::vector<double>
LayersConfig::LayerRates () const
{
  std::vector<double> result = rates;
  double cumulative = base;

  if (scheme == "list")
    return result;
  result = { base };
  for (uint32_t i = 1; i < count; i++) {
    double next = scheme == "linear" ? cumulative + base : cumulative * factor;
    result.push_back (next - cumulative);
    cumulative = next;
  }
  return result;
}

LayersConfig
ParseLayers (const std::string &text)
{
  std::vector<std::string> parts = Split (text, ':');
  LayersConfig layers;

  layers.scheme = parts.empty () ? "" : parts[0];
  if (layers.scheme == "list" && parts.size () == 2) {
    for (const std::string &rate : Split (parts[1], ','))
      layers.rates.push_back (ToNumber (rate));
    layers.count = static_cast<uint32_t> (layers.rates.size ());
  } else if (layers.scheme == "linear" && parts.size () == 3) {
    layers.base = ToNumber (parts[1]);
    layers.count = static_cast<uint32_t> (ToNumber (parts[2]));
  } else if (layers.scheme == "multiplicative" && parts.size () == 4) {
    layers.base = ToNumber (parts[1]);
    layers.factor = ToNumber (parts[2]);
    layers.count = static_cast<uint32_t> (ToNumber (parts[3]));
  } else
    Fail (text,
        "layers are multiplicative:BASE:FACTOR:COUNT, linear:BASE:COUNT "
        "or list:RATE,RATE...");
  return layers;
}

void
ParseAlgorithm (const std::string &text, SessionConfig &session)
{
  std::vector<std::string> parts = Split (text, ',');

  if (parts.empty ())
    Fail (text, "no algorithm");
  session.algorithm = parts[0];
  session.settings.clear ();
  for (size_t i = 1; i < parts.size (); i++) {
    size_t equals = parts[i].find ('=');
    if (equals == std::string::npos)
      Fail (parts[i], "a setting is NAME=VALUE");
    session.settings.emplace_back (parts[i].substr (0, equals),
        parts[i].substr (equals + 1));
  }
}

Parameters
ParseParameters (const std::string &text)
{
  Parameters parameters;

  for (const auto &[name, value] : SplitPairs (text))
    parameters[name] = ToNumber (value);
  return parameters;
}

static void
SetTcpNumber (TcpSettings &settings, const std::string &name, double value)
{
  if (name == "sack")
    settings.sack = value != 0;
  else if (name == "classic-recovery")
    settings.classic_recovery = value != 0;
  else if (name == "delayed-acknowledgements" && value >= 1)
    settings.delayed_acknowledgements = static_cast<uint32_t> (value);
  else if (name == "min-rto" && value > 0)
    settings.min_rto = value;
  else if (name == "halving")
    settings.halving = value != 0;
  else if (name == "window" && value >= 1)
    settings.window = static_cast<uint32_t> (value);
  else
    Fail (name,
        "TCP has type, sack, classic-recovery, halving, and above 0 "
        "delayed-acknowledgements, min-rto and window");
}

TcpSettings
ParseTcpSettings (const std::string &text)
{
  TcpSettings settings;

  for (const auto &[name, value] : SplitPairs (text)) {
    if (name == "type")
      settings.type = ToTcpType (value);
    else
      SetTcpNumber (settings, name, ToNumber (value));
  }
  return settings;
}

std::vector<std::string>
ExpandNames (const std::string &name, uint32_t count)
{
  std::vector<std::string> names;

  if (count == 1)
    return { name };
  for (uint32_t i = 1; i <= count; i++)
    names.push_back (name + std::to_string (i));
  return names;
}

Scenario
ReadScenario (const std::string &path, const Parameters &changed)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = nullptr;
  Scenario scenario;

  if (!json_parser_load_from_file (parser, path.c_str (), &error))
    throw std::runtime_error (error->message);
  JsonNode *root = json_parser_get_root (parser);
  Parameters parameters = Reader::ReadParameters (root, path, changed);
  Reader reader (root, path, parameters);
  std::string description;
  reader.Get ("parameters", JSON_NODE_OBJECT);
  reader.Read ("description", description);
  reader.Read ("duration", scenario.duration);
  reader.Read ("warm-up", scenario.warm_up);
  reader.Read ("packet-size", scenario.packet_size);
  reader.Read ("join-latency", scenario.join_latency);
  reader.Read ("leave-latency", scenario.leave_latency);
  reader.ReadList ("phases", scenario.phases, ReadPhase);
  reader.ReadList ("links", scenario.links, ReadLink);
  reader.ReadList ("sessions", scenario.sessions, ReadSession);
  reader.ReadList ("tcp", scenario.tcp, ReadTcp);
  reader.ReadList ("cbr", scenario.cbr, ReadCbr);
  reader.ReadList ("open-loop", scenario.open_loop, ReadOpenLoop);
  reader.Read ("estimates", scenario.estimates);
  reader.Finish ();
  return scenario;
}
