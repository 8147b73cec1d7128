/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Compares the amount of repair data that receivers' reports choose with
 * amounts set by hand: what it protects, what it costs, and what a TCP
 * connection or forged reports make of it.
 */
#include "support/test-jobs.h"
#include "support/test-net.h"
#include "support/test-options.h"
#include "support/test-page.h"

#include <gst/lmcc/wire/layer-header.h>
#include <gst/lmcc/wire/rtcp.h>
#include <gst/lmcc/wire/rtp.h>

#include <string.h>

#define SKIPPED 77
#define LEVELS 3
#define BASE_RATE 300e3
#define DELAY (30 * LMCC_MSECOND)
#define JOIN_LATENCY (10 * LMCC_MSECOND)
#define LEAVE_LATENCY (500 * LMCC_MSECOND)

/* The losses begin after START. From AFTER later on, the pictures count. */
#define START (30 * LMCC_SECOND)
#define AFTER (20 * LMCC_SECOND)

/* The losses have ended for this long when the remaining share is measured. */
#define CALM (60 * LMCC_SECOND)
#define LAST (20 * LMCC_SECOND)

/* Media of layers of fixed rates, with all headers, as a share of the rate. */
#define MEDIA_SHARE 0.97

#define GROUP 25
#define MANY 100
#define LINK_RATE 2000000
#define QUEUE 50
#define JITTER (10 * LMCC_MSECOND)
#define DRIFT 150

/* Requirements: share of damaged pictures where the links lose at most 2 %
 * of single packets; expected loss and repair data where they lose nothing,
 * which in layers of fixed rates is what the media leave free; and the most
 * that forged reports can do. */
#define MOST_DAMAGED 0.01
#define NO_LOSS 0.002
#define NO_SENT 0.015
#define MOST_LOSS 0.25
#define MOST_SENT 0.5

typedef enum
{
  NONE,
  HAND,
  AUTO,
  N_KINDS
} Kind;

/**
 * Row:
 * @name: the case
 * @shaped: layers of fixed rates
 * @kind: how the amount of repair data is chosen
 * @loss: loss rate of each receiver, or of the first of many
 * @burst: mean number of packets lost in a row
 * @many: number of receivers without losses
 * @flows: number of TCP connections on the common link
 * @forgers: number of addresses that send forged reports
 * @jitter: longest delay by jitter
 * @drift: how much slower the sender's clock runs, in parts per million
 * @seed: random seed
 * @damaged: share of the base layer's pictures that are not decodable
 * @left_out: share of the base layer's pictures that were not sent whole
 * @sent: repair data over media
 * @sent_after: the same when the losses have ended
 * @expected: expected loss, at the end of the losses
 * @expected_burst: the burst length that belongs to it
 * @level: mean level, of the second receiver if there are many
 */
typedef struct
{
  const gchar *name;
  gboolean shaped;
  Kind kind;
  gdouble loss;
  gdouble burst;
  guint many;
  guint flows;
  guint forgers;
  LmccTime jitter;
  guint drift;
  guint32 seed;
  gdouble damaged;
  gdouble left_out;
  gdouble sent;
  gdouble sent_after;
  gdouble expected;
  gdouble expected_burst;
  gdouble level;
} Row;

typedef struct
{
  guint count;
  guint offered;
  guint came;
  gboolean base;
  gboolean key;
} Picture;

static gint seconds = 120;
static gint seeds = 1;
static gint jobs = 2;
static gint by_hand = 100;
static gchar *only;
static gchar *markdown;
static gboolean all_must_pass;

