/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LMCC_IO_PRIVATE_H
#define GST_LMCC_IO_PRIVATE_H

#include "common/io.h"

G_BEGIN_DECLS

typedef struct _GstLmccIoThread GstLmccIoThread;

typedef struct
{
  gint fd;
  guint tag;
} GstLmccIoSource;

struct _GstLmccIo
{
  GstLmccIoRun run;
  gpointer user_data;

  /* Owned by the client's thread while it is attached, otherwise by the thread that
   * attaches it. */
  GArray *sources;  /* of GstLmccIoSource */
  GArray *readable; /* their tags */
  gint polled_by;   /* epoll set that contains the sources, or -1 */
  gboolean napping;

  /* gst_lmcc_io_lock */
  GstLmccIoThread *thread; /* NULL if not attached */
  guint32 id;
  GThread *runner; /* NULL if not running */
  gboolean leaving;
  gboolean freed;
  gboolean queued;
  GList link; /* entry in the queue of clients that run next */
  GSequenceIter *timer;
  guint64 due;
};

/* Protects which client belongs to which thread, and the order of runs. Held only
 * briefly, and never while a client runs. */
extern GMutex gst_lmcc_io_lock;

/* Signalled when a client returns from its run and threads wait for that. The counter
 * saves a system call if no thread waits. */
extern GCond gst_lmcc_io_cond;
extern guint gst_lmcc_io_n_waiting;

/* common/io-sources.c */
gboolean gst_lmcc_io_poll (GstLmccIo *io, gint epoll_fd);
void gst_lmcc_io_unpoll (GstLmccIo *io);

/* common/io-thread.c: called with the lock held */
gboolean gst_lmcc_io_join_thread (GstLmccIo *io, GError **error);
GThread *gst_lmcc_io_leave_thread (GstLmccIo *io);
void gst_lmcc_io_queue (GstLmccIo *io);
void gst_lmcc_io_dispose (GstLmccIo *io);

G_END_DECLS

#endif
