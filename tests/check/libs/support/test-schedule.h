/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * When each of some things happens next: a binary heap that knows where each of
 * them is. What is due at the same time comes in the order of the indices.
 */
#ifndef TEST_SCHEDULE_H
#define TEST_SCHEDULE_H

#include <gst/lmcc/lmcc-types.h>

typedef struct
{
  guint n;
  LmccTime *times;
  guint *heap;
  guint *place;
} TestSchedule;

void test_schedule_init (TestSchedule *schedule, guint n);
void test_schedule_clear (TestSchedule *schedule);
void test_schedule_set (TestSchedule *schedule, guint index, LmccTime time);

/* Which comes next; its time is schedule->times[] of it. */
static inline guint
test_schedule_first (const TestSchedule *schedule)
{
  return schedule->heap[0];
}

#endif
