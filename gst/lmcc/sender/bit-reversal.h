/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SENDER_BIT_REVERSAL_H
#define LMCC_SENDER_BIT_REVERSAL_H

#include <glib.h>

G_BEGIN_DECLS

guint lmcc_reverse_bits (guint value, guint n_bits);

G_END_DECLS

#endif
