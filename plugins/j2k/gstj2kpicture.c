/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Encodes one picture with libopenjp2 into a codestream with quality layers. */
#include "gstj2kpicture.h"

#include <plugins/common/messages.h>

#include <openjpeg.h>
#include <string.h>

#define STREAM_BUFFER_SIZE (64 * 1024)

/* ISO/IEC 15444-1 A.6.1: packets begin with SOP. */
#define CODING_STYLE_SOP 0x02

/* Size of SOC, SIZ, COD, QCD, COM, SOT, SOD and EOC as libopenjp2 writes them
 * (150 to 190 bytes), and of an empty packet: SOP and one byte. */
#define HEADERS_SIZE 200
#define EMPTY_PACKET_SIZE 7

/* SOT, SOD and EOC, which libopenjp2 does not count as part of a layer. */
#define UNCOUNTED_SIZE 16

/* libopenjp2 counts each component at full size when it converts ratios to
 * bytes. */
#define NOMINAL_SIZE(info)                                                    \
  ((guint64) GST_VIDEO_INFO_N_COMPONENTS (info) * GST_VIDEO_INFO_WIDTH (info) \
      * GST_VIDEO_INFO_HEIGHT (info))

typedef struct
{
  GByteArray *bytes;
  gsize at;
} Output;

/*
 * gst_j2k_picture_fit_resolutions:
 * @info: format of the pictures
 * @n_resolutions: wanted number
 *
 * Returns: @n_resolutions, or fewer for a small picture, which can only be
 * halved while it has at least 2 samples
 */
guint
gst_j2k_picture_fit_resolutions (const GstVideoInfo *info, guint n_resolutions)
{
  guint smallest = G_MAXUINT, fit = 1, i;

  for (i = 0; i < GST_VIDEO_INFO_N_COMPONENTS (info); i++) {
    smallest = MIN (smallest, (guint) GST_VIDEO_INFO_COMP_WIDTH (info, i));
    smallest = MIN (smallest, (guint) GST_VIDEO_INFO_COMP_HEIGHT (info, i));
  }
  for (; fit < n_resolutions && smallest >= 2; smallest /= 2)
    fit++;

  return fit;
}

static guint
get_empty_layer_size (const GstVideoInfo *info, guint n_resolutions)
{
  return n_resolutions * GST_VIDEO_INFO_N_COMPONENTS (info) * EMPTY_PACKET_SIZE;
}

/*
 * gst_j2k_picture_smallest:
 * @info: format of the pictures
 * @n_resolutions: number of resolutions, which must fit
 * @layer: a quality layer
 *
 * Returns: size in bytes of a picture whose layers up to @layer are empty
 */
guint
gst_j2k_picture_smallest (const GstVideoInfo *info, guint n_resolutions,
    guint layer)
{
  return HEADERS_SIZE
      + (layer + 1) * get_empty_layer_size (info, n_resolutions);
}

/*
 * gst_j2k_picture_largest:
 * @info: format of the pictures
 *
 * Returns: size in bytes of an uncompressed picture, limited to the size that
 * RTP can carry
 */
guint
gst_j2k_picture_largest (const GstVideoInfo *info)
{
  return (guint) MIN (NOMINAL_SIZE (info), (1u << 24) - 1);
}

/*
 * gst_j2k_picture_fit_sizes:
 * @info: format of the pictures
 * @settings: its sizes are changed to the nearest possible ones: each layer has
 *     at least room for its headers
 */
void
gst_j2k_picture_fit_sizes (const GstVideoInfo *info,
    GstJ2kPictureSettings *settings)
{
  guint empty = get_empty_layer_size (info, settings->n_resolutions);
  guint least = gst_j2k_picture_smallest (info, settings->n_resolutions, 0);
  guint largest = gst_j2k_picture_largest (info), i;

  for (i = 0; i < settings->n_layers; i++) {
    guint above = (settings->n_layers - 1 - i) * empty;
    guint most = largest > above ? largest - above : 0;

    settings->sizes[i] = MAX (MIN (settings->sizes[i], most), least);
    least = settings->sizes[i] + empty;
  }
}

static OPJ_SIZE_T
write_output (void *buffer, OPJ_SIZE_T size, void *user_data)
{
  Output *output = user_data;

  if (output->at + size > G_MAXINT)
    return (OPJ_SIZE_T) -1;
  if (output->at + size > output->bytes->len)
    g_byte_array_set_size (output->bytes, (guint) (output->at + size));
  memcpy (output->bytes->data + output->at, buffer, size);
  output->at += size;

  return size;
}

static OPJ_BOOL
seek_output (OPJ_OFF_T to, void *user_data)
{
  Output *output = user_data;

  if (to < 0 || (guint64) to > output->bytes->len)
    return OPJ_FALSE;
  output->at = (gsize) to;

  return OPJ_TRUE;
}

static OPJ_OFF_T
skip_output (OPJ_OFF_T by, void *user_data)
{
  Output *output = user_data;

  return seek_output ((OPJ_OFF_T) output->at + by, output) ? by : -1;
}

static void
on_error (const char *message, void *user_data)
{
  GString *text = user_data;

  g_string_append (text, message);
}

