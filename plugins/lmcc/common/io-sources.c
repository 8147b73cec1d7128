/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The descriptors of a client: in the epoll set of its thread, or polled one by
 * one. */
#include "config.h"

#include "common/io-private.h"
#include "common/sockaddr.h"

#include <plugins/common/messages.h>

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
 * @epoll_fd: the epoll set of its thread; events have the client's id and the
 *     tag
 *
 * Adds the descriptors to the set, unless they are in one. If the kernel
 * refuses one of them for lack of memory, none is added.
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
 * Removes the descriptors from the epoll set that contains them, if any.
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
 * @fd: a descriptor that can be polled and is not in use by @io
 * @tag: its tag in gst_lmcc_io_take_readable()
 * @error: set if the kernel refuses it
 *
 * Adds a descriptor, which is polled for input after the current run. It must
 * be removed before it is closed.
 *
 * Returns: whether it was added
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
  gst_lmcc_set_errno (error, errno, _ ("Cannot wait for a socket: %s"),
      g_strerror (errno));
  g_array_set_size (io->sources, last);
  return FALSE;
}

/**
 * gst_lmcc_io_remove:
 * @io: a client that runs, or is not attached
 * @fd: a descriptor; ignored if @io does not use it
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
 * @tags: (out caller-allocates) (array length=size): tags of readable
 *     descriptors
 * @size: size of @tags; the rest is returned in the next run
 *
 * Returns the descriptors that have input or an error. Descriptors that are not
 * read are readable again in the next run.
 *
 * Returns: number of @tags, lowest first
 */
guint
gst_lmcc_io_take_readable (GstLmccIo *io, guint *tags, guint size)
{
  guint n;

  if (io->polled_by < 0)
    ask_sources (io);
  g_array_sort (io->readable, compare_tags);
  n = MIN (io->readable->len, size);
  /* An empty array has no data, and memcpy() does not accept NULL even with
   * size 0. */
  if (n > 0)
    memcpy (tags, io->readable->data, n * sizeof (*tags));
  g_array_set_size (io->readable, 0);
  return n;
}

/**
 * gst_lmcc_io_nap:
 * @io: a client that runs
 *
 * Ignores the descriptors until the next run: only the time that this run
 * returns, and gst_lmcc_io_wake(), end the wait. Datagrams queue up meanwhile
 * without a wake-up. Consecutive naps need no system call; the first nap and
 * the end of the last one need one per descriptor.
 */
void
gst_lmcc_io_nap (GstLmccIo *io)
{
  io->napping = TRUE;
}
