/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What every fuzz target does before its first input.
 */
#include "fuzz.h"

#include <signal.h>
#include <stdlib.h>

static void
handle_trap (int number G_GNUC_UNUSED)
{
  abort ();
}

/* g_error() ends in a breakpoint, whose signal libFuzzer does not catch: the
 * input would be lost. It keeps the input of what aborts. */
int
LLVMFuzzerInitialize (int *argc G_GNUC_UNUSED, char ***argv G_GNUC_UNUSED)
{
  signal (SIGTRAP, handle_trap);

  return 0;
}
