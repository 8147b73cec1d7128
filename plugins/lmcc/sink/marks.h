/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LMCC_SINK_MARKS_H
#define GST_LMCC_SINK_MARKS_H

#include <gst/gst.h>
#include <gst/lmcc/lmcc.h>

G_BEGIN_DECLS

/**
 * GstLmccSinkMarks:
 * @slot: length of a slot, ns; 0: the algorithm's default
 * @nominal_rtt: nominal round-trip time, ns; 0: the algorithm's default
 * @leave_latency: leave latency, ns; 0: the algorithm's default
 * @method: how FLID's increase probabilities are computed
 * @n_probabilities: number of given probabilities; 0: none
 * @probabilities: given probabilities
 *
 * How packets are marked for the session's algorithm.
 */
typedef struct
{
  LmccTime slot;
  LmccTime nominal_rtt;
  LmccTime leave_latency;
  LmccIncreaseMethod method;
  guint n_probabilities;
  gdouble probabilities[LMCC_MAX_LAYERS];
} GstLmccSinkMarks;

gboolean gst_lmcc_sink_marks_read (GstLmccSinkMarks *marks,
    const GstStructure *structure, const gchar *algorithm, guint n_layers,
    GError **error);
gboolean gst_lmcc_sink_marks_fit (GstLmccSinkMarks *marks,
    LmccSenderConfig *config, GError **error);

G_END_DECLS

#endif
