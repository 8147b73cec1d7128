/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "messages.h"

#include <libintl.h>

/* Where a build that is not installed has its catalogues. */
#define DIRECTORY_VARIABLE "LMCC_LOCALE_DIR"

/**
 * gst_lmcc_bind_messages:
 *
 * Has gettext find the catalogues of translated messages: where they are
 * installed, or in the directory that the environment variable
 * `LMCC_LOCALE_DIR` names. Each plugin calls this when it is loaded, and the
 * tool when it starts. Which language is used is the program's choice, by
 * setlocale(). It is safe to call this more than once.
 */
void
gst_lmcc_bind_messages (void)
{
  const gchar *directory = g_getenv (DIRECTORY_VARIABLE);

  bindtextdomain (GETTEXT_PACKAGE,
      directory != NULL && directory[0] != '\0' ? directory : LOCALE_DIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
}
