/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs a sender in virtual time and keeps all packets that it sends.
 */
#ifndef SENDER_HARNESS_H
#define SENDER_HARNESS_H

#include <gst/check/gstcheck.h>
#include <gst/lmcc/lmcc-sender.h>
#include <gst/lmcc/wire/layer-header.h>
#include <gst/lmcc/wire/rtp.h>

#define MS LMCC_MSECOND
#define START (1000 * LMCC_SECOND)
#define WINDOW (100 * MS)
#define RTP_OFFSET 0xfffff000u
#define NTP_OFFSET (3900000000u * LMCC_SECOND)
#define IP_OVERHEAD 28
#define RTP_OVERHEAD (LMCC_RTP_HEADER_SIZE + LMCC_RTP_OVERHEAD)

/* Size of the largest packet that the sender may send: its MTU minus the
 * IPv4 and UDP headers. */
#define LARGEST (1400 + IP_OVERHEAD)

typedef struct
{
  LmccTime time;
  gboolean control;
  guint group;
  LmccPacket *packet;
  LmccRtp rtp;
  LmccHeader header;
} SentPacket;

/* Virtual time, and what has happened so far. */
typedef struct
{
  LmccSender *sender;
  LmccTime now;
  GArray *sent;
  guint n_changes;
  guint n_key_requests;
} Harness;

#define N_SENT(h) ((h)->sent->len)
#define SENT(h, i) (&g_array_index ((h)->sent, SentPacket, i))

LmccSenderConfig sender_config (guint n_rungs);
void sender_config_add_sound (LmccSenderConfig *config);
void harness_drain (Harness *h);
Harness harness_new (const LmccSenderConfig *config);
void harness_clear (Harness *h);
void harness_run_until (Harness *h, LmccTime until);
LmccUnit *make_unit (guint stream, guint klass, LmccTime time, guint n_packets,
    gsize payload_size);
void harness_push (Harness *h, LmccUnit *unit);
void harness_push_at (Harness *h, LmccUnit *unit);
guint64 harness_count_dropped (const Harness *h);
gboolean is_media (const SentPacket *sent);
gboolean is_filler (const SentPacket *sent);
gboolean is_video (const SentPacket *sent);
void harness_push_random_until (Harness *h, GRand *rand, LmccTime until,
    guint n_rungs, gboolean sound);
gsize sent_ip_size (const SentPacket *s);
gboolean sent_is_of_layer (const SentPacket *s, guint layer);
void harness_check_exact (Harness *h, guint layer, guint64 rate, LmccTime end);
void harness_check_all_exact (Harness *h, const LmccSenderConfig *config);

#endif
