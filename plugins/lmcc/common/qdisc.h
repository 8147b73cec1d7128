/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LMCC_QDISC_H
#define GST_LMCC_QDISC_H

#include <glib.h>

G_BEGIN_DECLS

/* IFNAMSIZ, which tc(8) gives a kind. */
#define GST_LMCC_QDISC_KIND_SIZE 16

/* What fq holds of a flow by default: fq_init() in net/sched/sch_fq.c. */
#define GST_LMCC_QDISC_FLOW_LIMIT 100

/**
 * GstLmccQdisc:
 * @kind: of the root: "fq", "mq", "noqueue"
 * @keeps_times: packets leave at the times that their senders give
 *     (CLOCK_MONOTONIC): it is fq, or all that mq has are
 * @flow_limit: how many packets of a flow it holds, where it keeps times
 * @horizon: how far ahead of its time it takes a packet, ns, likewise
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
 * @index: of the interface
 * @found: its root is known
 * @ended: nothing else is told of it
 * @torn: they changed meanwhile
 * @handle: the root's
 * @n_children: how many disciplines the root has
 * @n_times: how many of them, or of the root, keep times
 * @qdisc: what is known
 *
 * Reads what the kernel tells of queueing disciplines.
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
