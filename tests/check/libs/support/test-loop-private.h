/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TEST_LOOP_PRIVATE_H
#define TEST_LOOP_PRIVATE_H

#include "support/test-loop.h"

#define TEST_PAYLOAD_MAGIC 0x4c4d4343u

/* Start of each packet's payload in the model encoder. */
typedef struct
{
  guint32 magic;
  guint16 rung;
  guint16 klass;
  guint32 number;
  guint16 index;
  guint16 count;
  guint32 b_pictures; /* the receivers of its group have it */
} TestPayload;

/* test-model.c */
gboolean test_loop_decode (TestReceiver *test, const TestPayload *payload);
void test_loop_check_payload (const guint8 *data, gsize size,
    const TestPayload *payload);

#endif
