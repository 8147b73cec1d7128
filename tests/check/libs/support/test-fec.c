/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "support/test-fec.h"

#include <gst/check/gstharness.h>
#include <gst/rtp/gstrtpbuffer.h>

#include <math.h>
#include <string.h>

#define SSRC 0x12345000u
#define MEDIA_TYPE 96
#define FEC_TYPE 122
#define CAPS                                                        \
  "application/x-rtp, media=(string)video, clock-rate=(int)90000, " \
  "encoding-name=(string)H264, payload=(int)96, ssrc=(uint)305418240"

/* SMPTE 2022-1 section 6: a matrix has at most 100 packets. */
#define MAX_MATRIX 100
#define MIN_ROWS 4

/* One column for each of these percentages; above that, row FEC is used as
 * well. */
#define MOST_FOR_COLUMNS 0.25
#define ROW_LENGTH 5

/* Start of the payload of a picture's packets. */
typedef struct
{
  guint32 number;
} Tag;

typedef struct
{
  guint count;
  guint came;
} Outcome;

/* What the path did to a packet; the receiver handles it later. */
typedef struct
{
  GstBuffer *buffer; /* (nullable): lost */
  guint16 sequence;
  GstClockTime time;
} Waiting;

typedef struct
{
  const TestRepairConfig *config;
  TestFecScheme scheme;
  TestRepairResult *result;
  GRand *random;
  gboolean bad;
  guint16 sequence;
  GArray *outcomes;
  GHashTable *seen; /* media packets, without duplicates */
  GstHarness *encoder;
  GstHarness *encoder_fec[2];
  GstHarness *storage;
  GstHarness *decoder;
  GstHarness *decoder_media;
  GstHarness *decoder_fec[2];
  GQueue waiting;
} Fec;

static const gchar *
encoder_name (TestFecScheme scheme)
{
  return scheme == TEST_FEC_ULP ? "rtpulpfecenc" : "rtpst2022-1-fecenc";
}

/**
 * test_fec_is_there:
 * @scheme: a scheme
 *
 * Returns: whether GStreamer's plugins for it are installed
 */
gboolean
test_fec_is_there (TestFecScheme scheme)
{
  g_autoptr (GstElementFactory) factory =
      gst_element_factory_find (encoder_name (scheme));

  return factory != NULL;
}

static const TestRepairPicture *
get_picture (const Fec *fec, guint number)
{
  return &g_array_index (fec->config->pictures, TestRepairPicture,
      number % fec->config->pictures->len);
}

static GstClockTime
get_time (const Fec *fec, guint number)
{
  return fec->config->period * (number / fec->config->pictures->len)
      + get_picture (fec, number)->time;
}

static GstBuffer *
make_packet (Fec *fec, guint number, guint size, gboolean last)
{
  GstBuffer *buffer = gst_rtp_buffer_new_allocate (size, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  Tag tag = { number };

  GST_BUFFER_PTS (buffer) = GST_BUFFER_DTS (buffer) = get_time (fec, number);
  gst_rtp_buffer_map (buffer, GST_MAP_WRITE, &rtp);
  /* rtpst2022-1-fecenc accepts only payload type 0, the only one in SMPTE
   * 2022-1. */
  gst_rtp_buffer_set_ssrc (&rtp, fec->scheme == TEST_FEC_ULP ? SSRC : 0);
  gst_rtp_buffer_set_payload_type (&rtp, MEDIA_TYPE);
  gst_rtp_buffer_set_seq (&rtp, fec->sequence++);
  gst_rtp_buffer_set_timestamp (&rtp,
      (guint32) gst_util_uint64_scale (get_time (fec, number), 90000,
          GST_SECOND));
  gst_rtp_buffer_set_marker (&rtp, last);
  memset (gst_rtp_buffer_get_payload (&rtp), 0, size);
  memcpy (gst_rtp_buffer_get_payload (&rtp), &tag, sizeof (tag));
  gst_rtp_buffer_unmap (&rtp);

  return buffer;
}

static void
read_packet (GstBuffer *buffer, guint16 *sequence, guint *type, Tag *tag)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp);
  *sequence = gst_rtp_buffer_get_seq (&rtp);
  *type = gst_rtp_buffer_get_payload_type (&rtp);
  memcpy (tag, gst_rtp_buffer_get_payload (&rtp), sizeof (*tag));
  gst_rtp_buffer_unmap (&rtp);
}

