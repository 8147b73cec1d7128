/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "repair/chances.h"

#include <math.h>

enum
{
  RECEIVED,
  LOST,
  N_STATES
};

struct _LmccRepairChances
{
  gdouble loss_rate;
  /* Probability that a packet is lost, by the state of the previous one. */
  gdouble lost_after[N_STATES];
  guint max_source;
  guint max_repair;
  /* number of existing rows of the tables below, which grow alternately */
  guint n_exactly;
  guint n_at_most;
  /* [i]: after a received packet, i more are received */
  gdouble *all_received;
  /* [i][state][l]: of i packets l are lost, and the last one has the state
   * @state */
  gdouble *exactly;
  /* [i][state][l]: after a packet with the state @state, at most l of the
   * next i are lost */
  gdouble *at_most;
};

static gsize
at (const LmccRepairChances *chances, guint n_packets, guint state, guint lost)
{
  return ((gsize) n_packets * N_STATES + state) * (chances->max_repair + 1)
      + lost;
}

/* Packets of a block are @depth apart: the chain's n-step probabilities
 * follow from its second eigenvalue. */
static void
init_chain (LmccRepairChances *chances, gdouble burst, guint depth)
{
  gdouble p = chances->loss_rate;
  gdouble eigenvalue = 0.0;

  if (p > 0.0 && p < 1.0 && burst * (1.0 - p) > 1.0)
    eigenvalue = 1.0 - 1.0 / burst - MIN (p / (burst * (1.0 - p)), 1.0);
  eigenvalue = pow (eigenvalue, depth);
  chances->lost_after[RECEIVED] = p * (1.0 - eigenvalue);
  chances->lost_after[LOST] = p + (1.0 - p) * eigenvalue;
}

static void
init_all_received (LmccRepairChances *chances)
{
  guint i;

  chances->all_received[0] = 1.0;
  for (i = 1; i <= chances->max_source; i++)
    chances->all_received[i] =
        chances->all_received[i - 1] * (1.0 - chances->lost_after[RECEIVED]);
}

static void
add_exactly (LmccRepairChances *chances)
{
  gdouble *table = chances->exactly;
  guint before = chances->n_exactly - 1, state, l;

  for (state = 0; state < N_STATES; state++) {
    gdouble lost = chances->lost_after[state];

    for (l = 0; l <= MIN (before, chances->max_repair); l++) {
      gdouble chance = table[at (chances, before, state, l)];

      table[at (chances, before + 1, RECEIVED, l)] += chance * (1.0 - lost);
      if (l < chances->max_repair)
        table[at (chances, before + 1, LOST, l + 1)] += chance * lost;
    }
  }
  chances->n_exactly++;
}

static void
init_exactly (LmccRepairChances *chances)
{
  chances->exactly[at (chances, 0, RECEIVED, 0)] = 1.0 - chances->loss_rate;
  chances->exactly[at (chances, 0, LOST, 0)] = chances->loss_rate;
  chances->n_exactly = 1;
}

static void
add_at_most (LmccRepairChances *chances)
{
  gdouble *table = chances->at_most;
  guint i = chances->n_at_most, state, l;

  for (state = 0; state < N_STATES; state++) {
    gdouble lost = chances->lost_after[state];

    for (l = 0; l <= chances->max_repair; l++) {
      gdouble chance = 1.0;

      if (i > 0) {
        chance = (1.0 - lost) * table[at (chances, i - 1, RECEIVED, l)];
        if (l > 0)
          chance += lost * table[at (chances, i - 1, LOST, l - 1)];
      }
      table[at (chances, i, state, l)] = chance;
    }
  }
  chances->n_at_most++;
}

/* Without the table that only lmcc_repair_chances_whole() reads. */
static LmccRepairChances *
create (gdouble loss_rate, gdouble burst, guint depth, guint max_source,
    guint max_repair)
{
  LmccRepairChances *chances = g_new0 (LmccRepairChances, 1);

  chances->loss_rate = CLAMP (loss_rate, 0.0, 1.0);
  chances->max_source = max_source;
  chances->max_repair = max_repair;
  chances->all_received = g_new (gdouble, max_source + 1);
  chances->exactly =
      g_new0 (gdouble, (gsize) N_STATES * (max_repair + 1) * (max_source + 1));
  init_chain (chances, burst, depth);
  init_all_received (chances);
  init_exactly (chances);

  return chances;
}

/**
 * lmcc_repair_chances_begin:
 * @loss_rate: as in lmcc_repair_chances_new()
 * @burst: as in lmcc_repair_chances_new()
 * @depth: as in lmcc_repair_chances_new()
 * @max_source: as in lmcc_repair_chances_new()
 * @max_repair: as in lmcc_repair_chances_new()
 *
 * Returns: (transfer full): probabilities that are not computed yet; call
 * lmcc_repair_chances_step() until it returns %TRUE
 */
LmccRepairChances *
lmcc_repair_chances_begin (gdouble loss_rate, gdouble burst, guint depth,
    guint max_source, guint max_repair)
{
  LmccRepairChances *chances =
      create (loss_rate, burst, depth, max_source, max_repair);

  chances->at_most = g_new (gdouble,
      (gsize) N_STATES * (max_repair + 1) * (max_source + max_repair + 1));

  return chances;
}

/**
 * lmcc_repair_chances_step:
 * @chances: probabilities
 *
 * Computes a part that takes about 4 (@max_repair + 1) multiplications.
 *
 * Returns: whether everything is computed
 */
