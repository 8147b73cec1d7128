/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Numbers that nobody can guess: what names a session, and where counters of
 * packets begin (RFC 3550 sections 5.1 and 9, RFC 4086). GLib's generator is
 * known after 624 of its numbers, and every packet shows some.
 */
#include "config.h"

#include "common/random.h"

#include <errno.h>
#include <sys/random.h>

/**
 * gst_lmcc_random_fill:
 * @bytes: (out): where they go
 * @size: how many
 *
 * Fills in bytes of the system's random source. It waits for that source in the
 * first moments after the machine's start only.
 */
void
gst_lmcc_random_fill (gpointer bytes, gsize size)
{
  guint8 *to = bytes;

  while (size > 0) {
    gssize n = getrandom (to, size, 0);

    if (n < 0 && errno == EINTR)
      continue;
    /* Linux has it since 3.17: there is no other cause than a sandbox that
     * forbids it, and to go on would be to pretend. */
    if (n < 0)
      g_error ("The system's random source cannot be read: %s",
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
