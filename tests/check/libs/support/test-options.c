/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "support/test-options.h"

/**
 * test_options_parse:
 * @options: the accepted options
 * @argc: (inout): as given to main()
 * @argv: (inout): as given to main()
 *
 * Returns: %FALSE after an error, which has been printed
 */
gboolean
test_options_parse (const GOptionEntry *options, gint *argc, gchar ***argv)
{
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GError) error = NULL;

  g_option_context_add_main_entries (context, options, NULL);
  if (g_option_context_parse (context, argc, argv, &error))
    return TRUE;
  g_printerr ("%s\n", error->message);

  return FALSE;
}
