/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Parses the headers of JPEG 2000 codestreams and finds the ends of their
 * quality layers. */
#include "gstj2kcodestream.h"

#include <plugins/common/messages.h>

/* ISO/IEC 15444-1 table A.2. */
typedef enum
{
  MARKER_SOC = 0xff4f,
  MARKER_SIZ = 0xff51,
  MARKER_COD = 0xff52,
  MARKER_PLM = 0xff57,
  MARKER_TLM = 0xff55,
  MARKER_PLT = 0xff58,
  MARKER_POC = 0xff5f,
  MARKER_PPM = 0xff60,
  MARKER_PPT = 0xff61,
  MARKER_SOT = 0xff90,
  MARKER_SOP = 0xff91,
  MARKER_SOD = 0xff93,
  MARKER_EOC = 0xffd9,
} Marker;

/* A marker, and a marker with the length of its segment. */
#define MARKER_SIZE 2
#define SEGMENT_HEAD_SIZE 4

/* Offsets from the marker, A.5.1 and table A.9. */
#define SIZ_XSIZ 6
#define SIZ_TILE 22
#define SIZ_CSIZ 38
#define SIZ_COMPONENTS 40
#define SIZ_COMPONENT_SIZE 3

/* A.6.1: coding style with the bit for SOP, progression order (0 is by layers),
 * number of layers, component transform. */
#define COD_STYLE 4
#define COD_STYLE_SOP 0x02
#define COD_ORDER 5
#define COD_ORDER_LAYERS 0
#define COD_LAYERS 6
#define COD_TRANSFORM 8
#define COD_MIN_SIZE 14

/* A.4.2. */
#define SOT_SIZE 12
#define SOT_PSOT 6
#define SOT_TNSOT 11

/* A.8.1: the marker and its length, which is always 4. */
#define SOP_SIZE 6

G_DEFINE_QUARK (gst-j2k-error-quark, gst_j2k_error);

typedef struct
{
  guint marker;
  gsize at;
  gsize size;
} Segment;

static guint
read_16 (const guint8 *data)
{
  return (guint) data[0] << 8 | data[1];
}

static guint32
read_32 (const guint8 *data)
{
  return (guint32) read_16 (data) << 16 | read_16 (data + 2);
}

static void
write_16 (guint8 *data, guint value)
{
  data[0] = (guint8) (value >> 8);
  data[1] = (guint8) value;
}

static void
write_32 (guint8 *data, guint32 value)
{
  write_16 (data, value >> 16);
  write_16 (data + 2, value & 0xffff);
}

static gboolean
fail (GError **error, const gchar *cause)
{
  g_set_error_literal (error, GST_J2K_ERROR, 0, cause);
  return FALSE;
}

/* A complete marker segment within @size. */
static gboolean
read_segment (Segment *segment, const guint8 *data, gsize size, gsize at)
{
  if (at > size || size - at < SEGMENT_HEAD_SIZE)
    return FALSE;
  segment->at = at;
  segment->marker = read_16 (data + at);
  segment->size = MARKER_SIZE + read_16 (data + at + MARKER_SIZE);

  return segment->marker >= 0xff00 && segment->size >= SEGMENT_HEAD_SIZE
      && segment->size <= size - at;
}

static gboolean
read_components (GstJ2kCodestream *codestream, const guint8 *siz, gsize size)
{
  guint i;

  codestream->n_components = read_16 (siz + SIZ_CSIZ);
  if (codestream->n_components < 1
      || codestream->n_components > GST_J2K_MAX_COMPONENTS
      || size < SIZ_COMPONENTS
              + (gsize) codestream->n_components * SIZ_COMPONENT_SIZE)
    return FALSE;
  for (i = 0; i < codestream->n_components; i++) {
    const guint8 *component = siz + SIZ_COMPONENTS + i * SIZ_COMPONENT_SIZE;

    codestream->dx[i] = component[1];
    codestream->dy[i] = component[2];
    if (component[1] == 0 || component[2] == 0)
      return FALSE;
  }

  return TRUE;
}

