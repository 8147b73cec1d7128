/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Records a session without re-encoding. Each format can be played up to the
 * point where its writer was killed.
 */
#include "tool-record.h"

#include "record-file.h"
#include "record-times.h"
#include "tool-receiver.h"

#include <string.h>

/* Longest part of an MP4 file that is lost if the machine fails, in ms. */
#define FRAGMENT_DURATION "1000"

/* A muxer waits for both streams. One may be later than the other by this time,
 * in ns, which is that of a full queue, and longer than the following one. */
#define MAX_AHEAD 30000000000

/* A stream from which nothing arrives while the other goes on for this time, in
 * ns, is recorded no longer. Pictures may begin as late as the next key frame;
 * x264enc makes one every 250 pictures. */
#define PATIENCE (20 * GST_SECOND)

/* A pause of this length, in ns, does not count as going on. */
#define PAUSE GST_SECOND

/**
 * Container:
 * @suffix: of the file's name
 * @muxer: the element that writes it
 * @property: of the muxer, that gets @value
 * @takes: media types, with blanks between
 */
typedef struct
{
  const gchar *suffix;
  const gchar *muxer;
  const gchar *property;
  const gchar *value;
  const gchar *takes;
} Container;

static const Container containers[] = {
  { ".mkv", "matroskamux", "offset-to-zero", "true",
      "video/x-h264 video/x-h265 video/x-vp8 video/x-vp9 audio/x-opus "
      "audio/mpeg" },
  { ".webm", "webmmux", "offset-to-zero", "true",
      "video/x-vp8 video/x-vp9 audio/x-opus" },
  /* mp4mux of GStreamer 1.22 crashes with VP9 in fragments. */
  { ".mp4", "mp4mux", "fragment-duration", FRAGMENT_DURATION,
      "video/x-h264 video/x-h265 audio/x-opus audio/mpeg" },
};

typedef struct _Record Record;

/**
 * RecordStream:
 * @source_pad: name of lmccsrc's pad
 * @muxer_pad: template of the muxer's pad
 * @what: what it has, for the user, marked for translation
 * @has_segment: the first one has come
 * @has_caps: likewise, for the muxer
 * @times: how they change on the way
 *
 * The others are under the record's lock:
 *
 * @exists: the session has it
 * @chain: (nullable): what leads to the muxer
 * @out: (owned) (nullable): where it ends
 * @block: what holds the stream up there, until the muxer has all streams
 * @is_ready: something has come there
 * @is_over: nothing of it is recorded any more
 * @newest: the latest time that came, or none
 * @alone_since: since when it goes on and nothing of the other comes, or none
 */
typedef struct
{
  Record *record;
  const gchar *source_pad;
  const gchar *muxer_pad;
  const gchar *what;
  gboolean has_segment;
  gboolean has_caps;
  RecordTimes times;

  gboolean exists;
  GstElement *chain;
  GstPad *out;
  gulong block;
  gboolean is_ready;
  gboolean is_over;
  GstClockTime newest;
  GstClockTime alone_since;
} RecordStream;

/**
 * Record:
 * @joined: the muxer has its streams; under @lock
 * @made: the file is there; atomic
 * @began: it is being written; atomic
 * @failed: it cannot be; atomic
 */
struct _Record
{
  ToolReceiver receiver;
  const Container *container;
  const gchar *path;
  GstElement *muxer;
  RecordStream video;
  RecordStream sound;
  GMutex lock;
  gboolean joined;
  gint made;
  gint began;
  gint failed;
};

static const Container *
find_container (const gchar *path)
{
  g_autofree gchar *name = g_ascii_strdown (path, -1);
  guint i;

  for (i = 0; i < G_N_ELEMENTS (containers); i++) {
    if (g_str_has_suffix (name, containers[i].suffix))
      return &containers[i];
  }
  tool_error (_ ("--record=%s: the name tells the format; let it end in "
                 ".mkv, .webm or .mp4"),
      path);

  return NULL;
}

static gboolean
check_path (const gchar *path)
{
  g_autoptr (GError) error = NULL;

  if (record_file_check (path, &error))
    return TRUE;
  tool_error ("%s", error->message);

  return FALSE;
}

