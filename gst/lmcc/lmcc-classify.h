/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CLASSIFY_H
#define LMCC_CLASSIFY_H

#include <gst/lmcc/lmcc-unit.h>

G_BEGIN_DECLS

/**
 * LmccLayerMark:
 * @klass: class of the packet's unit
 * @switch_point: the unit is a switch point of its class
 *
 * Marks that an upstream encoder or splitter attaches to a packet. They override what the
 * classifier reads from the RTP payload.
 */
typedef struct
{
  guint8 klass;
  gboolean switch_point;
} LmccLayerMark;

/**
 * LmccPayloadSigns:
 * @klass: class according to this packet alone, -1 if it has no coded picture data
 * @key: the packet carries a random access picture or a part of one
 * @switch_point: the payload marks its unit as a switch point
 * @referenced: the payload says that later units of the same class may refer to its unit
 * @n_sub_layers: number of temporal sub-layers according to a parameter set in the
 *     packet, 0 if it has none
 * @switch_up: the payload says that later units of higher temporal layers do not refer to
 *     units of higher temporal layers before it
 * @begins_unit: the payload says that its unit begins with this packet
 * @ends_unit: the payload says that its unit ends with this packet
 *
 * What one RTP payload says about the unit that it belongs to.
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
 * @encoding_name: encoding name, as in the caps
 * @single_class_advice: encoder setting that yields several classes, for a warning when
 *     all units have the same class
 * @n_temporal: if above 0, the class is @n_temporal times the spatial layer plus the
 *     temporal layer, and a picture has one unit per spatial layer. A unit depends on
 *     units of lower spatial layers and of lower temporal layers, not on every unit with
 *     a lower class
 * @class_is_unit: a picture has packets of several classes in ascending order, and the
 *     packets of one class form one unit
 * @inspect: reads one RTP payload; returns %FALSE if the payload is malformed for this
 *     codec
 *
 * A supported payload format.
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
 * Groups the RTP packets of one stream into units and determines the class of each unit.
 * A unit ends at the marker bit, at a new timestamp, where the payload says so, or where
 * another quality layer begins.
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
