#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests how the demonstration evaluates its samples."""
import sys
import unittest
from itertools import accumulate
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / 'pipelines' / 'lib'))
from demo import analysis, figures  # noqa: E402
from demo.analysis import Frame, Reference, SECOND, Sample, Step  # noqa: E402
from demo.reception import Reception  # noqa: E402

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


class Pictures(unittest.TestCase):
    def summary(self, frames):
        analysis.identify(frames, references(20))
        return analysis.summarize_pictures(frames, [])

    def test_the_figures_of_a_good_run(self):
        summary = self.summary([frame(i, 1, 9) for i in range(3, 20)])
        self.assertEqual((summary['frames-decoded'], summary['frames-identical']), (17, 17))
        self.assertEqual((summary['longest-gap-ms'], summary['join-to-picture-ms']), (40.0, 5120.0))
        self.assertLess(summary['step-error-max-ms'], 0.001)

    def test_a_pause_is_of_the_receiver_a_gap_of_the_film(self):
        frames = [frame(i, 1, 9) for i in range(5)]
        for late in frames[3:]:
            late.now += SECOND
        summary = self.summary(frames)
        self.assertEqual((summary['longest-gap-ms'], summary['longest-pause-ms']), (40.0, 1040.0))

    def test_a_step_that_is_off_shows(self):
        frames = [frame(i, 1, 9) for i in range(5)]
        frames[3].time += 3000000
        self.assertEqual(self.summary(frames)['step-error-max-ms'], 3.0)

    def test_a_step_while_tcp_makes_the_path_longer_is_none(self):
        frames = [frame(i, 1, 9) for i in range(10)]
        for later in frames[5:]:
            later.time += 100 * SECOND // 1000
        analysis.identify(frames, references(20))
        self.assertEqual(max(analysis.step_errors_ms(frames)), 100.0)
        step = frames[5].time
        self.assertEqual(max(analysis.step_errors_ms(frames, [(step, step + 1)])), 0.0)
        self.assertEqual(max(analysis.step_errors_ms(frames, [(step + 1, step + SECOND)])), 100.0)

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

    def test_the_share_of_whole_pictures_counts_what_is_missing_and_what_is_broken(self):
        frames = [frame(i, 1, 9) for i in range(20) if i not in (4, 5)]
        frames[0].crc = 99999
        analysis.identify(frames, references(20))
        self.assertEqual(figures.whole_pictures(frames, references(20), 0, []), 17 / 20)
        missing = [(5 * SECOND + 4 * STEP, 5 * SECOND + 6 * STEP)]
        self.assertEqual(figures.whole_pictures(frames, references(20), 5 * SECOND + STEP, missing), 1.0)
        self.assertIsNone(figures.whole_pictures([], references(20), 0, []))


