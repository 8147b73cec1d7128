/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * An SSRC is chosen by the reporting host; its address is where the network
 * carries answers. So all limits are per address.
 */
#include "measure/report-limit.h"

#include <string.h>

/* 4096 origins, 96 KiB; a new one replaces the one among eight that was
 * heard longest ago. */
#define SETS 512
#define WAYS 8

/* Reports of one origin per second, and at once. A receiver sends at most a
 * few per round-trip time; many receivers may share an address (a NAT, a
 * host with several). */
#define ORIGIN_RATE 100
#define ORIGIN_BURST 100

/* Reports of all origins together: twice the intended rate of an audience
 * whose base layer has 50 Mbit/s, and 1/100 of a processor's time. */
#define ALL_RATE 4000
#define ALL_BURST 4000

/* One ACK per packet in the largest window of pgmcc. */
#define LEADER_BURST 4096

/* No origin: an IPv6 address with all bytes zero. */
#define IPV4_ORIGIN (G_GUINT64_CONSTANT (0xffffffff) << 32)

static gboolean
is_link_local (const LmccAddress *address)
{
  return address->family == LMCC_FAMILY_IPV6 && address->bytes[0] == 0xfe
      && (address->bytes[1] & 0xc0) == 0x80;
}

/*
 * lmcc_report_origin:
 * @address: source address of a report
 *
 * Returns: a number for the origin in counts of reports: the IPv4 address;
 * the /64 of an IPv6 address, because a host can have any number of
 * addresses in it (RFC 8981); for a link-local address, whose /64 is the
 * same for all, the interface identifier. Never 0
 */
guint64
lmcc_report_origin (const LmccAddress *address)
{
  guint64 origin = 0;
  guint32 host;

  if (address->family == LMCC_FAMILY_IPV4) {
    memcpy (&host, address->bytes, sizeof (host));
    return IPV4_ORIGIN | g_ntohl (host);
  }
  memcpy (&origin, address->bytes + (is_link_local (address) ? 8 : 0),
      sizeof (origin));

  return origin != 0 ? GUINT64_FROM_BE (origin) : 1;
}

/*
 * lmcc_token_bucket_take:
 * @bucket: a bucket
 * @time: the time
 * @rate: tokens per unit of time
 * @burst: greatest number of tokens
 *
 * Returns: whether there was a token, which is taken
 */
gboolean
lmcc_token_bucket_take (LmccTokenBucket *bucket, gdouble time, gdouble rate,
    gdouble burst)
{
  if (time > bucket->filled) {
    bucket->tokens =
        MIN (bucket->tokens + (time - bucket->filled) * rate, burst);
    bucket->filled = time;
  }
  if (bucket->tokens < 1)
    return FALSE;
  bucket->tokens--;

  return TRUE;
}

/*
 * lmcc_origin_buckets_init:
 * @buckets: (out): buckets without origins
 * @rate: tokens per unit of time, for each origin
 * @burst: greatest number of tokens, at least 1
 * @secret: a random number
 */
void
lmcc_origin_buckets_init (LmccOriginBuckets *buckets, gdouble rate,
    gdouble burst, guint32 secret)
{
  *buckets = (LmccOriginBuckets){ .rate = rate,
    .burst = burst,
    .secret = secret,
    .table = g_new0 (LmccOriginBucket, SETS * WAYS) };
}

void
lmcc_origin_buckets_clear (LmccOriginBuckets *buckets)
{
  g_clear_pointer (&buckets->table, g_free);
}

/* The finalizer of MurmurHash3 (Appleby, public domain). */
static guint
choose_set (const LmccOriginBuckets *buckets, guint64 origin)
{
  guint64 hash = origin ^ ((guint64) buckets->secret << 32 | buckets->secret);

  hash = (hash ^ hash >> 33) * G_GUINT64_CONSTANT (0xff51afd7ed558ccd);
  hash = (hash ^ hash >> 33) * G_GUINT64_CONSTANT (0xc4ceb9fe1a85ec53);

  return (guint) ((hash ^ hash >> 33) % SETS);
}

static LmccOriginBucket *
find (LmccOriginBuckets *buckets, guint64 origin, gdouble time)
{
  LmccOriginBucket *set = &buckets->table[choose_set (buckets, origin) * WAYS];
  LmccOriginBucket *oldest = set;
  guint i;

  for (i = 0; i < WAYS; i++) {
    if (set[i].origin == origin)
      return &set[i];
    if (set[i].origin == 0
        || (oldest->origin != 0
            && set[i].bucket.filled < oldest->bucket.filled))
      oldest = &set[i];
  }
  *oldest = (LmccOriginBucket){ origin, { buckets->burst, time } };

  return oldest;
}

/*
 * lmcc_origin_buckets_take:
 * @buckets: buckets
 * @origin: an origin from lmcc_report_origin()
 * @time: the time, in the unit of the rate; if it goes back, it counts as
 *     unchanged
 *
 * Returns: whether @origin had a token, which is taken
 */
gboolean
lmcc_origin_buckets_take (LmccOriginBuckets *buckets, guint64 origin,
    gdouble time)
{
  return lmcc_token_bucket_take (&find (buckets, origin, time)->bucket, time,
      buckets->rate, buckets->burst);
}

/*
 * lmcc_report_limit_init:
 * @limit: (out): a limit
 * @secret: a random number
 */
void
lmcc_report_limit_init (LmccReportLimit *limit, guint32 secret)
{
  lmcc_origin_buckets_init (&limit->origins, ORIGIN_RATE, ORIGIN_BURST, secret);
  limit->all = (LmccTokenBucket){ ALL_BURST, 0 };
  limit->leader = LEADER_BURST;
}

void
lmcc_report_limit_clear (LmccReportLimit *limit)
{
  lmcc_origin_buckets_clear (&limit->origins);
}

/*
 * lmcc_report_limit_sent:
 * @limit: a limit
 *
 * Call it when a packet is sent: the leader may report it once.
 */
void
lmcc_report_limit_sent (LmccReportLimit *limit)
{
  limit->leader = MIN (limit->leader + 1, LEADER_BURST);
}

/*
 * lmcc_report_limit_take:
 * @limit: a limit
 * @time: the time, on any single clock
 * @origin: origin of a report
 * @leads: it comes from the exact address and port of a receiver that sets the
 *     rate
 *
 * Reports of others do not use up the allowance of receivers that set the rate,
 * which report every packet.
 *
 * Returns: whether to look at the report
 */
gboolean
lmcc_report_limit_take (LmccReportLimit *limit, LmccTime time, guint64 origin,
    gboolean leads)
{
  gdouble seconds = (gdouble) time / LMCC_SECOND;

  if (leads && limit->leader >= 1) {
    limit->leader--;
    return TRUE;
  }

  return lmcc_origin_buckets_take (&limit->origins, origin, seconds)
      && lmcc_token_bucket_take (&limit->all, seconds, ALL_RATE, ALL_BURST);
}
