/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Plays an lmcc:// address with playbin and shows the receiver's level over the
 * picture. Usage: player URI [VIDEO-SINK AUDIO-SINK]. The sinks are elements
 * that replace the ones playbin would choose. Keys, in the window or followed
 * by Enter in the terminal: + and - raise and lower the level limit by one, q
 * quits.
 *
 * cc player.c $(pkg-config --cflags --libs gstreamer-video-1.0) -o player
 */
#include <glib-unix.h>
#include <gst/gst.h>
#include <gst/video/navigation.h>
#include <signal.h>
#include <unistd.h>

/* The overlay lies between the decoder and the screen. */
#define PLAYBIN                            \
  "playbin flags=video+audio+soft-volume " \
  "video-filter=\"textoverlay valignment=top halignment=left\" "

typedef struct
{
  GMainLoop *loop;
  GstElement *playbin;
  GstElement *text;
  GstElement *source;
  gint level;
  gint status;
} Player;

/* playbin creates lmccsrc itself, and reports it before it starts, also after a
 * restart. */
static void
on_source (GstElement *playbin G_GNUC_UNUSED, GstElement *source,
    Player *player)
{
  if (g_object_class_find_property (G_OBJECT_GET_CLASS (source), "max-level"))
    gst_object_replace ((GstObject **) &player->source, GST_OBJECT (source));
}

static void
say (Player *player, const gchar *text)
{
  g_object_set (player->text, "text", text, NULL);
  g_print ("%s\n", text);
}

/* Changes the limit relative to the current level, so that each key press has a
 * visible effect. */
static void
change_cap (Player *player, gint step)
{
  g_autofree gchar *text = NULL;
  gint cap;

  if (player->source == NULL)
    return;
  g_object_get (player->source, "max-level", &cap, NULL);
  cap = MAX ((cap < 0 ? player->level : cap) + step, 0);
  g_object_set (player->source, "max-level", cap, NULL);
  text = g_strdup_printf ("level %d, at most %d", player->level, cap);
  say (player, text);
}

static void
on_key (Player *player, const gchar *key)
{
  static const gchar *const up[] = { "+", "plus", "KP_Add", "Up", NULL };
  static const gchar *const down[] = { "-", "minus", "KP_Subtract", "Down",
    NULL };
  static const gchar *const quit[] = { "q", "Escape", NULL };

  if (g_strv_contains (up, key))
    change_cap (player, 1);
  else if (g_strv_contains (down, key))
    change_cap (player, -1);
  else if (g_strv_contains (quit, key))
    g_main_loop_quit (player->loop);
}

static gboolean
on_terminal (gint fd, GIOCondition condition G_GNUC_UNUSED, gpointer user_data)
{
  gchar keys[64];
  gssize i, n = read (fd, keys, sizeof (keys));

  for (i = 0; i < n; i++) {
    const gchar key[] = { keys[i], '\0' };

    on_key (user_data, key);
  }
  return n > 0;
}

static gboolean
on_interrupt (gpointer user_data)
{
  g_main_loop_quit (((Player *) user_data)->loop);
  return G_SOURCE_CONTINUE;
}

static void
on_element_message (Player *player, GstMessage *message)
{
  const GstStructure *s = gst_message_get_structure (message);
  g_autoptr (GstEvent) event = NULL;
  g_autofree gchar *text = NULL;
  const gchar *key;
  guint64 rate = 0;
  gint port = 0;

  if (gst_structure_has_name (s, "lmcc-level-changed")) {
    gst_structure_get (s, "to", G_TYPE_INT, &player->level, "bitrate",
        G_TYPE_UINT64, &rate, NULL);
    /* The rates of a new session are not known yet. */
    if (player->level < 0)
      text = g_strdup ("no layer joined");
    else if (rate == 0)
      text = g_strdup_printf ("level %d", player->level);
    else
      text =
          g_strdup_printf ("level %d, %.2f Mbit/s", player->level, rate / 1e6);
  } else if (gst_structure_has_name (s, "lmcc-waiting")) {
    gst_structure_get_int (s, "port", &port);
    text = g_strdup_printf ("waiting for %s:%d",
        gst_structure_get_string (s, "address"), port);
  } else if (gst_navigation_message_parse_event (message, &event)
      && gst_navigation_event_parse_key_event (event, &key)
      && gst_navigation_event_get_type (event)
          == GST_NAVIGATION_EVENT_KEY_PRESS) {
    on_key (player, key);
  }
  if (text)
    say (player, text);
}

static gboolean
on_message (GstBus *bus G_GNUC_UNUSED, GstMessage *message, gpointer user_data)
{
  Player *player = user_data;
  g_autoptr (GError) error = NULL;

  switch (GST_MESSAGE_TYPE (message)) {
    case GST_MESSAGE_ERROR:
      gst_message_parse_error (message, &error, NULL);
      g_printerr ("player: %s\n", error->message);
      player->status = 1;
      g_main_loop_quit (player->loop);
      break;
    case GST_MESSAGE_WARNING:
      gst_message_parse_warning (message, &error, NULL);
      g_printerr ("player: %s\n", error->message);
      break;
    case GST_MESSAGE_EOS:
      g_main_loop_quit (player->loop);
      break;
    case GST_MESSAGE_ELEMENT:
      on_element_message (player, message);
      break;
    default:
      break;
  }
  return G_SOURCE_CONTINUE;
}

static gint
run (Player *player)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (player->playbin);

  g_signal_connect (player->playbin, "source-setup", G_CALLBACK (on_source),
      player);
  gst_bus_add_watch (bus, on_message, player);
  g_unix_signal_add (SIGINT, on_interrupt, player);
  g_unix_fd_add (STDIN_FILENO, G_IO_IN | G_IO_HUP, on_terminal, player);
  player->loop = g_main_loop_new (NULL, FALSE);

  gst_element_set_state (player->playbin, GST_STATE_PLAYING);
  g_main_loop_run (player->loop);
  gst_element_set_state (player->playbin, GST_STATE_NULL);
  gst_bus_remove_watch (bus);
  gst_clear_object (&player->source);
  gst_object_unref (player->text);
  gst_object_unref (player->playbin);
  g_main_loop_unref (player->loop);
  return player->status;
}

int
main (int argc, char **argv)
{
  Player player = { .level = -1 };
  g_autofree gchar *description = NULL;
  g_autoptr (GError) error = NULL;

  gst_init (&argc, &argv);
  if ((argc != 2 && argc != 4) || !g_str_has_prefix (argv[1], "lmcc://")) {
    g_printerr ("Usage: player lmcc://ADDRESS:PORT [VIDEO-SINK AUDIO-SINK]\n");
    return 2;
  }
  description = argc == 2
      ? g_strdup (PLAYBIN)
      : g_strdup_printf (PLAYBIN "video-sink=%s audio-sink=%s", argv[2],
          argv[3]);
  player.playbin = gst_parse_launch (description, &error);
  if (error) {
    g_printerr ("player: %s; gst-inspect-1.0 lists the installed elements\n",
        error->message);
    return 1;
  }
  g_object_set (player.playbin, "uri", argv[1], NULL);
  g_object_get (player.playbin, "video-filter", &player.text, NULL);
  return run (&player);
}
