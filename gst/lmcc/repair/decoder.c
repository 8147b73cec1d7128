/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "repair/decoder.h"

#include "base/bytes.h"
#include "repair/sources.h"
#include "wire/constants.h"

#include <string.h>


/* One that came, of a block that is not whole. */
typedef struct
{
  LmccPacket *packet;           /* keeps the symbol */
  const guint8 *symbol;
  guint8 index;
} Repair;

typedef struct
{
  guint key;                    /* source and first sequence number */
  LmccRepairPayload shape;
  LmccTime time;
  guint n_missing;              /* source packets that have not come */
  GArray *repairs;              /* of Repair */
  gboolean closed;              /* no more repair comes */
  gboolean finished;            /* is whole, or makes no sense */
} Block;

struct _LmccRepairDecoder
{
  guint32 ssrc_base;
  guint8 payload_type;
  guint8 header_id;
  LmccRepairSources sources;
  gsize bytes;                  /* of the repair packets kept */
  gsize max_bytes;
  GHashTable *blocks;           /* key -> Block */
  GQueue block_order;           /* of Block, oldest first */
  GPtrArray *open;              /* of Block: those that are not finished */
  GArray *fresh;                /* keys of packets not told to blocks */
  GQueue repaired;              /* of LmccRepairedPacket */
  guint64 refused;
  guint changes;                /* of what may be recovered */
};

static guint
make_key (guint source, guint sequence)
{
  return source << 16 | (sequence & 0xffff);
}

static guint
key_source (guint key)
{
  return key >> 16;
}

static void
drop_repairs (LmccRepairDecoder * decoder, Block * block)
{
  guint i;

  for (i = 0; i < block->repairs->len; i++) {
    Repair *repair = &g_array_index (block->repairs, Repair, i);

    decoder->bytes -= lmcc_repair_memory (repair->packet);
    lmcc_packet_unref (repair->packet);
  }
  g_array_set_size (block->repairs, 0);
}

static void
forget_block (LmccRepairDecoder * decoder, Block * block)
{
  g_hash_table_remove (decoder->blocks, GUINT_TO_POINTER (block->key));
  g_ptr_array_remove_fast (decoder->open, block);
  drop_repairs (decoder, block);
  g_array_unref (block->repairs);
  g_free (block);
  decoder->changes++;
}

static void
repaired_free (LmccRepairedPacket * repaired)
{
  lmcc_packet_unref (repaired->packet);
  g_free (repaired);
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
  decoder->blocks = g_hash_table_new (NULL, NULL);
  decoder->open = g_ptr_array_new ();
  decoder->fresh = g_array_new (FALSE, FALSE, sizeof (guint));

  return decoder;
}

/**
 * lmcc_repair_decoder_free:
 * @decoder: (transfer full): a decoder
 */
void
lmcc_repair_decoder_free (LmccRepairDecoder * decoder)
{
  lmcc_repair_decoder_reset (decoder);
  lmcc_repair_sources_clear (&decoder->sources);
  g_hash_table_unref (decoder->blocks);
  g_ptr_array_unref (decoder->open);
  g_array_unref (decoder->fresh);
  g_free (decoder);
}

/**
 * lmcc_repair_decoder_reset:
 * @decoder: a decoder
 *
 * Forgets all packets, for a new sender.
 */
void
lmcc_repair_decoder_reset (LmccRepairDecoder * decoder)
{
  lmcc_repair_decoder_drop_layers (decoder, -1);
  g_queue_clear_full (&decoder->repaired, (GDestroyNotify) repaired_free);
}

/**
 * lmcc_repair_decoder_set_session:
 * @decoder: a decoder
 * @session: what recovered packets must fit: SSRC, payload type, element
 */
void
lmcc_repair_decoder_set_session (LmccRepairDecoder * decoder,
    const LmccSession * session)
{
  decoder->ssrc_base = session->ssrc_base;
  decoder->payload_type = session->payload_type;
  decoder->header_id = session->header_id;
}

static gboolean
is_above (guint key, gpointer level)
{
  return (gint) (key_source (key) & LMCC_SSRC_LAYER_MASK) >
      *(const gint *) level;
}

