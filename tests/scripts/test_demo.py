#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests of what the demonstration makes of what it saw."""
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / 'pipelines' / 'lib'))
from demo import analysis  # noqa: E402
from demo.analysis import Frame, Reference, SECOND, Sample, Step  # noqa: E402

STEP = SECOND // 25


def references(count, rungs=2):
    return [Reference(rung, i * STEP, 1000 * rung + i, 30.0 + rung) for i in range(count) for rung in range(rungs)]


def frame(index, rung, offset, crc=None):
    time = 5 * SECOND + index * STEP
    rtp = (analysis.to_ticks(index * STEP) + offset) % (1 << 32)
    return Frame(time=time, now=time, latency=0, rtp=rtp, crc=1000 * rung + index if crc is None else crc)


class Identify(unittest.TestCase):
    def test_each_picture_finds_its_rung_and_time(self):
        frames = [frame(i, i % 2, 123456) for i in range(10)]
        analysis.identify(frames, references(10))
        self.assertEqual([f.rung for f in frames], [i % 2 for i in range(10)])
        self.assertEqual([f.source_time for f in frames], [i * STEP for i in range(10)])
        self.assertEqual([f.psnr for f in frames], [30.0 + i % 2 for i in range(10)])

    def test_the_rtp_timestamp_may_wrap(self):
        frames = [frame(i, 0, (1 << 32) - 20000) for i in range(10)]
        analysis.identify(frames, references(10))
        self.assertEqual([f.rung for f in frames], [0] * 10)

    def test_a_broken_picture_is_not_identical(self):
        frames = [frame(i, 0, 7) for i in range(5)] + [frame(5, 0, 7, crc=99999)]
        analysis.identify(frames, references(10))
        self.assertEqual(frames[5].source_time, 5 * STEP)
        self.assertIsNone(frames[5].rung)

    def test_a_right_picture_at_the_wrong_time_is_not_identical(self):
        frames = [frame(i, 0, 7) for i in range(5)] + [frame(5, 0, 7, crc=3)]
        analysis.identify(frames, references(10))
        self.assertIsNone(frames[5].rung)

    def test_equal_pictures_of_a_still_scene_do_not_mislead(self):
        still = [Reference(0, i * STEP, 42 if i < 8 else i, 30.0) for i in range(12)]
        frames = [frame(i, 0, 500, crc=42 if i < 8 else i) for i in range(2, 12)]
        analysis.identify(frames, still)
        self.assertEqual([f.source_time for f in frames], [i * STEP for i in range(2, 12)])

    def test_without_any_equal_picture_nothing_is_identical(self):
        frames = [frame(i, 0, 7, crc=77777 + i) for i in range(5)]
        analysis.identify(frames, references(10))
        self.assertEqual([f.rung for f in frames], [None] * 5)


class Summary(unittest.TestCase):
    def summary(self, frames):
        analysis.identify(frames, references(20))
        levels = [{'from': -1, 'to': 0, 'now': 0}, {'from': 0, 'to': 2, 'now': SECOND}]
        return analysis.summarize(20, frames, levels, [], {'packets-received': 90, 'packets-lost': 10})

    def test_the_figures_of_a_good_run(self):
        summary = self.summary([frame(i, 1, 9) for i in range(3, 20)])
        self.assertEqual((summary['frames-sent'], summary['frames-decoded'], summary['frames-identical']), (20, 17, 17))
        self.assertEqual((summary['loss'], summary['level-changes'], summary['levels-held']), (0.1, 2, [0, 2]))
        self.assertEqual((summary['longest-gap-ms'], summary['join-to-picture-ms']), (40.0, 5120.0))
        self.assertLess(summary['step-error-max-ms'], 0.001)
        self.assertIsNone(analysis.verdict(summary))

    def test_a_step_that_is_off_shows(self):
        frames = [frame(i, 1, 9) for i in range(5)]
        frames[3].time += 3000000
        self.assertEqual(self.summary(frames)['step-error-max-ms'], 3.0)

    def test_pictures_after_their_time_are_late(self):
        frames = [frame(i, 1, 9) for i in range(10)]
        frames[2].now += 1
        self.assertEqual(self.summary(frames)['frames-late'], 1)

    def test_what_the_decoder_keeps_back_at_a_standstill_is_not_late(self):
        frames = [frame(i, 1, 9) for i in (0, 1, 2, 3, 4, 5, 15, 16)]
        frames[4].now += SECOND
        frames[5].now += SECOND
        self.assertEqual(self.summary(frames)['frames-late'], 0)
        frames[1].now += SECOND
        self.assertEqual(self.summary(frames)['frames-late'], 1)

    def test_no_picture_is_a_failure(self):
        self.assertEqual(analysis.verdict(self.summary([])), 'no picture was decoded')

    def test_one_broken_picture_is_a_failure(self):
        frames = [frame(i, 1, 9) for i in range(5)] + [frame(5, 1, 9, crc=1)]
        self.assertEqual(analysis.verdict(self.summary(frames)), '1 of 6 pictures are not the encoder\'s')


class Link(unittest.TestCase):
    RATES = [160000, 15000, 20000, 360000, 30000, 40000, 800000, 80000, 80000]

    def test_no_level_is_close_to_a_capacity(self):
        low, middle, high = analysis.choose_capacities(self.RATES)
        self.assertLess(low, middle)
        self.assertLess(middle, high)
        for level in analysis.cumulative(self.RATES):
            for capacity in (low, middle, high):
                self.assertFalse(0.9 * capacity < level < 1.15 * capacity)

    def test_the_capacities_are_those_of_the_rungs(self):
        self.assertEqual([analysis.fitting_level(self.RATES, capacity)
                          for capacity in analysis.choose_capacities(self.RATES)], [2, 5, 8])

    def test_a_session_of_one_or_two_layers_has_capacities_too(self):
        self.assertEqual(analysis.choose_capacities([1000]), [1350, 1350, 1350])
        low, middle, high = analysis.choose_capacities([1000, 2000])
        self.assertEqual((analysis.fitting_level([1000, 2000], low), middle), (0, high))

    def test_the_plan_fills_the_time(self):
        plan = analysis.plan_steps(100)
        self.assertEqual([round(time) for time, _ in plan], [0, 30, 45, 60])
        self.assertEqual([which for _, which in plan], [2, 1, 0, 2])

    def test_what_was_held_is_that_of_the_end_of_a_step(self):
        levels = [0] * 10 + [3] * 20 + [3] * 4 + [1] * 26
        samples = [Sample(i * SECOND, level, 0) for i, level in enumerate(levels)]
        steps = [Step(0, 2e6, 3), Step(30 * SECOND, 5e5, 1)]
        self.assertEqual([step['held'] for step in analysis.follow(steps, samples)], [3, 1])

    def test_what_the_receiver_does_not_tell_is_not_known(self):
        sample = Sample.of_stats(0, 1, {'bitrate': 5, 'layers': [{'rate': 100}, {'rate': 30}, {'rate': 7}]})
        self.assertEqual((sample.rate, sample.held, sample.loss, sample.calculated), (5, 130, None, None))
        self.assertIsNone(Sample.of_stats(0, 1, {'smoothed-rate': float('inf')}).calculated)

    def test_rates_leave_out_the_time_after_a_change(self):
        samples = [Sample(i * SECOND // 5, 0 if i < 20 else 1, 100 if i < 20 else 999 if i < 26 else 300)
                   for i in range(40)]
        self.assertEqual(analysis.rates_by_level(samples), {'0': 100, '1': 300})


if __name__ == '__main__':
    unittest.main()
