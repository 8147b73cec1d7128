/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The choice of the sender: messages to the application, and its answers. */
#include "config.h"

#include "src/private.h"

#include <plugins/common/messages.h>

#define GST_CAT_DEFAULT gst_lmcc_src_debug

/* Limit for an application that sends more answers than questions. */
#define MAX_ANSWERS 16

typedef struct
{
  LmccAddress address;
  gboolean take;
} Answer;

/* The number of such messages that were suppressed since the previous one. */
static gchar *
format_held_back (const LmccReceiverAction *action)
{
  if (action->held_back == 0)
    return g_strdup ("");
  return g_strdup_printf (
      _ (" (and %.0f more times since the previous message)"),
      (gdouble) action->held_back);
}

/**
 * gst_lmcc_src_tell_warning:
 * @self: the source
 * @action: a warning
 */
void
gst_lmcc_src_tell_warning (GstLmccSrc *self, const LmccReceiverAction *action)
{
  g_autofree gchar *held_back = format_held_back (action);

  GST_ELEMENT_WARNING (self, STREAM, FORMAT,
      ("%s%s", _ (action->reason), held_back), (NULL));
}

static void
post (GstLmccSrc *self, const gchar *name, const LmccReceiverAction *action)
{
  gchar from[LMCC_ADDRESS_STRLEN], to[LMCC_ADDRESS_STRLEN];

  lmcc_address_format (&action->previous, from);
  lmcc_address_format (&action->destination, to);
  gst_element_post_message (GST_ELEMENT_CAST (self),
      gst_message_new_element (GST_OBJECT_CAST (self),
          gst_structure_new (name, "from", G_TYPE_STRING, from, "to",
              G_TYPE_STRING, to, "reason", G_TYPE_STRING, action->reason,
              "held-back", G_TYPE_UINT64, action->held_back, NULL)));
}

/**
 * gst_lmcc_src_tell_source_changed:
 * @self: the source
 * @action: has the addresses of both senders
 */
void
gst_lmcc_src_tell_source_changed (GstLmccSrc *self,
    const LmccReceiverAction *action)
{
  g_autofree gchar *held_back = format_held_back (action);
  gchar from[LMCC_ADDRESS_STRLEN], to[LMCC_ADDRESS_STRLEN];

  lmcc_address_format (&action->previous, from);
  lmcc_address_format (&action->destination, to);
  GST_ELEMENT_WARNING (self, RESOURCE, READ,
      (_ ("The session came from %s and now comes from %s: %s%s. Set "
          "multicast-source to receive from one sender only"),
          from, to, _ (action->reason), held_back),
      (NULL));
  post (self, "lmcc-source-changed", action);
}

/**
 * gst_lmcc_src_tell_source_asked:
 * @self: the source
 * @action: has the current sender and the other one
 */
void
gst_lmcc_src_tell_source_asked (GstLmccSrc *self,
    const LmccReceiverAction *action)
{
  GST_INFO_OBJECT (self, "another sender is heard; the application is asked");
  post (self, "lmcc-source-asked", action);
}

/**
 * gst_lmcc_src_tell_source_beside:
 * @self: the source
 * @action: has the current sender and the other one
 */
void
gst_lmcc_src_tell_source_beside (GstLmccSrc *self,
    const LmccReceiverAction *action)
{
  gboolean same = lmcc_address_equal (&action->previous, &action->destination);
  g_autofree gchar *held_back = format_held_back (action);
  gchar from[LMCC_ADDRESS_STRLEN], to[LMCC_ADDRESS_STRLEN];
  gchar group[LMCC_ADDRESS_STRLEN];

  lmcc_address_format (&action->previous, from);
  lmcc_address_format (&action->destination, to);
  GST_ELEMENT_WARNING (self, RESOURCE, BUSY,
      (same ? _ ("Two senders use %s port %u: %s is received, and another "
                 "session of %s is dropped but loads the network%s. Move one "
                 "of them to another address or port")
            : _ (
                "Two senders use %s port %u: %s is received, and %s is dropped "
                "but loads the network%s. Move one of them to another address "
                "or port; multicast-source=ADDRESS selects one of them"),
          lmcc_address_format (&self->address, group), self->port, from, to,
          held_back),
      (NULL));
  post (self, "lmcc-source-beside", action);
}

