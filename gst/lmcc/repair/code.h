/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_REPAIR_CODE_H
#define LMCC_REPAIR_CODE_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/* Source and repair symbols of one block together: the capacity of a Cauchy matrix
 * over GF(2^8), minus one. */
#define LMCC_REPAIR_MAX_SYMBOLS 255

/* Size of the length field that precedes the packet in a symbol. */
#define LMCC_REPAIR_LENGTH_SIZE 2

/**
 * LmccRepairSymbol:
 * @head: its first bytes
 * @data: (nullable): the bytes after @head; %NULL if the symbol is missing
 * @size: number of bytes in @data; the rest of the symbol is zeros
 *
 * A source symbol where it is stored: it need not be copied into one piece.
 */
typedef struct
{
  guint8 head[LMCC_REPAIR_LENGTH_SIZE];
  const guint8 *data;
  gsize size;
} LmccRepairSymbol;

gboolean lmcc_repair_code_fits (guint n_source, guint n_repair);
void lmcc_repair_code_encode (guint n_source, guint first, guint n_repair,
    gsize size, const guint8 *const *source, guint8 *const *repair);
gboolean lmcc_repair_code_recover (guint n_source, gsize size,
    const LmccRepairSymbol *source, guint8 *const *recovered,
    const guint8 *const *repair, const guint8 *indices, guint n_repair);

G_END_DECLS

#endif
