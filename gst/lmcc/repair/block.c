/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One block at the receiver: its source packets and repair packets, and the
 * recovery of missing source packets.
 */
#include "repair/block.h"

#include "base/bytes.h"
#include "wire/constants.h"

#include <string.h>

guint
lmcc_repair_make_key (guint source, guint sequence)
{
  return source << 16 | (sequence & 0xffff);
}

guint
lmcc_repair_key_source (guint key)
{
  return key >> 16;
}

void
lmcc_repaired_packet_free (LmccRepairedPacket *repaired)
{
  lmcc_packet_unref (repaired->packet);
  g_free (repaired);
}

/* Returns: (transfer full): a block of which only @payload is known */
LmccRepairBlock *
lmcc_repair_block_new (guint key, const LmccRepairPayload *payload,
    LmccTime now)
{
  LmccRepairBlock *block = g_new0 (LmccRepairBlock, 1);

  block->key = key;
  block->shape = *payload;
  block->shape.symbol = NULL;
  block->carriers = (LmccLayerSet) payload->carriers
      << (payload->source & LMCC_SSRC_LAYER_MASK);
  block->time = now;
  block->repairs = g_array_new (FALSE, FALSE, sizeof (LmccBlockRepair));

  return block;
}

/* The block has no repair packets. */
void
lmcc_repair_block_free (LmccRepairBlock *block)
{
  g_array_unref (block->repairs);
  g_free (block);
}

/* Returns whether @payload agrees with the block's first repair packet. */
gboolean
lmcc_repair_block_is_of (const LmccRepairBlock *block,
    const LmccRepairPayload *payload)
{
  const LmccRepairPayload *shape = &block->shape;

  return shape->n_source == payload->n_source && shape->step == payload->step
      && shape->n_repair == payload->n_repair
      && shape->carriers == payload->carriers
      && shape->symbol_size == payload->symbol_size;
}

gboolean
lmcc_repair_block_has_index (const LmccRepairBlock *block, guint8 index)
{
  guint i;

  for (i = 0; i < block->repairs->len; i++) {
    if (g_array_index (block->repairs, LmccBlockRepair, i).index == index)
      return TRUE;
  }

  return FALSE;
}

gboolean
lmcc_repair_block_covers (const LmccRepairBlock *block, guint source,
    guint16 sequence)
{
  guint ahead = (guint16) (sequence - block->shape.first);

  return block->shape.source == source && ahead % block->shape.step == 0
      && ahead / block->shape.step < block->shape.n_source;
}

/* Adds a repair packet; the block keeps @packet, which contains the symbol. */
void
lmcc_repair_block_add (LmccRepairBlock *block, const LmccRepairPayload *payload,
    LmccPacket *packet)
{
  LmccBlockRepair repair = { packet, payload->symbol, payload->index };

  lmcc_packet_ref (packet);
  g_array_append_val (block->repairs, repair);
}

/* Returns the freed memory in bytes. @dropped, unless %NULL, gets the
 * packets. */
gsize
lmcc_repair_block_drop_repairs (LmccRepairBlock *block, GPtrArray *dropped)
{
  gsize bytes = 0;
  guint i;

  for (i = 0; i < block->repairs->len; i++) {
    LmccBlockRepair *repair =
        &g_array_index (block->repairs, LmccBlockRepair, i);

    bytes += lmcc_repair_memory (repair->packet);
    if (dropped != NULL)
      g_ptr_array_add (dropped, repair->packet);
    else
      lmcc_packet_unref (repair->packet);
  }
  g_array_set_size (block->repairs, 0);

  return bytes;
}

static LmccPacket *
find_source (const LmccRepairSources *sources, const LmccRepairBlock *block,
    guint i)
{
  return lmcc_repair_sources_find (sources,
      lmcc_repair_make_key (block->shape.source,
          block->shape.first + i * block->shape.step));
}

/* Returns the number of missing source packets. */
guint
lmcc_repair_block_count_missing (const LmccRepairBlock *block,
    const LmccRepairSources *sources)
{
  guint n = 0, i;

  for (i = 0; i < block->shape.n_source; i++)
    n += find_source (sources, block, i) == NULL;

  return n;
}

static gboolean
is_zero (const guint8 *data, gsize size)
{
  return size == 0 || (data[0] == 0 && memcmp (data, data + 1, size - 1) == 0);
}

/* Whether a recovered symbol is plausible as the missing packet: a forged
 * repair packet must not yield packets that would not be accepted otherwise. */
