/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A sender on the loopback interface that uses only the library: rungs of
 * one layer each, in real time.
 */
#ifndef FAKE_SENDER_H
#define FAKE_SENDER_H

#include <gst/gst.h>
#include <gst/lmcc/lmcc.h>

#define FAKE_PICTURE_TIME (GST_SECOND / 30)

/**
 * FakePicture:
 * @packets: (element-type LmccPacket): RTP packets as from a payloader
 * @number: position in presentation order
 * @key: whether decoding may start here
 */
typedef struct
{
  GPtrArray *packets;
  guint number;
  gboolean key;
} FakePicture;

typedef struct _FakeSender FakeSender;

/* @rungs holds, for each rung, a GPtrArray of FakePicture in decoding order,
 * which is sent repeatedly. NULL: pictures of one packet without content, of
 * which one in 15 is a key picture. */
FakeSender *fake_sender_start (const gchar *address, guint16 port,
    guint n_rungs, GPtrArray **rungs);
FakeSender *fake_sender_start_with_classes (const gchar *address, guint16 port,
    guint n_rungs, guint n_classes);
/* Announces that it accepts reports, but ignores them. */
FakeSender *fake_sender_start_deaf (const gchar *address, guint16 port);
/* Drops one media packet of the base layer in this many; 0: none. */
void fake_sender_set_loss (FakeSender *sender, guint one_in);
void fake_sender_stop (FakeSender *sender);
/* Stops without a BYE, as if its host had failed. */
void fake_sender_kill (FakeSender *sender);
gchar *fake_sender_get_sdp (FakeSender *sender);
void fake_sender_send_raw (const gchar *address, guint16 port,
    const guint8 *data, gsize size);
/* Sends from another host's address, such as 127.0.0.2. */
void fake_sender_send_from (const gchar *from, const gchar *address,
    guint16 port, const guint8 *data, gsize size);

GPtrArray *fake_pictures_new (void);
void fake_pictures_take (GPtrArray *pictures, GPtrArray *packets, guint number,
    gboolean key);

#endif
