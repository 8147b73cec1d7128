/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "media/classify-private.h"

#include "wire/rtp-payload.h"

/* A stream that neither sets a marker nor changes its timestamp must not
 * exhaust the memory: 8192 packets of 1200 bytes are 10 MB, far more than
 * any coded picture. */
#define MAX_UNIT_PACKETS 8192

struct _LmccClassifier
{
  const LmccCodec *codec;
  guint8 stream;
  guint64 malformed;
  gboolean marks_seen;
  /* Per class: since the last key unit or switch point of the class, it had
   * a unit that later ones may refer to. */
  gboolean referenced[LMCC_MAX_CLASSES];
  guint n_sub_layers;

  LmccUnit *unit;
  guint32 timestamp;
  LmccPayloadSigns signs;
  gboolean marked;
  LmccLayerMark mark;
  gboolean continues;
};

static const LmccCodec *const codecs[] = {
  &lmcc_codec_h264,
  &lmcc_codec_h265,
  &lmcc_codec_j2k,
  &lmcc_codec_vp8,
  &lmcc_codec_vp9,
};

/**
 * lmcc_codec_find:
 * @encoding_name: (nullable): the encoding name of the RTP caps, in upper or
 *     lower case
 *
 * Looks up a payload format by its encoding name.
 *
 * Returns: (nullable) (transfer none): the payload format, %NULL if the name is
 * unknown
 */
const LmccCodec *
lmcc_codec_find (const gchar *encoding_name)
{
  guint i;

  if (encoding_name == NULL)
    return NULL;

  for (i = 0; i < G_N_ELEMENTS (codecs); i++) {
    if (g_ascii_strcasecmp (codecs[i]->encoding_name, encoding_name) == 0)
      return codecs[i];
  }

  return NULL;
}

/**
 * lmcc_codec_needs_class:
 * @codec: (nullable): a payload format
 * @klass: class of a unit
 * @below: a lower class
 *
 * Checks whether units of one class may depend on units of a lower class.
 *
 * Returns: whether the unit may depend on one of class @below
 */
gboolean
lmcc_codec_needs_class (const LmccCodec *codec, guint klass, guint below)
{
  guint n = codec != NULL ? codec->n_temporal : 0;

  return n == 0 || (below / n <= klass / n && below % n <= klass % n);
}

/* Adds another part of the same unit: the most important part decides the
 * class, and the unit is a switch point only if all parts are. */
void
lmcc_payload_signs_merge (LmccPayloadSigns *signs, const LmccPayloadSigns *part)
{
  guint n_sub_layers =
      part->n_sub_layers > 0 ? part->n_sub_layers : signs->n_sub_layers;

  if (signs->klass < 0 && part->klass >= 0)
    *signs = *part;
  signs->n_sub_layers = n_sub_layers;
  if (part->klass < 0)
    return;

  signs->klass = MIN (signs->klass, part->klass);
  signs->key = signs->key || part->key;
  signs->switch_point = signs->switch_point && part->switch_point;
  signs->referenced = signs->referenced || part->referenced;
  signs->switch_up = signs->switch_up && part->switch_up;
}

/**
 * lmcc_classifier_new:
 * @codec: (nullable): the payload format; %NULL for one that the library does
 *     not know
 * @stream: the rung, or %LMCC_STREAM_SOUND, which is written into the units
 *
 * Without a codec only marks are used. If a stream has shown no mark yet, each
 * of its units is assumed to be independently decodable, as with sound and
 * intra-only video: class 0, and a switch point. Otherwise nothing could ever
 * be joined; decoders that need a key frame wait for one. If there are several
 * rungs of such a codec, upstream must mark them. From the first mark on, a
 * unit without a mark is class 0 and no switch point.
 *
 * Returns: (transfer full): a classifier without packets
 */