/**
 * lmcc_repair_decoder_drop_layers:
 * @decoder: a decoder
 * @level: highest layer that is still held, -1 for none
 *
 * Forgets what is of the layers above @level.
 */
void
lmcc_repair_decoder_drop_layers (LmccRepairDecoder * decoder, gint level)
{
  GList *at, *next;

  lmcc_repair_sources_drop (&decoder->sources, is_above, &level);
  for (at = decoder->block_order.head; at != NULL; at = next) {
    Block *block = at->data;

    next = at->next;
    if ((gint) (block->shape.source & LMCC_SSRC_LAYER_MASK) > level) {
      g_queue_delete_link (&decoder->block_order, at);
      forget_block (decoder, block);
    }
  }
}

/**
 * lmcc_repair_decoder_expire:
 * @decoder: a decoder
 * @before: a time
 *
 * Forgets packets that came, and blocks that began, before @before: what they
 * could recover would be too late.
 */
void
lmcc_repair_decoder_expire (LmccRepairDecoder * decoder, LmccTime before)
{
  Block *block;

  lmcc_repair_sources_expire (&decoder->sources, before);
  while ((block = g_queue_peek_head (&decoder->block_order)) != NULL
      && block->time < before) {
    g_queue_pop_head (&decoder->block_order);
    forget_block (decoder, block);
  }
}

static gboolean
is_full (const LmccRepairDecoder * decoder)
{
  return lmcc_repair_decoder_get_bytes (decoder) > decoder->max_bytes;
}

/* Keeps within the bounds; the block that is worked on is the newest, and
 * stays. */
static void
limit (LmccRepairDecoder * decoder)
{
  while (decoder->sources.n > LMCC_REPAIR_MAX_PACKETS
      || (decoder->sources.n > 0 && is_full (decoder)))
    lmcc_repair_sources_forget_oldest (&decoder->sources);
  while (g_queue_get_length (&decoder->block_order) > LMCC_REPAIR_MAX_BLOCKS
      || (is_full (decoder) && g_queue_get_length (&decoder->block_order) > 1))
    forget_block (decoder, g_queue_pop_head (&decoder->block_order));
}

/**
 * lmcc_repair_decoder_set_max_bytes:
 * @decoder: a decoder
 * @max_bytes: what the packets that it keeps may take from now on;
 *     %LMCC_REPAIR_MAX_BYTES where that is less
 */
void
lmcc_repair_decoder_set_max_bytes (LmccRepairDecoder * decoder, gsize max_bytes)
{
  decoder->max_bytes = MIN (max_bytes, LMCC_REPAIR_MAX_BYTES);
}

/**
 * lmcc_repair_decoder_forget:
 * @decoder: a decoder
 * @bytes: how many to make free, as far as there are so many
 *
 * Makes room: what is oldest goes.
 */
void
lmcc_repair_decoder_forget (LmccRepairDecoder * decoder, gsize bytes)
{
  gsize kept = lmcc_repair_decoder_get_bytes (decoder);
  gsize limit = kept - MIN (bytes, kept);

  while (decoder->sources.n > 0
      && lmcc_repair_decoder_get_bytes (decoder) > limit)
    lmcc_repair_sources_forget_oldest (&decoder->sources);
  while (lmcc_repair_decoder_get_bytes (decoder) > limit
      && !g_queue_is_empty (&decoder->block_order))
    forget_block (decoder, g_queue_pop_head (&decoder->block_order));
}

static LmccPacket *
find_source (const LmccRepairDecoder * decoder, const Block * block, guint i)
{
  return lmcc_repair_sources_find (&decoder->sources,
      make_key (block->shape.source,
          block->shape.first + i * block->shape.step));
}

static gboolean
block_covers (const Block * block, guint source, guint16 sequence)
{
  guint ahead = (guint16) (sequence - block->shape.first);

  return block->shape.source == source && ahead % block->shape.step == 0
      && ahead / block->shape.step < block->shape.n_source;
}

static void
keep_source (LmccRepairDecoder * decoder, guint key, LmccPacket * packet,
    LmccTime now)
{
  if (lmcc_repair_sources_add (&decoder->sources, key, packet, now)
      && decoder->open->len > 0)
    g_array_append_val (decoder->fresh, key);
}

