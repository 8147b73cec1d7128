/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "repair/sources.h"

#define FIRST_SIZE 256

/* A call is made for each packet: more come to an end than begin. */
#define EXPIRED_AT_ONCE 64

/* Odd, so that the same numbers of two sources are in other buckets. */
#define SOURCE_STRIDE 40503

/*
 * lmcc_repair_memory:
 * @packet: a packet
 *
 * Returns: bytes that it takes
 */
gsize
lmcc_repair_memory (const LmccPacket *packet)
{
  return sizeof (LmccPacket) + packet->capacity;
}

void
lmcc_repair_sources_clear (LmccRepairSources *sources)
{
  while (sources->n > 0)
    lmcc_repair_sources_forget_oldest (sources);
  g_free (sources->ring);
  g_free (sources->newest);
}

static LmccRepairSource *
get (const LmccRepairSources *sources, guint number)
{
  return &sources->ring[number & (sources->size - 1)];
}

/* Neighbours in a sequence are neighbours here. */
static guint *
get_bucket (const LmccRepairSources *sources, guint key)
{
  return &sources->newest[(key + (key >> 16) * SOURCE_STRIDE)
      & (sources->size - 1)];
}

static void
place (LmccRepairSources *sources, guint number, const LmccRepairSource *source)
{
  guint *bucket = get_bucket (sources, source->key);
  LmccRepairSource *at = get (sources, number);

  *at = *source;
  at->next = *bucket;
  *bucket = number;
}

static void
grow (LmccRepairSources *sources)
{
  LmccRepairSources larger = *sources;
  guint i;

  larger.size = MAX (2 * sources->size, FIRST_SIZE);
  larger.ring = g_new (LmccRepairSource, larger.size);
  larger.newest = g_new0 (guint, larger.size);
  for (i = sources->first; i != sources->first + sources->n; i++)
    place (&larger, i, get (sources, i));
  g_free (sources->ring);
  g_free (sources->newest);
  *sources = larger;
}

static void
push (LmccRepairSources *sources, const LmccRepairSource *source)
{
  if (sources->n == sources->size)
    grow (sources);
  place (sources, sources->first + sources->n, source);
  sources->n++;
  sources->bytes += source->bytes;
}

static LmccRepairSource
pop (LmccRepairSources *sources)
{
  LmccRepairSource oldest = *get (sources, sources->first);

  sources->first++;
  sources->n--;
  sources->bytes -= oldest.bytes;

  return oldest;
}

/*
 * lmcc_repair_sources_add:
 * @sources: source packets
 * @key: of a packet
 * @packet: the packet; a reference is kept
 * @time: when it came, not before the others
 *
 * Returns: %FALSE if there is one with that key
 */
gboolean
lmcc_repair_sources_add (LmccRepairSources *sources, guint key,
    LmccPacket *packet, LmccTime time)
{
  LmccRepairSource source = { key, 0, packet, time,
    lmcc_repair_memory (packet) };

  if (lmcc_repair_sources_find (sources, key) != NULL)
    return FALSE;
  lmcc_packet_ref (packet);
  push (sources, &source);

  return TRUE;
}

/*
 * lmcc_repair_sources_find:
 * @sources: source packets
 * @key: a key
 *
 * Returns: (nullable) (transfer none): the packet with that key
 */
LmccPacket *
lmcc_repair_sources_find (const LmccRepairSources *sources, guint key)
{
  guint before = sources->n, at;

  if (sources->n == 0)
    return NULL;
  /* Counted from the oldest, so what is forgotten is beyond all. */
  at = *get_bucket (sources, key) - sources->first;
  while (at < before) {
    const LmccRepairSource *source = get (sources, sources->first + at);

    if (source->key == key)
      return source->packet;
    before = at;
    at = source->next - sources->first;
  }

  return NULL;
}

/*
 * lmcc_repair_sources_forget_oldest:
 * @sources: at least one source packet
 */
void
lmcc_repair_sources_forget_oldest (LmccRepairSources *sources)
{
  lmcc_packet_unref (pop (sources).packet);
}

/*
 * lmcc_repair_sources_expire:
 * @sources: source packets
 * @before: a time
 *
 * Forgets those that came before @before, some with each call.
 */
void
lmcc_repair_sources_expire (LmccRepairSources *sources, LmccTime before)
{
  guint n;

  for (n = 0; n < EXPIRED_AT_ONCE && sources->n > 0
       && get (sources, sources->first)->time < before;
       n++)
    lmcc_repair_sources_forget_oldest (sources);
}

/*
 * lmcc_repair_sources_drop:
 * @sources: source packets
 * @is_dropped: (scope call): whether packets of a key go
 * @user_data: for it
 * @dropped: (element-type LmccPacket): gets them, with their references
 */
void
lmcc_repair_sources_drop (LmccRepairSources *sources,
    gboolean (*is_dropped) (guint key, gpointer user_data), gpointer user_data,
    GPtrArray *dropped)
{
  guint n;

  for (n = sources->n; n > 0; n--) {
    LmccRepairSource source = pop (sources);

    if (is_dropped (source.key, user_data))
      g_ptr_array_add (dropped, source.packet);
    else
      push (sources, &source);
  }
}