/* Counts the packets that the decoder outputs. */
static void
take_decoded (Fec *fec)
{
  GstBuffer *buffer;

  while ((buffer = gst_harness_try_pull (fec->decoder)) != NULL) {
    guint16 sequence;
    guint type;
    Tag tag;

    read_packet (buffer, &sequence, &type, &tag);
    if (type == MEDIA_TYPE && tag.number < fec->outcomes->len
        && g_hash_table_add (fec->seen,
            GUINT_TO_POINTER (1u + (((tag.number & 0x7fff) << 16) | sequence))))
      g_array_index (fec->outcomes, Outcome, tag.number).came++;
    gst_buffer_unref (buffer);
  }
}

static void
drop_events (GstHarness *harness)
{
  GstEvent *event;

  while ((event = gst_harness_try_pull_event (harness)) != NULL)
    gst_event_unref (event);
}

/* Reports the loss as rtpjitterbuffer does with do-lost. */
static void
tell_lost (Fec *fec, const Waiting *waiting)
{
  gst_harness_push_event (fec->decoder,
      gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
          gst_structure_new ("GstRTPPacketLost", "seqnum", G_TYPE_UINT,
              (guint) waiting->sequence, "timestamp", G_TYPE_UINT64,
              waiting->time, "duration", G_TYPE_UINT64, (guint64) 0,
              "might-have-been-fec", G_TYPE_BOOLEAN, FALSE, NULL)));
}

/* By this time, all packets that protect a packet have arrived: rtpulpfecdec
 * gets packets with the delay of a jitter buffer as long as a group. */
static void
decode_until (Fec *fec, GstClockTime time)
{
  const Waiting *first;

  while ((first = g_queue_peek_head (&fec->waiting)) != NULL
      && first->time < time) {
    g_autofree Waiting *waiting = g_queue_pop_head (&fec->waiting);

    if (waiting->buffer != NULL)
      gst_harness_push (fec->decoder, waiting->buffer);
    else
      tell_lost (fec, waiting);
    take_decoded (fec);
  }
  drop_events (fec->decoder);
}

static void
arrive_ulp (Fec *fec, GstBuffer *buffer, gboolean lost)
{
  Waiting *waiting = g_new0 (Waiting, 1);
  guint type;
  Tag tag;

  read_packet (buffer, &waiting->sequence, &type, &tag);
  waiting->time = GST_BUFFER_PTS (buffer);
  if (lost)
    gst_buffer_unref (buffer);
  else
    waiting->buffer = gst_harness_push_and_pull (fec->storage, buffer);
  g_queue_push_tail (&fec->waiting, waiting);
}

/* @kind: 0, 1: a FEC stream; 2: the media. */
static void
transmit (Fec *fec, GstBuffer *buffer, guint kind)
{
  gboolean lost = test_repair_lose (fec->random, &fec->bad, fec->config->loss,
      fec->config->burst);
  guint size = (guint) gst_buffer_get_size (buffer) + TEST_REPAIR_IP_OVERHEAD;

  if (kind == 2)
    fec->result->media_bytes += size;
  else
    fec->result->repair_bytes += size;
  fec->result->layers[0].sent += kind == 2;
  fec->result->layers[0].lost += kind == 2 && lost;
  if (fec->scheme == TEST_FEC_ULP) {
    arrive_ulp (fec, buffer, lost);
  } else if (lost) {
    gst_buffer_unref (buffer);
  } else {
    gst_harness_push (kind == 2 ? fec->decoder_media : fec->decoder_fec[kind],
        buffer);
    take_decoded (fec);
  }
}

