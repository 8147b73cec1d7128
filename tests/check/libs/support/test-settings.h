/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Parses an algorithm's settings from the options of a table program.
 */
#ifndef TEST_SETTINGS_H
#define TEST_SETTINGS_H

#include <gst/lmcc/lmcc-settings.h>

LmccSettings *test_settings_new (const gchar *algorithm, gchar *const *texts);

#endif
