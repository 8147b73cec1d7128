/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Clients of the I/O threads, which all elements of a process share. */
#include "config.h"

#include "common/io-private.h"

#include <plugins/common/messages.h>

/**
 * gst_lmcc_io_new:
 * @run: the function that does its work
 * @user_data: for @run
 *
 * Returns: (transfer full): a client that is not attached and has no
 * descriptors
 */
GstLmccIo *
gst_lmcc_io_new (GstLmccIoRun run, gpointer user_data)
{
  GstLmccIo *io = g_new0 (GstLmccIo, 1);

  io->run = run;
  io->user_data = user_data;
  io->sources = g_array_new (FALSE, FALSE, sizeof (GstLmccIoSource));
  io->readable = g_array_new (FALSE, FALSE, sizeof (guint));
  io->polled_by = -1;
  io->link.data = io;
  io->due = GST_LMCC_IO_NEVER;
  return io;
}

/**
 * gst_lmcc_io_dispose:
 * @io: (transfer full): a client that is not attached and does not run
 */
void
gst_lmcc_io_dispose (GstLmccIo *io)
{
  g_array_unref (io->sources);
  g_array_unref (io->readable);
  g_free (io);
}

/**
 * gst_lmcc_io_free:
 * @io: (transfer full): a client
 *
 * Detaches the client, if necessary. Its descriptors stay open. The client may
 * call this itself while it runs; @io is then freed when the run has returned.
 */
void
gst_lmcc_io_free (GstLmccIo *io)
{
  gboolean runs;

  gst_lmcc_io_detach (io);
  g_mutex_lock (&gst_lmcc_io_lock);
  runs = io->runner != NULL;
  io->freed = TRUE;
  g_mutex_unlock (&gst_lmcc_io_lock);
  if (!runs)
    gst_lmcc_io_dispose (io);
}

/**
 * gst_lmcc_io_attach:
 * @io: a client that is not attached
 * @error: set if the process has reached its limit of threads or descriptors,
 *     or if the client still runs after it has detached itself
 *
 * Assigns the client to the thread with the fewest clients, where it then runs.
 * There are as many threads as clients, but at most as many as processors, and
 * at most 4. A thread has the network namespace and the signal mask of the
 * thread that attached its first client.
 *
 * Returns: whether it is attached
 */
gboolean
gst_lmcc_io_attach (GstLmccIo *io, GError **error)
{
  gboolean ok = FALSE;

  g_mutex_lock (&gst_lmcc_io_lock);
  if (io->runner != NULL)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_BUSY,
        _ ("Cannot start the element from its own I/O thread: start it from "
           "another thread"));
  else
    ok = gst_lmcc_io_join_thread (io, error);
  g_mutex_unlock (&gst_lmcc_io_lock);
  return ok;
}

/**
 * gst_lmcc_io_detach:
 * @io: a client
 *
 * Waits until the client has stopped running. After the return it does not run
 * again until it is attached. Its descriptors are kept.
 *
 * The client may call this itself while it runs: the current run continues and
 * is its last one. Other clients may call it while they run, as long as the two
 * do not wait for each other.
 */
void
gst_lmcc_io_detach (GstLmccIo *io)
{
  GThread *handle = NULL;

  g_mutex_lock (&gst_lmcc_io_lock);
  io->leaving = io->thread != NULL;
  gst_lmcc_io_n_waiting++;
  while (io->runner != NULL && io->runner != g_thread_self ())
    g_cond_wait (&gst_lmcc_io_cond, &gst_lmcc_io_lock);
  gst_lmcc_io_n_waiting--;
  if (io->thread != NULL)
    handle = gst_lmcc_io_leave_thread (io);
  g_mutex_unlock (&gst_lmcc_io_lock);

  if (handle == g_thread_self ())
    g_thread_unref (handle);
  else if (handle != NULL)
    g_thread_join (handle);
}

/**
 * gst_lmcc_io_wake:
 * @io: a client
 *
 * Schedules a run of the client, if it is attached. Several calls before the
 * run have the same effect as one. Any thread can call this, including the
 * client's own.
 */
void
gst_lmcc_io_wake (GstLmccIo *io)
{
  g_mutex_lock (&gst_lmcc_io_lock);
  gst_lmcc_io_queue (io);
  g_mutex_unlock (&gst_lmcc_io_lock);
}
