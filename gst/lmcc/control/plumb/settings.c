/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/plumb/plumb.h"

#include "control/plumb/duty.h"
#include "control/quality-watch.h"

#include <glib/gi18n-lib.h>

static const gchar *const preference_names
    [] = { [LMCC_DUTY_FAIR] = "fair", [LMCC_DUTY_STEADY] = "steady", NULL };

const LmccSetting lmcc_plumb_settings[LMCC_PLUMB_N_SETTINGS] = {
  { "prefer", LMCC_SETTING_CHOICE, 0, 0, LMCC_DUTY_FAIR, preference_names,
      N_ ("if the fair rate lies between two levels: fair holds the upper one "
          "for a part of each period, so that the mean is the fair rate; "
          "steady holds the nearest one and changes seldom") },
  { "period", LMCC_SETTING_TIME, 10, 3600, 150, NULL,
      N_ ("period in which the upper level has one turn if the fair rate lies "
          "between two levels: a shorter period is fair sooner, with more "
          "changes") },
  { "dead-band", LMCC_SETTING_NUMBER, 1, 4, 1.16, NULL,
      N_ ("within this factor of a level's rate, hold that level all the time; "
          "above the square root of the ratio of the levels' rates, never "
          "alternate") },
  { "cubic", LMCC_SETTING_SWITCH, 0, 1, 0, NULL,
      N_ ("competing TCP connections use CUBIC (RFC 9438 section 5.1), not "
          "Reno") },
  { "radio", LMCC_SETTING_SWITCH, 0, 1, 0, NULL,
      N_ ("ignore losses while the sender's packet trains find room: the path "
          "then loses packets without being full") },
  { "leave-latency", LMCC_SETTING_TIME, 0, 3600, 3.5, NULL,
      N_ ("longest time for which the network forwards a layer after a leave: "
          "losses in that time belong to the old level; two last-member "
          "queries of a second each (RFC 3376 section 8.8), and up to a second "
          "until a host repeats its report (section 8.11). Ends when the "
          "losses end") },
  { "quality-share", LMCC_SETTING_NUMBER, 0, 1, 0.5, NULL,
      N_ ("leave a layer if more than this fraction of the pictures is missing "
          "(RFC 8085 section 4.1); 1: never") },
  { "quality-time", LMCC_SETTING_COUNT, 1, LMCC_QUALITY_WATCH_SECONDS, 5, NULL,
      N_ ("number of seconds for which pictures must be missing") },
};