LmccClassifier *
lmcc_classifier_new (const LmccCodec *codec, guint8 stream)
{
  LmccClassifier *classifier = g_new0 (LmccClassifier, 1);
  guint i;

  classifier->codec = codec;
  classifier->stream = stream;
  /* Units before the first key unit are unknown. */
  for (i = 0; i < LMCC_MAX_CLASSES; i++)
    classifier->referenced[i] = TRUE;

  return classifier;
}

/**
 * lmcc_classifier_free:
 * @classifier: (transfer full): a classifier; packets of an unfinished unit are
 *     dropped
 *
 * Frees a classifier. Call lmcc_classifier_flush() first to get an unfinished
 * unit.
 */
void
lmcc_classifier_free (LmccClassifier *classifier)
{
  if (classifier->unit != NULL)
    lmcc_unit_free (classifier->unit);
  g_free (classifier);
}

/* A switching up point of RFC 9628 section 4.2: the higher temporal layers
 * of its spatial layer start anew. */
static void
switch_up (LmccClassifier *classifier, guint klass)
{
  guint n = classifier->codec->n_temporal, i;

  for (i = klass + 1; n > 0 && i % n != 0 && i < LMCC_MAX_CLASSES; i++)
    classifier->referenced[i] = FALSE;
}

/* Units that no other unit refers to have a higher class than the others.
 * "Not referenced" refers to the unit's sub-layer only; if the stream has no
 * other sub-layer, no unit refers to it. */
static guint
get_class (const LmccClassifier *classifier)
{
  const LmccPayloadSigns *signs = &classifier->signs;

  if (classifier->n_sub_layers == 1 && !signs->referenced)
    return 1;
  return MIN (signs->klass, LMCC_MAX_CLASSES - 1);
}

static void
classify_by_signs (LmccClassifier *classifier)
{
  const LmccPayloadSigns *signs = &classifier->signs;
  LmccUnit *unit = classifier->unit;
  guint i;

  if (signs->n_sub_layers > 0)
    classifier->n_sub_layers = signs->n_sub_layers;
  /* All following units depend on parameter sets without a picture. */
  if (signs->klass < 0)
    return;

  if (signs->key) {
    unit->klass = 0;
    unit->switch_point = TRUE;
    for (i = 0; i < LMCC_MAX_CLASSES; i++)
      classifier->referenced[i] = FALSE;
    return;
  }

  /* A unit never depends on one of a higher class (H.265 7.4.2.2 for
   * TemporalId, RFC 7741 section 4.2 for TID, RFC 9628 section 3 for SID and
   * TID), so only its own class matters. */
  unit->klass = get_class (classifier);
  unit->switch_point = unit->klass > 0
      && (signs->switch_point || !classifier->referenced[unit->klass]);
  if (unit->switch_point)
    classifier->referenced[unit->klass] = FALSE;
  if (signs->referenced)
    classifier->referenced[unit->klass] = TRUE;
  if (signs->switch_up)
    switch_up (classifier, unit->klass);
}

static LmccUnit *
finish_unit (LmccClassifier *classifier)
{
  LmccUnit *unit = classifier->unit;

  if (unit == NULL)
    return NULL;

  if (classifier->codec != NULL)
    classify_by_signs (classifier);
  else
    unit->switch_point = !classifier->marks_seen;

  if (classifier->marked) {
    unit->klass = classifier->mark.klass;
    unit->switch_point = classifier->mark.switch_point;
  }
  if (classifier->continues)
    unit->switch_point = FALSE;

  classifier->unit = NULL;
  classifier->continues = FALSE;

  return unit;
}

static void
start_unit (LmccClassifier *classifier, guint32 timestamp,
    LmccTime decoding_time, LmccTime presentation_time)
{
  classifier->unit = lmcc_unit_new ();
  classifier->unit->stream = classifier->stream;
  classifier->unit->decoding_time = decoding_time;
  classifier->unit->presentation_time = presentation_time;
  classifier->timestamp = timestamp;
  classifier->signs = LMCC_PAYLOAD_SIGNS_NONE;
  classifier->marked = FALSE;
}

