/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the table-based field arithmetic, which the library uses without
 * ISA-L: against the definition of a field, and against ISA-L if available.
 */
#include "config.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/repair/galois.h>

#include <string.h>

#define MAX_VECTORS 40

/* x^8 + x^4 + x^3 + x^2 + 1 */
#define POLYNOMIAL 0x11d

/* After each vector; it must not be overwritten. */
#define GUARD 0xa5

/* The product of polynomials by definition. */
static guint8
product (guint a, guint b)
{
  guint sum = 0;

  for (; b != 0; b >>= 1) {
    if (b & 1)
      sum ^= a;
    a <<= 1;
    if (a & 0x100)
      a ^= POLYNOMIAL;
  }

  return (guint8) sum;
}

static void
randomize (GRand *dice, guint8 *data, gsize size)
{
  gsize i;

  for (i = 0; i < size; i++)
    data[i] = (guint8) g_rand_int (dice);
}

GST_START_TEST (products_are_those_of_the_polynomials)
{
  guint a, b;

  for (a = 0; a < 256; a++) {
    for (b = 0; b < 256; b++)
      fail_unless_equals_int (lmcc_galois_multiply (a, b), product (a, b));
  }
}

GST_END_TEST;

GST_START_TEST (each_element_but_zero_has_an_inverse)
{
  guint a;

  fail_unless_equals_int (lmcc_galois_inverse (0), 0);
  for (a = 1; a < 256; a++)
    fail_unless_equals_int (product (a, lmcc_galois_inverse (a)), 1);
}

GST_END_TEST;

/* Whether @a times @b is the identity, by definition. */
static gboolean
makes_identity (const guint8 *a, const guint8 *b, gint n)
{
  gint row, column, i;

  for (row = 0; row < n; row++) {
    for (column = 0; column < n; column++) {
      guint8 sum = 0;

      for (i = 0; i < n; i++)
        sum ^= product (a[row * n + i], b[i * n + column]);
      if (sum != (row == column))
        return FALSE;
    }
  }

  return TRUE;
}

GST_START_TEST (matrices_are_inverted_where_they_can_be)
{
  g_autoptr (GRand) dice = g_rand_new_with_seed (1);
  guint8 matrix[MAX_VECTORS * MAX_VECTORS], copy[MAX_VECTORS * MAX_VECTORS];
  guint8 inverse[MAX_VECTORS * MAX_VECTORS];
  guint n_inverted = 0, round;

  for (round = 0; round < 400; round++) {
    gint n = g_rand_int_range (dice, 1, 24), i;

    randomize (dice, matrix, sizeof (matrix));
    /* Zeros where elimination would divide, so that it must choose another
     * row. */
    for (i = 0; i < n; i++) {
      if (round % 2 == 0)
        matrix[i * n + i] = 0;
    }
    memcpy (copy, matrix, sizeof (copy));
    if (lmcc_galois_invert_matrix (matrix, inverse, n) != 0)
      continue;
    fail_unless (makes_identity (copy, inverse, n));
    n_inverted++;
  }
  /* One random matrix in 255 has no inverse. */
  fail_unless (n_inverted > 350);
}

GST_END_TEST;

GST_START_TEST (a_matrix_whose_rows_depend_on_each_other_has_no_inverse)
{
  g_autoptr (GRand) dice = g_rand_new_with_seed (2);
  guint8 matrix[20 * 20], inverse[20 * 20];
  gint n, i;

  for (n = 2; n <= 20; n++) {
    gint last = n - 1;

    randomize (dice, matrix, sizeof (matrix));
    for (i = 0; i < n; i++)
      matrix[last * n + i] =
          product (matrix[i], 3) ^ (n > 2 ? matrix[n + i] : 0);
    fail_unless_equals_int (lmcc_galois_invert_matrix (matrix, inverse, n), -1);
  }
  memset (matrix, 0, sizeof (matrix));
  fail_unless_equals_int (lmcc_galois_invert_matrix (matrix, inverse, 1), -1);
}

