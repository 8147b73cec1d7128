/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Detects copies of packets that arrive on several interfaces, and keeps the
 * first of them. Otherwise the library would assume a path that duplicates
 * packets, and trust its sequence numbers less. Protected by the source's lock.
 */
#include "config.h"

#include "src/private.h"

#include <string.h>

/* Size of the RTP header (RFC 3550 section 5.1), the extension header, and the
 * beginning of the element up to the layer's number and the sending time. No
 * two packets of a sender have the same bytes there. */
#define HEAD_SIZE 32

/* Powers of two. Each set stores the latest heads that were hashed to it. If
 * 1000 packets arrive between the two copies of a packet (10,000 packets/s and
 * 100 ms), one of 600 finds four other heads in its set. */
#define N_SETS_BITS 11
#define N_WAYS 4

typedef struct
{
  guint8 head[HEAD_SIZE];
  LmccAddress source;
  gsize size;
  guint tag;
} Head;

struct _GstLmccSrcCopies
{
  Head heads[1 << N_SETS_BITS][N_WAYS];
  guint8 next[1 << N_SETS_BITS];
};

/**
 * gst_lmcc_src_copies_new:
 *
 * Returns: (transfer full): an empty record of packets; free it with g_free()
 */
GstLmccSrcCopies *
gst_lmcc_src_copies_new (void)
{
  return g_new0 (GstLmccSrcCopies, 1);
}

/* Hashes the sequence number and the low half of the SSRC, which contains the
 * layer and the stream: multiplicative hashing (Knuth, volume 3, section
 * 6.4). */
static guint
get_set (const guint8 *rtp)
{
  guint32 key = (guint32) rtp[10] << 24 | (guint32) rtp[11] << 16
      | (guint32) rtp[2] << 8 | rtp[3];

  return key * 2654435769u >> (32 - N_SETS_BITS);
}

static gboolean
is_copy (const Head *head, const GstLmccDatagram *datagram)
{
  return head->size == datagram->packet->size && head->tag == datagram->tag
      && memcmp (head->head, datagram->packet->data, HEAD_SIZE) == 0
      && lmcc_address_equal (&head->source, &datagram->source);
}

/**
 * gst_lmcc_src_copies_take:
 * @copies: record of recent packets
 * @datagram: a media datagram of a group
 *
 * Records the datagram. A copy has the same sender, group, length and head, so
 * a host that sends other data from its own address cannot suppress the
 * sender's packets.
 *
 * Returns: %TRUE if it is to be processed, %FALSE if it is a copy
 */
gboolean
gst_lmcc_src_copies_take (GstLmccSrcCopies *copies,
    const GstLmccDatagram *datagram)
{
  const LmccPacket *packet = datagram->packet;
  Head *set, *head;
  guint index, i;

  if (packet->size < HEAD_SIZE)
    return TRUE;
  index = get_set (packet->data);
  set = copies->heads[index];
  for (i = 0; i < N_WAYS; i++) {
    if (is_copy (&set[i], datagram))
      return FALSE;
  }
  head = &set[copies->next[index]++ % N_WAYS];
  memcpy (head->head, packet->data, HEAD_SIZE);
  head->source = datagram->source;
  head->size = packet->size;
  head->tag = datagram->tag;
  return TRUE;
}
