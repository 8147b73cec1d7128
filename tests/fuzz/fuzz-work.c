/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Functions that code calls when clang compiles it with
 * -fsanitize-coverage=trace-loads.
 */
#include "fuzz-work.h"

static guint64 loads;

#if defined(__clang__)
#define UNCOUNTED \
  __attribute__ ((no_sanitize ("coverage", "address", "undefined")))

void __sanitizer_cov_load1 (gconstpointer at);
void __sanitizer_cov_load2 (gconstpointer at);
void __sanitizer_cov_load4 (gconstpointer at);
void __sanitizer_cov_load8 (gconstpointer at);
void __sanitizer_cov_load16 (gconstpointer at);

UNCOUNTED void
__sanitizer_cov_load1 (gconstpointer at G_GNUC_UNUSED)
{
  loads++;
}

UNCOUNTED void
__sanitizer_cov_load2 (gconstpointer at G_GNUC_UNUSED)
{
  loads++;
}

UNCOUNTED void
__sanitizer_cov_load4 (gconstpointer at G_GNUC_UNUSED)
{
  loads++;
}

UNCOUNTED void
__sanitizer_cov_load8 (gconstpointer at G_GNUC_UNUSED)
{
  loads++;
}

UNCOUNTED void
__sanitizer_cov_load16 (gconstpointer at G_GNUC_UNUSED)
{
  loads++;
}
#endif

guint64
fuzz_work (void)
{
  return loads;
}