GST_END_TEST;

/* Vectors of random bytes, and room for the results. */
typedef struct
{
  gint size, n_in, n_out;
  guint8 *matrix, *tables;
  guint8 *in[MAX_VECTORS], *out[MAX_VECTORS], *other[MAX_VECTORS];
} Vectors;

static guint8 *
new_guarded (gint size)
{
  guint8 *data = g_malloc (size + 1);

  memset (data, GUARD, size + 1);

  return data;
}

static void
vectors_init (Vectors *v, GRand *dice, gint size)
{
  gint i;

  v->size = size;
  v->n_in = g_rand_int_range (dice, 1, MAX_VECTORS);
  v->n_out = g_rand_int_range (dice, 1, 10);
  v->matrix = g_malloc (v->n_in * v->n_out);
  randomize (dice, v->matrix, v->n_in * v->n_out);
  v->matrix[g_rand_int_range (dice, 0, v->n_in * v->n_out)] = 0;
  v->tables = g_malloc (v->n_in * v->n_out * LMCC_GALOIS_TABLE_SIZE);
  lmcc_galois_init_tables (v->n_in, v->n_out, v->matrix, v->tables);
  for (i = 0; i < v->n_in; i++) {
    v->in[i] = g_malloc (MAX (size, 1));
    randomize (dice, v->in[i], size);
  }
  for (i = 0; i < v->n_out; i++) {
    v->out[i] = new_guarded (size);
    v->other[i] = new_guarded (size);
  }
}

static void
vectors_clear (Vectors *v)
{
  gint i;

  for (i = 0; i < v->n_in; i++)
    g_free (v->in[i]);
  for (i = 0; i < v->n_out; i++) {
    fail_unless_equals_int (v->out[i][v->size], GUARD);
    fail_unless_equals_int (v->other[i][v->size], GUARD);
    g_free (v->out[i]);
    g_free (v->other[i]);
  }
  g_free (v->matrix);
  g_free (v->tables);
}

static void
vectors_compare (const Vectors *v)
{
  gint i;

  for (i = 0; i < v->n_out; i++)
    fail_unless (memcmp (v->out[i], v->other[i], v->size) == 0,
        "vector %d of %d from %d, %d bytes", i, v->n_out, v->n_in, v->size);
}

/* Close to the widths of words and registers, and as long as packets. */
static const gint sizes[] = { 0, 1, 2, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65,
  127, 128, 129, 255, 256, 257, 1199, 1200, 1201, 1500 };

GST_START_TEST (vectors_become_sums_of_products)
{
  g_autoptr (GRand) dice = g_rand_new_with_seed (3);
  guint which;

  for (which = 0; which < G_N_ELEMENTS (sizes); which++) {
    gint row, column, i;
    Vectors v;

    vectors_init (&v, dice, sizes[which]);
    lmcc_galois_encode (v.size, v.n_in, v.n_out, v.tables, v.in, v.out);
    for (row = 0; row < v.n_out; row++) {
      memset (v.other[row], 0, v.size);
      for (column = 0; column < v.n_in; column++) {
        for (i = 0; i < v.size; i++)
          v.other[row][i] ^=
              product (v.matrix[row * v.n_in + column], v.in[column][i]);
      }
    }
    vectors_compare (&v);
    vectors_clear (&v);
  }
}

GST_END_TEST;

GST_START_TEST (vectors_may_come_one_by_one)
{
  g_autoptr (GRand) dice = g_rand_new_with_seed (4);
  guint which;

  for (which = 0; which < G_N_ELEMENTS (sizes); which++) {
    Vectors v;
    gint i;

    vectors_init (&v, dice, sizes[which]);
    lmcc_galois_encode (v.size, v.n_in, v.n_out, v.tables, v.in, v.out);
    for (i = 0; i < v.n_out; i++)
      memset (v.other[i], 0, v.size);
    for (i = v.n_in - 1; i >= 0; i--)
      lmcc_galois_encode_update (v.size, v.n_in, v.n_out, i, v.tables, v.in[i],
          v.other);
    vectors_compare (&v);
    vectors_clear (&v);
  }
}

