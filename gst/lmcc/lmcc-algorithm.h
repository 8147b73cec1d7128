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
 * A running instance of a congestion-control algorithm, receiver side.
 */
typedef struct _LmccController LmccController;

/**
 * LmccFairStatus:
 * @used: whether the algorithm computes a fair rate; if not, all other fields are 0
 * @rate: F, the rate that one more TCP connection would get, bit/s; 0: not known, as
 *     before the first loss
 * @mean: S, the mean of @rate, bit/s, which is compared with the rates of the levels; 0:
 *     not known
 * @thinning: alpha, from 0 (losses are proportional to time) to 1 (losses are
 *     proportional to packets); below 0: not known
 * @chance: share of the loss events at which packet trains had found room, 0 to 1; below
 *     0: no train preceded a loss event
 * @turn_level: the receiver alternates between this level and the next higher one; -1: it
 *     does not alternate
 * @turn_share: share of each period that the receiver spends on the higher level, 0 to 1
 * @turn_until: when the receiver changes between the two levels next, or %LMCC_TIME_NONE
 * @vetoed: packet trains show that the next layer does not fit
 * @left_alone_until: end of the join back-off of a layer whose last join failed, or
 *     %LMCC_TIME_NONE
 *
 * State of an algorithm that aims at the share of the path that one more TCP connection
 * would get.
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
 * @state: the current state in one or two words, a static string
 * @loss_event_rate: p, the loss event rate, from 0 to 1
 * @calculated_rate: the rate that the TCP model allows at p, bit/s; 0 if the algorithm
 *     does not use the model, infinite before the first loss
 * @smoothed_rate: @calculated_rate after smoothing, bit/s, which is compared with the
 *     rates of the levels
 * @trains: (nullable): result of the latest packet train for the next level, a static
 *     string: "room", "full", or "queue" if a queue stood before the train arrived
 * @timer: (nullable): purpose of the running timer, a static string
 * @timer_at: when the timer expires, or %LMCC_TIME_NONE
 * @slots: FLID: number of slots that have ended
 * @lossy_slots: FLID: how many of @slots count as lossy; grows by one more if a loss in a
 *     slot that has ended shows late
 * @ignored: packets whose marks were implausible and not used
 * @suppressed: reports that were not sent because another receiver's report made them
 *     unnecessary
 * @has_leader: single-rate algorithms: one of the receivers sets the rate
 * @leads: single-rate algorithms: this receiver sets the rate
 * @leader: SSRC of the receiver that sets the rate: the acker (pgmcc) or the current
 *     limiting receiver (TFMCC)
 * @rtt: single-rate algorithms: round-trip time of this receiver (TFMCC) or of the ackers
 *     (pgmcc); 0: not known
 * @fair: plumb: the fair rate and how it decides the level
 *
 * Observable state of an algorithm, for statistics.
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
 * The sender's half of an algorithm. Only the library's own algorithms have one.
 */
typedef struct _LmccSending LmccSending;

/**
 * LmccAlgorithm:
 * @name: name, as in the `algorithm` properties and in the session record
 * @number: permanent number of one of the library's own algorithms, see
 *     lmcc_algorithm_get_number(); 0 for other algorithms
 * @description: one sentence for gst-inspect-1.0
 * @paper: (nullable): the paper that describes the algorithm
 * @settings: (array length=n_settings) (nullable): table of the algorithm's settings
 * @n_settings: number of entries in @settings
 * @needs_rtt: the algorithm uses the round-trip time; receivers measure it only for such
 *     algorithms
 * @sending: (nullable): the sender's half, for algorithms with slots
 *     (lmcc_algorithm_has_slots()) and those that set the sender's rate
 *     (lmcc_algorithm_sets_rate())
 * @create: returns a new controller with its initial wanted level set. @session stays at
 *     its address while its contents change; @settings are values for the table above
 * @train_cycle: default interval between two packet trains for the same level, in ns, at
 *     most 60 s; 0: the sender sends no trains
 *
 * Entry of the registry of algorithms.
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
