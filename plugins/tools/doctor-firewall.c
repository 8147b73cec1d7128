/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "doctor.h"

#include <string.h>
#include <unistd.h>

/* Tests with a root directory of their own put the output of nft into this
 * file. */
#define RULESET_FILE "nft-ruleset"

/* Returns: (nullable): the output of nft, which only root may run */
static gchar *
read_ruleset (const DoctorSystem *system)
{
  gchar command[] = "nft", list[] = "list", ruleset[] = "ruleset";
  gchar *nft_argv[] = { command, list, ruleset, NULL };
  gchar *output = NULL;
  gint status = 0;

  if (!doctor_system_is_live (system))
    return doctor_system_read (system, RULESET_FILE);
  if (geteuid () != 0)
    return NULL;
  if (!g_spawn_sync (NULL, nft_argv, NULL,
          G_SPAWN_SEARCH_PATH | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &output,
          NULL, &status, NULL))
    return NULL;
  if (!g_spawn_check_wait_status (status, NULL))
    g_clear_pointer (&output, g_free);

  return output;
}

/* An input chain, and what its rules do with one protocol and one port. */
typedef struct
{
  gchar *name;
  gboolean closed;
  gboolean accepts[2];
  gboolean drops[2];
} Chain;

static void
read_rule (Chain *chain, const gchar *rule, gchar **words)
{
  gboolean drop = g_regex_match_simple ("\\b(drop|reject)\\b", rule, 0, 0);
  gboolean accept = g_regex_match_simple ("\\baccept\\b", rule, 0, 0);
  guint i;

  /* A policy, or a rule without a condition. */
  if (g_regex_match_simple ("policy drop|^(counter .*)?(drop|reject)\\b", rule,
          0, 0))
    chain->closed = TRUE;
  for (i = 0; i < 2; i++) {
    g_autofree gchar *pattern = g_strdup_printf ("\\b%s\\b", words[i]);

    if (!g_regex_match_simple (pattern, rule, 0, 0))
      continue;
    chain->drops[i] |= drop;
    chain->accepts[i] |= accept;
  }
}

/* Returns: whether the chain looks at packets on their way in */
static gboolean
read_chain (Chain *chain, const gchar *text, gchar **words)
{
  g_auto (GStrv) rules = g_strsplit (text, "\n", -1);
  guint i;

  memset (chain, 0, sizeof (*chain));
  if (strstr (text, "hook input") == NULL
      && strstr (text, "hook prerouting") == NULL)
    return FALSE;

  chain->name = g_strndup (text, strcspn (text, " {"));
  for (i = 0; rules[i] != NULL; i++)
    read_rule (chain, g_strstrip (rules[i]), words);

  return TRUE;
}

static gboolean
chain_stops (const Chain *chain, guint word)
{
  return chain->drops[word] || (chain->closed && !chain->accepts[word]);
}

/* Names the protocol, the port or both. */
static gchar *
format_stopped (const gchar *chain, const gchar *protocol, const gchar *port)
{
  if (port == NULL)
    return g_strdup_printf (_ ("the rules of nft chain %s seem to drop %s"),
        chain, protocol);
  if (protocol == NULL)
    return g_strdup_printf (
        _ ("the rules of nft chain %s seem to drop UDP port %s"), chain, port);

  return g_strdup_printf (
      _ ("the rules of nft chain %s seem to drop %s and UDP port %s"), chain,
      protocol, port);
}

/* Returns: whether the chain may stop the session */
static gboolean
judge_chain (DoctorCase *c, const Chain *chain, gchar **words, guint port)
{
  gboolean protocol = chain_stops (chain, 0), media = chain_stops (chain, 1);

  if (!protocol && !media)
    return FALSE;

  doctor_add (c, "firewall", DOCTOR_WARN,
      format_stopped (chain->name, protocol ? words[0] : NULL,
          media ? words[1] : NULL),
      g_strdup_printf (
          _ ("nft insert rule inet filter %s meta l4proto %s accept; "
             "nft insert rule inet filter %s udp dport { %u, %u } "
             "accept (with the name of your table)"),
          chain->name, words[0], chain->name, port, port + 1));

  return TRUE;
}

static void
check_ruleset (DoctorCase *c, const gchar *ruleset)
{
  guint port = c->uri != NULL ? c->uri->port : TOOL_DEFAULT_PORT;
  g_autofree gchar *port_word = g_strdup_printf ("%u", port);
  gchar protocol[8];
  gchar *words[] = { protocol, port_word };
  g_auto (GStrv) chains = g_strsplit (ruleset, "chain ", -1);
  gboolean stopped = FALSE;
  guint i;

  g_snprintf (protocol, sizeof (protocol), "%s",
      c->group.family == LMCC_FAMILY_IPV4 ? "igmp" : "icmpv6");
  for (i = 1; chains[0] != NULL && chains[i] != NULL && !stopped; i++) {
    Chain chain;

    if (read_chain (&chain, chains[i], words))
      stopped = judge_chain (c, &chain, words, port);
    g_free (chain.name);
  }

  if (!stopped)
    doctor_add (c, "firewall", DOCTOR_OK,
        g_strdup_printf (_ ("no nft chain drops %s or UDP port %u"), protocol,
            port),
        NULL);
}

/* Also finds it where it is not in the user's PATH. */
static gboolean
has_nft (void)
{
  g_autofree gchar *path = g_find_program_in_path ("nft");

  return path != NULL || g_file_test ("/usr/sbin/nft", G_FILE_TEST_EXISTS)
      || g_file_test ("/sbin/nft", G_FILE_TEST_EXISTS);
}

static void
say_unreadable (DoctorCase *c)
{
  gboolean live = doctor_system_is_live (c->system);
  gboolean root = geteuid () == 0;

  if (live && !has_nft ())
    doctor_add (c, "firewall", DOCTOR_SKIP,
        g_strdup (_ ("cannot read the firewall's rules: the program nft is not "
                     "there")),
        g_strdup (root ? _ ("install the package nftables")
                       : _ ("install the package nftables, and run this as "
                            "root")));
  else if (live && root)
    doctor_add (c, "firewall", DOCTOR_SKIP,
        g_strdup (
            _ ("cannot read the firewall's rules: nft list ruleset fails")),
        g_strdup (_ ("run nft list ruleset and read its message; a container "
                     "may not have the permission")));
  else
    doctor_add (c, "firewall", DOCTOR_SKIP,
        g_strdup (_ ("cannot read the firewall's rules")),
        g_strdup (_ ("run this as root, or look with sudo nft list ruleset")));
}

void
doctor_check_firewall (DoctorCase *c)
{
  g_autofree gchar *ruleset = read_ruleset (c->system);
  g_autofree gchar *legacy = doctor_system_read (c->system,
      c->group.family == LMCC_FAMILY_IPV4 ? "proc/net/ip_tables_names"
                                          : "proc/net/ip6_tables_names");

  if (legacy != NULL && strstr (legacy, "filter") != NULL)
    doctor_add (c, "firewall", DOCTOR_WARN,
        g_strdup (_ ("iptables (legacy) filters packets")),
        g_strdup (_ ("look with iptables -S INPUT: it must accept IGMP and the "
                     "session's two UDP ports")));
  else if (ruleset != NULL)
    check_ruleset (c, ruleset);
  else
    say_unreadable (c);
}
