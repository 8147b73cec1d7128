/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs a fuzz target on every file of its corpus, so that the corpus also
 * serves as an ordinary test without libFuzzer.
 */
#include "fuzz.h"

#include <stdlib.h>

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GDir) directory = NULL;
  const gchar *name;
  guint n_files = 0;

  LLVMFuzzerInitialize (&argc, &argv);
  if (argc != 2) {
    g_printerr ("usage: %s CORPUS-DIRECTORY\n", argv[0]);
    return EXIT_FAILURE;
  }

  directory = g_dir_open (argv[1], 0, &error);
  if (directory == NULL) {
    g_printerr ("%s\n", error->message);
    return EXIT_FAILURE;
  }

  while ((name = g_dir_read_name (directory)) != NULL) {
    g_autofree gchar *path = g_build_filename (argv[1], name, NULL);
    g_autofree gchar *data = NULL;
    gsize size;

    if (!g_file_get_contents (path, &data, &size, &error)) {
      g_printerr ("%s\n", error->message);
      return EXIT_FAILURE;
    }
    LLVMFuzzerTestOneInput ((const guint8 *) data, size);
    n_files++;
  }

  if (n_files == 0) {
    g_printerr ("%s is empty: nothing was tested\n", argv[1]);
    return EXIT_FAILURE;
  }

  return EXIT_SUCCESS;
}
