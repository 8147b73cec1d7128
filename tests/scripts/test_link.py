#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests pipelines/lib/network/link.py in virtual time: which packets a link loses, and when it delivers the others."""
import math
import random
import statistics
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path[0] = str(ROOT / 'pipelines' / 'lib' / 'network')
from link import Jitter, Link, Loss, Reorder  # noqa: E402
from link_queue import LinkQueue  # noqa: E402
sys.path.append(str(ROOT / 'tests' / 'testbed'))
import traffic  # noqa: E402

PACKETS = 20000
SIZE = 1000

# Seconds between packets, of jitter, and of the delay of late packets, for 50 Mbit/s in packets of 1200 bytes.
SPACING, JITTER, LATE = 0.0002, 0.01, 0.005

FLOW, OTHER = b'flow', b'other'

# Tolerance in standard deviations. The seeds are fixed, so a test that passes once always passes.
CHANCE = 4


def carry(link, count=PACKETS, spacing=SPACING, flow=FLOW):
    """[(packet number, departure time)] of evenly spaced packets, in the order of departure."""
    for number in range(count):
        link.enter(number * spacing, SIZE, flow, number)
    return empty(link)


def empty(link):
    left = []
    while (due := link.due()) is not None:
        left.append((link.leave(), due))
    return left


def waits(left, spacing=SPACING):
    return [when - number * spacing for number, when in left]


def late(link, count=PACKETS):
    """Numbers of the packets that a link with Reorder delays."""
    return {number for number, when in carry(link, count) if when - number * SPACING > LATE / 2}


class WithJitter(unittest.TestCase):
    def check_uniform(self, found):
        """Delays uniform from 0 to JITTER: checks the mean, the extremes, and the distance from the distribution
        function (Kolmogorov's test)."""
        self.assertGreaterEqual(min(found), -1e-9)
        self.assertLessEqual(max(found), JITTER + 1e-9)
        self.assertAlmostEqual(statistics.mean(found), JITTER / 2,
                               delta=CHANCE * JITTER / math.sqrt(12 * len(found)))
        distance = max(abs(wait / JITTER - rank / len(found)) for rank, wait in enumerate(sorted(found)))
        # One sample in a thousand exceeds this value.
        self.assertLess(distance, 1.95 / math.sqrt(len(found)))

    def test_in_batches_leaves_together_and_as_it_came(self):
        # Not a divisor of the interval, so that all phases occur.
        spacing = SPACING * math.sqrt(2) / 1.4
        left = carry(Link(jitter=Jitter(JITTER)), spacing=spacing)
        self.assertEqual([number for number, _ in left], list(range(PACKETS)))
        self.check_uniform(waits(left, spacing))
        times = sorted({when for _, when in left})
        # The first packet arrives at the end of an interval.
        self.assertEqual(len(times), 1 + math.ceil((PACKETS - 1) * spacing / JITTER))
        self.assertTrue(all(abs(when / JITTER - round(when / JITTER)) < 1e-9 for when in times))

    def test_at_random_is_uniform_and_overtakes(self):
        left = carry(Link(jitter=Jitter(JITTER, 'random')))
        self.check_uniform(waits(left))
        # A packet that waits for x is overtaken by the k-th packet after it with probability (x - k SPACING)/JITTER.
        steps = 1000
        kept = statistics.mean(
            math.prod(1 - max(0.0, (step + 0.5) / steps - after * SPACING / JITTER) for after in range(1, 51))
            for step in range(steps))
        self.assertAlmostEqual(traffic.reordered([number for number, _ in left]) / PACKETS, 1 - kept,
                               delta=CHANCE * math.sqrt(kept * (1 - kept) / PACKETS))

    def test_at_random_in_order_waits_for_those_before(self):
        for spacing in (SPACING, 0.003, 0.02):
            left = carry(Link(jitter=Jitter(JITTER, 'in-order')), spacing=spacing)
            self.assertEqual([number for number, _ in left], list(range(PACKETS)))
            found = sorted(waits(left, spacing))
            # A packet leaves within x if its own delay is at most x and that of the k-th packet before it at most x + k
            # spacing. Each wait depends on the delays of `before` packets.
            before = math.ceil(JITTER / spacing)
            for wait in (0.2 * JITTER, 0.5 * JITTER, 0.8 * JITTER, 0.95 * JITTER):
                expected = math.prod(min(1.0, (wait + k * spacing) / JITTER) for k in range(before + 1))
                share = sum(one <= wait for one in found) / PACKETS
                self.assertAlmostEqual(share, expected, msg=(spacing, wait), delta=CHANCE * math.sqrt(
                    expected * (1 - expected) * before / PACKETS) + 1 / PACKETS)

    def test_is_of_a_known_kind(self):
        for most, kind in ((JITTER, 'wild'), (0.0, 'random')):
            with self.assertRaises(ValueError):
                Jitter(most, kind)


