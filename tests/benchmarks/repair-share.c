/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures the share of CPU time that lmccsink and lmccsrc spend on
 * encoding, decoding and planning repair, at 10 Mbit/s over the loopback
 * interface. This program replaces the library's functions with wrappers
 * that read the thread's CPU clock before and after the call. In the sender
 * it also wraps sendmmsg(), to lose packets.
 */
#include "bench-process.h"

#include <gst/lmcc/repair/code.h>
#include <gst/lmcc/repair/decoder.h>
#include <gst/lmcc/repair/encoder.h>
#include <gst/lmcc/repair/optimizer.h>
#include <gst/lmcc/repair/payload.h>

#include <dlfcn.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define GROUP "239.255.71.1"
#define PORT 25104

#define SEED 20040101

/* Share of the process's CPU time, in percent. */
#define MOST 10.0

enum
{
  PART_CODE,   /* finite field arithmetic, including matrices */
  PART_BLOCKS, /* as above, with the conversion between packets and symbols */
  PART_PLAN    /* decisions on the amount of repair for each block */
};

/* The original functions. Calling the library makes sure that the program is
 * linked with it. */
static gpointer
find_next (const gchar *name)
{
  gpointer next = lmcc_repair_code_fits (1, 1) ? dlsym (RTLD_NEXT, name) : NULL;

  if (next == NULL)
    g_error ("there is no %s", name);

  return next;
}

/* For the profiler, which the clock would disturb. */
static gboolean without_clock;

static gint64
cpu_time (void)
{
  struct timespec ts;

  if (without_clock)
    return 0;
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &ts);
  return ts.tv_sec * (gint64) GST_SECOND + ts.tv_nsec;
}

static void
spend (guint part, gint64 before, gint64 start)
{
  gint64 end = cpu_time ();

  bench_process_spend (part, (end - start) - (start - before));
  bench_process_spend (BENCH_OVERHEAD, 3 * (start - before));
}

/* Calls the library's function @name and counts its time, without the time
 * of reading the clock. */
