/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "support/test-page.h"

#include <string.h>

/**
 * test_page_write_table:
 * @path: a page
 * @name: a table in it, between the lines <!-- name begins --> and <!-- name
 *     ends -->
 * @table: the new content
 * @error: why it could not be written
 *
 * Returns: whether it was written
 */
gboolean
test_page_write_table (const gchar *path, const gchar *name, const gchar *table,
    GError **error)
{
  g_autofree gchar *begin_mark = g_strdup_printf ("<!-- %s begins -->\n", name);
  g_autofree gchar *end_mark = g_strdup_printf ("<!-- %s ends -->\n", name);
  g_autofree gchar *page = NULL;
  g_autofree gchar *before = NULL;
  g_autofree gchar *written = NULL;
  const gchar *begin, *end;

  if (!g_file_get_contents (path, &page, NULL, error))
    return FALSE;
  begin = strstr (page, begin_mark);
  end = begin != NULL ? strstr (begin, end_mark) : NULL;
  if (end == NULL) {
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
        "%s lacks the "
        "lines %s and %s",
        path, begin_mark, end_mark);
    return FALSE;
  }
  before = g_strndup (page, (gsize) (begin - page) + strlen (begin_mark));
  written = g_strconcat (before, "\n", table, "\n", end, NULL);

  return g_file_set_contents (path, written, -1, error);
}
