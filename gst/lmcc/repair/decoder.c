/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "repair/decoder.h"

#include "repair/block.h"
#include "repair/sources.h"
#include "wire/constants.h"

/* Number of blocks freed per call; each may have 255 repair packets. */
#define EXPIRED_AT_ONCE 4

struct _LmccRepairDecoder
{
  LmccDiscard *discard;  /* or NULL */
  LmccRepairPlace place; /* from the session */
  LmccRepairSources sources;
  gsize bytes; /* of the stored repair packets */
  gsize max_bytes;
  GHashTable *blocks; /* key -> LmccRepairBlock */
  GQueue block_order; /* queue of LmccRepairBlock, the oldest first */
  GPtrArray *open;    /* the unfinished ones of these */
  GArray *fresh;      /* keys of packets that blocks do not know yet */
  GQueue repaired;    /* queue of LmccRepairedPacket */
  guint64 refused;
  LmccLayerSet held; /* layers from which repair packets may arrive */
  guint changes;     /* counts changes of what can be recovered */
};

static void
drop_repairs (LmccRepairDecoder *decoder, LmccRepairBlock *block,
    GPtrArray *dropped)
{
  decoder->bytes -= lmcc_repair_block_drop_repairs (block, dropped);
}

static void
forget_block (LmccRepairDecoder *decoder, LmccRepairBlock *block,
    GPtrArray *dropped)
{
  g_hash_table_remove (decoder->blocks, GUINT_TO_POINTER (block->key));
  g_ptr_array_remove_fast (decoder->open, block);
  drop_repairs (decoder, block, dropped);
  lmcc_repair_block_free (block);
  decoder->changes++;
}

/**
 * lmcc_repair_decoder_new:
 *
 * Returns: (transfer full): a decoder without a session
 */
LmccRepairDecoder *
lmcc_repair_decoder_new (void)
{
  LmccRepairDecoder *decoder = g_new0 (LmccRepairDecoder, 1);

  decoder->max_bytes = LMCC_REPAIR_MAX_BYTES;
  decoder->held = lmcc_layer_set_first (LMCC_MAX_LAYERS);
  decoder->blocks = g_hash_table_new (NULL, NULL);
  decoder->open = g_ptr_array_new ();
  decoder->fresh = g_array_new (FALSE, FALSE, sizeof (guint));

  return decoder;
}

/*
 * lmcc_repair_decoder_set_discard:
 * @decoder: a decoder
 * @discard: (transfer none): takes over packets that the decoder drops in
 *     large numbers; must outlive @decoder
 */
void
lmcc_repair_decoder_set_discard (LmccRepairDecoder *decoder,
    LmccDiscard *discard)
{
  decoder->discard = discard;
}

/**
 * lmcc_repair_decoder_free:
 * @decoder: (transfer full): a decoder
 */
void
lmcc_repair_decoder_free (LmccRepairDecoder *decoder)
{
  lmcc_repair_decoder_reset (decoder);
  lmcc_repair_sources_clear (&decoder->sources);
  g_hash_table_unref (decoder->blocks);
  g_ptr_array_unref (decoder->open);
  g_array_unref (decoder->fresh);
  g_free (decoder);
}

static gboolean
is_outside (guint key, gpointer kept)
{
  return !lmcc_layer_set_has (*(const LmccLayerSet *) kept,
      lmcc_repair_key_source (key) & LMCC_SSRC_LAYER_MASK);
}

static void
drop_layers (LmccRepairDecoder *decoder, LmccLayerSet kept)
{
  GPtrArray *dropped = g_ptr_array_new ();
  GList *at, *next;

  lmcc_repair_sources_drop (&decoder->sources, is_outside, &kept, dropped);
  for (at = decoder->block_order.head; at != NULL; at = next) {
    LmccRepairBlock *block = at->data;

    next = at->next;
    if (!lmcc_layer_set_has (kept,
            block->shape.source & LMCC_SSRC_LAYER_MASK)) {
      g_queue_delete_link (&decoder->block_order, at);
      forget_block (decoder, block, dropped);
    }
  }
  lmcc_discard_add_packets (decoder->discard, dropped);
}

/**
 * lmcc_repair_decoder_reset:
 * @decoder: a decoder
 *
 * Forgets all packets, for a new sender.
 */
