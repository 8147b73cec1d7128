/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The description of a simulation, read from a JSON file and changed by the command line.
 * Rates are in bit/s, times in seconds, sizes in bytes of IP packets.
 */
#ifndef SIM_SCENARIO_H
#define SIM_SCENARIO_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

/* A number that is drawn anew for each use, evenly distributed between two limits. */
struct Range
{
  double least = 0;
  double most = 0;
};

enum class QueueKind
{
  DropTail,
  Red,
  FairQueueing
};

struct QueueConfig
{
  QueueKind kind = QueueKind::DropTail;
  uint32_t packets = 10000;
  uint64_t bytes = 0;       /* above 0: the limit is in bytes */
  double min_threshold = 5; /* of RED, packets */
  double max_threshold = 15;
};

/* A link to each of "count" nodes. If "count" is above 1, a number follows their name. */
struct LinkConfig
{
  std::string from;
  std::string to;
  uint32_t count = 1;
  Range rate{ 100e6, 100e6 };
  Range delay{ 0.01, 0.01 };
  double loss = 0;       /* from "from" to "to" */
  double processing = 0; /* longest time of the host "from" for a packet */
  double burst = 1;      /* mean number of packets lost in a row */
  QueueConfig queue;     /* in both directions */
};

struct LayersConfig
{
  std::string scheme = "multiplicative"; /* or linear, list */
  double base = 128000;                  /* R_0 */
  double factor = 2;                     /* of multiplicative */
  uint32_t count = 8;
  std::vector<double> rates; /* of list: r_i */

  std::vector<double> LayerRates () const;
};

struct ReceiverConfig
{
  std::string node;
  uint32_t count = 1;
  uint32_t choose = 0; /* number chosen at random; 0: all */
  uint32_t each = 1;   /* receivers per node */
  Range start;
};

struct SessionConfig
{
  std::string name;
  std::string source;
  std::string algorithm = "elm";
  std::vector<std::pair<std::string, std::string>> settings;
  LayersConfig layers;
  bool native = false;   /* one encoding per layer, else fixed rates */
  bool greedy = false;   /* each packet is a picture, and one is always ready */
  double hysteresis = 0; /* c of pgmcc; 0: the library's */
  uint32_t packet_size = 0;   /* 0: the scenario's */
  double slot = 0;            /* 0: the algorithm's */
  double train_interval = -1; /* 0: no trains; below: the algorithm's */
  double nominal_rtt = 0;
  std::string probabilities; /* of FLID, one per level; empty: the library's */
  Range start;               /* of the sender */
  bool circuit_breaker = true; /* of the receivers */
  uint32_t count = 1;
  double spacing = 0; /* time from the start of one to that of the next */
  std::vector<ReceiverConfig> receivers;
};

/* The congestion control of a TCP connection. */
enum class TcpType
{
  NewReno,
  Cubic,
  Bbr
};

struct TcpConfig
{
  std::string from;
  std::string to;
  uint32_t nodes = 1; /* one connection to each; a number follows their name */
  uint32_t count = 1;
  double spacing = 0; /* time from the start of one to that of the next */
  Range start;
  double stop = 0; /* 0: the end */
  std::string name = "tcp";
  TcpType type = TcpType::NewReno;
};

/* Settings of all TCP connections. The README of docs/reproduction has the reasons. */
struct TcpSettings
{
  bool sack = true;
  bool classic_recovery = false; /* RFC 6582's window inflation, not RFC 6937 */
  uint32_t delayed_acknowledgements = 1; /* segments per acknowledgement */
  double min_rto = 0.2;
  bool halving = false;        /* NewReno: of the whole window, RFC 5681 */
  std::optional<TcpType> type; /* none: the scenario's */
  uint32_t window = 256;       /* maximum, packets */
};

struct CbrConfig
{
  std::string from;
  std::string to;
  double rate = 0;
  double start = 0;
  double stop = 0; /* 0: the end */
  double on = 0;   /* 0: always */
  double off = 0;
  std::string name = "cbr";
};

/* How losses are counted: see lmcc_loss_intervals_new() and LmccVirtualPackets. */
struct EstimatorConfig
{
  std::string name;
  uint32_t window = 1;              /* packets */
  uint32_t virtual_packet_size = 0; /* 0: real packets */
};

/* A flow of constant rate, and the estimators at its receiver. */
struct OpenLoopConfig
{
  std::string from;
  std::string to;
  double rate = 0;
  uint32_t packet_size = 0; /* 0: the scenario's */
  Range start;
  std::string name = "open-loop";
  std::vector<EstimatorConfig> estimators;
};

/* A part of the time that is measured separately. */
struct PhaseConfig
{
  std::string name;
  double from = 0;
  double to = 0;
};

struct Scenario
{
  double duration = 300;
  double warm_up = 30;
  uint32_t packet_size = 1000;
  Range join_latency; /* of the last router */
  Range leave_latency;
  double estimates = 0; /* sampling interval for means; 0: none */
  double series = 0;    /* interval of the time series; 0: none */
  bool losses = false;  /* output each loss */
  bool cost = false;    /* output processor times, which differ between runs */
  uint32_t seed = 1;
  std::vector<PhaseConfig> phases;
  std::vector<LinkConfig> links;
  std::vector<SessionConfig> sessions;
  std::vector<TcpConfig> tcp;
  TcpSettings tcp_settings;
  std::vector<CbrConfig> cbr;
  std::vector<OpenLoopConfig> open_loop;
};

/* New values of the file's named numbers. */
using Parameters = std::map<std::string, double>;

Scenario ReadScenario (const std::string &path, const Parameters &changed = {});

/* "n=48,slot=0.5". */
Parameters ParseParameters (const std::string &text);

/* "type=cubic,sack=0,classic-recovery=1,delayed-acknowledgements=2,min-rto=1.0". */
TcpSettings ParseTcpSettings (const std::string &text);

/* "multiplicative:24000:1.3:30", "linear:10000:40" or "list:128000,128000,256000". */
LayersConfig ParseLayers (const std::string &text);

/* "elm,strategy=lazy,join-time=10.0": the name and its settings. */
void ParseAlgorithm (const std::string &text, SessionConfig &session);

/* The names of "count" nodes: the name alone for 1, else the name with a number. */
std::vector<std::string> ExpandNames (const std::string &name, uint32_t count);

#endif
