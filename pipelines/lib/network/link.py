# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""One direction of an emulated link: decides which packets are lost and when the others leave. Has no clock: time is an
argument, in seconds."""
import heapq
import itertools
import math
import random


class Draws:
    """Random numbers from 0 to 1, a separate sequence for each flow. The number of a packet depends only on the seed
    and its position in the flow, not on time or other flows. Packets without a flow (None) share a sequence."""

    def __init__(self, seed):
        self.seed = seed
        self.numbers = {}

    def draw(self, flow):
        if flow not in self.numbers:
            self.numbers[flow] = random.Random(f'{self.seed} {(flow or b"").hex()}')
        return self.numbers[flow].random()


class Loss:
    """Drops a share of the packets of flows, `row` packets of a flow in a row. Packets without a flow are never
    dropped."""

    def __init__(self, share, seed=0, row=1):
        self.row = row
        # The packet after the end of a row may start the next row.
        self.begins = share / (share + row * (1 - share)) if share < 1 else 1
        self.draws = Draws(seed)
        self.left = {}
        self.passed = 0
        self.dropped = 0

    def takes(self, flow):
        if flow is None:
            return False
        left = self.left.get(flow, 0)
        if not left and self.draws.draw(flow) < self.begins:
            left = self.row
        taken = left > 0
        if taken:
            self.left[flow] = left - 1
            self.dropped += 1
        else:
            self.passed += 1
        return taken


class Jitter:
    """Delays packets by up to `most` seconds. With 'batches', a packet leaves at the next multiple of `most`, together
    with all packets since the last one, as behind a radio that aggregates frames or a cable modem that waits for its
    slot. With 'random', the delay is uniformly random, and packets may overtake others. With 'in-order', the delay is
    random too, but packets keep their order: if many packets arrive within `most`, nearly all wait nearly `most`."""

    KINDS = ('batches', 'in-order', 'random')

    def __init__(self, most, kind='batches', seed=0):
        if kind not in self.KINDS or most <= 0:
            raise ValueError(f'invalid jitter: {kind!r}, {most} s')
        self.most, self.kind = most, kind
        self.draws = Draws(f'jitter {seed}')
        self.last = 0.0

    def leaves(self, now, flow):
        """The departure time of a packet that arrives now."""
        if self.kind == 'batches':
            return max(now, math.ceil(now / self.most) * self.most)
        when = now + self.most * self.draws.draw(flow)
        if self.kind == 'in-order':
            when = self.last = max(self.last, when)
        return when


class Reorder:
    """Delays a share of the packets by `late` seconds, so that later packets overtake them."""

    def __init__(self, share, late, seed=0):
        self.share, self.late = share, late
        self.draws = Draws(f'reorder {seed}')
        self.delayed = 0

    def delay(self, flow):
        if self.draws.draw(flow) >= self.share:
            return 0.0
        self.delayed += 1
        return self.late


class Link:
    """A queue, loss, jitter, reordering and a delay, in this order; all but the delay are optional."""

    def __init__(self, delay=0.0, queue=None, loss=None, jitter=None, reorder=None):
        self.delay = delay
        self.queue, self.loss, self.jitter, self.reorder = queue, loss, jitter, reorder
        self.now = 0.0
        self.numbers = itertools.count()
        self.waiting = []

    def enter(self, now, size, flow, packet):
        """Takes a packet of `size` bytes that arrives at `now`. If the caller's clock steps back, packets still keep
        their order."""
        when = self.now = max(self.now, now)
        if self.queue:
            when = self.queue.enter(when, size)
        if when is None or (self.loss and self.loss.takes(flow)):
            return
        if self.jitter:
            when = self.jitter.leaves(when, flow)
        if self.reorder:
            when += self.reorder.delay(flow)
        # Packets with equal times leave in order of arrival.
        heapq.heappush(self.waiting, (when + self.delay, next(self.numbers), packet))

    def due(self):
        """The departure time of the next packet; None if there is none."""
        return self.waiting[0][0] if self.waiting else None

    def leave(self):
        """Removes and returns the next packet."""
        return heapq.heappop(self.waiting)[2]
