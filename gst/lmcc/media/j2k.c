/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "media/classify-private.h"

#include <glib/gi18n-lib.h>

/* RFC 5371 section 4.2: size of the payload header, position of its
 * priority, and the priority of a sender that assigns none. */
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

  /* The main header has priority 0, layer 0 has 1 (RFC 5372 section 3.2):
   * both belong to the base layer. */
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
 * JPEG 2000, RFC 5371. Class: the quality layer, which is the layer-based
 * priority of RFC 5372 section 3.2 minus 1. No picture depends on another.
 */
const LmccCodec lmcc_codec_j2k = {
  .encoding_name = "JPEG2000",
  .single_class_advice = N_ ("use j2klayerenc, which makes quality layers, and "
                             "rtpj2klayerpay, which marks them"),
  .class_is_unit = TRUE,
  .inspect = inspect_j2k,
};