static const GOptionEntry options[] = {
  { "seconds", 't', 0, G_OPTION_ARG_INT, &seconds,
      "Duration of the losses, beyond the first 20 s", "S" },
  { "seeds", 's', 0, G_OPTION_ARG_INT, &seeds, "Runs of each row", "N" },
  { "by-hand", 'b', 0, G_OPTION_ARG_INT, &by_hand,
      "Share of repair data set by hand, in 1/1000", "N" },
  { "jobs", 'j', 0, G_OPTION_ARG_INT, &jobs, "Number of processes", "N" },
  { "only", 'o', 0, G_OPTION_ARG_STRING, &only, "Rows of this name", "NAME" },
  { "markdown", 'm', 0, G_OPTION_ARG_FILENAME, &markdown,
      "Write the table to its place in a page", "FILE" },
  { "check", 0, 0, G_OPTION_ARG_NONE, &all_must_pass,
      "Compute fewer rows; fail unless all meet their requirements", NULL },
  { NULL }
};

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
  gint judged = net->n_receivers > 1;
  const TestMembership *member = &net->receivers[judged].groups[group];
  LmccRtp rtp = { 0 };
  LmccHeader header = { 0 };
  TestSourceTag tag;
  Picture *picture;

  if (index != TEST_NET_SENT && index != judged)
    return;
  if (index == TEST_NET_SENT) {
    if (!lmcc_rtp_parse (packet->data, packet->size, LMCC_HEADER_DEFAULT_ID,
            &rtp)
        || !lmcc_header_parse (rtp.element, rtp.element_size, &header)
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
  picture->base = header.klass == 0 && header.stream == 0;
  picture->key = header.switch_point;
  picture->offered += member->wanted && member->flows;
}

/* The sender's clock runs slower than the receiver's, so delays seem to
 * grow. */
static LmccPacket *
slow_down (TestNet *net, guint index G_GNUC_UNUSED, guint group G_GNUC_UNUSED,
    LmccPacket *packet, gpointer user_data)
{
  const Row *row = user_data;
  LmccRtp rtp = { 0 };
  LmccHeader header = { 0 };
  LmccPacket *changed;

  if (!lmcc_rtp_parse (packet->data, packet->size, LMCC_HEADER_DEFAULT_ID, &rtp)
      || !lmcc_header_parse (rtp.element, rtp.element_size, &header))
    return lmcc_packet_ref (packet);
  header.send_time -= lmcc_time_to_ntp_short (net->now / 1000000 * row->drift);
  changed = lmcc_packet_new_copy (packet->data, packet->size);
  lmcc_header_write (&header,
      changed->data + (rtp.element - (const guint8 *) packet->data));

  return changed;
}

static TestNet *
make_net (const Row *row)
{
  TestNetConfig config = {
    .n_layers = LEVELS,
    .shaped = row->shaped,
    .algorithm = "plumb",
    .join_latency = JOIN_LATENCY,
    .leave_latency = LEAVE_LATENCY,
    .shared = { .delay = DELAY },
    .class_share = row->shaped ? MEDIA_SHARE : 1.0,
    .max_receivers = row->many + 1,
    .seed = row->seed,
  };

  if (row->flows > 0) {
    config.shared.rate = LINK_RATE;
    config.shared.queue_packets = QUEUE;
  }
  if (row->kind == HAND)
    config.repair = (guint) by_hand;
  if (row->kind == AUTO) {
    config.repair = LMCC_REPAIR_AUTO_MOST;
    config.repair_auto = TRUE;
  }
  lmcc_rates_compute (LMCC_RATE_SCHEME_DOUBLING, BASE_RATE, 0, LEVELS,
      config.rates, NULL);

  return test_net_new (&config);
}

static void
set_loss (TestLinkSettings *link, gdouble loss, gdouble burst)
{
  if (burst <= 1) {
    link->loss = loss;
    return;
  }
  link->to_good = 1 / burst;
  link->to_bad = loss / (burst * (1 - loss));
  link->bad_loss = loss > 0 ? 1 : 0;
}

static void
read_sent (TestNet *net, guint64 *media, guint64 *repair)
{
  LmccSenderStats stats;
  guint i;

  stats = *lmcc_sender_get_stats (net->sender);
  *media = stats.media_bytes;
  *repair = 0;
  for (i = 0; i < LMCC_MAX_LAYERS; i++)
    *repair += stats.layers[i].repair_bytes;
}

static gdouble
measure_sent (TestNet *net, Row *row, LmccTime duration)
{
  guint64 media, repair, media_end, repair_end;
  LmccTime end = net->now + duration;
  guint n = 0, forger;
  gdouble level = 0;

  read_sent (net, &media, &repair);
  while (net->now < end) {
    for (forger = 0; forger < row->forgers; forger++) {
      LmccReferenceTime report = { 0x77000000u + forger, net->now * 4 };
      const LmccLossReport losses = { 1.0, 200 };
      LmccAddress address = { .family = LMCC_FAMILY_IPV4,
        .bytes = { 172, 16, forger >> 8, forger & 0xff } };
      g_autoptr (LmccPacket) packet =
          lmcc_rtcp_build_reference_time (&report, &losses);

      lmcc_sender_handle_control (net->sender, net->now, &address, 4000,
          packet->data, packet->size);
    }
    test_net_run (net, LMCC_SECOND);
    level += net->receivers[net->n_receivers > 1].level;
    n++;
  }
  row->level = level / n;
  read_sent (net, &media_end, &repair_end);

  return (gdouble) (repair_end - repair) / (gdouble) (media_end - media);
}

static void
judge (Row *row, const GArray *pictures, guint first, guint end)
{
  guint n = 0, n_damaged = 0, n_left_out = 0, n_all = 0, i;
  gboolean decodable = FALSE;

  for (i = first; i < end && i < pictures->len; i++) {
    const Picture *picture = &g_array_index (pictures, Picture, i);

    if (!picture->base)
      continue;
    n_all++;
    if (picture->offered < picture->count) {
      n_left_out++;
      decodable = FALSE;
      continue;
    }
    n++;
    decodable = picture->came >= picture->count && (picture->key || decodable);
    n_damaged += !decodable;
  }
  row->damaged = n > 0 ? (gdouble) n_damaged / n : 1;
  row->left_out = 1 - n / ((gdouble) (end - first) / LEVELS);
}

static void
run (gpointer data)
{
  Row *row = data;
  TestNetReceiverConfig receiver = { .max_level = row->flows > 0 ? -1 : 0 };
  g_autoptr (TestNet) net = make_net (row);
  g_autoptr (GArray) pictures = g_array_new (FALSE, TRUE, sizeof (Picture));
  LmccSenderStats stats;
  guint first, last, i;

  net->source.distance = GROUP;
  net->watch = watch;
  net->watch_data = pictures;
  net->air =
      (TestNetAir){ .jitter = row->jitter, .kind = TEST_JITTER_IN_ORDER };
  if (row->drift > 0) {
    net->tap = slow_down;
    net->tap_data = row;
  }
  for (i = 0; i <= row->many; i++)
    test_net_add_receiver (net, &receiver);
  test_net_run (net, START);
  set_loss (&net->receivers[0].own.settings, row->loss, row->burst);
  for (i = 0; i < row->flows; i++)
    test_net_add_flow (net, i * 7 * LMCC_MSECOND);
  measure_sent (net, row, AFTER);
  first = net->source.n_units;
  row->sent = measure_sent (net, row, (LmccTime) seconds * LMCC_SECOND);
  last = net->source.n_units;
  stats = *lmcc_sender_get_stats (net->sender);
  row->expected = stats.repair_loss;
  row->expected_burst = stats.repair_burst;
  set_loss (&net->receivers[0].own.settings, 0, row->burst);
  for (i = 0; i < row->flows; i++)
    test_net_stop_flow (net, i);
  test_net_run (net, 10 * LMCC_SECOND);
  judge (row, pictures, first, last);
  test_net_run (net, CALM - 10 * LMCC_SECOND);
  row->sent_after = measure_sent (net, &(Row){ 0 }, LAST);
}

/* One run is too short to judge jitter: one group of pictures that is damaged
 * by chance is more than 1 %. The tests of link-loss check it. */
static void
add_rows (GArray *rows, Row row)
{
  gint i;

  if ((only != NULL && !g_str_equal (only, row.name))
      || (all_must_pass
          && (row.kind != AUTO || row.loss == 0.01 || row.loss == 0.05
              || row.burst > 1 || row.jitter > 0)))
    return;
  for (i = 0; i < seeds; i++) {
    row.seed = TEST_NET_SEED + i;
    g_array_append_val (rows, row);
  }
}

static GArray *
make_rows (void)
{
  static const struct
  {
    gdouble loss;
    gdouble burst;
  } paths[] = { { 0, 1 }, { 0.01, 1 }, { 0.02, 1 }, { 0.05, 1 }, { 0.01, 3 },
    { 0.02, 3 }, { 0.05, 3 } };
  GArray *rows = g_array_new (FALSE, TRUE, sizeof (Row));
  guint shaped, i;
  Kind kind;

  for (shaped = 0; shaped < 2; shaped++) {
    for (i = 0; i < G_N_ELEMENTS (paths); i++) {
      for (kind = NONE; kind < N_KINDS; kind++)
        add_rows (rows,
            (Row){ .name = "alone",
                .shaped = shaped,
                .kind = kind,
                .loss = paths[i].loss,
                .burst = paths[i].burst });
    }
    for (kind = HAND; kind < N_KINDS; kind++) {
      add_rows (rows,
          (Row){ .name = "jitter",
              .shaped = shaped,
              .kind = kind,
              .loss = 0.02,
              .burst = 1,
              .jitter = JITTER });
      add_rows (rows,
          (Row){ .name = "drift",
              .shaped = shaped,
              .kind = kind,
              .loss = 0.02,
              .burst = 1,
              .drift = DRIFT });
      add_rows (rows,
          (Row){ .name = "one of 100",
              .shaped = shaped,
              .kind = kind,
              .loss = 0.2,
              .burst = 1,
              .many = MANY - 1 });
      add_rows (rows,
          (Row){ .name = "beside TCP",
              .shaped = shaped,
              .kind = kind,
              .burst = 1,
              .flows = 1 });
      add_rows (rows,
          (Row){ .name = "beside 4 TCP",
              .shaped = shaped,
              .kind = kind,
              .burst = 1,
              .flows = 4 });
    }
    add_rows (rows,
        (Row){ .name = "one forger",
            .shaped = shaped,
            .kind = AUTO,
            .burst = 1,
            .many = 19,
            .forgers = 1 });
    add_rows (rows,
        (Row){ .name = "100 forgers",
            .shaped = shaped,
            .kind = AUTO,
            .burst = 1,
            .many = 19,
            .forgers = 100 });
  }

  return rows;
}

/* The mean of the runs of a row. */
static Row
average (const Row *rows, guint n)
{
  Row mean = *rows;
  guint i;

  for (i = 1; i < n; i++) {
    mean.damaged += rows[i].damaged;
    mean.left_out += rows[i].left_out;
    mean.sent += rows[i].sent;
    mean.sent_after += rows[i].sent_after;
    mean.expected += rows[i].expected;
    mean.expected_burst += rows[i].expected_burst;
    mean.level += rows[i].level;
  }
  mean.damaged /= n;
  mean.left_out /= n;
  mean.sent /= n;
  mean.sent_after /= n;
  mean.expected /= n;
  mean.expected_burst /= n;
  mean.level /= n;

  return mean;
}

static gchar *
make_table (const Row *rows, guint n)
{
  static const gchar *const names[] = { "none", "0.1", "-2" };
  GString *text = g_string_new (
      "| receivers | layers | loss, % | in a row | repair | damaged, % "
      "| not sent, % | repair data, % | afterwards, % | expected loss, % "
      "| in a row | level |\n"
      "|---|---|---:|---:|---|---:|---:|---:|---:|---:|---:|---:|\n");
  guint i;

  for (i = 0; i < n; i += (guint) seeds) {
    Row row = average (rows + i, (guint) seeds);

    g_string_append_printf (text,
        "| %s | %s | %.0f | %.0f | %s | %.2f | %.1f | %.1f | %.1f | %.2f | "
        "%.1f | %.2f |\n",
        row.name, row.shaped ? "fixed" : "native", 100 * row.loss, row.burst,
        names[row.kind], 100 * row.damaged, 100 * row.left_out, 100 * row.sent,
        100 * row.sent_after, 100 * row.expected, row.expected_burst,
        row.level);
  }

  return g_string_free (text, FALSE);
}

/* What the reports must and must not do. */
static gboolean
is_as_it_must_be (const Row *row)
{
  if (row->kind != AUTO)
    return TRUE;
  if (row->forgers > row->many)
    return row->expected <= MOST_LOSS && row->sent <= MOST_SENT
        && row->sent_after < row->sent;
  if (row->flows > 0 || row->many > 0 || row->loss == 0)
    return row->expected <= NO_LOSS && row->sent <= NO_SENT;

  return row->damaged <= MOST_DAMAGED && row->sent_after <= row->sent / 2;
}

gint
main (gint argc, gchar **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) chosen = NULL;
  g_autofree gchar *table = NULL;
  guint n_passed = 0, i;
  Row *rows;

  if (!test_options_parse (options, &argc, &argv))
    return 2;
  if (seconds < 1 || seeds < 1 || jobs < 1) {
    g_printerr ("--seconds, --seeds and --jobs must be at least 1\n");
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
  if (markdown != NULL
      && !test_page_write_table (markdown, "repair-auto", table, &error)) {
    g_printerr ("%s\n", error->message);
    return 2;
  }
  if (!all_must_pass)
    return 0;
  for (i = 0; i < chosen->len; i++) {
    gboolean passed = is_as_it_must_be (&rows[i]);

    n_passed += passed;
    if (!passed)
      g_print ("%s at %g %%, %g in a row: requirements not met\n", rows[i].name,
          100 * rows[i].loss, rows[i].burst);
  }

  return n_passed < chosen->len ? 1 : 0;
}
