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
