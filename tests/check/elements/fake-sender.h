/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A sender on the loopback interface that is made of the library alone: rungs of
 * one layer each, in real time.
 */
#ifndef FAKE_SENDER_H
#define FAKE_SENDER_H

#include <gst/gst.h>
#include <gst/lmcc/lmcc.h>

#define FAKE_PICTURE_TIME (GST_SECOND / 30)

/**
 * FakePicture:
 * @packets: (element-type LmccPacket): RTP as a payloader makes it
 * @number: its place in presentation order
 * @key: whether decoding may start here
 */
typedef struct
{
  GPtrArray *packets;
  guint number;
  gboolean key;
} FakePicture;

typedef struct _FakeSender FakeSender;

/* @rungs holds, per rung, a GPtrArray of FakePicture in decoding order, sent again
 * and again. NULL: pictures of one meaningless packet, a key picture in 15. */
FakeSender *fake_sender_start (const gchar *address, guint16 port,
    guint n_rungs, GPtrArray **rungs);
FakeSender *fake_sender_start_with_classes (const gchar *address, guint16 port,
    guint n_rungs, guint n_classes);
/* Announces that it takes reports, and does not. */
FakeSender *fake_sender_start_deaf (const gchar *address, guint16 port);
/* One in so many media packets of the base is not sent, 0 for none. */
void fake_sender_set_loss (FakeSender *sender, guint one_in);
void fake_sender_stop (FakeSender *sender);
/* As where its host is gone: without a goodbye. */
void fake_sender_kill (FakeSender *sender);
gchar *fake_sender_get_sdp (FakeSender *sender);
void fake_sender_send_raw (const gchar *address, guint16 port,
    const guint8 *data, gsize size);
/* As another host, such as 127.0.0.2. */
void fake_sender_send_from (const gchar *from, const gchar *address,
    guint16 port, const guint8 *data, gsize size);

GPtrArray *fake_pictures_new (void);
void fake_pictures_take (GPtrArray *pictures, GPtrArray *packets, guint number,
    gboolean key);

#endif
