/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The same pictures and packet losses as in test-repair.h, with GStreamer's
 * own forward error correction.
 */
#ifndef TEST_FEC_H
#define TEST_FEC_H

#include "support/test-repair.h"

typedef enum
{
  TEST_FEC_ULP,    /* RFC 5109: rtpulpfecenc */
  TEST_FEC_2022_1, /* SMPTE 2022-1: rtpst2022-1-fecenc */
} TestFecScheme;

gboolean test_fec_is_there (TestFecScheme scheme);
gchar *test_fec_run (const TestRepairConfig *config, TestFecScheme scheme,
    gdouble overhead, guint block, TestRepairResult *result);

#endif
