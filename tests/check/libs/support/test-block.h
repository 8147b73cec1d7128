/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Blocks of source and repair packets, and a decoder that receives some of
 * them.
 */
#ifndef TEST_BLOCK_H
#define TEST_BLOCK_H

#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/repair/code.h>
#include <gst/lmcc/repair/decoder.h>

#define TEST_BLOCK_SOURCE 0x043 /* rung 1, layer 3 */

typedef struct
{
  guint n_source;
  guint n_repair;
  guint first;
  guint step;
  LmccPacket *source[LMCC_REPAIR_MAX_SYMBOLS];
  GPtrArray *repair;
} TestBlock;

LmccRepairDecoder *test_block_decoder (void);
LmccPacket *test_block_packet (guint source, guint sequence);
GPtrArray *test_block_encode (LmccPacket *const *packets, guint n_source,
    guint step, guint n_repair);
void test_block_init (TestBlock *block, guint first, guint n_source, guint step,
    guint n_repair);
void test_block_clear (TestBlock *block);
void test_block_take_repair (LmccRepairDecoder *decoder, LmccPacket *packet,
    LmccTime now);
void test_block_take_symbol (LmccRepairDecoder *decoder, const TestBlock *block,
    guint i, LmccTime now);
guint test_block_poll_all (LmccRepairDecoder *decoder, const TestBlock *block,
    const gboolean *lost);
guint test_block_count_missing (const TestBlock *block, const gboolean *lost,
    guint *n_lost);

#endif
