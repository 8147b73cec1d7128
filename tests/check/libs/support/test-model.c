/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The model encoder and the model decoder.
 */
#include "support/test-loop-private.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/wire/rtp.h>
#include <string.h>

/* A picture is presented this long after its decoding time: two pictures of
 * reordering, as a pyramid of three B pictures needs. */
#define REORDER_TIME (2 * TEST_PICTURE_TIME)

/* Decoding order within a group of 24 pictures. */
static const guint8 b_order[TEST_GOP] = { 0, 4, 2, 1, 3, 8, 6, 5, 7, 12, 10, 9,
  11, 16, 14, 13, 15, 20, 18, 17, 19, 23, 22, 21 };

guint
test_display_number (gboolean b_pictures, guint decode_number)
{
  if (!b_pictures)
    return decode_number;

  return decode_number / TEST_GOP * TEST_GOP
      + b_order[decode_number % TEST_GOP];
}

static gboolean
is_anchor (guint at)
{
  return at % 4 == 0 || at == 23;
}

static gboolean
is_pyramid_top (guint at)
{
  return at == 22 || (at % 4 == 2 && at != 22);
}

guint
test_picture_class (gboolean b_pictures, guint display_number)
{
  guint at = display_number % TEST_GOP;

  if (!b_pictures || is_anchor (at))
    return 0;

  return is_pyramid_top (at) ? 1 : 2;
}

/* The nearest picture of class @klass or lower on one side. */
static gint
neighbour (guint at, guint klass, gint step)
{
  gint other = (gint) at + step;

  while (other >= 0 && other < TEST_GOP
      && test_picture_class (TRUE, (guint) other) > klass)
    other += step;

  return other < TEST_GOP ? other : -1;
}

static guint
references (gboolean b_pictures, guint at, gint refs[2])
{
  guint klass = test_picture_class (b_pictures, at);

  if (at == 0)
    return 0;
  if (!b_pictures) {
    refs[0] = (gint) at - 1;
    return 1;
  }
  if (klass == 0) {
    refs[0] = neighbour (at, 0, -1);
    return 1;
  }
  refs[0] = neighbour (at, klass - 1, -1);
  refs[1] = neighbour (at, klass - 1, 1);

  return 2;
}

/* Whether @picture depends on @on, directly or indirectly. */
gboolean
test_picture_depends_on (gboolean b_pictures, guint picture, guint on)
{
  gint refs[2];
  guint n, i;

  if (picture == on)
    return TRUE;
  if (picture / TEST_GOP != on / TEST_GOP)
    return FALSE;
  n = references (b_pictures, picture % TEST_GOP, refs);
  for (i = 0; i < n; i++) {
    if (test_picture_depends_on (b_pictures,
            picture / TEST_GOP * TEST_GOP + (guint) refs[i], on))
      return TRUE;
  }

  return FALSE;
}

LmccTime
test_presentation_time (guint display_number)
{
  return TEST_START + display_number * TEST_PICTURE_TIME + REORDER_TIME;
}

static guint
packets_of (TestLoop *loop, guint rung, guint number, guint klass)
{
  guint most = number % TEST_GOP == 0 ? 8 : klass == 0 ? 4 : klass == 1 ? 2 : 1;

  return (guint) g_rand_int_range (loop->random, 1, (gint) most + 1)
      * (rung + 1);
}

/* Each packet has different content. */
static void
fill_payload (guint8 *data, gsize size, const TestPayload *payload)
{
  guint32 value = payload->number * 64 + payload->rung * 16 + payload->index;
  gsize i;

  for (i = 0; i < size; i++) {
    value = value * 1664525u + 1013904223u;
    data[i] = (guint8) (value >> 24);
  }
  memcpy (data, payload, sizeof (*payload));
}

LmccUnit *
test_loop_make_unit (TestLoop *loop, guint rung, guint picture)
{
  LmccUnit *unit = lmcc_unit_new ();
  guint number = test_display_number (loop->b_pictures, picture);
  guint klass = test_picture_class (loop->b_pictures, number);
  guint count = packets_of (loop, rung, number, klass);
  guint i;

  unit->stream = (guint8) rung;
  unit->klass = (guint8) klass;
  unit->switch_point = klass > 0 || number % TEST_GOP == 0;
  unit->decoding_time = TEST_START + picture * TEST_PICTURE_TIME;
  unit->presentation_time = test_presentation_time (number);
  for (i = 0; i < count; i++) {
    LmccPacket *packet = lmcc_packet_new (loop->packet_size);
    TestPayload payload = { TEST_PAYLOAD_MAGIC, (guint16) rung, (guint16) klass,
      number, (guint16) i, (guint16) count, (guint32) loop->b_pictures };

    memset (packet->data, 0, loop->packet_size);
    fill_payload (packet->data + LMCC_RTP_HEADER_SIZE,
        loop->packet_size - LMCC_RTP_HEADER_SIZE, &payload);
    packet->data[0] = 0x80;
    packet->data[1] = 96;
    packet->size = loop->packet_size;
    g_ptr_array_add (unit->packets, packet);
  }

  return unit;
}

/* The model decoder: a picture is broken unless the decoder has all its
 * reference pictures of the same rung and group of pictures. */
gboolean
test_loop_decode (TestReceiver *test, const TestPayload *payload)
{
  guint number = payload->number;
  guint at = number % TEST_GOP;
  gint gop = (gint) (number / TEST_GOP);
  gboolean broken = FALSE;
  gint refs[2];
  guint n, i;

  if (at == 0) {
    memset (test->decoded, 0, sizeof (test->decoded));
    test->decoder_rung = payload->rung;
    test->decoder_gop = gop;
  }
  if (test->decoder_rung != payload->rung || test->decoder_gop != gop)
    return TRUE;
  n = references (payload->b_pictures, at, refs);
  for (i = 0; i < n; i++)
    broken |= !test->decoded[refs[i]];
  test->decoded[at] = !broken;

  return broken;
}

void
test_loop_check_payload (const guint8 *data, gsize size,
    const TestPayload *payload)
{
  g_autofree guint8 *expected = g_malloc (size);

  fill_payload (expected, size, payload);
  fail_unless (memcmp (data, expected, size) == 0);
}
