/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_PLUMB_PLUMB_H
#define LMCC_CONTROL_PLUMB_PLUMB_H

#include <gst/lmcc/lmcc-algorithm.h>

G_BEGIN_DECLS

#define LMCC_PLUMB_N_SETTINGS 8

extern const LmccSetting lmcc_plumb_settings[LMCC_PLUMB_N_SETTINGS];

G_END_DECLS

#endif
