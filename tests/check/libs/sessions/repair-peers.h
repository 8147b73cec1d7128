/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Compares repair with GStreamer's forward error correction.
 */
#ifndef REPAIR_PEERS_H
#define REPAIR_PEERS_H

#include <glib.h>

void repair_peers_add_table (GString *text);

#endif
