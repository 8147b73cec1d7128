/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_CONTROLLER_H
#define LMCC_CONTROL_CONTROLLER_H

#include <gst/lmcc/lmcc-controller.h>

G_BEGIN_DECLS

LmccController *lmcc_controller_new_base_only (const LmccAlgorithm * algorithm);

extern const LmccAlgorithm lmcc_algorithm_rlc;
extern const LmccAlgorithm lmcc_algorithm_flid_sl;
extern const LmccAlgorithm lmcc_algorithm_flid_dl;
extern const LmccAlgorithm lmcc_algorithm_synchronized;
extern const LmccAlgorithm lmcc_algorithm_rlm;
extern const LmccAlgorithm lmcc_algorithm_pgmcc;
extern const LmccAlgorithm lmcc_algorithm_tfmcc;

G_END_DECLS

#endif
