/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Plans how the repair data of a window is distributed over its blocks, so
 * that it protects what pictures need most.
 */
#include "sender/repair-blocks.h"

#include <string.h>

/* At most this many pictures of a window, plus one per class, represent all
 * of its pictures. */
#define MAX_PICTURES 64

/* Work to sort a piece and to count it, in multiplications: about 0.1 and
 * 0.3 us. */
#define ORDER_WORK 100
#define PIECE_WORK 300

/* Work to pass a packet to an encoder, or to queue one of its repair
 * packets. */
#define PACKET_WORK G_GUINT64_CONSTANT (100)

static LmccRepairPiece *
get_piece (const LmccRepairer *repairer, guint i)
{
  return &g_array_index (repairer->job.window.pieces, LmccRepairPiece, i);
}

static LmccRepairGroup *
get_group (const LmccRepairer *repairer, guint i)
{
  return g_ptr_array_index (repairer->job.window.groups, i);
}

/* As many as possible, and at least one. */
static void
limit_group (LmccRepairer *repairer, guint i)
{
  const LmccRepairBudget *budget = &repairer->job.budget;
  const LmccRepairGroup *group = get_group (repairer, i);
  guint n_source = (group->n + group->depth - 1) / group->depth;

  if (budget->pool > 0 && group->layer >= budget->first)
    lmcc_repair_plan_limit_group (repairer->plan, i,
        (n_source * budget->limit + 999) / 1000);
}

static void
add_groups (LmccRepairer *repairer)
{
  guint i;

  lmcc_repair_plan_begin (repairer->plan, repairer->job.budget.session);
  for (i = 0; i < repairer->job.window.groups->len; i++) {
    LmccRepairGroup *group = get_group (repairer, i);

    group->depth =
        (group->n + LMCC_REPAIRER_MAX_SOURCE - 1) / LMCC_REPAIRER_MAX_SOURCE;
    lmcc_repair_plan_add_group (repairer->plan, group->layer, group->n,
        group->depth, lmcc_repairer_get_repair_size (repairer, group));
    limit_group (repairer, i);
  }
}

static LmccRepairCount *
get_counts (const LmccRepairer *repairer, guint stream, guint klass)
{
  return repairer->job.counts
      + (gsize) (stream * LMCC_MAX_CLASSES + klass)
      * repairer->job.window.groups->len;
}

static void
count_piece (const LmccRepairer *repairer, const LmccRepairPiece *piece)
{
  LmccRepairCount *count =
      get_counts (repairer, piece->stream, piece->klass) + piece->group;

  if (count->n == 0)
    count->first = piece->first;
  count->n += piece->n;
}

/* Adds the classes up to @klass, each from its own switch point on. */
static void
add_picture (LmccRepairer *repairer, guint stream, guint klass)
{
  guint n_groups = repairer->job.window.groups->len, n = 0, group, i;
  g_autofree LmccRepairNeed *needs = g_new (LmccRepairNeed, n_groups);

  for (group = 0; group < n_groups; group++) {
    LmccRepairNeed need = { group, G_MAXUINT, 0 };

    for (i = 0; i <= klass; i++) {
      const LmccRepairCount *count = get_counts (repairer, stream, i) + group;

      if (count->n > 0)
        need.first = MIN (need.first, count->first);
      need.n += count->n;
    }
    if (need.n > 0)
      needs[n++] = need;
  }
  lmcc_repair_plan_add_picture (repairer->plan, needs, n);
  repairer->plan->work += n_groups * (guint64) (klass + 1);
}

/* Class 0 of a stream and the next class that occurs in it. */
static gboolean
is_needed_most (const LmccRepairer *repairer, const LmccRepairPiece *piece)
{
  guint16 below =
      repairer->job.classes[piece->stream] & ((1u << piece->klass) - 1) & ~1u;

  return below == 0;
}

static void
note_piece (LmccRepairer *repairer, const LmccRepairPiece *piece)
{
  guint n_groups = repairer->job.window.groups->len;

  if (is_needed_most (repairer, piece) && !repairer->job.trial)
    repairer->needed_most[get_group (repairer, piece->group)->layer] = TRUE;
  if (!piece->continued
      && (piece->switch_point || piece->stream == LMCC_STREAM_SOUND)) {
    memset (get_counts (repairer, piece->stream, piece->klass), 0,
        n_groups * sizeof (LmccRepairCount));
    repairer->plan->work += n_groups;
  }
  count_piece (repairer, piece);
  repairer->plan->work += PIECE_WORK;
}