static gboolean
check_element (const gchar *name, const gchar *package)
{
  g_autoptr (GstElementFactory) factory = gst_element_factory_find (name);

  if (factory != NULL)
    return TRUE;
  tool_error (_ ("there is no element %s; install %s (the Debian package)"),
      name, package);

  return FALSE;
}

static gboolean
check_elements (const Container *container)
{
  return check_element (container->muxer, "gstreamer1.0-plugins-good")
      && check_element ("parsebin", "gstreamer1.0-plugins-base")
      && check_element ("h264parse", "gstreamer1.0-plugins-bad")
      && check_element ("h264timestamper", "gstreamer1.0-plugins-bad");
}

/* lmccsrc's threads call the functions from here to the next such comment. */

/* Elements from a parsed stream to the muxer. RTP has no decoding times. The
 * formats of H.264 and H.265 keep parameter sets in the stream, so that another
 * encoding may follow. */
static gchar *
describe_chain (const gchar *media_type)
{
  const gchar *queue = "queue max-size-buffers=0 max-size-bytes=0 "
                       "max-size-time=" G_STRINGIFY (MAX_AHEAD);

  if (g_str_equal (media_type, "video/x-h264"))
    return g_strconcat ("h264parse config-interval=-1 ! "
                        "video/x-h264,stream-format=avc3,alignment=au ! "
                        "h264timestamper name=" RECORD_TIMESTAMPER " ! ",
        queue, NULL);
  if (g_str_equal (media_type, "video/x-h265"))
    return g_strconcat ("h265parse config-interval=-1 ! "
                        "video/x-h265,stream-format=hev1,alignment=au ! "
                        "h265timestamper name=" RECORD_TIMESTAMPER " ! ",
        queue, NULL);

  return g_strdup (queue);
}

static void
fail (RecordStream *stream, const gchar *media_type, const gchar *cause)
{
  Record *record = stream->record;

  g_atomic_int_set (&record->failed, TRUE);
  GST_ELEMENT_ERROR (record->receiver.source, STREAM, MUX,
      (_ ("%s cannot be recorded in %s%s%s; try .mkv"), media_type,
          record->path, cause != NULL ? ": " : "", cause != NULL ? cause : ""),
      (NULL));
}

/* Muxers accept no caps after the first ones. They need not know about another
 * encoding, because its parameter sets are in the stream, where decoders find
 * them. */
static GstPadProbeReturn
on_muxer_pad (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info,
    gpointer user_data)
{
  RecordStream *stream = user_data;

  if ((GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) != 0) {
    record_times_shift_buffer (&stream->times, info);
    return GST_PAD_PROBE_OK;
  }
  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_SEGMENT)
    record_times_shift_segment (info);
  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) != GST_EVENT_CAPS)
    return GST_PAD_PROBE_OK;
  if (stream->has_caps)
    return GST_PAD_PROBE_DROP;
  stream->has_caps = TRUE;

  return GST_PAD_PROBE_OK;
}

static gboolean
waits (const RecordStream *stream)
{
  return stream->exists && !stream->is_ready && !stream->is_over;
}

/* Called with the lock held. Returns: whether the caller is to link the streams
 * to the muxer */
static gboolean
begin_join (Record *record)
{
  if (record->joined || waits (&record->video) || waits (&record->sound)
      || (!record->video.is_ready && !record->sound.is_ready))
    return FALSE;
  record->joined = TRUE;

  return TRUE;
}

static gboolean
join_stream (RecordStream *stream)
{
  g_autoptr (GstPad) pad = NULL;

  if (!stream->is_ready)
    return TRUE;
  pad =
      gst_element_request_pad_simple (stream->record->muxer, stream->muxer_pad);
  if (pad == NULL)
    return FALSE;
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      on_muxer_pad, stream, NULL);

  return gst_pad_link (stream->out, pad) == GST_PAD_LINK_OK;
}

static void
let_go (RecordStream *stream)
{
  if (stream->is_ready)
    gst_pad_remove_probe (stream->out, stream->block);
}

/* A muxer must know all its streams before the first packet, and writes no
 * playable file if one of them never has a packet. */
static void
join (Record *record)
{
  if (!join_stream (&record->video) || !join_stream (&record->sound)) {
    g_atomic_int_set (&record->failed, TRUE);
    GST_ELEMENT_ERROR (record->receiver.source, STREAM, MUX,
        (_ ("The session cannot be recorded in %s; try .mkv"), record->path),
        (NULL));
  }
  let_go (&record->video);
  let_go (&record->sound);
}

