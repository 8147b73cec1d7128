/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Counts what happens to a packet on its way through the library, in virtual
 * time: how often it is parsed and copied, and what is allocated for it. The
 * counts are the same in each run.
 *
 * The linker redirects calls of the parsers, memcpy() and memmove() to this
 * program (--wrap); its malloc() replaces that of the whole process.
 */
#include "bench-session.h"

#include <gst/lmcc/lmcc-sdp.h>
#include <gst/lmcc/repair/payload.h>
#include <gst/lmcc/wire/algorithm-element.h>
#include <gst/lmcc/wire/rtp.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Windows of fixed rates and blocks of repair take some seconds. */
#define BATCHES 16
#define WARM_UP_BATCHES 8

/* Smaller copies are headers. */
#define PAYLOAD_SIZE 256

/* Moving data within a packet is not a copy of a packet. */
#define LARGEST (2 * LMCC_MAX_PACKET_SIZE)

typedef struct
{
  guint64 rtp;
  guint64 element;
  guint64 second;
  guint64 repair;
  guint64 record;
  guint64 copies;
  guint64 allocations;
  guint64 frees;
} Counts;

static Counts counts[BENCH_N_PHASES];
static Counts *now_counted = &counts[BENCH_PHASE_NONE];

static void
enter (BenchPhase phase)
{
  now_counted = &counts[phase];
}

#define COUNTED(type, name, what, parameters, arguments) \
  type __real_##name parameters;                         \
  type __wrap_##name parameters;                         \
  type __wrap_##name parameters                          \
  {                                                      \
    now_counted->what++;                                 \
    return __real_##name arguments;                      \
  }

COUNTED (gboolean, lmcc_rtp_parse, rtp,
    (const guint8 *data, gsize size, guint8 element_id, LmccRtp *rtp),
    (data, size, element_id, rtp))
COUNTED (gboolean, lmcc_header_parse, element,
    (const guint8 *data, gsize size, LmccHeader *header), (data, size, header))
COUNTED (gboolean, lmcc_synchronized_parse, second,
    (const guint8 *data, gsize size, guint top_layer, guint64 *levels),
    (data, size, top_layer, levels))
COUNTED (gint, lmcc_place_parse, second, (const guint8 *data, gsize size),
    (data, size))
COUNTED (gboolean, lmcc_repair_payload_parse, repair,
    (const guint8 *data, gsize size, LmccRepairPayload *payload),
    (data, size, payload))
COUNTED (gboolean, lmcc_sdp_parse, record,
    (const gchar *text, gssize size, LmccSession *session, GError **error),
    (text, size, session, error))
static void
count_copy (gsize size)
{
  now_counted->copies += size >= PAYLOAD_SIZE && size <= LARGEST;
}

void *__real_memcpy (void *to, const void *from, size_t size);
void *__wrap_memcpy (void *to, const void *from, size_t size);
void *__real_memmove (void *to, const void *from, size_t size);
void *__wrap_memmove (void *to, const void *from, size_t size);

void *
__wrap_memcpy (void *to, const void *from, size_t size)
{
  count_copy (size);
  return __real_memcpy (to, from, size);
}

void *
__wrap_memmove (void *to, const void *from, size_t size)
{
  count_copy (size);
  return __real_memmove (to, from, size);
}

/* GLib's calls resolve to it, too. */
#define EVERYBODYS __attribute__ ((visibility ("default")))

/* The C library's internal names of these functions (glibc). */
void *__libc_malloc (size_t size);
void *__libc_calloc (size_t n, size_t size);
void *__libc_realloc (void *memory, size_t size);
void __libc_free (void *memory);

EVERYBODYS void *
malloc (size_t size)
{
  now_counted->allocations++;
  return __libc_malloc (size);
}

EVERYBODYS void *
calloc (size_t n, size_t size)
{
  now_counted->allocations++;
  return __libc_calloc (n, size);
}

EVERYBODYS void *
realloc (void *memory, size_t size)
{
  now_counted->allocations++;
  return __libc_realloc (memory, size);
}

EVERYBODYS void
free (void *memory)
{
  now_counted->frees += memory != NULL;
  __libc_free (memory);
}

