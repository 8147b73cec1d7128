/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the verdicts on packet trains of large pictures: their packets do not
 * suffice for an even train.
 */
#include "measure/trains.h"

#include "wire/layer-header.h"

#include <gst/check/gstcheck.h>

#define US (LMCC_SECOND / 1000000)

#define HELD 1366413
#define TRAIN 3017828

/* The sender's clock when the first packet of a train leaves. */
#define BEGIN (100 * LMCC_SECOND)

#define MOST_PACKETS 40

typedef struct
{
  guint time; /* us */
  guint size; /* bytes */
} Packet;

/* Three trains of two encodings by x264enc (0.3 and 0.9 Mbit/s, 25 pictures
 * per second) for a level of 3 Mbit/s. */
static const Packet recorded[][MOST_PACKETS] = {
  { { 0, 1000 }, { 2640, 1000 }, { 5280, 1000 }, { 7930, 397 }, { 8990, 66 },
      { 9280, 70 }, { 9570, 1000 }, { 12010, 1000 }, { 14650, 1000 },
      { 17290, 1000 }, { 18540, 1000 }, { 22600, 419 }, { 23700, 446 },
      { 24890, 66 }, { 25160, 70 }, { 25670, 1000 }, { 27890, 440 },
      { 36790, 66 }, { 36790, 70 }, { 36790, 1000 }, { 38040, 512 },
      { 39280, 66 }, { 39660, 70 }, { 39660, 1000 }, { 42420, 1000 },
      { 44860, 1000 }, { 47590, 1000 }, { 50170, 447 } },
  { { 0, 1000 }, { 2370, 1000 }, { 5020, 1000 }, { 7680, 383 }, { 8680, 66 },
      { 8970, 70 }, { 9250, 1000 }, { 11960, 1000 }, { 14360, 1000 },
      { 17010, 1000 }, { 17990, 1000 }, { 22290, 574 }, { 23820, 416 },
      { 24950, 66 }, { 25240, 70 }, { 25530, 1000 }, { 27940, 553 },
      { 36510, 66 }, { 36510, 70 }, { 36510, 1000 }, { 37600, 439 },
      { 41490, 66 }, { 41490, 70 }, { 41490, 1000 }, { 42540, 1000 },
      { 45200, 1000 }, { 47910, 1000 }, { 50490, 582 } },
  { { 0, 66 }, { 0, 70 }, { 0, 1000 }, { 1050, 1000 }, { 3770, 1000 },
      { 6550, 1000 }, { 9020, 380 }, { 10010, 66 }, { 10300, 70 },
      { 10600, 1000 }, { 11840, 66 }, { 13410, 1000 }, { 13700, 70 },
      { 15880, 1000 }, { 18980, 1000 }, { 21360, 1000 }, { 24050, 421 },
      { 27480, 443 }, { 27480, 66 }, { 27480, 70 }, { 27480, 1000 },
      { 29890, 432 }, { 34270, 66 }, { 34270, 70 }, { 34270, 1000 },
      { 35890, 508 }, { 38120, 66 }, { 38120, 70 }, { 38120, 1000 },
      { 39790, 1000 }, { 42600, 1000 }, { 45320, 1000 }, { 47870, 498 } },
};

typedef struct
{
  LmccSession session;
  LmccTrainReader reader;
  gdouble capacity;
  LmccTime idle_at;
} Path;

static void
path_init (Path *path, gdouble capacity)
{
  lmcc_session_init (&path->session);
  path->session.train_cycle = 2 * LMCC_SECOND;
  path->session.packet_size = 1000;
  path->session.n_layers = 2;
  path->session.layers[0].rate = HELD;
  path->session.layers[1].rate = TRAIN - HELD;
  lmcc_train_reader_init (&path->reader);
  lmcc_train_reader_set_level (&path->reader, 0);
  path->capacity = capacity;
  path->idle_at = 0;
}

static gboolean
path_send (Path *path, LmccTime sent, guint size, gboolean train)
{
  LmccHeader header = { .burst = train,
    .signal = 1,
    .send_time = lmcc_time_to_ntp_short (sent) };

  path->idle_at = MAX (path->idle_at, sent)
      + (LmccTime) (8.0 * size * LMCC_SECOND / path->capacity);

  return lmcc_train_reader_packet (&path->reader, &path->session, path->idle_at,
      &header, size);
}

static LmccTrainVerdict
read_train (const Packet *packets, gdouble capacity)
{
  LmccTime sent = BEGIN;
  Path path;
  guint i;

  path_init (&path, capacity);
  path_send (&path, BEGIN - LMCC_SECOND, 1000, FALSE);
  for (i = 0; packets[i].size > 0; i++) {
    sent = BEGIN + packets[i].time * US;
    path_send (&path, sent, packets[i].size, TRUE);
  }
  path_send (&path, sent + LMCC_SECOND, 1000, FALSE);

  return lmcc_train_reader_get (&path.reader, path.idle_at, NULL);
}

/* A sixth is the least. */
static const gdouble too_little[] = { 0.46, 0.6, 0.75, 0.83 };

GST_START_TEST (test_gaps_hide_no_lack_of_room)
{
  gdouble share = too_little[(guint) __i__ % G_N_ELEMENTS (too_little)];
  guint row = (guint) __i__ / G_N_ELEMENTS (too_little);

  fail_unless_equals_int (read_train (recorded[row], share * TRAIN),
      LMCC_TRAIN_FULL);
}

GST_END_TEST;

static const gdouble enough[] = { 1.0, 1.05, 1.5, 3 };

GST_START_TEST (test_gaps_are_no_lack_of_room)
{
  gdouble share = enough[(guint) __i__ % G_N_ELEMENTS (enough)];
  guint row = (guint) __i__ / G_N_ELEMENTS (enough);

  fail_unless_equals_int (read_train (recorded[row], share * TRAIN),
      LMCC_TRAIN_ROOM);
}

GST_END_TEST;

static Suite *
train_pictures_suite (void)
{
  Suite *suite = suite_create ("train-pictures");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, test_gaps_hide_no_lack_of_room, 0,
      G_N_ELEMENTS (too_little) * G_N_ELEMENTS (recorded));
  tcase_add_loop_test (tcase, test_gaps_are_no_lack_of_room, 0,
      G_N_ELEMENTS (enough) * G_N_ELEMENTS (recorded));

  return suite;
}

GST_CHECK_MAIN (train_pictures);
