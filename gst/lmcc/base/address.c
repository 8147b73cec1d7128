/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/lmcc/lmcc-address.h>

#include <arpa/inet.h>
#include <string.h>

/* RFC 791 section 3.1, without options; RFC 8200 section 3; RFC 768. */
#define IPV4_HEADER_SIZE 20
#define IPV6_HEADER_SIZE 40
#define UDP_HEADER_SIZE 8

static gsize
address_size (const LmccAddress *address)
{
  return address->family == LMCC_FAMILY_IPV4 ? 4 : 16;
}

static gint
address_system_family (const LmccAddress *address)
{
  return address->family == LMCC_FAMILY_IPV4 ? AF_INET : AF_INET6;
}

/**
 * lmcc_address_parse:
 * @text: an IPv4 or IPv6 address, without brackets or scope
 * @address: (out): the address; family %LMCC_FAMILY_NONE on failure
 *
 * Parses an address in text form.
 *
 * Returns: %FALSE if @text is neither
 */
gboolean
lmcc_address_parse (const gchar *text, LmccAddress *address)
{
  memset (address, 0, sizeof (*address));

  if (inet_pton (AF_INET, text, address->bytes) == 1)
    address->family = LMCC_FAMILY_IPV4;
  else if (inet_pton (AF_INET6, text, address->bytes) == 1)
    address->family = LMCC_FAMILY_IPV6;

  return address->family != LMCC_FAMILY_NONE;
}

/**
 * lmcc_address_format:
 * @address: an address
 * @text: buffer for the text
 *
 * Writes an address as text.
 *
 * Returns: (transfer none): @text; empty for %LMCC_FAMILY_NONE
 */
const gchar *
lmcc_address_format (const LmccAddress *address,
    gchar text[LMCC_ADDRESS_STRLEN])
{
  text[0] = '\0';
  if (address->family != LMCC_FAMILY_NONE)
    inet_ntop (address_system_family (address), address->bytes, text,
        LMCC_ADDRESS_STRLEN);

  return text;
}

/**
 * lmcc_address_equal:
 * @a: an address
 * @b: another address
 *
 * Compares two addresses.
 *
 * Returns: whether both are equal
 */
gboolean
lmcc_address_equal (const LmccAddress *a, const LmccAddress *b)
{
  return a->family == b->family
      && memcmp (a->bytes, b->bytes, sizeof (a->bytes)) == 0;
}

/**
 * lmcc_address_is_multicast:
 * @address: an address
 *
 * Checks whether an address is a multicast group.
 *
 * Returns: whether it is a multicast group: 224.0.0.0/4 (RFC 5771) or ff00::/8
 * (RFC 4291)
 */
gboolean
lmcc_address_is_multicast (const LmccAddress *address)
{
  switch (address->family) {
    case LMCC_FAMILY_IPV4:
      return (address->bytes[0] & 0xf0) == 0xe0;
    case LMCC_FAMILY_IPV6:
      return address->bytes[0] == 0xff;
    default:
      return FALSE;
  }
}

/**
 * lmcc_address_is_source_specific:
 * @address: an address
 *
 * Checks whether an address is in the range of source-specific multicast.
 *
 * Returns: whether it is in 232.0.0.0/8 or ff3x::/32 (RFC 4607)
 */
gboolean
lmcc_address_is_source_specific (const LmccAddress *address)
{
  switch (address->family) {
    case LMCC_FAMILY_IPV4:
      return address->bytes[0] == 232;
    case LMCC_FAMILY_IPV6:
      return address->bytes[0] == 0xff && (address->bytes[1] & 0xf0) == 0x30
          && address->bytes[2] == 0 && address->bytes[3] == 0;
    default:
      return FALSE;
  }
}

/**
 * lmcc_address_get_udp_overhead:
 * @address: an address
 *
 * Returns the header size of packets to an address, which depends on its
 * family.
 *
 * Returns: size of the IP and UDP headers of a packet to it, without options,
 * in bytes: 28 or 48
 */
guint
lmcc_address_get_udp_overhead (const LmccAddress *address)
{
  return (address->family == LMCC_FAMILY_IPV6 ? IPV6_HEADER_SIZE
                                              : IPV4_HEADER_SIZE)
      + UDP_HEADER_SIZE;
}

/* The bytes that determine the scope of a group, which counting up must not
 * change. The administratively scoped ranges of RFC 2365 and the
 * source-specific range of RFC 4607 end at octet borders, 224.0.0.0/24 never
 * leaves the link (RFC 5771 section 4), IPv6 scopes are in the second byte,
 * and the group identifier is in the last four (RFC 3306). */
static gsize
scope_size (const LmccAddress *address)
{
  static const guint8 link_local[] = { 224, 0, 0 };

  if (address->family == LMCC_FAMILY_IPV6)
    return 12;

  return memcmp (address->bytes, link_local, sizeof (link_local)) == 0 ? 3 : 2;
}

/**
 * lmcc_address_group:
 * @base: the base group
 * @index: 0 for the base group, below %LMCC_MAX_GROUPS
 * @group: (out): @base + @index
 *
 * Computes the address of a session's group from that of its base group.
 *
 * Returns: %FALSE if @base is not multicast, @index is too large, or @base +
 * @index would be in another scope
 */
gboolean
lmcc_address_group (const LmccAddress *base, guint index, LmccAddress *group)
{
  gsize size, at;
  guint carry = index;

  if (!lmcc_address_is_multicast (base) || index >= LMCC_MAX_GROUPS)
    return FALSE;

  *group = *base;
  size = address_size (base);
  for (at = size; at > 0 && carry > 0; at--) {
    carry += group->bytes[at - 1];
    group->bytes[at - 1] = carry & 0xff;
    carry >>= 8;
  }

  return carry == 0
      && memcmp (base->bytes, group->bytes, scope_size (base)) == 0;
}
