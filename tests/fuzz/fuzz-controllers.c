/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fuzzes the controllers of all algorithms. The input chooses an algorithm
 * and its settings, and becomes packets, losses, other receivers' joins,
 * level caps and time steps. Whatever arrives, the level must stay in range,
 * go up one step at a time, and the controller must not ask for changes
 * endlessly.
 */
#include "../check/libs/support/follow-controller.h"
#include "fuzz.h"

#include <gst/lmcc/control/controller.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/measure/loss.h>
#include <gst/lmcc/wire/layer-header.h>

#define N_LAYERS 8
#define SLOT (200 * LMCC_MSECOND)
#define TRAIN_CYCLE (2 * LMCC_SECOND)
#define MODULUS 60

typedef struct
{
  Followed followed;
  guint16 lsns[N_LAYERS];
} Run;

static void
make_session (LmccSession *session, const LmccAlgorithm *algorithm)
{
  guint i;

  lmcc_session_init (session);
  g_strlcpy (session->algorithm, algorithm->name, sizeof (session->algorithm));
  session->n_layers = session->n_groups = N_LAYERS;
  session->slot = SLOT;
  session->train_cycle = TRAIN_CYCLE;
  session->slot_modulus = MODULUS;
  for (i = 0; i < N_LAYERS; i++)
    session->layers[i].rate = 50000u << i;
}

static void
set (LmccSettings *settings, const LmccSetting *setting, gdouble number)
{
  gchar text[G_ASCII_DTOSTR_BUF_SIZE];
  const gchar *value = g_ascii_dtostr (text, sizeof (text), number);

  if (setting->type == LMCC_SETTING_CHOICE)
    value = setting->choices[(guint) number];
  else if (setting->type == LMCC_SETTING_SWITCH)
    value = number != 0 ? "true" : "false";
  lmcc_settings_set (settings, setting->name, value, NULL);
}

/* Chooses a value within each setting's range. */
static LmccSettings *
make_settings (Bytes *bytes, const LmccAlgorithm *algorithm)
{
  LmccSettings *settings =
      lmcc_settings_new (algorithm->settings, algorithm->n_settings);
  guint8 which = take_byte (bytes);
  guint i;

  for (i = 0; i < algorithm->n_settings && which != 0; i++) {
    const LmccSetting *setting = &algorithm->settings[i];
    guint8 value = take_byte (bytes);
    gdouble number = setting->min + (setting->max - setting->min) * value / 255;

    if (setting->type == LMCC_SETTING_CHOICE
        || setting->type == LMCC_SETTING_SWITCH)
      number = value & 1;
    else if (setting->type == LMCC_SETTING_COUNT)
      number = (gdouble) (guint64) number;
    set (settings, setting, number);
  }

  return settings;
}

static void
push_packet (Run *run, Bytes *bytes, guint8 what)
{
  const LmccControllerClass *klass = run->followed.controller->klass;
  guint layer = what % N_LAYERS;
  guint8 marks = take_byte (bytes);
  LmccHeader header = {
    .layer = (guint8) layer,
    .top_layer = N_LAYERS - 1,
    .slot = (guint16) (run->followed.now / SLOT % MODULUS),
    .signal = (gint8) ((marks & 0x0f) - 1),
    .burst = marks >> 4 & 1,
    .has_up_levels = marks >> 5 & 1,
    .up_levels = (guint64) marks * G_GUINT64_CONSTANT (0x0101010101010101),
  };

  if (marks & 0x40)
    header.slot += take_byte (bytes);
  run->lsns[layer] += 1 + ((marks & 0x80) ? take_byte (bytes) : 0);
  header.lsn = run->lsns[layer];
  if ((gint) layer > run->followed.level) {
    if (klass->on_left_packet != NULL)
      klass->on_left_packet (run->followed.controller, run->followed.now,
          run->followed.now, layer);
  } else if (klass->on_packet != NULL) {
    klass->on_packet (run->followed.controller, run->followed.now,
        run->followed.now, &header, 1 + 10 * (gsize) marks);
  }
}

