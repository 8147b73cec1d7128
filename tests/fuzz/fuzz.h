/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_FUZZ_H
#define LMCC_FUZZ_H

#include <glib.h>

/* Of a sender or a receiver for one time: what a call does not get done the next
 * one does, but one that asked again and again would hang its shell. */
#define FUZZ_MOST_CALLS 200

/* What is left of the input. */
typedef struct
{
  const guint8 *data;
  gsize size;
} Bytes;

/* The next byte; 0 once there is none. */
static inline guint8
take_byte (Bytes *bytes)
{
  if (bytes->size == 0)
    return 0;
  bytes->size--;

  return *bytes->data++;
}

/* libFuzzer's names: the first is called once, the second for each input. */
int LLVMFuzzerInitialize (int *argc, char ***argv);
int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

#endif
