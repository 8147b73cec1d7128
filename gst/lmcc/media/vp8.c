/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "media/classify-private.h"

#include <glib/gi18n-lib.h>

/* The payload descriptor of RFC 7741 section 4.2: its first octet, */
#define DESCRIPTOR_X 0x80
#define DESCRIPTOR_N 0x20
#define DESCRIPTOR_S 0x10
#define DESCRIPTOR_PID 0x07
/* its extension octet, */
#define EXTENSION_I 0x80
#define EXTENSION_L 0x40
#define EXTENSION_T 0x20
#define EXTENSION_K 0x10
/* and the first octets of PictureID and of TID, Y and KEYIDX. */
#define PICTURE_ID_M 0x80
#define LAYER_Y 0x20
/* VP8 payload header, section 4.3: inverse key frame flag. */
#define HEADER_P 0x01

static gboolean
inspect_extension (const guint8 *payload, gsize size, gsize *at,
    LmccPayloadSigns *signs)
{
  guint8 extension;

  if (size < 2)
    return FALSE;
  extension = payload[1];
  *at = 2;

  if (extension & EXTENSION_I) {
    if (*at >= size)
      return FALSE;
    *at += payload[*at] & PICTURE_ID_M ? 2 : 1;
  }
  if (extension & EXTENSION_L)
    *at += 1;
  if (extension & (EXTENSION_T | EXTENSION_K)) {
    if (*at >= size)
      return FALSE;
    if (extension & EXTENSION_T) {
      signs->klass = payload[*at] >> 6;
      signs->switch_point = (payload[*at] & LAYER_Y) != 0;
    }
    *at += 1;
  }

  return TRUE;
}

static gboolean
inspect_vp8 (const guint8 *payload, gsize size, LmccPayloadSigns *signs)
{
  gsize at = 1;

  *signs = LMCC_PAYLOAD_SIGNS_NONE;
  if (size == 0)
    return FALSE;

  signs->klass = 0;
  signs->referenced = !(payload[0] & DESCRIPTOR_N);
  if (payload[0] & DESCRIPTOR_X
      && !inspect_extension (payload, size, &at, signs))
    return FALSE;
  if (at >= size)
    return FALSE;
  signs->key = payload[0] & DESCRIPTOR_S && !(payload[0] & DESCRIPTOR_PID)
      && !(payload[at] & HEADER_P);

  return TRUE;
}

/**
 * lmcc_codec_vp8:
 *
 * RFC 7741. Class: TID.
 */
const LmccCodec lmcc_codec_vp8 = {
  .encoding_name = "VP8",
  .single_class_advice = N_ ("set temporal-scalability-number-layers and the "
                             "other temporal-scalability properties on vp8enc, "
                             "from a program: gst-launch-1.0 cannot"),
  .inspect = inspect_vp8,
};
