/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Joins the session, and reports which packets arrive.
 */
#include "doctor.h"

#include <errno.h>
#include <net/if.h>
#include <unistd.h>

/**
 * doctor_is_joined:
 * @c: the case
 * @group: a group
 *
 * Returns: whether the kernel lists @group on the case's interface
 */
gboolean
doctor_is_joined (const DoctorCase *c, const LmccAddress *group)
{
  g_autoptr (GArray) memberships =
      doctor_system_memberships (c->system, group->family);
  guint i;

  for (i = 0; i < memberships->len; i++) {
    const DoctorMembership *m =
        &g_array_index (memberships, DoctorMembership, i);

    if (lmcc_address_equal (&m->group, group)
        && g_strcmp0 (m->iface, c->iface->name) == 0)
      return TRUE;
  }

  return FALSE;
}

static void
report_joined (DoctorCase *c, const DoctorProbe *probe)
{
  gchar text[LMCC_ADDRESS_STRLEN];

  lmcc_address_format (&c->group, text);
  if (probe->joined)
    doctor_add (c, "join", DOCTOR_OK,
        g_strdup_printf (_ ("%s is joined on %s while this listens"), text,
            c->iface->name),
        NULL);
  else
    doctor_add (c, "join", DOCTOR_FAIL,
        g_strdup_printf (
            _ ("the kernel accepted the join, but does not list %s on %s"),
            text, c->iface->name),
        g_strdup (_ ("look at /proc/net/igmp or run ip maddr while a receiver "
                     "runs")));
}

/* Returns: (transfer full): what the user should check if no packet arrives */
static gchar *
advise_on_silence (const DoctorCase *c)
{
  g_autofree gchar *router = doctor_find_router (c);
  GString *text = g_string_new (NULL);

  g_string_printf (text,
      _ ("check that the sender runs, sends to this address, and "
         "uses the interface towards this host: on its host run "
         "tcpdump -ni any udp port %u"),
      c->uri->port);
  if (router != NULL && c->uri->source.family != LMCC_FAMILY_NONE)
    g_string_append_printf (text,
        _ (". The sender is behind the router %s: set the sender's "
           "ttl-mc to the number of routers + 1 (the default is 1), "
           "and switch on multicast routing (PIM) in the routers"),
        router);
  else if (router != NULL)
    g_string_append_printf (text,
        _ (". If the sender is behind the router %s, set the "
           "sender's ttl-mc to the number of routers + 1, and switch "
           "on multicast routing (PIM) in the routers"),
        router);

  return g_string_free (text, FALSE);
}

static void
report_arrival (DoctorCase *c, const DoctorProbe *probe, guint seconds)
{
  gchar sender[LMCC_ADDRESS_STRLEN];

  lmcc_address_format (&probe->sender, sender);
  if (probe->media_packets > 0)
    doctor_add (c, "arrival", DOCTOR_OK,
        g_strdup_printf (
            _ ("packets arrive from %s%s with a remaining TTL of %d"), sender,
            doctor_is_this_host (&probe->sender) ? _ (" (this host)") : "",
            probe->ttl),
        NULL);
  else if (probe->other_packets > 0)
    doctor_add (c, "arrival", DOCTOR_FAIL,
        g_strdup_printf (_ ("packets from %s on UDP port %u are not RTP"),
            sender, c->uri->port),
        g_strdup (_ ("another program sends to this group: use another address "
                     "or port")));
  else
    doctor_add (c, "arrival", DOCTOR_FAIL,
        g_strdup_printf (_ ("no packet arrived on UDP port %u within %u s"),
            c->uri->port, seconds),
        advise_on_silence (c));
}

