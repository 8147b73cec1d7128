/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "repair/code.h"

#include "repair/galois.h"

#include <string.h>

/* The element in row @index and column @column of a Cauchy matrix: 1 / (row
 * + column) in GF(2^8), with rows counted from @n_source on. So a repair
 * symbol depends on the number of source symbols and on its own index, not
 * on the number of repair symbols. */
static guint8
coefficient (guint n_source, guint index, guint column)
{
  return gf_inv ((guint8) ((n_source + index) ^ column));
}

/* Each of @n_out vectors becomes the sum of @n_in vectors, weighted with one
 * row of @matrix. */
static void
multiply (gsize size, guint n_in, guint n_out, const guint8 *matrix,
    const guint8 *const *in, guint8 *const *out)
{
  g_autofree guint8 *tables =
      g_malloc ((gsize) LMCC_GALOIS_TABLE_SIZE * n_in * n_out);

  ec_init_tables ((gint) n_in, (gint) n_out, (guint8 *) matrix, tables);
  ec_encode_data ((gint) size, (gint) n_in, (gint) n_out, tables,
      (guint8 **) in, (guint8 **) out);
}

/**
 * lmcc_repair_code_fits:
 * @n_source: k
 * @n_repair: r
 *
 * Returns: whether a code with k source and r repair symbols exists: at least
 * one of each, and at most %LMCC_REPAIR_MAX_SYMBOLS together
 */
gboolean
lmcc_repair_code_fits (guint n_source, guint n_repair)
{
  return n_source > 0 && n_repair > 0 && n_source < LMCC_REPAIR_MAX_SYMBOLS
      && n_repair <= LMCC_REPAIR_MAX_SYMBOLS - n_source;
}

/**
 * lmcc_repair_code_encode:
 * @n_source: k, number of source symbols
 * @first: index of the first wanted repair symbol
 * @n_repair: number of wanted repair symbols; lmcc_repair_code_fits() must
 *     accept k and @first + @n_repair
 * @size: size of each symbol in bytes
 * @source: (array length=n_source): the source symbols
 * @repair: (array length=n_repair): buffers for the repair symbols
 *
 * Encodes a block, or a part of its repair symbols, with a systematic
 * Reed-Solomon code over GF(2^8): repair symbol i is the sum over j of source
 * symbol j / ((k + i) XOR j), in the field of x^8 + x^4 + x^3 + x^2 + 1. Every
 * square submatrix of a Cauchy matrix can be inverted, so any k of the k + r
 * symbols yield the block (Blömer et al., "An XOR-Based Erasure-Resilient
 * Coding Scheme", ICSI TR-95-048, 1995).
 */
void
lmcc_repair_code_encode (guint n_source, guint first, guint n_repair,
    gsize size, const guint8 *const *source, guint8 *const *repair)
{
  g_autofree guint8 *matrix = NULL;
  guint row, i;

  g_return_if_fail (
      n_repair > 0 && lmcc_repair_code_fits (n_source, first + n_repair));

  matrix = g_malloc ((gsize) n_repair * n_source);
  for (row = 0; row < n_repair; row++) {
    for (i = 0; i < n_source; i++)
      matrix[row * n_source + i] = coefficient (n_source, first + row, i);
  }
  multiply (size, n_source, n_repair, matrix, source, repair);
}

/* Adds the product of the symbol's head and an element of @factors to each
 * of @n_out vectors, which are @stride apart. */
static void
add_head (const LmccRepairSymbol *symbol, guint n_out, const guint8 *factors,
    gsize stride, guint8 *const *out)
{
  guint row, i;

  for (row = 0; row < n_out; row++) {
    for (i = 0; i < LMCC_REPAIR_LENGTH_SIZE; i++)
      out[row][i] ^= gf_mul (symbol->head[i], factors[row * stride]);
  }
}

/* The contribution of the missing symbols to each repair symbol: the repair
 * symbol minus the contributions of the others, which are not read beyond
 * their own sizes. */
