/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Writes the registry for the tests of the elements, so that they need not
 * scan the plugins, which takes seconds under the sanitizers.
 *
 * usage: make-registry FILE
 */
#include <glib/gstdio.h>
#include <gst/gst.h>

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;

  if (argc != 2) {
    g_printerr ("usage: make-registry FILE\n");
    return 2;
  }
  /* Unchanged plugins are not written again. */
  g_unlink (argv[1]);
  g_setenv ("GST_REGISTRY", argv[1], TRUE);
  if (!gst_init_check (NULL, NULL, &error)) {
    g_printerr ("%s: %s\n", argv[1], error->message);
    return 1;
  }
  return 0;
}
