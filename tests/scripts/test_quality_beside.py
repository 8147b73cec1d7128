#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests the comparisons of levels with other encodings in tests/benchmarks/quality and tests/plots/quality.py."""
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
TESTS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / 'plots'), str(TESTS / 'benchmarks/quality_parts')]
import beside  # noqa: E402
import quality_beside  # noqa: E402


def figures(rate, psnr, **more):
    return {'rate': rate, 'psnr': psnr, 'ssim': 0.9, 'shown': 240, 'of': 240, **more}


def level(allocation, number, rate, psnr, rung, lowest=0, unseen=0):
    return figures(rate, psnr, mode='ladder', allocation=allocation, level=number, rung=rung, **{
        'sent-rate': 1400e3, 'lowest-rate': lowest, 'unseen-rate': unseen, 'control-rate': 5e3})


# Rungs of 100, 300 and 900 kbit/s, and single encodings for links of three rates.
FILM = {'frame-rate': 24,
        'single': [],
        'links': [figures(149e3, 31.5, link=150000), figures(345e3, 36, link=350000),
                  figures(1190e3, 43, link=1200000)],
        'rungs': [figures(rate, psnr, mode='ladder', rung=rung)
                  for rung, (rate, psnr) in enumerate([(105e3, 31), (310e3, 35), (930e3, 42)])],
        'rows': [level('native', 0, 125e3, 31, 0), level('native', 1, 440e3, 35, 1, 120e3),
                 level('native', 2, 1390e3, 42, 2, 120e3, 315e3), level('fallback', 0, 125e3, 31, 0),
                 level('fallback', 1, 440e3, 35, 1, 120e3), level('fallback', 2, 1060e3, 42, 2, 120e3, 21.2e3),
                 level('replicated', 0, 126e3, 31, 0), level('replicated', 1, 325e3, 35, 1),
                 level('replicated', 2, 945e3, 42, 2)]}


def column(table, name):
    lines = [[cell.strip() for cell in line.strip('|').split('|')] for line in table.splitlines()]
    return [line[lines[0].index(name)] for line in lines[2:]]


class Asking(unittest.TestCase):
    def test_ends_close_to_what_is_wanted(self):
        # An encoder whose output, with headers, exceeds the requested rate by a fifth.
        rates = {}

        def rate_of(asked):
            rates[asked] = 1.2 * asked + 6
            return rates[asked]
        asked = beside.ask_for(rate_of, 500)
        self.assertAlmostEqual(rates[asked], 500, delta=5)
        self.assertLessEqual(len(rates), 3)

    def test_stays_below_a_link_even_where_rates_do_not_grow_with_what_is_asked_for(self):
        rates = {100: 97.0, 101: 99.9, 102: 100.3, 103: 100.2}
        asked = beside.ask_for(lambda kbit: rates.get(kbit, kbit * 1.05), 100, at_most=True)
        self.assertLessEqual(rates.get(asked, asked * 1.05), 100)

    def test_ends_where_an_encoder_gives_no_more(self):
        times = []

        def rate_of(asked):
            times.append(asked)
            return min(asked, 1000)
        asked = beside.ask_for(rate_of, 3000, at_most=True)
        self.assertEqual(min(asked, 1000), 1000)
        self.assertLessEqual(len(times), 2)


class Rungs(unittest.TestCase):
    def test_the_one_shown_is_that_of_most_pictures(self):
        rungs = [{1: 'a', 2: 'b', 3: 'c'}, {1: 'A', 2: 'B', 3: 'C'}]
        self.assertEqual(beside.rung_shown({1: 'a', 2: 'B', 3: 'C'}, rungs), 1)
        self.assertIsNone(beside.rung_shown({1: 'x'}, rungs))

    def test_a_levels_rate_is_that_of_what_is_shown_of_the_lowest_and_of_others(self):
        rates = {0: 60, 1: 40, 2: 200, 3: 100, 4: 500, 5: 400}

        def rung_of(layer):
            return layer // 2
        self.assertEqual(beside.rates_of_level(range(6), rates, 5, rung_of, 2), {
            'shown-rate': 900, 'lowest-rate': 100, 'unseen-rate': 300, 'control-rate': 5})
        self.assertEqual(beside.rates_of_level(range(4), rates, 5, rung_of, 0), {
            'shown-rate': 100, 'lowest-rate': 0, 'unseen-rate': 300, 'control-rate': 5})

    def test_a_layer_without_a_rung_is_control(self):
        self.assertEqual(beside.rates_of_level([0, 2], {0: 6, 1: 100, 2: 300}, 4, {0: None, 1: 0, 2: 1}.get, 1), {
            'shown-rate': 300, 'lowest-rate': 0, 'unseen-rate': 0, 'control-rate': 10})


