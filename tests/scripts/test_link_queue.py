#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests pipelines/lib/network/link_queue.py in virtual time: queue limits, departure times, and the packets that RED
drops."""
import random
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[0] = str(Path(__file__).resolve().parents[2] / 'pipelines' / 'lib' / 'network')
from link_queue import LinkQueue, Red  # noqa: E402

PACKETS = 100000
SIZE = 1000


class DropTail(unittest.TestCase):
    def test_packets_leave_one_after_the_other_at_the_rate(self):
        queue = LinkQueue(8000000, 10)
        self.assertEqual([round(queue.enter(0.0, SIZE), 9) for _ in range(3)], [0.001, 0.002, 0.003])
        self.assertAlmostEqual(queue.enter(0.5, SIZE / 2), 0.5005)

    def test_counts_packets_of_any_size(self):
        queue = LinkQueue(8000000, 5)
        left = [queue.enter(0.0, size) for size in (100, 1500, 100, 1500, 100, 40, 1500)]
        self.assertEqual([when is None for when in left], 5 * [False] + 2 * [True])
        self.assertEqual(queue.overflowed, 2)

    def test_counts_bytes(self):
        queue = LinkQueue(8000000, 2000, 'bytes')
        left = [queue.enter(0.0, size) for size in (1500, 600, 500, 1)]
        self.assertEqual([when is None for when in left], [False, True, False, True])

    def test_what_has_left_makes_room(self):
        queue = LinkQueue(8000000, 2)
        self.assertIsNotNone(queue.enter(0.0, SIZE))
        self.assertIsNotNone(queue.enter(0.0, SIZE))
        self.assertIsNone(queue.enter(0.00099, SIZE))
        self.assertIsNotNone(queue.enter(0.001, SIZE))
        self.assertIsNone(queue.enter(0.001, SIZE))

    def test_is_counted_in_packets_or_bytes(self):
        with self.assertRaises(ValueError):
            LinkQueue(1, 1, 'pints')


class Bucket(unittest.TestCase):
    """One megabyte per second, and a bucket of three packets."""

    RATE, BURST = 8000000, 3 * SIZE

    def leaving(self, queue, now, count):
        return [round(queue.enter(now, SIZE), 9) for _ in range(count)]

    def test_lets_out_at_once_what_is_in_it(self):
        queue = LinkQueue(self.RATE, 10, burst=self.BURST)
        self.assertEqual(self.leaving(queue, 0.0, 5), [0.0, 0.0, 0.0, 0.001, 0.002])

    def test_lasts_at_the_peak_as_long_as_what_flows_in_makes_it(self):
        # 3000 bytes, filled with one million and drained by two million bytes per second: 3 ms.
        queue = LinkQueue(self.RATE, 10, burst=self.BURST, peak=2 * self.RATE)
        self.assertEqual(self.leaving(queue, 0.0, 8), [0.0005, 0.001, 0.0015, 0.002, 0.0025, 0.003, 0.004, 0.005])

    def test_is_full_again_after_a_while_and_never_more_than_full(self):
        for idle, expected in ((0.002, [0.0, 0.0, 0.001]), (0.003, [0.0, 0.0, 0.0, 0.001]),
                               (10.0, [0.0, 0.0, 0.0, 0.001])):
            queue = LinkQueue(self.RATE, 10, burst=self.BURST)
            begins = self.leaving(queue, 0.0, 5)[-1] + idle
            left = [round(when - begins, 9) for when in self.leaving(queue, begins, len(expected))]
            self.assertEqual(left, expected, idle)

    def test_gives_no_more_in_any_time_than_the_burst_and_what_flows_in(self):
        numbers = random.Random(1)
        for peak in (None, self.RATE, 3 * self.RATE):
            queue = LinkQueue(self.RATE, 1000, burst=self.BURST, peak=peak)
            now, left = 0.0, []
            for _ in range(500):
                now += numbers.choice((0, 0, 0, 0.0002, 0.004))
                size = numbers.randint(40, 1500)
                left.append((queue.enter(now, size), size))
            for first, (since, _) in enumerate(left):
                given = 0
                for when, size in left[first:]:
                    given += size
                    self.assertLessEqual(given, self.BURST + (when - since) * self.RATE / 8 + 1500 + 1e-6)

    def test_has_a_peak_that_is_no_less_than_the_rate(self):
        with self.assertRaises(ValueError):
            LinkQueue(self.RATE, 10, burst=self.BURST, peak=self.RATE / 2)


class Early(unittest.TestCase):
    """Floyd and Jacobson 1993."""

    @staticmethod
    def drop(red, length, size=SIZE):
        return [red.drops(length, size) for _ in range(PACKETS)]

    def held(self, length, **settings):
        """Returns the share of dropped packets at a constant average queue, and the distances between drops."""
        red = Red(10, 30, weight=1.0, **settings)
        dropped = [i for i, is_dropped in enumerate(self.drop(red, length)) if is_dropped]
        return len(dropped) / PACKETS, [after - before for before, after in zip(dropped, dropped[1:])]

    def test_drops_with_the_probability_of_the_formula(self):
        for length in (12, 15, 20, 25, 29):
            base = 0.1 * (length - 10) / 20
            share, distances = self.held(length)
            # Section 7: distances are uniform from 1 to 1/p_b, with a mean of 1/(2 p_b) + 1/2.
            self.assertAlmostEqual(share, 2 * base / (1 + base), delta=0.03 * base + 0.0005, msg=length)
            self.assertLessEqual(max(distances), round(1 / base) + 1)

    def test_drops_are_spread_evenly_up_to_the_longest_distance(self):
        _, distances = self.held(20)
        for upper in (5, 10, 15):
            share = sum(distance <= upper for distance in distances) / len(distances)
            self.assertAlmostEqual(share, upper / 20, delta=0.02)

    def test_drops_nothing_below_and_all_above(self):
        self.assertEqual(self.held(9)[0], 0)
        self.assertEqual(self.held(30)[0], 1)
        self.assertEqual(self.held(100)[0], 1)

    def test_is_gentle_up_to_twice_the_upper_threshold(self):
        for length, base in ((30, 0.1), (45, 0.55), (60, 1)):
            self.assertAlmostEqual(Red(10, 30, gentle=True).base_probability(length), base)
        share, _ = self.held(36, gentle=True)
        base = 0.1 + 0.9 * 6 / 30
        # If 1/p_b is not an integer, each distance has probability p_b, and the last one has the remainder.
        longest = int(1 / base) + 1
        mean = sum(distance * base for distance in range(1, longest)) + longest * (1 - base * (longest - 1))
        self.assertAlmostEqual(share, 1 / mean, delta=0.02)

    def test_drops_small_packets_less_where_bytes_are_counted(self):
        share = {size: sum(self.drop(Red(10000, 30000, weight=1.0, packet=1000), 20000, size)) / PACKETS
                 for size in (1000, 250)}
        self.assertAlmostEqual(share[1000], 2 * 0.05 / 1.05, delta=0.003)
        self.assertAlmostEqual(share[250], 2 * 0.0125 / 1.0125, delta=0.003)

    def test_follows_the_mean_not_the_length(self):
        red = Red(10, 30, weight=0.002)
        for _ in range(500):
            red.drops(20, SIZE)
        self.assertAlmostEqual(red.average, 20 * (1 - 0.998 ** 500))

    def test_forgets_while_the_link_is_idle(self):
        # Section 4: as if this number of packets had arrived at an empty queue.
        queue = LinkQueue(8000000, 100, red=Red(50, 60, weight=0.01))
        for _ in range(40):
            queue.enter(0.0, SIZE)
        before = queue.red.average
        queue.enter(0.04 + 0.1, SIZE)
        self.assertAlmostEqual(queue.red.average, before * 0.99 ** 100)

    def test_is_the_same_for_the_same_seed(self):
        self.assertEqual(self.drop(Red(10, 30, seed=5), 20), self.drop(Red(10, 30, seed=5), 20))
        self.assertNotEqual(self.drop(Red(10, 30, seed=5), 20), self.drop(Red(10, 30, seed=6), 20))


if __name__ == '__main__':
    unittest.main()
