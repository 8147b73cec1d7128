#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests the tables of tests/plots/quality.py."""
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / 'plots'))
import quality  # noqa: E402

ENCODERS = {'layers': 'X'}


def single(rate, psnr):
    return {'codec': 'X', 'rate': rate, 'psnr': psnr, 'psnr-shown': psnr, 'ssim': 0.9, 'shown': 240, 'of': 240}


def level(number, rate, psnr, shown=240):
    return {'mode': 'layers', 'allocation': 'native', 'level': number, 'rate': rate, 'psnr': psnr,
            'psnr-shown': psnr if shown else None, 'ssim': 0.9, 'shown': shown, 'of': 240}


# 6 dB per doubling of the rate: half a doubling is 3 dB.
FILM = {'frame-rate': 24, 'single': [single(400e3, 36), single(100e3, 24), single(200e3, 30)],
        'rows': [level(0, 50e3, 20), level(1, 120e3, 21, shown=120), level(2, 200e3, 29), level(3, 282842.7, 30.4),
                 level(4, 500e3, 35)]}


def column(table, name):
    lines = [[cell.strip() for cell in line.strip('|').split('|')] for line in table.splitlines()]
    return [line[lines[0].index(name)] for line in lines[2:]]


class Levels(unittest.TestCase):
    def test_each_level_tells_how_far_it_is_below_one_layer_of_its_rate(self):
        table = quality.level_table(FILM, ENCODERS)
        self.assertEqual(column(table, 'less than one layer')[2:4], ['1.0', '2.6'])

    def test_a_rate_that_was_not_measured_of_one_layer_is_said_to_be_so(self):
        less = column(quality.level_table(FILM, ENCODERS), 'less than one layer')
        self.assertEqual((less[0], less[4]), ('- rate', '- rate'))

    def test_other_measures_have_columns_where_all_rows_have_them(self):
        def add(rows):
            return [{**row, 'vmaf': row['psnr'] + 50} for row in rows]
        film = {**FILM, 'rows': add(FILM['rows']), 'single': add(FILM['single'])}
        lines = quality.level_table(film, ENCODERS).splitlines()
        self.assertTrue(lines[0].endswith(' SSIM | VMAF | less |'))
        self.assertTrue(lines[4].endswith('| 0.900 | 79.0 | 1.0 |'), lines[4])
        film['rows'][0] = FILM['rows'][0]
        self.assertNotIn('VMAF', quality.level_table(film, ENCODERS))

    def test_a_level_that_lacks_pictures_is_not_compared(self):
        self.assertEqual(column(quality.level_table(FILM, ENCODERS), 'less than one layer')[1], '- pictures')

    def test_one_layer_is_not_compared_with_itself(self):
        self.assertEqual(column(quality.level_table(FILM, ENCODERS), 'less than one layer')[5:], ['-'] * 3)

    def test_a_mode_without_such_a_single_layer_has_no_figure(self):
        self.assertEqual(column(quality.level_table(FILM, {}), 'less than one layer')[2], '- rate')

    def test_a_level_without_any_picture_has_no_figures(self):
        film = {**FILM, 'rows': [level(0, 200e3, 5, shown=0)]}
        self.assertTrue(quality.level_table(film, ENCODERS).splitlines()[2].endswith('| - | - | - pictures | - |'))


class Cost(unittest.TestCase):
    def test_the_mean_is_that_of_the_levels_that_have_a_figure(self):
        table = quality.cost_table(FILM, ENCODERS)
        self.assertEqual([column(table, name)[0] for name in (
            'levels counted', 'mean, dB less', 'at best', 'at worst')], ['2 of 5', '1.8', '1.0', '2.6'])

    def test_the_rate_that_one_layer_needs_for_the_same_is_told_as_a_ratio(self):
        # 1 dB is a sixth of a doubling and 2.6 dB is 0.43 of one: factors 1.12 and 1.35, geometric mean 1.23.
        self.assertEqual(column(quality.cost_table(FILM, ENCODERS), 'mean, times the rate'), ['1.2'])


class Versus(unittest.TestCase):
    def test_a_level_is_put_beside_the_best_that_needs_no_more_rate(self):
        rungs = [{**level(number, rate, psnr), 'mode': 'rungs'}
                 for number, (rate, psnr) in enumerate([(150e3, 28), (250e3, 27), (400e3, 36)])]
        film = {**FILM, 'rows': FILM['rows'] + rungs}
        table = quality.versus_table(film, ['layers'], ['rungs', 'not measured'])
        self.assertEqual(column(table, 'rungs, dB'), ['-', '-', '28.0', '28.0', '36.0'])
        self.assertEqual(column(table, 'more'), ['-', '-', '-1.0', '-2.4', '+1.0'])


class Page(unittest.TestCase):
    def test_a_page_without_a_place_for_a_table_is_refused(self):
        with tempfile.NamedTemporaryFile('w', suffix='.md') as page:
            page.write('nothing\n')
            page.flush()
            with self.assertRaises(SystemExit):
                quality.write_pages([page.name], {'loss': 'x'})


if __name__ == '__main__':
    unittest.main()
