/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A sender and thousands of receivers that measure their round-trip times,
 * over a network with delay and packet loss, in virtual time. The sender is
 * the real one, and only its bytes cross the network. Each receiver is
 * reduced to its report timer and its round-trip time estimator.
 */
#ifndef CROWD_H
#define CROWD_H

#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/measure/report-timer.h>
#include <gst/lmcc/measure/rtt.h>

#define CROWD_MAX 20000

/* Receivers have addresses from 10.0.0.0, forged reports from 10.128.0.0. */
#define CROWD_FIRST_HOST 0x0a000000u
#define CROWD_OTHER_HOST 0x0a800000u

/* One-way delay, uniformly distributed over the receivers. */
#define CROWD_DELAY_MIN (20 * LMCC_MSECOND)
#define CROWD_DELAY_MAX (250 * LMCC_MSECOND)

typedef struct
{
  LmccRtt *rtt;
  LmccFeedbackTimer *timer;
  guint32 ssrc;
  gboolean present;
  LmccTime delay; /* one-way delay */
  LmccTime began;
  LmccTime interval;  /* arrival of the latest packet on its way */
  LmccTime first_rtt; /* time from the start to the first sample */
  guint n_reports;
  guint n_answers;
} CrowdMember;

typedef struct
{
  LmccTime now;
  LmccSender *sender;
  LmccTime rtt_max;
  guint base_rate;
  LmccTime next_unit;
  gdouble loss;
  gboolean is_cut;      /* drop all reports */
  gboolean is_one_host; /* all share one address (NAT) */
  GRand *random;
  CrowdMember *members;
  guint n_members;
  GHashTable *by_ssrc;
  GArray *heap;
  guint64 order;
  GArray *at_sender;  /* FeedbackPacket: reports when they arrive */
  GArray *on_the_way; /* FeedbackPacket: reports when they leave */
  guint64 n_reports;
  guint64 n_records;
} Crowd;

Crowd *crowd_new (guint base_rate, guint32 seed);
Crowd *crowd_new_far (guint base_rate, guint32 seed, LmccTime rtt_max);
void crowd_free (Crowd *crowd);
void crowd_join (Crowd *crowd, guint n, LmccTime over);
void crowd_leave (Crowd *crowd, guint n);
void crowd_run (Crowd *crowd, LmccTime duration);
void crowd_forge (Crowd *crowd, guint32 host, guint32 ssrc, guint64 ntp_time);
gdouble crowd_largest_share (const Crowd *crowd, LmccTime window);
LmccTime crowd_first_rtt (const Crowd *crowd, gdouble share);
guint crowd_count_measured (const Crowd *crowd);
LmccTime crowd_interval (const Crowd *crowd);
const LmccSenderStats *crowd_stats (const Crowd *crowd);

#endif
