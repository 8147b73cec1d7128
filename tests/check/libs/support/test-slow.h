/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TEST_SLOW_H
#define TEST_SLOW_H

#include <glib.h>

/* Valgrind and the sanitizers look at each line, and need not see it a million
 * times: statistics and arithmetic are judged without them. */
static inline gboolean
test_is_slow (void)
{
  return g_getenv ("LMCC_TEST_SLOW") != NULL;
}

/* @n, or a tenth of it where it takes long. */
static inline guint
test_rounds (guint n)
{
  return test_is_slow () ? n / 10 : n;
}

#endif
