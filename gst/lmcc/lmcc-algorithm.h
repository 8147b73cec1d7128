/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_ALGORITHM_H
#define LMCC_ALGORITHM_H

#include <gst/lmcc/lmcc-session.h>
#include <gst/lmcc/lmcc-settings.h>

G_BEGIN_DECLS

/**
 * LmccController:
 * A congestion-control algorithm's receiver side at work.
 */
typedef struct _LmccController LmccController;

/**
 * LmccFairStatus:
 * @used: the algorithm reckons so; all else is 0 where it does not
 * @rate: F, what one more TCP would get, bit/s; 0: not known, as before the first
 *     loss
 * @mean: S, its mean, bit/s: what levels are compared with; 0: not known
 * @thinning: alpha, from 0 (losses follow time) to 1 (they follow packets); below
 *     0: not known
 * @chance: share of the loss events at which trains found room, 0 to 1; below 0:
 *     no train came before one
 * @turn_level: the lower one of two levels of which the upper one is held for a
 *     part of each period; -1: no level has turns
 * @turn_share: that part, 0 to 1
 * @turn_until: when the present turn ends, or %LMCC_TIME_NONE
 * @vetoed: trains say that the next layer does not fit
 * @left_alone_until: when the next layer may be joined again that was joined in
 *     vain, or %LMCC_TIME_NONE
 *
 * What an algorithm shows that holds the share of the path that one more TCP would
 * have.
 */
typedef struct
{
  gboolean used;
  gdouble rate;
  gdouble mean;
  gdouble thinning;
  gdouble chance;
  gint turn_level;
  gdouble turn_share;
  LmccTime turn_until;
  gboolean vetoed;
  LmccTime left_alone_until;
} LmccFairStatus;

/**
 * LmccControllerStatus:
 * @state: what it does now, one word or two, static
 * @loss_event_rate: p, from 0 to 1
 * @calculated_rate: what the TCP model allows at p, bit/s; 0 where there is no
 *     such thing, infinite before the first loss
 * @smoothed_rate: the same, smoothed: what levels are compared with
 * @trains: (nullable): what the latest train for the next level says: "room",
 *     "full", or "queue" where one stood there before it, static
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
 * @fair: of plumb: the fair rate, and what it has to do with levels
 *
 * What an algorithm shows of itself.
 */
typedef struct
{
  const gchar *state;
  gdouble loss_event_rate;
  gdouble calculated_rate;
  gdouble smoothed_rate;
  const gchar *trains;
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
  LmccFairStatus fair;
  /*< private >*/
  gpointer reserved[LMCC_PADDING];
} LmccControllerStatus;

/**
 * LmccSending:
 * What an algorithm has the session's sender do: the library's own.
 */
typedef struct _LmccSending LmccSending;

/**
 * LmccAlgorithm:
 * @name: as in the `algorithm` properties and the session record
 * @number: what lmcc_algorithm_get_number() returns, for ever, of the library's
 *     own; 0 in others
 * @description: one sentence for gst-inspect-1.0
 * @paper: (nullable): where it is described
 * @settings: (array length=n_settings) (nullable): what can be set
 * @n_settings: how many
 * @needs_rtt: it uses the round-trip time; receivers measure it only then
 * @sending: (nullable): the sender's half of those that have one:
 *     lmcc_algorithm_has_slots(), lmcc_algorithm_sets_rate()
 * @create: a new controller; its first wanted level is set. @session stays
 *     where it is and changes under it, settings are those of the table
 * @train_cycle: how often the sender sends a train for each level where the user
 *     does not say, up to 60 s; 0: it sends none
 *
 * What the registry holds of each algorithm.
 */
typedef struct
{
  const gchar *name;
  guint number;
  const gchar *description;
  const gchar *paper;
  const LmccSetting *settings;
  guint n_settings;
  gboolean needs_rtt;
  const LmccSending *sending;
  LmccController *(*create) (const LmccSession *session,
      const LmccSettings *settings, guint32 seed);
  LmccTime train_cycle;
  /*< private >*/
  gpointer reserved[LMCC_PADDING - sizeof (LmccTime) / sizeof (gpointer)];
} LmccAlgorithm;

LMCC_API gboolean lmcc_algorithm_register (const LmccAlgorithm *algorithm);
LMCC_API const LmccAlgorithm *lmcc_algorithm_find (const gchar *name);
LMCC_API const LmccAlgorithm *const *lmcc_algorithm_list (guint *n);
LMCC_API gchar *lmcc_algorithm_format_names (void);
LMCC_API guint lmcc_algorithm_get_number (const LmccAlgorithm *algorithm);
LMCC_API gboolean lmcc_algorithm_has_slots (const LmccAlgorithm *algorithm);
LMCC_API gboolean lmcc_algorithm_sets_rate (const LmccAlgorithm *algorithm);
LMCC_API gchar *lmcc_algorithm_find_obstacle (const LmccAlgorithm *algorithm,
    const LmccSession *session);

G_END_DECLS

#endif
