/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The only place that accepts sessions from the network: only as a whole,
 * with values in range, and as the user permits. Packets are accepted if
 * they belong to that session.
 */
#include <glib/gi18n-lib.h>
#include <gst/lmcc/lmcc-sdp.h>
#include "receiver/actions.h"
#include "receiver/door.h"
#include "receiver/private.h"
#include "wire/constants.h"

/* The codecs that lmccsink can classify, and the sound codecs that it
 * accepts. A forged record must not select arbitrary depayloaders and
 * decoders of the host. */
static const gchar *const usual_codecs[] = { "H264", "H265", "VP8", "VP9",
  "JPEG2000", "OPUS", "MPEG4-GENERIC", "MP4A-LATM", NULL };

/**
 * lmcc_session_codec_is_usual:
 * @name: an encoding name, in upper or lower case
 *
 * Checks whether receivers accept sessions with a codec by default; others must
 * be named in @codecs of #LmccReceiverConfig.
 *
 * Returns: whether receivers accept the codec by default
 */
gboolean
lmcc_session_codec_is_usual (const gchar *name)
{
  guint i;

  for (i = 0; usual_codecs[i] != NULL; i++) {
    if (g_ascii_strcasecmp (usual_codecs[i], name) == 0)
      return TRUE;
  }

  return FALSE;
}

static gboolean
codec_is_allowed (const LmccReceiver *receiver, const gchar *name)
{
  guint i;

  if (name[0] == '\0' || lmcc_session_codec_is_usual (name))
    return TRUE;
  for (i = 0; receiver->codecs != NULL && receiver->codecs[i] != NULL; i++) {
    if (g_ascii_strcasecmp (receiver->codecs[i], name) == 0)
      return TRUE;
  }

  return FALSE;
}

static void
refuse_codec (LmccReceiver *receiver, const LmccSession *session)
{
  const gchar *name = codec_is_allowed (receiver, session->video.encoding_name)
      ? session->sound.encoding_name
      : session->video.encoding_name;
  g_autofree gchar *text = g_strdup_printf (
      _ ("a session with the codec %s is refused, because the codec is not "
         "accepted by default. To accept it, set codecs=%s"),
      name, name);

  receiver->any_refused = TRUE;
  lmcc_receiver_warn (receiver, LMCC_WARNING_CODEC,
      lmcc_receiver_intern (receiver, text,
          N_ ("a session is refused, because its codec is not accepted by "
              "default. To accept it, add it to codecs")));
}

/*
 * lmcc_receiver_admits:
 * @receiver: a receiver
 * @session: a session from any origin
 *
 * Decides whether the receiver accepts a session. Refused ones are counted.
 *
 * Returns: whether @receiver may act on @session
 */
gboolean
lmcc_receiver_admits (LmccReceiver *receiver, const LmccSession *session)
{
  if (!lmcc_session_validate (session, NULL)
      || !lmcc_address_equal (&session->address, &receiver->config.address)) {
    lmcc_receiver_drop (receiver, LMCC_DROP_BAD_RECORD);
    return FALSE;
  }
  if (!codec_is_allowed (receiver, session->video.encoding_name)
      || !codec_is_allowed (receiver, session->sound.encoding_name)) {
    refuse_codec (receiver, session);
    lmcc_receiver_drop (receiver, LMCC_DROP_BAD_RECORD);
    return FALSE;
  }

  return TRUE;
}

/*
 * lmcc_receiver_read_record:
 * @receiver: a receiver
 * @assembler: (nullable): assembler for the fragments of one sender; may be
 *     %NULL if the record is a single fragment
 * @fragment: fragment of a record
 * @session: (out): the record, if it is complete and accepted
 *
 * Returns: whether @session was set
 */
gboolean
lmcc_receiver_read_record (LmccReceiver *receiver,
    LmccRecordAssembler *assembler, const LmccRecordFragment *fragment,
    LmccSession *session)
{
  g_autofree gchar *text = lmcc_record_assembler_push (assembler, fragment);

  if (text == NULL)
    return FALSE;
  if (!lmcc_sdp_parse (text, -1, session, NULL)
      || session->ssrc_base != fragment->ssrc) {
    lmcc_receiver_drop (receiver, LMCC_DROP_BAD_RECORD);
    return FALSE;
  }

  return lmcc_receiver_admits (receiver, session);
}

static gboolean
ssrc_fits (const LmccSession *session, const LmccRtp *rtp,
    const LmccHeader *header)
{
  switch (header->type) {
    case LMCC_PACKET_MEDIA:
      return rtp->ssrc
          == lmcc_session_ssrc (session, header->stream, header->layer);
    case LMCC_PACKET_REPAIR:
      return rtp->ssrc == lmcc_session_repair_ssrc (session, header->layer);
    default:
      return rtp->ssrc == session->ssrc_base + LMCC_SSRC_FILLER + header->layer;
  }
}

static gboolean
payload_type_fits (const LmccSession *session, const LmccRtp *rtp,
    const LmccHeader *header)
{
  switch (header->type) {
    case LMCC_PACKET_MEDIA:
      return rtp->payload_type == session->payload_type + header->stream;
    case LMCC_PACKET_REPAIR:
      return rtp->payload_type == session->repair_payload_type;
    default:
      return rtp->payload_type == session->filler_payload_type;
  }
}

/*
 * lmcc_receiver_packet_fits:
 * @session: a session
 * @rtp: a packet's RTP header
 * @header: the packet's header element
 *
 * Returns: whether the packet can belong to @session
 */
gboolean
lmcc_receiver_packet_fits (const LmccSession *session, const LmccRtp *rtp,
    const LmccHeader *header)
{
  return ssrc_fits (session, rtp, header)
      && payload_type_fits (session, rtp, header);
}

/* Whether the packet belongs to the session and comes from the accepted
 * sender. */
gboolean
lmcc_receiver_packet_belongs (LmccReceiver *receiver, const LmccAddress *source,
    const LmccRtp *rtp, const LmccHeader *header)
{
  LmccDrop why;

  if (!receiver->have_session)
    why = LMCC_DROP_BEFORE_RECORD;
  else if (!lmcc_address_equal (&receiver->source, source))
    why = LMCC_DROP_FOREIGN_SOURCE;
  else if (!ssrc_fits (&receiver->session, rtp, header))
    why = LMCC_DROP_FOREIGN_SSRC;
  else if (!payload_type_fits (&receiver->session, rtp, header))
    why = LMCC_DROP_UNKNOWN_TYPE;
  else
    return TRUE;
  lmcc_receiver_drop (receiver, why);

  return FALSE;
}
