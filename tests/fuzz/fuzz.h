/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_FUZZ_H
#define LMCC_FUZZ_H

#include <glib.h>

/* Largest number of calls of a sender or receiver at one time. A call may
 * leave work for the next one, but endless requests for the same time would
 * hang the caller. */
#define FUZZ_MOST_CALLS 200

/* The rest of the input. */
typedef struct
{
  const guint8 *data;
  gsize size;
} Bytes;

/* The next byte; 0 at the end of the input. */
static inline guint8
take_byte (Bytes *bytes)
{
  if (bytes->size == 0)
    return 0;
  bytes->size--;

  return *bytes->data++;
}

/* libFuzzer's entry points: the first function is called once, the second
 * for each input. */
int LLVMFuzzerInitialize (int *argc, char ***argv);
int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

#endif
