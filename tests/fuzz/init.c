/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Initialization of every fuzz target before its first input.
 */
#include "fuzz.h"

#include <signal.h>
#include <stdlib.h>

static void
handle_trap (int number G_GNUC_UNUSED)
{
  abort ();
}

/* g_error() ends in a breakpoint trap, which libFuzzer does not catch, so
 * the input would be lost. libFuzzer saves the input of an abort. */
int
LLVMFuzzerInitialize (int *argc G_GNUC_UNUSED, char ***argv G_GNUC_UNUSED)
{
  signal (SIGTRAP, handle_trap);

  return 0;
}
