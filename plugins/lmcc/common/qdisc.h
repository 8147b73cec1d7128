/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LMCC_QDISC_H
#define GST_LMCC_QDISC_H

#include <glib.h>

G_BEGIN_DECLS

/* IFNAMSIZ, the size of a kind in tc(8). */
#define GST_LMCC_QDISC_KIND_SIZE 16

/* Default number of packets per flow in fq: fq_init() in net/sched/sch_fq.c. */
#define GST_LMCC_QDISC_FLOW_LIMIT 100

/**
 * GstLmccQdisc:
 * @kind: kind of the root: "fq", "mq", "noqueue"
 * @keeps_times: whether packets leave at their transmit times (CLOCK_MONOTONIC): the
 *     root is fq, or mq with fq for all queues
 * @flow_limit: maximum number of packets of a flow that it holds, if @keeps_times
 * @horizon: how long before its time it accepts a packet, ns, if @keeps_times
 *
 * The queueing discipline of an interface.
 */
typedef struct
{
  gchar kind[GST_LMCC_QDISC_KIND_SIZE];
  gboolean keeps_times;
  guint flow_limit;
  guint64 horizon;
} GstLmccQdisc;

/**
 * GstLmccQdiscReader:
 * @index: index of the interface
 * @found: whether its root is known
 * @ended: whether the kernel has reported everything about it
 * @torn: whether the disciplines have changed during the dump
 * @handle: handle of the root
 * @n_children: number of disciplines below the root
 * @n_times: number of them, or of the root, with support for transmit times
 * @qdisc: the result so far
 *
 * Reads the kernel's description of queueing disciplines.
 */
typedef struct
{
  guint index;
  gboolean found;
  gboolean ended;
  gboolean torn;
  guint32 handle;
  guint n_children;
  guint n_times;
  GstLmccQdisc qdisc;
} GstLmccQdiscReader;

void gst_lmcc_qdisc_reader_init (GstLmccQdiscReader *reader, guint index);
gboolean gst_lmcc_qdisc_reader_take (GstLmccQdiscReader *reader,
    gconstpointer messages, gsize size);
gboolean gst_lmcc_qdisc_reader_end (const GstLmccQdiscReader *reader,
    GstLmccQdisc *qdisc);

gboolean gst_lmcc_qdisc_find (guint index, GstLmccQdisc *qdisc);

G_END_DECLS

#endif
