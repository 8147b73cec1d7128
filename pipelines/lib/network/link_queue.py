# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The queue in front of an emulated link: a rate, a limit, and random early detection. Has no clock: time is an
argument, in seconds."""
import math
import random
from collections import deque


class Red:
    """Floyd and Jacobson, "Random Early Detection Gateways for Congestion Avoidance", 1993, figure 2. Lengths are
    in packets or, if `packet` is the maximum packet size, in bytes (section 4)."""

    def __init__(self, least, most, probability=0.1, weight=0.002, gentle=False, packet=None, seed=0):
        self.least, self.most, self.probability, self.weight = least, most, probability, weight
        # Floyd, "Recommendation on using the gentle_ variant of RED", 2000: above `most`
        # the probability grows further, to 1 at twice `most`.
        self.gentle = gentle
        self.packet = packet
        self.numbers = random.Random(f'red {seed}')
        self.average = 0.0
        self.count = -1

    def base_probability(self, average):
        """p_b of the paper; 1 if every packet is dropped."""
        if average < self.least:
            return 0.0
        if average < self.most:
            return self.probability * (average - self.least) / (self.most - self.least)
        if self.gentle and average < 2 * self.most:
            return self.probability + (1 - self.probability) * (average - self.most) / self.most
        return 1.0

    def drops(self, length, size, idle=0.0):
        """Whether to drop a packet of `size` bytes that finds the queue at `length`. The queue was empty for the time
        in which `idle` packets can be sent."""
        if length:
            self.average += self.weight * (length - self.average)
        else:
            self.average *= (1 - self.weight) ** max(idle, 1.0)
        base = self.base_probability(self.average)
        if self.packet:
            base = min(1.0, base * size / self.packet) if base < 1 else base
        if base <= 0:
            self.count = -1
            return False
        if base < 1:
            self.count += 1
            room = 1 - self.count * base
            dropped = room <= 0 or self.numbers.random() < base / room
        else:
            dropped = True
        if dropped:
            # Figure 2 sets 0 and adds 1 before the next packet; then no distance would reach the maximum of
            # section 7.
            self.count = -1
        return dropped


class LinkQueue:
    """A queue whose packets leave at `rate` bit/s, or at `peak` bit/s (None: at once) while a token bucket of `burst`
    bytes is not empty; it fills at `rate`. The queue has room for `limit` packets or bytes, including the packet that
    is being sent; `red` may drop packets before the queue is full."""

    def __init__(self, rate, limit, unit='packets', red=None, burst=0, peak=None):
        if unit not in ('packets', 'bytes'):
            raise ValueError(f'unknown unit of a queue: {unit}')
        if peak is not None and peak < rate:
            raise ValueError(f'the peak rate of {peak} bit/s is below the rate of {rate} bit/s')
        self.rate, self.limit, self.in_bytes, self.red = rate, limit, unit == 'bytes', red
        self.burst, self.peak = burst, peak or math.inf
        self.leaving = deque()
        self.bytes = 0
        self.free = 0.0
        # The bytes in the bucket when the link is free.
        self.tokens = burst
        self.overflowed = 0
        self.dropped = 0

    def length(self):
        return self.bytes if self.in_bytes else len(self.leaving)

    def enter(self, now, size):
        """The time at which a packet of `size` bytes that arrives now has left; None if it is dropped."""
        while self.leaving and self.leaving[0][0] <= now:
            self.bytes -= self.leaving.popleft()[1]
        length = self.length()
        idle = max(0.0, now - self.free) * self.rate / 8 / (self.red.packet or size) if self.red else 0.0
        if self.red and self.red.drops(length, size, idle):
            self.dropped += 1
            return None
        if length + (size if self.in_bytes else 1) > self.limit:
            self.overflowed += 1
            return None
        self.free = self.send(max(self.free, now), size)
        self.leaving.append((self.free, size))
        self.bytes += size
        return self.free

    def send(self, begins, size):
        """The time at which a packet has left if its first bit leaves at `begins`. The packet uses the bytes in the
        bucket and those that flow in until its last bit has left."""
        tokens = min(self.burst, self.tokens + (begins - self.free) * self.rate / 8)
        takes = max(size * 8 / self.peak, (size - tokens) * 8 / self.rate)
        self.tokens = tokens + takes * self.rate / 8 - size
        return begins + takes
