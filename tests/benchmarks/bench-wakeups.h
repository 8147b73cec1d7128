/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What it costs this machine to wake a thread up, which is most of what pacing
 * costs at low rates.
 */
#ifndef BENCH_WAKEUPS_H
#define BENCH_WAKEUPS_H

#include "bench-process.h"

void bench_wakeups_measure (BenchReport *report, gint rounds);

#endif
