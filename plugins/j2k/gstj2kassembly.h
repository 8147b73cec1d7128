/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_J2K_ASSEMBLY_H
#define GST_J2K_ASSEMBLY_H

#include "gstj2kcodestream.h"

G_BEGIN_DECLS

/* RFC 5371 section 4.2. */
#define GST_J2K_RTP_HEADER_SIZE 8

/* The fragment offset has 24 bits. */
#define GST_J2K_MAX_CODESTREAM_SIZE (1u << 24)

#define GST_J2K_PRIORITY_MAIN_HEADER 0
#define GST_J2K_PRIORITY_NONE 255

/* MHF, the part of the main header in the packet: none, one part, the last part, or all
 * of it. */
typedef enum
{
  GST_J2K_MAIN_HEADER_NONE,
  GST_J2K_MAIN_HEADER_PART,
  GST_J2K_MAIN_HEADER_LAST,
  GST_J2K_MAIN_HEADER_WHOLE,
} GstJ2kMainHeader;

/**
 * GstJ2kRtpHeader:
 * @main_header: the part of the main header in the packet
 * @priority: 0 for the main header, quality layer + 1, or %GST_J2K_PRIORITY_NONE (RFC
 *     5372 section 3.2, by layers)
 * @offset: offset of the packet's first byte in the codestream
 *
 * The header of an RTP payload.
 */
typedef struct
{
  GstJ2kMainHeader main_header;
  guint8 priority;
  guint32 offset;
} GstJ2kRtpHeader;

void gst_j2k_rtp_header_write (const GstJ2kRtpHeader *header, guint8 *data);
gboolean gst_j2k_rtp_header_parse (GstJ2kRtpHeader *header, const guint8 *data,
    gsize size);

/**
 * GstJ2kAssembly:
 *
 * Assembles the codestream of one picture, as far as its layers are complete.
 */
typedef struct _GstJ2kAssembly GstJ2kAssembly;

GstJ2kAssembly *gst_j2k_assembly_new (void);
void gst_j2k_assembly_free (GstJ2kAssembly *assembly);
void gst_j2k_assembly_reset (GstJ2kAssembly *assembly);
gboolean gst_j2k_assembly_is_empty (const GstJ2kAssembly *assembly);
gboolean gst_j2k_assembly_add (GstJ2kAssembly *assembly, const guint8 *payload,
    gsize size, gboolean marker);
gboolean gst_j2k_assembly_is_complete (const GstJ2kAssembly *assembly);
GBytes *gst_j2k_assembly_finish (GstJ2kAssembly *assembly,
    GstJ2kCodestream *codestream, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstJ2kAssembly, gst_j2k_assembly_free)

G_END_DECLS

#endif
