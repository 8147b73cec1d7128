/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/controller.h"

#include "control/sending.h"
#include "wire/session-internal.h"

#include <glib/gi18n-lib.h>

/* Greatest number of registered algorithms, including the library's own. */
#define MAX_ALGORITHMS 32

/* First number of registered algorithms, which are numbered in the order of
 * registration; later algorithms of the library have numbers above them. */
#define FIRST_NUMBER_OF_OTHERS 10

#define LMCC_LIST_ALGORITHM(name) &lmcc_algorithm_##name,
static const LmccAlgorithm *algorithms[MAX_ALGORITHMS] = { LMCC_OWN_ALGORITHMS (
    LMCC_LIST_ALGORITHM) };

#undef LMCC_LIST_ALGORITHM

static guint
count_algorithms (void)
{
  guint n = 0;

  while (n < MAX_ALGORITHMS && algorithms[n] != NULL)
    n++;

  return n;
}

static void
none_free (LmccController *controller)
{
  g_free (controller);
}

static const LmccControllerClass none_class = {
  .free = none_free,
};

static LmccController *
none_create (const LmccSession *session G_GNUC_UNUSED,
    const LmccSettings *settings G_GNUC_UNUSED, guint32 seed G_GNUC_UNUSED)
{
  LmccController *controller = g_new0 (LmccController, 1);

  lmcc_controller_init (controller, &lmcc_algorithm_none, &none_class);
  lmcc_controller_want (controller, G_MAXINT, "set by the user");

  return controller;
}

const LmccAlgorithm lmcc_algorithm_none = {
  .name = "none",
  .number = 1,
  .description =
      N_ ("No congestion control: the user sets the level (max-level)"),
  .create = none_create,
};

/**
 * lmcc_controller_init:
 * @controller: (out caller-allocates): the common part of a controller
 * @algorithm: its algorithm
 * @klass: its callbacks; must stay valid
 *
 * Initializes the common part of a controller, which wants the base layer.
 */
void
lmcc_controller_init (LmccController *controller,
    const LmccAlgorithm *algorithm, const LmccControllerClass *klass)
{
  controller->algorithm = algorithm;
  controller->klass = klass;
  lmcc_controller_want (controller, 0, "the base layer is joined first");
}

/* A controller that stays at the base layer, for sessions that are
 * unsuitable for @algorithm. */
LmccController *
lmcc_controller_new_base_only (const LmccAlgorithm *algorithm)
{
  LmccController *controller = g_new0 (LmccController, 1);

  lmcc_controller_init (controller, algorithm, &none_class);
  controller->reason = "the session is unsuitable for the algorithm";

  return controller;
}

/*
 * lmcc_algorithm_add:
 * @algorithm: as in lmcc_algorithm_register(); it may have a sender's half
 *
 * Returns: %FALSE if the name is taken or cannot be written in a session
 * record, or if the registry is full
 */
gboolean
lmcc_algorithm_add (const LmccAlgorithm *algorithm)
{
  guint n = count_algorithms ();

  g_return_val_if_fail (algorithm != NULL && algorithm->create != NULL, FALSE);
  if (n == MAX_ALGORITHMS || !lmcc_session_is_algorithm_name (algorithm->name)
      || lmcc_algorithm_find (algorithm->name) != NULL)
    return FALSE;
  algorithms[n] = algorithm;

  return TRUE;
}

/**
 * lmcc_algorithm_register:
 * @algorithm: the algorithm, which must stay valid for ever; it has no number,
 *     and its name has at most %LMCC_ALGORITHM_NAME_SIZE - 1 characters of a to
 *     z, 0 to 9 and -._+, as the session record requires
 *
 * Adds an algorithm that works on the receiver alone, based on received and
 * lost packets. Algorithms that need slots or set the sender's rate cannot be
 * added. Call this function before you create the first sender or receiver, and
 * before the plugin is loaded, whose properties then include its name.
 *
 * Returns: %FALSE if the name is taken, if the algorithm needs the sender, or
 * if the registry is full
 */
gboolean
lmcc_algorithm_register (const LmccAlgorithm *algorithm)
{
  g_return_val_if_fail (algorithm != NULL, FALSE);

  return algorithm->sending == NULL && algorithm->number == 0
      && lmcc_algorithm_add (algorithm);
}

/**
 * lmcc_algorithm_find:
 * @name: (nullable): an algorithm's name
 *
 * Looks up an algorithm by its name.
 *
 * Returns: (nullable): the registered algorithm, or %NULL
 */
const LmccAlgorithm *
lmcc_algorithm_find (const gchar *name)
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
 * @n: (out): number of algorithms
 *
 * Lists the registry. The array belongs to the library.
 *
 * Returns: (array length=n): all registered algorithms
 */
const LmccAlgorithm *const *
lmcc_algorithm_list (guint *n)
{
  *n = count_algorithms ();

  return algorithms;
}

/**
 * lmcc_algorithm_format_names:
 *
 * Lists the names of all algorithms for messages to users.
 *
 * Returns: (transfer full): the names of all algorithms, separated by commas
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
 * lmcc_algorithm_get_number:
 * @algorithm: a registered algorithm
 *
 * Number of the algorithm in enumerations, such as those of the `algorithm`
 * properties. Numbers of the library's own algorithms never change; other
 * algorithms get numbers in the order of their registration, valid while the
 * program runs.
 *
 * Returns: the number, not 0
 */
guint
lmcc_algorithm_get_number (const LmccAlgorithm *algorithm)
{
  guint number = FIRST_NUMBER_OF_OTHERS, i;

  if (algorithm->number != 0)
    return algorithm->number;
  for (i = 0; i < MAX_ALGORITHMS && algorithms[i] != algorithm; i++) {
    if (algorithms[i] != NULL && algorithms[i]->number == 0)
      number++;
  }

  return number;
}

/**
 * lmcc_algorithm_has_slots:
 * @algorithm: (nullable): an algorithm
 *
 * Checks whether an algorithm needs slots at the sender.
 *
 * Returns: whether packets must carry the algorithm's marks: the sender's slot,
 * and which receivers may go up
 */
gboolean
lmcc_algorithm_has_slots (const LmccAlgorithm *algorithm)
{
  return algorithm != NULL && algorithm->sending != NULL
      && algorithm->sending->mark != NULL;
}

/**
 * lmcc_algorithm_sets_rate:
 * @algorithm: (nullable): an algorithm
 *
 * Checks whether an algorithm is a single-rate algorithm.
 *
 * Returns: whether its receivers report the rate that they can receive, and
 * these reports set a rate of the sender
 */
gboolean
lmcc_algorithm_sets_rate (const LmccAlgorithm *algorithm)
{
  return algorithm != NULL && algorithm->sending != NULL
      && algorithm->sending->rate_setter != NULL;
}
