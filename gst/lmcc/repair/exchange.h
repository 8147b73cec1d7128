/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_REPAIR_EXCHANGE_H
#define LMCC_REPAIR_EXCHANGE_H

#include "repair/turn.h"

G_BEGIN_DECLS

/* Number of tried amounts: powers of two of a group's repair packets. */
#define LMCC_REPAIR_N_AMOUNTS 11

/**
 * LmccRepairExchange:
 * @round: number of exchanges so far
 * @begun: the search for the next exchange is in progress
 * @from: the group that gives packets
 * @amount: number of packets, as a power of two
 * @gains: array of gdouble, by group and power of two: pictures gained if that many
 *     packets were added; negative: not known yet
 * @largest: size of the largest repair packet in bytes
 * @before: number of pictures without an exchange
 * @pictures: number of pictures with the best exchange
 * @best_from: best exchange, like the following fields: the group that gives
 * @best_to: the group that gets
 * @n_from: number of packets given; 0 for no exchange
 * @n_to: number of packets received
 *
 * Moves repair packets between groups as long as that improves the result. A picture that
 * needs several groups gains little from each of them alone, so packets given to the
 * first group may be worth more in others.
 */
typedef struct
{
  guint round;
  gboolean begun;
  guint from;
  guint amount;
  GArray *gains;
  gsize largest;
  gdouble before;
  gdouble pictures;
  guint best_from;
  guint best_to;
  guint n_from;
  guint n_to;
} LmccRepairExchange;

void lmcc_repair_exchange_init (LmccRepairExchange *exchange);
void lmcc_repair_exchange_clear (LmccRepairExchange *exchange);
void lmcc_repair_exchange_begin (LmccRepairExchange *exchange);
gboolean
lmcc_repair_exchange_step (LmccRepairExchange *exchange, LmccRepairTurn *turn);

G_END_DECLS

#endif
