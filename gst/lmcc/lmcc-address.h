/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_ADDRESS_H
#define LMCC_ADDRESS_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/**
 * LmccFamily:
 * @LMCC_FAMILY_NONE: no address is set
 * @LMCC_FAMILY_IPV4: IPv4
 * @LMCC_FAMILY_IPV6: IPv6
 *
 * Address family.
 */
typedef enum
{
  LMCC_FAMILY_NONE = 0,
  LMCC_FAMILY_IPV4 = 4,
  LMCC_FAMILY_IPV6 = 6,
} LmccFamily;

/**
 * LmccAddress:
 * @family: the address family, or %LMCC_FAMILY_NONE for "not set"
 * @bytes: the address in network byte order; for IPv4 the first 4 bytes, the rest zero
 *
 * An IPv4 or IPv6 address.
 */
typedef struct
{
  LmccFamily family;
  guint8 bytes[16];
} LmccAddress;

/* Size of a buffer that holds any address as text, including the terminating zero. */
#define LMCC_ADDRESS_STRLEN 46

LMCC_API gboolean lmcc_address_parse (const gchar *text, LmccAddress *address);
LMCC_API const gchar *lmcc_address_format (const LmccAddress *address,
    gchar text[LMCC_ADDRESS_STRLEN]);
LMCC_API gboolean lmcc_address_equal (const LmccAddress *a,
    const LmccAddress *b);
LMCC_API gboolean lmcc_address_is_multicast (const LmccAddress *address);
LMCC_API gboolean lmcc_address_is_source_specific (const LmccAddress *address);
LMCC_API guint lmcc_address_get_udp_overhead (const LmccAddress *address);
LMCC_API gboolean lmcc_address_group (const LmccAddress *base, guint index,
    LmccAddress *group);

G_END_DECLS

#endif