static void
add_count (BenchReport *report, const gchar *end, const gchar *what,
    const BenchShape *shape, guint64 count, guint64 n_packets)
{
  g_autofree gchar *name =
      g_strdup_printf ("%s, %s: %s", shape->name, end, what);
  g_autoptr (GArray) series = bench_series_new ();

  bench_series_add (series, (gdouble) count / (gdouble) n_packets);
  bench_report_add (report, name, "/packet", series, BENCH_NO_BOUND);
}

static void
add_counts (BenchReport *report, const gchar *end, const BenchShape *shape,
    const Counts *sum, guint64 n_packets)
{
  add_count (report, end, "RTP headers parsed", shape, sum->rtp, n_packets);
  if (sum->element > 0)
    add_count (report, end, "elements parsed", shape, sum->element, n_packets);
  if (sum->second > 0)
    add_count (report, end, "second elements parsed", shape, sum->second,
        n_packets);
  if (sum->repair > 0)
    add_count (report, end, "repair payloads parsed", shape, sum->repair,
        n_packets);
  if (sum->record > 0)
    add_count (report, end, "records parsed", shape, sum->record, n_packets);
  add_count (report, end, "copies", shape, sum->copies, n_packets);
  add_count (report, end, "allocations", shape, sum->allocations, n_packets);
  add_count (report, end, "frees", shape, sum->frees, n_packets);
}

static Counts
sum_of_sender (void)
{
  const Counts *in = &counts[BENCH_PHASE_CLASSIFY];
  const Counts *out = &counts[BENCH_PHASE_SEND];

  return (Counts){
    .rtp = in->rtp + out->rtp,
    .element = in->element + out->element,
    .second = in->second + out->second,
    .repair = in->repair + out->repair,
    .record = in->record + out->record,
    .copies = in->copies + out->copies,
    .allocations = in->allocations + out->allocations,
    .frees = in->frees + out->frees,
  };
}

static void
measure (BenchReport *report, const BenchShape *shape)
{
  BenchSession session;
  Counts sender;
  guint i;

  bench_session_init (&session, shape, enter);
  for (i = 0; i < WARM_UP_BATCHES; i++)
    bench_session_run_batch (&session);
  bench_session_reset_counts (&session);
  memset (counts, 0, sizeof (counts));
  for (i = 0; i < BATCHES; i++)
    bench_session_run_batch (&session);
  sender = sum_of_sender ();
  add_counts (report, "sender", shape, &sender, session.n_classified);
  add_counts (report, "receiver", shape, &counts[BENCH_PHASE_RECEIVE],
      session.n_received);
  if (!bench_session_is_complete (&session))
    bench_report_fail (report, shape->name,
        "the receiver did not give out what was sent");
  bench_session_clear (&session);
}

/* GLib reads this variable at program start; it makes slices ordinary
 * allocations. */
static void
begin_with_plain_slices (char **argv)
{
  if (g_strcmp0 (g_getenv ("G_SLICE"), "always-malloc") == 0)
    return;
  g_setenv ("G_SLICE", "always-malloc", TRUE);
  execv ("/proc/self/exe", argv);
}

int
main (int argc, char **argv)
{
  static const BenchShape shapes[] = {
    { .name = "native", .n_rungs = 1, .n_classes = 3, .copied = TRUE },
    { .name = "native, repair",
        .n_rungs = 1,
        .n_classes = 3,
        .repair = 100,
        .lost = 500,
        .copied = TRUE },
    { .name = "fixed rates",
        .n_rungs = 1,
        .n_classes = 3,
        .fixed_rates = TRUE,
        .copied = TRUE },
    { .name = "fixed rates, repair",
        .n_rungs = 1,
        .n_classes = 3,
        .fixed_rates = TRUE,
        .repair = 100,
        .lost = 500,
        .copied = TRUE },
  };
  g_autofree gchar *json = NULL;
  BenchReport *report;
  gint rounds = 1;
  guint i;

  begin_with_plain_slices (argv);
  if (!bench_parse_options (&argc, &argv,
          "What happens to a packet on its way through the library.", &json,
          &rounds))
    return 2;
  report = bench_report_new ("The way of a packet: for each packet of media at "
                             "the sender, and each that comes at the receiver");
  for (i = 0; i < G_N_ELEMENTS (shapes); i++)
    measure (report, &shapes[i]);
  return bench_report_finish (report, json);
}
