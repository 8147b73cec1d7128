/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/single-rate/tfmcc-answers.h"

static gint
find (const LmccTfmccAnswers *answers, guint32 ssrc)
{
  guint i;

  for (i = 0; i < answers->n; i++) {
    if (answers->answers[i].ssrc == ssrc)
      return (gint) i;
  }

  return -1;
}

static void
remove_at (LmccTfmccAnswers *answers, guint index)
{
  guint i;

  for (i = index + 1; i < answers->n; i++)
    answers->answers[i - 1] = answers->answers[i];
  answers->n--;
}

/* The first of the highest, or the last of the lowest priority. */
static guint
choose (const LmccTfmccAnswers *answers, gboolean lowest)
{
  guint chosen = 0, i;

  for (i = 1; i < answers->n; i++) {
    LmccTfmccAnswerPriority this = answers->answers[i].priority;
    LmccTfmccAnswerPriority best = answers->answers[chosen].priority;

    if (lowest ? this <= best : this > best)
      chosen = i;
  }

  return chosen;
}

/*
 * lmcc_tfmcc_answers_add:
 * @answers: the waiting answers
 * @answer: a new answer, which replaces an earlier one to the same receiver
 */
void
lmcc_tfmcc_answers_add (LmccTfmccAnswers *answers,
    const LmccTfmccAnswer *answer)
{
  gint old = find (answers, answer->ssrc);

  if (old >= 0)
    remove_at (answers, (guint) old);
  if (answers->n == LMCC_TFMCC_MAX_ANSWERS) {
    guint least = choose (answers, TRUE);

    if (answers->answers[least].priority > answer->priority)
      return;
    remove_at (answers, least);
  }
  answers->answers[answers->n++] = *answer;
}

/*
 * lmcc_tfmcc_answers_take:
 * @answers: the waiting answers
 * @answer: (out): the first one; unchanged if there is none
 *
 * Returns: %FALSE if there is none
 */
gboolean
lmcc_tfmcc_answers_take (LmccTfmccAnswers *answers, LmccTfmccAnswer *answer)
{
  guint index = choose (answers, FALSE);

  if (answers->n == 0)
    return FALSE;
  *answer = answers->answers[index];
  remove_at (answers, index);

  return TRUE;
}
