/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_LAYER_HOLES_H
#define LMCC_RECEIVER_LAYER_HOLES_H

#include "wire/layer-header.h"

G_BEGIN_DECLS

/* The RTP streams of one layer: those that repair may give back, by number, then
 * the others. */
#define LMCC_SLOT_REPAIR 15
#define LMCC_SLOT_FILLER 16
#define LMCC_N_SLOTS 17

/*
 * LmccHole:
 * @lsn: the first packet that is lost
 * @n: how many in a row, of which the same is known
 * @possible: bit set of the RTP streams that it may be of
 * @known: it is of the one stream in @possible, and has @sequence there
 * @sequence: the first one's sequence number
 * @hopeless: nothing will give it back; set by the user
 * @n_hopeless: so many of the first ones are; set by the user
 * @asked: the decoder's changes when the next one was not; set by the user
 */
typedef struct
{
  guint16 lsn;
  guint n;
  guint32 possible;
  gboolean known;
  guint16 sequence;
  gboolean hopeless;
  guint n_hopeless;
  guint asked;
} LmccHole;

/*
 * LmccLayerHoles:
 * What is lost of a layer and not given up. The layer sequence tells how many
 * packets are lost, and the sequence numbers of its RTP streams of which stream they
 * are: a stream without a gap has lost none, and one with as many missing as are
 * lost meanwhile has lost these.
 */
typedef struct
{
  gboolean started;
  guint16 highest; /* layer sequence number that was noted last */
  guint32 heard;   /* bit set of streams */
  guint16 sequence[LMCC_N_SLOTS]; /* of each stream's last packet */
  guint16 lsn[LMCC_N_SLOTS];
  GArray *holes; /* of LmccHole, by LSN */
  guint n_lost;  /* packets in these */
  GArray *gaps;  /* in the streams' sequences */
} LmccLayerHoles;

void lmcc_layer_holes_init (LmccLayerHoles *holes);
void lmcc_layer_holes_clear (LmccLayerHoles *holes);
void lmcc_layer_holes_reset (LmccLayerHoles *holes);
void lmcc_layer_holes_note (LmccLayerHoles *holes, guint16 lsn, guint slot,
    guint16 sequence);
LmccHole *lmcc_layer_holes_find (LmccLayerHoles *holes, guint16 lsn);
void lmcc_layer_holes_fill (LmccLayerHoles *holes, guint16 lsn, guint slot,
    guint16 sequence);
LmccHole *lmcc_layer_holes_first (LmccLayerHoles *holes);
void lmcc_layer_holes_drop_first (LmccLayerHoles *holes);

static inline guint
lmcc_slot_of (const LmccHeader *header)
{
  switch (header->type) {
    case LMCC_PACKET_MEDIA:
      return header->stream;
    case LMCC_PACKET_REPAIR:
      return LMCC_SLOT_REPAIR;
    default:
      return LMCC_SLOT_FILLER;
  }
}

/* Whether it may be of a stream that repair gives back. */
static inline gboolean
lmcc_hole_may_be_media (const LmccHole *hole)
{
  return (hole->possible & ((1u << LMCC_SLOT_REPAIR) - 1)) != 0;
}

/* Whether a stream of media was heard: before that any hole may be of one. */
static inline gboolean
lmcc_layer_holes_know_media (const LmccLayerHoles *holes)
{
  return (holes->heard & ((1u << LMCC_SLOT_REPAIR) - 1)) != 0;
}

G_END_DECLS

#endif
