/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORTED_QDISC_H
#define REPORTED_QDISC_H

#include <glib.h>

/**
 * ReportedQdisc:
 * @kind: its name
 * @index: index of the interface
 * @parent: handle of its parent
 * @handle: its own handle
 * @flow_limit: flow limit of fq; 0: not reported
 * @horizon_us: horizon of fq; 0: not reported
 * @torn: the disciplines changed during the dump
 *
 * A queueing discipline as the kernel reports it (tc_fill_qdisc() in
 * net/sched/sch_api.c, fq_dump() in net/sched/sch_fq.c).
 */
typedef struct
{
  const gchar *kind;
  guint index;
  guint32 parent;
  guint32 handle;
  guint flow_limit;
  guint horizon_us;
  gboolean torn;
} ReportedQdisc;

void reported_qdisc_add (GByteArray *to, const ReportedQdisc *told);
void reported_qdisc_end (GByteArray *to);

#endif
