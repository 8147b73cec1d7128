/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The interface between a receiver and an algorithm. To add an algorithm, define a
 * structure that begins with an LmccController, a class of callbacks, and an
 * LmccAlgorithm whose create() joins the two; then call lmcc_algorithm_register().
 * tests/installed/algorithm.c is an example.
 */
#ifndef LMCC_CONTROLLER_H
#define LMCC_CONTROLLER_H

#include <gst/lmcc/lmcc-algorithm.h>
#include <gst/lmcc/lmcc-packet.h>

G_BEGIN_DECLS

/**
 * LmccControllerClass:
 * @on_second_element: passes on the second header element of the packet that follows
 * @on_packet: a packet of a joined layer arrived; losses that it reveals are reported
 *     after this call
 * @on_expected: the first packet of a newly joined layer arrived: packets from @lsn on
 *     should have arrived, the first of them in @slot and not before @since. on_packet
 *     for the first packet follows, and possibly on_loss
 * @on_waiting_packet: a packet of a joined layer arrived ahead of its turn and is held
 *     until other packets confirm its number: packets may be missing
 * @on_refused_packet: a packet of a joined layer arrived with a number that is already
 *     taken or impossible: either a copy, or one of two packets is forged
 * @on_loss: consecutive packets of a joined layer were lost
 * @on_found: a packet that @on_loss reported as lost has arrived after all, within a
 *     second; @loss covers this packet, with the same times
 * @on_left_packet: a packet of a layer arrived that the receiver has left
 * @on_join_lead: with dynamic layering, the receiver joins groups @lead before a slot
 *     begins, so the decision for a slot is due @lead before the previous slot ends
 * @on_neighbour_join: shared learning: another receiver of the session joins @level
 * @on_level: the receiver changed to @level, for whatever reason
 * @on_rtt: the round-trip time changed
 * @on_quality: once per second: @missing of the @units that were due in this second did
 *     not reach the decoder
 * @on_session: the layer table or its rates changed
 * @on_timeout: the time of next_timeout() has come; the call may be early or late
 * @next_timeout: returns when to call on_timeout, or %LMCC_TIME_NONE. Right after a
 *     change of level it may be due again at once, if the settings tell the algorithm to
 *     step through the levels without waiting
 * @on_leave: the receiver leaves the session; a last report may follow
 * @poll_report: returns one RTCP packet to send to the sender now (transfer full), or
 *     %NULL. After each of the callbacks above, the receiver calls it until it returns
 *     %NULL
 * @find_reason_to_leave: returns why the receiver must leave the session, a static
 *     string, or %NULL
 * @get_status: fills in the observable state
 * @free: frees the controller
 *
 * Callbacks that the receiver calls. All but @free may be %NULL.
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
 * @algorithm: the algorithm
 * @klass: its callbacks
 * @wanted_level: the level that the algorithm wants; the receiver limits it to the
 *     session's levels and to the user's limits
 * @reason: reason for @wanted_level in words, a static or interned string
 * @shares_joins: the algorithm uses shared learning: the receiver announces its joins and
 *     listens to those of other receivers
 * @shared_level: a level that was joined and is to be announced to other receivers, or 0;
 *     the receiver resets it
 *
 * Every callback may change @wanted_level and @reason; the receiver reads both
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
 * @level: the level that the receiver should change to
 * @reason: (transfer none): the reason in words, a static or interned string
 *
 * Sets the wanted level. For use in an algorithm's callbacks.
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
 * @level: the current level of the receiver, -1 for none
 *
 * Drops a wish for a higher level that the receiver did not fulfil. Call it first in each
 * callback. A controller asks for a higher level only at certain moments. If the receiver
 * did not follow because of a limit, the wish must not take effect later when the limit
 * is raised.
 */
static inline void
lmcc_controller_forget_wish (LmccController *controller, gint level)
{
  controller->wanted_level = MIN (controller->wanted_level, MAX (level, 0));
}

/**
 * lmcc_controller_follow:
 * @controller: a controller
 * @level: the current level of the receiver, -1 for none
 *
 * Makes the receiver's current level the wanted one, whatever was wanted before.
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