static gboolean
is_zero (const guint8 * data, gsize size)
{
  return size == 0 || (data[0] == 0 && memcmp (data, data + 1, size - 1) == 0);
}

/* Whether what a symbol holds is the packet that was missing: whoever sends, a
 * recovered packet is nothing that could not have come by itself. */
static gboolean
fits_its_place (const LmccRepairDecoder * decoder, const Block * block,
    guint16 sequence, const LmccRepairedPacket * repaired)
{
  guint source = block->shape.source;
  const LmccRtp *rtp = &repaired->rtp;
  const LmccHeader *header = &repaired->header;

  return rtp->ssrc == decoder->ssrc_base + source
      && rtp->sequence == sequence
      && rtp->payload_type ==
      decoder->payload_type + (source >> LMCC_SSRC_STREAM_SHIFT)
      && header->type == LMCC_PACKET_MEDIA
      && header->stream == source >> LMCC_SSRC_STREAM_SHIFT
      && header->layer == (source & LMCC_SSRC_LAYER_MASK);
}

static LmccRepairedPacket *
read_symbol (const LmccRepairDecoder * decoder, const Block * block,
    guint16 sequence, const guint8 * symbol)
{
  gsize room = block->shape.symbol_size - LMCC_REPAIR_LENGTH_SIZE;
  gsize size = lmcc_read_uint16 (symbol);
  const guint8 *data = symbol + LMCC_REPAIR_LENGTH_SIZE;
  LmccRepairedPacket *repaired;

  if (size > room || !is_zero (data + size, room - size))
    return NULL;
  repaired = g_new0 (LmccRepairedPacket, 1);
  repaired->packet = lmcc_packet_new_copy (data, size);
  if (lmcc_rtp_parse (repaired->packet->data, size, decoder->header_id,
          &repaired->rtp) && repaired->rtp.element != NULL
      && lmcc_header_parse (repaired->rtp.element, repaired->rtp.element_size,
          &repaired->header)
      && fits_its_place (decoder, block, sequence, repaired))
    return repaired;
  repaired_free (repaired);

  return NULL;
}

/* Returns FALSE if a source packet is larger than the block's symbols. Counts
 * what is missing anew: a packet that was there may have been forgotten
 * since. */
static gboolean
find_symbols (const LmccRepairDecoder * decoder, Block * block,
    LmccRepairSymbol * source)
{
  guint i;

  block->n_missing = 0;
  for (i = 0; i < block->shape.n_source; i++) {
    const LmccPacket *packet = find_source (decoder, block, i);

    source[i].data = NULL;
    if (packet == NULL) {
      block->n_missing++;
      continue;
    }
    if (packet->size + LMCC_REPAIR_LENGTH_SIZE > block->shape.symbol_size)
      return FALSE;
    lmcc_write_uint16 (source[i].head, (guint) packet->size);
    source[i].data = packet->data;
    source[i].size = packet->size;
  }

  return TRUE;
}

static gboolean
solve (const Block * block, const LmccRepairSymbol * source, guint8 * recovered)
{
  guint8 *out[LMCC_REPAIR_MAX_SYMBOLS];
  const guint8 *repair[LMCC_REPAIR_MAX_SYMBOLS];
  guint8 indices[LMCC_REPAIR_MAX_SYMBOLS];
  guint i;

  for (i = 0; i < block->n_missing; i++)
    out[i] = recovered + i * (gsize) block->shape.symbol_size;
  for (i = 0; i < block->repairs->len; i++) {
    const Repair *item = &g_array_index (block->repairs, Repair, i);

    repair[i] = item->symbol;
    indices[i] = item->index;
  }

  return lmcc_repair_code_recover (block->shape.n_source,
      block->shape.symbol_size, source, out, repair, indices,
      block->repairs->len);
}

/* Returns NULL if a symbol holds no packet of ours: then the others are spoilt
 * too. */