static gboolean
fits_its_place (const LmccRepairPlace *place, const LmccRepairBlock *block,
    guint16 sequence, const LmccRepairedPacket *repaired)
{
  guint source = block->shape.source;
  const LmccRtp *rtp = &repaired->rtp;
  const LmccHeader *header = &repaired->header;

  return rtp->ssrc == place->ssrc_base + source && rtp->sequence == sequence
      && rtp->payload_type
      == place->payload_type + (source >> LMCC_SSRC_STREAM_SHIFT)
      && header->type == LMCC_PACKET_MEDIA
      && header->stream == source >> LMCC_SSRC_STREAM_SHIFT
      && header->layer == (source & LMCC_SSRC_LAYER_MASK);
}

static LmccRepairedPacket *
read_symbol (const LmccRepairPlace *place, const LmccRepairBlock *block,
    guint16 sequence, const guint8 *symbol)
{
  gsize room = block->shape.symbol_size - LMCC_REPAIR_LENGTH_SIZE;
  gsize size = lmcc_read_uint16 (symbol);
  const guint8 *data = symbol + LMCC_REPAIR_LENGTH_SIZE;
  LmccRepairedPacket *repaired;

  if (size > room || !is_zero (data + size, room - size))
    return NULL;
  repaired = g_new0 (LmccRepairedPacket, 1);
  repaired->packet = lmcc_packet_new_copy (data, size);
  if (lmcc_rtp_parse (repaired->packet->data, size, place->header_id,
          &repaired->rtp)
      && repaired->rtp.element != NULL
      && lmcc_header_parse (repaired->rtp.element, repaired->rtp.element_size,
          &repaired->header)
      && fits_its_place (place, block, sequence, repaired))
    return repaired;
  lmcc_repaired_packet_free (repaired);

  return NULL;
}

/* Returns FALSE if a source packet is larger than the block's symbols. */
static gboolean
find_symbols (const LmccRepairSources *sources, LmccRepairBlock *block,
    LmccRepairSymbol *source)
{
  guint i;

  block->n_missing = 0;
  for (i = 0; i < block->shape.n_source; i++) {
    const LmccPacket *packet = find_source (sources, block, i);

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
solve (const LmccRepairBlock *block, const LmccRepairSymbol *source,
    guint8 *recovered)
{
  guint8 *out[LMCC_REPAIR_MAX_SYMBOLS];
  const guint8 *repair[LMCC_REPAIR_MAX_SYMBOLS];
  guint8 indices[LMCC_REPAIR_MAX_SYMBOLS];
  guint i;

  for (i = 0; i < block->n_missing; i++)
    out[i] = recovered + i * (gsize) block->shape.symbol_size;
  for (i = 0; i < block->repairs->len; i++) {
    const LmccBlockRepair *item =
        &g_array_index (block->repairs, LmccBlockRepair, i);

    repair[i] = item->symbol;
    indices[i] = item->index;
  }

  return lmcc_repair_code_recover (block->shape.n_source,
      block->shape.symbol_size, source, out, repair, indices,
      block->repairs->len);
}

/* Returns NULL if a symbol holds no packet of the session: then the others
 * are corrupt, too. */
static GPtrArray *
read_symbols (const LmccRepairPlace *place, const LmccRepairBlock *block,
    const LmccRepairSymbol *source, const guint8 *recovered)
{
  g_autoptr (GPtrArray) found = g_ptr_array_new_with_free_func (
      (GDestroyNotify) lmcc_repaired_packet_free);
  guint i;

  for (i = 0; i < block->shape.n_source; i++) {
    LmccRepairedPacket *repaired;

    if (source[i].data != NULL)
      continue;
    repaired = read_symbol (place, block,
        (guint16) (block->shape.first + i * block->shape.step), recovered);
    recovered += block->shape.symbol_size;
    if (repaired == NULL)
      return NULL;
    g_ptr_array_add (found, repaired);
  }

  return g_steal_pointer (&found);
}

/*
 * lmcc_repair_block_recover:
 * @block: a block that may have enough repair packets
 * @sources: the source packets that are present
 * @place: the conditions for recovered packets
 * @found: (out) (nullable) (element-type LmccRepairedPacket): the recovered
 *     packets; %NULL if a symbol is no packet of the session
 *
 * Counts the missing packets again, because earlier ones may have been
 * forgotten.
 *
 * Returns: %FALSE if there are not enough packets
 */
gboolean
lmcc_repair_block_recover (LmccRepairBlock *block,
    const LmccRepairSources *sources, const LmccRepairPlace *place,
    GPtrArray **found)
{
  LmccRepairSymbol source[LMCC_REPAIR_MAX_SYMBOLS];
  g_autofree guint8 *recovered = NULL;

  *found = NULL;
  if (!find_symbols (sources, block, source))
    return TRUE;
  if (block->n_missing > block->repairs->len)
    return FALSE;
  recovered = g_malloc (block->n_missing * (gsize) block->shape.symbol_size);
  if (solve (block, source, recovered))
    *found = read_symbols (place, block, source, recovered);

  return TRUE;
}
