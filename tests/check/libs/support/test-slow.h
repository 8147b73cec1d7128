/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TEST_SLOW_H
#define TEST_SLOW_H

#include <glib.h>

/* Valgrind and the sanitizers find errors in a line without running it a
 * million times. Tests of statistics and arithmetic use smaller numbers
 * there. */
static inline gboolean
test_is_slow (void)
{
  return g_getenv ("LMCC_TEST_SLOW") != NULL;
}

/* @n, or a tenth of it in slow runs. */
static inline guint
test_rounds (guint n)
{
  return test_is_slow () ? n / 10 : n;
}

#endif
