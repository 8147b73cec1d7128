/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/controller.h"

#include <gst/lmcc/lmcc-session-algorithm.h>
#include "control/elm/elm.h"

#include <string.h>

static LmccController *none_create (const LmccSession * session,
    const LmccSettings * settings, guint32 seed);

static const LmccAlgorithm none = {
  .name = "none",
  .description = "No congestion control: the level is held by hand (max-level)",
  .create = none_create,
};

/* Room for those of others, behind ours. */
#define MAX_ALGORITHMS 32

static const LmccAlgorithm *algorithms[MAX_ALGORITHMS] = {
  &none,
  &lmcc_elm,
  &lmcc_algorithm_flid_dl,
  &lmcc_algorithm_flid_sl,
  &lmcc_algorithm_rlc,
  &lmcc_algorithm_rlm,
  &lmcc_algorithm_synchronized,
  &lmcc_algorithm_pgmcc,
  &lmcc_algorithm_tfmcc,
};

static guint
count_algorithms (void)
{
  guint n = 0;

  while (n < MAX_ALGORITHMS && algorithms[n] != NULL)
    n++;

  return n;
}

static void
none_free (LmccController * controller)
{
  g_free (controller);
}

static const LmccControllerClass none_class = {
  .free = none_free,
};

static LmccController *
none_create (const LmccSession * session G_GNUC_UNUSED,
    const LmccSettings * settings G_GNUC_UNUSED, guint32 seed G_GNUC_UNUSED)
{
  LmccController *controller = g_new0 (LmccController, 1);

  lmcc_controller_init (controller, &none, &none_class);
  lmcc_controller_want (controller, G_MAXINT, "held by hand");

  return controller;
}

/**
 * lmcc_controller_init:
 * @controller: (out caller-allocates): what a controller begins with
 * @algorithm: what it is
 * @klass: what the receiver calls; stays
 *
 * Sets what all controllers have: the base is wanted.
 */
void
lmcc_controller_init (LmccController * controller,
    const LmccAlgorithm * algorithm, const LmccControllerClass * klass)
{
  controller->algorithm = algorithm;
  controller->klass = klass;
  lmcc_controller_want (controller, 0, "the base comes first");
}

/* What runs in place of @algorithm where the session is not fit for it. */
LmccController *
lmcc_controller_new_base_only (const LmccAlgorithm * algorithm)
{
  LmccController *controller = g_new0 (LmccController, 1);

  lmcc_controller_init (controller, algorithm, &none_class);
  controller->reason = "the session is not fit for the algorithm";

  return controller;
}

static gboolean
is_name (const gchar * name)
{
  gsize size = strlen (name);

  return size > 0 && size < LMCC_ALGORITHM_NAME_SIZE
      && strspn (name, "abcdefghijklmnopqrstuvwxyz0123456789-") == size;
}

/**
 * lmcc_algorithm_register:
 * @algorithm: stays for ever; its name is at most
 *     %LMCC_ALGORITHM_NAME_SIZE - 1 characters of a to z, 0 to 9 and hyphens
 *
 * Adds an algorithm that receivers run by themselves: one that goes by what
 * comes and what is lost. What needs slots or rates of the sender's cannot be
 * added. To be called before the first sender or receiver is made, and before
 * the plugin is loaded, whose properties then have its name too.
 *
 * Returns: %FALSE if there is one of that name, or it needs the sender, or the
 *     registry is full
 */
gboolean
lmcc_algorithm_register (const LmccAlgorithm * algorithm)
{
  guint n = count_algorithms ();

  g_return_val_if_fail (algorithm != NULL && algorithm->create != NULL, FALSE);
  if (n == MAX_ALGORITHMS || !is_name (algorithm->name)
      || lmcc_algorithm_find (algorithm->name) != NULL
      || algorithm->needs_sender || algorithm->needs_slots)
    return FALSE;
  algorithms[n] = algorithm;

  return TRUE;
}

/**
 * lmcc_algorithm_find:
 * @name: (nullable): an algorithm's name
 *
 * Returns: (nullable): what the registry holds of it, or %NULL
 */
const LmccAlgorithm *
lmcc_algorithm_find (const gchar * name)
{
  guint n = count_algorithms (), i;

  for (i = 0; i < n; i++) {
    if (g_strcmp0 (algorithms[i]->name, name) == 0)
      return algorithms[i];
  }

  return NULL;
}

/**
 * lmcc_algorithm_list:
 * @n: (out): how many there are
 *
 * Returns: (array length=n): all algorithms of the registry
 */
const LmccAlgorithm *const *
lmcc_algorithm_list (guint * n)
{
  *n = count_algorithms ();

  return algorithms;
}

/**
 * lmcc_algorithm_format_names:
 *
 * Returns: (transfer full): the names of all algorithms, commas between them
 */
gchar *
lmcc_algorithm_format_names (void)
{
  GString *names = g_string_new (NULL);
  guint n = count_algorithms (), i;

  for (i = 0; i < n; i++)
    g_string_append_printf (names, "%s%s", i > 0 ? ", " : "",
        algorithms[i]->name);

  return g_string_free (names, FALSE);
}

/**
 * lmcc_algorithm_find_obstacle:
 * @algorithm: an algorithm
 * @session: what is to run under it
 *
 * Returns: (transfer full) (nullable): why it cannot run in that session, and
 *     what to do about it; %NULL if it can
 */
gchar *
lmcc_algorithm_find_obstacle (const LmccAlgorithm * algorithm,
    const LmccSession * session)
{
  const gchar *name = algorithm->name;

  if (algorithm->needs_sender && !g_str_equal (session->algorithm, name))
    return
        g_strdup_printf ("%s sets the sender's rate, and this session's sender "
        "runs %s: use algorithm=auto, or start lmccsink with algorithm=%s",
        name, session->algorithm, name);
  if (!algorithm->needs_slots && !algorithm->needs_sender
      && algorithm != &none && lmcc_session_has_single_rate (session))
    return g_strdup_printf ("%s chooses among layers, and this session has one "
        "rate for all, which receivers' reports for %s set: use "
        "algorithm=auto, or start lmccsink with algorithm=%s", name,
        session->algorithm, name);
  if (!algorithm->needs_slots)
    return NULL;
  if (session->slot == 0)
    return g_strdup_printf ("%s needs slots, and this session has none: start "
        "lmccsink with algorithm=%s", name, name);
  if (!g_str_equal (session->algorithm, name))
    return
        g_strdup_printf ("%s needs its own marks, and this session has those "
        "of %s: use algorithm=auto, or start lmccsink with algorithm=%s", name,
        session->algorithm, name);

  return NULL;
}
