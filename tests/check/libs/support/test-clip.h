/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads the pictures of an H.264 file as sizes and classes.
 */
#ifndef TEST_CLIP_H
#define TEST_CLIP_H

#include "support/test-repair.h"

GArray *test_clip_read (const gchar *path, LmccTime *period, GError **error);

#endif
