/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures the effect of repair in native layers with few packets each.
 */
#ifndef REPAIR_NATIVE_H
#define REPAIR_NATIVE_H

#include "sessions/repair-rows.h"

guint repair_native_add_required (GString *text);
void repair_native_add_table (GString *text);
void repair_native_add_delays (GString *text);

#endif