static void
report_record (DoctorCase *c, const DoctorProbe *probe, guint seconds)
{
  guint port = c->uri->port + 1;

  if (probe->records > 0)
    doctor_add (c, "record", DOCTOR_OK,
        g_strdup_printf (_ ("the session record arrives on UDP port %u"), port),
        NULL);
  else if (probe->rtcp_packets > 0)
    doctor_add (c, "record", DOCTOR_FAIL,
        g_strdup_printf (
            _ ("RTCP packets arrive on UDP port %u, but no session "
               "record"),
            port),
        g_strdup (_ ("the sender must be lmccsink")));
  else if (probe->media_packets == 0)
    doctor_add (c, "record", DOCTOR_SKIP,
        g_strdup (_ ("no session record arrived either")), NULL);
  else
    doctor_add (c, "record", DOCTOR_FAIL,
        g_strdup_printf (
            _ ("no session record arrived on UDP port %u within %u s"), port,
            seconds),
        g_strdup_printf (
            _ ("let UDP port %u through every firewall, like the port "
               "before it"),
            port));
}

static void
report_senders (DoctorCase *c, const DoctorProbe *probe)
{
  gboolean same = lmcc_address_equal (&probe->record_sender, &probe->rival);
  gchar first[LMCC_ADDRESS_STRLEN], second[LMCC_ADDRESS_STRLEN];

  lmcc_address_format (&probe->record_sender, first);
  lmcc_address_format (&probe->rival, second);
  if (probe->rival.family != LMCC_FAMILY_NONE)
    doctor_add (c, "senders", DOCTOR_WARN,
        g_strdup_printf (same
                ? _ ("%s%s sends two sessions to this group: receivers take "
                     "one, and the other loads the network")
                : _ ("%s%s and %s send sessions to this group: receivers take "
                     "one, and the other loads the network"),
            second,
            doctor_is_this_host (&probe->rival) ? _ (" (this host)") : "",
            first),
        g_strdup (same
                ? _ ("send one of them to another address or port")
                : _ ("send one of them to another address or port, or name "
                     "the sender: lmcc://SENDER@GROUP:PORT")));
  else if (probe->records > 0)
    doctor_add (c, "senders", DOCTOR_OK,
        g_strdup (_ ("only one session uses this group")), NULL);
}

typedef struct
{
  gint media;
  gint rtcp;
} Sockets;

static void
sockets_clear (Sockets *sockets)
{
  if (sockets->media >= 0)
    close (sockets->media);
  if (sockets->rtcp >= 0)
    close (sockets->rtcp);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Sockets, sockets_clear)

static gboolean
open_sockets (DoctorCase *c, Sockets *sockets)
{
  guint ifindex = if_nametoindex (c->iface->name);

  sockets->media =
      doctor_open_joined (c->uri, &c->group, c->uri->port, ifindex);
  if (sockets->media >= 0)
    sockets->rtcp =
        doctor_open_joined (c->uri, &c->group, c->uri->port + 1, ifindex);
  if (sockets->rtcp >= 0)
    return TRUE;

  doctor_add (c, "join", DOCTOR_FAIL,
      g_strdup_printf (_ ("cannot join the group on %s: %s"), c->iface->name,
          g_strerror (errno)),
      g_strdup (errno == EADDRINUSE
              ? _ ("stop the program that uses the port")
              : _ ("name another interface: multicast-iface=IFACE")));

  return FALSE;
}

void
doctor_check_arrival (DoctorCase *c, guint seconds)
{
  g_auto (Sockets) sockets = { -1, -1 };
  g_autoptr (LmccRecordAssembler) assembler = lmcc_record_assembler_new ();
  DoctorProbe probe = { .ttl = -1, .assembler = assembler };

  if (c->uri == NULL || c->iface == NULL || !doctor_system_is_live (c->system)
      || !lmcc_address_is_multicast (&c->group)) {
    doctor_add (c, "arrival", DOCTOR_SKIP,
        g_strdup (_ ("no packet was waited for")),
        c->uri == NULL ? g_strdup (_ ("give the URI of the session")) : NULL);
    return;
  }

  if (!open_sockets (c, &sockets))
    return;
  probe.joined = doctor_is_joined (c, &c->group);
  doctor_probe_listen (sockets.media, sockets.rtcp, &probe, seconds);

  report_joined (c, &probe);
  report_arrival (c, &probe, seconds);
  report_record (c, &probe, seconds);
  report_senders (c, &probe);
  doctor_check_leaves (c, &probe);
}