/* Xsiz, Ysiz, XOsiz, YOsiz; then XTsiz, YTsiz, XTOsiz, YTOsiz. */
static gboolean
read_siz (GstJ2kCodestream *codestream, const guint8 *siz, gsize size,
    gboolean *one_tile)
{
  guint64 x, y;

  if (size < SIZ_COMPONENTS)
    return FALSE;
  x = read_32 (siz + SIZ_XSIZ);
  y = read_32 (siz + SIZ_XSIZ + 4);
  if (x <= read_32 (siz + SIZ_XSIZ + 8) || y <= read_32 (siz + SIZ_XSIZ + 12))
    return FALSE;
  codestream->width = (guint) (x - read_32 (siz + SIZ_XSIZ + 8));
  codestream->height = (guint) (y - read_32 (siz + SIZ_XSIZ + 12));
  /* The limits of GStreamer's caps. */
  if (codestream->width > G_MAXINT || codestream->height > G_MAXINT)
    return FALSE;
  *one_tile =
      (guint64) read_32 (siz + SIZ_TILE) + read_32 (siz + SIZ_TILE + 8) >= x
      && (guint64) read_32 (siz + SIZ_TILE + 4) + read_32 (siz + SIZ_TILE + 12)
          >= y;

  return read_components (codestream, siz, size);
}

static gboolean
read_cod (GstJ2kCodestream *codestream, const guint8 *cod, gsize at, gsize size,
    gboolean *in_order)
{
  if (size < COD_MIN_SIZE)
    return FALSE;
  codestream->n_layers = read_16 (cod + COD_LAYERS);
  codestream->n_layers_at = at + COD_LAYERS;
  codestream->colour_transform = cod[COD_TRANSFORM] == 1;
  *in_order =
      cod[COD_STYLE] & COD_STYLE_SOP && cod[COD_ORDER] == COD_ORDER_LAYERS;

  return codestream->n_layers > 0;
}

/* Markers with lists of packet lengths and headers, which would be wrong after
 * removing layers. */
static gboolean
is_index (guint marker)
{
  return marker == MARKER_PLM || marker == MARKER_TLM || marker == MARKER_PLT
      || marker == MARKER_POC || marker == MARKER_PPM || marker == MARKER_PPT;
}

/* Offset of the packets of the only tile-part; 0 if there are several, or if it
 * has its own settings. */
static gsize
find_data (const guint8 *data, gsize size, gsize at)
{
  Segment segment;

  if (!read_segment (&segment, data, size, at) || segment.size != SOT_SIZE
      || data[at + SOT_TNSOT] != 1)
    return 0;
  for (at += SOT_SIZE; size - at >= MARKER_SIZE; at += segment.size) {
    if (read_16 (data + at) == MARKER_SOD)
      return at + MARKER_SIZE;
    if (!read_segment (&segment, data, size, at) || is_index (segment.marker)
        || segment.marker == MARKER_COD)
      return 0;
  }

  return 0;
}

/*
 * gst_j2k_codestream_parse:
 * @codestream: (out caller-allocates): content of the headers
 * @data: a codestream, from SOC on; the end may be missing
 * @size: its size in bytes
 * @error: the reason if it is invalid
 *
 * Returns: whether its main header is complete and valid
 */
gboolean
gst_j2k_codestream_parse (GstJ2kCodestream *codestream, const guint8 *data,
    gsize size, GError **error)
{
  gboolean one_tile = FALSE, in_order = FALSE, indexed = FALSE;
  Segment segment;
  gsize at;

  *codestream = (GstJ2kCodestream){ 0 };
  if (size < MARKER_SIZE || read_16 (data) != MARKER_SOC)
    return fail (error, _ ("it does not begin with an SOC marker"));

  for (at = MARKER_SIZE;; at += segment.size) {
    if (!read_segment (&segment, data, size, at))
      return fail (error, _ ("its main header is truncated or invalid"));
    if ((at == MARKER_SIZE) != (segment.marker == MARKER_SIZ))
      return fail (error, _ ("its SIZ marker is not in the required place"));
    if (segment.marker == MARKER_SOT)
      break;
    if (segment.marker == MARKER_SIZ
        && !read_siz (codestream, data + at, segment.size, &one_tile))
      return fail (error, _ ("its SIZ marker has unsupported values"));
    if (segment.marker == MARKER_COD
        && !read_cod (codestream, data + at, at, segment.size, &in_order))
      return fail (error, _ ("its COD marker has invalid values"));
    indexed = indexed || is_index (segment.marker);
  }

  codestream->header_size = at;
  if (codestream->n_layers == 0)
    return fail (error, _ ("its main header has no COD marker"));
  if (one_tile && in_order && !indexed
      && codestream->n_layers <= GST_J2K_MAX_LAYERS)
    codestream->data_at = find_data (data, size, at);

  return TRUE;
}

