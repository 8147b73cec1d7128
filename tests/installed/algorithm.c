/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An example of an external algorithm: one level down after a second with a
 * loss rate above 1 %, one level up after five seconds without. The program
 * registers it and runs it in a receiver whose path loses a tenth of the
 * packets for ten seconds.
 */
#include <gst/lmcc/lmcc.h>

#include <stdlib.h>
#include <string.h>

#define MOST_LOSS 0.01
#define QUIET_SECONDS 5

typedef struct
{
  LmccController controller; /* must be the first member */
  gint level;
  LmccTime second; /* end of the current second */
  guint quiet;
  guint received;
  guint lost;
} ByLoss;

static LmccControllerClass by_loss_class;
static LmccAlgorithm by_loss;

static void
on_packet (LmccController *controller, LmccTime now, LmccTime arrival,
    const LmccHeader *header, gsize size)
{
  ((ByLoss *) controller)->received++;
  (void) now, (void) arrival, (void) header, (void) size;
}

static void
on_loss (LmccController *controller, LmccTime now, guint layer,
    const LmccLoss *loss)
{
  ((ByLoss *) controller)->lost += loss->count;
  (void) now, (void) layer;
}

/* The receiver has changed its level: as the controller wanted, or as its
 * user caps it. */
static void
on_level (LmccController *controller, LmccTime now, gint level)
{
  ByLoss *self = (ByLoss *) controller;

  lmcc_controller_follow (controller, level);
  self->level = level;
  self->second = now + LMCC_SECOND;
}

static void
on_timeout (LmccController *controller, LmccTime now)
{
  ByLoss *self = (ByLoss *) controller;

  if (now < self->second)
    return;
  lmcc_controller_forget_wish (controller, self->level);
  if (self->lost > MOST_LOSS * (self->received + self->lost)) {
    self->quiet = 0;
    lmcc_controller_want (controller, MAX (controller->wanted_level - 1, 0),
        "too much was lost");
  } else if (++self->quiet == QUIET_SECONDS) {
    self->quiet = 0;
    lmcc_controller_want (controller, controller->wanted_level + 1,
        "little was lost");
  }
  self->received = self->lost = 0;
  self->second = now + LMCC_SECOND;
}

static LmccTime
next_timeout (const LmccController *controller)
{
  return ((const ByLoss *) controller)->second;
}

static void
free_controller (LmccController *controller)
{
  g_free (controller);
}

static LmccController *
create (const LmccSession *session, const LmccSettings *settings, guint32 seed)
{
  ByLoss *self = g_new0 (ByLoss, 1);

  lmcc_controller_init (&self->controller, &by_loss, &by_loss_class);
  self->second = LMCC_TIME_NONE;
  (void) session, (void) settings, (void) seed;
  return &self->controller;
}

static gboolean
register_algorithm (void)
{
  by_loss_class.on_packet = on_packet;
  by_loss_class.on_loss = on_loss;
  by_loss_class.on_level = on_level;
  by_loss_class.on_timeout = on_timeout;
  by_loss_class.next_timeout = next_timeout;
  by_loss_class.free = free_controller;
  by_loss.name = "by-loss";
  by_loss.description = "A level down after a second that lost 1 %";
  by_loss.create = create;
  return lmcc_algorithm_register (&by_loss);
}

/* The rest simulates a network in virtual time: a sender of two classes,
 * thus two layers, and a receiver. */

static LmccSender *
new_sender (void)
{
  LmccSenderConfig config;
  LmccSender *sender;
  GError *error = NULL;

  memset (&config, 0, sizeof (config));
  lmcc_session_init (&config.session);
  lmcc_address_parse ("239.255.42.1", &config.session.address);
  config.session.port = 5004;
  config.session.ssrc_base = 0x12345000;
  config.session.window = 100 * LMCC_MSECOND;
  g_strlcpy (config.session.video.encoding_name, "H264",
      LMCC_ENCODING_NAME_SIZE);
  config.session.video.clock_rate = 90000;
  config.cname = "example";
  config.mtu = 1400;
  sender = lmcc_sender_new (&config, 0, &error);
  if (sender == NULL)
    g_printerr ("%s\n", error->message);
  return sender;
}

