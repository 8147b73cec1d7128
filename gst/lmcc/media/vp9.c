/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "media/classify-private.h"

#include <glib/gi18n-lib.h>

/* The payload descriptor of RFC 9628 section 4.2: its first octet, */
#define DESCRIPTOR_I 0x80
#define DESCRIPTOR_P 0x40
#define DESCRIPTOR_L 0x20
#define DESCRIPTOR_F 0x10
#define DESCRIPTOR_B 0x08
#define DESCRIPTOR_E 0x04
#define DESCRIPTOR_V 0x02
/* the first octet of PictureID, the layer indices, and P_DIFF, */
#define PICTURE_ID_M 0x80
#define LAYER_TID_SHIFT 5
#define LAYER_U 0x10
#define LAYER_SID_SHIFT 1
#define LAYER_SID_MASK 0x07
#define P_DIFF_N 0x01
#define MAX_P_DIFFS 3
/* and the scalability structure, section 4.2.1. */
#define STRUCTURE_N_S_SHIFT 5
#define STRUCTURE_Y 0x10
#define STRUCTURE_G 0x08
#define GROUP_R_SHIFT 2
#define GROUP_R_MASK 0x03

/* Temporal layers with separate classes: three, as many as the W3C's
 * scalability modes have. Higher ones share the class of the third. */
#define N_TEMPORAL 3

typedef struct
{
  const guint8 *data;
  gsize size;
  gsize at;
} Reader;

static gboolean
read_octet (Reader *reader, guint8 *octet)
{
  if (reader->at >= reader->size)
    return FALSE;
  *octet = reader->data[reader->at++];

  return TRUE;
}

static gboolean
skip (Reader *reader, gsize n)
{
  if (n > reader->size - reader->at)
    return FALSE;
  reader->at += n;

  return TRUE;
}

static gboolean
skip_picture_id (Reader *reader)
{
  guint8 octet;

  return read_octet (reader, &octet)
      && skip (reader, octet & PICTURE_ID_M ? 1 : 0);
}

static gboolean
skip_p_diffs (Reader *reader)
{
  guint8 octet;
  guint i;

  for (i = 0; i < MAX_P_DIFFS; i++) {
    if (!read_octet (reader, &octet))
      return FALSE;
    if (!(octet & P_DIFF_N))
      return TRUE;
  }

  return FALSE;
}

static gboolean
skip_structure (Reader *reader)
{
  guint8 octet, n_pictures = 0;
  guint i;

  if (!read_octet (reader, &octet))
    return FALSE;
  /* A width and a height of two octets for each spatial layer. */
  if (octet & STRUCTURE_Y
      && !skip (reader, 4 * ((octet >> STRUCTURE_N_S_SHIFT) + 1u)))
    return FALSE;
  if (octet & STRUCTURE_G && !read_octet (reader, &n_pictures))
    return FALSE;
  for (i = 0; i < n_pictures; i++) {
    if (!read_octet (reader, &octet)
        || !skip (reader, octet >> GROUP_R_SHIFT & GROUP_R_MASK))
      return FALSE;
  }

  return TRUE;
}

/* Spatial layers outermost: see docs/developers/classification.md. */
static gint
get_class (guint spatial_id, guint temporal_id)
{
  return (gint) (N_TEMPORAL * spatial_id + MIN (temporal_id, N_TEMPORAL - 1));
}

static gboolean
inspect_layer (Reader *reader, guint8 first, LmccPayloadSigns *signs)
{
  guint8 layer;
  guint temporal_id, spatial_id;

  if (!read_octet (reader, &layer))
    return FALSE;
  temporal_id = layer >> LAYER_TID_SHIFT;
  spatial_id = layer >> LAYER_SID_SHIFT & LAYER_SID_MASK;
  signs->klass = get_class (spatial_id, temporal_id);
  signs->key = !(first & DESCRIPTOR_P) && spatial_id == 0;
  signs->switch_point = !(first & DESCRIPTOR_P);
  signs->switch_up = (layer & LAYER_U) != 0;

  /* TL0PICIDX. */
  return skip (reader, first & DESCRIPTOR_F ? 0 : 1);
}

static gboolean
inspect_vp9 (const guint8 *payload, gsize size, LmccPayloadSigns *signs)
{
  Reader reader = { payload, size, 0 };
  guint8 first;

  *signs = LMCC_PAYLOAD_SIGNS_NONE;
  if (!read_octet (&reader, &first))
    return FALSE;

  signs->klass = 0;
  signs->key = !(first & DESCRIPTOR_P);
  signs->referenced = TRUE;
  signs->begins_unit = (first & DESCRIPTOR_B) != 0;
  signs->ends_unit = (first & DESCRIPTOR_E) != 0;
  if (first & DESCRIPTOR_I && !skip_picture_id (&reader))
    return FALSE;
  if (first & DESCRIPTOR_L && !inspect_layer (&reader, first, signs))
    return FALSE;
  if (first & DESCRIPTOR_F && first & DESCRIPTOR_P && !skip_p_diffs (&reader))
    return FALSE;
  if (first & DESCRIPTOR_V && !skip_structure (&reader))
    return FALSE;

  return reader.at < reader.size;
}

/**
 * lmcc_codec_vp9:
 *
 * RFC 9628. A unit is a layer frame. Class: 3 SID + TID, where TIDs above 2
 * count as 2.
 */
const LmccCodec lmcc_codec_vp9 = {
  .encoding_name = "VP9",
  .single_class_advice = N_ ("use vp9svcenc, which makes spatial and temporal "
                             "layers: vp9enc has none"),
  .n_temporal = N_TEMPORAL,
  .inspect = inspect_vp9,
};
