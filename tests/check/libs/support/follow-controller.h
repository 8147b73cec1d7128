/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Follows a controller's decisions as the receiver does, for tests and
 * fuzzing of all algorithms. Whatever arrives, the level must stay in range,
 * go up one step at a time, and the controller must not ask for changes
 * endlessly.
 */
#ifndef FOLLOW_CONTROLLER_H
#define FOLLOW_CONTROLLER_H

#include <gst/lmcc/control/controller.h>
#include <gst/lmcc/lmcc.h>

/* @joins counts the upward steps of an algorithm with slots. */
typedef struct
{
  const LmccAlgorithm *algorithm;
  LmccController *controller;
  LmccSession session;
  LmccTime now;
  gint level;
  gint cap;
  guint joins;
} Followed;

static void
follow (Followed *followed)
{
  LmccController *controller = followed->controller;
  gint level = controller->wanted_level;

  if (level < 0 || controller->reason == NULL)
    g_error ("%s wants level %d", followed->algorithm->name, level);
  level =
      MIN (level, MIN (followed->cap, (gint) followed->session.n_layers - 1));
  if (level == followed->level)
    return;
  if (lmcc_algorithm_has_slots (followed->algorithm) && level > followed->level
      && followed->level >= 0) {
    if (level != followed->level + 1)
      g_error ("%s goes from level %d to %d", followed->algorithm->name,
          followed->level, level);
    followed->joins++;
  }
  followed->level = level;
  if (controller->klass->on_level != NULL)
    controller->klass->on_level (controller, followed->now, level);
}

/* Without waiting times, an algorithm may go through all levels at one
 * moment, at most once up and once down. Otherwise, only a decision that the
 * receiver does not follow may need a second poll. */
static void
let_time_pass (Followed *followed)
{
  LmccController *controller = followed->controller;
  const LmccControllerClass *klass = controller->klass;
  LmccControllerStatus status = { .state = "" };
  guint n_changes = 0, n_looks = 0;

  while (klass->next_timeout != NULL
      && klass->next_timeout (controller) <= followed->now) {
    gint level = followed->level;

    klass->on_timeout (controller, followed->now);
    follow (followed);
    if (followed->level != level)
      n_changes++;
    else
      n_looks++;
    if (n_looks == 3 || n_changes > 2 * followed->session.n_layers)
      g_error ("%s has something to do over and over",
          followed->algorithm->name);
  }
  if (klass->get_status != NULL)
    klass->get_status (controller, followed->now, &status);
  if (status.state == NULL
      || !(status.loss_event_rate >= 0 && status.loss_event_rate <= 1))
    g_error ("%s has an impossible state", followed->algorithm->name);
}

#endif