GST_END_TEST;

#ifdef HAVE_ISAL

GST_START_TEST (elements_are_isals)
{
  guint a, b;

  for (a = 0; a < 256; a++) {
    fail_unless_equals_int (lmcc_galois_inverse (a), gf_inv (a));
    for (b = 0; b < 256; b++)
      fail_unless_equals_int (lmcc_galois_multiply (a, b), gf_mul (a, b));
  }
}

GST_END_TEST;

/* Every second matrix without an inverse. */
GST_START_TEST (inverses_of_matrices_are_isals)
{
  g_autoptr (GRand) dice = g_rand_new_with_seed (5);
  guint round;

  for (round = 0; round < 400; round++) {
    gint n = g_rand_int_range (dice, 1, MAX_VECTORS), size = n * n, status;
    g_autofree guint8 *matrix = g_malloc (size);
    g_autofree guint8 *copy = g_malloc (size);
    g_autofree guint8 *inverse = g_malloc (size);
    g_autofree guint8 *other = g_malloc (size);

    randomize (dice, matrix, size);
    if (round % 2 == 0)
      memcpy (matrix, matrix + size - n, n);
    if (round % 3 == 0)
      matrix[0] = 0;
    memcpy (copy, matrix, size);
    status = gf_invert_matrix (copy, other, n);
    fail_unless_equals_int (lmcc_galois_invert_matrix (matrix, inverse, n),
        status);
    fail_unless (status != 0 || memcmp (inverse, other, size) == 0);
  }
}

GST_END_TEST;

GST_START_TEST (vectors_equal_those_of_isal)
{
  g_autoptr (GRand) dice = g_rand_new_with_seed (6);
  guint round;

  for (round = 0; round < 300; round++) {
    g_autofree guint8 *tables = NULL;
    Vectors v;
    gint i;

    vectors_init (&v, dice,
        round < G_N_ELEMENTS (sizes) ? sizes[round]
                                     : g_rand_int_range (dice, 0, 1600));
    tables = g_malloc (v.n_in * v.n_out * LMCC_GALOIS_TABLE_SIZE);
    ec_init_tables (v.n_in, v.n_out, v.matrix, tables);
    lmcc_galois_encode (v.size, v.n_in, v.n_out, v.tables, v.in, v.out);
    ec_encode_data (v.size, v.n_in, v.n_out, tables, v.in, v.other);
    vectors_compare (&v);
    for (i = 0; i < v.n_in; i += 3) {
      lmcc_galois_encode_update (v.size, v.n_in, v.n_out, i, v.tables, v.in[i],
          v.out);
      ec_encode_data_update (v.size, v.n_in, v.n_out, i, tables, v.in[i],
          v.other);
    }
    vectors_compare (&v);
    vectors_clear (&v);
  }
}

GST_END_TEST;

#endif

static Suite *
galois_suite (void)
{
  Suite *suite = suite_create ("galois");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_test (chain, products_are_those_of_the_polynomials);
  tcase_add_test (chain, each_element_but_zero_has_an_inverse);
  tcase_add_test (chain, matrices_are_inverted_where_they_can_be);
  tcase_add_test (chain,
      a_matrix_whose_rows_depend_on_each_other_has_no_inverse);
  tcase_add_test (chain, vectors_become_sums_of_products);
  tcase_add_test (chain, vectors_may_come_one_by_one);
#ifdef HAVE_ISAL
  tcase_add_test (chain, elements_are_isals);
  tcase_add_test (chain, inverses_of_matrices_are_isals);
  tcase_add_test (chain, vectors_equal_those_of_isal);
#endif

  return suite;
}

GST_CHECK_MAIN (galois);