static void
count_unit (LmccRepairer *repairer, const LmccRepairPiece *piece)
{
  LmccRepairRun *run = &repairer->runs[piece->stream][piece->klass];

  if (piece->switch_point) {
    run->length = run->since;
    run->since = 0;
  }
  run->since++;
  run->here++;
}

/* How many window lengths it takes until the class has its next switch
 * point; 0 if each of its units is one. */
static gdouble
count_windows_left (const LmccRepairRun *run)
{
  if (run->length <= 1 || run->since >= run->length || run->here == 0)
    return 0.0;

  return (gdouble) (run->length - run->since) / run->here;
}

/* The first class from @klass on whose units are not all switch points. */
static guint
find_open (const LmccRepairRun *runs, guint klass)
{
  while (klass < LMCC_MAX_CLASSES && count_windows_left (&runs[klass]) == 0.0)
    klass++;

  return klass;
}

/* The units of a class in a window are needed until the next switch point of
 * the class, which may be many windows later. The number of dependent
 * pictures is extrapolated from the number of pictures of this and higher
 * classes in this window. */
static void
add_later_pictures (LmccRepairer *repairer, guint stream)
{
  const LmccRepairRun *runs = repairer->runs[stream];
  guint klass, next, i;

  for (klass = find_open (runs, 0); klass < LMCC_MAX_CLASSES; klass = next) {
    guint n = 0;

    next = find_open (runs, klass + 1);
    for (i = klass; i < next; i++)
      n += runs[i].here;
    add_picture (repairer, stream, klass);
    lmcc_repair_plan_weigh_picture (repairer->plan,
        n * count_windows_left (&runs[klass]) / repairer->job.every);
  }
}

static gint
compare_order (gconstpointer a, gconstpointer b, gpointer first)
{
  guint16 begin = ((const LmccRepairPiece *) first)->osn;
  const LmccRepairPiece *x = a, *y = b;
  gint difference =
      (gint) (gint16) (x->osn - begin) - (gint) (gint16) (y->osn - begin);

  if (difference != 0)
    return difference;

  /* Sound has the order number of the next picture. */
  return (y->stream == LMCC_STREAM_SOUND) - (x->stream == LMCC_STREAM_SOUND);
}

static void
begin (LmccRepairer *repairer)
{
  LmccRepairJob *job = &repairer->job;
  guint n = job->window.pieces->len, i;
  LmccRepairPiece first = *get_piece (repairer, 0);

  add_groups (repairer);
  job->counts = g_new0 (LmccRepairCount,
      (gsize) LMCC_REPAIRER_STREAMS * LMCC_MAX_CLASSES
          * job->window.groups->len);
  memset (job->classes, 0, sizeof (job->classes));
  for (i = 0; i < n; i++)
    job->classes[get_piece (repairer, i)->stream] |= 1u
        << get_piece (repairer, i)->klass;
  job->every = n / MAX_PICTURES + 1;
  job->n_noted = 0;
  memset (job->n_pictures, 0, sizeof (job->n_pictures));
  if (!job->trial)
    memset (repairer->needed_most, 0, sizeof (repairer->needed_most));
  for (i = 0; i < LMCC_REPAIRER_STREAMS * LMCC_MAX_CLASSES; i++)
    repairer->runs[i / LMCC_MAX_CLASSES][i % LMCC_MAX_CLASSES].here = 0;
  g_array_sort_with_data (job->window.pieces, compare_order, &first);
  repairer->plan->work += n * (guint64) ORDER_WORK;
}

/* Returns whether it was the last one. */
static gboolean
add_piece (LmccRepairer *repairer)
{
  LmccRepairJob *job = &repairer->job;
  const LmccRepairPiece *piece = get_piece (repairer, job->n_noted);
  guint i;

  note_piece (repairer, piece);
  if (!piece->continued && job->budget.pool > 0)
    count_unit (repairer, piece);
  /* Selected per class, because classes alternate, and some might never be
   * selected otherwise. */
  if (!piece->more
      && job->n_pictures[piece->stream][piece->klass]++ % job->every == 0)
    add_picture (repairer, piece->stream, piece->klass);
  if (++job->n_noted < job->window.pieces->len)
    return FALSE;
  for (i = 0; job->budget.pool > 0 && i < LMCC_REPAIRER_STREAMS; i++)
    add_later_pictures (repairer, i);
  g_clear_pointer (&job->counts, g_free);

  return TRUE;
}

static LmccTime
find_duration (const LmccRepairBudget *budget, guint layer, gsize bytes)
{
  return (LmccTime) (8.0 * LMCC_SECOND * (gdouble) bytes
      / (gdouble) budget->rates[layer]);
}

