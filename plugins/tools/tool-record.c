/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Writes a session into a file as it was encoded. Each format here is one that
 * can be played up to where its writer was killed.
 */
#include "tool-record.h"

#include "tool-receiver.h"

#include <glib/gstdio.h>
#include <string.h>

/* What is lost of an MP4 file where the machine fails, at most, ms. */
#define FRAGMENT_DURATION "1000"

/* A stream may begin so much later than the other, ns: a muxer waits for
 * both. */
#define MAX_AHEAD 30000000000

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
 * @muxer_pad: (owned) (nullable): where it goes
 * @has_segment: the first one has come
 * @has_caps: likewise, for the muxer
 */
typedef struct
{
  Record *record;
  const gchar *source_pad;
  GstPad *muxer_pad;
  gboolean has_segment;
  gboolean has_caps;
} RecordStream;

/**
 * Record:
 * @began: the file is being written; atomic
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
  tool_error ("--record=%s: the name says the format; let it end in .mkv, "
              ".webm or .mp4",
      path);

  return NULL;
}

static gboolean
check_path (const gchar *path)
{
  g_autofree gchar *directory = g_path_get_dirname (path);

  if (g_file_test (path, G_FILE_TEST_EXISTS))
    tool_error ("--record=%s is there already; name another file, or delete "
                "it first",
        path);
  else if (!g_file_test (directory, G_FILE_TEST_IS_DIR))
    tool_error ("--record=%s: there is no directory %s; make it first", path,
        directory);
  else
    return TRUE;

  return FALSE;
}

static gboolean
check_element (const gchar *name, const gchar *package)
{
  g_autoptr (GstElementFactory) factory = gst_element_factory_find (name);

  if (factory != NULL)
    return TRUE;
  tool_error ("there is no element %s; install %s (so Debian calls it)", name,
      package);

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

/* lmccsrc's threads call what follows, up to the next such comment. */

/* From a parsed stream to the muxer. Times of decoding are not in RTP. The
 * forms of H.264 and H.265 have parameter sets beside the pictures, so that
 * those of another encoding may follow. */
static gchar *
describe_chain (const gchar *media_type)
{
  const gchar *queue = "queue max-size-buffers=0 max-size-bytes=0 "
                       "max-size-time=" G_STRINGIFY (MAX_AHEAD);

  if (g_str_equal (media_type, "video/x-h264"))
    return g_strconcat (
        "h264parse config-interval=-1 ! "
        "video/x-h264,stream-format=avc3,alignment=au ! h264timestamper ! ",
        queue, NULL);
  if (g_str_equal (media_type, "video/x-h265"))
    return g_strconcat (
        "h265parse config-interval=-1 ! "
        "video/x-h265,stream-format=hev1,alignment=au ! h265timestamper ! ",
        queue, NULL);

  return g_strdup (queue);
}

static void
fail (RecordStream *stream, const gchar *media_type, const gchar *cause)
{
  Record *record = stream->record;

  g_atomic_int_set (&record->failed, TRUE);
  GST_ELEMENT_ERROR (record->receiver.source, STREAM, MUX,
      ("%s cannot be recorded in %s%s%s; try .mkv", media_type, record->path,
          cause != NULL ? ": " : "", cause != NULL ? cause : ""),
      (NULL));
}

/* Muxers take no other caps than the first ones. They need not know of another
 * encoding: its parameter sets are beside its pictures, where decoders find
 * them. */
static GstPadProbeReturn
on_muxer_event (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info,
    gpointer user_data)
{
  RecordStream *stream = user_data;

  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) != GST_EVENT_CAPS)
    return GST_PAD_PROBE_OK;
  if (stream->has_caps)
    return GST_PAD_PROBE_DROP;
  stream->has_caps = TRUE;

  return GST_PAD_PROBE_OK;
}

