/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LMCC_IO_H
#define GST_LMCC_IO_H

#include <gio/gio.h>

G_BEGIN_DECLS

/* A time that never comes: only a descriptor or gst_lmcc_io_wake() ends the wait. */
#define GST_LMCC_IO_NEVER G_MAXUINT64

/* Longest wait by another clock, in ns. That clock may run at another speed than the
 * kernel's, so it is read again after this time. */
#define GST_LMCC_IO_LONGEST_WAIT G_GUINT64_CONSTANT (1000000000)

/**
 * GstLmccIo:
 *
 * A client of the I/O threads, which all elements of a process share. It has
 * descriptors, which are polled for input, and a timer.
 */
typedef struct _GstLmccIo GstLmccIo;

/**
 * GstLmccIoRun:
 * @io: the client
 * @user_data: of gst_lmcc_io_new()
 *
 * Does the pending work. It is called in the client's thread, never by two threads at
 * once: after gst_lmcc_io_attach(), when the timer expires, when one of its descriptors
 * is readable, and after gst_lmcc_io_wake(). It may also be called without pending
 * work.
 *
 * Other clients of the thread wait while it runs. It should therefore handle a limited
 * number of packets and return; it is called again for the rest.
 *
 * Returns: the time of the next run, in ns of gst_lmcc_io_get_time(), or
 * %GST_LMCC_IO_NEVER. A time in the past means at once, after the other clients have
 * had their turn.
 */
typedef guint64 (*GstLmccIoRun) (GstLmccIo *io, gpointer user_data);

guint64 gst_lmcc_io_get_time (void);
guint64 gst_lmcc_io_get_time_after (guint64 left);

GstLmccIo *gst_lmcc_io_new (GstLmccIoRun run, gpointer user_data);
void gst_lmcc_io_free (GstLmccIo *io);

gboolean gst_lmcc_io_add (GstLmccIo *io, gint fd, guint tag, GError **error);
void gst_lmcc_io_remove (GstLmccIo *io, gint fd);

gboolean gst_lmcc_io_attach (GstLmccIo *io, GError **error);
void gst_lmcc_io_detach (GstLmccIo *io);
void gst_lmcc_io_wake (GstLmccIo *io);

guint gst_lmcc_io_take_readable (GstLmccIo *io, guint *tags, guint size);
void gst_lmcc_io_nap (GstLmccIo *io);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstLmccIo, gst_lmcc_io_free)

G_END_DECLS

#endif