#define TIMED(part, name, call)   \
  static __typeof__ (&name) next; \
  gint64 before, start;           \
  if (next == NULL)               \
    next = find_next (#name);     \
  before = cpu_time ();           \
  start = cpu_time ();            \
  call;                           \
  spend (part, before, start)

void
lmcc_repair_code_encode (guint n_source, guint first, guint n_repair,
    gsize size, const guint8 *const *source, guint8 *const *repair)
{
  TIMED (PART_CODE, lmcc_repair_code_encode,
      next (n_source, first, n_repair, size, source, repair));
}

gboolean
lmcc_repair_code_recover (guint n_source, gsize size,
    const LmccRepairSymbol *source, guint8 *const *recovered,
    const guint8 *const *repair, const guint8 *indices, guint n_repair)
{
  gboolean result;

  TIMED (PART_CODE, lmcc_repair_code_recover,
      result =
          next (n_source, size, source, recovered, repair, indices, n_repair));
  return result;
}

LmccRepairEncoder *
lmcc_repair_encoder_new (LmccPacket *const *packets, guint n_source, guint step,
    guint n_repair)
{
  LmccRepairEncoder *result;

  TIMED (PART_BLOCKS, lmcc_repair_encoder_new,
      result = next (packets, n_source, step, n_repair));
  return result;
}

LmccPacket *
lmcc_repair_encoder_make (LmccRepairEncoder *encoder, guint index)
{
  LmccPacket *result;

  TIMED (PART_BLOCKS, lmcc_repair_encoder_make, result = next (encoder, index));
  return result;
}

void
lmcc_repair_decoder_take_source (LmccRepairDecoder *decoder, guint16 source,
    guint16 sequence, LmccPacket *packet, LmccTime now)
{
  TIMED (PART_BLOCKS, lmcc_repair_decoder_take_source,
      next (decoder, source, sequence, packet, now));
}

void
lmcc_repair_decoder_take_repair (LmccRepairDecoder *decoder,
    const LmccRepairPayload *payload, LmccPacket *packet, LmccTime now)
{
  TIMED (PART_BLOCKS, lmcc_repair_decoder_take_repair,
      next (decoder, payload, packet, now));
}

void
lmcc_repair_decoder_expire (LmccRepairDecoder *decoder, LmccTime oldest)
{
  TIMED (PART_BLOCKS, lmcc_repair_decoder_expire, next (decoder, oldest));
}

void
lmcc_repair_plan_add_picture (LmccRepairPlan *plan, const LmccRepairNeed *needs,
    guint n_needs)
{
  TIMED (PART_PLAN, lmcc_repair_plan_add_picture, next (plan, needs, n_needs));
}

gboolean
lmcc_repair_optimizer_step (LmccRepairOptimizer *optimizer, guint64 until)
{
  gboolean result;

  TIMED (PART_PLAN, lmcc_repair_optimizer_step,
      result = next (optimizer, until));
  return result;
}

/* In the sender's process. */
static gdouble loss;

static gboolean
is_lost (const struct sockaddr *to)
{
  static GRand *random;

  if (loss <= 0.0 || to == NULL || to->sa_family != AF_INET)
    return FALSE;
  if (ntohs (((const struct sockaddr_in *) (gconstpointer) to)->sin_port)
      != PORT)
    return FALSE;
  if (random == NULL)
    random = g_rand_new_with_seed (SEED);

  return g_rand_double (random) < loss;
}

__attribute__ ((visibility ("default"))) int
sendmmsg (int fd, struct mmsghdr *messages, unsigned int n, int flags)
{
  static __typeof__ (&sendmmsg) next;
  guint i;

  if (next == NULL)
    next = find_next ("sendmmsg");
  for (i = 0; i < n; i++) {
    if (!is_lost (messages[i].msg_hdr.msg_name)
        && next (fd, &messages[i], 1, flags) != 1)
      return i > 0 ? (int) i : -1;
  }

  return (int) n;
}

#define COMMON                            \
  "address=" GROUP " port=" G_STRINGIFY ( \
      PORT) " multicast-iface=" BENCH_INTERFACE " name=element "

/* Losses are independent. */
#define SEND "lmccsink sync=false udp-segmentation=off "

#define TIMES .warm_up = 5 * GST_SECOND, .window = 5 * GST_SECOND

/* The stream below has one class, which gets all of the repair. */
static const BenchContender senders[] = {
  { "native", SEND "repair=0.1 repair-delay=500 " COMMON, .count_pushed = TRUE,
      TIMES },
  { "fixed rates",
      SEND "layering=doubling layers=4 "
           "base-rate=1500000 window=2400 " COMMON,
      .count_pushed = TRUE, TIMES },
};

static const BenchContender receiver = { "lmccsrc",
  "lmccsrc algorithm=none " COMMON "! fakesink name=counter "
  "sync=false async=false enable-last-sample=false",
  TIMES };

typedef struct
{
  gchar *name;
  gdouble loss;
  GArray *cost;
  GArray *lost;
  GArray *shares[PART_PLAN + 1];
} Row;

static void
row_init (Row *row, const gchar *name, const gchar *layers)
{
  guint i;

  memset (row, 0, sizeof (*row));
  row->name = g_strdup_printf ("%s: %s", layers, name);
  row->cost = bench_series_new ();
  row->lost = bench_series_new ();
  for (i = 0; i < G_N_ELEMENTS (row->shares); i++)
    row->shares[i] = bench_series_new ();
}

static void
row_clear (Row *row)
{
  guint i;

  g_free (row->name);
  g_array_unref (row->cost);
  g_array_unref (row->lost);
  for (i = 0; i < G_N_ELEMENTS (row->shares); i++)
    g_array_unref (row->shares[i]);
}

static BenchResult
run_receiver (const BenchContender *sender, const BenchStream *stream,
    gdouble path_loss)
{
  BenchResult result;
  gint stop_fd;
  pid_t child;

  loss = path_loss;
  child = bench_start_sender (sender, stream, &stop_fd);
  loss = 0.0;
  result = bench_run_in_child (bench_run_receiver, &receiver, stream);
  bench_stop_sender (child, stop_fd);

  return result;
}

/* If the program does not get the library's calls, it measures nothing. */
static gboolean
check (BenchReport *report, const Row *row, const BenchResult *result,
    guint needed)
{
  const gchar *failure = NULL;

  if (!result->ok)
    failure = result->failure;
  else if (!without_clock && result->parts[needed] <= 0.0)
    failure = "the library does not call this program's functions";
  else if (row->loss > 0.0 && result->repaired == 0)
    failure = "nothing was repaired";
  if (failure != NULL)
    bench_report_fail (report, row->name, failure);

  return failure == NULL;
}

static void
row_add (Row *row, const BenchResult *result)
{
  const gdouble *parts = result->parts;

  bench_series_add (row->cost, result->us_per_packet);
  bench_series_add (row->lost, 100.0 * result->lost);
  bench_series_add (row->shares[PART_CODE], 100.0 * parts[PART_CODE]);
  bench_series_add (row->shares[PART_BLOCKS], 100.0 * parts[PART_BLOCKS]);
  bench_series_add (row->shares[PART_PLAN], 100.0 * parts[PART_PLAN]);
}

static void
add_share (BenchReport *report, const gchar *name, GArray *series, gdouble most)
{
  g_autofree gchar *text = g_strdup_printf ("  %s", name);

  bench_report_add (report, text, "% of CPU", series, most);
}

static void
row_report (Row *row, BenchReport *report, gboolean receiving)
{
  if (row->cost->len == 0)
    return;
  bench_report_add (report, row->name, "us/packet", row->cost, BENCH_NO_BOUND);
  add_share (report, receiving ? "decoding" : "encoding",
      row->shares[PART_BLOCKS], MOST);
  add_share (report, "of this the code", row->shares[PART_CODE],
      BENCH_NO_BOUND);
  if (!receiving)
    add_share (report, "planning", row->shares[PART_PLAN], BENCH_NO_BOUND);
}

static void
measure_sender (BenchReport *report, const BenchContender *sender,
    const BenchStream *stream, gint rounds)
{
  Row row;

  row_init (&row, "lmccsink", sender->name);
  while (rounds-- > 0) {
    BenchResult result = bench_run_in_child (bench_run_sender, sender, stream);

    if (check (report, &row, &result, PART_CODE))
      row_add (&row, &result);
  }
  row_report (&row, report, FALSE);
  row_clear (&row);
}

static void
measure_receiver (BenchReport *report, const BenchContender *sender,
    const BenchStream *stream, gdouble path_loss, gint rounds)
{
  g_autofree gchar *name = path_loss > 0.0
      ? g_strdup_printf ("lmccsrc, %g %% lost", 100.0 * path_loss)
      : g_strdup ("lmccsrc, nothing lost");
  Row row;

  row_init (&row, name, sender->name);
  row.loss = path_loss;
  while (rounds-- > 0) {
    BenchResult result = run_receiver (sender, stream, path_loss);

    if (check (report, &row, &result,
            path_loss > 0.0 ? PART_CODE : PART_BLOCKS))
      row_add (&row, &result);
  }
  row_report (&row, report, TRUE);
  row_clear (&row);
}

int
main (int argc, char **argv)
{
  static const BenchStream stream = { 21, 50, 50 };
  g_autofree gchar *json = NULL;
  BenchReport *report;
  gint rounds = 3;
  guint i;

  if (!bench_parse_options (&argc, &argv,
          "How much of lmccsink's and lmccsrc's CPU time repair takes.", &json,
          &rounds))
    return 2;
  without_clock = g_getenv ("LMCC_BENCH_WITHOUT_CLOCK") != NULL;
  report = bench_report_new ("Repair at 10 Mbit/s, CPU time of the process "
                             "for each packet of media");
  for (i = 0; i < G_N_ELEMENTS (senders); i++) {
    measure_sender (report, &senders[i], &stream, rounds);
    measure_receiver (report, &senders[i], &stream, 0.0, rounds);
    measure_receiver (report, &senders[i], &stream, 0.02, rounds);
  }

  return bench_report_finish (report, json);
}
