/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "support/test-schedule.h"

void
test_schedule_init (TestSchedule *schedule, guint n)
{
  guint i;

  g_assert (n <= TEST_SCHEDULE_MAX);
  schedule->n = n;
  for (i = 0; i < n; i++) {
    schedule->times[i] = LMCC_TIME_NONE;
    schedule->heap[i] = (guint16) i;
    schedule->place[i] = (guint16) i;
  }
}

static inline gboolean
is_before (const TestSchedule *schedule, guint a, guint b)
{
  LmccTime time_a = schedule->times[a], time_b = schedule->times[b];

  return time_a < time_b || (time_a == time_b && a < b);
}

static inline void
put (TestSchedule *schedule, guint place, guint index)
{
  schedule->heap[place] = (guint16) index;
  schedule->place[index] = (guint16) place;
}

static guint
sift_up (TestSchedule *schedule, guint place, guint index)
{
  while (place > 0) {
    guint parent = (place - 1) / 2;

    if (!is_before (schedule, index, schedule->heap[parent]))
      break;
    put (schedule, place, schedule->heap[parent]);
    place = parent;
  }

  return place;
}

static guint
sift_down (TestSchedule *schedule, guint place, guint index)
{
  guint child;

  while ((child = 2 * place + 1) < schedule->n) {
    if (child + 1 < schedule->n
        && is_before (schedule, schedule->heap[child + 1],
            schedule->heap[child]))
      child++;
    if (!is_before (schedule, schedule->heap[child], index))
      break;
    put (schedule, place, schedule->heap[child]);
    place = child;
  }

  return place;
}

void
test_schedule_set (TestSchedule *schedule, guint index, LmccTime time)
{
  guint place = schedule->place[index];

  if (schedule->times[index] == time)
    return;
  schedule->times[index] = time;
  place = sift_up (schedule, place, index);
  place = sift_down (schedule, place, index);
  put (schedule, place, index);
}
