/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fuzzes the parser of RTP packets. Parsed parts lie inside the packet, an
 * accepted element is written again bit for bit, a second element survives
 * being built again, and a stripped packet is RTP with the same payload.
 */
#include "fuzz.h"

#include <gst/lmcc/control/single-rate/pgmcc-wire.h>
#include <gst/lmcc/control/single-rate/tfmcc-wire.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/wire/algorithm-element.h>
#include <gst/lmcc/wire/layer-header.h>
#include <gst/lmcc/wire/rtp.h>
#include <string.h>

static void
check_synchronized (const LmccRtp *rtp, guint top_layer)
{
  guint8 data[LMCC_SYNCHRONIZED_MAX_SIZE];
  guint64 levels, again = 0;
  gsize size;

  if (!lmcc_synchronized_parse (rtp->second, rtp->second_size, top_layer,
          &levels))
    return;
  g_assert (levels >> top_layer == 0);
  size = lmcc_synchronized_write (levels, top_layer, data);
  g_assert (lmcc_synchronized_parse (data, size, top_layer, &again));
  g_assert (again == levels);
}

static void
check_tfmcc (const LmccRtp *rtp)
{
  guint8 data[LMCC_TFMCC_ELEMENT_SIZE];
  LmccTfmccElement element, again;

  if (!lmcc_tfmcc_element_parse (rtp->second, rtp->second_size, &element))
    return;
  g_assert (element.suppression_rate >= LMCC_TFMCC_MIN_RATE);
  lmcc_tfmcc_element_write (&element, data);
  g_assert (lmcc_tfmcc_element_parse (data, sizeof (data), &again));
  g_assert (again.round == element.round);
  g_assert (again.has_receiver == element.has_receiver);
  g_assert (again.is_limiting == element.is_limiting);
  g_assert (again.receiver == element.receiver);
  g_assert (again.echoed_time == element.echoed_time);
  g_assert (again.suppression_rate == element.suppression_rate);
  g_assert (again.rtt_max == element.rtt_max);
}

static void
check_pgmcc (const LmccRtp *rtp)
{
  guint8 data[LMCC_PGMCC_ELEMENT_SIZE];
  LmccPgmccElement element, again;

  if (!lmcc_pgmcc_element_parse (rtp->second, rtp->second_size, &element))
    return;
  lmcc_pgmcc_element_write (&element, data);
  g_assert (lmcc_pgmcc_element_parse (data, sizeof (data), &again));
  g_assert (again.elicit == element.elicit);
  g_assert (again.has_acker == element.has_acker);
  g_assert (again.acker == element.acker);
  g_assert (again.confirms == element.confirms);
  g_assert (again.confirmed_loss == element.confirmed_loss);
  g_assert (again.nak_wait == element.nak_wait);
  g_assert (again.rtt == element.rtt);
}

static void
check_second (const guint8 *data, const LmccRtp *rtp, const LmccHeader *header)
{
  g_autoptr (LmccPacket) packet = lmcc_rtp_build (rtp, header,
      LMCC_HEADER_DEFAULT_ID, data + rtp->header_size);
  LmccRtp again;

  g_assert (rtp->second >= data);
  g_assert (rtp->second + rtp->second_size <= data + rtp->header_size);
  g_assert (lmcc_rtp_parse (packet->data, packet->size, LMCC_HEADER_DEFAULT_ID,
      &again));
  g_assert (again.second_size == rtp->second_size);
  g_assert (memcmp (again.second, rtp->second, rtp->second_size) == 0);
  g_assert (again.payload_size == rtp->payload_size);
  check_synchronized (rtp, header->top_layer);
  check_tfmcc (rtp);
  check_pgmcc (rtp);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  guint8 element[LMCC_HEADER_SIZE];
  g_autoptr (LmccPacket) packet = NULL;
  g_autoptr (LmccPacket) plain = NULL;
  g_autoptr (LmccPacket) in_place = NULL;
  LmccHeader header;
  LmccRtp rtp, again;

  if (!lmcc_rtp_parse (data, size, LMCC_HEADER_DEFAULT_ID, &rtp))
    return 0;
  g_assert (rtp.header_size + rtp.payload_size <= size);

  if (rtp.element != NULL
      && lmcc_header_parse (rtp.element, rtp.element_size, &header)) {
    lmcc_header_write (&header, element);
    g_assert (memcmp (element, rtp.element, sizeof (element)) == 0);
    if (rtp.second != NULL)
      check_second (data, &rtp, &header);
  }

  packet = lmcc_packet_new_copy (data, size);
  plain = lmcc_rtp_strip (lmcc_packet_ref (packet), &rtp, 96, 1, 2, TRUE);
  g_assert (lmcc_rtp_parse (plain->data, plain->size, LMCC_HEADER_DEFAULT_ID,
      &again));
  g_assert (again.payload_size == rtp.payload_size && again.element == NULL);

  /* The only reference to this packet. */
  in_place =
      lmcc_rtp_strip (lmcc_packet_new_copy (data, size), &rtp, 96, 1, 2, TRUE);
  g_assert (in_place->size == plain->size);
  g_assert (memcmp (in_place->data, plain->data, plain->size) == 0);

  return 0;
}
