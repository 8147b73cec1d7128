/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Repair beside the forward error correction that GStreamer has.
 */
#ifndef REPAIR_PEERS_H
#define REPAIR_PEERS_H

#include <glib.h>

void repair_peers_add_table (GString *text);

#endif