static guint
stream_of (GstBuffer *buffer)
{
  guint16 sequence;
  guint type;
  Tag tag;

  read_packet (buffer, &sequence, &type, &tag);

  return type == MEDIA_TYPE ? 2 : 0;
}

static void
send_encoded (Fec *fec)
{
  GstBuffer *buffer;
  guint i;

  while ((buffer = gst_harness_try_pull (fec->encoder)) != NULL)
    transmit (fec, buffer, stream_of (buffer));
  for (i = 0; i < 2 && fec->encoder_fec[i] != NULL; i++) {
    while ((buffer = gst_harness_try_pull (fec->encoder_fec[i])) != NULL)
      transmit (fec, buffer, i);
  }
}

static void
send_picture (Fec *fec, guint number)
{
  const TestRepairPicture *picture = get_picture (fec, number);
  guint payload = fec->config->payload, i;
  Outcome outcome = { (picture->bytes + payload - 1) / payload };

  g_array_append_val (fec->outcomes, outcome);
  for (i = 0; i < outcome.count; i++) {
    guint size =
        MAX (MIN (payload, picture->bytes - i * payload), sizeof (Tag));

    gst_harness_push (fec->encoder,
        make_packet (fec, number, size, i + 1 == outcome.count));
    send_encoded (fec);
  }
}

static gchar *
start_ulp (Fec *fec, gdouble overhead)
{
  guint percentage = (guint) (100 * overhead + 0.5);
  GObject *memory = NULL;

  fec->encoder = gst_harness_new ("rtpulpfecenc");
  g_object_set (fec->encoder->element, "pt", FEC_TYPE, "percentage", percentage,
      "percentage-important", percentage, NULL);
  fec->storage = gst_harness_new ("rtpstorage");
  g_object_set (fec->storage->element, "size-time",
      (guint64) (4 * fec->config->group), NULL);
  g_object_get (fec->storage->element, "internal-storage", &memory, NULL);
  fec->decoder = gst_harness_new ("rtpulpfecdec");
  g_object_set (fec->decoder->element, "pt", FEC_TYPE, "storage", memory, NULL);
  g_object_unref (memory);
  gst_harness_set_src_caps_str (fec->storage, CAPS);
  gst_harness_set_src_caps_str (fec->decoder, CAPS);

  return g_strdup_printf ("rtpulpfecenc, %u %%", percentage);
}

static gchar *
start_2022_1 (Fec *fec, gdouble overhead, guint block)
{
  gboolean has_rows = overhead > MOST_FOR_COLUMNS + 0.02;
  gdouble of_columns = has_rows ? overhead - 1.0 / ROW_LENGTH : overhead;
  guint rows = CLAMP ((guint) (1 / of_columns + 0.5), MIN_ROWS, 20);
  guint columns = has_rows
      ? ROW_LENGTH
      : CLAMP ((block + rows / 2) / rows, 1, MAX_MATRIX / rows);
  GstElement *element = gst_element_factory_make ("rtpst2022-1-fecenc", NULL);
  guint i;

  g_object_set (element, "rows", rows, "columns", columns, "pt", FEC_TYPE,
      "enable-row-fec", has_rows, NULL);
  fec->encoder = gst_harness_new_with_element (element, "sink", "src");
  gst_object_unref (element);
  element = gst_element_factory_make ("rtpst2022-1-fecdec", NULL);
  g_object_set (element, "size-time", (guint64) (8 * fec->config->group), NULL);
  fec->decoder = gst_harness_new_with_element (element, NULL, "src");
  gst_object_unref (element);
  fec->decoder_media = gst_harness_new_with_element (element, "sink", NULL);
  gst_harness_set_src_caps_str (fec->decoder_media, CAPS);
  for (i = 0; i < 2; i++) {
    g_autofree gchar *pad = g_strdup_printf ("fec_%u", i);

    fec->encoder_fec[i] =
        gst_harness_new_with_element (fec->encoder->element, NULL, pad);
    fec->decoder_fec[i] = gst_harness_new_with_element (element, pad, NULL);
    gst_harness_set_src_caps_str (fec->decoder_fec[i], "application/x-rtp");
  }

  return g_strdup_printf ("rtpst2022-1-fecenc, %u columns of %u%s", columns,
      rows, has_rows ? ", and rows" : "");
}

