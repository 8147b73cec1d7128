/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_TYPES_H
#define LMCC_TYPES_H

#include <glib.h>

G_BEGIN_DECLS

#define LMCC_API __attribute__ ((visibility ("default")))

/* Number of reserved pointers in structures that callers allocate, for future fields.
 * Set them to zero. */
#define LMCC_PADDING 4

/**
 * LmccTime:
 * A time or a duration in nanoseconds on the caller's clock. The library never reads a
 * clock: callers pass the time to every function that needs it.
 */
typedef guint64 LmccTime;

/* No time, or an unknown time. */
#define LMCC_TIME_NONE G_MAXUINT64

/**
 * LMCC_TIME_IS_VALID:
 * @t: a time
 *
 * Checks whether a time is known.
 *
 * Returns: whether @t differs from %LMCC_TIME_NONE
 */
#define LMCC_TIME_IS_VALID(t) ((t) != LMCC_TIME_NONE)

/* Nanoseconds in a microsecond, a millisecond and a second. */
#define LMCC_USECOND G_GUINT64_CONSTANT (1000)
#define LMCC_MSECOND G_GUINT64_CONSTANT (1000000)
#define LMCC_SECOND G_GUINT64_CONSTANT (1000000000)

/* Limits set by the widths of the header-extension fields
 * (docs/developers/wire-format.md). */
#define LMCC_MAX_LAYERS 64
#define LMCC_MAX_CLASSES 16

/* Greatest number of groups in a session: the base group and 96 more. */
#define LMCC_MAX_GROUPS 97

/* Streams 0 to 13 are the rungs, 14 is the sound, and 15 stands for no stream. */
#define LMCC_MAX_RUNGS 14
#define LMCC_STREAM_SOUND 14
#define LMCC_STREAM_NONE 15

/* Largest UDP payload that is accepted; larger ones are dropped and counted. */
#define LMCC_MAX_PACKET_SIZE 9000

/**
 * LmccRttMode:
 * @LMCC_RTT_MODE_FEEDBACK: from reports to the sender and its answers (RFC 3611 sections
 *     4.4 and 4.5); without answers, as %LMCC_RTT_MODE_JOIN
 * @LMCC_RTT_MODE_JOIN: the time from a join to the first packet (RFC 3738 section
 *     3.2.2.2); the receiver sends nothing
 * @LMCC_RTT_MODE_FIXED: a value set by the user; the receiver sends nothing
 *
 * How a receiver obtains the round-trip time.
 */
typedef enum
{
  LMCC_RTT_MODE_FEEDBACK,
  LMCC_RTT_MODE_JOIN,
  LMCC_RTT_MODE_FIXED,
} LmccRttMode;

/**
 * LmccRttSource:
 * @LMCC_RTT_SOURCE_MAX: the session's R_max, as long as nothing has been measured
 * @LMCC_RTT_SOURCE_FEEDBACK: an answer to a report, followed by one-way adjustment (RFC
 *     4654 section 4.3.3)
 * @LMCC_RTT_SOURCE_JOIN: the time from joins to first packets
 * @LMCC_RTT_SOURCE_FIXED: the value set by the user
 *
 * Origin of a round-trip time.
 */
typedef enum
{
  LMCC_RTT_SOURCE_MAX,
  LMCC_RTT_SOURCE_FEEDBACK,
  LMCC_RTT_SOURCE_JOIN,
  LMCC_RTT_SOURCE_FIXED,
} LmccRttSource;

/**
 * lmcc_sequence_diff:
 * @a: a sequence number
 * @b: another sequence number
 *
 * Compares two sequence numbers with 16-bit serial number arithmetic (RFC 1982).
 *
 * Returns: how far @a is ahead of @b, -32768 to 32767
 */
static inline gint
lmcc_sequence_diff (guint16 a, guint16 b)
{
  return (gint16) (guint16) (a - b);
}

G_END_DECLS

#endif
