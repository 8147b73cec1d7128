/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/plumb/plumb.h"

#include "control/plumb/duty.h"
#include "control/quality-watch.h"

static const gchar *const preference_names
    [] = { [LMCC_DUTY_FAIR] = "fair", [LMCC_DUTY_STEADY] = "steady", NULL };

const LmccSetting lmcc_plumb_settings[LMCC_PLUMB_N_SETTINGS] = {
  { "prefer", LMCC_SETTING_CHOICE, 0, 0, LMCC_DUTY_FAIR, preference_names,
      "where the fair rate lies between two levels: fair holds the upper one "
      "for a part of each period, so that the mean is the fair rate; steady "
      "holds the nearest one, and changes seldom" },
  { "period", LMCC_SETTING_TIME, 10, 3600, 150, NULL,
      "where the fair rate lies between two levels, the upper one has one turn "
      "in so long: shorter is fair sooner, and changes more often" },
  { "dead-band", LMCC_SETTING_NUMBER, 1, 4, 1.16, NULL,
      "within this factor of a level's rate that level is held all the time; "
      "beyond the square root of the levels' ratio no turns are taken" },
  { "cubic", LMCC_SETTING_SWITCH, 0, 1, 0, NULL,
      "the TCP connections beside it are CUBIC (RFC 9438 section 5.1), not "
      "Reno" },
  { "radio", LMCC_SETTING_SWITCH, 0, 1, 0, NULL,
      "losses at which the sender's trains find room do not count: the path "
      "loses packets without being full" },
  { "leave-latency", LMCC_SETTING_TIME, 0, 3600, 3.5, NULL,
      "how long the network may go on with a layer that was left: losses of "
      "that time are of the old level; two last-member queries, a second each "
      "(RFC 3376 section 8.8), and up to a second until a host repeats its "
      "report (section 8.11). Ends where losses end" },
  { "quality-share", LMCC_SETTING_NUMBER, 0, 1, 0.5, NULL,
      "a layer is left where more than this part of the pictures is missing "
      "(RFC 8085 section 4.1); 1: never" },
  { "quality-time", LMCC_SETTING_COUNT, 1, LMCC_QUALITY_WATCH_SECONDS, 5, NULL,
      "for so many seconds" },
};