class WithLatePackets(unittest.TestCase):
    SHARE = 0.03

    def link(self, seed=0):
        return Link(reorder=Reorder(self.SHARE, LATE, seed))

    def test_delays_its_share_and_nothing_else(self):
        link = self.link()
        left = carry(link)
        delayed = [number for number, when in left if abs(when - number * SPACING - LATE) < 1e-9]
        self.assertEqual(sum(abs(when - number * SPACING) < 1e-9 for number, when in left), PACKETS - len(delayed))
        self.assertEqual(link.reorder.delayed, len(delayed))
        self.assertAlmostEqual(len(delayed) / PACKETS, self.SHARE,
                               delta=CHANCE * math.sqrt(self.SHARE * (1 - self.SHARE) / PACKETS))

    def test_lets_later_packets_overtake_the_delayed_ones_and_no_others(self):
        link = self.link()
        left = [number for number, _ in carry(link)]
        place = {number: i for i, number in enumerate(left)}
        delayed = late(self.link())
        # The number of packets that arrive while it waits; the last packets have none after them.
        others = round(LATE / SPACING)
        for number in range(PACKETS - others - 1):
            overtaking = sum(place[after] < place[number] for after in range(number + 1, number + others + 1))
            still = sum(after in delayed for after in range(number + 1, number + others))
            self.assertIn(overtaking, (others - 1 - still, others - still) if number in delayed else (0,), number)
        self.assertAlmostEqual(traffic.reordered(left), len(delayed), delta=1)

    def test_chooses_by_the_seed_and_by_what_came_of_the_flow(self):
        self.assertEqual(late(self.link(5)), late(self.link(5)))
        self.assertNotEqual(late(self.link(5)), late(self.link(6)))
        mixed = self.link(5)
        for number in range(PACKETS):
            mixed.enter(number * SPACING, SIZE, FLOW, number)
            for _ in range(number % 3):
                mixed.enter(number * SPACING, SIZE, OTHER, None)
        self.assertEqual({number for number, when in empty(mixed) if number is not None
                          and when - number * SPACING > LATE / 2}, late(self.link(5)))


class Whole(unittest.TestCase):
    """A link with all parts."""

    def test_delays_and_keeps_the_order_of_what_leaves_at_once(self):
        link = Link(0.03)
        for number in range(5):
            link.enter(1.0, SIZE, FLOW, number)
        self.assertEqual(empty(link), [(number, 1.03) for number in range(5)])
        self.assertIsNone(link.due())

    def test_reorders_nothing_where_the_clock_steps_back(self):
        link = Link(0.03)
        for number, now in enumerate((1.0, 0.9, 1.1, 1.05)):
            link.enter(now, SIZE, FLOW, number)
        self.assertEqual([number for number, _ in empty(link)], [0, 1, 2, 3])

    def test_loses_of_flows_alone_and_by_their_own_numbers(self):
        share = 0.1
        numbers = random.Random(f'7 {FLOW.hex()}')
        kept = [number for number in range(PACKETS) if numbers.random() >= share]
        link = Link(loss=Loss(share, 7))
        self.assertEqual([number for number, _ in carry(link)], kept)
        self.assertEqual((link.loss.passed, link.loss.dropped), (len(kept), PACKETS - len(kept)))
        self.assertEqual(len(carry(Link(loss=Loss(share, 7)), flow=None)), PACKETS)

    def test_loses_the_same_share_in_rows(self):
        share, row = 0.1, 3
        kept = [number for number, _ in carry(Link(loss=Loss(share, 7, row)))]
        gaps = [later - earlier - 1 for earlier, later in zip(kept, kept[1:]) if later - earlier > 1]
        self.assertEqual({gap % row for gap in gaps}, {0})
        self.assertAlmostEqual(1 - len(kept) / PACKETS, share, delta=0.02)

    def test_drops_what_its_queue_has_no_room_for_and_nothing_else(self):
        # 4 of 5 packets fit: the transmission of a packet takes a quarter longer than the interval between packets.
        for kind in Jitter.KINDS:
            queue = LinkQueue(SIZE * 8 / SPACING * 0.8, 50)
            link = Link(0.02, queue, Loss(0.0), Jitter(JITTER, kind), Reorder(0.02, LATE))
            left = carry(link)
            self.assertEqual(len(left) + queue.overflowed, PACKETS)
            self.assertEqual(len(set(left)), len(left))
            self.assertAlmostEqual(queue.overflowed, 0.2 * PACKETS, delta=51)
            least, most = 0.02, 0.02 + 50 * SPACING / 0.8 + JITTER + LATE
            self.assertTrue(all(least <= wait <= most + 1e-9 for wait in waits(left)), kind)

    def test_is_the_same_for_the_same_seed(self):
        def left(seed):
            return carry(Link(loss=Loss(0.1, seed), jitter=Jitter(JITTER, 'random', seed),
                              reorder=Reorder(0.1, LATE, seed)), 1000)
        self.assertEqual(left(3), left(3))
        self.assertNotEqual(left(3), left(4))


if __name__ == '__main__':
    unittest.main()