static void
find_syndromes (guint n_source, gsize size, const LmccRepairSymbol *source,
    const guint8 *const *repair, const guint8 *indices, guint n_missing,
    guint8 *const *syndromes)
{
  guint n_known = n_source - n_missing;
  g_autofree guint8 *matrix = g_malloc ((gsize) n_known * n_missing);
  g_autofree guint8 *tables =
      g_malloc ((gsize) LMCC_GALOIS_TABLE_SIZE * n_known * n_missing);
  g_autofree guint8 **behind_head = g_new (guint8 *, n_missing);
  guint row, i, column = 0;

  for (row = 0; row < n_missing; row++) {
    memcpy (syndromes[row], repair[row], size);
    behind_head[row] = syndromes[row] + LMCC_REPAIR_LENGTH_SIZE;
  }
  if (n_known == 0)
    return;
  for (i = 0; i < n_source; i++) {
    if (source[i].data == NULL)
      continue;
    for (row = 0; row < n_missing; row++)
      matrix[row * n_known + column] = coefficient (n_source, indices[row], i);
    column++;
  }
  ec_init_tables ((gint) n_known, (gint) n_missing, matrix, tables);
  column = 0;
  for (i = 0; i < n_source; i++) {
    if (source[i].data == NULL)
      continue;
    add_head (&source[i], n_missing, matrix + column, n_known, syndromes);
    ec_encode_data_update ((gint) source[i].size, (gint) n_known,
        (gint) n_missing, (gint) column, tables, (guint8 *) source[i].data,
        behind_head);
    column++;
  }
}

/* The matrix that converts the syndromes to the missing symbols. */
static guint8 *
invert (guint n_source, const LmccRepairSymbol *source, const guint8 *indices,
    guint n_missing)
{
  g_autofree guint8 *matrix = g_malloc ((gsize) n_missing * n_missing);
  g_autofree guint8 *inverse = g_malloc ((gsize) n_missing * n_missing);
  guint row, i, column = 0;

  for (i = 0; i < n_source; i++) {
    if (source[i].data != NULL)
      continue;
    for (row = 0; row < n_missing; row++)
      matrix[row * n_missing + column] =
          coefficient (n_source, indices[row], i);
    column++;
  }
  if (gf_invert_matrix (matrix, inverse, (gint) n_missing) != 0)
    return NULL;

  return g_steal_pointer (&inverse);
}

/**
 * lmcc_repair_code_recover:
 * @n_source: k, number of source symbols
 * @size: size of each symbol in bytes, at least %LMCC_REPAIR_LENGTH_SIZE
 * @source: (array length=n_source): the source symbols, none longer than @size
 * @recovered: buffers for the missing symbols, in order
 * @repair: (array length=n_repair): repair symbols of the block
 * @indices: (array length=n_repair): their indices, all different
 * @n_repair: number of repair symbols
 *
 * Recovers the missing source symbols. The time is that of (k + e) e products
 * of @size bytes plus the inversion of an e x e matrix, for e missing symbols.
 *
 * Returns: %FALSE if there are fewer repair symbols than missing ones, or an
 * index is out of range
 */
gboolean
lmcc_repair_code_recover (guint n_source, gsize size,
    const LmccRepairSymbol *source, guint8 *const *recovered,
    const guint8 *const *repair, const guint8 *indices, guint n_repair)
{
  g_autofree guint8 *inverse = NULL;
  g_autofree guint8 *data = NULL;
  g_autofree guint8 **syndromes = NULL;
  guint n_missing = 0, i;

  for (i = 0; i < n_source; i++)
    n_missing += source[i].data == NULL;
  if (n_missing == 0)
    return TRUE;
  if (n_missing > n_repair)
    return FALSE;
  for (i = 0; i < n_missing; i++) {
    if (!lmcc_repair_code_fits (n_source, indices[i] + 1u))
      return FALSE;
  }

  inverse = invert (n_source, source, indices, n_missing);
  if (inverse == NULL)
    return FALSE;
  data = g_malloc (n_missing * size);
  syndromes = g_new (guint8 *, n_missing);
  for (i = 0; i < n_missing; i++)
    syndromes[i] = data + i * size;
  find_syndromes (n_source, size, source, repair, indices, n_missing,
      syndromes);
  multiply (size, n_missing, n_missing, inverse,
      (const guint8 *const *) syndromes, recovered);

  return TRUE;
}
