/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Writes the state of a network as CSV, one row per sample and receiver or
 * flow. Rates are in bit/s, times in s.
 */
#ifndef TEST_TRACE_H
#define TEST_TRACE_H

#include "support/test-net.h"

#include <stdio.h>

typedef struct
{
  FILE *file;
  LmccTime start;
  LmccTime sampled;
  guint64 bytes[TEST_NET_MAX_RECEIVERS + TEST_NET_MAX_FLOWS];
  guint64 offered[TEST_NET_MAX_RECEIVERS];
  guint64 missed[TEST_NET_MAX_RECEIVERS];
} TestTrace;

TestTrace *test_trace_new (const TestNet *net, const gchar *name);
void test_trace_sample (TestTrace *trace, TestNet *net);
void test_trace_note (TestTrace *trace, const TestNet *net, const gchar *why);
void test_trace_free (TestTrace *trace);

#endif