/* How much of a group's repair data @layer can send after the group's last
 * source packet. */
static void
measure_rooms (LmccRepairer *repairer, guint layer)
{
  const LmccRepairBudget *budget = &repairer->job.budget;
  guint i;

  g_array_set_size (repairer->job.rooms, repairer->job.window.groups->len);
  for (i = 0; i < repairer->job.window.groups->len; i++) {
    const LmccRepairGroup *group = get_group (repairer, i);
    LmccTime from = budget->ready[group->layer];
    gsize room = 0;

    /* Reports and the session record also take time in the base layer. */
    if (layer > 0 && group->layer == 0)
      from += find_duration (budget, 0,
          lmcc_repairer_get_repair_size (repairer, group));
    from = MAX (budget->ready[layer], from);
    if (from < budget->end)
      room = (gsize) ((gdouble) (budget->end - from)
          * (gdouble) budget->rates[layer] / (8.0 * LMCC_SECOND));
    /* A packet of the other layer may be under way. */
    if (layer != group->layer)
      room -= MIN (room, lmcc_repairer_get_repair_size (repairer, group));
    g_array_index (repairer->job.rooms, gsize, i) = room;
  }
}

/* Unused room in a fixed rate costs nothing. */
static gboolean
gets_repair (const LmccRepairer *repairer, guint layer)
{
  const LmccRepairBudget *budget = &repairer->job.budget;

  return (layer < budget->session->n_layers ? budget->bytes[layer]
                                            : budget->pool)
      > 0;
}

static void
start_layer (LmccRepairer *repairer)
{
  LmccRepairJob *job = &repairer->job;
  const gsize *rooms = NULL;

  job->allocating = TRUE;
  if (job->layer == job->budget.session->n_layers) {
    lmcc_repair_optimizer_start_own (repairer->optimizer, job->budget.first,
        job->budget.pool);
    return;
  }
  if (job->budget.rates[job->layer] > 0) {
    measure_rooms (repairer, job->layer);
    rooms = (const gsize *) (gconstpointer) job->rooms->data;
  }
  lmcc_repair_optimizer_start (repairer->optimizer, job->layer,
      job->budget.bytes[job->layer], rooms);
}

static void
end_layer (LmccRepairer *repairer)
{
  LmccRepairJob *job = &repairer->job;

  job->used[job->layer] = lmcc_repair_optimizer_get_used (repairer->optimizer);
  job->allocating = FALSE;
  job->layer++;
}

/* The part of the pool that each layer used. */
static void
end_pool (LmccRepairer *repairer)
{
  LmccRepairJob *job = &repairer->job;
  guint i, block;

  for (i = 0; i < job->window.groups->len; i++) {
    const LmccRepairGroup *group = get_group (repairer, i);

    for (block = 0; block < group->depth && group->layer >= job->budget.first;
         block++)
      job->used[group->layer] +=
          lmcc_repair_plan_get_repair (repairer->plan, i, block, group->layer)
          * lmcc_repairer_get_repair_size (repairer, group);
    repairer->plan->work += group->depth;
  }
  job->pool_used = lmcc_repair_optimizer_get_used (repairer->optimizer);
  job->allocating = FALSE;
  job->layer++;
}

static void
tell_group (LmccRepairer *repairer, guint i)
{
  const LmccSession *session = repairer->job.budget.session;
  LmccRepairGroup *group = get_group (repairer, i);
  guint n_layers =
      MIN (session->n_layers - group->layer, LMCC_REPAIR_MAX_CARRIERS);
  guint block, above;

  for (block = 0; block < group->depth; block++) {
    group->n_repair[block] = 0;
    for (above = 0; above < n_layers; above++) {
      guint n = lmcc_repair_plan_get_repair (repairer->plan, i, block,
          group->layer + above);

      group->parts[block][above] = (guint8) n;
      group->n_repair[block] = (guint8) (group->n_repair[block] + n);
    }
  }
  repairer->plan->work += group->depth * (guint64) n_layers;
}

/* Returns whether the group is finished. */
static gboolean
repair_some (LmccRepairer *repairer, LmccRepairGroup *group)
{
  if (lmcc_repairer_note_planned (repairer, group))
    return TRUE;
  repairer->plan->work +=
      (group->n / group->depth + group->n_repair[group->n_repaired - 1])
      * PACKET_WORK;

  return FALSE;
}

