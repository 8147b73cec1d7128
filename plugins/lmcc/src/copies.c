/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Packets that come by several interfaces: the first counts, what is the same
 * after it does not. The library would take copies for a path that repeats
 * packets, and its numbers for less sure. Guarded by the source's lock.
 */
#include "config.h"

#include "src/private.h"

#include <string.h>

/* The RTP header (RFC 3550 section 5.1), that of the extension, and the element
 * but for what is in it after the layer's number and the time of sending: no
 * two packets of a sender have the same. */
#define HEAD_SIZE 32

/* Powers of two. The heads of one set are the latest that had its place: of
 * 1000 packets that come between the two copies, as at 10,000 packets/s and
 * 100 ms, one of 600 finds four others in its set. */
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
 * Returns: (transfer full): that nothing has come yet; free it by g_free()
 */
GstLmccSrcCopies *
gst_lmcc_src_copies_new (void)
{
  return g_new0 (GstLmccSrcCopies, 1);
}

/* By the sequence number, and the low half of the SSRC, which has the layer and
 * the stream: multiplicative hashing (Knuth, volume 3, section 6.4). */
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
 * @copies: what has come lately
 * @datagram: a datagram of a group, of media
 *
 * Notes it. A copy has the same sender, group, length and head: who sends
 * something else under his own address keeps nothing of the sender's out.
 *
 * Returns: whether it is to be handed on; %FALSE for a copy
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