/*
 * gst_j2k_codestream_next_packet:
 * @data: a codestream
 * @size: its size in bytes
 * @at: offset to start at
 *
 * SOP cannot occur inside a packet: neither its header nor its body has values
 * above FF8F (ISO/IEC 15444-1 B.10.1 and C.2.1).
 *
 * Returns: the offset of the next SOP at or after @at, @size if there is none
 */
gsize
gst_j2k_codestream_next_packet (const guint8 *data, gsize size, gsize at)
{
  for (; at + SOP_SIZE <= size; at++) {
    if (data[at] == 0xff && read_16 (data + at) == MARKER_SOP
        && read_16 (data + at + MARKER_SIZE) == SOP_SIZE - MARKER_SIZE)
      return at;
  }

  return size;
}

/*
 * gst_j2k_codestream_count_packets:
 * @codestream: one that can be split
 * @data: its bytes
 * @size: their number
 *
 * Returns: number of packets that begin in @data
 */
guint
gst_j2k_codestream_count_packets (const GstJ2kCodestream *codestream,
    const guint8 *data, gsize size)
{
  gsize at = gst_j2k_codestream_next_packet (data, size, codestream->data_at);
  guint n = 0;

  for (; at < size; n++)
    at = gst_j2k_codestream_next_packet (data, size, at + SOP_SIZE);

  return n;
}

/*
 * gst_j2k_codestream_find_layers:
 * @codestream: the result of gst_j2k_codestream_parse()
 * @data: the whole codestream
 * @size: its size in bytes
 * @ends: (out): for each layer the offset of the byte after it
 *
 * In the progression order by layers each layer has the same number of packets:
 * one for each resolution, component and precinct (ISO/IEC 15444-1 B.12.1.1).
 *
 * Returns: %FALSE if it cannot be split
 */
gboolean
gst_j2k_codestream_find_layers (const GstJ2kCodestream *codestream,
    const guint8 *data, gsize size, gsize ends[GST_J2K_MAX_LAYERS])
{
  guint n_packets, per_layer, layer, i;
  gsize at;

  if (codestream->data_at == 0 || !gst_j2k_codestream_is_whole (data, size))
    return FALSE;
  at = gst_j2k_codestream_next_packet (data, size, codestream->data_at);
  n_packets = gst_j2k_codestream_count_packets (codestream, data, size);
  if (at != codestream->data_at || n_packets == 0
      || n_packets % codestream->n_layers != 0)
    return FALSE;

  per_layer = n_packets / codestream->n_layers;
  for (layer = 0; layer < codestream->n_layers; layer++) {
    for (i = 0; i < per_layer; i++)
      at = gst_j2k_codestream_next_packet (data, size, at + SOP_SIZE);
    ends[layer] = at;
  }

  return TRUE;
}

/*
 * gst_j2k_codestream_is_whole:
 * @data: a codestream
 * @size: its size in bytes
 *
 * Returns: whether it ends with EOC
 */
gboolean
gst_j2k_codestream_is_whole (const guint8 *data, gsize size)
{
  return size >= MARKER_SIZE + GST_J2K_EOC_SIZE
      && read_16 (data + size - GST_J2K_EOC_SIZE) == MARKER_EOC;
}

/*
 * gst_j2k_codestream_close:
 * @codestream: one that can be split
 * @bytes: (inout): its beginning, cut at the end of a layer
 * @n_layers: number of layers in @bytes
 *
 * Makes @bytes a complete codestream: sets the number of layers in COD and the
 * length in SOT, and adds EOC. ISO/IEC 15444-1 requires this when layers are
 * removed; the packets do not change.
 */
void
gst_j2k_codestream_close (const GstJ2kCodestream *codestream, GByteArray *bytes,
    guint n_layers)
{
  const guint8 end[GST_J2K_EOC_SIZE] = { MARKER_EOC >> 8, MARKER_EOC & 0xff };

  write_16 (bytes->data + codestream->n_layers_at, n_layers);
  write_32 (bytes->data + codestream->header_size + SOT_PSOT,
      (guint32) (bytes->len - codestream->header_size));
  g_byte_array_append (bytes, end, sizeof (end));
}