static GPtrArray *
read_symbols (const LmccRepairDecoder * decoder, const Block * block,
    const LmccRepairSymbol * source, const guint8 * recovered)
{
  g_autoptr (GPtrArray) found =
      g_ptr_array_new_with_free_func ((GDestroyNotify) repaired_free);
  guint i;

  for (i = 0; i < block->shape.n_source; i++) {
    LmccRepairedPacket *repaired;

    if (source[i].data != NULL)
      continue;
    repaired = read_symbol (decoder, block,
        (guint16) (block->shape.first + i * block->shape.step), recovered);
    recovered += block->shape.symbol_size;
    if (repaired == NULL)
      return NULL;
    g_ptr_array_add (found, repaired);
  }

  return g_steal_pointer (&found);
}

static void
finish (LmccRepairDecoder * decoder, Block * block)
{
  drop_repairs (decoder, block);
  g_ptr_array_remove_fast (decoder->open, block);
  block->finished = TRUE;
  decoder->changes++;
}

/* Recovers all that is missing of a block that has enough for it. */
static void
recover (LmccRepairDecoder * decoder, Block * block, LmccTime now)
{
  LmccRepairSymbol source[LMCC_REPAIR_MAX_SYMBOLS];
  g_autofree guint8 *recovered = NULL;
  g_autoptr (GPtrArray) found = NULL;

  if (find_symbols (decoder, block, source)) {
    if (block->n_missing > block->repairs->len)
      return;
    recovered = g_malloc (block->n_missing * (gsize) block->shape.symbol_size);
    if (solve (block, source, recovered))
      found = read_symbols (decoder, block, source, recovered);
  }
  finish (decoder, block);
  if (found == NULL) {
    decoder->refused++;
    return;
  }
  while (found->len > 0) {
    LmccRepairedPacket *repaired = g_ptr_array_steal_index (found, 0);

    keep_source (decoder, make_key (block->shape.source,
            repaired->rtp.sequence), repaired->packet, now);
    g_queue_push_tail (&decoder->repaired, repaired);
  }
}

static void
try_block (LmccRepairDecoder * decoder, Block * block, LmccTime now)
{
  if (block->finished || block->n_missing > block->repairs->len)
    return;
  if (block->n_missing > 0)
    recover (decoder, block, now);
  else
    finish (decoder, block);
}