void
lmcc_repair_decoder_reset (LmccRepairDecoder *decoder)
{
  drop_layers (decoder, 0);
  g_queue_clear_full (&decoder->repaired,
      (GDestroyNotify) lmcc_repaired_packet_free);
}

/**
 * lmcc_repair_decoder_set_session:
 * @decoder: a decoder
 * @session: provides the conditions for recovered packets: SSRC, payload type,
 *     header element
 */
void
lmcc_repair_decoder_set_session (LmccRepairDecoder *decoder,
    const LmccSession *session)
{
  decoder->place = (LmccRepairPlace){ session->ssrc_base, session->payload_type,
    session->header_id };
}

/**
 * lmcc_repair_decoder_set_held:
 * @decoder: a decoder
 * @held: the joined layers from now on; before the first call, all layers
 *
 * Forgets the data of other layers, and expects no repair packets from them.
 */
void
lmcc_repair_decoder_set_held (LmccRepairDecoder *decoder, LmccLayerSet held)
{
  drop_layers (decoder, held);
  if (held != decoder->held)
    decoder->changes++;
  decoder->held = held;
}

/**
 * lmcc_repair_decoder_expire:
 * @decoder: a decoder
 * @before: a time
 *
 * Forgets packets that arrived, and blocks that began, before @before, because
 * packets recovered with them would be too late. Each call frees a part of
 * them.
 */
void
lmcc_repair_decoder_expire (LmccRepairDecoder *decoder, LmccTime before)
{
  LmccRepairBlock *block;
  guint n = 0;

  lmcc_repair_sources_expire (&decoder->sources, before);
  while (n++ < EXPIRED_AT_ONCE
      && (block = g_queue_peek_head (&decoder->block_order)) != NULL
      && block->time < before) {
    g_queue_pop_head (&decoder->block_order);
    forget_block (decoder, block, NULL);
  }
}

static gboolean
is_full (const LmccRepairDecoder *decoder)
{
  return lmcc_repair_decoder_get_bytes (decoder) > decoder->max_bytes;
}

/* Keeps within the limits; the block being worked on is the newest, and
 * stays. */
static void
limit (LmccRepairDecoder *decoder)
{
  while (decoder->sources.n > LMCC_REPAIR_MAX_PACKETS
      || (decoder->sources.n > 0 && is_full (decoder)))
    lmcc_repair_sources_forget_oldest (&decoder->sources);
  while (g_queue_get_length (&decoder->block_order) > LMCC_REPAIR_MAX_BLOCKS
      || (is_full (decoder) && g_queue_get_length (&decoder->block_order) > 1))
    forget_block (decoder, g_queue_pop_head (&decoder->block_order), NULL);
}

/**
 * lmcc_repair_decoder_set_max_bytes:
 * @decoder: a decoder
 * @max_bytes: memory limit for stored packets from now on; at most
 *     %LMCC_REPAIR_MAX_BYTES
 */
void
lmcc_repair_decoder_set_max_bytes (LmccRepairDecoder *decoder, gsize max_bytes)
{
  decoder->max_bytes = MIN (max_bytes, LMCC_REPAIR_MAX_BYTES);
}

/**
 * lmcc_repair_decoder_forget:
 * @decoder: a decoder
 * @bytes: number of bytes to free, if there are as many
 *
 * Frees memory: the oldest packets first.
 */
void
lmcc_repair_decoder_forget (LmccRepairDecoder *decoder, gsize bytes)
{
  gsize kept = lmcc_repair_decoder_get_bytes (decoder);
  gsize limit = kept - MIN (bytes, kept);

  while (
      decoder->sources.n > 0 && lmcc_repair_decoder_get_bytes (decoder) > limit)
    lmcc_repair_sources_forget_oldest (&decoder->sources);
  while (lmcc_repair_decoder_get_bytes (decoder) > limit
      && !g_queue_is_empty (&decoder->block_order))
    forget_block (decoder, g_queue_pop_head (&decoder->block_order), NULL);
}

static void
keep_source (LmccRepairDecoder *decoder, guint key, LmccPacket *packet,
    LmccTime now)
{
  if (lmcc_repair_sources_add (&decoder->sources, key, packet, now)
      && decoder->open->len > 0)
    g_array_append_val (decoder->fresh, key);
}

static void
finish (LmccRepairDecoder *decoder, LmccRepairBlock *block)
{
  drop_repairs (decoder, block, NULL);
  g_ptr_array_remove_fast (decoder->open, block);
  block->finished = TRUE;
  decoder->changes++;
}

