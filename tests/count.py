#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Counts the tests in a log of `meson test`: the checks inside a GstCheck or unittest program one by one."""
import json
import re
import sys

CHECK_SUMMARY = re.compile(r'^\d+%: Checks: (\d+), Failures: (\d+), Errors: (\d+)', re.MULTILINE)
UNITTEST_SUMMARY = re.compile(r'^Ran (\d+) tests? in', re.MULTILINE)
UNITTEST_RESULT = re.compile(r'^(?:OK|FAILED) \((.*)\)$', re.MULTILINE)


def count_program(result, output):
    """Returns (passed, failed, skipped) of one program that ended with meson's `result`."""
    if result == 'SKIP':
        return 0, 0, 1
    passed = failed = skipped = 0
    for checks, failures, errors in CHECK_SUMMARY.findall(output):
        failed += int(failures) + int(errors)
        passed += int(checks) - int(failures) - int(errors)
    for total in UNITTEST_SUMMARY.findall(output):
        passed += int(total)
    for listed in UNITTEST_RESULT.findall(output):
        counts = dict(item.split('=') for item in listed.split(', '))
        bad = int(counts.get('failures', 0)) + int(counts.get('errors', 0))
        left_out = int(counts.get('skipped', 0))
        passed, failed, skipped = passed - bad - left_out, failed + bad, skipped + left_out
    if result not in ('OK', 'EXPECTEDFAIL'):
        return passed, max(failed, 1), skipped
    if passed + failed + skipped == 0:
        return 1, 0, 0
    return passed, failed, skipped


def count_log(lines, exit_status):
    totals = [0, 0, 0]
    for line in lines:
        test = json.loads(line)
        output = (test.get('stdout') or '') + (test.get('stderr') or '')
        totals = [a + b for a, b in zip(totals, count_program(test['result'], output))]
    if exit_status != 0 and totals[1] == 0:
        totals[1] = 1
    return totals


def main():
    with open(sys.argv[1], encoding='utf-8') as log:
        passed, failed, skipped = count_log(log, int(sys.argv[2]))
    print(f'{passed} passed, {failed} failed, {skipped} skipped')


if __name__ == '__main__':
    main()
