/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Other hosts that send a session to the group, and their session records.
 */
#include "receiver/actions.h"
#include "receiver/door.h"
#include "receiver/private.h"
#include "receiver/sources.h"

void
lmcc_rival_free (LmccRival *rival)
{
  lmcc_record_assembler_free (rival->assembler);
  g_free (rival);
}

gboolean
lmcc_rival_is_fresh (const LmccRival *rival, LmccTime now)
{
  return rival->have_session && now <= rival->heard + LMCC_RECORD_MEMORY;
}

LmccRival *
lmcc_receiver_find_rival (LmccReceiver *receiver, const LmccAddress *source)
{
  guint i;

  for (i = 0; i < LMCC_MAX_RIVALS; i++) {
    LmccRival *rival = receiver->sources.rivals[i];

    if (rival != NULL && lmcc_address_equal (&rival->address, source))
      return rival;
  }

  return NULL;
}

gboolean
lmcc_receiver_is_home (const LmccReceiver *receiver, const LmccAddress *source)
{
  return receiver->sources.have_home
      && lmcc_address_equal (&receiver->sources.home, source);
}

gboolean
lmcc_receiver_is_own_address (const LmccReceiver *receiver,
    const LmccAddress *source)
{
  return receiver->have_session
      && lmcc_address_equal (&receiver->source, source);
}

/* The value of an entry in the table, in descending order: it belongs to the
 * present sender's host, it has media, it has a record. */
static guint
get_worth (const LmccReceiver *receiver, const LmccRival *rival, LmccTime now)
{
  if (lmcc_receiver_is_home (receiver, &rival->address)
      || lmcc_receiver_is_own_address (receiver, &rival->address))
    return 4;
  if (rival->evidence.any && now < rival->evidence.latest + LMCC_SOURCE_TIMEOUT)
    return 3;

  return lmcc_rival_is_fresh (rival, now) ? 2 : 1;
}

/* Whether the first entry is to be replaced before the second. */
static gboolean
is_worth_less (const LmccReceiver *receiver, const LmccRival *first,
    const LmccRival *second, LmccTime now)
{
  guint worth = get_worth (receiver, first, now);
  guint other = get_worth (receiver, second, now);

  return worth < other || (worth == other && first->heard < second->heard);
}

/* The least valuable entry is replaced, among equals the one heard longest
 * ago: an attacker with a thousand addresses only replaces entries without
 * media. */
static LmccRival **
find_place (LmccReceiver *receiver, LmccTime now)
{
  LmccRival **rivals = receiver->sources.rivals;
  guint found = 0, i;

  for (i = 0; i < LMCC_MAX_RIVALS; i++) {
    if (rivals[i] == NULL)
      return &rivals[i];
    if (is_worth_less (receiver, rivals[i], rivals[found], now))
      found = i;
  }

  return &rivals[found];
}

static LmccRival *
make_rival (LmccReceiver *receiver, const LmccAddress *source, LmccTime now)
{
  LmccRival *rival = lmcc_receiver_find_rival (receiver, source);
  LmccRival **place;

  if (rival != NULL)
    return rival;
  place = find_place (receiver, now);
  g_clear_pointer (place, lmcc_rival_free);
  *place = g_new0 (LmccRival, 1);
  (*place)->address = *source;

  return *place;
}

gboolean
lmcc_receiver_is_refused (const LmccReceiver *receiver,
    const LmccAddress *source)
{
  const LmccReceiverSources *sources = &receiver->sources;
  guint i, n = MIN (sources->n_refused, LMCC_MAX_REFUSED);

  for (i = 0; i < n; i++) {
    if (lmcc_address_equal (&sources->refused[i], source))
      return TRUE;
  }

  return FALSE;
}

/*
 * lmcc_receiver_note_rival:
 * @receiver: a receiver
 * @source: address of the host
 * @session: an acceptable session record
 * @reports: sender reports from the same packet
 * @now: the time
 *
 * Remembers a record that does not belong to the present session.
 */
void
lmcc_receiver_note_rival (LmccReceiver *receiver, const LmccAddress *source,
    const LmccSession *session, const LmccReceiverReports *reports,
    LmccTime now)
{
  LmccRival *rival = make_rival (receiver, source, now);

  if (!rival->have_session || rival->session.ssrc_base != session->ssrc_base
      || rival->session.nonce != session->nonce) {
    rival->evidence.any = FALSE;
    rival->told = FALSE;
    rival->since = now;
  } else if (!lmcc_rival_is_fresh (rival, now)) {
    rival->since = now;
  }
  rival->have_session = TRUE;
  rival->session = *session;
  rival->algorithm = lmcc_algorithm_find (session->algorithm);
  rival->reports = *reports;
  rival->heard = now;
}

/*
 * lmcc_receiver_take_rival_record:
 * @receiver: a receiver
 * @source: address of the host
 * @fragment: fragment of a record that does not belong to the present session
 * @reports: sender reports from the same packet
 * @now: the time
 *
 * The fragments of each host are assembled separately.
 */
void
lmcc_receiver_take_rival_record (LmccReceiver *receiver,
    const LmccAddress *source, const LmccRecordFragment *fragment,
    const LmccReceiverReports *reports, LmccTime now)
{
  LmccRival *rival;
  LmccSession session;

  if (receiver->have_session && !receiver->source_gone)
    lmcc_receiver_drop (receiver,
        lmcc_receiver_is_own_address (receiver, source)
            ? LMCC_DROP_FOREIGN_SSRC
            : LMCC_DROP_FOREIGN_SOURCE);
  if (lmcc_receiver_is_refused (receiver, source))
    return;
  if (fragment->count == 1) {
    if (lmcc_receiver_read_record (receiver, NULL, fragment, &session))
      lmcc_receiver_note_rival (receiver, source, &session, reports, now);
    return;
  }
  rival = make_rival (receiver, source, now);
  rival->heard = MAX (rival->heard, rival->have_session ? 0 : now);
  if (rival->assembler == NULL)
    rival->assembler = lmcc_record_assembler_new ();
  if (lmcc_receiver_read_record (receiver, rival->assembler, fragment,
          &session))
    lmcc_receiver_note_rival (receiver, source, &session, reports, now);
}

gboolean
lmcc_session_is_evidence (const LmccSession *session, guint group)
{
  return group == 0 || session->turning_groups > 0
      || lmcc_session_base_is_thin (session);
}
