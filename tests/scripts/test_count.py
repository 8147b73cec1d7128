#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests of tests/count.py."""
import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import count  # noqa: E402


class CountProgram(unittest.TestCase):
    def test_the_checks_of_a_gstcheck_program_are_counted_one_by_one(self):
        self.assertEqual(count.count_program('OK', '100%: Checks: 12, Failures: 0, Errors: 0\n'), (12, 0, 0))

    def test_failures_and_errors_are_both_failed(self):
        self.assertEqual(count.count_program('FAIL', 'x\n50%: Checks: 4, Failures: 1, Errors: 1\n'), (2, 2, 0))

    def test_a_program_that_dies_before_its_summary_is_one_failure(self):
        self.assertEqual(count.count_program('TIMEOUT', 'no summary'), (0, 1, 0))

    def test_a_leak_found_at_exit_is_a_failure_although_all_checks_passed(self):
        self.assertEqual(count.count_program('FAIL', '100%: Checks: 3, Failures: 0, Errors: 0\n'), (3, 1, 0))

    def test_a_program_without_a_summary_is_one_test(self):
        self.assertEqual(count.count_program('OK', 'fine'), (1, 0, 0))

    def test_a_skipped_program_is_one_skipped(self):
        self.assertEqual(count.count_program('SKIP', ''), (0, 0, 1))

    def test_unittest_results_are_counted_one_by_one(self):
        output = 'Ran 5 tests in 0.1s\n\nFAILED (failures=1, errors=1, skipped=1)\n'
        self.assertEqual(count.count_program('FAIL', output), (2, 2, 1))


class SkipReasons(unittest.TestCase):
    def test_a_program_tells_why_it_was_skipped(self):
        self.assertEqual(count.skip_reasons('SKIP', 'SKIP: no tshark\n'), ['no tshark'])

    def test_a_part_of_a_program_that_passes_may_be_skipped(self):
        self.assertEqual(count.skip_reasons('OK', 'skipped: no x264enc\n100%: Checks: 1, Failures: 0, Errors: 0\n'),
                         ['no x264enc'])

    def test_unittest_tells_each(self):
        said = "test_a (__main__.A) ... skipped 'no indent'\n"
        end = 'Ran 5 tests in 0.1s\n\nOK (skipped=2)\n'
        self.assertEqual(count.skip_reasons('OK', said + end), ['no indent', None])

    def test_without_a_reason_there_is_none(self):
        self.assertEqual(count.skip_reasons('SKIP', ''), [None])
        self.assertEqual(count.skip_reasons('OK', ''), [])


class FailureCauses(unittest.TestCase):
    def test_a_failed_check_is_told_however_much_follows(self):
        check = 'elements/foo.c:12:F:general:test_it:0: 3 is not 4'
        output = f'Running suite(s): foo\n50%: Checks: 2, Failures: 1, Errors: 0\n{check}\n' + 'noise\n' * 500
        self.assertEqual(count.failure_causes('FAIL', output), [check])

    def test_a_sanitizer_is_told_with_its_stack(self):
        output = 'a\n==7==ERROR: LeakSanitizer: detected memory leaks\n' + ''.join(f'  #{i} f{i}\n' for i in range(60))
        causes = count.failure_causes('FAIL', output)
        self.assertEqual(causes[0], '==7==ERROR: LeakSanitizer: detected memory leaks')
        self.assertEqual(causes[1:4], ['  #0 f0', '  #1 f1', '  #2 f2'])
        self.assertLess(len(causes), 40)

    def test_what_died_without_a_word_is_told_by_its_last_lines(self):
        self.assertEqual(count.failure_causes('TIMEOUT', '1\n2\n3\n4\n5\n6\n'), ['2', '3', '4', '5', '6'])

    def test_what_passed_has_none(self):
        self.assertEqual(count.failure_causes('OK', 'foo.c:1:F:as a text\n'), [])


class CountLog(unittest.TestCase):
    def test_programs_are_summed(self):
        lines = [json.dumps({'result': 'OK', 'stdout': '100%: Checks: 2, Failures: 0, Errors: 0'}),
                 json.dumps({'result': 'SKIP'})]
        self.assertEqual(count.count_log(lines, 0), [2, 0, 1])

    def test_a_bad_exit_status_is_a_failure_even_if_every_program_passed(self):
        self.assertEqual(count.count_log([json.dumps({'result': 'OK', 'stdout': ''})], 1), [1, 1, 0])


if __name__ == '__main__':
    unittest.main()
