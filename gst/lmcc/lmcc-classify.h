/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CLASSIFY_H
#define LMCC_CLASSIFY_H

#include <gst/lmcc/lmcc-unit.h>

G_BEGIN_DECLS

/**
 * LmccLayerMark:
 * @klass: class of the unit that the packet belongs to
 * @switch_point: the unit is a switch point of its class
 *
 * What an encoder or splitter upstream knows of a unit better than its RTP
 * payload tells. It wins over the codec's own signs.
 */
typedef struct
{
  guint8 klass;
  gboolean switch_point;
} LmccLayerMark;

/**
 * LmccPayloadSigns:
 * @klass: class by this packet alone, -1 where it has no coded picture data
 * @key: it carries (a part of) a random access picture
 * @switch_point: it says itself that its unit is a switch point
 * @referenced: it says that later units of the same class may need its unit
 * @n_sub_layers: temporal sub-layers that its parameter set says there are, 0
 *     where it has none
 * @switch_up: it says that no later unit of a higher temporal layer needs one of
 *     such a layer before it
 * @begins_unit: it says itself that its unit begins with it
 * @ends_unit: it says itself that its unit ends with it
 *
 * What one RTP payload tells about the unit it belongs to.
 */
typedef struct
{
  gint klass;
  gboolean key;
  gboolean switch_point;
  gboolean referenced;
  guint n_sub_layers;
  gboolean switch_up;
  gboolean begins_unit;
  gboolean ends_unit;
} LmccPayloadSigns;

/**
 * LmccCodec:
 * @encoding_name: as in the caps
 * @single_class_advice: what setting makes the usual encoder give several
 *     classes, for a warning
 * @n_temporal: above 0: the class is @n_temporal times a spatial layer plus a
 *     temporal layer, and a picture has a unit for each spatial layer. A unit
 *     needs units of lower spatial layers and of lower temporal layers, not
 *     of others with a lower class
 * @class_is_unit: a picture has packets of several classes, lowest first, and
 *     those of each are a unit
 * @inspect: reads one RTP payload; %FALSE where it is not of this codec's form
 *
 * One supported payload format. One file each.
 */
typedef struct
{
  const gchar *encoding_name;
  const gchar *single_class_advice;
  guint n_temporal;
  gboolean class_is_unit;
  gboolean (
      *inspect) (const guint8 *payload, gsize size, LmccPayloadSigns *signs);
} LmccCodec;

LMCC_API const LmccCodec *lmcc_codec_find (const gchar *encoding_name);
LMCC_API gboolean lmcc_codec_needs_class (const LmccCodec *codec, guint klass,
    guint below);

/**
 * LmccClassifier:
 * Groups the RTP packets of one stream into units (up to the marker bit, a new
 * timestamp, or where the payload says so or begins another quality layer) and
 * says how important each is.
 */
typedef struct _LmccClassifier LmccClassifier;

LMCC_API LmccClassifier *
lmcc_classifier_new (const LmccCodec *codec, guint8 stream);
LMCC_API void lmcc_classifier_free (LmccClassifier *classifier);
LMCC_API guint lmcc_classifier_push (LmccClassifier *classifier,
    LmccPacket *packet, const LmccLayerMark *mark, LmccTime decoding_time,
    LmccTime presentation_time, LmccUnit *units[2]);
LMCC_API LmccUnit *lmcc_classifier_flush (LmccClassifier *classifier);
LMCC_API guint64 lmcc_classifier_get_malformed (
    const LmccClassifier *classifier);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmccClassifier, lmcc_classifier_free)

G_END_DECLS

#endif
