/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "ladder.h"
#include "messages.h"

#include <gst/lmcc/lmcc-session.h>

#include <math.h>
#include <string.h>

/* Each rung has three times the rate of the one below. All rungs together then
 * cost 1.5 times as much as the top one alone; with a factor of 2 it would be
 * twice as much. */
#define RUNG_FACTOR 3.0

/* Minimum rate of a derived rung: bit/s. */
#define LOWEST_RUNG 100e3

/* Rate of the top rung for the reference picture size and rate: bit/s. Others
 * scale with the pixels per second to the power of 3/4, because larger pictures
 * have more even areas. 1280x720 at 30 pictures per second gets 3 Mbit/s,
 * 1920x1080 gets 5.5 Mbit/s. */
#define REFERENCE_TOP 900e3
#define REFERENCE_PIXEL_RATE (640.0 * 360.0 * 24.0)
#define TOP_EXPONENT 0.75

/* Below this number of bits per pixel a smaller picture that is scaled up again
 * is closer to the original. Measured: docs/users/raw-video.md. */
#define LEAST_BITS_PER_PIXEL 0.027

/* Minimum factor from the rate of one rung to the next. */
#define LEAST_STEP 1.25

/* Maximum share of the session record in the base layer:
 * gst/lmcc/sender/announcer.h */
#define RECORD_SHARE 0.05

/* x264 needs even sizes (4:2:0), and prediction needs a few blocks. */
#define LEAST_SIZE 32

/**
 * lmcc_ladder_rates_below:
 * @top: rate of the highest rung (bit/s)
 * @n: number of rungs, 1 to %LMCC_MAX_RUNGS
 * @rates: (out): rates of the rungs (bit/s), lowest first
 *
 * Returns: @n, or 0 if the lowest rung is below %LMCC_LADDER_MIN_BITRATE;
 * @rates is then invalid
 */
guint
lmcc_ladder_rates_below (guint64 top, guint n, guint64 rates[LMCC_MAX_RUNGS])
{
  gdouble rate = (gdouble) top;
  guint i;

  for (i = n; i > 0; i--) {
    rates[i - 1] = (guint64) (rate + 0.5);
    rate /= RUNG_FACTOR;
  }
  return rates[0] >= LMCC_LADDER_MIN_BITRATE ? n : 0;
}

/**
 * lmcc_ladder_default_top:
 * @picture: the video
 *
 * Returns: a rate at which x264 shows few artefacts, in bit/s, a multiple of
 * 1000
 */
guint64
lmcc_ladder_default_top (const LmccPicture *picture)
{
  gdouble pixel_rate =
      (gdouble) picture->width * picture->height * picture->rate;
  gdouble top =
      REFERENCE_TOP * pow (pixel_rate / REFERENCE_PIXEL_RATE, TOP_EXPONENT);

  top = MAX (top, LMCC_LADDER_MIN_BITRATE);
  return (guint64) (top / 1000 + 0.5) * 1000;
}

/**
 * lmcc_ladder_default_rates:
 * @picture: the video
 * @rates: (out): rates of the rungs (bit/s), lowest first
 *
 * The rungs of a video if nothing else is known.
 *
 * Returns: the number of rungs, 1 to %LMCC_LADDER_MAX_RUNGS
 */
guint
lmcc_ladder_default_rates (const LmccPicture *picture,
    guint64 rates[LMCC_MAX_RUNGS])
{
  guint64 top = lmcc_ladder_default_top (picture);
  gdouble lowest = (gdouble) top;
  guint n = 1;

  while (n < LMCC_LADDER_MAX_RUNGS && lowest / RUNG_FACTOR >= LOWEST_RUNG) {
    lowest /= RUNG_FACTOR;
    n++;
  }
  return lmcc_ladder_rates_below (top, n, rates);
}

static guint
scale_even (guint size, guint numerator, guint denominator)
{
  guint half = (size * numerator + denominator) / (2 * denominator);

  return MAX (2 * half, 2);
}

/**
 * lmcc_ladder_size:
 * @picture: the video
 * @bitrate: rate of the rung (bit/s)
 * @width: (out): pixels, even
 * @height: (out): pixels, even
 *
 * The largest picture size at which @bitrate looks better than a smaller size.
 */
void
lmcc_ladder_size (const LmccPicture *picture, guint64 bitrate, guint *width,
    guint *height)
{
  static const guint twelfths[] = { 12, 9, 8, 6, 4, 3 };
  guint i;

  *width = MAX (picture->width & ~1u, 2);
  *height = MAX (picture->height & ~1u, 2);
  for (i = 0; i < G_N_ELEMENTS (twelfths); i++) {
    guint w = i == 0 ? *width : scale_even (picture->width, twelfths[i], 12);
    guint h = i == 0 ? *height : scale_even (picture->height, twelfths[i], 12);

    if (i > 0 && MIN (w, h) < LEAST_SIZE)
      return;
    *width = w;
    *height = h;
    if ((gdouble) bitrate >= LEAST_BITS_PER_PIXEL * w * h * picture->rate)
      return;
  }
}

