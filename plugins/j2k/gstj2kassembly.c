/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Builds a codestream with the received layers from RTP payloads (RFC 5371). */
#include "gstj2kassembly.h"

#include <plugins/common/messages.h>

#include <string.h>

#define MHF_SHIFT 4
#define MHF_MASK 3

/* The bit that marks the tile number as invalid. Here the tile number is valid,
 * and 0. */
#define PRIORITY_AT 1
#define OFFSET_AT 5

struct _GstJ2kAssembly
{
  GByteArray *bytes;     /* without holes, from the start */
  gsize n_whole;         /* number of bytes in complete layers */
  guint8 whole_priority; /* priority of the last complete layer */
  guint8 priority;       /* priority of the latest byte */
  gboolean started;      /* data has arrived, maybe after a hole only */
  gboolean hole;
};

/*
 * gst_j2k_rtp_header_write:
 * @header: fields of the packet
 * @data: (out): buffer of %GST_J2K_RTP_HEADER_SIZE bytes
 *
 * The scan is progressive, the picture has one tile, and the main header must
 * not be used for other pictures (mh_id 0).
 */
void
gst_j2k_rtp_header_write (const GstJ2kRtpHeader *header, guint8 *data)
{
  memset (data, 0, GST_J2K_RTP_HEADER_SIZE);
  data[0] = (guint8) (header->main_header << MHF_SHIFT);
  data[PRIORITY_AT] = header->priority;
  data[OFFSET_AT] = (guint8) (header->offset >> 16);
  data[OFFSET_AT + 1] = (guint8) (header->offset >> 8);
  data[OFFSET_AT + 2] = (guint8) header->offset;
}

/*
 * gst_j2k_rtp_header_parse:
 * @header: (out caller-allocates): fields of the packet
 * @data: an RTP payload
 * @size: its size in bytes
 *
 * Returns: %FALSE if there is nothing after the header
 */
gboolean
gst_j2k_rtp_header_parse (GstJ2kRtpHeader *header, const guint8 *data,
    gsize size)
{
  if (size <= GST_J2K_RTP_HEADER_SIZE)
    return FALSE;
  header->main_header = data[0] >> MHF_SHIFT & MHF_MASK;
  header->priority = data[PRIORITY_AT];
  header->offset = (guint32) data[OFFSET_AT] << 16
      | (guint32) data[OFFSET_AT + 1] << 8 | data[OFFSET_AT + 2];

  return TRUE;
}

/*
 * gst_j2k_assembly_new:
 *
 * Returns: (transfer full): an empty assembly
 */
GstJ2kAssembly *
gst_j2k_assembly_new (void)
{
  GstJ2kAssembly *assembly = g_new0 (GstJ2kAssembly, 1);

  assembly->bytes = g_byte_array_new ();

  return assembly;
}

/*
 * gst_j2k_assembly_free:
 * @assembly: (transfer full): an assembly
 */
void
gst_j2k_assembly_free (GstJ2kAssembly *assembly)
{
  g_byte_array_unref (assembly->bytes);
  g_free (assembly);
}

/*
 * gst_j2k_assembly_reset:
 * @assembly: an assembly; its content is dropped
 */
void
gst_j2k_assembly_reset (GstJ2kAssembly *assembly)
{
  GByteArray *bytes = assembly->bytes;

  g_byte_array_set_size (bytes, 0);
  *assembly = (GstJ2kAssembly){ .bytes = bytes };
}

/*
 * gst_j2k_assembly_is_empty:
 * @assembly: an assembly
 *
 * Returns: whether no data of a picture has arrived yet
 */
gboolean
gst_j2k_assembly_is_empty (const GstJ2kAssembly *assembly)
{
  return !assembly->started;
}

static void
mark_whole (GstJ2kAssembly *assembly)
{
  assembly->n_whole = assembly->bytes->len;
  assembly->whole_priority = assembly->priority;
}

/* A layer is complete if the next one follows without a gap. A jump of the
 * priorities would skip a layer. Only a forged packet can have one, because
 * offsets refer to the whole codestream. */
