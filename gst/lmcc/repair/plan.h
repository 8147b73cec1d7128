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

/* More of one block would be no longer a share of the media but its copies. */
#define LMCC_REPAIR_MAX_REPAIR 127

/**
 * LmccRepairNeed:
 * @group: a group
 * @first: its first source packet that is needed
 * @n: how many source packets are, from there on
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
 * @n: likewise
 * @row: place of its first value in the plan's rows: by a block's repair packets,
 *     the chance that what is needed of the block comes or is repaired, as the
 *     geometric mean over the group's blocks; not a number until it is known
 * @now: the chance of the whole group, with the repair that there is
 * @then: likewise, with repair that is tried
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
 * @curve: what it needs, among the group's curves
 */
typedef struct
{
  guint group;
  guint picture;
  guint curve;
} LmccRepairPictureNeed;

/**
 * LmccRepairPlanGroup:
 * @layer: that carries its source packets
 * @n_source: of its largest block
 * @depth: its blocks
 * @packet_size: what one of its repair packets takes, bytes
 * @max_repair: what a block may have
 * @max_seen: what of it the level in hand may have, beside what others have
 * @carriers: for each block the layers that have repair packets of it
 * @parts: for each block how many each of these has, by its distance above
 *     @layer
 * @repair: for each block its repair packets of all layers
 * @seen: those of them that the level in hand has
 * @below: of these, what other layers carry than the one in hand
 * @curves: of #LmccRepairCurve
 * @needs: of guint: the plan's needs that are of this group
 *
 * Blocks that are interleaved: what a picture needs of one of them it needs of
 * all others, too.
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
 * @first_need: in the plan's needs
 * @n_needs: how many
 * @levels: bit set of those that have all its layers
 * @weight: pictures that it stands for
 * @chance: that all that it needs is there, with the repair of the level in hand
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
 * Which of several blocks get how many repair packets: what adds most to the
 * number of pictures that can be decoded.
 */
typedef struct _LmccRepairPlan LmccRepairPlan;

/**
 * _LmccRepairPlan:
 * @loss_rate: share of the packets that are lost
 * @burst: packets that are lost in a row
 * @levels: bit sets: the levels that have a layer
 * @top: the highest level that a picture needs
 * @chances: by depth
 * @groups: of #LmccRepairPlanGroup
 * @n_groups: of them, those that are in use
 * @n_prepared: of these, those of which the chances are known
 * @needs: of #LmccRepairPictureNeed
 * @pictures: of #LmccRepairPicture
 * @rows: of gdouble: the curves' values
 * @work: multiplications so far, or what takes as long
 *
 * What there is to repair, and what it gets; repair/optimizer fills it.
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
