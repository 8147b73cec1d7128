/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "base/bytes.h"
#include "media/classify-private.h"

#include <glib/gi18n-lib.h>

/* NAL unit types: H.264 table 7-1, from 24 on RFC 6184 table 1. */
#define NAL_SLICE 1
#define NAL_SLICE_PARTITION_A 2
#define NAL_SLICE_IDR 5
#define NAL_LAST_SINGLE 23
#define NAL_STAP_A 24
#define NAL_STAP_B 25
#define NAL_MTAP16 26
#define NAL_MTAP24 27
#define NAL_FU_A 28
#define NAL_FU_B 29

/* Limit for an Exp-Golomb code at the start of a slice header:
 * first_mb_in_slice is below 139,264 (H.264 table A-1, MaxFS). */
#define MAX_LEADING_ZEROS 17

typedef struct
{
  const guint8 *data;
  gsize size;
  gsize bit;
} BitReader;

static guint
read_bit (BitReader *reader)
{
  guint bit;

  if (reader->bit / 8 >= reader->size)
    return 0;
  bit = reader->data[reader->bit / 8] >> (7 - reader->bit % 8) & 1;
  reader->bit++;

  return bit;
}

/* Exp-Golomb, H.264 section 9.1. */
static gboolean
read_ue (BitReader *reader, guint *value)
{
  guint zeros = 0, suffix = 0, i;

  while (read_bit (reader) == 0) {
    if (++zeros > MAX_LEADING_ZEROS)
      return FALSE;
  }
  for (i = 0; i < zeros; i++)
    suffix = suffix << 1 | read_bit (reader);
  *value = (1u << zeros) - 1 + suffix;

  return TRUE;
}

/* H.264 table 7-6: slice types 1 and 6 are B. The header starts with
 * first_mb_in_slice and slice_type (section 7.3.3); no emulation prevention
 * byte can occur that early. */
static gboolean
is_b_slice (const guint8 *slice, gsize size)
{
  BitReader reader = { slice, size, 0 };
  guint first_mb, slice_type;

  return read_ue (&reader, &first_mb) && read_ue (&reader, &slice_type)
      && slice_type % 5 == 1;
}

/* @body: the NAL unit without its header. */
static LmccPayloadSigns
slice_signs (guint type, guint nal_ref_idc, const guint8 *body, gsize size)
{
  LmccPayloadSigns signs = LMCC_PAYLOAD_SIGNS_NONE;

  if (type != NAL_SLICE && type != NAL_SLICE_PARTITION_A
      && type != NAL_SLICE_IDR)
    return signs;

  signs.klass = nal_ref_idc >= 2 ? 0 : 2 - (gint) nal_ref_idc;
  signs.key = type == NAL_SLICE_IDR;
  signs.referenced = nal_ref_idc > 0;
  /* A referenced B picture of x264's pyramid depends only on I and P
   * pictures, and an unreferenced one only on referenced ones. A P picture
   * with nal_ref_idc 1 may belong to a chain. */
  signs.switch_point =
      nal_ref_idc == 0 || (nal_ref_idc == 1 && is_b_slice (body, size));

  return signs;
}

static gboolean
inspect_nal (const guint8 *nal, gsize size, LmccPayloadSigns *signs)
{
  guint type;
  LmccPayloadSigns part;

  if (size == 0 || nal[0] & 0x80)
    return FALSE;
  type = nal[0] & 0x1f;
  if (type == 0 || type > NAL_LAST_SINGLE)
    return FALSE;

  part = slice_signs (type, nal[0] >> 5 & 3, nal + 1, size - 1);
  lmcc_payload_signs_merge (signs, &part);

  return TRUE;
}

/* RFC 6184 section 5.7: @start bytes, then units of a 16-bit size, @skip
 * bytes (DOND and timestamp offset of an MTAP) and a NAL unit. */
static gboolean
inspect_aggregate (const guint8 *payload, gsize size, gsize start, gsize skip,
    LmccPayloadSigns *signs)
{
  gsize at = start;

  if (at >= size)
    return FALSE;

  while (at < size) {
    gsize nal_size;

    if (size - at < 2 + skip)
      return FALSE;
    nal_size = lmcc_read_uint16 (payload + at);
    at += 2 + skip;
    if (nal_size > size - at || !inspect_nal (payload + at, nal_size, signs))
      return FALSE;
    at += nal_size;
  }

  return TRUE;
}

/* RFC 6184 section 5.8. Fragments after the first carry no further
 * information. */
static gboolean
inspect_fragment (const guint8 *payload, gsize size, gsize header_size,
    LmccPayloadSigns *signs)
{
  guint type;

  if (size <= header_size)
    return FALSE;
  type = payload[1] & 0x1f;
  if (type == 0 || type > NAL_LAST_SINGLE)
    return FALSE;
  if (payload[1] & 0x80)
    *signs = slice_signs (type, payload[0] >> 5 & 3, payload + header_size,
        size - header_size);

  return TRUE;
}

static gboolean
inspect_h264 (const guint8 *payload, gsize size, LmccPayloadSigns *signs)
{
  *signs = LMCC_PAYLOAD_SIGNS_NONE;
  if (size == 0 || payload[0] & 0x80)
    return FALSE;

  switch (payload[0] & 0x1f) {
    case NAL_STAP_A:
      return inspect_aggregate (payload, size, 1, 0, signs);
    case NAL_STAP_B:
      return inspect_aggregate (payload, size, 3, 0, signs);
    case NAL_MTAP16:
      return inspect_aggregate (payload, size, 3, 3, signs);
    case NAL_MTAP24:
      return inspect_aggregate (payload, size, 3, 4, signs);
    case NAL_FU_A:
      return inspect_fragment (payload, size, 2, signs);
    case NAL_FU_B:
      return inspect_fragment (payload, size, 4, signs);
    default:
      return inspect_nal (payload, size, signs);
  }
}

/**
 * lmcc_codec_h264:
 *
 * RFC 6184. Classes: nal_ref_idc 3 and 2 are class 0, 1 is class 1, 0 is class
 * 2.
 */
const LmccCodec lmcc_codec_h264 = {
  .encoding_name = "H264",
  .single_class_advice =
      N_ ("set b-pyramid=true bframes=3 b-adapt=false on x264enc for three "
          "classes, with tune=zerolatency too"),
  .inspect = inspect_h264,
};