/* The pipeline has no sink that would report the end. */
static void
tell_nothing_came (Record *record)
{
  GstElement *pipeline = record->receiver.pipeline;

  gst_element_post_message (pipeline,
      gst_message_new_eos (GST_OBJECT (pipeline)));
}

static gboolean
is_left (const RecordStream *stream)
{
  return stream->exists && !stream->is_over;
}

/* Ends the recording of @stream, so that the other does not wait for it. Data
 * in its parser is still written. */
static void
give_up (RecordStream *stream)
{
  Record *record = stream->record;
  g_autoptr (GstPad) in = NULL;
  gboolean joins, is_last;

  g_mutex_lock (&record->lock);
  stream->is_over = TRUE;
  if (stream->is_ready)
    in = gst_element_get_static_pad (stream->chain, "sink");
  joins = begin_join (record);
  is_last =
      !record->joined && !is_left (&record->video) && !is_left (&record->sound);
  g_mutex_unlock (&record->lock);
  if (joins)
    join (record);
  if (in != NULL)
    gst_pad_send_event (in, gst_event_new_eos ());
  if (is_last)
    tell_nothing_came (record);
}

/* Blocks the stream's data, but not the events before it. */
static GstPadProbeReturn
on_ready (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer user_data)
{
  RecordStream *stream = user_data;
  Record *record = stream->record;
  gboolean joins;

  if ((GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM)
      != 0) {
    if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_EOS)
      give_up (stream);
    return GST_PAD_PROBE_PASS;
  }
  g_mutex_lock (&record->lock);
  stream->is_ready = !stream->is_over;
  joins = begin_join (record);
  g_mutex_unlock (&record->lock);
  if (joins)
    join (record);

  return GST_PAD_PROBE_OK;
}

/* Links the stream to @chain, unless it is recorded no longer. Returns: whether
 * it is recorded */
static gboolean
set_chain (RecordStream *stream, GstElement *chain)
{
  gboolean is_over;

  g_mutex_lock (&stream->record->lock);
  is_over = stream->is_over;
  if (!is_over) {
    stream->chain = chain;
    stream->out = gst_element_get_static_pad (chain, "src");
    stream->block = gst_pad_add_probe (stream->out,
        GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER
            | GST_PAD_PROBE_TYPE_BUFFER_LIST
            | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
        on_ready, stream, NULL);
  }
  g_mutex_unlock (&stream->record->lock);

  return !is_over;
}

/* Of what a session's depayloader and parser have made one stream. */
static void
on_parsed (GstElement *parser G_GNUC_UNUSED, GstPad *pad, RecordStream *stream)
{
  Record *record = stream->record;
  g_autoptr (GstCaps) caps = gst_pad_query_caps (pad, NULL);
  const gchar *media_type = gst_caps_get_size (caps) > 0
      ? gst_structure_get_name (gst_caps_get_structure (caps, 0))
      : _ ("a stream of an unknown format");
  g_autofree gchar *text = describe_chain (media_type);
  g_autoptr (GError) error = NULL;
  g_autoptr (GstPad) in = NULL;
  GstElement *chain;

  if (strstr (record->container->takes, media_type) == NULL) {
    fail (stream, media_type, _ ("the format does not support it"));
    return;
  }
  chain = gst_parse_bin_from_description (text, TRUE, &error);
  if (chain == NULL) {
    fail (stream, media_type, error->message);
    return;
  }
  if (!set_chain (stream, chain)) {
    gst_object_unref (gst_object_ref_sink (chain));
    return;
  }
  record_times_watch (&stream->times, chain);
  gst_bin_add (GST_BIN (record->receiver.pipeline), chain);
  in = gst_element_get_static_pad (chain, "sink");
  if (!gst_element_sync_state_with_parent (chain)
      || gst_pad_link (pad, in) != GST_PAD_LINK_OK)
    fail (stream, media_type, NULL);
}

static RecordStream *
get_other (RecordStream *stream)
{
  Record *record = stream->record;

  return stream == &record->video ? &record->sound : &record->video;
}

