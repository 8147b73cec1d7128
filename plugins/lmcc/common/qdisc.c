/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Finds the queueing discipline of an interface (rtnetlink(7), RTM_GETQDISC),
 * and whether it sends packets at their transmit times (SO_TXTIME).
 *
 * fq does so, with CLOCK_MONOTONIC. etf does as well, but is made for streams
 * that have a queue of the card for themselves: it drops late packets. A sender
 * without real-time priority cannot avoid late packets, and receivers would
 * take the drops for congestion. Besides, its clock is CLOCK_TAI, which a
 * socket can only use with CAP_NET_ADMIN (sk_setsockopt() in net/core/sock.c).
 */
#include "config.h"

#include "common/qdisc.h"

#include "common/netlink-message.h"

#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define BUFFER_SIZE 16384
#define ANSWER_TIMEOUT_MS 200

/**
 * gst_lmcc_qdisc_reader_init:
 * @reader: (out): an empty reader
 * @index: index of an interface
 */
void
gst_lmcc_qdisc_reader_init (GstLmccQdiscReader *reader, guint index)
{
  memset (reader, 0, sizeof (*reader));
  reader->index = index;
  reader->qdisc.flow_limit = G_MAXUINT;
  reader->qdisc.horizon = G_MAXUINT64;
}

/* The first attribute of @type within @left bytes from @attribute on; NULL if
 * there is none with at least @size bytes. */
static const struct rtattr *
find_attribute (const struct rtattr *attribute, gint left, guint type,
    gsize size)
{
  for (; RTA_OK (attribute, left); attribute = RTA_NEXT (attribute, left)) {
    if ((attribute->rta_type & NLA_TYPE_MASK) == type)
      return RTA_PAYLOAD (attribute) >= size ? attribute : NULL;
  }
  return NULL;
}

static gboolean
find_number (const struct rtattr *options, guint type, guint32 *number)
{
  const struct rtattr *attribute = find_attribute (RTA_DATA (options),
      (gint) RTA_PAYLOAD (options), type, sizeof (*number));

  if (attribute != NULL)
    memcpy (number, RTA_DATA (attribute), sizeof (*number));
  return attribute != NULL;
}

/* An fq without a horizon belongs to Linux before 5.8. Its first versions do
 * not support transmit times. */
static void
take_fq (GstLmccQdiscReader *reader, const struct rtattr *options)
{
  guint32 flow_limit = GST_LMCC_QDISC_FLOW_LIMIT, horizon_us;

  if (options == NULL || !find_number (options, TCA_FQ_HORIZON, &horizon_us))
    return;
  find_number (options, TCA_FQ_FLOW_PLIMIT, &flow_limit);
  reader->n_times++;
  reader->qdisc.flow_limit = MIN (reader->qdisc.flow_limit, flow_limit);
  reader->qdisc.horizon =
      MIN (reader->qdisc.horizon, (guint64) horizon_us * 1000);
}

static gboolean
is_child (const GstLmccQdiscReader *reader, const struct tcmsg *discipline)
{
  return reader->found && g_str_equal (reader->qdisc.kind, "mq")
      && TC_H_MAJ (discipline->tcm_parent) == TC_H_MAJ (reader->handle);
}

static void
take_discipline (GstLmccQdiscReader *reader, const struct nlmsghdr *message)
{
  const struct tcmsg *discipline = NLMSG_DATA (message);
  gint left =
      (gint) message->nlmsg_len - (gint) NLMSG_LENGTH (sizeof (*discipline));
  const struct rtattr *kind;
  gboolean root = discipline->tcm_parent == TC_H_ROOT;
  gchar name[GST_LMCC_QDISC_KIND_SIZE];

  if (!root && !is_child (reader, discipline))
    return;
  kind = find_attribute (TCA_RTA (discipline), left, TCA_KIND, 1);
  if (kind == NULL)
    return;
  g_snprintf (name, sizeof (name), "%.*s", (gint) RTA_PAYLOAD (kind),
      (const gchar *) RTA_DATA (kind));
  if (root) {
    reader->found = TRUE;
    reader->handle = discipline->tcm_handle;
    g_strlcpy (reader->qdisc.kind, name, sizeof (reader->qdisc.kind));
  } else {
    reader->n_children++;
  }
  if (g_str_equal (name, "fq"))
    take_fq (reader,
        find_attribute (TCA_RTA (discipline), left, TCA_OPTIONS, 0));
}

