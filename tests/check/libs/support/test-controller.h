/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs a controller in virtual time against a model of a sender with slots:
 * each layer sends TEST_SLOT_PACKETS evenly spaced packets per slot. The
 * test says which packets are lost; the controller learns it from a real
 * loss account.
 */
#ifndef TEST_CONTROLLER_H
#define TEST_CONTROLLER_H

#include <gst/lmcc/control/controller.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/receiver/layer-account.h>
#include <gst/lmcc/wire/layer-header.h>

#define TEST_SLOT (500 * LMCC_MSECOND)
#define TEST_SLOT_PACKETS 8
#define TEST_MODULUS 65536

typedef struct
{
  LmccTime at;
  gint from;
  gint to;
} TestLevelChange;

typedef struct
{
  LmccSession session;
  LmccSettings *settings;
  LmccController *controller;
  LmccReordering reordering;
  LmccLayerAccount *accounts[LMCC_MAX_LAYERS];
  guint16 lsns[LMCC_MAX_LAYERS];
  LmccTime now;
  guint64 slot; /* the next slot to send */
  gint level;
  gint cap;
  /* how long packets of a layer still arrive after its leave */
  LmccTime leave_latency;
  LmccTime left_at[LMCC_MAX_LAYERS];
  GArray *changes; /* TestLevelChange */
} TestController;

/* Packets lost in a slot: packets @from to @to of @layer, counted from 0. */
typedef struct
{
  gint layer;
  guint from;
  guint to;
} TestLoss;

TestController *test_controller_new (const gchar *algorithm, guint n_layers,
    const gchar *setting, const gchar *value);
void test_controller_free (TestController *test);
void test_controller_follow (TestController *test);
void test_controller_until (TestController *test, LmccTime time);
void test_controller_packet (TestController *test, const LmccHeader *header);
void test_slot_full (TestController *test, gint signal, guint64 up_levels,
    const TestLoss *losses, guint n_losses);
void test_slot (TestController *test, gint signal);
void test_slot_lossy (TestController *test, gint signal, gint layer, guint from,
    guint to);
const gchar *test_controller_state (TestController *test);
void test_fail_unless_level (TestController *test, gint level);

#endif
