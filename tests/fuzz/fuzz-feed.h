/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A real sender that is fed.
 */
#ifndef LMCC_FUZZ_FEED_H
#define LMCC_FUZZ_FEED_H

#include "fuzz-grammar.h"

/**
 * FuzzFeed:
 * @sender: (nullable): the sender
 * @ssrc_base: its S0
 * @stopped: its process does not run
 * @next_unit: when its encoders give the next picture
 * @n_units: how many pictures it has been given
 * @handle: what it sends goes there, with @user_data; the packet is the caller's
 * @now: how far it has run
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
