#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Counts the tests in a log of `meson test`, with each check of a GstCheck or unittest program. Prints why tests were
skipped, which meson does not show, and why they failed, of which meson shows only the end.

Usage: count.py LOG EXIT-STATUS
"""
import json
import re
import sys

CHECK_SUMMARY = re.compile(r'^\d+%: Checks: (\d+), Failures: (\d+), Errors: (\d+)', re.MULTILINE)
UNITTEST_SUMMARY = re.compile(r'^Ran (\d+) tests? in', re.MULTILINE)
UNITTEST_RESULT = re.compile(r'^(?:OK|FAILED) \((.*)\)$', re.MULTILINE)

# Lines of scripts, and of unittest with verbosity=2.
SKIP = re.compile(r'^(?:SKIP|skipped): *(.*)|\.\.\. skipped [\'"](.*)[\'"]$', re.MULTILINE)

# Lines in which GstCheck, UBSan, GLib or unittest reports a failure.
FAILURE = re.compile(r'^\S+\.(?:c|cc|h):\d+:[FE]:|runtime error: |-(?:CRITICAL|ERROR) \*\*|^(?:FAIL|ERROR): ')
# The first line of a report of the other sanitizers; the stack follows.
SANITIZER = re.compile(r'ERROR: \w+Sanitizer|WARNING: ThreadSanitizer')
STACK_LINES = 30
LAST_LINES = 5


def failure_causes(result, output):
    """The lines that report why a program with meson's `result` failed; the last lines if there are none."""
    if result in ('OK', 'SKIP', 'EXPECTEDFAIL'):
        return []
    lines = output.splitlines()
    causes = [line for line in lines if FAILURE.search(line)]
    stack = next((i for i, line in enumerate(lines) if SANITIZER.search(line)), None)
    if stack is not None:
        causes += lines[stack:stack + STACK_LINES]
    return causes or lines[-LAST_LINES:]


def skip_reasons(result, output):
    """The reasons why a program with meson's `result` or parts of it were skipped; None for each without a reason."""
    reasons = [first or second for first, second in SKIP.findall(output)]
    return reasons + [None] * (count_program(result, output)[2] - len(reasons))


def count_program(result, output):
    """Returns (passed, failed, skipped) of a program with meson's `result`."""
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


def output_of(test):
    return (test.get('stdout') or '') + (test.get('stderr') or '')


def short_name(test):
    return test['name'].split(' / ')[-1]


def count_log(lines, exit_status):
    totals = [0, 0, 0]
    for line in lines:
        test = json.loads(line)
        totals = [a + b for a, b in zip(totals, count_program(test['result'], output_of(test)))]
    if exit_status != 0 and totals[1] == 0:
        totals[1] = 1
    return totals


def main():
    with open(sys.argv[1], encoding='utf-8') as file:
        log = file.readlines()
    passed, failed, skipped = count_log(log, int(sys.argv[2]))
    for test in map(json.loads, log):
        for reason in skip_reasons(test['result'], output_of(test)):
            print(f"skipped: {short_name(test)}: {reason or 'no reason given'}", file=sys.stderr)
        for cause in failure_causes(test['result'], output_of(test)):
            print(f'failed: {short_name(test)}: {cause}', file=sys.stderr)
    print(f'{passed} passed, {failed} failed, {skipped} skipped')


if __name__ == '__main__':
    main()
