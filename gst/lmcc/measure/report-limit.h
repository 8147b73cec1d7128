/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_MEASURE_REPORT_LIMIT_H
#define LMCC_MEASURE_REPORT_LIMIT_H

#include <gst/lmcc/lmcc-address.h>

G_BEGIN_DECLS

/**
 * LmccTokenBucket:
 * @tokens: number of tokens
 * @filled: the time for which @tokens is valid
 *
 * Times are in any unit; only differences count.
 */
typedef struct
{
  gdouble tokens;
  gdouble filled;
} LmccTokenBucket;

/**
 * LmccOriginBucket:
 * @origin: the origin; 0: none
 * @bucket: its token bucket
 */
typedef struct
{
  guint64 origin;
  LmccTokenBucket bucket;
} LmccOriginBucket;

/**
 * LmccOriginBuckets:
 * @rate: tokens per unit of time for each origin
 * @burst: greatest number of tokens, and the initial one
 * @secret: determines the places in the table
 * @table: buckets of the latest origins
 *
 * A token bucket per origin, in constant memory: the origin that was silent for longest
 * is replaced.
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
 * @origins: allowance of each origin
 * @all: common allowance
 * @leader: allowance of the receivers that set the rate
 *
 * Limits the number of reports that are looked at, whatever their contents.
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
