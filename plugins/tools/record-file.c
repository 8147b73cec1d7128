/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Creates the file of a recording without overwriting an existing file.
 */
#include "record-file.h"

#include <plugins/common/messages.h>

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <unistd.h>

static void
set_error (GError **error, const gchar *path, gint code)
{
  g_autofree gchar *directory = g_path_get_dirname (path);
  GIOErrorEnum kind = g_io_error_from_errno (code);

  if (code == EEXIST)
    g_set_error (error, G_IO_ERROR, (gint) kind,
        _ ("the file of --record=%s exists already; name another "
           "file, or delete it first"),
        path);
  else if (code == ENOENT && !g_file_test (directory, G_FILE_TEST_IS_DIR))
    g_set_error (error, G_IO_ERROR, (gint) kind,
        _ ("--record=%s: the directory %s does not exist; create it "
           "first"),
        path, directory);
  else
    g_set_error (error, G_IO_ERROR, (gint) kind,
        _ ("--record=%s cannot be written (%s); name a file in a "
           "directory where you may write"),
        path, g_strerror (code));
}

/**
 * record_file_make:
 * @path: of a file that is not to be there yet
 *
 * Makes an empty file, which is the caller's from then on.
 *
 * Returns: whether it did
 */
gboolean
record_file_make (const gchar *path, GError **error)
{
  gint fd = g_open (path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

  if (fd < 0) {
    set_error (error, path, errno);
    return FALSE;
  }
  close (fd);

  return TRUE;
}

/**
 * record_file_check:
 * @path: of a file that is not to be there yet
 *
 * Leaves nothing behind.
 *
 * Returns: whether it can be made
 */
gboolean
record_file_check (const gchar *path, GError **error)
{
  if (!record_file_make (path, error))
    return FALSE;
  g_unlink (path);

  return TRUE;
}

/**
 * record_file_remove_empty:
 * @path: of a file that record_file_make() has made
 *
 * Returns: whether nothing was in it, which is of no use
 */
gboolean
record_file_remove_empty (const gchar *path)
{
  GStatBuf status;

  return g_stat (path, &status) == 0 && status.st_size == 0
      && g_unlink (path) == 0;
}