static LmccReceiver *
new_receiver (void)
{
  LmccReceiverConfig config;

  memset (&config, 0, sizeof (config));
  lmcc_address_parse ("239.255.42.1", &config.address);
  config.algorithm = "by-loss";
  config.max_level = -1;
  config.latency = 100 * LMCC_MSECOND;
  return lmcc_receiver_new (&config);
}

static void
push_unit (LmccSender *sender, LmccTime now, guint number)
{
  LmccUnit *unit = lmcc_unit_new ();
  LmccPacket *packet = lmcc_packet_new (1000);

  memset (packet->data, 0, packet->capacity);
  packet->data[0] = 0x80;
  packet->data[1] = LMCC_DEFAULT_PAYLOAD_TYPE;
  packet->size = packet->capacity;
  g_ptr_array_add (unit->packets, packet);
  unit->klass = number % 2;
  unit->switch_point = TRUE;
  unit->decoding_time = unit->presentation_time = now;
  lmcc_sender_push_unit (sender, unit, now);
}

static void
forward (LmccSender *sender, LmccReceiver *receiver, LmccTime now,
    gboolean *joined, gboolean lossy)
{
  static guint number;
  LmccSenderAction sent;
  LmccReceiverAction action;
  LmccAddress source;

  lmcc_address_parse ("192.0.2.1", &source);
  while (lmcc_sender_poll_action (sender, &sent)) {
    if (sent.type == LMCC_SENDER_ACTION_SEND_CONTROL) {
      lmcc_receiver_handle_control (receiver, now, &source, 5004,
          sent.packet->data, sent.packet->size);
    } else if (sent.type == LMCC_SENDER_ACTION_SEND && joined[sent.group]
        && !(lossy && ++number % 10 == 0)) {
      lmcc_receiver_handle_packet (receiver, now, now, sent.group, &source,
          5004, lmcc_packet_ref (sent.packet));
    }
    if (sent.packet != NULL)
      lmcc_packet_unref (sent.packet);
  }
  while (lmcc_receiver_poll_action (receiver, &action)) {
    if (action.type == LMCC_RECEIVER_ACTION_JOIN)
      joined[action.group] = TRUE;
    else if (action.type == LMCC_RECEIVER_ACTION_LEAVE)
      joined[action.group] = FALSE;
    else if (action.type == LMCC_RECEIVER_ACTION_LEVEL)
      g_print ("%.0f s: level %d to %d: %s\n", (gdouble) now / LMCC_SECOND,
          action.from, action.to, action.reason);
    if (action.packet != NULL)
      lmcc_packet_unref (action.packet);
  }
}

static gint
run_until (LmccSender *sender, LmccReceiver *receiver, LmccTime end,
    gboolean lossy)
{
  static gboolean joined[LMCC_MAX_GROUPS];
  static LmccTime now;
  static guint number;
  LmccReceiverStats stats;

  for (; now < end; now += 10 * LMCC_MSECOND) {
    if (now % (20 * LMCC_MSECOND) == 0)
      push_unit (sender, now, number++);
    lmcc_sender_handle_timeout (sender, now);
    forward (sender, receiver, now, joined, lossy);
    lmcc_receiver_handle_timeout (receiver, now);
    forward (sender, receiver, now, joined, lossy);
  }
  lmcc_receiver_get_stats (receiver, now, &stats);
  return g_strcmp0 (stats.algorithm, "by-loss") == 0 ? stats.level : -2;
}

int
main (void)
{
  LmccSender *sender;
  LmccReceiver *receiver;
  gboolean right;

  if (!register_algorithm () || register_algorithm ())
    return EXIT_FAILURE;
  sender = new_sender ();
  if (sender == NULL)
    return EXIT_FAILURE;
  receiver = new_receiver ();
  lmcc_receiver_start (receiver, 0);
  right = run_until (sender, receiver, 20 * LMCC_SECOND, FALSE) == 1
      && run_until (sender, receiver, 30 * LMCC_SECOND, TRUE) == 0
      && run_until (sender, receiver, 40 * LMCC_SECOND, FALSE) == 1;
  lmcc_receiver_free (receiver);
  lmcc_sender_free (sender);
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
