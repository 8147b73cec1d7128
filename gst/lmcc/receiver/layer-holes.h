/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_LAYER_HOLES_H
#define LMCC_RECEIVER_LAYER_HOLES_H

#include "wire/layer-header.h"

G_BEGIN_DECLS

/* The RTP streams of one layer: first those that repair can recover, by number, then
 * the others. */
#define LMCC_SLOT_REPAIR 15
#define LMCC_SLOT_FILLER 16
#define LMCC_N_SLOTS 17

/*
 * LmccHole:
 * @lsn: the first lost packet
 * @n: number of consecutive lost packets with the same properties
 * @possible: bits: RTP streams that the packets may belong to
 * @known: the packets belong to the only stream in @possible, from @sequence on
 * @sequence: sequence number of the first packet
 * @hopeless: the packets cannot be recovered; set by the caller
 * @n_hopeless: how many of the first packets cannot be recovered; set by the caller
 * @asked: state of the decoder when the next packet was last found recoverable; set by
 *     the caller
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
 * The lost packets of a layer that are not given up. The layer sequence numbers show
 * how many packets are lost, and the sequence numbers of the layer's RTP streams show
 * to which stream they belong: a stream without a gap has lost none, and a stream that
 * lacks as many packets as are lost meanwhile has lost them all.
 */
typedef struct
{
  gboolean started;
  guint16 highest;                /* latest layer sequence number */
  guint32 heard;                  /* bits: streams heard */
  guint16 sequence[LMCC_N_SLOTS]; /* of the last packet of each stream */
  guint16 lsn[LMCC_N_SLOTS];
  GArray *holes; /* array of LmccHole, by LSN */
  guint n_lost;  /* packets in @holes */
  GArray *gaps;  /* gaps in the sequences of the streams */
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

/* Whether the hole may belong to a stream that repair can recover. */
static inline gboolean
lmcc_hole_may_be_media (const LmccHole *hole)
{
  return (hole->possible & ((1u << LMCC_SLOT_REPAIR) - 1)) != 0;
}

/* Whether a media stream was heard: before that, any hole may belong to one. */
static inline gboolean
lmcc_layer_holes_know_media (const LmccLayerHoles *holes)
{
  return (holes->heard & ((1u << LMCC_SLOT_REPAIR) - 1)) != 0;
}

G_END_DECLS

#endif