static gboolean
follow_priority (GstJ2kAssembly *assembly, guint8 priority)
{
  if (assembly->bytes->len > 0 && priority != assembly->priority) {
    if (priority != assembly->priority + 1)
      return FALSE;
    mark_whole (assembly);
  }
  assembly->priority = priority;

  return TRUE;
}

/*
 * gst_j2k_assembly_add:
 * @assembly: an assembly
 * @payload: payload of the picture's next RTP packet
 * @size: its size in bytes
 * @marker: whether the packet is the last of its layer, or of the picture
 *
 * Ignores packets after a gap, because no layer can be decoded without those
 * below it.
 *
 * Returns: %FALSE if the packet could not be used
 */
gboolean
gst_j2k_assembly_add (GstJ2kAssembly *assembly, const guint8 *payload,
    gsize size, gboolean marker)
{
  GstJ2kRtpHeader header;

  assembly->started = TRUE;
  if (assembly->hole || !gst_j2k_rtp_header_parse (&header, payload, size))
    return FALSE;
  size -= GST_J2K_RTP_HEADER_SIZE;
  /* A duplicate. */
  if (header.offset + size <= assembly->bytes->len)
    return FALSE;
  if (header.offset != assembly->bytes->len
      || header.offset + size > GST_J2K_MAX_CODESTREAM_SIZE
      || !follow_priority (assembly, header.priority)) {
    assembly->hole = TRUE;
    return FALSE;
  }

  g_byte_array_append (assembly->bytes, payload + GST_J2K_RTP_HEADER_SIZE,
      (guint) size);
  if (marker)
    mark_whole (assembly);

  return TRUE;
}

/*
 * gst_j2k_assembly_is_complete:
 * @assembly: an assembly
 *
 * Returns: whether no more data of this picture can follow
 */
gboolean
gst_j2k_assembly_is_complete (const GstJ2kAssembly *assembly)
{
  return assembly->n_whole > 0 && assembly->n_whole == assembly->bytes->len
      && gst_j2k_codestream_is_whole (assembly->bytes->data,
          assembly->bytes->len);
}

static gboolean
close_layers (GstJ2kAssembly *assembly, GstJ2kCodestream *codestream,
    GError **error)
{
  guint n_layers = assembly->whole_priority;
  guint n_packets;

  if (assembly->whole_priority == GST_J2K_PRIORITY_NONE || n_layers == 0
      || codestream->data_at == 0 || n_layers > codestream->n_layers) {
    g_set_error_literal (error, GST_J2K_ERROR, 0,
        _ ("a part of it is missing, and it cannot be split into layers"));
    return FALSE;
  }
  n_packets = gst_j2k_codestream_count_packets (codestream,
      assembly->bytes->data, assembly->bytes->len);
  if (n_packets == 0 || n_packets % n_layers != 0) {
    g_set_error (error, GST_J2K_ERROR, 0,
        _ ("%u packets do not make %u complete layers"), n_packets, n_layers);
    return FALSE;
  }
  gst_j2k_codestream_close (codestream, assembly->bytes, n_layers);
  codestream->n_layers = n_layers;

  return TRUE;
}

/*
 * gst_j2k_assembly_finish:
 * @assembly: an assembly; empty afterwards
 * @codestream: (out caller-allocates): headers of the result
 * @error: why there is nothing to decode
 *
 * Returns: (transfer full) (nullable): a complete codestream of the layers that
 * have arrived without a gap
 */
GBytes *
gst_j2k_assembly_finish (GstJ2kAssembly *assembly, GstJ2kCodestream *codestream,
    GError **error)
{
  gboolean good;
  GBytes *bytes = NULL;

  g_byte_array_set_size (assembly->bytes, (guint) assembly->n_whole);
  if (assembly->n_whole == 0) {
    g_set_error_literal (error, GST_J2K_ERROR, 0, _ ("no layer is complete"));
    good = FALSE;
  } else {
    good = gst_j2k_codestream_parse (codestream, assembly->bytes->data,
               assembly->bytes->len, error)
        && (gst_j2k_codestream_is_whole (assembly->bytes->data,
                assembly->bytes->len)
            || close_layers (assembly, codestream, error));
  }
  if (good)
    bytes = g_bytes_new (assembly->bytes->data, assembly->bytes->len);
  gst_j2k_assembly_reset (assembly);

  return bytes;
}
