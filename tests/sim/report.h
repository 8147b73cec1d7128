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

std::string FormatReport (const std::string & name, const Scenario & scenario,
    const std::vector<Flow *> & flows);

#endif