/* Notes that @stream has arrived up to @time. Returns: (nullable): the other
 * stream, if it is missing for too long */
static RecordStream *
note_time (RecordStream *stream, GstClockTime time)
{
  RecordStream *other = get_other (stream);

  other->alone_since = GST_CLOCK_TIME_NONE;
  if (!GST_CLOCK_TIME_IS_VALID (stream->alone_since)
      || time > stream->newest + PAUSE)
    stream->alone_since = time;
  stream->newest = GST_CLOCK_TIME_IS_VALID (stream->newest)
      ? MAX (stream->newest, time)
      : time;

  return is_left (other) && stream->newest >= stream->alone_since + PATIENCE
      ? other
      : NULL;
}

static GstBuffer *
get_last_buffer (GstPadProbeInfo *info)
{
  GstBufferList *list;

  if ((GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) != 0)
    return GST_PAD_PROBE_INFO_BUFFER (info);
  list = GST_PAD_PROBE_INFO_BUFFER_LIST (info);

  return gst_buffer_list_get (list, gst_buffer_list_length (list) - 1);
}

/* The running time is that of the buffer. */
static GstPadProbeReturn
on_buffers (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info,
    gpointer user_data)
{
  RecordStream *stream = user_data, *missing = NULL;
  GstClockTime time = GST_BUFFER_PTS (get_last_buffer (info));
  gboolean over;

  g_mutex_lock (&stream->record->lock);
  over = stream->is_over;
  if (!over && GST_CLOCK_TIME_IS_VALID (time))
    missing = note_time (stream, time);
  g_mutex_unlock (&stream->record->lock);
  if (missing != NULL) {
    tool_error (_ ("no %s has arrived for %u s: %s is recorded without it "
                   "from here on"),
        _ (missing->what), (guint) (PATIENCE / GST_SECOND),
        stream->record->path);
    give_up (missing);
  }

  return over ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

/* Whether EOS of the source has nothing to push out of a parser, which would
 * call that an error. */
static gboolean
is_void (RecordStream *stream)
{
  gboolean is_void;

  g_mutex_lock (&stream->record->lock);
  is_void = !stream->is_ready || stream->is_over;
  g_mutex_unlock (&stream->record->lock);

  return is_void;
}

/* All its segments have running times. What a decoder needs after a change to a
 * lower encoding lies before its segment, and a muxer would drop it. */
static GstPadProbeReturn
on_event (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer user_data)
{
  RecordStream *stream = user_data;
  GstEventType type = GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info));

  if (type == GST_EVENT_EOS && is_void (stream)) {
    give_up (stream);
    return GST_PAD_PROBE_DROP;
  }
  if (type != GST_EVENT_SEGMENT)
    return GST_PAD_PROBE_OK;
  if (stream->has_segment)
    return GST_PAD_PROBE_DROP;
  stream->has_segment = TRUE;

  return GST_PAD_PROBE_OK;
}

static gboolean
add_stream (RecordStream *stream)
{
  Record *record = stream->record;
  ToolReceiver *receiver = &record->receiver;
  GstElement *parser = gst_element_factory_make ("parsebin", NULL);
  g_autoptr (GstPad) pad =
      gst_element_get_static_pad (receiver->source, stream->source_pad);

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_event, stream,
      NULL);
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, on_buffers,
      stream, NULL);
  g_signal_connect (parser, "pad-added", G_CALLBACK (on_parsed), stream);
  gst_bin_add (GST_BIN (receiver->pipeline), parser);

  return gst_element_sync_state_with_parent (parser)
      && gst_element_link_pads (receiver->source, stream->source_pad, parser,
          "sink");
}

static gboolean
add_writer (Record *record)
{
  const Container *container = record->container;
  GstBin *pipeline = GST_BIN (record->receiver.pipeline);
  GstElement *file = gst_element_factory_make ("filesink", NULL);

  record->muxer = gst_element_factory_make (container->muxer, NULL);
  gst_object_ref_sink (record->muxer);
  gst_util_set_object_arg (G_OBJECT (record->muxer), container->property,
      container->value);
  gst_util_set_object_arg (G_OBJECT (file), "buffer-mode", "unbuffered");
  g_object_set (file, "location", record->path, "async", FALSE, NULL);
  gst_bin_add_many (pipeline, record->muxer, file, NULL);

  return gst_element_link (record->muxer, file)
      && gst_element_sync_state_with_parent (file)
      && gst_element_sync_state_with_parent (record->muxer);
}