class Link(unittest.TestCase):
    RATES = list(accumulate([160000, 15000, 20000, 360000, 30000, 40000, 800000, 80000, 80000]))
    DOUBLING = [200000, 400000, 800000, 1600000]
    FACTOR_1_3 = [round(200000 * 1.3 ** i) for i in range(9)]

    def test_no_level_is_close_to_a_capacity(self):
        for rates in (self.RATES, self.DOUBLING, self.FACTOR_1_3):
            low, middle, high = analysis.choose_capacities(rates)
            self.assertLess(low, middle)
            self.assertLess(middle, high)
            for level in rates:
                for capacity in (low, middle, high):
                    self.assertFalse(0.9 * capacity < level < 1.15 * capacity)

    def test_the_capacities_are_those_of_the_rungs(self):
        self.assertEqual([figures.right_level(self.RATES, capacity)
                          for capacity in analysis.choose_capacities(self.RATES)], [2, 5, 8])

    def test_ladders_with_more_gaps_have_capacities_far_apart(self):
        self.assertEqual([figures.right_level(self.DOUBLING, capacity)
                          for capacity in analysis.choose_capacities(self.DOUBLING)], [0, 2, 3])
        self.assertEqual([figures.right_level(self.FACTOR_1_3, capacity)
                          for capacity in analysis.choose_capacities(self.FACTOR_1_3)], [2, 5, 8])

    def test_a_session_of_one_or_two_levels_has_capacities_too(self):
        self.assertEqual(analysis.choose_capacities([1000]), [1350, 1350, 1350])
        low, middle, high = analysis.choose_capacities([1000, 3000])
        self.assertEqual((figures.right_level([1000, 3000], low), middle), (0, high))

    def test_what_the_receiver_does_not_tell_is_not_known(self):
        layers = [{'announced-bitrate': rate, 'held': rate != 30} for rate in (100, 30, 7)]
        sample = Sample.of_stats(0, 1, {'bitrate': 5, 'layers': layers})
        self.assertEqual((sample.rate, sample.held, sample.loss, sample.calculated), (5, 107, None, None))
        self.assertIsNone(Sample.of_stats(0, 1, {'smoothed-bitrate': float('inf')}).calculated)
        self.assertIsNone(Sample.of_stats(0, 1, {}).rtt)
        self.assertEqual((sample.train, sample.fair, sample.turn), (None, None, None))

    def test_a_turn_is_that_of_the_upper_level(self):
        sample = Sample.of_stats(0, 1, {'trains': 'full', 'fair-bitrate': 7e5, 'turn-level': 1, 'turn-share': 0.4,
                                        'turn-left-ms': 2500})
        self.assertEqual((sample.train, sample.fair, sample.turn), ('full', 7e5, analysis.Turn(2, 0.4, 2.5)))

    def test_rates_leave_out_the_time_after_a_change(self):
        samples = [Sample(i * SECOND // 5, 0 if i < 20 else 1, 100 if i < 20 else 999 if i < 26 else 300)
                   for i in range(40)]
        self.assertEqual(analysis.rates_by_level(samples), {'0': 100, '1': 300})


class Receiver(unittest.TestCase):
    """One sample per second; the link carries level 1 of two."""
    RATES = [100, 200]
    STEPS = [Step(0, 300)]

    def samples(self, levels, lost=()):
        total = 0
        made = []
        for i, level in enumerate(levels):
            total += 10 if i in lost else 0
            made.append(Sample(i * SECOND, level, 0, received=90 * i, lost=total))
        return made

    def reception(self, levels, lost=(), tcp=(), changes=()):
        reception = Reception('receiver', None)
        reception.samples, reception.steps = self.samples(levels, lost), list(self.STEPS)
        reception.tcp_spans = [[begin * SECOND, end * SECOND] for begin, end in tcp]
        reception.levels = [{'now': when * SECOND, 'from': old, 'to': new, 'reason': ''} for when, old, new in changes]
        return figures.summarize(reception, [], self.RATES)

    def test_the_right_level_leaves_a_tenth_of_the_link(self):
        self.assertEqual([figures.right_level([100, 200], capacity) for capacity in (50, 200, 222, 223)], [0, 0, 0, 1])

    def test_the_time_before_the_right_level_is_not_measured(self):
        summary = self.reception([-1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1])
        self.assertEqual((summary['settled-s'], summary['measured-s'], summary['share-right']), (3.0, 10.0, 0.9))
        self.assertEqual((summary['level'], summary['level-right']), (1, 1))

    def test_a_receiver_that_never_settles_is_measured_all_the_same(self):
        summary = self.reception([0] * 61)
        self.assertEqual((summary['settled-s'], summary['share-right']), (30.0, 0.0))

    def test_the_level_follows_the_link(self):
        steps = [Step(0, 300), Step(5 * SECOND, 150)]
        share, _ = figures.share_right(self.samples([1] * 5 + [0] * 6), steps, self.RATES, 0, [])
        self.assertEqual(share, 1.0)

    def test_times_with_tcp_last_until_the_right_level_is_held_again(self):
        summary = self.reception([1] * 5 + [0] * 9 + [1] * 7, lost=(6, 7), tcp=[(4, 10)])
        self.assertEqual((summary['share-right'], summary['loss-outside-joins']), (1.0, 0.0))
        tcp = summary['tcp'][0]
        self.assertEqual((tcp['from-s'], tcp['until-s'], tcp['level'], tcp['back-after-s']), (4.0, 10.0, 0, 4.0))
        self.assertIsNone(self.reception([1] * 5 + [0] * 9, tcp=[(4, 10)])['tcp'][0]['back-after-s'])

    def test_only_a_join_that_is_taken_back_soon_excuses_losses(self):
        changes = [(0, -1, 1), (5, 1, 2), (6, 2, 1)]
        lost = self.reception([1] * 20, lost=(6,), changes=changes)
        self.assertEqual((lost['join-experiments'], lost['loss-outside-joins']), (1, 0.0))
        self.assertGreater(figures.losses(self.samples([1] * 20, (6,)), 0, []), 0)
        other = self.reception([1] * 20, lost=(15,), changes=changes)
        self.assertGreater(other['loss-outside-joins'], 0)
        slow = [(0, -1, 1), (5, 1, 2), (16, 2, 1)]
        self.assertEqual(self.reception([1] * 20, changes=slow)['join-experiments'], 0)

    def test_no_picture_and_a_broken_one_are_failures(self):
        summary = self.reception([1] * 5)
        self.assertEqual(figures.verdict({'receivers': [summary]}), 'receiver: no picture was decoded')
        broken = {**summary, 'frames-decoded': 6, 'frames-not-identical': 1}
        self.assertEqual(figures.verdict({'receivers': [broken]}),
                         "receiver: 1 of 6 pictures differ from the encoder's output")
        self.assertIsNone(figures.verdict({'receivers': [{**summary, 'frames-decoded': 6}]}))


if __name__ == '__main__':
    unittest.main()
