/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_SINGLE_RATE_TFMCC_ANSWERS_H
#define LMCC_CONTROL_SINGLE_RATE_TFMCC_ANSWERS_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/* Greatest number of waiting answers: a round has a few tens of reports, and the least
 * important ones beyond the limit are dropped. */
#define LMCC_TFMCC_MAX_ANSWERS 32

/* Priority of answers (RFC 4654 section 3.5), ascending. */
typedef enum
{
  LMCC_TFMCC_ANSWER_OTHER,
  LMCC_TFMCC_ANSWER_NEVER_MEASURED,
  LMCC_TFMCC_ANSWER_NEW_LIMITING,
} LmccTfmccAnswerPriority;

/**
 * LmccTfmccAnswer:
 * @ssrc: SSRC of the receiver whose report it answers
 * @time: the report's time
 * @arrival: arrival time of the report
 * @priority: its priority
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
 * @answers: waiting answers, by arrival
 * @n: number of waiting answers
 *
 * The reports that TFMCC's sender has not answered yet. All zeros: none.
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
