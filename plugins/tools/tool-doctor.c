/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "doctor.h"
#include "tool-parser.h"

#include <locale.h>

#define DEFAULT_SECONDS 3
#define MAX_SECONDS 3600

static const gchar *const status_names[] = { "ok", "skip", "warn", "fail" };
static const gchar *const status_labels[] = { "OK", "SKIP", "WARN", "FAIL" };

static void
finding_free (DoctorFinding *finding)
{
  g_free (finding->check);
  g_free (finding->finding);
  g_free (finding->remedy);
  g_free (finding);
}

static DoctorStatus
worst_status (const GPtrArray *findings)
{
  DoctorStatus worst = DOCTOR_OK;
  guint i;

  for (i = 0; i < findings->len; i++) {
    const DoctorFinding *f = g_ptr_array_index (findings, i);

    if (f->status != DOCTOR_SKIP)
      worst = MAX (worst, f->status);
  }

  return worst;
}

static guint
count_status (const GPtrArray *findings, DoctorStatus status)
{
  guint n = 0, i;

  for (i = 0; i < findings->len; i++)
    n += ((DoctorFinding *) g_ptr_array_index (findings, i))->status == status;

  return n;
}

static void
print_text (const DoctorCase *c)
{
  guint i;

  for (i = 0; i < c->findings->len; i++) {
    const DoctorFinding *f = g_ptr_array_index (c->findings, i);

    g_print ("%-4s  %-14s  %s\n", status_labels[f->status], f->check,
        f->finding);
    if (f->remedy != NULL)
      g_print ("%-4s  %-14s  -> %s\n", "", "", f->remedy);
  }
  g_print (_ ("\n"
              "%u failed, %u warnings\n"),
      count_status (c->findings, DOCTOR_FAIL),
      count_status (c->findings, DOCTOR_WARN));
}

static void
add_member (JsonBuilder *builder, const gchar *name, const gchar *value)
{
  json_builder_set_member_name (builder, name);
  if (value != NULL)
    json_builder_add_string_value (builder, value);
  else
    json_builder_add_null_value (builder);
}

static void
print_json (const DoctorCase *c)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  guint i;

  json_builder_begin_object (builder);
  add_member (builder, "uri", c->uri != NULL ? c->uri->text : NULL);
  add_member (builder, "interface", c->iface != NULL ? c->iface->name : NULL);
  add_member (builder, "result", status_names[worst_status (c->findings)]);
  json_builder_set_member_name (builder, "checks");
  json_builder_begin_array (builder);
  for (i = 0; i < c->findings->len; i++) {
    const DoctorFinding *f = g_ptr_array_index (c->findings, i);

    json_builder_begin_object (builder);
    add_member (builder, "check", f->check);
    add_member (builder, "status", status_names[f->status]);
    add_member (builder, "finding", f->finding);
    add_member (builder, "remedy", f->remedy);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
  json_builder_end_object (builder);

  tool_json_print (builder, TRUE);
}

static void
check_host (DoctorCase *c, const gchar *wanted_iface, guint seconds,
    guint querier_seconds)
{
  doctor_check_interfaces (c);
  doctor_check_address (c);
  doctor_check_route (c, wanted_iface);
  doctor_check_wireless (c);
  doctor_check_ttl (c);
  doctor_check_rp_filter (c);
  doctor_check_igmp_version (c);
  doctor_check_memberships (c);
  doctor_check_receive_buffer (c);
  doctor_check_firewall (c);
  doctor_check_snooping (c);
  doctor_check_querier (c, querier_seconds);
  doctor_check_port (c);
  doctor_check_arrival (c, seconds);
}

/* Checks whose result may differ on another interface. */
static void
check_further_interface (DoctorCase *c, const gchar *wanted_iface,
    guint seconds, guint querier_seconds)
{
  const DoctorInterface *first = c->iface;

  doctor_check_route (c, wanted_iface);
  if (c->iface != NULL) {
    doctor_check_wireless (c);
    doctor_check_rp_filter (c);
    doctor_check_igmp_version (c);
    doctor_check_querier (c, querier_seconds);
    doctor_check_arrival (c, seconds);
  }
  c->iface = first;
}