/* Recovers all missing packets of a block that has enough packets for it. */
static void
recover (LmccRepairDecoder *decoder, LmccRepairBlock *block, LmccTime now)
{
  g_autoptr (GPtrArray) found = NULL;

  if (!lmcc_repair_block_recover (block, &decoder->sources, &decoder->place,
          &found))
    return;
  finish (decoder, block);
  if (found == NULL) {
    decoder->refused++;
    return;
  }
  while (found->len > 0) {
    LmccRepairedPacket *repaired = g_ptr_array_steal_index (found, 0);

    keep_source (decoder,
        lmcc_repair_make_key (block->shape.source, repaired->rtp.sequence),
        repaired->packet, now);
    g_queue_push_tail (&decoder->repaired, repaired);
  }
}

static void
try_block (LmccRepairDecoder *decoder, LmccRepairBlock *block, LmccTime now)
{
  if (block->finished || block->n_missing > block->repairs->len)
    return;
  if (block->n_missing > 0)
    recover (decoder, block, now);
  else
    finish (decoder, block);
}

/* Packets recovered by one block may be what another one waits for. */
static void
tell_blocks (LmccRepairDecoder *decoder, LmccTime now)
{
  while (decoder->fresh->len > 0) {
    guint last = decoder->fresh->len - 1;
    guint key = g_array_index (decoder->fresh, guint, last);
    guint i;

    g_array_set_size (decoder->fresh, last);
    /* A block that becomes complete is replaced in the array by the last
     * one, which was already visited. */
    for (i = decoder->open->len; i > 0; i--) {
      LmccRepairBlock *block = g_ptr_array_index (decoder->open, i - 1);

      if (!lmcc_repair_block_covers (block, lmcc_repair_key_source (key), key))
        continue;
      block->n_missing -= block->n_missing > 0;
      try_block (decoder, block, now);
    }
  }
}

/**
 * lmcc_repair_decoder_take_source:
 * @decoder: a decoder
 * @source: the low 12 bits of the packet's SSRC
 * @sequence: its sequence number
 * @packet: a media packet as received; the decoder takes a reference
 * @now: the time, for lmcc_repair_decoder_expire()
 *
 * Takes a source packet. Poll for recovered packets afterwards.
 */
void
lmcc_repair_decoder_take_source (LmccRepairDecoder *decoder, guint16 source,
    guint16 sequence, LmccPacket *packet, LmccTime now)
{
  keep_source (decoder, lmcc_repair_make_key (source, sequence), packet, now);
  tell_blocks (decoder, now);
  limit (decoder);
}

static LmccRepairBlock *
new_block (LmccRepairDecoder *decoder, guint key,
    const LmccRepairPayload *payload, LmccTime now)
{
  LmccRepairBlock *block = lmcc_repair_block_new (key, payload, now);

  block->n_missing = lmcc_repair_block_count_missing (block, &decoder->sources);
  g_hash_table_insert (decoder->blocks, GUINT_TO_POINTER (key), block);
  g_queue_push_tail (&decoder->block_order, block);
  g_ptr_array_add (decoder->open, block);
  decoder->changes++;

  return block;
}

/**
 * lmcc_repair_decoder_take_repair:
 * @decoder: a decoder
 * @payload: the result of lmcc_repair_payload_parse() for the packet
 * @packet: the packet that contains the symbol; the decoder takes a reference
 * @now: the time
 *
 * Takes a repair packet. Poll for recovered packets afterwards. A packet whose
 * k, d, r, symbol size or layers differ from those of the block's first one is
 * rejected.
 */
void
lmcc_repair_decoder_take_repair (LmccRepairDecoder *decoder,
    const LmccRepairPayload *payload, LmccPacket *packet, LmccTime now)
{
  guint key = lmcc_repair_make_key (payload->source, payload->first);
  LmccRepairBlock *block =
      g_hash_table_lookup (decoder->blocks, GUINT_TO_POINTER (key));

  if (block == NULL)
    block = new_block (decoder, key, payload, now);
  if (!lmcc_repair_block_is_of (block, payload)) {
    decoder->refused++;
    return;
  }
  if (!block->finished
      && !lmcc_repair_block_has_index (block, payload->index)) {
    lmcc_repair_block_add (block, payload, packet);
    decoder->bytes += lmcc_repair_memory (packet);
    try_block (decoder, block, now);
    tell_blocks (decoder, now);
  }
  limit (decoder);
}

