/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_REPAIR_EXCHANGE_H
#define LMCC_REPAIR_EXCHANGE_H

#include "repair/turn.h"

G_BEGIN_DECLS

/* Powers of two of a group's repair packets. */
#define LMCC_REPAIR_N_AMOUNTS 11

/**
 * LmccRepairExchange:
 * @round: exchanges so far
 * @begun: the next one is being looked for
 * @from: the group that gives packets
 * @amount: how many, as a power of two
 * @gains: of gdouble, by group and power of two: pictures that so many packets
 *     would add to all that there is; negative: not known yet
 * @largest: bytes of the largest repair packet
 * @before: pictures, without an exchange
 * @pictures: with the best one
 * @best_from: of the best one, as what follows: who gives
 * @best_to: who gets
 * @n_from: how many are given; 0 for none
 * @n_to: how many are got
 *
 * Moves repair from one group to another one while that helps: a picture that
 * needs several groups gains little by each of them alone, so that what was
 * given to the first may be worth more in others.
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
