/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "support/test-scene.h"

#include <gst/check/gstcheck.h>
#include <string.h>

LmccAddress
test_address (const gchar *text)
{
  LmccAddress parsed;

  fail_unless (lmcc_address_parse (text, &parsed));

  return parsed;
}

static TestLoop *
make_loop (const gchar *from, guint64 nonce)
{
  TestLoop *loop = test_loop_new (1, TRUE);

  loop->sender_address = test_address (from);
  loop->algorithm = "elm";
  loop->nonce = nonce;

  return loop;
}

/**
 * test_scene_init_with:
 * @scene: (out): two hosts that do not send yet
 * @policy: source policy of the receiver
 * @codecs: (nullable): codecs that it accepts
 */
void
test_scene_init_with (TestScene *scene, LmccSourcePolicy policy,
    const gchar *const *codecs)
{
  memset (scene, 0, sizeof (*scene));
  scene->loop = make_loop ("10.0.0.1", TEST_NONCE);
  scene->other = make_loop ("10.0.0.2", TEST_OTHER_NONCE);
  scene->loop->source_policy = policy;
  scene->loop->codecs = codecs;
  scene->test = test_loop_add_receiver (scene->loop, -1, LMCC_ON_LOSS_FREEZE);
}

void
test_scene_init (TestScene *scene, LmccSourcePolicy policy)
{
  test_scene_init_with (scene, policy, NULL);
}

void
test_scene_clear (TestScene *scene)
{
  test_loop_free (scene->other);
  test_loop_free (scene->loop);
}

void
test_scene_start_other (TestScene *scene, guint32 ssrc)
{
  scene->other->now = scene->loop->now;
  test_loop_start_sender (scene->other, ssrc);
}

static void
hand_over (TestScene *scene, const LmccSenderAction *action, TestShare share)
{
  TestLoop *loop = scene->loop;
  TestReceiver *test = scene->test;
  const LmccAddress *from = &scene->other->sender_address;

  if (action->type == LMCC_SENDER_ACTION_SEND) {
    if (test->joined[action->group]
        && (share == TEST_SHARE_EVERYTHING
            || (share == TEST_SHARE_TRICKLE && scene->n_other++ % 20 == 0)))
      lmcc_receiver_handle_packet (test->receiver, loop->now, loop->now,
          action->group, from, 50000, lmcc_packet_ref (action->packet));
  } else if (action->type == LMCC_SENDER_ACTION_SEND_CONTROL) {
    if (share != TEST_SHARE_NOTHING)
      lmcc_receiver_handle_control (test->receiver, loop->now, from, 50000,
          action->packet->data, action->packet->size);
  } else {
    return;
  }
  lmcc_packet_unref (action->packet);
  test_loop_drain (loop);
}

/* Both hosts send for @duration. */
void
test_scene_run (TestScene *scene, LmccTime duration, TestShare share)
{
  TestLoop *other = scene->other;
  LmccTime end = scene->loop->now + duration;

  while (scene->loop->now < end) {
    LmccSenderAction action;

    test_loop_run (scene->loop, LMCC_MSECOND);
    other->now = scene->loop->now;
    if (other->sender == NULL)
      continue;
    while (lmcc_sender_next_timeout (other->sender) <= other->now)
      lmcc_sender_handle_timeout (other->sender, other->now);
    while (other->next_picture * TEST_PICTURE_TIME + TEST_START <= other->now)
      lmcc_sender_push_unit (other->sender,
          test_loop_make_unit (other, 0, other->next_picture++), other->now);
    while (lmcc_sender_poll_action (other->sender, &action))
      hand_over (scene, &action, share);
  }
}

const LmccSession *
test_scene_session (const TestScene *scene)
{
  return lmcc_receiver_get_session (scene->test->receiver);
}

gboolean
test_scene_is_with (const TestScene *scene, guint32 ssrc)
{
  return test_scene_session (scene) != NULL
      && test_scene_session (scene)->ssrc_base == ssrc;
}

/* The real sender plays and is established. */
void
test_scene_play (TestScene *scene)
{
  test_loop_start_sender (scene->loop, TEST_SSRC);
  test_scene_run (scene, 12 * LMCC_SECOND, TEST_SHARE_NOTHING);
  fail_unless (test_scene_is_with (scene, TEST_SSRC));
}
