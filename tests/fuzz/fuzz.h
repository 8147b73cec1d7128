/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_FUZZ_H
#define LMCC_FUZZ_H

#include <glib.h>

int LLVMFuzzerTestOneInput (const guint8 * data, gsize size);

#endif
