/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Unpredictable random numbers, for session identifiers and for the first
 * values of packet counters (RFC 3550 sections 5.1 and 9, RFC 4086). GLib's
 * generator can be predicted after 624 of its numbers, and every packet reveals
 * some.
 */
#include "config.h"

#include "common/random.h"

#include <errno.h>
#include <sys/random.h>

/**
 * gst_lmcc_random_fill:
 * @bytes: (out): gets the random bytes
 * @size: their number
 *
 * Reads bytes from the system's random source. It only blocks directly after
 * the machine has started.
 */
void
gst_lmcc_random_fill (gpointer bytes, gsize size)
{
  guint8 *to = bytes;

  while (size > 0) {
    gssize n = getrandom (to, size, 0);

    if (n < 0 && errno == EINTR)
      continue;
    /* Linux has getrandom() since 3.17, so only a sandbox can forbid it.
     * Predictable numbers would be insecure. */
    if (n < 0)
      g_error ("Cannot read the system's random source: %s",
          g_strerror (errno));
    to += n;
    size -= (gsize) n;
  }
}

/**
 * gst_lmcc_random_int:
 *
 * Returns: 32 bits of the system's random source
 */
guint32
gst_lmcc_random_int (void)
{
  guint32 value;

  gst_lmcc_random_fill (&value, sizeof (value));
  return value;
}
