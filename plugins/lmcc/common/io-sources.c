/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A client's descriptors: in the epoll set of its thread, or asked one by
 * one. */
#include "config.h"

#include "common/io-private.h"
#include "common/sockaddr.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>

static gboolean
control_source (GstLmccIo *io, gint epoll_fd, gint operation, guint i)
{
  const GstLmccIoSource *source =
      &g_array_index (io->sources, GstLmccIoSource, i);
  struct epoll_event event = {
    .events = EPOLLIN,
    .data.u64 = (guint64) io->id << 32 | source->tag,
  };

  return epoll_ctl (epoll_fd, operation, source->fd, &event) == 0;
}

static void
remove_sources (GstLmccIo *io, gint epoll_fd, guint n)
{
  while (n > 0)
    control_source (io, epoll_fd, EPOLL_CTL_DEL, --n);
}

/**
 * gst_lmcc_io_poll:
 * @io: a client that is attached and does not run
 * @epoll_fd: its thread's set; events have the client's id and the tag
 *
 * Adds the descriptors to the set, if they are in none. Where the kernel does
 * not take all, for want of memory, it takes none.
 *
 * Returns: whether they are in the set
 */
gboolean
gst_lmcc_io_poll (GstLmccIo *io, gint epoll_fd)
{
  guint i;

  if (io->polled_by >= 0)
    return TRUE;
  for (i = 0; i < io->sources->len; i++) {
    if (!control_source (io, epoll_fd, EPOLL_CTL_ADD, i)) {
      remove_sources (io, epoll_fd, i);
      return FALSE;
    }
  }
  io->polled_by = epoll_fd;
  return TRUE;
}

/**
 * gst_lmcc_io_unpoll:
 * @io: a client that does not run, or that detaches itself
 *
 * Takes the descriptors out of the set in which they are, if they are in one.
 */
void
gst_lmcc_io_unpoll (GstLmccIo *io)
{
  if (io->polled_by >= 0)
    remove_sources (io, io->polled_by, io->sources->len);
  io->polled_by = -1;
}

/**
 * gst_lmcc_io_add:
 * @io: a client that runs, or is not attached
 * @fd: a descriptor that can be polled, and is none of @io's
 * @tag: what it is called in gst_lmcc_io_take_readable()
 * @error: where the kernel does not take it
 *
 * Adds a descriptor, which is polled for input from the return of the run on.
 * It must be removed before it is closed.
 *
 * Returns: whether it is one of @io's
 */
gboolean
gst_lmcc_io_add (GstLmccIo *io, gint fd, guint tag, GError **error)
{
  const GstLmccIoSource source = { fd, tag };
  guint last = io->sources->len;

  g_array_append_val (io->sources, source);
  if (io->polled_by < 0
      || control_source (io, io->polled_by, EPOLL_CTL_ADD, last))
    return TRUE;
  gst_lmcc_set_errno (error, errno, "Could not wait for a socket: %s",
      g_strerror (errno));
  g_array_set_size (io->sources, last);
  return FALSE;
}

/**
 * gst_lmcc_io_remove:
 * @io: a client that runs, or is not attached
 * @fd: a descriptor; nothing happens where it is none of @io's
 */
void
gst_lmcc_io_remove (GstLmccIo *io, gint fd)
{
  guint i;

  for (i = 0; i < io->sources->len; i++) {
    if (g_array_index (io->sources, GstLmccIoSource, i).fd != fd)
      continue;
    if (io->polled_by >= 0)
      control_source (io, io->polled_by, EPOLL_CTL_DEL, i);
    g_array_remove_index_fast (io->sources, i);
    return;
  }
}

static void
ask_sources (GstLmccIo *io)
{
  struct pollfd *fds = g_newa (struct pollfd, io->sources->len + 1);
  guint i, n = io->sources->len;

  for (i = 0; i < n; i++)
    fds[i] =
        (struct pollfd){ g_array_index (io->sources, GstLmccIoSource, i).fd,
          POLLIN, 0 };
  if (poll (fds, n, 0) <= 0)
    return;
  for (i = 0; i < n; i++) {
    if (fds[i].revents != 0)
      g_array_append_val (io->readable,
          g_array_index (io->sources, GstLmccIoSource, i).tag);
  }
}

static gint
compare_tags (gconstpointer a, gconstpointer b)
{
  const guint *one = a, *other = b;

  return *one < *other ? -1 : *one > *other;
}

/**
 * gst_lmcc_io_take_readable:
 * @io: a client that runs
 * @tags: (out caller-allocates) (array length=size): of readable descriptors
 * @size: of @tags; what there is no room for is readable in the next run
 *
 * Tells which descriptors have input, or an error, that has not been taken.
 * What is not read is readable in the next run again.
 *
 * Returns: how many @tags there are, the lowest first
 */
guint
gst_lmcc_io_take_readable (GstLmccIo *io, guint *tags, guint size)
{
  guint n;

  if (io->polled_by < 0)
    ask_sources (io);
  g_array_sort (io->readable, compare_tags);
  n = MIN (io->readable->len, size);
  /* An array that never had an element has no data, which memcpy() takes no
   * better for a size of 0. */
  if (n > 0)
    memcpy (tags, io->readable->data, n * sizeof (*tags));
  g_array_set_size (io->readable, 0);
  return n;
}

/**
 * gst_lmcc_io_nap:
 * @io: a client that runs
 *
 * Leaves the descriptors alone until the next run: only the time that this run
 * returns, and gst_lmcc_io_wake(), end the wait. Datagrams gather meanwhile,
 * and wake nobody. Naps that follow each other cost no system call; the first
 * one and the end of the last one cost one for each descriptor.
 */
void
gst_lmcc_io_nap (GstLmccIo *io)
{
  io->napping = TRUE;
}
