/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The results of a simulation as JSON, in bit/s and seconds.
 */
#ifndef SIM_REPORT_H
#define SIM_REPORT_H

#include "flow.h"
#include "scenario.h"

#include <map>
#include <string>
#include <vector>

/* The counters of a session's sender so far, or in a phase. */
struct SenderCounters
{
  double bytes = 0; /* sent, of IP packets */
  double reports = 0;
  double leader_reports = 0; /* of the receiver that sets the rate */
  double rounds = 0;         /* of TFMCC's feedback */
  double switches = 0;       /* of pgmcc's acker */
  double stalls = 0;

  void Add (const SenderCounters &more, double sign);
};

/* The cost of a session for its sender. */
struct SenderCost
{
  std::string session;
  double packets = 0;
  double reports = 0;
  double feedback_bytes = 0; /* of reports and answers */
  double receivers = 0;      /* the sender's estimate at the end */
  double processor = 0;      /* seconds in the library */
  std::map<std::string, SenderCounters> phases = {};
};

std::string FormatReport (const std::string &name, const Scenario &scenario,
    const std::vector<Flow *> &flows, const std::vector<SenderCost> &senders);

#endif