/* It may have appeared meanwhile. */
static gboolean
make_file (Record *record)
{
  g_autoptr (GError) error = NULL;

  if (record_file_make (record->path, &error)) {
    g_atomic_int_set (&record->made, TRUE);
    return TRUE;
  }
  g_atomic_int_set (&record->failed, TRUE);
  GST_ELEMENT_ERROR (record->receiver.source, RESOURCE, OPEN_WRITE,
      ("%s", error->message), (NULL));

  return FALSE;
}

static void
on_no_more_pads (GstElement *source, Record *record)
{
  g_autoptr (GstPad) sound = gst_element_get_static_pad (source, "audio");

  if (!g_atomic_int_compare_and_exchange (&record->began, FALSE, TRUE))
    return;
  if (!make_file (record) || !add_writer (record)) {
    g_atomic_int_set (&record->failed, TRUE);
    return; /* The cause is on the bus. */
  }
  record->video.exists = TRUE;
  record->sound.exists = sound != NULL;
  if (!add_stream (&record->video)
      || (sound != NULL && !add_stream (&record->sound))) {
    g_atomic_int_set (&record->failed, TRUE);
    GST_ELEMENT_ERROR (source, STREAM, MUX,
        (_ ("The session cannot be recorded in %s"), record->path), (NULL));
  } else
    tool_error (_ ("recording into %s; Ctrl-C ends the recording"),
        record->path);
}

/* The main loop calls the functions from here on. */

static gboolean
finish (ToolReceiver *receiver)
{
  Record *record = (Record *) receiver;

  return g_atomic_int_get (&record->began)
      && !g_atomic_int_get (&record->failed)
      && gst_element_send_event (receiver->source, gst_event_new_eos ());
}

/* The exit status, given that of the reception. */
static gint
conclude (Record *record, gint status)
{
  if (record->made && record_file_remove_empty (record->path)
      && status == TOOL_EXIT_OK) {
    tool_error (_ ("nothing arrived that could be recorded in %s"),
        record->path);
    return TOOL_EXIT_FAILURE;
  }
  if (status == TOOL_EXIT_OK)
    tool_error (_ ("%s is complete"), record->path);

  return status;
}

static void
record_clear (Record *record)
{
  tool_receiver_clear (&record->receiver);
  gst_clear_object (&record->video.out);
  gst_clear_object (&record->sound.out);
  gst_clear_object (&record->muxer);
  g_mutex_clear (&record->lock);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Record, record_clear)

static void
init_stream (Record *record, RecordStream *stream, const gchar *source_pad,
    const gchar *muxer_pad, const gchar *what)
{
  *stream = (RecordStream){
    .record = record,
    .source_pad = source_pad,
    .muxer_pad = muxer_pad,
    .what = what,
    .times = RECORD_TIMES_INIT,
    .newest = GST_CLOCK_TIME_NONE,
    .alone_since = GST_CLOCK_TIME_NONE,
  };
}

/**
 * tool_record:
 * @uri: of the session
 * @path: of the file, which must not be there
 *
 * Records until the session ends, or until it is interrupted.
 *
 * Returns: the exit status
 */
gint
tool_record (const gchar *uri, const gchar *path)
{
  static const ToolReceiverHandler handler = { .finish = finish };
  g_auto (Record) record = { .receiver = { .handler = &handler } };

  g_mutex_init (&record.lock);
  record.path = path;
  record.container = find_container (path);
  init_stream (&record, &record.video, "src", "video_%u", N_ ("picture"));
  init_stream (&record, &record.sound, "audio", "audio_%u", N_ ("sound"));
  if (record.container == NULL || !check_path (path)
      || !tool_receiver_open (&record.receiver, uri))
    return TOOL_EXIT_USAGE;
  if (!check_elements (record.container))
    return TOOL_EXIT_FAILURE;
  g_object_set (record.receiver.source, "eos-on-bye", TRUE, NULL);
  g_signal_connect (record.receiver.source, "no-more-pads",
      G_CALLBACK (on_no_more_pads), &record);

  return conclude (&record, tool_receiver_run (&record.receiver));
}
