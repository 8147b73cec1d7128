/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Writes the session description to a file, in a thread of its own, because
 * disks and file servers are slow and must not delay packets.
 */
#include "config.h"

#include "sink/core.h"

#include <plugins/common/messages.h>

#define GST_CAT_DEFAULT gst_lmcc_sink_debug

/* A full disk may have space again. */
#define RETRY_INTERVAL G_TIME_SPAN_SECOND
#define WARNING_INTERVAL (10 * G_TIME_SPAN_SECOND)

struct _GstLmccSinkSdp
{
  GstLmccSinkCore *core;
  GThread *thread;
  GMutex lock;
  GCond cond;
  gboolean running;
  gchar *text; /* text to write, or NULL */
};

static void
warn (GstLmccSinkCore *core, const GError *error, gint64 *next)
{
  gint64 now = g_get_monotonic_time ();

  if (now < *next)
    return;
  *next = now + WARNING_INTERVAL;
  GST_ELEMENT_WARNING (core, RESOURCE, WRITE,
      (_ ("Cannot write the session description to %s: %s. Set sdp-location to "
          "a file in a writable directory with free space. Trying again."),
          core->settings.properties.sdp_location, error->message),
      (NULL));
}

/* Replaces the file, so that readers and crashes leave the old or the new text.
 * The temporary file is in the same directory, has an unpredictable name and is
 * created with O_EXCL. */
static gboolean
write_text (GstLmccSinkCore *core, const gchar *text, gint64 *next_warning)
{
  g_autoptr (GError) error = NULL;

  if (g_file_set_contents_full (core->settings.properties.sdp_location, text,
          -1, G_FILE_SET_CONTENTS_CONSISTENT, 0666, &error))
    return TRUE;
  warn (core, error, next_warning);
  return FALSE;
}

/* Called with the lock. Returns: (transfer full) (nullable): text to write;
 * NULL at the end */
static gchar *
wait_for_text (GstLmccSinkSdp *sdp, const gchar *failed)
{
  gint64 retry = g_get_monotonic_time () + RETRY_INTERVAL;

  while (sdp->text == NULL && sdp->running) {
    if (failed == NULL)
      g_cond_wait (&sdp->cond, &sdp->lock);
    else if (!g_cond_wait_until (&sdp->cond, &sdp->lock, retry))
      return g_strdup (failed);
  }
  return g_steal_pointer (&sdp->text);
}

static gpointer
write_texts (gpointer data)
{
  GstLmccSinkSdp *sdp = data;
  g_autofree gchar *failed = NULL;
  gint64 next_warning = 0;
  gchar *text;

  g_mutex_lock (&sdp->lock);
  while ((text = wait_for_text (sdp, failed)) != NULL) {
    g_mutex_unlock (&sdp->lock);
    g_clear_pointer (&failed, g_free);
    if (write_text (sdp->core, text, &next_warning))
      g_free (text);
    else
      failed = text;
    g_mutex_lock (&sdp->lock);
  }
  g_mutex_unlock (&sdp->lock);
  return NULL;
}

/**
 * gst_lmcc_sink_sdp_start:
 * @core: the open core
 *
 * Starts the thread, if there is a file to write.
 */
void
gst_lmcc_sink_sdp_start (GstLmccSinkCore *core)
{
  GstLmccSinkSdp *sdp;

  if (core->settings.properties.sdp_location == NULL)
    return;
  sdp = core->sdp_file = g_new0 (GstLmccSinkSdp, 1);
  g_mutex_init (&sdp->lock);
  g_cond_init (&sdp->cond);
  sdp->core = core;
  sdp->running = TRUE;
  sdp->thread = g_thread_new ("lmccsink-sdp", write_texts, sdp);
}

/**
 * gst_lmcc_sink_sdp_write:
 * @core: the core
 * @text: the current description
 *
 * Schedules the write, which is retried after a failure. Returns at once.
 */
void
gst_lmcc_sink_sdp_write (GstLmccSinkCore *core, const gchar *text)
{
  GstLmccSinkSdp *sdp = core->sdp_file;

  if (sdp == NULL)
    return;
  g_mutex_lock (&sdp->lock);
  g_free (sdp->text);
  sdp->text = g_strdup (text);
  g_cond_signal (&sdp->cond);
  g_mutex_unlock (&sdp->lock);
}

/**
 * gst_lmcc_sink_sdp_stop:
 * @core: the stopped core
 *
 * Ends the thread. It makes one attempt to write pending text.
 */
void
gst_lmcc_sink_sdp_stop (GstLmccSinkCore *core)
{
  GstLmccSinkSdp *sdp = g_steal_pointer (&core->sdp_file);

  if (sdp == NULL)
    return;
  g_mutex_lock (&sdp->lock);
  sdp->running = FALSE;
  g_cond_signal (&sdp->cond);
  g_mutex_unlock (&sdp->lock);
  g_thread_join (sdp->thread);
  g_mutex_clear (&sdp->lock);
  g_cond_clear (&sdp->cond);
  g_free (sdp->text);
  g_free (sdp);
}