/* What one block recovers may be what another waits for. */
static void
tell_blocks (LmccRepairDecoder * decoder, LmccTime now)
{
  while (decoder->fresh->len > 0) {
    guint last = decoder->fresh->len - 1;
    guint key = g_array_index (decoder->fresh, guint, last);
    guint i;

    g_array_set_size (decoder->fresh, last);
    /* One that gets whole leaves its place to the last, which was there. */
    for (i = decoder->open->len; i > 0; i--) {
      Block *block = g_ptr_array_index (decoder->open, i - 1);

      if (!block_covers (block, key_source (key), key))
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
 * @packet: a media packet, as it came; a reference is kept
 * @now: the time, for lmcc_repair_decoder_expire()
 *
 * Takes note of a source packet. Poll for what it recovers.
 */
void
lmcc_repair_decoder_take_source (LmccRepairDecoder * decoder, guint16 source,
    guint16 sequence, LmccPacket * packet, LmccTime now)
{
  keep_source (decoder, make_key (source, sequence), packet, now);
  tell_blocks (decoder, now);
  limit (decoder);
}

static Block *
new_block (LmccRepairDecoder * decoder, guint key,
    const LmccRepairPayload * payload, LmccTime now)
{
  Block *block = g_new0 (Block, 1);
  guint i;

  block->key = key;
  block->shape = *payload;
  block->shape.symbol = NULL;
  block->time = now;
  block->repairs = g_array_new (FALSE, FALSE, sizeof (Repair));
  for (i = 0; i < payload->n_source; i++)
    block->n_missing += find_source (decoder, block, i) == NULL;
  g_hash_table_insert (decoder->blocks, GUINT_TO_POINTER (key), block);
  g_queue_push_tail (&decoder->block_order, block);
  g_ptr_array_add (decoder->open, block);
  decoder->changes++;

  return block;
}

static gboolean
has_index (const Block * block, guint8 index)
{
  guint i;

  for (i = 0; i < block->repairs->len; i++) {
    if (g_array_index (block->repairs, Repair, i).index == index)
      return TRUE;
  }

  return FALSE;
}

static gboolean
same_shape (const LmccRepairPayload * a, const LmccRepairPayload * b)
{
  return a->n_source == b->n_source && a->step == b->step
      && a->n_repair == b->n_repair && a->symbol_size == b->symbol_size;
}

/**
 * lmcc_repair_decoder_take_repair:
 * @decoder: a decoder
 * @payload: what lmcc_repair_payload_parse() made of the packet's payload
 * @packet: the packet that the symbol is in; a reference is kept
 * @now: the time
 *
 * Takes a repair packet. Poll for what it recovers. One that says another k, d,
 * r or symbol size than the first of its block is refused.
 */
void
lmcc_repair_decoder_take_repair (LmccRepairDecoder * decoder,
    const LmccRepairPayload * payload, LmccPacket * packet, LmccTime now)
{
  guint key = make_key (payload->source, payload->first);
  Block *block = g_hash_table_lookup (decoder->blocks, GUINT_TO_POINTER (key));
  Repair repair = { packet, payload->symbol, payload->index };

  if (block == NULL)
    block = new_block (decoder, key, payload, now);
  if (!same_shape (&block->shape, payload)) {
    decoder->refused++;
    return;
  }
  if (!block->finished && !has_index (block, payload->index)) {
    lmcc_packet_ref (packet);
    decoder->bytes += lmcc_repair_memory (packet);
    g_array_append_val (block->repairs, repair);
    try_block (decoder, block, now);
    tell_blocks (decoder, now);
  }
  limit (decoder);
}

/**
 * lmcc_repair_decoder_close_block:
 * @decoder: a decoder
 * @source: the low 12 bits of the source packets' SSRC
 * @first: the block's first sequence number
 *
 * All of the block's repair packets have come or are lost: what it cannot
 * recover now it never will, unless more of its source packets come.
 */
void
lmcc_repair_decoder_close_block (LmccRepairDecoder * decoder, guint16 source,
    guint16 first)
{
  Block *block = g_hash_table_lookup (decoder->blocks,
      GUINT_TO_POINTER (make_key (source, first)));

  if (block == NULL || block->closed)
    return;
  block->closed = TRUE;
  decoder->changes++;
}

/**
 * lmcc_repair_decoder_is_hopeless:
 * @decoder: a decoder
 * @source: the low 12 bits of an SSRC
 * @sequence: a sequence number that is missing
 *
 * Returns: whether a block that has it has lost more than it repairs, and no
 *     other block that is known may give it
 */
gboolean
lmcc_repair_decoder_is_hopeless (const LmccRepairDecoder * decoder,
    guint16 source, guint16 sequence)
{
  gboolean hopeless = FALSE;
  GList *at;

  for (at = decoder->block_order.tail; at != NULL; at = at->prev) {
    const Block *block = at->data;

    if (!block_covers (block, source, sequence))
      continue;
    if (!block->closed && !block->finished)
      return FALSE;
    hopeless = TRUE;
  }

  return hopeless;
}

/**
 * lmcc_repair_decoder_get_changes:
 * @decoder: a decoder
 *
 * Returns: another number than before if lmcc_repair_decoder_is_hopeless() may
 *     say something else by now; never 0
 */
guint
lmcc_repair_decoder_get_changes (const LmccRepairDecoder * decoder)
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
lmcc_repair_decoder_poll (LmccRepairDecoder * decoder,
    LmccRepairedPacket * repaired)
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
 * Returns: repair packets that contradicted their block, and blocks that gave
 *     no packets that fit their places
 */
guint64
lmcc_repair_decoder_get_refused (const LmccRepairDecoder * decoder)
{
  return decoder->refused;
}

/**
 * lmcc_repair_decoder_get_bytes:
 * @decoder: a decoder
 *
 * Returns: memory of the packets that it keeps, at most %LMCC_REPAIR_MAX_BYTES
 */
gsize
lmcc_repair_decoder_get_bytes (const LmccRepairDecoder * decoder)
{
  return decoder->sources.bytes + decoder->bytes;
}
