/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The I/O threads. Each waits for the descriptors and timers of its clients
 * with one call, and then gives each client that has work one turn.
 */
#include "config.h"

#include "common/io-private.h"
#include "common/sockaddr.h"

#include <plugins/common/messages.h>

#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define SECOND G_GUINT64_CONSTANT (1000000000)

/* One core handles 100,000 packets/s and more. The other cores are needed by
 * elements that decode or show the received video. */
#define MAX_THREADS 4

/* Maximum number of events per wait; the kernel returns the others next
 * time. */
#define MAX_EVENTS 64

/* In ns. The kernel's default of 50 us would be added to each timer. */
#define TIMER_SLACK 1

/* Interval after which descriptors that the kernel refused (for lack of memory)
 * are added to the epoll set again. Until then they are polled one by one. */
#define RETRY (SECOND / 10)

/* Id of the thread's own descriptor; clients have ids from 1. */
#define OWN_ID 0

struct _GstLmccIoThread
{
  GThread *handle;
  gint epoll_fd;
  gint wake_fd;
  gboolean lacks_pwait2;

  /* lock */
  GHashTable *clients; /* by id */
  GQueue turn;         /* clients that run next */
  GSequence *timers;   /* clients with a timer, earliest first */
  gboolean waiting;
  gboolean quit;
};

GMutex gst_lmcc_io_lock;
GCond gst_lmcc_io_cond;
guint gst_lmcc_io_n_waiting;

/* lock */
static GstLmccIoThread *threads[MAX_THREADS];
static guint n_threads;
static guint32 latest_id = OWN_ID;

/**
 * gst_lmcc_io_get_time:
 *
 * Returns: CLOCK_MONOTONIC, in ns
 */
guint64
gst_lmcc_io_get_time (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (guint64) now.tv_sec * SECOND + (guint64) now.tv_nsec;
}

/**
 * gst_lmcc_io_get_time_after:
 * @left: time to wait by the pipeline's clock, ns
 *
 * Returns: the return value of a run that waits for that time: at most
 * %GST_LMCC_IO_LONGEST_WAIT from now, so that a client that wakes up too early
 * by its own clock waits again
 */
guint64
gst_lmcc_io_get_time_after (guint64 left)
{
  return gst_lmcc_io_get_time () + MIN (left, GST_LMCC_IO_LONGEST_WAIT);
}

/* Timers */

static gint
compare_due (gconstpointer a, gconstpointer b, gpointer data G_GNUC_UNUSED)
{
  const GstLmccIo *one = a, *other = b;

  return one->due < other->due ? -1 : one->due > other->due;
}

static void
set_due (GstLmccIo *io, guint64 due)
{
  if (due == io->due)
    return;
  io->due = due;
  if (due == GST_LMCC_IO_NEVER)
    g_sequence_remove (g_steal_pointer (&io->timer));
  else if (io->timer)
    g_sequence_sort_changed (io->timer, compare_due, NULL);
  else
    io->timer =
        g_sequence_insert_sorted (io->thread->timers, io, compare_due, NULL);
}

static GstLmccIo *
get_first_due (GstLmccIoThread *thread)
{
  GSequenceIter *first = g_sequence_get_begin_iter (thread->timers);

  return g_sequence_iter_is_end (first) ? NULL : g_sequence_get (first);
}

/* Turns */

static void
queue (GstLmccIo *io)
{
  if (io->queued || io->leaving)
    return;
  io->queued = TRUE;
  g_queue_push_tail_link (&io->thread->turn, &io->link);
}

static void
queue_due (GstLmccIoThread *thread)
{
  guint64 now = gst_lmcc_io_get_time ();
  GSequenceIter *iter = g_sequence_get_begin_iter (thread->timers);

  for (; !g_sequence_iter_is_end (iter); iter = g_sequence_iter_next (iter)) {
    GstLmccIo *io = g_sequence_get (iter);

    if (io->due > now)
      break;
    queue (io);
  }
}

/* Threads */

static void
wake_thread (GstLmccIoThread *thread)
{
  guint64 one = 1;

  if (!thread->waiting)
    return;
  thread->waiting = FALSE;
  while (write (thread->wake_fd, &one, sizeof (one)) < 0 && errno == EINTR)
    ;
}

