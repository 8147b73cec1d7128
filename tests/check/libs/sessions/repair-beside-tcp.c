/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures the effect of repair on pictures when a receiver shares a lossy
 * link with a TCP connection, and tests that congestion control does not
 * depend on the result of repair.
 */
#include "support/test-jobs.h"
#include "support/test-net.h"
#include "support/test-options.h"
#include "support/test-page.h"

#include <gst/lmcc/wire/layer-header.h>
#include <gst/lmcc/wire/rtp.h>

#include <math.h>
#include <string.h>

#define SKIPPED 77
#define LEVELS 4
#define BASE_RATE 300e3
#define LINK_RATE 4000000
#define DELAY (30 * LMCC_MSECOND)
#define SETTLING (60 * LMCC_SECOND)
#define JOIN_LATENCY (10 * LMCC_MSECOND)
#define LEAVE_LATENCY (500 * LMCC_MSECOND)
#define STEP (100 * LMCC_MSECOND)

/* As in the other comparisons with TCP. */
#define QUEUE 50

/* Media rates of the layers of fixed rates, with repair and without. */
#define MEDIA_SHARE 0.8
#define REPAIR 100

/* Incoming packets wake a receiver; seconds. */
#define WAKING 0.01

typedef enum
{
  WITHOUT,
  WITH,
  SPOILED, /* sent, but made useless */
} Repair;

/**
 * Row:
 * @algorithm: algorithm of the session
 * @loss: loss rate of the shared link's wire
 * @repair: treatment of repair packets
 * @level: mean level
 * @share: the receiver's rate, relative to equal shares
 * @flow_share: TCP's rate, relative to equal shares
 * @n_pictures: pictures of which all packets were sent while the receiver was a
 *     member
 * @n_whole: of these, delivered complete
 * @n_base: of @n_pictures, pictures of the base layer
 * @n_base_whole: of these, delivered complete
 * @n_changes: level changes
 * @history: digest of the level changes, without times
 * @moments: sum of their times, s
 */
typedef struct
{
  const gchar *algorithm;
  gdouble loss;
  Repair repair;
  gdouble level;
  gdouble share;
  gdouble flow_share;
  guint n_pictures;
  guint n_whole;
  guint n_base;
  guint n_base_whole;
  guint n_changes;
  gdouble moments;
  gchar history[65];
} Row;

typedef struct
{
  guint count;
  guint offered;
  guint came;
  gboolean base;
} Picture;

static gint seconds = 300;
static gint jobs = 2;
static gchar *markdown;
static gboolean all_must_pass;

static const GOptionEntry options[] = {
  { "seconds", 't', 0, G_OPTION_ARG_INT, &seconds,
      "Length of a run, without the start", "S" },
  { "jobs", 'j', 0, G_OPTION_ARG_INT, &jobs, "Number of processes", "N" },
  { "markdown", 'm', 0, G_OPTION_ARG_FILENAME, &markdown,
      "Write the table to its place in a page", "FILE" },
  { "check", 0, 0, G_OPTION_ARG_NONE, &all_must_pass,
      "Compute fewer rows; fail unless all meet their requirements", NULL },
  { NULL }
};

static gboolean
read_packet (const LmccPacket *packet, LmccRtp *rtp, LmccHeader *header)
{
  return lmcc_rtp_parse (packet->data, packet->size, LMCC_HEADER_DEFAULT_ID,
             rtp)
      && rtp->element != NULL
      && lmcc_header_parse (rtp->element, rtp->element_size, header);
}

static Picture *
get_picture (GArray *pictures, guint number)
{
  if (number >= pictures->len)
    g_array_set_size (pictures, number + 1);

  return &g_array_index (pictures, Picture, number);
}

static void
watch (TestNet *net, gint index, guint group, const LmccPacket *packet,
    gpointer user_data)
{
  const TestMembership *member = &net->receivers[0].groups[group];
  LmccRtp rtp = { 0 };
  LmccHeader header = { 0 };
  TestSourceTag tag;
  Picture *picture;

  if (index == TEST_NET_SENT) {
    if (!read_packet (packet, &rtp, &header)
        || header.type != LMCC_PACKET_MEDIA)
      return;
  } else if (!lmcc_rtp_parse (packet->data, packet->size, 0, &rtp)) {
    return;
  }
  memcpy (&tag, packet->data + rtp.header_size, sizeof (tag));
  picture = get_picture (user_data, tag.picture);
  if (index != TEST_NET_SENT) {
    picture->came++;
    return;
  }
  picture->count = tag.n_packets;
  picture->base = header.layer == 0;
  picture->offered += member->wanted && member->flows;
}

