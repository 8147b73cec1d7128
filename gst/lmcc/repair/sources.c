/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "repair/sources.h"

#define FIRST_SIZE 256

/* Number of packets expired per call; calls are made for each packet, so
 * more expire than arrive. */
#define EXPIRED_AT_ONCE 64

/* Odd, so that equal numbers of two sources are in different buckets. */
#define SOURCE_STRIDE 40503

/*
 * lmcc_repair_memory:
 * @packet: a packet
 *
 * Returns: bytes of memory that it takes
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

/* Neighbours in a sequence are in neighbouring buckets. */
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
 * @key: key of a packet
 * @packet: the packet; a reference is taken
 * @time: its arrival time, not before those of earlier ones
 *
 * Returns: %FALSE if the key exists already
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
  /* Counted from the oldest, so that forgotten ones are out of range. */
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
 * @sources: source packets, at least one
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
 * Forgets packets that arrived before @before, some with each call.
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
 * @is_dropped: (scope call): whether to drop packets with a key
 * @user_data: user data for @is_dropped
 * @dropped: (element-type LmccPacket): gets the dropped packets, with their
 *     references
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