/**
 * gst_lmcc_src_answer_source:
 * @self: the source
 * @address: the sender's own address
 * @take: %TRUE to receive from it from now on, %FALSE to ignore it for good
 *
 * Implements the action signal; the receiving thread applies the answer.
 *
 * Returns: whether @address is a valid address
 */
gboolean
gst_lmcc_src_answer_source (GstLmccSrc *self, const gchar *address,
    gboolean take)
{
  Answer answer = { .take = take };

  if (address == NULL || !lmcc_address_parse (address, &answer.address)
      || lmcc_address_is_multicast (&answer.address))
    return FALSE;
  GST_OBJECT_LOCK (self);
  if (self->answers->len == MAX_ANSWERS)
    g_array_remove_index (self->answers, 0);
  g_array_append_val (self->answers, answer);
  GST_OBJECT_UNLOCK (self);
  g_atomic_int_set (&self->settings_changed, TRUE);
  gst_lmcc_io_wake (self->io);
  return TRUE;
}

/**
 * gst_lmcc_src_new_answers:
 *
 * Returns: (transfer full): an empty array of answers
 */
GArray *
gst_lmcc_src_new_answers (void)
{
  return g_array_new (FALSE, FALSE, sizeof (Answer));
}

/**
 * gst_lmcc_src_apply_answers:
 * @self: the source in PLAYING
 * @now: the time
 *
 * Must be called from the receiving thread.
 */
void
gst_lmcc_src_apply_answers (GstLmccSrc *self, LmccTime now)
{
  g_autoptr (GArray) answers = gst_lmcc_src_new_answers ();
  GArray *given;
  guint i;

  GST_OBJECT_LOCK (self);
  given = self->answers;
  self->answers = answers;
  answers = given;
  GST_OBJECT_UNLOCK (self);
  if (answers->len == 0)
    return;

  g_mutex_lock (&self->lock);
  for (i = 0; i < answers->len; i++) {
    const Answer *answer = &g_array_index (answers, Answer, i);

    lmcc_receiver_answer_source (self->receiver, &answer->address, answer->take,
        now);
    gst_lmcc_src_collect_actions (self);
  }
  g_mutex_unlock (&self->lock);
}

/**
 * gst_lmcc_src_read_codecs:
 * @text: (nullable): encoding names, separated by commas
 *
 * Returns: (transfer full): an array of the names
 */
gchar **
gst_lmcc_src_read_codecs (const gchar *text)
{
  gchar **codecs = g_strsplit (text ? text : "", ",", -1);
  guint i;

  for (i = 0; codecs[i] != NULL; i++)
    g_strstrip (codecs[i]);
  return codecs;
}

/**
 * gst_lmcc_src_find_codec:
 * @session: a session
 * @text: (nullable): encoding names that are allowed in addition to the
 *     standard ones
 *
 * Returns: (transfer none) (nullable): the codec of @session that is not
 * allowed
 */
const gchar *
gst_lmcc_src_find_codec (const LmccSession *session, const gchar *text)
{
  g_auto (GStrv) codecs = gst_lmcc_src_read_codecs (text);
  const gchar *names[] = { session->video.encoding_name,
    session->sound.encoding_name };
  guint i, j;

  for (i = 0; i < G_N_ELEMENTS (names); i++) {
    gboolean allowed =
        names[i][0] == '\0' || lmcc_session_codec_is_usual (names[i]);

    for (j = 0; codecs[j] != NULL && !allowed; j++)
      allowed = g_ascii_strcasecmp (codecs[j], names[i]) == 0;
    if (!allowed)
      return names[i];
  }
  return NULL;
}