static gboolean
inspect (const LmccClassifier *classifier, LmccPacket *packet, LmccRtp *rtp,
    LmccPayloadSigns *signs)
{
  *signs = LMCC_PAYLOAD_SIGNS_NONE;
  if (packet->size > LMCC_MAX_PACKET_SIZE || !lmcc_rtp_read (packet, rtp)
      || rtp->payload_size == 0)
    return FALSE;

  return classifier->codec == NULL
      || classifier->codec->inspect (packet->data + rtp->header_size,
          rtp->payload_size, signs);
}

static gboolean
begins_class (const LmccClassifier *classifier, const LmccPayloadSigns *signs)
{
  return classifier->codec != NULL && classifier->codec->class_is_unit
      && classifier->signs.klass >= 0 && signs->klass > classifier->signs.klass;
}

/**
 * lmcc_classifier_push:
 * @classifier: a classifier
 * @packet: (transfer full): the next RTP packet of the stream
 * @mark: (nullable): marks of its unit from upstream; the first mark of a unit
 *     counts, and a class above 15 is ignored
 * @decoding_time: when the packet is due, in ns on the sender's clock
 * @presentation_time: when its picture is shown, in ns on the same clock
 * @units: (out) (array fixed-size=2): the units that the packet completes, the
 *     oldest first; the caller owns them
 *
 * Adds a packet. A unit ends with the marker bit, before a packet with another
 * RTP timestamp, where the payload says so (VP9), before a packet of a higher
 * class if the codec has one unit per class (JPEG 2000), or after 8192 packets;
 * the rest of a unit cut this way is no switch point. Packets that are not RTP,
 * or malformed for the codec, are dropped and counted.
 *
 * Returns: number of @units set, 0 to 2
 */
guint
lmcc_classifier_push (LmccClassifier *classifier, LmccPacket *packet,
    const LmccLayerMark *mark, LmccTime decoding_time,
    LmccTime presentation_time, LmccUnit *units[2])
{
  LmccPayloadSigns signs;
  LmccRtp rtp;
  guint n_units = 0;

  if (!inspect (classifier, packet, &rtp, &signs)) {
    classifier->malformed++;
    lmcc_packet_unref (packet);
    return 0;
  }

  if (rtp.timestamp != classifier->timestamp || signs.begins_unit
      || begins_class (classifier, &signs)) {
    if (classifier->unit != NULL)
      units[n_units++] = finish_unit (classifier);
    classifier->continues = FALSE;
  }
  if (classifier->unit == NULL)
    start_unit (classifier, rtp.timestamp, decoding_time, presentation_time);

  g_ptr_array_add (classifier->unit->packets, packet);
  lmcc_payload_signs_merge (&classifier->signs, &signs);
  if (mark != NULL && mark->klass < LMCC_MAX_CLASSES && !classifier->marked) {
    classifier->mark = *mark;
    classifier->marked = TRUE;
    classifier->marks_seen = TRUE;
  }

  if (rtp.marker || signs.ends_unit) {
    units[n_units++] = finish_unit (classifier);
  } else if (classifier->unit->packets->len == MAX_UNIT_PACKETS) {
    units[n_units++] = finish_unit (classifier);
    classifier->continues = TRUE;
  }

  return n_units;
}

/**
 * lmcc_classifier_flush:
 * @classifier: a classifier
 *
 * Call it at the end of the stream.
 *
 * Returns: (nullable) (transfer full): the unit whose end had not been detected
 */
LmccUnit *
lmcc_classifier_flush (LmccClassifier *classifier)
{
  return finish_unit (classifier);
}

/**
 * lmcc_classifier_get_malformed:
 * @classifier: a classifier
 *
 * Returns the counter of dropped packets.
 *
 * Returns: number of packets dropped because they are not RTP or malformed for
 * the codec
 */
guint64
lmcc_classifier_get_malformed (const LmccClassifier *classifier)
{
  return classifier->malformed;
}
