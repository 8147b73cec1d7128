# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The queue before a link of the emulator: a rate, a limit, and what drops packets before it is full. No clock: time
is an argument, in seconds."""
import math
import random
from collections import deque


class Red:
    """Floyd and Jacobson, "Random Early Detection Gateways for Congestion Avoidance", 1993, figure 2. Lengths are
    packets, or bytes where `packet` is the size of the largest one (section 4)."""

    def __init__(self, least, most, probability=0.1, weight=0.002, gentle=False, packet=None, seed=0):
        self.least, self.most, self.probability, self.weight = least, most, probability, weight
        # Floyd, "Recommendation on using the gentle_ variant of RED", 2000: it grows on, to 1 at twice `most`.
        self.gentle = gentle
        self.packet = packet
        self.numbers = random.Random(f'red {seed}')
        self.average = 0.0
        self.count = -1

    def base_probability(self, average):
        """p_b of the paper; 1 where every packet is dropped."""
        if average < self.least:
            return 0.0
        if average < self.most:
            return self.probability * (average - self.least) / (self.most - self.least)
        if self.gentle and average < 2 * self.most:
            return self.probability + (1 - self.probability) * (average - self.most) / self.most
        return 1.0

    def drops(self, length, size, idle=0.0):
        """Whether a packet of `size` bytes is dropped that finds so much in the queue, which was empty for as long as
        `idle` packets take to be sent."""
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
            # Figure 2 sets 0 and adds 1 before the next packet; then no distance is the longest that section 7 has.
            self.count = -1
        return dropped


class LinkQueue:
    """Packets that leave at `rate` bit/s, and at `peak` bit/s (None: at once) while a bucket of `burst` bytes is not
    empty, which fills at `rate`. Of what has not left yet, the one that is being sent too, `limit` packets or bytes
    have room; `red` may drop some before."""

    def __init__(self, rate, limit, unit='packets', red=None, burst=0, peak=None):
        if unit not in ('packets', 'bytes'):
            raise ValueError(f'a queue in {unit}')
        if peak is not None and peak < rate:
            raise ValueError(f'a peak of {peak} bit/s, less than {rate}')
        self.rate, self.limit, self.in_bytes, self.red = rate, limit, unit == 'bytes', red
        self.burst, self.peak = burst, peak or math.inf
        self.leaving = deque()
        self.bytes = 0
        self.free = 0.0
        # What is in the bucket when the link is free.
        self.tokens = burst
        self.overflowed = 0
        self.dropped = 0

    def length(self):
        return self.bytes if self.in_bytes else len(self.leaving)

    def enter(self, now, size):
        """When a packet of `size` bytes that comes now has left; None where it is dropped."""
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
        """When a packet has left whose first bit does at that time. The bucket gives what is in it then, and what flows
        in until the last bit."""
        tokens = min(self.burst, self.tokens + (begins - self.free) * self.rate / 8)
        takes = max(size * 8 / self.peak, (size - tokens) * 8 / self.rate)
        self.tokens = tokens + takes * self.rate / 8 - size
        return begins + takes