static void
clear_wake (GstLmccIoThread *thread)
{
  guint64 count;

  while (read (thread->wake_fd, &count, sizeof (count)) < 0 && errno == EINTR)
    ;
}

/**
 * gst_lmcc_io_queue:
 * @io: a client
 *
 * Schedules a run of the client, if it is attached.
 */
void
gst_lmcc_io_queue (GstLmccIo *io)
{
  if (io->thread == NULL)
    return;
  queue (io);
  wake_thread (io->thread);
}

/* Kernels before 5.11, and sandboxes that do not allow epoll_pwait2(), need an
 * additional call. */
static gint
wait_by_poll (GstLmccIoThread *thread, const struct timespec *wait,
    struct epoll_event *events)
{
  struct pollfd fd = { thread->epoll_fd, POLLIN, 0 };

  if (ppoll (&fd, 1, wait, NULL) <= 0)
    return 0;
  return epoll_wait (thread->epoll_fd, events, MAX_EVENTS, 0);
}

static gint
wait_for_events (GstLmccIoThread *thread, guint64 until,
    struct epoll_event *events)
{
  guint64 now = until > 0 ? gst_lmcc_io_get_time () : 0;
  guint64 left = until > now ? until - now : 0;
  struct timespec wait = {
    .tv_sec = (time_t) (left / SECOND),
    .tv_nsec = (glong) (left % SECOND),
  };
  const struct timespec *limit = until == GST_LMCC_IO_NEVER ? NULL : &wait;

#ifdef HAVE_EPOLL_PWAIT2
  if (!thread->lacks_pwait2) {
    gint n = epoll_pwait2 (thread->epoll_fd, events, MAX_EVENTS, limit, NULL);

    if (n >= 0 || errno == EINTR)
      return MAX (n, 0);
    thread->lacks_pwait2 = TRUE;
  }
#endif
  return wait_by_poll (thread, limit, events);
}

/* The client may have been detached since the wait. */
static void
queue_readable (GstLmccIoThread *thread, const struct epoll_event *event)
{
  guint32 id = (guint32) (event->data.u64 >> 32);
  guint tag = (guint32) event->data.u64;
  GstLmccIo *io = g_hash_table_lookup (thread->clients, GUINT_TO_POINTER (id));

  if (id == OWN_ID)
    clear_wake (thread);
  if (io == NULL || io->leaving)
    return;
  g_array_append_val (io->readable, tag);
  queue (io);
}

/* Releases the lock while the client runs. */
static void
run_client (GstLmccIoThread *thread, GstLmccIo *io)
{
  guint64 due;

  io->queued = FALSE;
  io->runner = thread->handle;
  io->napping = FALSE;
  g_mutex_unlock (&gst_lmcc_io_lock);
  due = io->run (io, io->user_data);
  g_array_set_size (io->readable, 0);
  g_mutex_lock (&gst_lmcc_io_lock);
  io->runner = NULL;
  if (io->freed) {
    gst_lmcc_io_dispose (io);
    return;
  }
  if (io->thread != NULL) {
    if (io->napping)
      gst_lmcc_io_unpoll (io);
    else if (!gst_lmcc_io_poll (io, thread->epoll_fd))
      due = MIN (due, gst_lmcc_io_get_time () + RETRY);
    set_due (io, due);
  }
  if (gst_lmcc_io_n_waiting > 0)
    g_cond_broadcast (&gst_lmcc_io_cond);
}

static void
run_turns (GstLmccIoThread *thread)
{
  guint n;

  /* Clients that are woken meanwhile run after the next look at the
   * descriptors. */
  for (n = thread->turn.length; n > 0 && thread->turn.length > 0; n--) {
    GList *link = g_queue_pop_head_link (&thread->turn);

    run_client (thread, link->data);
  }
}

static guint64
get_wait (GstLmccIoThread *thread)
{
  GstLmccIo *first = get_first_due (thread);

  if (thread->turn.length > 0)
    return 0;
  return first ? first->due : GST_LMCC_IO_NEVER;
}

static void
free_thread (GstLmccIoThread *thread)
{
  if (thread->epoll_fd >= 0)
    close (thread->epoll_fd);
  if (thread->wake_fd >= 0)
    close (thread->wake_fd);
  g_hash_table_unref (thread->clients);
  g_sequence_free (thread->timers);
  g_free (thread);
}

