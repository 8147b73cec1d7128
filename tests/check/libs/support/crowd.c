/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "support/crowd.h"
#include "support/feedback-traffic.h"
#include "support/sender-harness.h"

#include <gst/lmcc/wire/rtcp.h>

#define UNIT_TIME (40 * LMCC_MSECOND)
#define LARGEST_PACKET 1200

typedef enum
{
  EVENT_BEGIN,
  EVENT_DUE,
  EVENT_INTERVAL,
  EVENT_ANSWER,
  EVENT_REPORT,
} EventType;

typedef struct
{
  LmccTime time;
  guint64 order;
  EventType type;
  guint member;
  LmccTime interval;
  LmccDlrr answer;
  LmccReferenceTime report;
} Event;

static gboolean
is_before (const Event *a, const Event *b)
{
  return a->time != b->time ? a->time < b->time : a->order < b->order;
}

static void
push_event (Crowd *crowd, Event event)
{
  guint at = crowd->heap->len;
  Event *heap;

  event.order = crowd->order++;
  g_array_append_val (crowd->heap, event);
  heap = (Event *) crowd->heap->data;
  while (at > 0 && is_before (&event, &heap[(at - 1) / 2])) {
    heap[at] = heap[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  heap[at] = event;
}

static Event
pop_event (Crowd *crowd)
{
  Event *heap = (Event *) crowd->heap->data;
  guint n = crowd->heap->len - 1, at = 0, child;
  Event first = heap[0], last = heap[n];

  while ((child = 2 * at + 1) < n) {
    if (child + 1 < n && is_before (&heap[child + 1], &heap[child]))
      child++;
    if (!is_before (&heap[child], &last))
      break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = last;
  g_array_set_size (crowd->heap, n);

  return first;
}

/* As in a session with a different R_max. */
Crowd *
crowd_new_far (guint base_rate, guint32 seed, LmccTime rtt_max)
{
  Crowd *crowd = g_new0 (Crowd, 1);
  LmccSenderConfig config = sender_config (1);

  config.session.feedback_interval = LMCC_DEFAULT_FEEDBACK_INTERVAL;
  config.session.rtt_max = rtt_max;
  g_strlcpy (config.session.algorithm, "elm",
      sizeof (config.session.algorithm));
  crowd->now = START;
  crowd->next_unit = START;
  crowd->rtt_max = rtt_max;
  crowd->base_rate = base_rate;
  crowd->random = g_rand_new_with_seed (seed);
  crowd->sender = lmcc_sender_new (&config, START, NULL);
  crowd->members = g_new0 (CrowdMember, CROWD_MAX);
  crowd->by_ssrc = g_hash_table_new (NULL, NULL);
  crowd->heap = g_array_new (FALSE, FALSE, sizeof (Event));
  crowd->at_sender = feedback_traffic_new ();
  crowd->on_the_way = feedback_traffic_new ();

  return crowd;
}

Crowd *
crowd_new (guint base_rate, guint32 seed)
{
  return crowd_new_far (base_rate, seed, LMCC_DEFAULT_RTT_MAX);
}

void
crowd_free (Crowd *crowd)
{
  guint i;

  for (i = 0; i < crowd->n_members; i++) {
    lmcc_rtt_free (crowd->members[i].rtt);
    lmcc_feedback_timer_free (crowd->members[i].timer);
  }
  g_free (crowd->members);
  lmcc_sender_free (crowd->sender);
  g_hash_table_unref (crowd->by_ssrc);
  g_array_unref (crowd->heap);
  g_array_unref (crowd->at_sender);
  g_array_unref (crowd->on_the_way);
  g_rand_free (crowd->random);
  g_free (crowd);
}

/* @n more receivers join, evenly spaced over the time @over. Each starts
 * with the first session record that it receives after that. */
void
crowd_join (Crowd *crowd, guint n, LmccTime over)
{
  guint i;

  for (i = 0; i < n; i++) {
    guint index = crowd->n_members++;
    CrowdMember *member = &crowd->members[index];

    fail_unless (crowd->n_members <= CROWD_MAX);
    member->ssrc = g_rand_int (crowd->random);
    member->rtt = lmcc_rtt_new (LMCC_RTT_MODE_FEEDBACK, 0);
    member->timer = lmcc_feedback_timer_new (g_rand_int (crowd->random));
    member->delay = CROWD_DELAY_MIN
        + (LmccTime) (g_rand_double (crowd->random)
            * (CROWD_DELAY_MAX - CROWD_DELAY_MIN));
    member->first_rtt = LMCC_TIME_NONE;
    g_hash_table_insert (crowd->by_ssrc, GUINT_TO_POINTER (member->ssrc),
        GUINT_TO_POINTER (index + 1));
    push_event (crowd,
        (Event){ .time = crowd->now + over * i / n,
            .type = EVENT_BEGIN,
            .member = index });
  }
}

void
crowd_leave (Crowd *crowd, guint n)
{
  guint i;

  for (i = 0; i < crowd->n_members && n > 0; i++) {
    if (crowd->members[i].present) {
      crowd->members[i].present = FALSE;
      lmcc_feedback_timer_stop (crowd->members[i].timer);
      n--;
    }
  }
}

static void
schedule_due (Crowd *crowd, guint index)
{
  LmccTime due = lmcc_feedback_timer_next (crowd->members[index].timer);

  if (due != LMCC_TIME_NONE)
    push_event (crowd,
        (Event){ .time = MAX (due, crowd->now),
            .type = EVENT_DUE,
            .member = index });
}

static gboolean
is_lost (Crowd *crowd)
{
  return crowd->loss > 0 && g_rand_double (crowd->random) < crowd->loss;
}

static void
report (Crowd *crowd, guint index)
{
  CrowdMember *member = &crowd->members[index];
  LmccReferenceTime reference = { member->ssrc, 0 };

  if (lmcc_feedback_timer_next (member->timer) > crowd->now)
    return;
  reference.ntp_time = lmcc_feedback_timer_report (member->timer, crowd->now,
      lmcc_rtt_get_unanswered (member->rtt));
  lmcc_rtt_report (member->rtt, crowd->now, reference.ntp_time);
  member->n_reports++;
  crowd->n_reports++;
  feedback_traffic_add (crowd->on_the_way, crowd->now, 20);
  if (!is_lost (crowd) && !crowd->is_cut)
    push_event (crowd,
        (Event){ .time = crowd->now + member->delay,
            .type = EVENT_REPORT,
            .member = index,
            .report = reference });
  schedule_due (crowd, index);
}

static void
hear_interval (Crowd *crowd, guint index, LmccTime interval)
{
  CrowdMember *member = &crowd->members[index];

  if (!member->present)
    return;
  if (lmcc_feedback_timer_is_running (member->timer)) {
    lmcc_feedback_timer_set_interval (member->timer, crowd->now, interval);
  } else {
    member->began = crowd->now;
    lmcc_rtt_set_max (member->rtt, crowd->rtt_max);
    lmcc_feedback_timer_start (member->timer, crowd->now, crowd->rtt_max,
        interval);
  }
  schedule_due (crowd, index);
}

static void
hear_answer (Crowd *crowd, guint index, const LmccDlrr *answer)
{
  CrowdMember *member = &crowd->members[index];
  LmccTime rtt, off;

  if (!member->present)
    return;
  fail_unless_equals_int (lmcc_rtt_answer (member->rtt, crowd->now,
                              answer->last_rr, answer->delay),
      LMCC_RTT_ANSWER_TAKEN);
  lmcc_feedback_timer_answered (member->timer, crowd->now);
  schedule_due (crowd, index);
  if (member->n_answers++ == 0)
    member->first_rtt = crowd->now - member->began;

  /* Delays on the wire are in units of 1/65536 s. */
  rtt = lmcc_rtt_get (member->rtt);
  off = MAX (rtt, 2 * member->delay) - MIN (rtt, 2 * member->delay);
  fail_unless (off <= 2 * LMCC_SECOND / 65536, "off by %" G_GUINT64_FORMAT,
      off);
}

typedef struct
{
  Crowd *crowd;
  gboolean answers;
} Reading;

static void
read_record (gpointer user_data, const LmccRecordFragment *fragment)
{
  Crowd *crowd = ((Reading *) user_data)->crowd;
  g_autofree gchar *text =
      g_strndup ((const gchar *) fragment->data, fragment->size);
  LmccSession session;
  guint i;

  fail_unless_equals_int (fragment->count, 1);
  fail_unless (lmcc_sdp_parse (text, -1, &session, NULL));
  fail_unless (session.rtt_max == crowd->rtt_max);
  crowd->n_records++;
  for (i = 0; i < crowd->n_members; i++) {
    CrowdMember *member = &crowd->members[i];

    if (!member->present || member->interval == session.feedback_interval
        || is_lost (crowd))
      continue;
    member->interval = session.feedback_interval;
    push_event (crowd,
        (Event){ .time = crowd->now + member->delay,
            .type = EVENT_INTERVAL,
            .member = i,
            .interval = session.feedback_interval });
  }
}

static void
read_answer (gpointer user_data, guint32 sender_ssrc, const LmccDlrr *answer)
{
  Reading *reading = user_data;
  Crowd *crowd = reading->crowd;
  guint index = GPOINTER_TO_UINT (
      g_hash_table_lookup (crowd->by_ssrc, GUINT_TO_POINTER (answer->ssrc)));

  fail_unless_equals_int (sender_ssrc, 0x12345000);
  reading->answers = TRUE;
  if (index == 0 || is_lost (crowd))
    return;
  index--;
  push_event (crowd,
      (Event){ .time = crowd->now + crowd->members[index].delay,
          .type = EVENT_ANSWER,
          .member = index,
          .answer = *answer });
}

static void
drain (Crowd *crowd)
{
  static const LmccRtcpHandler handler = {
    .record = read_record,
    .dlrr = read_answer,
  };
  LmccSenderAction action;

  while (lmcc_sender_poll_action (crowd->sender, &action)) {
    Reading reading = { crowd, FALSE };

    if (action.packet == NULL)
      continue;
    if (action.type == LMCC_SENDER_ACTION_SEND_CONTROL) {
      fail_unless (lmcc_rtcp_parse (action.packet->data, action.packet->size,
          &handler, &reading));
      if (reading.answers) {
        feedback_traffic_add (crowd->at_sender, crowd->now,
            action.packet->size);
        feedback_traffic_add (crowd->on_the_way, crowd->now,
            action.packet->size);
      }
    }
    lmcc_packet_unref (action.packet);
  }
}

/* Each receiver has its own address. */
static void
arrive (Crowd *crowd, guint32 host, const LmccReferenceTime *reference)
{
  g_autoptr (LmccPacket) packet =
      lmcc_rtcp_build_reference_time (reference, NULL);
  LmccAddress source = { .family = LMCC_FAMILY_IPV4 };

  host = g_htonl (host);
  memcpy (source.bytes, &host, sizeof (host));
  feedback_traffic_add (crowd->at_sender, crowd->now, packet->size);
  lmcc_sender_handle_control (crowd->sender, crowd->now, &source, 5005,
      packet->data, packet->size);
  drain (crowd);
}

/* A forged report from the address @host. */
void
crowd_forge (Crowd *crowd, guint32 host, guint32 ssrc, guint64 ntp_time)
{
  LmccReferenceTime reference = { ssrc, ntp_time };

  arrive (crowd, host, &reference);
}

/* Pictures of equal size, so that the base layer has the requested rate
 * including all headers. */
static void
send_unit (Crowd *crowd)
{
  guint bytes = (guint) (crowd->base_rate * UNIT_TIME / LMCC_SECOND / 8);
  guint n = (bytes + LARGEST_PACKET - 1) / LARGEST_PACKET;

  lmcc_sender_push_unit (crowd->sender,
      make_unit (0, 0, crowd->now, n, bytes / n - IP_OVERHEAD - RTP_OVERHEAD),
      crowd->now);
  crowd->next_unit += UNIT_TIME;
  drain (crowd);
}

static void
handle_event (Crowd *crowd, const Event *event)
{
  switch (event->type) {
    case EVENT_BEGIN:
      crowd->members[event->member].present = TRUE;
      break;
    case EVENT_DUE:
      report (crowd, event->member);
      break;
    case EVENT_INTERVAL:
      hear_interval (crowd, event->member, event->interval);
      break;
    case EVENT_ANSWER:
      hear_answer (crowd, event->member, &event->answer);
      break;
    case EVENT_REPORT:
      arrive (crowd,
          CROWD_FIRST_HOST + (crowd->is_one_host ? 0 : event->member),
          &event->report);
      break;
  }
}

void
crowd_run (Crowd *crowd, LmccTime duration)
{
  LmccTime end = crowd->now + duration;

  for (;;) {
    LmccTime timeout = lmcc_sender_next_timeout (crowd->sender);
    LmccTime next = MIN (timeout, crowd->next_unit);
    gboolean is_event = crowd->heap->len > 0
        && g_array_index (crowd->heap, Event, 0).time <= next;
    Event event;

    if (is_event)
      next = g_array_index (crowd->heap, Event, 0).time;
    if (next >= end)
      break;
    crowd->now = MAX (crowd->now, next);
    if (is_event) {
      event = pop_event (crowd);
      handle_event (crowd, &event);
    } else if (crowd->next_unit <= timeout) {
      send_unit (crowd);
    } else {
      lmcc_sender_handle_timeout (crowd->sender, crowd->now);
      drain (crowd);
    }
  }
  crowd->now = end;
}

/* The highest share of feedback (reports and answers) in any window,
 * relative to the base layer's traffic in that time. Reports are counted
 * both at departure and at arrival; the larger share counts. */
gdouble
crowd_largest_share (const Crowd *crowd, LmccTime window)
{
  return MAX (feedback_traffic_largest_share (crowd->at_sender,
                  crowd->base_rate, window),
      feedback_traffic_largest_share (crowd->on_the_way, crowd->base_rate,
          window));
}

static gint
compare_times (gconstpointer a, gconstpointer b)
{
  LmccTime first = *(const LmccTime *) a, second = *(const LmccTime *) b;

  return first < second ? -1 : first > second;
}

/* The time within which @share of the present receivers got their first
 * sample; LMCC_TIME_NONE if fewer have one yet. */
LmccTime
crowd_first_rtt (const Crowd *crowd, gdouble share)
{
  g_autoptr (GArray) times = g_array_new (FALSE, FALSE, sizeof (LmccTime));
  guint i;

  for (i = 0; i < crowd->n_members; i++) {
    if (crowd->members[i].present)
      g_array_append_val (times, crowd->members[i].first_rtt);
  }
  g_array_sort (times, compare_times);

  return g_array_index (times, LmccTime,
      (guint) (share * (gdouble) (times->len - 1)));
}

guint
crowd_count_measured (const Crowd *crowd)
{
  guint n = 0, i;

  for (i = 0; i < crowd->n_members; i++)
    n += crowd->members[i].n_answers > 0;

  return n;
}

LmccTime
crowd_interval (const Crowd *crowd)
{
  return lmcc_sender_get_session (crowd->sender)->feedback_interval;
}

const LmccSenderStats *
crowd_stats (const Crowd *crowd)
{
  return lmcc_sender_get_stats (crowd->sender);
}
