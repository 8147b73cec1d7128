/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "support/test-jobs.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static gpointer
share (const GArray *rows)
{
  gsize size = rows->len * g_array_get_element_size ((GArray *) rows);
  gpointer shared = mmap (NULL, size, PROT_READ | PROT_WRITE,
      MAP_SHARED | MAP_ANONYMOUS, -1, 0);

  if (shared == MAP_FAILED)
    g_error ("no memory for %u rows", rows->len);

  return memcpy (shared, rows->data, size);
}

/**
 * test_jobs_run:
 * @rows: the rows to compute
 * @jobs: number of processes, at least 1; 1: compute in this process
 * @job: fills in one row
 *
 * If a process dies, its rows stay unchanged.
 *
 * Returns: the rows after all processes have ended; never freed
 */
gpointer
test_jobs_run (GArray *rows, guint jobs, TestJob job)
{
  gchar *shared = share (rows);
  guint process, i;
  gint status;

  for (process = 0; process < jobs; process++) {
    if (jobs > 1 && fork () != 0)
      continue;
    for (i = process; i < rows->len; i += jobs)
      job (shared + i * g_array_get_element_size (rows));
    if (jobs > 1)
      _exit (0);
  }
  while (wait (&status) > 0) {
    if (!WIFEXITED (status) || WEXITSTATUS (status) != 0)
      g_printerr ("a process ended with status %d\n", status);
  }

  return shared;
}