/* Splits @text at commas. Returns: (transfer full): at least one entry */
static GPtrArray *
split_interfaces (const gchar *text)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) parts = g_strsplit (text != NULL ? text : "", ",", -1);
  guint i;

  for (i = 0; parts[i] != NULL; i++) {
    const gchar *name = g_strstrip (parts[i]);

    if (name[0] != '\0'
        && !g_ptr_array_find_with_equal_func (names, name, g_str_equal, NULL))
      g_ptr_array_add (names, g_strdup (name));
  }
  if (names->len == 0)
    g_ptr_array_add (names, NULL);

  return names;
}

static void
run_checks (DoctorCase *c, const gchar *wanted_ifaces, guint seconds,
    guint querier_seconds)
{
  g_autoptr (GPtrArray) names = split_interfaces (wanted_ifaces);
  guint i;

  check_host (c, g_ptr_array_index (names, 0), seconds, querier_seconds);
  for (i = 1; i < names->len; i++)
    check_further_interface (c, g_ptr_array_index (names, i), seconds,
        querier_seconds);
}

static gboolean
seconds_are_valid (const gchar *option, gint seconds, gint least)
{
  if (seconds >= least && seconds <= MAX_SECONDS)
    return TRUE;

  tool_error (_ ("%s=%d is out of range; write %d to %d"), option, seconds,
      least, MAX_SECONDS);
  return FALSE;
}

gint
tool_doctor (gint argc, gchar **argv)
{
  g_autofree gchar *root = NULL;
  g_autofree gchar *iface = NULL;
  gint seconds = DEFAULT_SECONDS, querier_seconds = 0;
  gboolean json = FALSE;
  const GOptionEntry entries[] = {
    { "multicast-iface", 0, 0, G_OPTION_ARG_STRING, &iface,
        N_ ("Interface to join on, or several, such as eth0,eth1 "
            "(default: the route's)"),
        "IFACE" },
    { "seconds", 0, 0, G_OPTION_ARG_INT, &seconds,
        N_ ("How long to wait for a packet (default 3)"), "SECONDS" },
    { "querier", 0, 0, G_OPTION_ARG_INT, &querier_seconds,
        N_ ("How long to wait for an IGMP query (default 0; needs "
            "root)"),
        "SECONDS" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, N_ ("Print JSON"), NULL },
    { "root", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_FILENAME, &root,
        "Read proc and sys below this directory", "DIR" },
    { NULL }
  };
  g_autoptr (ToolParser) parser = tool_parser_new ("[URI]",
      N_ ("Finds out why no packet arrives. Each line is OK, WARN, "
          "FAIL or SKIP (not\n"
          "checked), followed by the finding and, after the arrow, "
          "the remedy."));
  g_autoptr (DoctorSystem) system = NULL;
  g_autoptr (GPtrArray) findings =
      g_ptr_array_new_with_free_func ((GDestroyNotify) finding_free);
  g_autoptr (GError) error = NULL;
  g_auto (ToolUri) uri = { 0 };
  DoctorCase c = { 0 };

  tool_parser_add (parser, entries);
  if (!tool_parser_parse (parser, &argc, &argv))
    return TOOL_EXIT_USAGE;
  if ((argc > 1 && !tool_single_argument (argc, argv, "URI"))
      || !seconds_are_valid ("--seconds", seconds, 1)
      || !seconds_are_valid ("--querier", querier_seconds, 0))
    return TOOL_EXIT_USAGE;
  if (argc > 1 && !tool_uri_parse (argv[1], &uri, &error)) {
    tool_error ("%s", error->message);
    return TOOL_EXIT_USAGE;
  }

  /* Programs read JSON, so it is never translated. */
  if (json)
    setlocale (LC_MESSAGES, "C");
  system = doctor_system_new (root != NULL ? root : "/");
  c.system = system;
  c.findings = findings;
  if (argc > 1)
    c.uri = &uri;
  else
    lmcc_address_parse (TOOL_DEFAULT_ADDRESS, &uri.address);
  c.group = uri.address;
  run_checks (&c, iface != NULL ? iface : uri.iface, seconds, querier_seconds);

  if (json)
    print_json (&c);
  else
    print_text (&c);

  return worst_status (findings) == DOCTOR_FAIL ? TOOL_EXIT_FAILURE
                                                : TOOL_EXIT_OK;
}