static gpointer
run_thread (gpointer data)
{
  GstLmccIoThread *thread = data;
  struct epoll_event events[MAX_EVENTS];

  prctl (PR_SET_TIMERSLACK, TIMER_SLACK, 0, 0, 0);
  g_mutex_lock (&gst_lmcc_io_lock);
  while (!thread->quit) {
    guint64 until = get_wait (thread);
    gint i, n;

    thread->waiting = TRUE;
    g_mutex_unlock (&gst_lmcc_io_lock);
    n = wait_for_events (thread, until, events);
    g_mutex_lock (&gst_lmcc_io_lock);
    thread->waiting = FALSE;
    for (i = 0; i < n; i++)
      queue_readable (thread, &events[i]);
    queue_due (thread);
    run_turns (thread);
  }
  g_mutex_unlock (&gst_lmcc_io_lock);
  free_thread (thread);
  return NULL;
}

static gboolean
open_thread (GstLmccIoThread *thread)
{
  struct epoll_event event = { .events = EPOLLIN, .data.u64 = OWN_ID };

  thread->epoll_fd = epoll_create1 (EPOLL_CLOEXEC);
  thread->wake_fd = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
  return thread->epoll_fd >= 0 && thread->wake_fd >= 0
      && epoll_ctl (thread->epoll_fd, EPOLL_CTL_ADD, thread->wake_fd, &event)
      == 0;
}

static GstLmccIoThread *
start_thread (GError **error)
{
  GstLmccIoThread *thread = g_new0 (GstLmccIoThread, 1);

  thread->clients = g_hash_table_new (NULL, NULL);
  thread->timers = g_sequence_new (NULL);
  if (!open_thread (thread))
    gst_lmcc_set_errno (error, errno,
        _ ("Cannot open the event queue of the I/O thread: %s"),
        g_strerror (errno));
  else
    thread->handle = g_thread_try_new ("lmcc-io", run_thread, thread, error);
  if (thread->handle == NULL) {
    free_thread (thread);
    return NULL;
  }
  threads[n_threads++] = thread;
  return thread;
}

/* The thread with the fewest clients, or a new one while the limit allows
 * it. */
static GstLmccIoThread *
choose_thread (GError **error)
{
  GstLmccIoThread *least = NULL;
  guint i;

  if (n_threads < MIN (g_get_num_processors (), MAX_THREADS))
    return start_thread (error);
  for (i = 0; i < n_threads; i++) {
    if (least == NULL
        || g_hash_table_size (threads[i]->clients)
            < g_hash_table_size (least->clients))
      least = threads[i];
  }
  return least;
}

static void
forget_thread (GstLmccIoThread *thread)
{
  guint i;

  for (i = 0; threads[i] != thread; i++)
    ;
  threads[i] = threads[--n_threads];
  thread->quit = TRUE;
  wake_thread (thread);
}

/**
 * gst_lmcc_io_leave_thread:
 * @io: an attached client that does not run, or that detaches itself
 *
 * Returns: (transfer full) (nullable): the thread, which ends, if this was its
 * last client
 */
GThread *
gst_lmcc_io_leave_thread (GstLmccIo *io)
{
  GstLmccIoThread *thread = io->thread;

  gst_lmcc_io_unpoll (io);
  set_due (io, GST_LMCC_IO_NEVER);
  if (io->queued)
    g_queue_unlink (&thread->turn, &io->link);
  io->queued = FALSE;
  io->leaving = FALSE;
  g_hash_table_remove (thread->clients, GUINT_TO_POINTER (io->id));
  io->thread = NULL;
  if (g_hash_table_size (thread->clients) > 0)
    return NULL;
  forget_thread (thread);
  return thread->handle;
}

/**
 * gst_lmcc_io_join_thread:
 * @io: a client that is not attached
 * @error: set if the process has reached its limit of threads or descriptors
 *
 * Assigns the client to a thread, and wakes the thread.
 *
 * Returns: whether it has a thread
 */
gboolean
gst_lmcc_io_join_thread (GstLmccIo *io, GError **error)
{
  GstLmccIoThread *thread = choose_thread (error);

  if (thread == NULL)
    return FALSE;
  io->thread = thread;
  io->id = ++latest_id;
  g_hash_table_insert (thread->clients, GUINT_TO_POINTER (io->id), io);
  gst_lmcc_io_queue (io);
  return TRUE;
}
