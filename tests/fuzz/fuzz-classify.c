/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fuzzes all classifiers with a sequence of packets.
 *
 * The input has a control byte and a length before each packet. Control bit
 * 0: the marker; bit 1: a new timestamp; bit 2: a mark with the class in the
 * upper four bits; bit 3: the bytes are the whole packet instead of its
 * payload.
 */
#include "fuzz.h"

#include <gst/lmcc/media/classify-private.h>
#include <gst/lmcc/lmcc-classify.h>

#include <string.h>

typedef struct
{
  LmccClassifier *classifier;
  guint64 n_in;
  guint64 n_out;
  guint64 n_next;
} Run;

static void
take_unit (Run *run, LmccUnit *unit)
{
  g_assert_cmpuint (unit->packets->len, >, 0);
  g_assert_cmpuint (unit->packets->len, <=, 8192);
  g_assert_cmpuint (unit->klass, <, LMCC_MAX_CLASSES);
  g_assert_cmpuint (unit->stream, ==, 1);
  g_assert_cmpuint (unit->decoding_time, >=, run->n_next);
  g_assert_cmpuint (unit->decoding_time, <, run->n_in);
  run->n_next = unit->decoding_time + unit->packets->len;
  run->n_out += unit->packets->len;
  lmcc_unit_free (unit);
}

static LmccPacket *
make_packet (guint8 control, guint8 timestamp, const guint8 *data, gsize size)
{
  LmccPacket *packet;

  if (control & 8)
    return lmcc_packet_new_copy (data, size);

  packet = lmcc_packet_new (12 + size);
  memset (packet->data, 0, 12);
  packet->data[0] = 0x80;
  packet->data[1] = (guint8) ((control & 1) << 7 | 96);
  packet->data[7] = timestamp;
  if (size > 0)
    memcpy (packet->data + 12, data, size);
  packet->size = 12 + size;

  return packet;
}

static void
run_classifier (const LmccCodec *codec, const guint8 *data, gsize size)
{
  Run run = { lmcc_classifier_new (codec, 1), 0, 0, 0 };
  LmccUnit *last;
  guint8 timestamp = 0;
  gsize at = 0;

  while (at + 2 <= size) {
    guint8 control = data[at];
    gsize length = MIN (data[at + 1], size - at - 2);
    const LmccLayerMark mark = { control >> 4, control & 1 };
    LmccUnit *units[2];
    guint n_units, i;

    at += 2;
    timestamp += control >> 1 & 1;
    run.n_in++;
    n_units = lmcc_classifier_push (run.classifier,
        make_packet (control, timestamp, data + at, length),
        control & 4 ? &mark : NULL, run.n_in - 1, run.n_in, units);
    g_assert_cmpuint (n_units, <=, 2);
    for (i = 0; i < n_units; i++)
      take_unit (&run, units[i]);
    at += length;
  }

  last = lmcc_classifier_flush (run.classifier);
  if (last != NULL)
    take_unit (&run, last);
  g_assert_cmpuint (run.n_in, ==,
      run.n_out + lmcc_classifier_get_malformed (run.classifier));
  lmcc_classifier_free (run.classifier);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  run_classifier (&lmcc_codec_h264, data, size);
  run_classifier (&lmcc_codec_h265, data, size);
  run_classifier (&lmcc_codec_j2k, data, size);
  run_classifier (&lmcc_codec_vp8, data, size);
  run_classifier (&lmcc_codec_vp9, data, size);
  run_classifier (NULL, data, size);

  return 0;
}
