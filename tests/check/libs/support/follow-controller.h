/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Follows a controller's wishes as the receiver does, for tests and fuzzing of all
 * algorithms: whatever comes, the level stays in range, goes up one by one, and
 * there is not always something to do.
 */
#ifndef FOLLOW_CONTROLLER_H
#define FOLLOW_CONTROLLER_H

#include <gst/lmcc/control/controller.h>
#include <gst/lmcc/lmcc.h>

/* @joins counts the steps up of an algorithm with slots. */
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

/* An algorithm whose settings have it not wait goes through the levels one by
 * one at one moment, at most up and down again. But for that a wish that the
 * receiver does not follow may take a second look. */
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