/* The disciplines of an interface come in one sequence, with the root first
 * (tc_dump_qdisc() in net/sched/sch_api.c). */
static void
take_message (GstLmccQdiscReader *reader, const struct nlmsghdr *message)
{
  const struct tcmsg *discipline = NLMSG_DATA (message);

  if (message->nlmsg_type == NLMSG_DONE || message->nlmsg_type == NLMSG_ERROR)
    reader->ended = TRUE;
  /* The dump is incomplete. */
  if ((message->nlmsg_flags & NLM_F_DUMP_INTR) != 0)
    reader->torn = TRUE;
  if (message->nlmsg_type != RTM_NEWQDISC
      || message->nlmsg_len < NLMSG_LENGTH (sizeof (*discipline)))
    return;
  if ((guint) discipline->tcm_ifindex == reader->index)
    take_discipline (reader, message);
  else
    reader->ended = reader->ended || reader->found;
}

/**
 * gst_lmcc_qdisc_reader_take:
 * @reader: a reader
 * @messages: one datagram of the kernel, aligned like struct nlmsghdr
 * @size: its size in bytes
 *
 * Returns: whether more datagrams follow
 */
gboolean
gst_lmcc_qdisc_reader_take (GstLmccQdiscReader *reader, gconstpointer messages,
    gsize size)
{
  const struct nlmsghdr *message = messages;
  guint left = (guint) MIN (size, G_MAXINT);

  for (; !reader->ended && NLMSG_OK (message, left);
       message = gst_lmcc_netlink_next (message, &left))
    take_message (reader, message);
  return !reader->ended;
}

/**
 * gst_lmcc_qdisc_reader_end:
 * @reader: a reader
 * @qdisc: (out): the result
 *
 * Returns: whether the root of the interface is known
 */
gboolean
gst_lmcc_qdisc_reader_end (const GstLmccQdiscReader *reader,
    GstLmccQdisc *qdisc)
{
  guint n = g_str_equal (reader->qdisc.kind, "mq") ? reader->n_children : 1;

  *qdisc = reader->qdisc;
  qdisc->keeps_times =
      reader->ended && !reader->torn && n > 0 && reader->n_times == n;
  return reader->found;
}

static gint
ask (guint index)
{
  struct
  {
    struct nlmsghdr header;
    struct tcmsg discipline;
  } request = {
    .header = { .nlmsg_len = NLMSG_LENGTH (sizeof (struct tcmsg)),
        .nlmsg_type = RTM_GETQDISC,
        .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP },
    .discipline = { .tcm_family = AF_UNSPEC, .tcm_ifindex = (gint) index },
  };
  /* A socket that is connected to the kernel receives from nobody else. */
  struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
  struct timeval timeout = { 0, ANSWER_TIMEOUT_MS * 1000 };
  gint fd = socket (AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

  if (fd < 0)
    return -1;
  if (connect (fd, (struct sockaddr *) &kernel, sizeof (kernel)) == 0
      && setsockopt (fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof (timeout))
          == 0
      && send (fd, &request, sizeof (request), 0) == sizeof (request))
    return fd;
  close (fd);
  return -1;
}

/**
 * gst_lmcc_qdisc_find:
 * @index: index of an interface
 * @qdisc: (out): its root queueing discipline
 *
 * Asks the kernel, which takes about 20 us.
 *
 * Returns: whether @qdisc is known
 */
gboolean
gst_lmcc_qdisc_find (guint index, GstLmccQdisc *qdisc)
{
  union
  {
    struct nlmsghdr align;
    guint8 bytes[BUFFER_SIZE];
  } buffer;
  GstLmccQdiscReader reader;
  gint fd = ask (index);
  gboolean more = fd >= 0;

  gst_lmcc_qdisc_reader_init (&reader, index);
  while (more) {
    gssize n = recv (fd, buffer.bytes, sizeof (buffer.bytes), 0);

    more =
        n > 0 && gst_lmcc_qdisc_reader_take (&reader, buffer.bytes, (gsize) n);
  }
  if (fd >= 0)
    close (fd);
  return gst_lmcc_qdisc_reader_end (&reader, qdisc);
}
