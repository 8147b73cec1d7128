# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""One direction of an emulated link: what is lost on it, and when the rest leaves. No clock: time is an argument, in
seconds."""
import heapq
import itertools
import math
import random


class Draws:
    """Random numbers from 0 to 1, for each flow its own: what a packet gets depends on the seed and on how many of its
    flow came before, not on time and not on other flows. All that is in no flow, None, is one."""

    def __init__(self, seed):
        self.seed = seed
        self.numbers = {}

    def draw(self, flow):
        if flow not in self.numbers:
            self.numbers[flow] = random.Random(f'{self.seed} {(flow or b"").hex()}')
        return self.numbers[flow].random()


class Loss:
    """Loses a share of the packets of flows, `row` packets of a flow in a row, and none that is in no flow."""

    def __init__(self, share, seed=0, row=1):
        self.row = row
        # A row ends with the packet before the one that may begin the next row.
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
    """What a packet waits beside all else, up to `most` seconds. With 'batches' it leaves at the next whole multiple of
    `most`, together with all that came since the last one, as behind a radio that collects frames, or a cable modem
    that waits for its turn. With 'random' it draws what it waits, uniformly, and overtakes others; with 'in-order' it
    draws likewise, but waits for those before it too: where many come within `most`, nearly all wait nearly as
    long."""

    KINDS = ('batches', 'in-order', 'random')

    def __init__(self, most, kind='batches', seed=0):
        if kind not in self.KINDS or most <= 0:
            raise ValueError(f'a jitter of {most} s, {kind}')
        self.most, self.kind = most, kind
        self.draws = Draws(f'jitter {seed}')
        self.last = 0.0

    def leaves(self, now, flow):
        """When a packet leaves that comes now."""
        if self.kind == 'batches':
            return max(now, math.ceil(now / self.most) * self.most)
        when = now + self.most * self.draws.draw(flow)
        if self.kind == 'in-order':
            when = self.last = max(self.last, when)
        return when


class Reorder:
    """A share of the packets is `late` seconds late, and later ones overtake them."""

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
    """A queue, loss, jitter, late packets, a delay, in this order; each but the delay may be missing."""

    def __init__(self, delay=0.0, queue=None, loss=None, jitter=None, reorder=None):
        self.delay = delay
        self.queue, self.loss, self.jitter, self.reorder = queue, loss, jitter, reorder
        self.now = 0.0
        self.numbers = itertools.count()
        self.waiting = []

    def enter(self, now, size, flow, packet):
        """Takes a packet of `size` bytes that comes now. None comes before the one that came last: a clock that steps
        back, of those who measure it, reorders nothing."""
        when = self.now = max(self.now, now)
        if self.queue:
            when = self.queue.enter(when, size)
        if when is None or (self.loss and self.loss.takes(flow)):
            return
        if self.jitter:
            when = self.jitter.leaves(when, flow)
        if self.reorder:
            when += self.reorder.delay(flow)
        # Those of the same time leave as they came.
        heapq.heappush(self.waiting, (when + self.delay, next(self.numbers), packet))

    def due(self):
        """When the next packet leaves; None where nothing waits."""
        return self.waiting[0][0] if self.waiting else None

    def leave(self):
        """Takes the next packet out."""
        return heapq.heappop(self.waiting)[2]
