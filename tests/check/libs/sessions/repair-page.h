/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Makes the page with all tables of repair-table.
 */
#ifndef REPAIR_PAGE_H
#define REPAIR_PAGE_H

#include <glib.h>

gchar *repair_page_make (const gchar *required);

#endif
