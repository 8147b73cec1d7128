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

  /* the client's thread while it is attached, else the one that attaches it */
  GArray *sources;  /* of GstLmccIoSource */
  GArray *readable; /* their tags */
  gint polled_by; /* the epoll set of the thread that has the sources, or -1 */
  gboolean napping;

  /* gst_lmcc_io_lock */
  GstLmccIoThread *thread; /* or NULL: not attached */
  guint32 id;
  GThread *runner; /* or NULL: it does not run */
  gboolean leaving;
  gboolean freed;
  gboolean queued;
  GList link; /* of those that run next */
  GSequenceIter *timer;
  guint64 due;
};

/* Which client has which thread, and who runs next. It is held for short, and
 * never while a client runs. */
extern GMutex gst_lmcc_io_lock;

/* A client has returned from its run, and so many threads wait for that: to tell
 * nobody would take a system call. */
extern GCond gst_lmcc_io_cond;
extern guint gst_lmcc_io_n_waiting;

/* common/io-sources.c */
gboolean gst_lmcc_io_poll (GstLmccIo *io, gint epoll_fd);
void gst_lmcc_io_unpoll (GstLmccIo *io);

/* common/io-thread.c: with the lock */
gboolean gst_lmcc_io_join_thread (GstLmccIo *io, GError **error);
GThread *gst_lmcc_io_leave_thread (GstLmccIo *io);
void gst_lmcc_io_queue (GstLmccIo *io);
void gst_lmcc_io_dispose (GstLmccIo *io);

G_END_DECLS

#endif
