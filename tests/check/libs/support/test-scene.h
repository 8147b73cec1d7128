/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Two hosts that send to the same group, and a receiver that hears as much
 * of the second host as the test allows.
 */
#ifndef TEST_SCENE_H
#define TEST_SCENE_H

#include "support/test-loop.h"

#define TEST_SSRC 0x12345000u
#define TEST_OTHER_SSRC 0x6789a000u
#define TEST_NONCE G_GUINT64_CONSTANT (0x0123456789abcd)
#define TEST_OTHER_NONCE G_GUINT64_CONSTANT (0x00fedcba987654)

/* How much of the other host's session reaches the receiver. */
typedef enum
{
  TEST_SHARE_NOTHING,
  TEST_SHARE_RECORDS,
  TEST_SHARE_TRICKLE, /* session records and every twentieth packet */
  TEST_SHARE_EVERYTHING,
} TestShare;

typedef struct
{
  TestLoop *loop;  /* 10.0.0.1 */
  TestLoop *other; /* 10.0.0.2 */
  TestReceiver *test;
  guint n_other;
} TestScene;

LmccAddress test_address (const gchar *text);
void test_scene_init_with (TestScene *scene, LmccSourcePolicy policy,
    const gchar *const *codecs);
void test_scene_init (TestScene *scene, LmccSourcePolicy policy);
void test_scene_clear (TestScene *scene);
void test_scene_start_other (TestScene *scene, guint32 ssrc);
void test_scene_run (TestScene *scene, LmccTime duration, TestShare share);
void test_scene_play (TestScene *scene);
const LmccSession *test_scene_session (const TestScene *scene);
gboolean test_scene_is_with (const TestScene *scene, guint32 ssrc);

#endif
