/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "lmcc-algorithm.h"

static LmccController *none_create (const LmccSession * session);

static const LmccAlgorithm none = {
  .name = "none",
  .description = "No congestion control: the level is held by hand (max-level)",
  .create = none_create,
};

static const LmccAlgorithm *const algorithms[] = {
  &none,
};

static void
none_free (LmccController * controller)
{
  g_free (controller);
}

static LmccController *
none_create (const LmccSession * session)
{
  LmccController *controller = g_new0 (LmccController, 1);

  controller->algorithm = &none;
  controller->wanted_level = G_MAXINT;
  controller->reason = "held by hand";
  controller->free = none_free;

  return controller;
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
  guint i;

  for (i = 0; i < G_N_ELEMENTS (algorithms); i++) {
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
  *n = G_N_ELEMENTS (algorithms);

  return algorithms;
}
