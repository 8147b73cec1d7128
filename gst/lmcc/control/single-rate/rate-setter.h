/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_SINGLE_RATE_RATE_SETTER_H
#define LMCC_CONTROL_SINGLE_RATE_RATE_SETTER_H

#include <gst/lmcc/lmcc-sender.h>

#include "wire/algorithm-element.h"

G_BEGIN_DECLS

/**
 * LmccRateSetterClass:
 * @element_size: bytes of what is added to each packet
 * @create: begins; @hysteresis is c of pgmcc, 0: the paper's
 * @free: ends
 * @may_send: whether a packet may leave now; %NULL: the rate says when
 * @write_element: what the packet says that leaves @now as @lsn of its layer
 * @get_rate: what the network takes, in bit/s, of packets of @packet_size
 *     bytes; 0: not known yet
 * @set_max_rate: (nullable): the rate is no more than this, which follows from
 *     what is sent
 * @get_leader: the SSRC of the receiver that sets the rate; %FALSE: none does
 * @get_rtt: the round-trip time that it goes by, 0: not known yet
 * @identify_report: whether @data is a report for it, of whom, and for which
 *     session
 * @take_report: takes what @identify_report knew; @send_clock is the send time
 *     that a packet would have now, @origin where it comes from, as in
 *     lmcc_report_origin(). %FALSE: it cannot be true
 * @next_timeout: when @handle_timeout is due, or %LMCC_TIME_NONE
 * @handle_timeout: that time has come
 * @get_stats: what it alone counts
 *
 * How an algorithm sets one rate for all receivers by their reports: its
 * machine in the sender, the first argument of most.
 */
typedef struct
{
  gsize element_size;
  gpointer (
      *create) (const LmccSession *session, gdouble hysteresis, LmccTime now);
  void (*free) (gpointer machine);
  gboolean (*may_send) (gconstpointer machine);
  void (*write_element) (gpointer machine, LmccTime now, guint16 lsn,
      guint8 data[LMCC_SECOND_ELEMENT_MAX_SIZE]);
  gdouble (*get_rate) (gconstpointer machine, gdouble packet_size);
  void (*set_max_rate) (gpointer machine, gdouble rate);
  gboolean (*get_leader) (gconstpointer machine, guint32 *ssrc);
  LmccTime (*get_rtt) (gconstpointer machine);
  gboolean (*identify_report) (const guint8 *data, gsize size, guint32 *ssrc,
      guint32 *ssrc_base);
  gboolean (*take_report) (gpointer machine, LmccTime now, guint32 send_clock,
      guint64 origin, const guint8 *data, gsize size);
  LmccTime (*next_timeout) (gconstpointer machine);
  void (*handle_timeout) (gpointer machine, LmccTime now);
  void (*get_stats) (gconstpointer machine, LmccSingleRateStats *stats);
} LmccRateSetterClass;

G_END_DECLS

#endif
