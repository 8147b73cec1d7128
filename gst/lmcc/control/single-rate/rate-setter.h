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
 * @element_size: bytes added to each packet
 * @create: creates the machine; @hysteresis is c of pgmcc, 0: the paper's
 * @free: frees it
 * @may_send: whether a packet may be sent now; %NULL: the rate decides
 * @write_element: writes the element of the packet that is sent @now as number @lsn of
 *     its layer
 * @get_rate: the rate that the network allows for packets of @packet_size bytes, bit/s;
 *     0: not known yet
 * @set_max_rate: (nullable): sets an upper limit of the rate, which follows from the rate
 *     sent
 * @get_leader: SSRC of the receiver that sets the rate; %FALSE: none does
 * @get_rtt: the round-trip time that it uses, 0: not known yet
 * @identify_report: whether @data is a report for it, from whom, and for which session
 * @take_report: takes a report that @identify_report recognized; @send_clock is the send
 *     time that a packet would carry now, @origin the report's origin, as in
 *     lmcc_report_origin(). %FALSE: the report is implausible
 * @next_timeout: when to call @handle_timeout, or %LMCC_TIME_NONE
 * @handle_timeout: handles that timeout
 * @get_stats: fills in its own counters
 *
 * How an algorithm sets a single rate for all receivers according to their reports. Most
 * functions take its machine in the sender as the first argument.
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
