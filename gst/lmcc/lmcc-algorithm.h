/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_ALGORITHM_H
#define LMCC_ALGORITHM_H

#include <gst/lmcc/lmcc-header.h>
#include <gst/lmcc/lmcc-loss.h>
#include <gst/lmcc/lmcc-packet.h>
#include <gst/lmcc/lmcc-session.h>
#include <gst/lmcc/lmcc-settings.h>

G_BEGIN_DECLS

/**
 * LmccController:
 * A congestion-control algorithm's receiver side at work. Every callback may
 * change @wanted_level and @reason; the receiver reads them afterwards.
 * @algorithm: what it is
 * @wanted_level: highest layer to hold; the receiver clamps it to the session
 *     and to the user's caps
 * @reason: why, in words, a static or interned string
 * @shares_joins: it tells others of its joins, and wants to be told of theirs
 * @shared_level: a level that was joined and of which others are to be told, or
 *     0; the receiver takes it
 */
typedef struct _LmccController LmccController;

/**
 * LmccControllerStatus:
 * @state: what it does now, one word or two, static
 * @loss_event_rate: p, from 0 to 1
 * @calculated_rate: what the TCP model allows at p, bit/s; 0 where there is no
 *     such thing, infinite before the first loss
 * @smoothed_rate: the same, smoothed: what levels are compared with
 * @timer: (nullable): what the running timer is for, static
 * @timer_at: when it runs out, or %LMCC_TIME_NONE
 * @slots: of FLID: slots that have ended
 * @lossy_slots: of these, what counts as lossy; may still grow by one that has
 *     ended when its losses show
 * @ignored: packets whose marks were not believed
 * @suppressed: reports that another receiver's made needless
 * @has_leader: of one rate for all: a receiver sets it
 * @leads: it is this one
 * @leader: its SSRC: the acker, or the current limiting receiver
 * @rtt: of one rate for all: the round-trip time: TFMCC's own, pgmcc's ackers'; 0:
 *     not known
 *
 * What an algorithm shows of itself.
 */
typedef struct
{
  const gchar *state;
  gdouble loss_event_rate;
  gdouble calculated_rate;
  gdouble smoothed_rate;
  const gchar *timer;
  LmccTime timer_at;
  guint64 slots;
  guint64 lossy_slots;
  guint64 ignored;
  guint64 suppressed;
  gboolean has_leader;
  gboolean leads;
  guint32 leader;
  LmccTime rtt;
} LmccControllerStatus;

/**
 * LmccAlgorithm:
 * @name: as in the `algorithm` properties and the session record
 * @description: one sentence for gst-inspect-1.0
 * @settings: (array length=n_settings) (nullable): what can be set
 * @n_settings: how many
 * @needs_rtt: it uses the round-trip time; receivers measure it only then
 * @needs_sender: the sender runs it too, with receivers' reports
 * @needs_slots: the packets must bear this algorithm's slots and signals
 * @create: a new controller; its first wanted level is set. @session stays
 *     where it is and changes under it, settings are those of the table
 *
 * What the registry holds of each algorithm.
 */
typedef struct
{
  const gchar *name;
  const gchar *description;
  const LmccSetting *settings;
  guint n_settings;
  gboolean needs_rtt;
  gboolean needs_sender;
  gboolean needs_slots;
  LmccController *(*create) (const LmccSession * session,
      const LmccSettings * settings, guint32 seed);
} LmccAlgorithm;

/**
 * LmccControllerClass:
 * @on_second_element: the packet that comes next has this second element
 * @on_packet: a packet of a held layer came; its losses are reported after it
 * @on_expected: of a layer that was joined, the packets from @lsn on should have
 *     come, the first of them in @slot and not before @since; the first one that
 *     has come follows, later perhaps losses
 * @on_waiting_packet: a packet of a held layer came that is ahead, and waits for
 *     others to agree with it: something may be missing
 * @on_refused_packet: a packet of a held layer came whose number was another
 *     one's before, or cannot be: a copy, or one of two of which one is forged
 * @on_loss: packets of a held layer were lost, in a row
 * @on_left_packet: a packet came of a layer that is not held any more
 * @on_join_lead: groups turn, and are joined @lead before a slot begins: that
 *     long before it ends a slot must be decided upon
 * @on_neighbour_join: another receiver of the session joins @level: shared
 *     learning
 * @on_level: the receiver holds another level now, for whatever reason
 * @on_rtt: the round-trip time is another
 * @on_quality: in the second that ended, of @units that were due @missing were
 *     not delivered to the decoder
 * @on_session: the layer table or its rates changed
 * @on_timeout: next_timeout() is due; may come early or late
 * @next_timeout: when to call it, or %LMCC_TIME_NONE
 * @on_leave: the receiver leaves the session: a last report may be due
 * @poll_report: what is to be sent to the sender now, as one RTCP packet (transfer
 *     full), or %NULL; asked until there is none after each of the above
 * @find_reason_to_leave: why the session must be left, a static string, or %NULL
 * @get_status: what it shows
 * @free: ends it
 *
 * What the receiver calls. All but @free may be %NULL.
 */
typedef struct
{
  void (*on_second_element) (LmccController * controller, const guint8 * data,
      gsize size);
  void (*on_packet) (LmccController * controller, LmccTime now,
      LmccTime arrival, const LmccHeader * header, gsize size);
  void (*on_expected) (LmccController * controller, LmccTime now, guint layer,
      guint16 lsn, LmccTime since, guint slot);
  void (*on_waiting_packet) (LmccController * controller, LmccTime now,
      guint layer);
  void (*on_refused_packet) (LmccController * controller, LmccTime now,
      const LmccHeader * header);
  void (*on_loss) (LmccController * controller, LmccTime now, guint layer,
      const LmccLoss * loss);
  void (*on_left_packet) (LmccController * controller, LmccTime now,
      LmccTime arrival, guint layer);
  void (*on_join_lead) (LmccController * controller, LmccTime now,
      LmccTime lead);
  void (*on_neighbour_join) (LmccController * controller, LmccTime now,
      guint level);
  void (*on_level) (LmccController * controller, LmccTime now, gint level);
  void (*on_rtt) (LmccController * controller, LmccTime now, LmccTime rtt);
  void (*on_quality) (LmccController * controller, LmccTime now, guint units,
      guint missing);
  void (*on_session) (LmccController * controller, LmccTime now);
  void (*on_timeout) (LmccController * controller, LmccTime now);
  LmccTime (*next_timeout) (const LmccController * controller);
  void (*on_leave) (LmccController * controller);
  LmccPacket *(*poll_report) (LmccController * controller, LmccTime now);
  const gchar *(*find_reason_to_leave) (LmccController * controller,
      LmccTime now);
  void (*get_status) (LmccController * controller, LmccTime now,
      LmccControllerStatus * status);
  void (*free) (LmccController * controller);
} LmccControllerClass;

struct _LmccController
{
  const LmccAlgorithm *algorithm;
  const LmccControllerClass *klass;
  gint wanted_level;
  const gchar *reason;
  gboolean shares_joins;
  gint shared_level;
};

LMCC_API const LmccAlgorithm *lmcc_algorithm_find (const gchar * name);
LMCC_API const LmccAlgorithm *const *lmcc_algorithm_list (guint * n);
LMCC_API gchar *lmcc_algorithm_format_names (void);
LMCC_API gchar *lmcc_algorithm_find_obstacle (const LmccAlgorithm * algorithm,
    const LmccSession * session);

G_END_DECLS

#endif
