/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "media/classify-private.h"

/* RFC 5371 section 4.2: size of the payload header, where its priority is, and
 * the priority of a sender that has none. */
#define PAYLOAD_HEADER_SIZE 8
#define PRIORITY_AT 1
#define PRIORITY_NONE 255

static gboolean
inspect_j2k (const guint8 *payload, gsize size, LmccPayloadSigns *signs)
{
  guint8 priority;

  *signs = LMCC_PAYLOAD_SIGNS_NONE;
  if (size <= PAYLOAD_HEADER_SIZE)
    return FALSE;

  /* The main header has 0, layer 0 has 1 (RFC 5372 section 3.2): both are the
   * base. */
  priority = payload[PRIORITY_AT];
  if (priority == PRIORITY_NONE || priority == 0)
    signs->klass = 0;
  else
    signs->klass = MIN (priority - 1, LMCC_MAX_CLASSES - 1);
  signs->key = signs->klass == 0;
  signs->switch_point = TRUE;

  return TRUE;
}

/**
 * lmcc_codec_j2k:
 *
 * JPEG 2000, RFC 5371. Class: the quality layer, which is the priority by
 * layers of RFC 5372 section 3.2 less 1. No picture needs another.
 */
const LmccCodec lmcc_codec_j2k = {
  .encoding_name = "JPEG2000",
  .single_class_advice =
      "j2klayerenc makes quality layers, and rtpj2klayerpay tells them apart",
  .class_is_unit = TRUE,
  .inspect = inspect_j2k,
};
