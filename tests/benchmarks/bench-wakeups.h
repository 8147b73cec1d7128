/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures the cost of waking up a thread on this machine, which is most of
 * the cost of pacing at low rates.
 */
#ifndef BENCH_WAKEUPS_H
#define BENCH_WAKEUPS_H

#include "bench-process.h"

void bench_wakeups_measure (BenchReport *report, gint rounds);

#endif