class Damage(unittest.TestCase):
    EXPECTED = {1: 'a', 2: 'b', 3: 'c', 4: 'd'}

    def test_is_what_is_missing_and_what_no_level_shows(self):
        right = {1: {'a'}, 2: {'b', 'B'}, 3: {'c'}, 4: {'d'}}
        self.assertEqual(beside.damage(self.EXPECTED, {1: 'a', 2: 'B', 3: 'x'}, right), {
            'expected': 4, 'missing': 1, 'broken': 1, 'other': 1})

    def test_is_not_of_pictures_that_the_level_never_shows(self):
        self.assertEqual(beside.damage(self.EXPECTED, {**self.EXPECTED, 5: 'x'}, {}), {
            'expected': 4, 'missing': 0, 'broken': 0, 'other': 0})

    def test_is_told_as_a_share_by_rows_and_repair(self):
        rows = [{'mode': 'ladder', 'allocation': 'native', 'level': 0, 'row': row, 'repair': repair, 'expected': 200,
                 'missing': missing, 'broken': 5, 'other': 1}
                for row, repair, missing in ((3, 'with', 7), (1, 'without', 15), (1, 'with', 0))]
        table = quality_beside.damage_table(rows)
        self.assertEqual(table.splitlines()[2], '| ladder | native | 0 | 10.0 | 0.5 | 2.5 | 0.5 | 6.0 | 0.5 |')


class Access(unittest.TestCase):
    TABLE = quality_beside.access_table(FILM, 'ladder')

    def test_each_link_has_the_highest_level_and_the_highest_rung_that_fit(self):
        self.assertEqual(column(self.TABLE, 'encoding'), [
            'level 0', 'level 0', 'level 0', 'for 0.15 Mbit/s', 'rung 0', 'its own',
            'level 0', 'level 1', 'level 0', 'for 0.15 Mbit/s', 'rung 1', 'its own',
            'level 2', 'level 2', 'level 1', 'for 0.15 Mbit/s', 'rung 2', 'its own'])

    def test_what_is_less_than_the_bound_is_told(self):
        self.assertEqual(column(self.TABLE, 'less than the bound')[-6:], ['1.0', '1.0', '8.0', '11.5', '1.0', '0.0'])

    def test_multicast_is_sent_once_and_the_rest_to_each_receiver(self):
        self.assertEqual(column(self.TABLE, 'sent for 100, Mbit/s')[-6:],
                         ['1.40', '1.40', '1.40', '0.15', '93.00', '119.00'])

    def test_a_link_that_nothing_fits_is_said_to_be_so(self):
        film = {**FILM, 'links': [figures(50e3, 27, link=50000)]}
        self.assertEqual(column(quality_beside.access_table(film, 'ladder'), 'encoding'), [
            'none fits', 'none fits', 'none fits', 'for 0.05 Mbit/s', 'none fits', 'its own'])


class Bars(unittest.TestCase):
    def rows(self, **singles):
        rows = []
        for row, (single, without) in zip(FILM['rows'][3:], singles.values()):
            more = {'single-less': figures(1, without)} if without else {}
            rows.append({**row, 'single': figures(row['rate'], single), **more})
        return quality_beside.bars_table({**FILM, 'rows': rows})

    def test_the_lowest_rung_and_those_far_above_may_show_a_decibel_less(self):
        table = self.rows(lowest=(31.9, None), middle=(36.0, 35.0), high=(43.1, 42.9))
        self.assertEqual(column(table, 'at most'), ['1.00', '1.30', '1.00'])
        self.assertEqual(column(table, 'met'), ['yes', 'yes', 'no'])

    def test_between_them_the_lowest_rungs_bits_are_allowed_for_and_little_more(self):
        table = self.rows(lowest=(32.1, None), middle=(36.5, 35.3), high=(43.0, 42.9))
        self.assertEqual(column(table, 'the lowest is worth')[1], '1.20')
        self.assertEqual(column(table, 'at most')[1], '1.50')
        self.assertEqual(column(table, 'met'), ['no', 'yes', 'yes'])
        self.assertEqual(column(self.rows(a=(31, None), b=(36.6, 35.5), c=(42, 42)), 'met'), ['yes', 'no', 'yes'])

    def test_an_encoding_alone_may_show_less_by_four_tenths_of_a_decibel_and_two_points_of_vmaf(self):
        rows = [{**row, 'vmaf': 80, 'single': figures(row['rate'], row['psnr'] + less, vmaf=80 + points)}
                for row, (less, points) in zip(FILM['rows'][6:], [(0.4, 2), (0.5, 0), (0, 2.1)])]
        table = quality_beside.bars_table({**FILM, 'rows': rows})
        self.assertEqual(column(table, 'at most'), ['0.40'] * 3)
        self.assertEqual(column(table, 'VMAF less'), ['2.0', '0.0', '2.1'])
        self.assertEqual(column(table, 'met'), ['yes', 'no', 'no'])

    def test_control_packets_are_bits_that_are_not_shown(self):
        table = self.rows(lowest=(31, None), middle=(35, 34), high=(42, 41))
        self.assertEqual(column(table, 'other encodings, %'), ['0.0', '0.0', '2.0'])
        self.assertEqual(column(table, 'control, %'), ['4.0', '1.1', '0.5'])
        self.assertEqual(column(table, 'bits shown, met'), ['no', 'yes', 'yes'])


class Latency(unittest.TestCase):
    def test_each_row_has_how_many_pictures_were_missing(self):
        rows = [{'name': 'ladder, native: glass to glass', 'samples': 300, 'median': 980.4, 'p95': 985, 'max': 990.6},
                {'name': '  pictures missing meanwhile', 'samples': 1, 'median': 2, 'p95': 2, 'max': 2},
                {'name': 'ladder, native, by SDP: to first picture', 'samples': 1, 'median': 1, 'p95': 1, 'max': 1}]
        self.assertEqual(quality_beside.latency_table(rows).splitlines()[2:],
                         ['| native | 300 | 980 | 985 | 991 | 2 |'])


if __name__ == '__main__':
    unittest.main()