static void
copy_component (opj_image_comp_t *to, const GstVideoFrame *frame, guint index)
{
  const guint8 *row = GST_VIDEO_FRAME_COMP_DATA (frame, index);
  gint stride = GST_VIDEO_FRAME_COMP_STRIDE (frame, index);
  gint step = GST_VIDEO_FRAME_COMP_PSTRIDE (frame, index);
  OPJ_INT32 *sample = to->data;
  guint x, y;

  for (y = 0; y < to->h; y++, row += stride) {
    for (x = 0; x < to->w; x++)
      *sample++ = row[(gint) x * step];
  }
}

static opj_image_t *
make_image (const GstVideoFrame *frame)
{
  const GstVideoFormatInfo *format = frame->info.finfo;
  guint n = GST_VIDEO_FRAME_N_COMPONENTS (frame), i;
  opj_image_cmptparm_t components[GST_J2K_MAX_COMPONENTS] = { 0 };
  opj_image_t *image;

  for (i = 0; i < n; i++) {
    components[i].dx = 1u << GST_VIDEO_FORMAT_INFO_W_SUB (format, i);
    components[i].dy = 1u << GST_VIDEO_FORMAT_INFO_H_SUB (format, i);
    components[i].w = (OPJ_UINT32) GST_VIDEO_FRAME_COMP_WIDTH (frame, i);
    components[i].h = (OPJ_UINT32) GST_VIDEO_FRAME_COMP_HEIGHT (frame, i);
    components[i].prec = 8;
  }
  image = opj_image_create (n, components,
      n == 1 ? OPJ_CLRSPC_GRAY : OPJ_CLRSPC_SYCC);
  if (image == NULL)
    return NULL;
  image->x1 = (OPJ_UINT32) GST_VIDEO_FRAME_WIDTH (frame);
  image->y1 = (OPJ_UINT32) GST_VIDEO_FRAME_HEIGHT (frame);
  for (i = 0; i < n; i++)
    copy_component (&image->comps[i], frame, i);

  return image;
}

static void
set_parameters (opj_cparameters_t *parameters,
    const GstJ2kPictureSettings *settings, const GstVideoInfo *info)
{
  guint i;

  opj_set_default_encoder_parameters (parameters);
  parameters->irreversible = 1;
  parameters->prog_order = OPJ_LRCP;
  parameters->csty |= CODING_STYLE_SOP;
  parameters->tcp_mct = 0;
  parameters->numresolution = (int) settings->n_resolutions;
  parameters->cp_disto_alloc = 1;
  parameters->tcp_numlayers = (int) settings->n_layers;
  for (i = 0; i < settings->n_layers; i++)
    parameters->tcp_rates[i] = (float) ((gdouble) NOMINAL_SIZE (info)
        / (settings->sizes[i] - UNCOUNTED_SIZE));
}

static gboolean
compress (opj_codec_t *codec, opj_image_t *image, Output *output,
    const GstJ2kPictureSettings *settings, opj_cparameters_t *parameters)
{
  opj_stream_t *stream = opj_stream_create (STREAM_BUFFER_SIZE, OPJ_FALSE);
  gboolean good;

  opj_stream_set_write_function (stream, write_output);
  opj_stream_set_seek_function (stream, seek_output);
  opj_stream_set_skip_function (stream, skip_output);
  opj_stream_set_user_data (stream, output, NULL);
  good = opj_setup_encoder (codec, parameters, image)
      && (settings->n_threads < 2
          || opj_codec_set_threads (codec, (int) settings->n_threads))
      && opj_start_compress (codec, image, stream) && opj_encode (codec, stream)
      && opj_end_compress (codec, stream);
  opj_stream_destroy (stream);

  return good;
}

/*
 * gst_j2k_picture_encode:
 * @settings: layers and other settings
 * @frame: 8 bits per component, 1 to 4 components
 * @error: the error of libopenjp2
 *
 * Uses irreversible wavelets, one tile, the progression order by layers, and
 * SOP before every packet.
 *
 * Returns: (transfer full) (nullable): a codestream
 */
GByteArray *
gst_j2k_picture_encode (const GstJ2kPictureSettings *settings,
    const GstVideoFrame *frame, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  Output output = { bytes, 0 };
  opj_cparameters_t parameters;
  opj_image_t *image = make_image (frame);
  opj_codec_t *codec = opj_create_compress (OPJ_CODEC_J2K);
  gboolean good = FALSE;

  if (image != NULL && codec != NULL) {
    opj_set_error_handler (codec, on_error, text);
    set_parameters (&parameters, settings, &frame->info);
    good = compress (codec, image, &output, settings, &parameters);
  } else {
    g_string_append (text, "out of memory");
  }
  opj_destroy_codec (codec);
  if (image != NULL)
    opj_image_destroy (image);
  if (!good) {
    g_set_error (error, GST_J2K_ERROR, 0, _ ("libopenjp2: %s"),
        text->len > 0 ? g_strstrip (text->str) : _ ("no reason given"));
    return NULL;
  }

  return g_steal_pointer (&bytes);
}
