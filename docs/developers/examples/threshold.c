/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An example of an algorithm, which docs/developers/add-an-algorithm.md adds to
 * the library: leave a layer after a second with too much packet loss, join one
 * after some time with little.
 */
#include "control/controller.h"

typedef struct
{
  LmccController parent; /* comes first */
  gdouble max_loss;
  LmccTime join_time;

  gint level;
  LmccTime second_ends; /* of the second that is being counted, or none */
  LmccTime quiet_since;
  guint received;
  guint lost;
} Threshold;

static const LmccSetting settings[] = {
  { "max-loss", LMCC_SETTING_NUMBER, 0, 1, 0.02, NULL,
      "Share of lost packets above which a layer is left" },
  { "join-time", LMCC_SETTING_TIME, 1, 600, 10, NULL,
      "Time without such losses after which a layer is joined" },
};

static void
threshold_on_packet (LmccController *controller, LmccTime now G_GNUC_UNUSED,
    LmccTime arrival G_GNUC_UNUSED, const LmccHeader *header G_GNUC_UNUSED,
    gsize size G_GNUC_UNUSED)
{
  ((Threshold *) controller)->received++;
}

static void
threshold_on_loss (LmccController *controller, LmccTime now G_GNUC_UNUSED,
    guint layer G_GNUC_UNUSED, const LmccLoss *loss)
{
  ((Threshold *) controller)->lost += loss->count;
}

/* The level changed, on the algorithm's wish or for another reason: what was
 * counted belongs to the old level. */
static void
threshold_on_level (LmccController *controller, LmccTime now, gint level)
{
  Threshold *self = (Threshold *) controller;

  lmcc_controller_follow (controller, level);
  self->level = level;
  self->second_ends = level < 0 ? LMCC_TIME_NONE : now + LMCC_SECOND;
  self->quiet_since = now;
  self->received = self->lost = 0;
}

static void
threshold_on_timeout (LmccController *controller, LmccTime now)
{
  Threshold *self = (Threshold *) controller;

  if (self->second_ends > now)
    return;
  lmcc_controller_forget_wish (controller, self->level);
  if (self->lost > self->max_loss * (self->received + self->lost)) {
    self->quiet_since = now;
    lmcc_controller_want (controller, MAX (self->level - 1, 0),
        "too much packet loss");
  } else if (now - self->quiet_since >= self->join_time) {
    self->quiet_since = now;
    lmcc_controller_want (controller, self->level + 1, "little packet loss");
  }
  self->received = self->lost = 0;
  self->second_ends = now + LMCC_SECOND;
}

static LmccTime
threshold_next_timeout (const LmccController *controller)
{
  return ((const Threshold *) controller)->second_ends;
}

/* lmccsrc has this in its statistics. */
static void
threshold_get_status (LmccController *controller, LmccTime now G_GNUC_UNUSED,
    LmccControllerStatus *status)
{
  const Threshold *self = (const Threshold *) controller;

  status->state = "counting";
  if (self->second_ends != LMCC_TIME_NONE) {
    status->timer = "join";
    status->timer_at = self->quiet_since + self->join_time;
  }
}

static void
threshold_free (LmccController *controller)
{
  g_free (controller);
}

static const LmccControllerClass threshold_class = {
  .on_packet = threshold_on_packet,
  .on_loss = threshold_on_loss,
  .on_level = threshold_on_level,
  .on_timeout = threshold_on_timeout,
  .next_timeout = threshold_next_timeout,
  .get_status = threshold_get_status,
  .free = threshold_free,
};

static LmccController *threshold_create (const LmccSession *session,
    const LmccSettings *values, guint32 seed);

const LmccAlgorithm lmcc_algorithm_threshold = {
  .name = "threshold",
  .number = 102,
  .description = "An example: a level down after a second with more than 2 % "
                 "packet loss, a level up after ten seconds without",
  .paper = "docs/developers/add-an-algorithm.md",
  .settings = settings,
  .n_settings = G_N_ELEMENTS (settings),
  .create = threshold_create,
};

static LmccController *
threshold_create (const LmccSession *session G_GNUC_UNUSED,
    const LmccSettings *values, guint32 seed G_GNUC_UNUSED)
{
  Threshold *self = g_new0 (Threshold, 1);

  lmcc_controller_init (&self->parent, &lmcc_algorithm_threshold,
      &threshold_class);
  self->max_loss = lmcc_settings_get (values, "max-loss");
  self->join_time = lmcc_settings_get_time (values, "join-time");
  self->level = -1;
  self->second_ends = LMCC_TIME_NONE;

  return &self->parent;
}
