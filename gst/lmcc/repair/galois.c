/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "repair/galois.h"

#include <string.h>

/* Elements other than 0 are powers of x, which is 2; there are this many. */
#define ORDER 255

static const guint8 powers[ORDER] = { 1, 2, 4, 8, 16, 32, 64, 128, 29, 58, 116,
  232, 205, 135, 19, 38, 76, 152, 45, 90, 180, 117, 234, 201, 143, 3, 6, 12, 24,
  48, 96, 192, 157, 39, 78, 156, 37, 74, 148, 53, 106, 212, 181, 119, 238, 193,
  159, 35, 70, 140, 5, 10, 20, 40, 80, 160, 93, 186, 105, 210, 185, 111, 222,
  161, 95, 190, 97, 194, 153, 47, 94, 188, 101, 202, 137, 15, 30, 60, 120, 240,
  253, 231, 211, 187, 107, 214, 177, 127, 254, 225, 223, 163, 91, 182, 113, 226,
  217, 175, 67, 134, 17, 34, 68, 136, 13, 26, 52, 104, 208, 189, 103, 206, 129,
  31, 62, 124, 248, 237, 199, 147, 59, 118, 236, 197, 151, 51, 102, 204, 133,
  23, 46, 92, 184, 109, 218, 169, 79, 158, 33, 66, 132, 21, 42, 84, 168, 77,
  154, 41, 82, 164, 85, 170, 73, 146, 57, 114, 228, 213, 183, 115, 230, 209,
  191, 99, 198, 145, 63, 126, 252, 229, 215, 179, 123, 246, 241, 255, 227, 219,
  171, 75, 150, 49, 98, 196, 149, 55, 110, 220, 165, 87, 174, 65, 130, 25, 50,
  100, 200, 141, 7, 14, 28, 56, 112, 224, 221, 167, 83, 166, 81, 162, 89, 178,
  121, 242, 249, 239, 195, 155, 43, 86, 172, 69, 138, 9, 18, 36, 72, 144, 61,
  122, 244, 245, 247, 243, 251, 235, 203, 139, 11, 22, 44, 88, 176, 125, 250,
  233, 207, 131, 27, 54, 108, 216, 173, 71, 142 };

/* 0 has no logarithm. */
static const guint8 logarithms[ORDER + 1] = { 0, 0, 1, 25, 2, 50, 26, 198, 3,
  223, 51, 238, 27, 104, 199, 75, 4, 100, 224, 14, 52, 141, 239, 129, 28, 193,
  105, 248, 200, 8, 76, 113, 5, 138, 101, 47, 225, 36, 15, 33, 53, 147, 142,
  218, 240, 18, 130, 69, 29, 181, 194, 125, 106, 39, 249, 185, 201, 154, 9, 120,
  77, 228, 114, 166, 6, 191, 139, 98, 102, 221, 48, 253, 226, 152, 37, 179, 16,
  145, 34, 136, 54, 208, 148, 206, 143, 150, 219, 189, 241, 210, 19, 92, 131,
  56, 70, 64, 30, 66, 182, 163, 195, 72, 126, 110, 107, 58, 40, 84, 250, 133,
  186, 61, 202, 94, 155, 159, 10, 21, 121, 43, 78, 212, 229, 172, 115, 243, 167,
  87, 7, 112, 192, 247, 140, 128, 99, 13, 103, 74, 222, 237, 49, 197, 254, 24,
  227, 165, 153, 119, 38, 184, 180, 124, 17, 68, 146, 217, 35, 32, 137, 46, 55,
  63, 209, 91, 149, 188, 207, 205, 144, 135, 151, 178, 220, 252, 190, 97, 242,
  86, 211, 171, 20, 42, 93, 158, 132, 60, 57, 83, 71, 109, 65, 162, 31, 45, 67,
  216, 183, 123, 164, 118, 196, 23, 73, 236, 127, 12, 111, 246, 108, 161, 59,
  82, 41, 157, 85, 170, 251, 96, 134, 177, 187, 204, 62, 90, 203, 89, 95, 176,
  156, 169, 160, 81, 11, 245, 22, 235, 122, 117, 44, 215, 79, 174, 213, 233,
  230, 231, 173, 232, 116, 214, 244, 234, 168, 80, 88, 175 };

/**
 * lmcc_galois_multiply:
 * @a: an element
 * @b: another element
 *
 * Returns: their product
 */
guint8
lmcc_galois_multiply (guint8 a, guint8 b)
{
  if (a == 0 || b == 0)
    return 0;

  return powers[(logarithms[a] + logarithms[b]) % ORDER];
}

/**
 * lmcc_galois_inverse:
 * @a: an element
 *
 * Returns: 1 / @a; 0 for 0
 */
guint8
lmcc_galois_inverse (guint8 a)
{
  return a == 0 ? 0 : powers[(ORDER - logarithms[a]) % ORDER];
}

