#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests tests/testbed/loss_runs.py: how runs of lost packets are counted, and which samples differ."""
import random
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[0] = str(Path(__file__).resolve().parents[1] / 'testbed')
import loss_runs  # noqa: E402

PACKETS = 20000
NONE = [0] * loss_runs.LENGTHS


def lose(share, seed, together=1):
    """Histogram of random losses, of single packets or of super-packets of `together` packets."""
    numbers = random.Random(seed)
    came = []
    for first in range(0, PACKETS, together):
        if numbers.random() >= share:
            came += range(first, first + together)
    return loss_runs.histogram(loss_runs.runs_of([number % 65536 for number in came]))


class Runs(unittest.TestCase):
    def test_are_what_is_missing_between_two_packets(self):
        self.assertEqual(loss_runs.runs_of([5, 6, 8, 9, 13]), [1, 3])
        self.assertEqual(loss_runs.runs_of([]), [])

    def test_go_on_after_the_last_sequence_number(self):
        self.assertEqual(loss_runs.runs_of([65533, 65534, 1, 2]), [2])

    def test_do_not_count_packets_that_came_late_or_twice(self):
        self.assertEqual(loss_runs.runs_of([1, 3, 2, 2, 4, 6]), [1])

    def test_are_counted_by_length(self):
        self.assertEqual(loss_runs.histogram([1, 1, 2, 3, 4, 5, 99]), [2, 1, 1, 3])


class Comparison(unittest.TestCase):
    def test_finds_no_difference_between_two_samples_of_one_link(self):
        for share in (0.01, 0.1):
            for seed in range(50):
                verdict = loss_runs.compare(lose(share, seed), lose(share, seed + 1000), NONE)
                self.assertTrue(verdict.same, (share, seed, verdict))

    def test_finds_super_packets_that_are_lost_whole(self):
        for share in (0.01, 0.1):
            for together in (2, 4, 8):
                verdict = loss_runs.compare(lose(share, 1), lose(share, 2, together), lose(share, 3))
                self.assertFalse(verdict.same, (share, together, verdict))

    def test_finds_one_loss_in_five_to_be_of_two_packets(self):
        self.assertFalse(loss_runs.compare([1000, 0, 0, 0], [800, 200, 0, 0], [1000, 0, 0, 0]).same)

    def test_lets_pass_what_two_runs_of_one_sender_differ_by(self):
        self.assertFalse(loss_runs.compare([1000, 0, 0, 0], [900, 100, 0, 0], [980, 20, 0, 0]).same)
        self.assertTrue(loss_runs.compare([1000, 0, 0, 0], [900, 100, 0, 0], [890, 110, 0, 0]).same)

    def test_counts_rare_lengths_together(self):
        square, freedom = loss_runs.chi_square([100, 2, 1, 0], [100, 1, 0, 2])
        self.assertEqual((square, freedom), (0.0, 0))

    def test_is_the_statistic_of_the_textbook(self):
        # Computed by hand: 25 and 75 are expected in both rows.
        square, freedom = loss_runs.chi_square([30, 70, 0, 0], [20, 80, 0, 0])
        self.assertAlmostEqual(square, 4 * 25 / 100 * (1 / 0.25 + 1 / 0.75) / 2)
        self.assertEqual(freedom, 1)

    def test_says_that_no_loss_differs_from_some(self):
        self.assertFalse(loss_runs.compare(NONE, [5, 0, 0, 0], NONE).same)
        self.assertTrue(loss_runs.compare(NONE, NONE, NONE).same)


if __name__ == '__main__':
    unittest.main()