/* The packet keeps its place and size, so that all losses stay the same. */
static LmccPacket *
spoil (TestNet *net G_GNUC_UNUSED, guint index G_GNUC_UNUSED,
    guint group G_GNUC_UNUSED, LmccPacket *packet,
    gpointer user_data G_GNUC_UNUSED)
{
  LmccRtp rtp = { 0 };
  LmccHeader header = { 0 };
  LmccPacket *copy;

  if (!read_packet (packet, &rtp, &header) || header.type != LMCC_PACKET_REPAIR)
    return lmcc_packet_ref (packet);
  copy = lmcc_packet_new (packet->size);
  memcpy (copy->data, packet->data, packet->size);
  memset (copy->data + rtp.header_size, 0xff, rtp.payload_size);
  copy->size = packet->size;

  return copy;
}

static TestNet *
make_net (const Row *row)
{
  TestNetConfig config = {
    .n_layers = LEVELS,
    .shaped = lmcc_algorithm_has_slots (lmcc_algorithm_find (row->algorithm)),
    .algorithm = row->algorithm,
    .join_latency = JOIN_LATENCY,
    .leave_latency = LEAVE_LATENCY,
    .shared = { .rate = LINK_RATE,
        .delay = DELAY,
        .queue_packets = QUEUE,
        .loss = row->loss },
    .repair = row->repair == WITHOUT ? 0 : REPAIR,
    .repair_loss = row->loss,
  };

  /* If layers have no fixed rates, the source leaves room for repair anyway. */
  config.class_share = config.shaped ? MEDIA_SHARE : 1.0;
  lmcc_rates_compute (LMCC_RATE_SCHEME_DOUBLING, BASE_RATE, 0, LEVELS,
      config.rates, NULL);

  return test_net_new (&config);
}

static void
judge_pictures (Row *row, GArray *pictures, guint first, guint end)
{
  guint i;

  for (i = first; i < end; i++) {
    const Picture *picture = get_picture (pictures, i);
    gboolean whole = picture->came >= picture->count;

    if (picture->count == 0 || picture->offered < picture->count)
      continue;
    row->n_pictures++;
    row->n_whole += whole;
    row->n_base += picture->base;
    row->n_base_whole += picture->base && whole;
  }
}

static void
remember_changes (Row *row, const GArray *changes)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree gchar *digest = NULL;
  guint i;

  for (i = 0; i < changes->len; i++) {
    const TestLevelChange *change =
        &g_array_index (changes, TestLevelChange, i);

    g_string_append_printf (text, "%d %d %s\n", change->from, change->to,
        change->reason);
    row->moments += (gdouble) change->time / LMCC_SECOND;
  }
  digest = g_compute_checksum_for_string (G_CHECKSUM_SHA256, text->str, -1);
  g_strlcpy (row->history, digest, sizeof (row->history));
  row->n_changes = changes->len;
}

static void
run (gpointer data)
{
  Row *row = data;
  TestNetReceiverConfig receiver = { .max_level = -1 };
  g_autoptr (TestNet) net = make_net (row);
  g_autoptr (GArray) pictures = g_array_new (FALSE, TRUE, sizeof (Picture));
  const TestNetReceiver *from = &net->receivers[0];
  gdouble fair = (gdouble) LINK_RATE / 8 * seconds / 2;
  guint64 bytes, flow_bytes;
  guint first, last;
  LmccTime end;

  net->watch = watch;
  net->watch_data = pictures;
  if (row->repair == SPOILED)
    net->tap = spoil;
  test_net_add_receiver (net, &receiver);
  test_net_add_flow (net, 0);
  test_net_run (net, SETTLING);
  first = net->source.n_units;
  bytes = from->bytes;
  flow_bytes = net->shared.flows[1].arrived_bytes;
  for (end = net->now + (LmccTime) seconds * LMCC_SECOND; net->now < end;) {
    test_net_run (net, STEP);
    row->level += (gdouble) from->level * STEP / LMCC_SECOND / seconds;
  }
  row->share = (gdouble) (from->bytes - bytes) / fair;
  row->flow_share =
      (gdouble) (net->shared.flows[1].arrived_bytes - flow_bytes) / fair;
  last = net->source.n_units;
  remember_changes (row, from->changes);
  /* Packets sent and repaired later than this. */
  test_net_run (net, 10 * LMCC_SECOND);
  judge_pictures (row, pictures, first, last);
}

