/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Generates packets of honest and hostile hosts: the input chooses among
 * good and bad values.
 */
#ifndef LMCC_FUZZ_GRAMMAR_H
#define LMCC_FUZZ_GRAMMAR_H

#include "fuzz.h"

#include <gst/lmcc/lmcc.h>

/* Hosts have addresses from 10.0.0.1; the first is the session's sender. */
#define FUZZ_N_HOSTS 6
#define FUZZ_GROUP "239.255.42.1"
#define FUZZ_PORT 5004

/**
 * FuzzRecord:
 * @ssrc: S0, as in the record and its fragments
 * @payload_type: payload type of the pictures
 * @n_layers: number of layers in the record
 *
 * Values that packets need to match a forged record.
 */
typedef struct
{
  guint32 ssrc;
  guint8 payload_type;
  guint n_layers;
} FuzzRecord;

guint fuzz_pick (Bytes *bytes, guint n);
guint16 fuzz_take_short (Bytes *bytes);
guint32 fuzz_take_word (Bytes *bytes);
void fuzz_host (guint host, LmccAddress *address);

gchar *fuzz_make_record (Bytes *bytes, const guint32 *bases, guint n_bases,
    FuzzRecord *record);
GByteArray *fuzz_make_compound (Bytes *bytes, const guint32 *bases,
    guint n_bases, guint32 receiver, FuzzRecord *record);

guint fuzz_take_leap (Bytes *bytes);
LmccPacket *
fuzz_forge_packet (Bytes *bytes, const LmccPacket *like, guint8 element_id);
LmccPacket *fuzz_make_packet (Bytes *bytes, const FuzzRecord *record,
    LmccTime now, guint *group);

#endif