/* A key frame restarts all classes. */
static void
note_picture (gboolean *good, const TestRepairPicture *picture, gboolean whole)
{
  guint klass;

  if (!picture->switch_point) {
    good[picture->klass] &= whole;
    return;
  }
  good[picture->klass] = whole;
  for (klass = 1; picture->klass == 0 && klass < LMCC_MAX_CLASSES; klass++)
    good[klass] = whole;
}

/* As in the receiver: a picture needs the pictures of its class and of lower
 * classes since their switch points. */
static void
judge (Fec *fec)
{
  gboolean good[LMCC_MAX_CLASSES] = { FALSE };
  guint i, klass;

  for (i = 0; i < fec->outcomes->len; i++) {
    const Outcome *outcome = &g_array_index (fec->outcomes, Outcome, i);
    const TestRepairPicture *picture = get_picture (fec, i);
    gboolean whole = outcome->came >= outcome->count, decodable = TRUE;

    note_picture (good, picture, whole);
    for (klass = 0; klass <= picture->klass; klass++)
      decodable &= good[klass];
    fec->result->n_pictures++;
    fec->result->n_whole += whole;
    fec->result->n_decodable += decodable;
  }
}

static void
clear (Fec *fec)
{
  guint i;

  for (i = 0; i < 2; i++) {
    g_clear_pointer (&fec->encoder_fec[i], gst_harness_teardown);
    g_clear_pointer (&fec->decoder_fec[i], gst_harness_teardown);
  }
  g_clear_pointer (&fec->decoder_media, gst_harness_teardown);
  g_clear_pointer (&fec->decoder, gst_harness_teardown);
  g_clear_pointer (&fec->storage, gst_harness_teardown);
  gst_harness_teardown (fec->encoder);
  g_hash_table_unref (fec->seen);
  g_array_unref (fec->outcomes);
  g_rand_free (fec->random);
}

/**
 * test_fec_run:
 * @config: pictures, path and seed
 * @scheme: the forward error correction
 * @overhead: allowed overhead, as a share of the media
 * @block: approximate number of packets in a group, or in a matrix for 2022-1
 * @result: (out): the counted pictures and packets
 *
 * All media is one RTP stream, regardless of the layers in @config.
 *
 * Returns: (transfer full): the settings used
 */
gchar *
test_fec_run (const TestRepairConfig *config, TestFecScheme scheme,
    gdouble overhead, guint block, TestRepairResult *result)
{
  Fec fec = { .config = config, .scheme = scheme, .result = result };
  guint number;
  gchar *text;

  memset (result, 0, sizeof (*result));
  fec.random = g_rand_new_with_seed (config->seed);
  fec.outcomes = g_array_new (FALSE, FALSE, sizeof (Outcome));
  fec.seen = g_hash_table_new (NULL, NULL);
  g_queue_init (&fec.waiting);
  text = scheme == TEST_FEC_ULP ? start_ulp (&fec, overhead)
                                : start_2022_1 (&fec, overhead, block);
  gst_harness_set_src_caps_str (fec.encoder, CAPS);
  for (number = 0; get_time (&fec, number) < config->seconds * GST_SECOND;
       number++) {
    send_picture (&fec, number);
    if (get_time (&fec, number) > config->group)
      decode_until (&fec, get_time (&fec, number) - config->group);
  }
  decode_until (&fec, GST_CLOCK_TIME_NONE);
  judge (&fec);
  clear (&fec);

  return text;
}
