/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "support/test-settings.h"

#include <gst/lmcc/lmcc-algorithm.h>
#include <stdlib.h>

/**
 * test_settings_new:
 * @algorithm: name of an existing algorithm
 * @texts: (nullable): settings as NAME=VALUE, as for the option --set
 *
 * If a setting is invalid, prints an error and ends the program.
 *
 * Returns: (transfer full): the settings; others keep their defaults
 */
LmccSettings *
test_settings_new (const gchar *algorithm, gchar *const *texts)
{
  const LmccAlgorithm *found = lmcc_algorithm_find (algorithm);
  LmccSettings *settings =
      lmcc_settings_new (found->settings, found->n_settings);
  g_autoptr (GError) error = NULL;
  guint i;

  for (i = 0; texts != NULL && texts[i] != NULL; i++) {
    g_auto (GStrv) parts = g_strsplit (texts[i], "=", 2);

    if (g_strv_length (parts) != 2
        || !lmcc_settings_set (settings, parts[0], parts[1], &error)) {
      g_printerr ("--set %s: %s\n", texts[i],
          error != NULL ? error->message : "not NAME=VALUE");
      exit (2);
    }
  }

  return settings;
}
