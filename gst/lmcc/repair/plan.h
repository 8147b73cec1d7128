/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_REPAIR_PLAN_H
#define LMCC_REPAIR_PLAN_H

#include "repair/chances.h"
#include "repair/code.h"
#include "repair/payload.h"
#include "wire/levels.h"

G_BEGIN_DECLS

/* More repair packets of one block would be copies of the media and not a share of
 * them. */
#define LMCC_REPAIR_MAX_REPAIR 127

/**
 * LmccRepairNeed:
 * @group: a group
 * @first: its first needed source packet
 * @n: number of needed source packets from there on
 */
typedef struct
{
  guint group;
  guint first;
  guint n;
} LmccRepairNeed;

/**
 * LmccRepairCurve:
 * @first: as in #LmccRepairNeed
 * @n: as in #LmccRepairNeed
 * @row: position of its first value in the plan's rows: by number of a block's repair
 *     packets, the probability that what is needed of the block arrives or is recovered,
 *     as the geometric mean over the group's blocks; NaN until it is computed
 * @now: the probability for the whole group, with the present repair packets
 * @then: the same, with the tried repair packets
 *
 * What some pictures need of a group.
 */
typedef struct
{
  guint first;
  guint n;
  gsize row;
  gdouble now;
  gdouble then;
} LmccRepairCurve;

/**
 * LmccRepairPictureNeed:
 * @group: a group
 * @picture: the picture that needs it
 * @curve: index of the need among the group's curves
 */
typedef struct
{
  guint group;
  guint picture;
  guint curve;
} LmccRepairPictureNeed;

/**
 * LmccRepairPlanGroup:
 * @layer: the layer that carries its source packets
 * @n_source: number of source packets of its largest block
 * @depth: number of its blocks
 * @packet_size: size of one of its repair packets in bytes
 * @max_repair: greatest number of repair packets for a block
 * @max_seen: greatest number of them for the present level, in addition to those of other
 *     levels
 * @carriers: for each block, the layers that carry its repair packets
 * @parts: for each block, how many of them each layer carries, by its distance above
 *     @layer
 * @repair: for each block, its repair packets in all layers
 * @seen: for each block, how many of these the present level gets
 * @below: for each block, how many of @seen layers other than the present one carry
 * @curves: array of #LmccRepairCurve
 * @needs: array of guint: the plan's needs of this group
 *
 * Interleaved blocks: a picture needs the same part of each of them.
 */
typedef struct
{
  guint layer;
  guint n_source;
  guint depth;
  gsize packet_size;
  guint max_repair;
  guint max_seen;
  LmccLayerSet carriers[LMCC_REPAIR_MAX_STEP];
  guint8 parts[LMCC_REPAIR_MAX_STEP][LMCC_REPAIR_MAX_CARRIERS];
  guint8 repair[LMCC_REPAIR_MAX_STEP];
  guint8 seen[LMCC_REPAIR_MAX_STEP];
  guint8 below[LMCC_REPAIR_MAX_STEP];
  GArray *curves;
  GArray *needs;
} LmccRepairPlanGroup;

/**
 * LmccRepairPicture:
 * @first_need: index in the plan's needs
 * @n_needs: number of needs
 * @levels: bits: the levels that have all its layers
 * @weight: number of pictures that it represents
 * @chance: probability that everything it needs is there, with the repair packets of the
 *     present level
 */
typedef struct
{
  guint first_need;
  guint n_needs;
  guint64 levels;
  gdouble weight;
  gdouble chance;
} LmccRepairPicture;

/**
 * LmccRepairPlan:
 * How many repair packets each of several blocks gets, so that the number of decodable
 * pictures is greatest.
 */
typedef struct _LmccRepairPlan LmccRepairPlan;

/**
 * _LmccRepairPlan:
 * @loss_rate: packet loss rate
 * @burst: mean number of packets lost in a row
 * @levels: bits per layer: the levels that contain it
 * @top: the highest level that a picture needs
 * @chances: by depth
 * @groups: array of #LmccRepairPlanGroup
 * @n_groups: number of groups in use
 * @n_prepared: number of groups whose probabilities are computed
 * @needs: array of #LmccRepairPictureNeed
 * @pictures: array of #LmccRepairPicture
 * @rows: array of gdouble: the curves' values
 * @work: work so far, in multiplications
 *
 * The groups to protect, and the repair packets that they get; repair/optimizer fills it
 * in.
 */
struct _LmccRepairPlan
{
  gdouble loss_rate;
  gdouble burst;
  guint64 levels[LMCC_MAX_LAYERS];
  guint top;
  GHashTable *chances;
  GArray *groups;
  guint n_groups;
  guint n_prepared;
  GArray *needs;
  GArray *pictures;
  GArray *rows;
  guint64 work;
};

LmccRepairPlan *lmcc_repair_plan_new (gdouble loss_rate, gdouble burst);
void
lmcc_repair_plan_set_path (LmccRepairPlan *plan, const LmccRepairPath *path);
void lmcc_repair_plan_free (LmccRepairPlan *plan);
void lmcc_repair_plan_begin (LmccRepairPlan *plan, const LmccSession *session);
guint lmcc_repair_plan_add_group (LmccRepairPlan *plan, guint layer,
    guint n_packets, guint depth, gsize packet_size);
gboolean lmcc_repair_plan_prepare (LmccRepairPlan *plan);
void lmcc_repair_plan_limit_group (LmccRepairPlan *plan, guint group,
    guint max_repair);
void lmcc_repair_plan_add_picture (LmccRepairPlan *plan,
    const LmccRepairNeed *needs, guint n_needs);
void lmcc_repair_plan_weigh_picture (LmccRepairPlan *plan, gdouble weight);
guint lmcc_repair_plan_get_repair (const LmccRepairPlan *plan, guint group,
    guint block, guint layer);
gdouble lmcc_repair_plan_count_whole (LmccRepairPlan *plan, guint level);

/* For the optimizer. */
LmccRepairPlanGroup *
lmcc_repair_plan_get_group (const LmccRepairPlan *plan, guint i);
LmccRepairPictureNeed *
lmcc_repair_plan_get_need (const LmccRepairPlan *plan, guint i);
LmccRepairPicture *
lmcc_repair_plan_get_picture (const LmccRepairPlan *plan, guint i);
LmccRepairCurve *lmcc_repair_plan_get_curve (const LmccRepairPlan *plan,
    const LmccRepairPictureNeed *need);
guint lmcc_repair_plan_get_lowest (guint64 levels);
gboolean lmcc_repair_plan_has_level (guint64 levels, guint level);
gdouble lmcc_repair_plan_get_value (LmccRepairPlan *plan,
    const LmccRepairPlanGroup *group, const LmccRepairCurve *curve,
    guint n_repair);
gdouble lmcc_repair_plan_find_chance (LmccRepairPlan *plan,
    const LmccRepairPlanGroup *group, const LmccRepairCurve *curve,
    const guint8 *repair);
void lmcc_repair_plan_update_group (LmccRepairPlan *plan,
    LmccRepairPlanGroup *group);
void lmcc_repair_plan_update_picture (LmccRepairPlan *plan,
    LmccRepairPicture *picture);
void lmcc_repair_plan_look_from (LmccRepairPlan *plan,
    LmccRepairPlanGroup *group, guint level);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmccRepairPlan, lmcc_repair_plan_free)

G_END_DECLS

#endif
