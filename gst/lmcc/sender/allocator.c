/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sender/allocator.h"

#include "wire/rtp-payload.h"

#include <string.h>

void
lmcc_queued_unit_free (LmccQueuedUnit *queued)
{
  lmcc_unit_free (queued->unit);
  g_free (queued);
}

static guint
count_classes (guint16 classes)
{
  guint n = 0;

  for (; classes != 0; classes &= classes - 1)
    n++;

  return n;
}

/* Rungs with layers of their own; the other rungs share the last layer. */
static guint
count_own_rungs (const LmccAllocator *allocator)
{
  return MIN (allocator->n_rungs, allocator->max_layers);
}

static guint
find_max_layers (const LmccSession *session)
{
  LmccAddress group;
  guint n = 1;

  while (n < LMCC_MAX_LAYERS && n < LMCC_MAX_GROUPS
      && lmcc_address_group (&session->address, n, &group))
    n++;

  return n;
}

static void
set_layer (LmccAllocatorLayer *layer, guint stream, guint klass)
{
  memset (layer, 0, sizeof (*layer));
  layer->stream = stream;
  layer->klass = klass;
  g_queue_init (&layer->units);
}

static void
build_table (LmccAllocator *allocator)
{
  guint own = count_own_rungs (allocator);
  guint stream, klass;

  allocator->n_layers = 0;
  if (allocator->base_is_thin) {
    set_layer (&allocator->layers[allocator->n_layers], LMCC_STREAM_SOUND, 0);
    allocator->layers[allocator->n_layers++].mixed = TRUE;
  }
  for (stream = 0; stream < own; stream++) {
    for (klass = 0; klass < LMCC_MAX_CLASSES; klass++) {
      if (allocator->classes & 1u << klass)
        set_layer (&allocator->layers[allocator->n_layers++], stream, klass);
    }
  }

  for (stream = 0; stream < own; stream++) {
    for (klass = 0; klass < LMCC_MAX_CLASSES; klass++) {
      if (allocator->joined & 1u << klass)
        allocator->layers[lmcc_allocator_get_layer (allocator, stream, klass)]
            .mixed = TRUE;
    }
  }
}

/*
 * lmcc_allocator_init:
 * @allocator: (out): the allocator
 * @session: provides base address and number of rungs
 *
 * Starts with one layer for class 0 of each rung.
 */
void
lmcc_allocator_init (LmccAllocator *allocator, const LmccSession *session)
{
  memset (allocator, 0, sizeof (*allocator));
  allocator->n_rungs = CLAMP (session->n_rungs, 1, LMCC_MAX_RUNGS);
  allocator->max_layers = find_max_layers (session);
  allocator->classes = 1;
  allocator->packet_overhead = LMCC_RTP_HEADER_SIZE + LMCC_RTP_OVERHEAD
      + lmcc_address_get_udp_overhead (&session->address);
  build_table (allocator);
}

/*
 * lmcc_allocator_init_shaped:
 * @allocator: (out): the allocator
 * @session: provides the layers, which stay constant
 */
void
lmcc_allocator_init_shaped (LmccAllocator *allocator,
    const LmccSession *session)
{
  guint i;

  lmcc_allocator_init (allocator, session);
  allocator->n_layers = session->n_layers;
  for (i = 0; i < session->n_layers; i++) {
    set_layer (&allocator->layers[i], LMCC_STREAM_NONE, LMCC_CLASS_MIXED);
    allocator->layers[i].mixed = TRUE;
  }
}

/*
 * lmcc_allocator_join_classes:
 * @allocator: an allocator of native layers without waiting units
 *
 * Puts all classes of a rung into one layer.
 */
void
lmcc_allocator_join_classes (LmccAllocator *allocator)
{
  allocator->joined = G_MAXUINT16 & ~allocator->classes;
  build_table (allocator);
}

/*
 * lmcc_allocator_make_base_thin:
 * @allocator: an allocator of native layers without waiting units
 *
 * Makes the base layer carry no rung, only sound if there is any.
 *
 * Returns: %FALSE if there are too few groups
 */
