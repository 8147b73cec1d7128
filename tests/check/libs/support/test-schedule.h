/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finds the next of several timed events: a binary heap that knows the
 * position of each event. Events with equal times come in the order of their
 * indices.
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

/* The next event; its time is in schedule->times[]. */
static inline guint
test_schedule_first (const TestSchedule *schedule)
{
  return schedule->heap[0];
}

#endif