static void
push_loss (Run *run, Bytes *bytes, guint8 what)
{
  const LmccControllerClass *klass = run->followed.controller->klass;
  LmccTime time = run->followed.now - take_byte (bytes) * 4 * LMCC_MSECOND;
  LmccLoss loss = lmcc_loss_at (time, 1 + what / N_LAYERS);

  if (take_byte (bytes) & 1) {
    loss.span = run->followed.now - time;
    loss.gap = loss.count + 1;
  }
  if (klass->on_loss == NULL || what % N_LAYERS > run->followed.level)
    return;
  klass->on_loss (run->followed.controller, run->followed.now, what % N_LAYERS,
      &loss);
}

static void
push_other (Run *run, Bytes *bytes, guint8 what)
{
  const LmccControllerClass *klass = run->followed.controller->klass;
  guint8 value = take_byte (bytes);

  switch (what % 6) {
    case 0:
      run->followed.cap = value % N_LAYERS;
      break;
    case 1:
      run->followed.session.n_layers = 1 + value % N_LAYERS;
      if (klass->on_session != NULL)
        klass->on_session (run->followed.controller, run->followed.now);
      break;
    case 2:
      if (klass->on_neighbour_join != NULL)
        klass->on_neighbour_join (run->followed.controller, run->followed.now,
            value);
      break;
    case 5:
      if (klass->on_expected != NULL)
        klass->on_expected (run->followed.controller, run->followed.now,
            what % N_LAYERS, (guint16) (run->lsns[what % N_LAYERS] - value),
            run->followed.now - value * LMCC_MSECOND, take_byte (bytes));
      break;
    case 3:
      if (klass->on_rtt != NULL)
        klass->on_rtt (run->followed.controller, run->followed.now,
            (1 + value) * 10 * LMCC_MSECOND);
      break;
    default:
      if (klass->on_quality != NULL)
        klass->on_quality (run->followed.controller, run->followed.now, value,
            MIN (value, take_byte (bytes)));
      break;
  }
}

/* One byte gives the time that passes and the next event; further bytes give
 * the layer and so on. */
static void
step (Run *run, Bytes *bytes)
{
  guint8 time = take_byte (bytes);
  guint8 what = take_byte (bytes);

  run->followed.now += (time >> 3) * LMCC_MSECOND * ((time & 0x04) ? 100 : 1);
  let_time_pass (&run->followed);
  switch (time & 3) {
    case 0:
    case 1:
      push_packet (run, bytes, what);
      break;
    case 2:
      push_loss (run, bytes, what);
      break;
    default:
      push_other (run, bytes, what);
      break;
  }
  follow (&run->followed);
  let_time_pass (&run->followed);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  Bytes bytes = { data, size };
  const LmccAlgorithm *const *algorithms;
  g_autoptr (LmccSettings) settings = NULL;
  Run run = {
    .followed = { .now = 100 * LMCC_SECOND, .level = -1, .cap = N_LAYERS - 1 }
  };
  guint n;

  algorithms = lmcc_algorithm_list (&n);
  run.followed.algorithm = algorithms[take_byte (&bytes) % n];
  make_session (&run.followed.session, run.followed.algorithm);
  settings = make_settings (&bytes, run.followed.algorithm);
  run.followed.controller =
      run.followed.algorithm->create (&run.followed.session, settings, 1);
  follow (&run.followed);
  while (bytes.size > 0)
    step (&run, &bytes);
  if (lmcc_algorithm_has_slots (run.followed.algorithm))
    g_assert (run.followed.joins
        <= (run.followed.now - 100 * LMCC_SECOND) / SLOT * 1.01 + 3);
  run.followed.controller->klass->free (run.followed.controller);

  return 0;
}
