/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Counts the locks and system calls of lmccsink and lmccsrc per packet, over
 * the loopback interface. This program replaces functions of GLib and the C
 * library for the whole process and calls the originals. Unlike the counts
 * of bench-packet-path, the result depends on which packets arrive together.
 */
#include "bench-process.h"

#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>

#define GROUP "239.255.71.2"
#define PORT 25204

enum
{
  COUNT_LOCKS,
  COUNT_SENDS,
  COUNT_RECEIVES,
  COUNT_POLLS,
  N_COUNTS
};

static const gchar *const names[N_COUNTS] = {
  [COUNT_LOCKS] = "locks",
  [COUNT_SENDS] = "calls that send",
  [COUNT_RECEIVES] = "calls that receive",
  [COUNT_POLLS] = "calls that wait for a socket",
};

#define EVERYBODYS __attribute__ ((visibility ("default")))

#define COUNTED(type, name, part, parameters, arguments) \
  EVERYBODYS type name parameters                        \
  {                                                      \
    static __typeof__ (&name) next;                      \
    if (next == NULL)                                    \
      next = dlsym (RTLD_NEXT, #name);                   \
    bench_process_count (part);                          \
    return next arguments;                               \
  }

COUNTED (int, pthread_mutex_lock, COUNT_LOCKS, (pthread_mutex_t * mutex),
    (mutex))
COUNTED (void, g_mutex_lock, COUNT_LOCKS, (GMutex * mutex), (mutex))
COUNTED (void, g_rec_mutex_lock, COUNT_LOCKS, (GRecMutex * mutex), (mutex))
COUNTED (ssize_t, sendto, COUNT_SENDS,
    (int fd, const void *data, size_t size, int flags,
        const struct sockaddr *to, socklen_t to_size),
    (fd, data, size, flags, to, to_size))
COUNTED (ssize_t, sendmsg, COUNT_SENDS,
    (int fd, const struct msghdr *message, int flags), (fd, message, flags))
COUNTED (int, sendmmsg, COUNT_SENDS,
    (int fd, struct mmsghdr *messages, unsigned int n, int flags),
    (fd, messages, n, flags))
COUNTED (int, recvmmsg, COUNT_RECEIVES,
    (int fd, struct mmsghdr *messages, unsigned int n, int flags,
        struct timespec *timeout),
    (fd, messages, n, flags, timeout))
COUNTED (int, poll, COUNT_POLLS, (struct pollfd * fds, nfds_t n, int timeout),
    (fds, n, timeout))
COUNTED (int, ppoll, COUNT_POLLS,
    (struct pollfd * fds, nfds_t n, const struct timespec *timeout,
        const sigset_t *signals),
    (fds, n, timeout, signals))
#define COMMON                            \
  "address=" GROUP " port=" G_STRINGIFY ( \
      PORT) " multicast-iface=" BENCH_INTERFACE " name=element "
#define TIMES .warm_up = GST_SECOND, .window = 2 * GST_SECOND
/* Counts are per packet pushed. */
static const BenchContender lmccsink = { "lmccsink",
  "lmccsink sync=false " COMMON, .count_pushed = TRUE, TIMES };

static const BenchContender fakesink = { "fakesink",
  "fakesink sync=false name=element", .count_pushed = TRUE, TIMES };

static const BenchContender lmccsrc = { "lmccsrc",
  "lmccsrc algorithm=none " COMMON "! fakesink name=counter "
  "sync=false async=false enable-last-sample=false",
  TIMES };

typedef struct
{
  const gchar *name;
  BenchStream stream;
} Rate;

static const Rate rates[] = {
  { "2,000/s", { 40, 50, 50 } },
  { "20,000/s", { 400, 50, 50 } },
};

static void
measure (BenchReport *report, const Rate *rate, const BenchContender *contender,
    BenchRun run, gint rounds)
{
  g_autofree gchar *title =
      g_strdup_printf ("%s, %s", rate->name, contender->name);
  GArray *series[N_COUNTS];
  guint i;

  for (i = 0; i < N_COUNTS; i++)
    series[i] = bench_series_new ();
  while (rounds-- > 0) {
    BenchResult result = bench_run_in_child (run, contender, &rate->stream);

    if (!result.ok)
      bench_report_fail (report, title, result.failure);
    for (i = 0; result.ok && i < N_COUNTS; i++)
      bench_series_add (series[i], result.counts[i]);
  }
  for (i = 0; i < N_COUNTS; i++) {
    g_autofree gchar *name = g_strdup_printf ("%s: %s", title, names[i]);

    if (series[i]->len > 0)
      bench_report_add (report, name, "/packet", series[i], BENCH_NO_BOUND);
    g_array_unref (series[i]);
  }
}

static void
measure_rate (BenchReport *report, const Rate *rate, gint rounds)
{
  gint stop_fd;
  pid_t sender;

  measure (report, rate, &lmccsink, bench_run_sender, rounds);
  measure (report, rate, &fakesink, bench_run_sender, rounds);
  sender = bench_start_sender (&lmccsink, &rate->stream, &stop_fd);
  measure (report, rate, &lmccsrc, bench_run_receiver, rounds);
  bench_stop_sender (sender, stop_fd);
}

int
main (int argc, char **argv)
{
  g_autofree gchar *json = NULL;
  BenchReport *report;
  gint rounds = 3;
  guint i;

  if (!bench_parse_options (&argc, &argv,
          "Locks and system calls of lmccsink and lmccsrc.", &json, &rounds))
    return 2;
  report = bench_report_new ("Locks and system calls for each packet");
  for (i = 0; i < G_N_ELEMENTS (rates); i++)
    measure_rate (report, &rates[i], rounds);
  return bench_report_finish (report, json);
}
