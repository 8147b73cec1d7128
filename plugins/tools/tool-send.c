/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tool-launch.h"

#include <gst/lmcc/lmcc-rates.h>

#include <gst/pbutils/pbutils.h>
#include <stdio.h>
#include <string.h>

#include "tool.h"
#include "tool-parser.h"

#define FILM "big-buck-bunny.mp4"
#define INSTALLED_FILM GST_LMCC_DATADIR "/" FILM
#define CAMERA "/dev/video0"

#define DEFAULT_RATES "150k,400k,1M"
#define DEFAULT_SIZE "640x360"

/* Marks a number that was not given. */
#define NOT_GIVEN G_MININT

/* The limit of x264ladderenc. */
#define LEAST_RATE 16000

#define DISCOVERER_TIMEOUT (10 * GST_SECOND)

typedef struct
{
  const gchar *input;
  gchar *address;
  gint port;
  gchar *iface;
  gint ttl;
  gchar *rates;
  gchar *size;
  guint width;
  guint height;
  gchar *sdp;
  gboolean no_sound;
  gboolean once;
} Send;

static void
send_clear (Send *send)
{
  g_free (send->address);
  g_free (send->iface);
  g_free (send->rates);
  g_free (send->size);
  g_free (send->sdp);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Send, send_clear);

static gboolean
rates_are_valid (const gchar *text)
{
  gdouble rates[LMCC_MAX_LAYERS];
  guint n = lmcc_rates_parse (text, rates, NULL), i;

  for (i = 0; i < n; i++) {
    if (rates[i] < LEAST_RATE)
      return FALSE;
  }

  return n > 0;
}

static gboolean
number_is_valid (const gchar *option, gint value, gint least, gint most)
{
  if (value == NOT_GIVEN || (value >= least && value <= most))
    return TRUE;

  tool_error (_ ("%s=%d is out of range; write %d to %d"), option, value, least,
      most);
  return FALSE;
}

static gboolean
check_options (Send *send)
{
  const gchar *size = send->size != NULL ? send->size : DEFAULT_SIZE;
  gchar rest;

  if (sscanf (size,
          "%5u"
          "x%5u%c",
          &send->width, &send->height, &rest)
          != 2
      || send->width == 0 || send->height == 0) {
    tool_error (_ ("--size=%s is not a size; write one such as %s"), size,
        DEFAULT_SIZE);
    return FALSE;
  }
  if (send->rates != NULL && !rates_are_valid (send->rates)) {
    tool_error (
        _ ("--rates=%s are not rates; write bit/s, separated by commas, "
           "such as %s"),
        send->rates, DEFAULT_RATES);
    return FALSE;
  }

  /* RTCP needs the next port too. */
  return number_is_valid ("--port", send->port, 1, 65534)
      && number_is_valid ("--ttl-mc", send->ttl, 0, 255);
}

/* Prints an error if the file cannot be read. */
static gboolean
look_into (const gchar *path, gboolean *has_sound)
{
  g_autoptr (GError) error = NULL;
  g_autofree gchar *uri = NULL;
  g_autoptr (GstDiscoverer) discoverer = NULL;
  g_autoptr (GstDiscovererInfo) info = NULL;
  GstDiscovererResult result;
  GList *sounds;

  uri = gst_filename_to_uri (path, &error);
  if (uri != NULL)
    discoverer = gst_discoverer_new (DISCOVERER_TIMEOUT, &error);
  if (discoverer != NULL)
    info = gst_discoverer_discover_uri (discoverer, uri, &error);
  result = info != NULL ? gst_discoverer_info_get_result (info)
                        : GST_DISCOVERER_ERROR;
  if (result == GST_DISCOVERER_ERROR || result == GST_DISCOVERER_URI_INVALID) {
    tool_error (_ ("cannot read %s: %s; give a film, camera or test"), path,
        error != NULL ? error->message : _ ("it is not a film"));
    return FALSE;
  }
  sounds = gst_discoverer_info_get_audio_streams (info);
  *has_sound = sounds != NULL;
  gst_discoverer_stream_info_list_free (sounds);

  return TRUE;
}

static void
add_film (GPtrArray *line, const gchar *path, gboolean sound)
{
  tool_line_add (line, "filesrc", NULL);
  tool_line_set (line, "location", path);
  if (sound)
    tool_line_add (line, "!", "decodebin", "name=film",
        "caps=video/x-raw(ANY);audio/x-raw(ANY)", "expose-all-streams=false",
        "film.", "!", "video/x-raw(ANY)", "!", "queue", NULL);
  else
    tool_line_add (line, "!", "decodebin", "caps=video/x-raw(ANY)",
        "expose-all-streams=false", NULL);
}

static void
add_sink (GPtrArray *line, const Send *send)
{
  g_autofree gchar *caps = g_strdup_printf ("video/x-raw,width=%u,height=%u,"
                                            "pixel-aspect-ratio=1/1",
      send->width, send->height);
  g_autofree gchar *settings = g_strdup_printf ("encoder-settings=x264,"
                                                "bitrates=\"%s\"",
      send->rates != NULL ? send->rates : DEFAULT_RATES);
  g_autofree gchar *port = g_strdup_printf ("%d", send->port);
  g_autofree gchar *ttl = g_strdup_printf ("%d", send->ttl);

  tool_line_add (line, "!", "videoconvert", "!", "videoscale", "!", caps, "!",
      "lmccsink", "name=lmcc", NULL);
  tool_line_set (line, "address",
      send->address != NULL ? send->address : TOOL_DEFAULT_ADDRESS);
  if (send->port != NOT_GIVEN)
    tool_line_set (line, "port", port);
  if (send->iface != NULL)
    tool_line_set (line, "multicast-iface", send->iface);
  if (send->ttl != NOT_GIVEN)
    tool_line_set (line, "ttl-mc", ttl);
  if (send->sdp != NULL)
    tool_line_set (line, "sdp-location", send->sdp);
  tool_line_add (line, settings, NULL);
}

