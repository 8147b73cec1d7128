/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The command line of a program that prints a table.
 */
#ifndef TEST_OPTIONS_H
#define TEST_OPTIONS_H

#include <glib.h>

gboolean
test_options_parse (const GOptionEntry *options, gint *argc, gchar ***argv);

#endif