static void
tell_groups (LmccRepairer *repairer)
{
  LmccRepairJob *job = &repairer->job;
  LmccRepairGroup *group;

  if (job->n_told == job->window.groups->len) {
    job->phase = LMCC_REPAIR_JOB_RELEASE;
    return;
  }
  group = get_group (repairer, job->n_told);
  if (group->n_repaired == 0)
    tell_group (repairer, job->n_told);
  if (repair_some (repairer, group))
    job->n_told++;
}

static void
end_layers (LmccRepairer *repairer)
{
  LmccRepairJob *job = &repairer->job;
  guint layer;

  /* Before any repair packet can be sent. */
  for (layer = 0; !job->trial && layer < job->budget.session->n_layers; layer++)
    repairer->owed[layer] += job->used[layer];
  job->n_told = 0;
  job->phase = job->trial ? LMCC_REPAIR_JOB_RELEASE : LMCC_REPAIR_JOB_GROUPS;
  if (job->trial && job->window.pieces->len > 0)
    job->n_whole = lmcc_repair_plan_count_whole (repairer->plan,
                       lmcc_session_count_levels (job->budget.session) - 1)
        * job->every;
}

/*
 * lmcc_repairer_start_plan:
 * @repairer: a repairer without a job that has collected all pieces of the
 *     window
 * @budget: budget for their repair, copied; its session must stay valid
 * @trial: only evaluates the quality of the plan
 *
 * Starts a plan; lmcc_repairer_step_plan() computes how many repair packets
 * each block of the window gets, and which layer carries them. Packets of a
 * window of fixed rates may be sent meanwhile.
 */
void
lmcc_repairer_start_plan (LmccRepairer *repairer,
    const LmccRepairBudget *budget, gboolean trial)
{
  LmccRepairJob *job = &repairer->job;
  guint i;

  lmcc_repairer_take_over (repairer);
  job->active = TRUE;
  job->trial = trial;
  job->phase = job->window.pieces->len > 0 ? LMCC_REPAIR_JOB_BEGIN
                                           : LMCC_REPAIR_JOB_LAYERS;
  job->allocating = FALSE;
  job->budget = *budget;
  job->layer = 0;
  job->n_whole = 0.0;
  memset (job->used, 0, sizeof (job->used));
  job->pool_used = 0;
  for (i = 0; !trial && i < job->window.groups->len; i++) {
    LmccRepairGroup *group = get_group (repairer, i);

    if (group->packets->len < group->n)
      g_ptr_array_add (repairer->groups, g_rc_box_acquire (group));
  }
}

/* The pool is planned after the last layer. */
static void
plan_layers (LmccRepairer *repairer, guint64 until)
{
  LmccRepairJob *job = &repairer->job;
  guint n_layers = job->budget.session->n_layers;

  if (job->window.pieces->len == 0 || job->layer > n_layers) {
    end_layers (repairer);
  } else if (!job->allocating && gets_repair (repairer, job->layer)) {
    start_layer (repairer);
  } else if (!job->allocating) {
    job->layer++;
  } else if (lmcc_repair_optimizer_step (repairer->optimizer, until)) {
    if (job->layer < n_layers)
      end_layer (repairer);
    else
      end_pool (repairer);
  }
}

static void
step (LmccRepairer *repairer, guint64 until)
{
  LmccRepairJob *job = &repairer->job;

  switch (job->phase) {
    case LMCC_REPAIR_JOB_BEGIN:
      begin (repairer);
      job->phase = LMCC_REPAIR_JOB_PREPARE;
      break;
    case LMCC_REPAIR_JOB_PREPARE:
      if (lmcc_repair_plan_prepare (repairer->plan))
        job->phase = LMCC_REPAIR_JOB_PICTURES;
      break;
    case LMCC_REPAIR_JOB_PICTURES:
      if (add_piece (repairer))
        job->phase = LMCC_REPAIR_JOB_LAYERS;
      break;
    case LMCC_REPAIR_JOB_LAYERS:
      plan_layers (repairer, until);
      break;
    case LMCC_REPAIR_JOB_GROUPS:
      tell_groups (repairer);
      break;
    case LMCC_REPAIR_JOB_RELEASE:
      job->active = !lmcc_repairer_release (repairer);
      break;
  }
}

/*
 * lmcc_repairer_step_plan:
 * @repairer: a repairer
 * @work: (inout): permitted work in multiplications, and how much of it is left
 *
 * Returns: whether no plan is in progress, or none any more
 */
gboolean
lmcc_repairer_step_plan (LmccRepairer *repairer, guint64 *work)
{
  guint64 until = repairer->plan->work + *work;

  while (repairer->job.active && repairer->plan->work < until)
    step (repairer, until);
  *work = until - MIN (until, repairer->plan->work);

  return !repairer->job.active;
}
