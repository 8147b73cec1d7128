/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_CONTROLLER_H
#define LMCC_CONTROL_CONTROLLER_H

#include <gst/lmcc/lmcc-controller.h>

G_BEGIN_DECLS

/* The library's own algorithms, in the order in which they are listed. Numbers in use:
 * 1 to 9, and 101; the next one is 102. */
#define LMCC_OWN_ALGORITHMS(ROW) \
  ROW (none)                     \
  ROW (elm)                      \
  ROW (flid_dl)                  \
  ROW (flid_sl)                  \
  ROW (rlc)                      \
  ROW (rlm)                      \
  ROW (synchronized)             \
  ROW (plumb)                    \
  ROW (pgmcc)                    \
  ROW (tfmcc)

#define LMCC_DECLARE_ALGORITHM(name) \
  extern const LmccAlgorithm lmcc_algorithm_##name;
LMCC_OWN_ALGORITHMS (LMCC_DECLARE_ALGORITHM)
#undef LMCC_DECLARE_ALGORITHM

gboolean lmcc_algorithm_add (const LmccAlgorithm *algorithm);
LmccController *lmcc_controller_new_base_only (const LmccAlgorithm *algorithm);

G_END_DECLS

#endif
