/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "gstvp9svcdescriptor.h"

/* Bits of the first octet (RFC 9628 section 4.2), */
#define DESCRIPTOR_I 0x80
#define DESCRIPTOR_P 0x40
#define DESCRIPTOR_L 0x20
#define DESCRIPTOR_B 0x08
#define DESCRIPTOR_E 0x04
#define DESCRIPTOR_V 0x02
#define DESCRIPTOR_Z 0x01
/* of the first octet of the picture ID, */
#define PICTURE_ID_M 0x80
/* of the layer indices, */
#define LAYER_TID_SHIFT 5
#define LAYER_U 0x10
#define LAYER_SID_SHIFT 1
#define LAYER_D 0x01
/* and of the scalability structure (section 4.2.1). */
#define STRUCTURE_N_S_SHIFT 5
#define STRUCTURE_Y 0x10
#define STRUCTURE_G 0x08
#define GROUP_TID_SHIFT 5
#define GROUP_U 0x10
#define GROUP_R_SHIFT 2

static gsize
write_uint16 (guint8 *data, guint value)
{
  data[0] = (guint8) (value >> 8);
  data[1] = (guint8) value;

  return 2;
}

/* Writes the picture group, in which each picture has one reference. */
static gsize
write_group (const GstVp9SvcStructure *structure, guint8 *data)
{
  guint period = gst_vp9_svc_structure_get_period (structure), i;
  gsize size = 0;

  data[size++] = (guint8) period;
  for (i = 0; i < period; i++) {
    guint temporal_id = gst_vp9_svc_structure_get_temporal_id (structure, i);

    data[size++] = (guint8) (temporal_id << GROUP_TID_SHIFT | GROUP_U
        | 1 << GROUP_R_SHIFT);
    data[size++] = (guint8) gst_vp9_svc_structure_get_distance (structure, i);
  }

  return size;
}

static gsize
write_structure (const GstVp9SvcDescriptor *descriptor, guint8 *data)
{
  const GstVp9SvcStructure *structure = descriptor->structure;
  guint width, height, s;
  gsize size = 0;

  data[size++] = (guint8) ((structure->n_spatial - 1) << STRUCTURE_N_S_SHIFT
      | STRUCTURE_Y | STRUCTURE_G);
  for (s = 0; s < structure->n_spatial; s++) {
    gst_vp9_svc_structure_get_size (structure, descriptor->width,
        descriptor->height, s, &width, &height);
    size += write_uint16 (data + size, width);
    size += write_uint16 (data + size, height);
  }

  return size + write_group (structure, data + size);
}

static guint8
first_octet (const GstVp9SvcDescriptor *descriptor)
{
  guint8 octet = DESCRIPTOR_I | DESCRIPTOR_L;

  if (descriptor->frame.inter_picture)
    octet |= DESCRIPTOR_P;
  if (descriptor->start)
    octet |= DESCRIPTOR_B;
  if (descriptor->end)
    octet |= DESCRIPTOR_E;
  if (descriptor->structure != NULL)
    octet |= DESCRIPTOR_V;
  if (descriptor->highest)
    octet |= DESCRIPTOR_Z;

  return octet;
}

/*
 * gst_vp9_svc_descriptor_write:
 * @descriptor: the content to write
 * @data: (out): buffer of %GST_VP9_SVC_DESCRIPTOR_MAX_SIZE bytes
 *
 * Every picture is a switching up point (U): a picture of a higher temporal
 * layer does not refer to an earlier picture of such a layer.
 *
 * Returns: number of octets written
 */
gsize
gst_vp9_svc_descriptor_write (const GstVp9SvcDescriptor *descriptor,
    guint8 *data)
{
  gsize size = 0;

  data[size++] = first_octet (descriptor);
  size += write_uint16 (data + size,
      PICTURE_ID_M << 8 | (descriptor->picture_id & 0x7fffu));
  data[size++] = (guint8) (descriptor->frame.temporal_id << LAYER_TID_SHIFT
      | LAYER_U | descriptor->frame.spatial_id << LAYER_SID_SHIFT
      | (descriptor->frame.inter_layer ? LAYER_D : 0));
  data[size++] = descriptor->tl0picidx;
  if (descriptor->structure != NULL)
    size += write_structure (descriptor, data + size);

  return size;
}