/* Of what a session's depayloader and parser have made one stream. */
static void
on_parsed (GstElement *parser G_GNUC_UNUSED, GstPad *pad, RecordStream *stream)
{
  Record *record = stream->record;
  g_autoptr (GstCaps) caps = gst_pad_query_caps (pad, NULL);
  const gchar *media_type = gst_caps_get_size (caps) > 0
      ? gst_structure_get_name (gst_caps_get_structure (caps, 0))
      : "a stream of no known format";
  g_autofree gchar *text = describe_chain (media_type);
  g_autoptr (GError) error = NULL;
  g_autoptr (GstPad) in = NULL, out = NULL;
  GstElement *chain;

  if (strstr (record->container->takes, media_type) == NULL) {
    fail (stream, media_type, "the format does not take it");
    return;
  }
  chain = gst_parse_bin_from_description (text, TRUE, &error);
  if (chain == NULL) {
    fail (stream, media_type, error->message);
    return;
  }
  gst_bin_add (GST_BIN (record->receiver.pipeline), chain);
  in = gst_element_get_static_pad (chain, "sink");
  out = gst_element_get_static_pad (chain, "src");
  gst_pad_add_probe (stream->muxer_pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      on_muxer_event, stream, NULL);
  if (gst_pad_link (out, stream->muxer_pad) != GST_PAD_LINK_OK
      || !gst_element_sync_state_with_parent (chain)
      || gst_pad_link (pad, in) != GST_PAD_LINK_OK)
    fail (stream, media_type, NULL);
}

/* All its segments have running times. What a decoder needs after a change to a
 * lower encoding lies before its segment, and a muxer would drop it. */
static GstPadProbeReturn
on_event (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer user_data)
{
  RecordStream *stream = user_data;

  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) != GST_EVENT_SEGMENT)
    return GST_PAD_PROBE_OK;
  if (stream->has_segment)
    return GST_PAD_PROBE_DROP;
  stream->has_segment = TRUE;

  return GST_PAD_PROBE_OK;
}

static gboolean
add_stream (RecordStream *stream, const gchar *muxer_pad)
{
  Record *record = stream->record;
  ToolReceiver *receiver = &record->receiver;
  GstElement *parser = gst_element_factory_make ("parsebin", NULL);
  g_autoptr (GstPad) pad =
      gst_element_get_static_pad (receiver->source, stream->source_pad);

  stream->muxer_pad = gst_element_request_pad_simple (record->muxer, muxer_pad);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_event, stream,
      NULL);
  g_signal_connect (parser, "pad-added", G_CALLBACK (on_parsed), stream);
  gst_bin_add (GST_BIN (receiver->pipeline), parser);

  return stream->muxer_pad != NULL
      && gst_element_sync_state_with_parent (parser)
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

/* A muxer has to know all its streams before the first packet of any. */
static void
on_no_more_pads (GstElement *source, Record *record)
{
  g_autoptr (GstPad) sound = gst_element_get_static_pad (source, "audio");

  if (!g_atomic_int_compare_and_exchange (&record->began, FALSE, TRUE))
    return;
  if (!add_writer (record))
    return; /* The cause is on the bus. */
  if (!add_stream (&record->video, "video_%u")
      || (sound != NULL && !add_stream (&record->sound, "audio_%u")))
    GST_ELEMENT_ERROR (source, STREAM, MUX,
        ("The session cannot be recorded in %s", record->path), (NULL));
  else
    tool_error ("recording into %s; Ctrl-C ends it", record->path);
}

/* From here on the main loop. */

static gboolean
finish (ToolReceiver *receiver)
{
  Record *record = (Record *) receiver;

  return g_atomic_int_get (&record->began)
      && !g_atomic_int_get (&record->failed)
      && gst_element_send_event (receiver->source, gst_event_new_eos ());
}

/* A file that nothing was written to is of no use. */
static void
remove_empty (const Record *record)
{
  GStatBuf status;

  if (record->began && g_stat (record->path, &status) == 0
      && status.st_size == 0)
    g_unlink (record->path);
}

static void
record_clear (Record *record)
{
  tool_receiver_clear (&record->receiver);
  gst_clear_object (&record->video.muxer_pad);
  gst_clear_object (&record->sound.muxer_pad);
  gst_clear_object (&record->muxer);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Record, record_clear)

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
  gint status;

  record.path = path;
  record.container = find_container (path);
  record.video = (RecordStream){ .record = &record, .source_pad = "src" };
  record.sound = (RecordStream){ .record = &record, .source_pad = "audio" };
  if (record.container == NULL || !check_path (path)
      || !tool_receiver_open (&record.receiver, uri))
    return TOOL_EXIT_USAGE;
  if (!check_elements (record.container))
    return TOOL_EXIT_FAILURE;
  g_object_set (record.receiver.source, "eos-on-bye", TRUE, NULL);
  g_signal_connect (record.receiver.source, "no-more-pads",
      G_CALLBACK (on_no_more_pads), &record);
  status = tool_receiver_run (&record.receiver);
  if (status == TOOL_EXIT_OK)
    tool_error ("%s is complete", path);
  else
    remove_empty (&record);

  return status;
}
