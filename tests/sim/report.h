/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a simulation found, as JSON: bit/s and seconds.
 */
#ifndef SIM_REPORT_H
#define SIM_REPORT_H

#include "flow.h"
#include "scenario.h"

#include <string>
#include <vector>

/* What a session's sender had to do. */
struct SenderCost
{
  std::string session;
  double packets = 0;
  double reports = 0;
  double feedback_bytes = 0; /* of reports and answers */
  double receivers = 0;      /* as it estimates them at the end */
  double processor = 0;      /* s in the library */
};

std::string FormatReport (const std::string & name, const Scenario & scenario,
    const std::vector<Flow *> & flows, const std::vector<SenderCost> & senders);

#endif