/* The rate of an encoder whose packets fit into @share bit/s with IP headers.
 * Each picture begins a new packet, and a group of pictures may exceed its rate
 * by the content of the encoder's buffer. */
static gdouble
usable_rate (const LmccLadderLimits *limits, gdouble share)
{
  gdouble headers = 8.0 * limits->packet_overhead * limits->picture_rate;
  gdouble per_bit =
      1.0 + (gdouble) limits->packet_overhead / limits->packet_payload;

  return (share - headers) / per_bit / (1.0 + limits->buffer / limits->group);
}

typedef struct
{
  const LmccLadderLimits *limits;
  const gdouble *cumulative;
  guint n_levels;
  guint max_rungs;
  gdouble rates[LMCC_LADDER_MAX_RUNGS];
  gdouble best_rates[LMCC_LADDER_MAX_RUNGS];
  guint best_n;
  gdouble best_score;
} LadderSearch;

/* @n rungs are chosen; the last one is complete from @level on. @score is the
 * sum of the logarithms of the rates shown at the levels below @level. */
static void
search (LadderSearch *s, guint n, guint level, gdouble score)
{
  gdouble quality = log (s->rates[n - 1]);
  gdouble whole = score + quality * (s->n_levels - level);
  guint next;

  if (whole > s->best_score) {
    s->best_score = whole;
    s->best_n = n;
    memcpy (s->best_rates, s->rates, sizeof (s->rates));
  }
  if (n == s->max_rungs || n == LMCC_LADDER_MAX_RUNGS)
    return;
  for (next = level + 1; next < s->n_levels; next++) {
    gdouble rate =
        usable_rate (s->limits, s->cumulative[next] - s->cumulative[level]);

    if (rate < LEAST_STEP * s->rates[n - 1])
      continue;
    s->rates[n] = rate;
    search (s, n + 1, next, score + quality * (next - level));
  }
}

static guint
too_little (GError **error, gdouble base, const LmccLadderLimits *limits)
{
  gdouble need = LMCC_LADDER_MIN_BITRATE
          * (1.0 + limits->buffer / limits->group)
          * (1.0 + (gdouble) limits->packet_overhead / limits->packet_payload)
      + 8.0 * limits->packet_overhead * limits->picture_rate;

  g_set_error (error, LMCC_SESSION_ERROR, LMCC_SESSION_ERROR_VALUE,
      _ ("a base layer of %.0f kbit/s is too small for video: the headers of "
         "%.3g pictures per second alone need %.0f kbit/s. Set it to %.0f "
         "kbit/s or more"),
      base / 1000, limits->picture_rate,
      8.0 * limits->packet_overhead * limits->picture_rate / 1000,
      ceil (need / (1.0 - RECORD_SHARE) / 1000));
  return 0;
}

/**
 * lmcc_ladder_fit_layers:
 * @layer_rates: rates of the layers (bit/s of IP packets), base first
 * @n_layers: number of layers, 1 to %LMCC_MAX_LAYERS
 * @limits: overhead of headers, and of groups of pictures that are larger than
 *     others
 * @rates: (out): rates of the encoders (bit/s), lowest first
 * @error: the reason if there is none
 *
 * Chooses rungs for layers with fixed rates, which are filled one after the
 * other. The lowest rung fits into the base layer; each other rung is complete
 * at a higher level, where receivers show it. The choice maximizes the mean,
 * over all levels, of the logarithm of the rate that is shown, because PSNR
 * grows roughly with it. Even a group of pictures that uses all of the
 * encoder's buffer fits, so that receivers do not change rungs at each peak.
 *
 * Returns: the number of rungs, 1 to %LMCC_LADDER_MAX_RUNGS, or 0
 */
guint
lmcc_ladder_fit_layers (const guint64 *layer_rates, guint n_layers,
    const LmccLadderLimits *limits, guint64 rates[LMCC_MAX_RUNGS],
    GError **error)
{
  gdouble cumulative[LMCC_MAX_LAYERS];
  LadderSearch s = { .limits = limits,
    .cumulative = cumulative,
    .n_levels = n_layers,
    .max_rungs = limits->max_rungs,
    .best_score = -1 };
  guint i;

  cumulative[0] = (gdouble) layer_rates[0];
  for (i = 1; i < n_layers; i++)
    cumulative[i] = cumulative[i - 1] + (gdouble) layer_rates[i];
  s.rates[0] = usable_rate (limits, cumulative[0] * (1.0 - RECORD_SHARE));
  if (s.rates[0] < LMCC_LADDER_MIN_BITRATE)
    return too_little (error, cumulative[0], limits);
  search (&s, 1, 0, 0);
  for (i = 0; i < s.best_n; i++)
    rates[i] = (guint64) (s.best_rates[i] / 1000) * 1000;

  return s.best_n;
}
