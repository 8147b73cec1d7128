/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TEST_HEAP_H
#define TEST_HEAP_H

#include <glib.h>
#include <malloc.h>

/* Bytes currently allocated by malloc(); 0 under sanitizers, which have
 * their own allocator. */
static inline gsize
test_heap_in_use (void)
{
  struct mallinfo2 info = mallinfo2 ();

  return info.uordblks + info.hblkhd;
}

#endif