static GArray *
make_rows (void)
{
  static const gchar *const algorithms[] = { "elm", "rlc", "flid-dl" };
  static const gdouble losses[] = { 0.02, 0.01, 0.03 };
  GArray *rows = g_array_new (FALSE, TRUE, sizeof (Row));
  guint n_losses = all_must_pass ? 1 : G_N_ELEMENTS (losses), i, k;
  Repair repair;

  for (i = 0; i < G_N_ELEMENTS (algorithms); i++) {
    for (k = 0; k < n_losses; k++) {
      for (repair = WITHOUT; repair <= SPOILED; repair++) {
        Row row = { algorithms[i], losses[k], repair };

        g_array_append_val (rows, row);
      }
    }
  }

  return rows;
}

static gdouble
percent (guint part, guint all)
{
  return all > 0 ? 100.0 * part / all : 0.0;
}

static gchar *
make_table (const Row *rows, guint n)
{
  static const gchar *const names[] = { "none", "10 %", "10 %, spoiled" };
  GString *text =
      g_string_new ("| algorithm | loss, % | repair | its share | "
                    "TCP's share | level | whole, % | of the base, % |\n"
                    "|---|---:|---|---:|---:|---:|---:|---:|\n");
  guint i;

  for (i = 0; i < n; i++) {
    const Row *row = &rows[i];

    g_string_append_printf (text,
        "| %s | %.0f | %s | %.2f | %.2f | %.2f | "
        "%.2f | %.2f |\n",
        row->algorithm, 100 * row->loss, names[row->repair], row->share,
        row->flow_share, row->level, percent (row->n_whole, row->n_pictures),
        percent (row->n_base_whole, row->n_base));
  }

  return g_string_free (text, FALSE);
}

/* Whether or not the receiver could use the repair, its level changes are
 * the same and, apart from its wake-ups, at the same moments. The number of
 * complete pictures also depends on the drops of the full queue;
 * repair-table tests random losses alone. */
static gboolean
is_as_it_must_be (const Row *with)
{
  const Row *without = with - 1, *spoiled = with + 1;

  if (with->repair != WITH)
    return TRUE;

  return with->n_pictures > 0 && with->n_changes > 0
      && g_str_equal (with->history, spoiled->history)
      && fabs (with->moments - spoiled->moments) <= WAKING * with->n_changes
      && with->n_whole > spoiled->n_whole
      && with->n_base_whole > spoiled->n_base_whole
      && percent (with->n_base_whole, with->n_base)
      > percent (without->n_base_whole, without->n_base)
      && percent (with->n_whole, with->n_pictures)
      > percent (without->n_whole, without->n_pictures);
}

gint
main (gint argc, gchar **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) chosen = NULL;
  g_autofree gchar *table = NULL;
  guint i, n_passed = 0;
  Row *rows;

  if (!test_options_parse (options, &argc, &argv))
    return 2;
  if (seconds < 1 || jobs < 1) {
    g_printerr ("--seconds and --jobs must be at least 1\n");
    return 2;
  }
  if (all_must_pass && test_net_is_slow ()) {
    g_print ("skipped: too slow under sanitizers\n");
    return SKIPPED;
  }
  chosen = make_rows ();
  rows = test_jobs_run (chosen, (guint) jobs, run);
  table = make_table (rows, chosen->len);
  g_print ("%s", table);
  for (i = 0; i < chosen->len; i++) {
    gboolean passed = is_as_it_must_be (&rows[i]);

    n_passed += passed;
    if (!passed)
      g_print ("%s at %g %%: requirements not met\n", rows[i].algorithm,
          100 * rows[i].loss);
  }
  if (markdown != NULL
      && !test_page_write_table (markdown, "repair-beside-tcp", table,
          &error)) {
    g_printerr ("%s\n", error->message);
    return 2;
  }

  return n_passed < chosen->len ? 1 : 0;
}
