/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An algorithm's settings as a table's options give them.
 */
#ifndef TEST_SETTINGS_H
#define TEST_SETTINGS_H

#include <gst/lmcc/lmcc-settings.h>

LmccSettings *test_settings_new (const gchar *algorithm, gchar *const *texts);

#endif
