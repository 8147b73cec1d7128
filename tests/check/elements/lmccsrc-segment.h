/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCCSRC_SEGMENT_H
#define LMCCSRC_SEGMENT_H

#include <gst/check/gstcheck.h>

TCase *segment_tcase_new (void);

#endif