static void
end_part (LmccRepairDecoder *decoder, LmccRepairBlock *block, guint layer)
{
  LmccLayerSet ended = block->ended | LMCC_LAYER_SET_BASE << layer;

  if (ended == block->ended)
    return;
  block->ended = ended;
  decoder->changes++;
}

/**
 * lmcc_repair_decoder_end_part:
 * @decoder: a decoder
 * @layer: a layer
 * @source: the low 12 bits of the source packets' SSRC
 * @first: the block's first sequence number
 *
 * All of the block's repair packets in @layer have arrived or are lost. Once
 * this holds for all joined layers, packets that the block cannot recover are
 * lost for good, unless more of its source packets arrive.
 */
void
lmcc_repair_decoder_end_part (LmccRepairDecoder *decoder, guint layer,
    guint16 source, guint16 first)
{
  LmccRepairBlock *block = g_hash_table_lookup (decoder->blocks,
      GUINT_TO_POINTER (lmcc_repair_make_key (source, first)));

  if (block != NULL)
    end_part (decoder, block, layer);
}

/**
 * lmcc_repair_decoder_end_before:
 * @decoder: a decoder
 * @layer: a layer
 * @source: the low 12 bits of the source packets' SSRC
 * @first: first sequence number of a block
 *
 * The layer now sends that block's repair packets, so no more follow of earlier
 * blocks, whose repair packets may all have been lost.
 */
void
lmcc_repair_decoder_end_before (LmccRepairDecoder *decoder, guint layer,
    guint16 source, guint16 first)
{
  GList *at;

  for (at = decoder->block_order.head; at != NULL; at = at->next) {
    LmccRepairBlock *block = at->data;

    if (block->shape.source == source
        && lmcc_layer_set_has (block->carriers, layer)
        && lmcc_sequence_diff (block->shape.first, first) < 0)
      end_part (decoder, block, layer);
  }
}

/**
 * lmcc_repair_decoder_is_hopeless:
 * @decoder: a decoder
 * @source: the low 12 bits of an SSRC
 * @sequence: sequence number of a missing packet
 *
 * Returns: whether a block that contains the packet has lost more than it can
 * recover, and no other known block can recover it
 */
gboolean
lmcc_repair_decoder_is_hopeless (const LmccRepairDecoder *decoder,
    guint16 source, guint16 sequence)
{
  gboolean hopeless = FALSE;
  GList *at;

  for (at = decoder->block_order.tail; at != NULL; at = at->prev) {
    const LmccRepairBlock *block = at->data;

    if (!lmcc_repair_block_covers (block, source, sequence))
      continue;
    if ((block->carriers & decoder->held & ~block->ended) != 0
        && !block->finished)
      return FALSE;
    hopeless = TRUE;
  }

  return hopeless;
}

/**
 * lmcc_repair_decoder_get_changes:
 * @decoder: a decoder
 *
 * Returns: a number that changes whenever results of
 * lmcc_repair_decoder_is_hopeless() may change; never 0
 */
guint
lmcc_repair_decoder_get_changes (const LmccRepairDecoder *decoder)
{
  return decoder->changes | 1u << 31;
}

/**
 * lmcc_repair_decoder_poll:
 * @decoder: a decoder
 * @repaired: (out): a recovered packet
 *
 * Returns: %FALSE if there is none
 */
gboolean
lmcc_repair_decoder_poll (LmccRepairDecoder *decoder,
    LmccRepairedPacket *repaired)
{
  LmccRepairedPacket *next = g_queue_pop_head (&decoder->repaired);

  if (next == NULL)
    return FALSE;
  *repaired = *next;
  g_free (next);

  return TRUE;
}

/**
 * lmcc_repair_decoder_get_refused:
 * @decoder: a decoder
 *
 * Returns: number of repair packets that contradicted their block, and of
 * blocks that yielded implausible packets
 */
guint64
lmcc_repair_decoder_get_refused (const LmccRepairDecoder *decoder)
{
  return decoder->refused;
}

/**
 * lmcc_repair_decoder_get_bytes:
 * @decoder: a decoder
 *
 * Returns: memory of the stored packets in bytes, at most
 * %LMCC_REPAIR_MAX_BYTES
 */
gsize
lmcc_repair_decoder_get_bytes (const LmccRepairDecoder *decoder)
{
  return decoder->sources.bytes + decoder->bytes;
}
