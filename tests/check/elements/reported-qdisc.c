/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "reported-qdisc.h"

#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <string.h>

static void
add_attribute (GByteArray *to, guint type, gconstpointer data, gsize size)
{
  static const guint8 padding[RTA_ALIGNTO] = { 0 };
  struct rtattr attribute = { (gushort) RTA_LENGTH (size), (gushort) type };

  g_byte_array_append (to, (guint8 *) &attribute, sizeof (attribute));
  g_byte_array_append (to, data, (guint) size);
  g_byte_array_append (to, padding, RTA_ALIGN (size) - size);
}

static void
add_options (GByteArray *to, const ReportedQdisc *told)
{
  g_autoptr (GByteArray) options = g_byte_array_new ();
  const guint32 limit = 10000;

  add_attribute (options, TCA_FQ_PLIMIT, &limit, sizeof (limit));
  if (told->flow_limit > 0)
    add_attribute (options, TCA_FQ_FLOW_PLIMIT, &told->flow_limit,
        sizeof (told->flow_limit));
  if (told->horizon_us > 0)
    add_attribute (options, TCA_FQ_HORIZON, &told->horizon_us,
        sizeof (told->horizon_us));
  add_attribute (to, TCA_OPTIONS | NLA_F_NESTED, options->data, options->len);
}

static void
add_message (GByteArray *to, guint type, guint flags, gconstpointer data,
    gsize size)
{
  struct nlmsghdr header = { .nlmsg_len = (guint32) NLMSG_LENGTH (size),
    .nlmsg_type = (guint16) type,
    .nlmsg_flags = (guint16) (NLM_F_MULTI | flags) };

  g_byte_array_append (to, (guint8 *) &header, sizeof (header));
  g_byte_array_append (to, data, (guint) size);
}

void
reported_qdisc_add (GByteArray *to, const ReportedQdisc *told)
{
  g_autoptr (GByteArray) message = g_byte_array_new ();
  struct tcmsg discipline = { .tcm_ifindex = (gint) told->index,
    .tcm_parent = told->parent,
    .tcm_handle = told->handle };

  g_byte_array_append (message, (guint8 *) &discipline, sizeof (discipline));
  add_attribute (message, TCA_KIND, told->kind, strlen (told->kind) + 1);
  if (g_str_equal (told->kind, "fq"))
    add_options (message, told);
  add_message (to, RTM_NEWQDISC, told->torn ? NLM_F_DUMP_INTR : 0,
      message->data, message->len);
}

void
reported_qdisc_end (GByteArray *to)
{
  const gint32 code = 0;

  add_message (to, NLMSG_DONE, 0, &code, sizeof (code));
}
