/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What an algorithm is to a receiver. To bring one: a structure that begins with
 * an LmccController, a class of callbacks, an LmccAlgorithm whose create() makes
 * the one with the other, and lmcc_algorithm_register(). tests/installed/algorithm.c
 * is one.
 */
#ifndef LMCC_CONTROLLER_H
#define LMCC_CONTROLLER_H

#include <gst/lmcc/lmcc-algorithm.h>
#include <gst/lmcc/lmcc-packet.h>

G_BEGIN_DECLS

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
 * @on_found: a packet that @on_loss was told of has arrived after all, within a
 *     second: @loss is this one, with the same times
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
 * @next_timeout: when to call it, or %LMCC_TIME_NONE; after another level it may
 *     be due again at once: an algorithm whose settings have it not wait goes
 *     through the levels one by one
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
  void (*on_second_element) (LmccController *controller, const guint8 *data,
      gsize size);
  void (*on_packet) (LmccController *controller, LmccTime now, LmccTime arrival,
      const LmccHeader *header, gsize size);
  void (*on_expected) (LmccController *controller, LmccTime now, guint layer,
      guint16 lsn, LmccTime since, guint slot);
  void (*on_waiting_packet) (LmccController *controller, LmccTime now,
      guint layer);
  void (*on_refused_packet) (LmccController *controller, LmccTime now,
      const LmccHeader *header);
  void (*on_loss) (LmccController *controller, LmccTime now, guint layer,
      const LmccLoss *loss);
  void (*on_left_packet) (LmccController *controller, LmccTime now,
      LmccTime arrival, guint layer);
  void (
      *on_join_lead) (LmccController *controller, LmccTime now, LmccTime lead);
  void (*on_neighbour_join) (LmccController *controller, LmccTime now,
      guint level);
  void (*on_level) (LmccController *controller, LmccTime now, gint level);
  void (*on_rtt) (LmccController *controller, LmccTime now, LmccTime rtt);
  void (*on_quality) (LmccController *controller, LmccTime now, guint units,
      guint missing);
  void (*on_session) (LmccController *controller, LmccTime now);
  void (*on_timeout) (LmccController *controller, LmccTime now);
  LmccTime (*next_timeout) (const LmccController *controller);
  void (*on_leave) (LmccController *controller);
  LmccPacket *(*poll_report) (LmccController *controller, LmccTime now);
  const gchar *(
      *find_reason_to_leave) (LmccController *controller, LmccTime now);
  void (*get_status) (LmccController *controller, LmccTime now,
      LmccControllerStatus *status);
  void (*free) (LmccController *controller);
  void (*on_found) (LmccController *controller, LmccTime now, guint layer,
      const LmccLoss *loss);
  /*< private >*/
  gpointer reserved[LMCC_PADDING - 1];
} LmccControllerClass;

/**
 * LmccController:
 * @algorithm: what it is
 * @klass: its callbacks
 * @wanted_level: level to hold; the receiver clamps it to the session
 *     and to the user's caps
 * @reason: why, in words, a static or interned string
 * @shares_joins: it tells others of its joins, and wants to be told of theirs
 * @shared_level: a level that was joined and of which others are to be told, or
 *     0; the receiver takes it
 *
 * Every callback may change @wanted_level and @reason; the receiver reads them
 * afterwards.
 */
struct _LmccController
{
  const LmccAlgorithm *algorithm;
  const LmccControllerClass *klass;
  gint wanted_level;
  const gchar *reason;
  gboolean shares_joins;
  gint shared_level;
  /*< private >*/
  gpointer reserved[LMCC_PADDING];
};

/**
 * lmcc_controller_want:
 * @controller: a controller
 * @level: the level that the receiver shall hold
 * @reason: (transfer none): why, in words, a static or interned string
 *
 * For an algorithm's own callbacks.
 */
static inline void
lmcc_controller_want (LmccController *controller, gint level,
    const gchar *reason)
{
  controller->wanted_level = level;
  controller->reason = reason;
}

/**
 * lmcc_controller_forget_wish:
 * @controller: a controller
 * @level: the level that the receiver holds, -1 for none
 *
 * To be called first in each callback. A controller may ask for a higher level at
 * certain moments only. If the receiver did not follow, because of a cap, the
 * wish is over: it must not come true when the cap is lifted.
 */
static inline void
lmcc_controller_forget_wish (LmccController *controller, gint level)
{
  controller->wanted_level = MIN (controller->wanted_level, MAX (level, 0));
}

/**
 * lmcc_controller_follow:
 * @controller: a controller
 * @level: the level that the receiver holds, -1 for none
 *
 * The receiver holds another level: whatever it was, that is what is wanted
 * now.
 */
static inline void
lmcc_controller_follow (LmccController *controller, gint level)
{
  controller->wanted_level = MAX (level, 0);
}

LMCC_API void lmcc_controller_init (LmccController *controller,
    const LmccAlgorithm *algorithm, const LmccControllerClass *klass);

G_END_DECLS

#endif
