/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Clients of the I/O threads that all elements of a process share. */
#include "config.h"

#include "common/io-private.h"

/**
 * gst_lmcc_io_new:
 * @run: what it does
 * @user_data: for @run
 *
 * Returns: (transfer full): a client that is not attached, and has no
 *     descriptor
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
 * Detaches it, too. Its descriptors stay open. It may be called by the client
 * itself while it runs; then @io is freed when that has returned.
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
 * @error: where the process may have no more threads or descriptors, or the
 *     client runs, as it has detached itself
 *
 * Gives the client to the thread that has the fewest, and has it run there.
 * There are as many threads as clients, but at most as many as processors, and
 * at most 4. A thread belongs to the network namespace, and has the signal
 * mask, of the thread that attached its first client.
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
        "It cannot be started again from its own I/O thread: leave that to "
        "another thread");
  else
    ok = gst_lmcc_io_join_thread (io, error);
  g_mutex_unlock (&gst_lmcc_io_lock);
  return ok;
}

/**
 * gst_lmcc_io_detach:
 * @io: a client
 *
 * Waits until the client does not run. After the return it does not run any
 * more, until it is attached again. Its descriptors are kept.
 *
 * The client itself may call this while it runs: that run goes on, and is the
 * last one. Other clients may call it while they run, as long as the two do not
 * wait for each other.
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
 * Makes the client run soon, once after any number of calls, if it is attached.
 * Any thread may call this, the client's own too.
 */
void
gst_lmcc_io_wake (GstLmccIo *io)
{
  g_mutex_lock (&gst_lmcc_io_lock);
  gst_lmcc_io_queue (io);
  g_mutex_unlock (&gst_lmcc_io_lock);
}
