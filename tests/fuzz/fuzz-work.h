/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_FUZZ_WORK_H
#define LMCC_FUZZ_WORK_H

#include <glib.h>

/* How often memory was read so far, by the library's own code and the targets':
 * what a call costs, the same on every host. Counted where clang instruments
 * the build (libFuzzer); else it stays 0. */
guint64 fuzz_work (void);

#endif