static void
add_sound (GPtrArray *line, gboolean film)
{
  if (film)
    tool_line_add (line, "film.", "!", "audio/x-raw(ANY)", "!", "queue", NULL);
  else
    tool_line_add (line, "audiotestsrc", "is-live=true", "wave=ticks", NULL);
  tool_line_add (line, "!", "audioconvert", "!", "audioresample", "!",
      "audio/x-raw,channels=[1,2]", "!", "opusenc", "!", "lmcc.audio_sink",
      NULL);
}

/* Returns: (nullable): the line, and whether it has an end */
static GPtrArray *
make_line (const Send *send, gboolean *ends)
{
  g_autoptr (GPtrArray) line = g_ptr_array_new_with_free_func (g_free);
  gboolean sound = !send->no_sound;

  *ends = FALSE;
  tool_line_add (line, "gst-launch-1.0", NULL);
  if (g_str_equal (send->input, "camera")) {
    if (!g_file_test (CAMERA, G_FILE_TEST_EXISTS)) {
      tool_error (_ ("there is no camera (%s); try test instead"), CAMERA);
      return NULL;
    }
    sound = FALSE;
    tool_line_add (line, "v4l2src", "!", "decodebin", NULL);
  } else if (g_str_equal (send->input, "test")) {
    tool_line_add (line, "videotestsrc", "is-live=true", "pattern=ball", NULL);
  } else {
    gboolean has_sound = FALSE;

    if (!g_file_test (send->input, G_FILE_TEST_IS_REGULAR)) {
      tool_error (_ ("the file %s does not exist; give a film, camera or test"),
          send->input);
      return NULL;
    }
    if (!look_into (send->input, &has_sound))
      return NULL;
    *ends = TRUE;
    sound = sound && has_sound;
    add_film (line, send->input, sound);
  }
  add_sink (line, send);
  if (sound)
    add_sound (line, *ends);

  return g_steal_pointer (&line);
}

gint
tool_send (gint argc, gchar **argv)
{
  g_auto (Send) send = { .port = NOT_GIVEN, .ttl = NOT_GIVEN };
  const GOptionEntry entries[] = {
    { "address", 0, 0, G_OPTION_ARG_STRING, &send.address,
        N_ ("Base group; layer i uses the i-th address after it "
            "(default 239.255.42.1)"),
        "ADDRESS" },
    { "port", 0, 0, G_OPTION_ARG_INT, &send.port,
        N_ ("UDP port (default 5004)"), "PORT" },
    { "multicast-iface", 0, 0, G_OPTION_ARG_STRING, &send.iface,
        N_ ("Interface to send on, or several, such as eth0,eth1 "
            "(default: the kernel's route, or loopback without a "
            "route)"),
        "IFACE" },
    { "ttl-mc", 0, 0, G_OPTION_ARG_INT, &send.ttl,
        N_ ("Number of routers that packets may pass, plus one "
            "(default 1, this network only)"),
        "NUMBER" },
    { "rates", 0, 0, G_OPTION_ARG_STRING, &send.rates,
        N_ ("Bitrates of the encodings (bit/s), lowest first (default "
            "150k,400k,1M)"),
        "RATE,RATE..." },
    { "size", 0, 0, G_OPTION_ARG_STRING, &send.size,
        N_ ("Picture size (default 640x360)"), "WIDTHxHEIGHT" },
    { "sdp", 0, 0, G_OPTION_ARG_FILENAME, &send.sdp,
        N_ ("Write the session description (SDP) to this file"), "FILE" },
    { "no-sound", 0, 0, G_OPTION_ARG_NONE, &send.no_sound,
        N_ ("Send the pictures without sound"), NULL },
    { "once", 0, 0, G_OPTION_ARG_NONE, &send.once,
        N_ ("Do not repeat the film"), NULL },
    { NULL }
  };
  g_autoptr (ToolParser) parser = tool_parser_new ("[FILE|camera|test]",
      N_ ("Sends several x264 encodings of the same pictures, three "
          "unless --rates\n"
          "says otherwise, one in each layer, until stopped. The "
          "sound of a film is sent\n"
          "with them, as Opus in the base layer. FILE is any film, "
          "which is repeated\n"
          "(default: Big Buck Bunny), camera is /dev/video0, test a "
          "moving ball and\n"
          "ticks. Prints the gst-launch-1.0 line that it runs."));
  g_autofree gchar *film = tool_find_file (FILM, INSTALLED_FILM);
  g_autoptr (GPtrArray) line = NULL;
  gboolean ends;

  tool_parser_add (parser, entries);
  tool_parser_add_gstreamer (parser);
  if (!tool_parser_parse (parser, &argc, &argv)
      || (argc > 1 && !tool_single_argument (argc, argv, "film"))
      || !check_options (&send))
    return TOOL_EXIT_USAGE;
  send.input = argc > 1 ? argv[1] : film;

  if (!tool_has_lmcc ("lmccsink"))
    return TOOL_EXIT_FAILURE;
  line = make_line (&send, &ends);
  if (line == NULL)
    return TOOL_EXIT_FAILURE;

  return ends && !send.once
      ? tool_line_repeat (line, _ ("The film is over and starts again."))
      : tool_line_run (line);
}
