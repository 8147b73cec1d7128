/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_MEASURE_REPORT_LIMIT_H
#define LMCC_MEASURE_REPORT_LIMIT_H

#include <gst/lmcc/lmcc-address.h>

G_BEGIN_DECLS

/**
 * LmccTokenBucket:
 * @tokens: what there is
 * @filled: when that was
 *
 * Times are in any unit, and only their differences count.
 */
typedef struct
{
  gdouble tokens;
  gdouble filled;
} LmccTokenBucket;

/**
 * LmccOriginBucket:
 * @origin: whose; 0: nobody's
 * @bucket: what it has left
 */
typedef struct
{
  guint64 origin;
  LmccTokenBucket bucket;
} LmccOriginBucket;

/**
 * LmccOriginBuckets:
 * @rate: tokens that each origin gets in a unit of time
 * @burst: most that it keeps; a new one has as many
 * @secret: what places depend on
 * @table: those of the latest origins
 *
 * A token bucket for each origin, in memory that does not grow with them: who was
 * not heard for longest makes place.
 */
typedef struct
{
  gdouble rate;
  gdouble burst;
  guint32 secret;
  LmccOriginBucket *table;
} LmccOriginBuckets;

/**
 * LmccReportLimit:
 * @origins: each one's own
 * @all: what all of them share
 * @leader: reports that those may send which the rate follows
 *
 * How many reports are looked at, whatever they are of.
 */
typedef struct
{
  LmccOriginBuckets origins;
  LmccTokenBucket all;
  gdouble leader;
} LmccReportLimit;

gboolean lmcc_token_bucket_take (LmccTokenBucket *bucket, gdouble time,
    gdouble rate, gdouble burst);
guint64 lmcc_report_origin (const LmccAddress *address);
void lmcc_origin_buckets_init (LmccOriginBuckets *buckets, gdouble rate,
    gdouble burst, guint32 secret);
void lmcc_origin_buckets_clear (LmccOriginBuckets *buckets);
gboolean lmcc_origin_buckets_take (LmccOriginBuckets *buckets, guint64 origin,
    gdouble time);
void lmcc_report_limit_init (LmccReportLimit *limit, guint32 secret);
void lmcc_report_limit_clear (LmccReportLimit *limit);
void lmcc_report_limit_sent (LmccReportLimit *limit);
gboolean lmcc_report_limit_take (LmccReportLimit *limit, LmccTime time,
    guint64 origin, gboolean leads);

G_END_DECLS

#endif
