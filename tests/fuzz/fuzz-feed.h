/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A real sender that the fuzz targets feed with pictures.
 */
#ifndef LMCC_FUZZ_FEED_H
#define LMCC_FUZZ_FEED_H

#include "fuzz-grammar.h"

/**
 * FuzzFeed:
 * @sender: (nullable): the sender
 * @ssrc_base: its S0
 * @stopped: its process is suspended
 * @next_unit: time of the next picture from its encoders
 * @n_units: number of pictures that it has been given
 * @handle: called for each sent packet, with @user_data; the callee owns the
 *     packet
 * @now: time up to which it has run
 */
typedef struct _FuzzFeed FuzzFeed;

struct _FuzzFeed
{
  LmccSender *sender;
  guint32 ssrc_base;
  gboolean stopped;
  LmccTime next_unit;
  guint n_units;
  void (*handle) (gpointer user_data, const LmccSenderAction *action);
  gpointer user_data;
  LmccTime now;
};

void
fuzz_feed_start (FuzzFeed *feed, guint8 setup, guint32 ssrc_base, LmccTime now);
void fuzz_feed_end (FuzzFeed *feed, gboolean says_goodbye);
void fuzz_feed_drain (FuzzFeed *feed);
LmccTime fuzz_feed_next (const FuzzFeed *feed);
void fuzz_feed_run (FuzzFeed *feed, LmccTime now);
const gchar *fuzz_feed_algorithm (guint8 setup);

#endif
