/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Arithmetic of GF(2^8) with x^8 + x^4 + x^3 + x^2 + 1. The names are those of ISA-L's
 * functions, which are used if the build found that library.
 */
#ifndef LMCC_REPAIR_GALOIS_H
#define LMCC_REPAIR_GALOIS_H

#include <glib.h>

G_BEGIN_DECLS

/* Size of the table of each coefficient for lmcc_galois_encode(). */
#define LMCC_GALOIS_TABLE_SIZE 32

guint8 lmcc_galois_multiply (guint8 a, guint8 b);
guint8 lmcc_galois_inverse (guint8 a);
gint lmcc_galois_invert_matrix (guint8 *matrix, guint8 *inverse, const gint n);
void
lmcc_galois_init_tables (gint n_in, gint n_out, guint8 *matrix, guint8 *tables);
void lmcc_galois_encode (gint size, gint n_in, gint n_out, guint8 *tables,
    guint8 **in, guint8 **out);
void lmcc_galois_encode_update (gint size, gint n_in, gint n_out, gint column,
    guint8 *tables, guint8 *in, guint8 **out);

#if defined(HAVE_ISAL) && !defined(LMCC_GALOIS_TABLES)
#include <isa-l/erasure_code.h>
#else
#define gf_mul lmcc_galois_multiply
#define gf_inv lmcc_galois_inverse
#define gf_invert_matrix lmcc_galois_invert_matrix
#define ec_init_tables lmcc_galois_init_tables
#define ec_encode_data lmcc_galois_encode
#define ec_encode_data_update lmcc_galois_encode_update
#endif

G_END_DECLS

#endif