gboolean
lmcc_allocator_make_base_thin (LmccAllocator *allocator)
{
  if (allocator->n_rungs + 1 > allocator->max_layers)
    return FALSE;
  allocator->base_is_thin = TRUE;
  build_table (allocator);

  return TRUE;
}

/*
 * lmcc_allocator_number:
 * @allocator: an allocator
 * @layer: the layer whose turn it is
 * @next_osn: (inout): the order sequence number of the next new packet
 *
 * Numbers the unit that begins, unless it was numbered when it was pushed.
 */
void
lmcc_allocator_number (LmccAllocator *allocator, guint layer, guint16 *next_osn)
{
  LmccQueuedUnit *queued = g_queue_peek_head (&allocator->layers[layer].units);

  if (queued == NULL || !queued->unnumbered)
    return;
  queued->unnumbered = FALSE;
  queued->osn = *next_osn;
  if (queued->unit->stream != LMCC_STREAM_SOUND)
    *next_osn = (guint16) (*next_osn + queued->unit->packets->len);
}

/*
 * lmcc_allocator_flush:
 * @allocator: an allocator
 *
 * Drops all waiting units.
 */
void
lmcc_allocator_flush (LmccAllocator *allocator)
{
  guint i;

  for (i = 0; i < allocator->n_layers; i++) {
    g_queue_clear_full (&allocator->layers[i].units,
        (GDestroyNotify) lmcc_queued_unit_free);
    allocator->layers[i].n_packets = 0;
  }
}

void
lmcc_allocator_clear (LmccAllocator *allocator)
{
  lmcc_allocator_flush (allocator);
}

gboolean
lmcc_allocator_knows (const LmccAllocator *allocator, guint klass)
{
  return ((allocator->classes | allocator->joined) & 1u << klass) != 0;
}

/*
 * lmcc_allocator_add_class:
 * @allocator: an allocator
 * @klass: a new class
 * @moved: (out): the new index of each old layer
 *
 * Adds a layer for @klass to every rung. If that exceeds the permitted number
 * of layers, units of @klass join the highest layer of their rung with a lower
 * class: receivers that have joined a layer then still get everything that its
 * units refer to.
 *
 * Returns: %FALSE if the class joined existing layers
 */
gboolean
lmcc_allocator_add_class (LmccAllocator *allocator, guint klass,
    guint8 moved[LMCC_MAX_LAYERS])
{
  LmccAllocatorLayer old[LMCC_MAX_LAYERS];
  guint n_old = allocator->n_layers;
  guint n_wanted = count_own_rungs (allocator)
      * count_classes (allocator->classes | 1u << klass);
  gboolean fits = n_wanted <= allocator->max_layers
      && allocator->n_rungs <= allocator->max_layers;
  guint i;

  memcpy (old, allocator->layers, sizeof (old));
  if (fits)
    allocator->classes |= 1u << klass;
  else
    allocator->joined |= 1u << klass;
  build_table (allocator);

  for (i = 0; i < n_old; i++) {
    LmccAllocatorLayer *layer;

    moved[i] =
        lmcc_allocator_get_layer (allocator, old[i].stream, old[i].klass);
    layer = &allocator->layers[moved[i]];
    layer->units = old[i].units;
    layer->n_packets = old[i].n_packets;
  }

  return fits;
}

/*
 * lmcc_allocator_get_layer:
 * @allocator: an allocator
 * @stream: a rung, or the sound
 * @klass: a class
 *
 * Returns: the layer that carries units of this stream and class
 */
guint
lmcc_allocator_get_layer (const LmccAllocator *allocator, guint stream,
    guint klass)
{
  guint found = 0, i;

  if (stream == LMCC_STREAM_SOUND)
    return 0;

  for (i = 0; i < allocator->n_layers; i++) {
    const LmccAllocatorLayer *layer = &allocator->layers[i];

    if (layer->stream < stream
        || (layer->stream == stream && layer->klass <= klass))
      found = i;
  }

  return found;
}

/*
 * lmcc_allocator_describe:
 * @allocator: an allocator
 * @session: (inout): gets the layers, without their rates, and the number of
 *     groups
 */
