/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Format parameters of audio, and an encoder for raw audio. */
#include "config.h"

#include "sink/core.h"

#include <string.h>

/* RFC 7587 section 7: Opus has one sample rate, and up to two channels. */
#define ENCODER                                            \
  "audioconvert ! audioresample ! audio/x-raw,rate=48000," \
  "channels=[1,2] ! opusenc"

/* Copies it without spaces. */
static gboolean
copy_parameters (const gchar *at, gchar parameters[LMCC_PARAMETERS_SIZE])
{
  gsize n = 0;

  for (; *at; at++) {
    if (*at == ' ')
      continue;
    if (n + 1 == LMCC_PARAMETERS_SIZE)
      return FALSE;
    parameters[n++] = *at;
  }
  return TRUE;
}

/**
 * gst_lmcc_sink_sound_read_parameters:
 * @caps: caps of an RTP stream
 * @parameters: (out): its format parameters, as in a=fmtp
 *
 * Returns: %FALSE if they are too long
 */
gboolean
gst_lmcc_sink_sound_read_parameters (GstCaps *caps,
    gchar parameters[LMCC_PARAMETERS_SIZE])
{
  g_autofree gchar *fmtp = gst_lmcc_sink_read_parameters (caps);

  memset (parameters, 0, LMCC_PARAMETERS_SIZE);
  return fmtp == NULL || copy_parameters (fmtp, parameters);
}

/**
 * gst_lmcc_sink_sound_marker_ends_unit:
 * @media: an audio format
 *
 * Returns: whether the marker is in the last packet of an access unit (RFC 3640
 * section 3.1, RFC 6416 section 6.1). In other formats it begins a talkspurt
 * (RFC 3551 section 4.1), and each packet is a unit of its own
 */
gboolean
gst_lmcc_sink_sound_marker_ends_unit (const LmccMedia *media)
{
  return g_ascii_strcasecmp (media->encoding_name, "MPEG4-GENERIC") == 0
      || g_ascii_strcasecmp (media->encoding_name, "MP4A-LATM") == 0;
}

/**
 * gst_lmcc_sink_sound_make_encoder:
 * @error: the missing element
 *
 * Returns: (transfer floating) (nullable): an encoder from raw audio to Opus
 */
GstElement *
gst_lmcc_sink_sound_make_encoder (GError **error)
{
  return gst_parse_bin_from_description_full (ENCODER, TRUE, NULL,
      GST_PARSE_FLAG_FATAL_ERRORS, error);
}
