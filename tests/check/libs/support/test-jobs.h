/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Computes the rows of a table in several processes at once.
 */
#ifndef TEST_JOBS_H
#define TEST_JOBS_H

#include <glib.h>

typedef void (*TestJob) (gpointer row);

gpointer test_jobs_run (GArray *rows, guint jobs, TestJob job);

#endif
