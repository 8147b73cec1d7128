/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/controller.h"

#include "control/sending.h"
#include "wire/session-internal.h"

/* Room for those of others, behind ours. */
#define MAX_ALGORITHMS 32

/* Numbers of others, which count up as they are registered; what of ours came
 * later than these is above them. */
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
  lmcc_controller_want (controller, G_MAXINT, "held by hand");

  return controller;
}

const LmccAlgorithm lmcc_algorithm_none = {
  .name = "none",
  .number = 1,
  .description = "No congestion control: the level is held by hand (max-level)",
  .create = none_create,
};

/**
 * lmcc_controller_init:
 * @controller: (out caller-allocates): what a controller begins with
 * @algorithm: what it is
 * @klass: what the receiver calls; stays
 *
 * Sets what all controllers have: the base is wanted.
 */
void
lmcc_controller_init (LmccController *controller,
    const LmccAlgorithm *algorithm, const LmccControllerClass *klass)
{
  controller->algorithm = algorithm;
  controller->klass = klass;
  lmcc_controller_want (controller, 0, "the base comes first");
}

/* What runs in place of @algorithm where the session is not fit for it. */
LmccController *
lmcc_controller_new_base_only (const LmccAlgorithm *algorithm)
{
  LmccController *controller = g_new0 (LmccController, 1);

  lmcc_controller_init (controller, algorithm, &none_class);
  controller->reason = "the session is not fit for the algorithm";

  return controller;
}

/*
 * lmcc_algorithm_add:
 * @algorithm: as lmcc_algorithm_register() has it; it may have a sender's half
 *
 * Returns: %FALSE if there is one of that name, or the session record cannot
 *     say the name, or the registry is full
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
 * @algorithm: stays for ever; it has no number, and its name is as the session
 *     record can say it: at most %LMCC_ALGORITHM_NAME_SIZE - 1 characters of a
 *     to z, 0 to 9 and -._+
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
 * Returns: (nullable): what the registry holds of it, or %NULL
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
 * @n: (out): how many there are
 *
 * Returns: (array length=n): all algorithms of the registry
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
 * lmcc_algorithm_get_number:
 * @algorithm: of the registry
 *
 * What it is in enumerations, as that of the `algorithm` properties. Those of
 * the library's own never change; others have one for as long as the program
 * runs, by the order in which they are registered.
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
 * Returns: whether packets must bear its marks: where they are in the sender's
 *     slots, and who may go up
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
 * Returns: whether its receivers report what they can take, and that sets a
 *     rate of the sender's
 */
gboolean
lmcc_algorithm_sets_rate (const LmccAlgorithm *algorithm)
{
  return algorithm != NULL && algorithm->sending != NULL
      && algorithm->sending->rate_setter != NULL;
}
