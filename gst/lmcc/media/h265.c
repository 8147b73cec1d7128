/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "base/bytes.h"
#include "media/classify-private.h"

#include <glib/gi18n-lib.h>

/* NAL unit types: H.265 table 7-1, from 48 on RFC 7798 section 4.4. */
#define NAL_TSA_N 2
#define NAL_STSA_R 5
#define NAL_LAST_SUB_LAYER 15
#define NAL_FIRST_IRAP 16
#define NAL_LAST_IRAP 23
#define NAL_LAST_VCL 31
#define NAL_SPS 33
#define NAL_LAST_SINGLE 47
#define NAL_AP 48
#define NAL_FU 49
#define NAL_PACI 50

#define NAL_HEADER_SIZE 2

static guint
nal_type (const guint8 *header)
{
  return header[0] >> 1 & 0x3f;
}

/* nuh_temporal_id_plus1 is never 0 (H.265 section 7.4.2.2). */
static gboolean
is_nal_header (const guint8 *data, gsize size)
{
  return size >= NAL_HEADER_SIZE && !(data[0] & 0x80) && data[1] & 7;
}

static LmccPayloadSigns
nal_signs (guint type, const guint8 *header)
{
  LmccPayloadSigns signs = LMCC_PAYLOAD_SIGNS_NONE;

  if (type > NAL_LAST_VCL)
    return signs;

  signs.klass = (header[1] & 7) - 1;
  signs.key = type >= NAL_FIRST_IRAP && type <= NAL_LAST_IRAP;
  signs.switch_point = type >= NAL_TSA_N && type <= NAL_STSA_R;
  /* Among types up to 15, even ones are sub-layer non-reference pictures. */
  signs.referenced = type > NAL_LAST_SUB_LAYER || type & 1;

  return signs;
}

/* From the base layer's parameter set: sps_max_sub_layers_minus1 (H.265
 * section 7.3.2.2.1). The value 7 is reserved and ignored. */
static LmccPayloadSigns
whole_nal_signs (const guint8 *nal, gsize size)
{
  LmccPayloadSigns signs = nal_signs (nal_type (nal), nal);
  gboolean base = !(nal[0] & 1) && nal[1] >> 3 == 0;
  guint n;

  if (nal_type (nal) != NAL_SPS || !base || size <= NAL_HEADER_SIZE)
    return signs;
  n = (nal[NAL_HEADER_SIZE] >> 1 & 7) + 1;
  if (n <= 7)
    signs.n_sub_layers = n;
  return signs;
}

/* RFC 7798 section 4.4.2, without DONL: none of the supported payloaders
 * sends out of decoding order. */
static gboolean
inspect_aggregate (const guint8 *payload, gsize size, LmccPayloadSigns *signs)
{
  gsize at = NAL_HEADER_SIZE;

  if (at >= size)
    return FALSE;

  while (at < size) {
    gsize nal_size;
    LmccPayloadSigns part;

    if (size - at < 2)
      return FALSE;
    nal_size = lmcc_read_uint16 (payload + at);
    at += 2;
    if (nal_size > size - at || !is_nal_header (payload + at, nal_size)
        || nal_type (payload + at) > NAL_LAST_SINGLE)
      return FALSE;
    part = whole_nal_signs (payload + at, nal_size);
    lmcc_payload_signs_merge (signs, &part);
    at += nal_size;
  }

  return TRUE;
}

/* RFC 7798 sections 4.4.3 and 4.4.4: the inner type is in the third byte of
 * both, the other header fields are in the payload header. */
static gboolean
inspect_wrapped (const guint8 *payload, gsize size, guint type,
    LmccPayloadSigns *signs)
{
  if (size <= NAL_HEADER_SIZE + 1 || type > NAL_LAST_SINGLE)
    return FALSE;
  *signs = nal_signs (type, payload);

  return TRUE;
}

static gboolean
inspect_h265 (const guint8 *payload, gsize size, LmccPayloadSigns *signs)
{
  *signs = LMCC_PAYLOAD_SIGNS_NONE;
  if (!is_nal_header (payload, size) || size == NAL_HEADER_SIZE)
    return FALSE;

  switch (nal_type (payload)) {
    case NAL_AP:
      return inspect_aggregate (payload, size, signs);
    case NAL_FU:
      return inspect_wrapped (payload, size, payload[2] & 0x3f, signs);
    case NAL_PACI:
      return inspect_wrapped (payload, size, payload[2] >> 1 & 0x3f, signs);
    default:
      if (nal_type (payload) > NAL_LAST_SINGLE)
        return FALSE;
      *signs = whole_nal_signs (payload, size);
      return TRUE;
  }
}

/**
 * lmcc_codec_h265:
 *
 * RFC 7798. Class: TemporalId; in a stream with one temporal sub-layer, 1 for
 * unreferenced pictures. x265 marks those in any stream with B frames. Its
 * setting for temporal layers is no alternative advice: 3.5 accepts only 1 for
 * it, and later releases only values above 1.
 */
const LmccCodec lmcc_codec_h265 = {
  .encoding_name = "H265",
  .single_class_advice =
      N_ ("set option-string=\"bframes=3:b-adapt=0:open-gop=0\" on x265enc for "
          "two classes"),
  .inspect = inspect_h265,
};