static void
scale_row (guint8 *row, guint8 factor, gint n)
{
  gint i;

  for (i = 0; i < n; i++)
    row[i] = lmcc_galois_multiply (row[i], factor);
}

static void
add_multiple (guint8 *row, const guint8 *other, guint8 factor, gint n)
{
  gint i;

  for (i = 0; i < n; i++)
    row[i] ^= lmcc_galois_multiply (other[i], factor);
}

static void
swap_rows (guint8 *matrix, gint a, gint b, gint n)
{
  gint i;

  for (i = 0; i < n; i++) {
    guint8 element = matrix[a * n + i];

    matrix[a * n + i] = matrix[b * n + i];
    matrix[b * n + i] = element;
  }
}

/**
 * lmcc_galois_invert_matrix:
 * @matrix: (array): @n rows of @n elements; overwritten
 * @inverse: (out): @n rows of @n elements
 * @n: number of rows
 *
 * Inverts a matrix by Gauss-Jordan elimination.
 *
 * Returns: 0, or -1 if there is no inverse
 */
gint
lmcc_galois_invert_matrix (guint8 *matrix, guint8 *inverse, const gint n)
{
  gint column, row;

  memset (inverse, 0, (gsize) n * n);
  for (row = 0; row < n; row++)
    inverse[row * n + row] = 1;
  for (column = 0; column < n; column++) {
    gint pivot = column;
    guint8 factor;

    while (pivot < n && matrix[pivot * n + column] == 0)
      pivot++;
    if (pivot == n)
      return -1;
    swap_rows (matrix, column, pivot, n);
    swap_rows (inverse, column, pivot, n);
    factor = lmcc_galois_inverse (matrix[column * n + column]);
    scale_row (matrix + column * n, factor, n);
    scale_row (inverse + column * n, factor, n);
    for (row = 0; row < n; row++) {
      factor = matrix[row * n + column];
      if (row == column || factor == 0)
        continue;
      add_multiple (matrix + row * n, matrix + column * n, factor, n);
      add_multiple (inverse + row * n, inverse + column * n, factor, n);
    }
  }

  return 0;
}

/**
 * lmcc_galois_init_tables:
 * @n_in: number of columns
 * @n_out: number of rows
 * @matrix: (array): rows of coefficients
 * @tables: (out): %LMCC_GALOIS_TABLE_SIZE bytes for each coefficient: its
 *     products with the elements below 16, and with 16 times these
 */
void
lmcc_galois_init_tables (gint n_in, gint n_out, guint8 *matrix, guint8 *tables)
{
  gint i, nibble;

  for (i = 0; i < n_in * n_out; i++) {
    for (nibble = 0; nibble < 16; nibble++) {
      *tables++ = lmcc_galois_multiply (matrix[i], (guint8) nibble);
    }
    for (nibble = 0; nibble < 16; nibble++) {
      *tables++ = lmcc_galois_multiply (matrix[i], (guint8) (nibble << 4));
    }
  }
}

/* Adds the products of @in with the coefficient of @table to @out. A byte's
 * product is looked up in a table of all 256, which are sums of the products
 * of its two halves. */
static void
add_products (gint size, const guint8 *table, const guint8 *in, guint8 *out)
{
  guint8 products[256];
  gint i, high, low;

  for (high = 0; high < 16; high++) {
    for (low = 0; low < 16; low++)
      products[high << 4 | low] = table[16 + high] ^ table[low];
  }
  for (i = 0; i < size; i++)
    out[i] ^= products[in[i]];
}

/**
 * lmcc_galois_encode:
 * @size: size of each vector in bytes
 * @n_in: number of input vectors
 * @n_out: number of output vectors
 * @tables: from lmcc_galois_init_tables()
 * @in: (array length=n_in): the input vectors
 * @out: (array length=n_out): the output vectors: sums of all of @in, weighted
 *     with the coefficients of a row
 */
void
lmcc_galois_encode (gint size, gint n_in, gint n_out, guint8 *tables,
    guint8 **in, guint8 **out)
{
  gint row, column;

  for (row = 0; row < n_out; row++) {
    memset (out[row], 0, size);
    for (column = 0; column < n_in; column++) {
      add_products (size, tables, in[column], out[row]);
      tables += LMCC_GALOIS_TABLE_SIZE;
    }
  }
}

/**
 * lmcc_galois_encode_update:
 * @size: size of the vector in bytes
 * @n_in: number of columns of the matrix
 * @n_out: number of output vectors
 * @column: the vector's column
 * @tables: from lmcc_galois_init_tables()
 * @in: an input vector
 * @out: (array length=n_out): output vectors, to which the vector's part of the
 *     sum is added
 */
void
lmcc_galois_encode_update (gint size, gint n_in, gint n_out, gint column,
    guint8 *tables, guint8 *in, guint8 **out)
{
  gint row;

  for (row = 0; row < n_out; row++)
    add_products (size, tables + (row * n_in + column) * LMCC_GALOIS_TABLE_SIZE,
        in, out[row]);
}
