/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "support/test-schedule.h"

void
test_schedule_init (TestSchedule *schedule, guint n)
{
  guint i;

  schedule->n = n;
  schedule->times = g_new (LmccTime, n);
  schedule->heap = g_new (guint, n);
  schedule->place = g_new (guint, n);
  for (i = 0; i < n; i++) {
    schedule->times[i] = LMCC_TIME_NONE;
    schedule->heap[i] = i;
    schedule->place[i] = i;
  }
}

void
test_schedule_clear (TestSchedule *schedule)
{
  g_free (schedule->times);
  g_free (schedule->heap);
  g_free (schedule->place);
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
  schedule->heap[place] = index;
  schedule->place[index] = place;
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
