/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests pictures of several layers: each sent picture is output by a
 * receiver as one picture, whatever the sizes of its layers.
 */
#include "support/sender-harness.h"

#include <gst/lmcc/lmcc-receiver.h>

#define DELAY (20 * MS)
#define PICTURE (LMCC_SECOND / 24)
#define N_PICTURES 120
#define KEY_DISTANCE 24
#define N_LAYERS 3

/* Temporal layers in turn: two of them are silent for longer than a packet
 * may wait. */
static const guint temporal[] = { 0, 2, 1, 2 };

typedef struct
{
  LmccReceiver *receiver;
  LmccAddress source;
  gboolean joined[LMCC_MAX_GROUPS];
  guint n_pictures;
  guint n_markers;
  guint n_late;
  gboolean any;
  guint32 timestamp; /* of the latest packet */
} Screen;

static void
take (Screen *screen, const LmccReceiverAction *action, LmccTime now)
{
  LmccRtp rtp;

  fail_unless (lmcc_rtp_parse (action->packet->data, action->packet->size,
      LMCC_HEADER_DEFAULT_ID, &rtp));
  if (!screen->any || rtp.timestamp != screen->timestamp)
    screen->n_pictures++;
  screen->any = TRUE;
  screen->timestamp = rtp.timestamp;
  screen->n_markers += rtp.marker;
  screen->n_late +=
      now > action->time + lmcc_receiver_get_latency (screen->receiver);
}

static void
drain (Screen *screen, LmccTime now)
{
  LmccReceiverAction action;

  while (lmcc_receiver_poll_action (screen->receiver, &action)) {
    if (action.type == LMCC_RECEIVER_ACTION_JOIN)
      screen->joined[action.group] = TRUE;
    else if (action.type == LMCC_RECEIVER_ACTION_LEAVE)
      screen->joined[action.group] = FALSE;
    else if (action.type == LMCC_RECEIVER_ACTION_DELIVER)
      take (screen, &action, now);
    if (action.type == LMCC_RECEIVER_ACTION_DELIVER
        || action.type == LMCC_RECEIVER_ACTION_REPORT
        || action.type == LMCC_RECEIVER_ACTION_SEND_CONTROL)
      lmcc_packet_unref (action.packet);
  }
}

static void
run_until (Screen *screen, LmccTime until)
{
  LmccTime next;

  while ((next = lmcc_receiver_next_timeout (screen->receiver)) <= until) {
    lmcc_receiver_handle_timeout (screen->receiver, next);
    drain (screen, next);
  }
}

static void
arrive (Screen *screen, const SentPacket *sent)
{
  LmccTime now = sent->time + DELAY;

  run_until (screen, now);
  if (sent->control)
    lmcc_receiver_handle_control (screen->receiver, now, &screen->source, 40000,
        sent->packet->data, sent->packet->size);
  else if (screen->joined[sent->group])
    lmcc_receiver_handle_packet (screen->receiver, now, now, sent->group,
        &screen->source, 40000,
        lmcc_packet_new_copy (sent->packet->data, sent->packet->size));
  drain (screen, now);
}

static void
send_pictures (Harness *h, const guint packets[N_LAYERS])
{
  guint picture, layer;

  for (picture = 0; picture < N_PICTURES; picture++) {
    LmccTime time = START + picture * PICTURE;

    harness_run_until (h, time);
    for (layer = 0; layer < N_LAYERS; layer++) {
      guint klass = 3 * layer + temporal[picture % 4];
      LmccUnit *unit = make_unit (0, klass, time, packets[layer], 1000);

      unit->switch_point = picture % KEY_DISTANCE < 4;
      harness_push (h, unit);
    }
  }
  harness_run_until (h, START + N_PICTURES * PICTURE + LMCC_SECOND);
}

/* Packets of each layer of a picture. */
static const guint layer_rows[][N_LAYERS] = {
  { 1, 1, 1 },
  { 5, 5, 5 },
  { 2, 1, 5 },
  { 4, 1, 20 },
  { 1, 1, 20 },
  { 20, 1, 2 },
};

GST_START_TEST (a_picture_has_one_end_whatever_the_sizes_of_its_layers)
{
  LmccSenderConfig config = sender_config (1);
  LmccReceiverConfig receiver = { .algorithm = "none",
    .latency = 200 * MS,
    .max_level = LMCC_MAX_LAYERS - 1 };
  Screen screen = { 0 };
  Harness h;
  guint i;

  g_strlcpy (config.session.video.encoding_name, "VP9",
      LMCC_ENCODING_NAME_SIZE);
  h = harness_new (&config);
  send_pictures (&h, layer_rows[__i__]);

  lmcc_address_parse ("192.0.2.1", &screen.source);
  receiver.address = config.session.address;
  screen.receiver = lmcc_receiver_new (&receiver);
  lmcc_receiver_start (screen.receiver, START);
  drain (&screen, START);
  for (i = 0; i < N_SENT (&h); i++)
    arrive (&screen, SENT (&h, i));
  run_until (&screen, h.now + LMCC_SECOND);

  fail_unless (screen.n_pictures > N_PICTURES / 2);
  fail_unless_equals_int (screen.n_markers, screen.n_pictures);
  fail_unless_equals_int (screen.n_late, 0);
  lmcc_receiver_free (screen.receiver);
  harness_clear (&h);
}

GST_END_TEST;

static Suite *
whole_pictures_suite (void)
{
  Suite *suite = suite_create ("whole-pictures");
  TCase *tc = tcase_create ("whole-pictures");

  suite_add_tcase (suite, tc);
  tcase_add_loop_test (tc,
      a_picture_has_one_end_whatever_the_sizes_of_its_layers, 0,
      G_N_ELEMENTS (layer_rows));

  return suite;
}

GST_CHECK_MAIN (whole_pictures);