void
lmcc_allocator_describe (const LmccAllocator *allocator, LmccSession *session)
{
  gboolean shared = allocator->n_rungs > allocator->max_layers;
  guint i;

  session->n_layers = allocator->n_layers;
  session->n_groups = allocator->n_layers;
  for (i = 0; i < allocator->n_layers; i++) {
    const LmccAllocatorLayer *layer = &allocator->layers[i];

    session->layers[i].stream = layer->stream;
    session->layers[i].klass = layer->mixed ? LMCC_CLASS_MIXED : layer->klass;
  }
  if (shared) {
    session->layers[i - 1].stream = LMCC_STREAM_NONE;
    session->layers[i - 1].klass = LMCC_CLASS_MIXED;
  }
}

static gboolean
drop_least_important (LmccAllocatorLayer *layer, guint klass,
    guint64 n_dropped[LMCC_MAX_CLASSES])
{
  LmccQueuedUnit *dropped;
  GList *victim = NULL, *l;

  for (l = layer->units.tail; l != NULL; l = l->prev) {
    LmccQueuedUnit *queued = l->data;
    guint than =
        victim == NULL ? klass : ((LmccQueuedUnit *) victim->data)->unit->klass;

    if (queued->next == 0 && queued->unit->klass > than)
      victim = l;
  }
  if (victim == NULL)
    return FALSE;

  dropped = victim->data;
  n_dropped[dropped->unit->klass]++;
  layer->n_packets -= dropped->unit->packets->len;
  lmcc_queued_unit_free (dropped);
  g_queue_delete_link (&layer->units, victim);

  return TRUE;
}

/*
 * lmcc_allocator_make_room:
 * @allocator: an allocator
 * @layer: a layer
 * @klass: class of a unit to be pushed
 * @n_packets: its number of packets
 * @n_dropped: (inout): per class, incremented for each unit dropped
 *
 * Keeps the queue within %LMCC_ALLOCATOR_MAX_QUEUE by dropping the newest units
 * of the highest class. A unit that is being sent is never cut.
 *
 * Returns: %FALSE if the new unit must be dropped
 */
gboolean
lmcc_allocator_make_room (LmccAllocator *allocator, guint layer, guint klass,
    guint n_packets, guint64 n_dropped[LMCC_MAX_CLASSES])
{
  LmccAllocatorLayer *to = &allocator->layers[layer];

  while (to->n_packets + n_packets > LMCC_ALLOCATOR_MAX_QUEUE) {
    if (n_packets > LMCC_ALLOCATOR_MAX_QUEUE
        || !drop_least_important (to, klass, n_dropped)) {
      n_dropped[klass]++;
      return FALSE;
    }
  }

  return TRUE;
}

/*
 * lmcc_allocator_push:
 * @allocator: an allocator
 * @layer: a layer
 * @queued: (transfer full): a unit to send after everything that waits in
 *     the layer
 */
void
lmcc_allocator_push (LmccAllocator *allocator, guint layer,
    LmccQueuedUnit *queued)
{
  g_queue_push_tail (&allocator->layers[layer].units, queued);
  allocator->layers[layer].n_packets += queued->unit->packets->len;
}

static void
take_packet (LmccAllocator *allocator, LmccQueuedUnit *queued,
    LmccAllotment *allotment)
{
  const LmccUnit *unit = queued->unit;
  LmccPacket *packet =
      g_steal_pointer (&g_ptr_array_index (unit->packets, queued->next));
  gsize size;

  allotment->packet = packet;
  allotment->presentation_time = unit->presentation_time;
  allotment->stream = unit->stream;
  allotment->klass = unit->klass;
  allotment->switch_point = unit->switch_point;
  allotment->anchor = queued->anchor;
  allotment->osn = (guint16) (queued->osn + queued->next);
  allotment->first = queued->next == 0 && !queued->continued;
  queued->next++;
  allotment->last = queued->next == unit->packets->len && !queued->more;
  allotment->more = queued->more;

  size = lmcc_allocator_media_size (allocator, packet);
  queued->bytes -= MIN (queued->bytes, size);
  queued->taken += packet->size;
}

/* Whether the unit after the layer's first one belongs to the same picture,
 * as another spatial layer. */
