/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What others send becomes the receiver's session here and nowhere else: as a
 * whole, in its ranges, and as the user allows.
 */
#include <gst/lmcc/lmcc-sdp.h>
#include "receiver/private.h"

/* What others send can make no more texts than this stay in memory. */
#define MAX_INTERNED 64

/* The codecs that lmccsink tells the classes of, and those of sound that it
 * takes: whoever forges a record must not choose among all the depayloaders and
 * decoders that a host happens to have. */
static const gchar *const usual_codecs[] = {
  "H264", "H265", "VP8", "VP9", "JPEG2000", "OPUS", "MPEG4-GENERIC",
  "MP4A-LATM", NULL
};

/**
 * lmcc_session_codec_is_usual:
 * @name: an encoding name, in any case
 *
 * Returns: whether receivers take it unless they are told otherwise
 */
gboolean
lmcc_session_codec_is_usual (const gchar * name)
{
  guint i;

  for (i = 0; usual_codecs[i] != NULL; i++) {
    if (g_ascii_strcasecmp (usual_codecs[i], name) == 0)
      return TRUE;
  }

  return FALSE;
}

static gboolean
codec_is_allowed (const LmccReceiver * receiver, const gchar * name)
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

/*
 * lmcc_receiver_intern:
 * @receiver: a receiver
 * @text: that has something in it that others sent
 * @instead: (transfer none): static, for when there were too many such texts
 *
 * Returns: (transfer none): @text or @instead, for good
 */
const gchar *
lmcc_receiver_intern (LmccReceiver * receiver, const gchar * text,
    const gchar * instead)
{
  if (g_quark_try_string (text) != 0)
    return g_intern_string (text);
  if (receiver->n_interned >= MAX_INTERNED)
    return instead;
  receiver->n_interned++;

  return g_intern_string (text);
}

/*
 * lmcc_receiver_warn:
 * @receiver: a receiver
 * @kind: of these, one is posted in each %LMCC_MESSAGE_INTERVAL
 * @reason: static or interned
 */
void
lmcc_receiver_warn (LmccReceiver * receiver, LmccWarning kind,
    const gchar * reason)
{
  LmccReceiverAction *action;
  guint64 held_back;

  if (!lmcc_message_limit_take (&receiver->warning_limits[kind],
          receiver->now, &held_back))
    return;
  action = lmcc_receiver_queue_action (receiver, LMCC_RECEIVER_ACTION_WARNING);
  action->reason = reason;
  action->held_back = held_back;
}

static void
refuse_codec (LmccReceiver * receiver, const LmccSession * session)
{
  const gchar *name = codec_is_allowed (receiver, session->video.encoding_name)
      ? session->sound.encoding_name : session->video.encoding_name;
  g_autofree gchar *text =
      g_strdup_printf ("a session of codec %s is not taken: it is not one of "
      "those that are allowed. If it is wanted, name it in codecs=%s", name,
      name);

  lmcc_receiver_warn (receiver, LMCC_WARNING_CODEC,
      lmcc_receiver_intern (receiver, text,
          "a session of a codec that is not one of those that are allowed is "
          "not taken. If it is wanted, name it in codecs"));
}

/*
 * lmcc_receiver_admits:
 * @receiver: a receiver
 * @session: a session, from wherever
 *
 * The door. What is refused is counted.
 *
 * Returns: whether @receiver may act on @session
 */
gboolean
lmcc_receiver_admits (LmccReceiver * receiver, const LmccSession * session)
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
 * @assembler: (nullable): of one sender's fragments; may be %NULL where the
 *     record is in one
 * @fragment: of a record
 * @session: (out): the record, if it is whole and may be entered
 *
 * Returns: whether it is
 */
gboolean
lmcc_receiver_read_record (LmccReceiver * receiver,
    LmccRecordAssembler * assembler, const LmccRecordFragment * fragment,
    LmccSession * session)
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