gboolean
lmcc_repair_chances_step (LmccRepairChances *chances)
{
  if (chances->n_exactly <= chances->max_source)
    add_exactly (chances);
  else if (chances->n_at_most <= chances->max_source + chances->max_repair)
    add_at_most (chances);
  else
    return TRUE;

  return FALSE;
}

/**
 * lmcc_repair_chances_new:
 * @loss_rate: packet loss rate, 0 to 1
 * @burst: mean number of packets lost in a row. Above 1 / (1 - @loss_rate)
 *     losses follow a two-state Markov chain that loses every packet in one
 *     state and none in the other (E. N. Gilbert, "Capacity of a Burst-Noise
 *     Channel", Bell System Technical Journal 39, 1960); below, losses are
 *     independent
 * @depth: distance of two packets of a block, in packets on the path, from 1
 * @max_source: greatest number of source packets in a block
 * @max_repair: greatest number of repair packets of a block
 *
 * Returns: (transfer full): the probabilities for all blocks within these
 * limits
 */
LmccRepairChances *
lmcc_repair_chances_new (gdouble loss_rate, gdouble burst, guint depth,
    guint max_source, guint max_repair)
{
  LmccRepairChances *chances = lmcc_repair_chances_begin (loss_rate, burst,
      depth, max_source, max_repair);

  while (!lmcc_repair_chances_step (chances))
    ;

  return chances;
}

/**
 * lmcc_repair_chances_free:
 * @chances: (transfer full): probabilities
 */
void
lmcc_repair_chances_free (LmccRepairChances *chances)
{
  g_free (chances->all_received);
  g_free (chances->exactly);
  g_free (chances->at_most);
  g_free (chances);
}

static gdouble
chance_of_at_most (const LmccRepairChances *chances, guint n_packets, guint n)
{
  gdouble p = chances->loss_rate;

  return (1.0 - p) * chances->at_most[at (chances, n_packets, RECEIVED, n)]
      + p * chances->at_most[at (chances, n_packets, LOST, n)];
}

/* Probability that @n packets after @first others arrive, and at most
 * @n_repair of all are lost. */
static gdouble
chance_of_both (const LmccRepairChances *chances, guint n_source,
    guint n_repair, guint first, guint n)
{
  guint after = n_source + n_repair - first - n, state, l;
  gdouble sum = 0.0;

  for (state = 0; state < N_STATES; state++) {
    gdouble received = 1.0 - chances->lost_after[state];

    for (l = 0; l <= MIN (n_repair, first); l++)
      sum += received * chances->exactly[at (chances, first, state, l)]
          * chances->at_most[at (chances, after, RECEIVED, n_repair - l)];
  }

  return sum * chances->all_received[n - 1];
}

/**
 * lmcc_repair_chances_whole:
 * @chances: probabilities
 * @n_source: number of source packets of a block, at most the maximum
 * @n_repair: number of its repair packets, which follow, at most the maximum
 * @first: the first wanted source packet
 * @n: number of wanted packets from there on; @n_source from 0 on is the whole
 *     block
 *
 * A block of a maximum distance separable code can be recovered if no more of
 * its packets are lost than there are repair packets (RFC 5510 section 8.1).
 *
 * Returns: the probability that all wanted packets arrive or can be recovered
 */
gdouble
lmcc_repair_chances_whole (const LmccRepairChances *chances, guint n_source,
    guint n_repair, guint first, guint n)
{
  gdouble come;

  g_return_val_if_fail (n_source <= chances->max_source, 0.0);
  g_return_val_if_fail (n_repair <= chances->max_repair, 0.0);
  g_return_val_if_fail (first + n <= n_source, 0.0);

  if (n == 0)
    return 1.0;
  come = (1.0 - chances->loss_rate) * chances->all_received[n - 1];

  return CLAMP (come - chance_of_both (chances, n_source, n_repair, first, n)
          + chance_of_at_most (chances, n_source + n_repair, n_repair),
      0.0, 1.0);
}

static gdouble
chance_of_few_lost (const LmccRepairChances *chances, guint n_packets, guint n)
{
  gdouble sum = 0.0;
  guint state, l;

  for (state = 0; state < N_STATES; state++) {
    for (l = 0; l <= n; l++)
      sum += chances->exactly[at (chances, n_packets, state, l)];
  }

  return sum;
}

/**
 * lmcc_repair_chances_count_needed:
 * @path: the losses
 * @depth: as in lmcc_repair_chances_new()
 * @n_source: number of source packets of a block
 * @most: greatest number of repair packets
 * @wanted: a probability
 *
 * Takes at most 4 (@n_source + @most) (@most + 1) multiplications.
 *
 * Returns: how many repair packets the block needs so that it can be recovered
 * as a whole with the probability @wanted; @most if more
 */
guint
lmcc_repair_chances_count_needed (const LmccRepairPath *path, guint depth,
    guint n_source, guint most, gdouble wanted)
{
  g_autoptr (LmccRepairChances) chances = NULL;
  guint n;

  if (path->loss_rate <= 0.0)
    return 0;
  chances = create (path->loss_rate, path->burst, depth, n_source + most, most);
  for (n = 0; n < most; n++) {
    while (chances->n_exactly <= n_source + n)
      add_exactly (chances);
    if (chance_of_few_lost (chances, n_source + n, n) >= wanted)
      break;
  }

  return n;
}