static gboolean
picture_goes_on (const LmccAllocatorLayer *layer, const LmccUnit *unit)
{
  const GList *next = layer->units.head->next;
  const LmccUnit *after = next ? ((LmccQueuedUnit *) next->data)->unit : NULL;

  return after != NULL && after->stream == unit->stream
      && after->presentation_time == unit->presentation_time;
}

/*
 * lmcc_allocator_take:
 * @allocator: an allocator
 * @layer: the layer whose turn it is
 * @allotment: (out): its next packet
 *
 * Returns: %FALSE if nothing waits
 */
gboolean
lmcc_allocator_take (LmccAllocator *allocator, guint layer,
    LmccAllotment *allotment)
{
  LmccAllocatorLayer *from = &allocator->layers[layer];
  LmccQueuedUnit *queued = g_queue_peek_head (&from->units);

  if (queued == NULL)
    return FALSE;

  take_packet (allocator, queued, allotment);
  allotment->marker = allotment->last && !picture_goes_on (from, queued->unit);
  from->n_packets--;
  if (queued->next == queued->unit->packets->len)
    lmcc_queued_unit_free (g_queue_pop_head (&from->units));

  return TRUE;
}

/*
 * lmcc_allocator_peek_size:
 * @allocator: an allocator
 * @layer: a layer
 *
 * Returns: size in bytes of the IP packet that lmcc_allocator_take() returns
 * next; 0 if nothing waits
 */
gsize
lmcc_allocator_peek_size (const LmccAllocator *allocator, guint layer)
{
  const LmccQueuedUnit *queued =
      g_queue_peek_head ((GQueue *) &allocator->layers[layer].units);

  return queued == NULL
      ? 0
      : lmcc_allocator_media_size (allocator,
          g_ptr_array_index (queued->unit->packets, queued->next));
}

/*
 * lmcc_allocator_low_water_mark:
 * @allocator: an allocator
 * @layer: a layer
 * @next_osn: the order sequence number of the next new packet
 *
 * Returns: the smallest order sequence number that the layer may still send
 * under the current table
 */
guint16
lmcc_allocator_low_water_mark (const LmccAllocator *allocator, guint layer,
    guint16 next_osn)
{
  const GList *l;

  for (l = allocator->layers[layer].units.head; l != NULL; l = l->next) {
    const LmccQueuedUnit *queued = l->data;

    if (queued->unit->stream != LMCC_STREAM_SOUND)
      return queued->unnumbered ? next_osn
                                : (guint16) (queued->osn + queued->next);
  }

  return next_osn;
}

gboolean
lmcc_allocator_is_empty (const LmccAllocator *allocator)
{
  guint i;

  for (i = 0; i < allocator->n_layers; i++) {
    if (allocator->layers[i].n_packets > 0)
      return FALSE;
  }

  return TRUE;
}

/*
 * lmcc_allocator_packet_size:
 * @allocator: an allocator
 * @payload_size: size of an RTP payload in bytes
 *
 * Returns: size in bytes of the IP packet that carries it
 */
gsize
lmcc_allocator_packet_size (const LmccAllocator *allocator, gsize payload_size)
{
  return allocator->packet_overhead + payload_size;
}

/*
 * lmcc_allocator_media_size:
 * @allocator: an allocator
 * @packet: an RTP packet from the payloader
 *
 * Returns: size in bytes of the IP packet to be sent for it
 */
gsize
lmcc_allocator_media_size (const LmccAllocator *allocator, LmccPacket *packet)
{
  gsize payload_size;

  lmcc_rtp_find_payload (packet, &payload_size);

  return lmcc_allocator_packet_size (allocator, payload_size);
}

/*
 * lmcc_allocator_queued_bytes:
 * @layer: a layer
 *
 * Returns: total size in bytes of the IP packets that wait in the layer
 */
gsize
lmcc_allocator_queued_bytes (const LmccAllocatorLayer *layer)
{
  gsize bytes = 0;
  const GList *l;

  for (l = layer->units.head; l != NULL; l = l->next)
    bytes += ((const LmccQueuedUnit *) l->data)->bytes;

  return bytes;
}
