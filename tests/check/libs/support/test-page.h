/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Writes tables into pages of the documentation.
 */
#ifndef TEST_PAGE_H
#define TEST_PAGE_H

#include <glib.h>

gboolean test_page_write_table (const gchar *path, const gchar *name,
    const gchar *table, GError **error);

#endif
