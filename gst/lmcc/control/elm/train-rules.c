/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/elm/train-rules.h"

#include <string.h>

/* During the slow start nothing is known about the path except the last
 * train's result. Later, a single train may have been disturbed by other
 * packets. */
#define VERDICTS 2

/* The join of a level that is left this soon afterwards has failed. */
#define TRIAL (60 * LMCC_SECOND)

/* If joins fail although trains found room, the trains do not see the
 * bottleneck: the path has slightly less room than a train can resolve, or
 * the trains are forged. They are ignored for as long as ELM's longest
 * back-off, twice as long after the next failed join, and four times as long
 * after further ones. */
#define DOUBT (45 * LMCC_SECOND)
#define DOUBT_DOUBLINGS 2

/*
 * lmcc_elm_trains_init:
 * @trains: (out): no verdict yet
 * @session: the session
 * @used: whether to use packet trains at all
 */
void
lmcc_elm_trains_init (LmccElmTrains *trains, const LmccSession *session,
    gboolean used)
{
  memset (trains, 0, sizeof (*trains));
  trains->session = session;
  trains->used = used;
  trains->level = -1;
  lmcc_train_reader_init (&trains->reader);
}

static void
end_trial (LmccElmTrains *trains, guint level, LmccTime now)
{
  guint doublings;

  if (now >= trains->joined_at[level] + TRIAL) {
    trains->failures[level] = 0;
    return;
  }
  doublings = MIN (trains->failures[level], DOUBT_DOUBLINGS);
  trains->failures[level]++;
  trains->doubted_until[level] = now + (DOUBT << doublings);
}

/*
 * lmcc_elm_trains_set_level:
 * @trains: trains
 * @now: the time
 * @level: the current level
 * @failed: the level was lowered because there was no room
 */
void
lmcc_elm_trains_set_level (LmccElmTrains *trains, LmccTime now, gint level,
    gboolean failed)
{
  if (failed && trains->level > level)
    end_trial (trains, (guint) trains->level, now);
  else if (level > trains->level)
    trains->joined_at[level] = now;
  trains->level = level;
  lmcc_train_reader_set_level (&trains->reader, level);
}

/* Trains that see the bottleneck again are trusted again, once. */
static void
believe_again (LmccElmTrains *trains)
{
  guint above = (guint) (trains->level + 1);

  if (above < LMCC_MAX_LAYERS && trains->failures[above] <= 1
      && lmcc_train_reader_full_until (&trains->reader, VERDICTS) > 0)
    trains->doubted_until[above] = 0;
}

/*
 * lmcc_elm_trains_packet:
 * @trains: trains
 * @arrival: arrival time of the packet
 * @header: header element of a packet of a joined layer
 * @size: size of its IP packet in bytes
 *
 * Returns: whether there is a new verdict
 */
gboolean
lmcc_elm_trains_packet (LmccElmTrains *trains, LmccTime arrival,
    const LmccHeader *header, gsize size)
{
  if (!trains->used
      || !lmcc_train_reader_packet (&trains->reader, trains->session, arrival,
          header, size))
    return FALSE;
  believe_again (trains);

  return TRUE;
}

/*
 * lmcc_elm_trains_owns_loss:
 * @trains: trains
 * @layer: the layer that lost packets
 * @loss: when they were lost
 *
 * Returns: whether they were lost because a train probed the next level's
 * rate
 */
gboolean
lmcc_elm_trains_owns_loss (const LmccElmTrains *trains, guint layer,
    const LmccLoss *loss)
{
  return trains->used
      && lmcc_train_reader_owns_loss (&trains->reader, trains->session, layer,
          loss);
}

/*
 * lmcc_elm_trains_describe:
 * @trains: trains
 * @now: the time
 *
 * Returns: (nullable): the value of LmccControllerStatus.trains
 */
const gchar *
lmcc_elm_trains_describe (const LmccElmTrains *trains, LmccTime now)
{
  return lmcc_train_reader_describe (&trains->reader, now);
}

static guint
needed (gboolean slow_start)
{
  return slow_start ? 1 : VERDICTS;
}

/*
 * lmcc_elm_trains_hold_until:
 * @trains: trains
 * @slow_start: whether the slow start is in progress
 *
 * Returns: earliest time to join the next layer
 */
LmccTime
lmcc_elm_trains_hold_until (const LmccElmTrains *trains, gboolean slow_start)
{
  if (!trains->used)
    return 0;

  return MAX (lmcc_train_reader_wait_until (&trains->reader, trains->session),
      lmcc_train_reader_full_until (&trains->reader, needed (slow_start)));
}

/*
 * lmcc_elm_trains_find_room:
 * @trains: trains
 * @slow_start: whether the slow start is in progress
 * @last_loss: when the last packet was lost; 0: never
 * @now: the time
 *
 * Returns: whether the next layer may be joined at once. After the slow
 * start, only if nothing was lost during two verdicts; with competing
 * traffic, the calculated rate decides
 */
gboolean
lmcc_elm_trains_find_room (const LmccElmTrains *trains, gboolean slow_start,
    LmccTime last_loss, LmccTime now)
{
  guint above = (guint) (trains->level + 1), in_a_row;

  if (above >= LMCC_MAX_LAYERS || now < trains->doubted_until[above])
    return FALSE;
  if (lmcc_train_reader_get (&trains->reader, now, &in_a_row) != LMCC_TRAIN_ROOM
      || in_a_row < needed (slow_start))
    return FALSE;

  return slow_start || last_loss == 0
      || now >= last_loss + VERDICTS * lmcc_train_cycle (trains->session);
}
