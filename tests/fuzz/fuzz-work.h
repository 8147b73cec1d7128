/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_FUZZ_WORK_H
#define LMCC_FUZZ_WORK_H

#include <glib.h>

/* Number of memory reads so far by the library and the fuzz targets: the
 * cost of a call, equal on every host. Counted only if clang instruments the
 * build (libFuzzer); otherwise it stays 0. */
guint64 fuzz_work (void);

#endif
