/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_SINGLE_RATE_TFMCC_ANSWERS_H
#define LMCC_CONTROL_SINGLE_RATE_TFMCC_ANSWERS_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/* Reports that wait for their answers: a round has a few tens, and what is more is
 * dropped from the least important end. */
#define LMCC_TFMCC_MAX_ANSWERS 32

/* Who is answered first (RFC 4654 section 3.5): the later ones. */
typedef enum
{
  LMCC_TFMCC_ANSWER_OTHER,
  LMCC_TFMCC_ANSWER_NEVER_MEASURED,
  LMCC_TFMCC_ANSWER_NEW_LIMITING,
} LmccTfmccAnswerPriority;

/**
 * LmccTfmccAnswer:
 * @ssrc: whose report it answers
 * @time: what the report says
 * @arrival: when it came
 * @priority: its place in the order
 */
typedef struct
{
  guint32 ssrc;
  guint32 time;
  LmccTime arrival;
  LmccTfmccAnswerPriority priority;
} LmccTfmccAnswer;

/**
 * LmccTfmccAnswers:
 * @answers: that wait, by arrival
 * @n: how many
 *
 * The reports that TFMCC's sender has not answered. Zeros are none.
 */
typedef struct
{
  LmccTfmccAnswer answers[LMCC_TFMCC_MAX_ANSWERS];
  guint n;
} LmccTfmccAnswers;

void lmcc_tfmcc_answers_add (LmccTfmccAnswers *answers,
    const LmccTfmccAnswer *answer);
gboolean
lmcc_tfmcc_answers_take (LmccTfmccAnswers *answers, LmccTfmccAnswer *answer);

G_END_DECLS

#endif
