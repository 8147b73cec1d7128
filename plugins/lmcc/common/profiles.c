/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The settings of each latency-profile, for sender and receiver.
 * docs/users/elements.md has the reasons. */
#include "config.h"

#include "common/profiles.h"

static const GstLmccProfile profiles[] = {
  [GST_LMCC_PROFILE_LIVE] = {
        .native = { 20, 0, 1000, 0, 0, 0 },
        .fixed = { 0, 0.1, 250, 500, 0, 0 },
        .latency = 40,
      },
  [GST_LMCC_PROFILE_BALANCED] = {
        .native = { 100, 0, 1000, 0, -1, -1 },
        .fixed = { 0, 0.1, 460, 0, 1, 3 },
        .latency = 200,
      },
  [GST_LMCC_PROFILE_QUALITY] = {
        .native = { 500, 0.1, 2000, 0, -1, -1 },
        .fixed = { 4400, 0.1, 2000, 0, -1, -1 },
        .latency = 500,
      },
};

/**
 * gst_lmcc_profile_get:
 * @profile: a value of GstLmccLatencyProfile
 *
 * Returns: (transfer none): the settings of the profile
 */
const GstLmccProfile *
gst_lmcc_profile_get (gint profile)
{
  g_return_val_if_fail (profile >= 0
          && profile < (gint) G_N_ELEMENTS (profiles),
      &profiles[GST_LMCC_PROFILE_BALANCED]);

  return &profiles[profile];
}
