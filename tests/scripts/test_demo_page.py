#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests the data for the demonstration's web page: picture quality, reasons in plain words, and the receivers'
actions."""
import sys
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / 'pipelines' / 'lib'))
from demo import quality, reasons, table  # noqa: E402
from demo.reception import Reception  # noqa: E402

PARAMETERS = b'\0\0\0\1\x67sps\0\0\0\1\x68pps'
PICTURE = b'\0\0\0\1\x65slice\0\0\0\1\x65another'


class Checksums(unittest.TestCase):
    def test_a_picture_is_known_again_whatever_is_in_front_of_it(self):
        alone = quality.checksum(PICTURE)
        self.assertIsNotNone(alone)
        for front in (PARAMETERS, b'\0\0\0\1\x09\xf0' + PARAMETERS, b'\0\0\1\x06sei'):
            self.assertEqual(quality.checksum(front + PICTURE), alone, front)
        self.assertNotEqual(quality.checksum(PICTURE + b'x'), alone)

    def test_where_there_is_no_picture_there_is_no_checksum(self):
        for data in (b'', b'\0\0\1', b'\0\0\0\1', PARAMETERS, b'slice', b'\0\0\1\x65'[:3]):
            self.assertIsNone(quality.checksum(data), data)


class Quality(unittest.TestCase):
    def setUp(self):
        self.known = quality.Known()

    def test_pictures_that_are_coded_alike_have_no_quality(self):
        self.known.add(1, 30.0)
        self.assertEqual(self.known.find(1), 30.0)
        self.known.add(1, 40.0)
        self.assertIsNone(self.known.find(1))
        self.assertIsNone(self.known.find(2))

    def test_old_pictures_are_forgotten(self):
        for coded in range(quality.REMEMBERED + 1):
            self.known.add(coded, 30.0)
        self.assertIsNone(self.known.find(0))
        self.assertEqual(self.known.find(1), 30.0)

    def test_a_receivers_quality_is_that_of_its_latest_errors(self):
        now = mock.Mock(return_value=0.0)
        shown = quality.Shown(now)
        self.assertIsNone(shown.psnr())
        shown.add(20.0)
        now.return_value = quality.SPAN + 1
        self.assertIsNone(shown.psnr())
        for psnr in (30.0, 40.0):
            shown.add(psnr)
        # One error ten times as large as the other: the mean is 5.5 times the smaller one.
        self.assertAlmostEqual(shown.psnr(), 32.596, 2)

    def test_only_pictures_that_are_shown_count(self):
        self.known.add(1, 30.0)
        reception = Reception('receiver 1', None)
        for shown, coded in ((False, 1), (True, 2), (True, None)):
            reception.add_unit({'shown': shown, 'coded': coded}, self.known)
        self.assertIsNone(reception.shown.psnr())
        reception.add_unit({'shown': True, 'coded': 1}, self.known)
        self.assertAlmostEqual(reception.shown.psnr(), 30.0)


class Reasons(unittest.TestCase):
    def test_each_is_a_reason_of_the_library(self):
        source = ''.join(path.read_text() for path in (ROOT / 'gst' / 'lmcc').rglob('*.c'))
        for reason in reasons.PLAIN:
            self.assertIn(f'"{reason}"', source)

    def test_each_of_plumbs_has_plain_words(self):
        page = (ROOT / 'docs' / 'researchers' / 'plumb.md').read_text()
        rows = page.split('| reason | change | caused by |')[1].split('\n\n')[0].splitlines()[2:]
        self.assertGreater(len(rows), 9)
        for row in rows:
            self.assertIn(row.split('`')[1], reasons.PLAIN)

    def test_one_that_has_none_stays(self):
        self.assertEqual(reasons.plain('the sender is silent'), 'the sender is silent')

    def test_none_is_longer_than_a_line_of_a_card(self):
        for plain in reasons.PLAIN.values():
            self.assertLess(len(plain), 40, plain)


class Phases(unittest.TestCase):
    def test_who_has_not_begun_is_not_stopped(self):
        reception = Reception('receiver 1', None)
        self.assertEqual(reception.phase, 'waiting')
        self.assertEqual(table.row(reception)[-1], 'waiting')
        reception.begin(SimpleNamespace())
        self.assertEqual(reception.phase, 'joining')
        reception.told_level = 0
        self.assertEqual(reception.phase, 'receiving')
        reception.child, reception.wanted = None, False
        self.assertEqual(reception.phase, 'stopped')
        reception.begin(SimpleNamespace())
        self.assertEqual(reception.phase, 'joining')


if __name__ == '__main__':
    unittest.main()
