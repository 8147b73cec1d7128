#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs every command line of README.md or another page as it is written there.

A block that starts with ```sh runs as one script, which must succeed. If the comment <!-- together SECONDS --> is in
front of it, its commands run at the same time for SECONDS, and none may fail. Inline code runs if it starts with one of
PROGRAMS.
"""
import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

BLOCK = re.compile(r'(?:<!-- together (\d+) -->\n)?```sh\n(.*?)```', re.DOTALL)
INLINE = re.compile(r'`([^`\n]+)`')
PROGRAMS = ('./', 'gst-inspect-1.0 ', 'gst-launch-1.0 ', 'ip ', 'ss ', 'sysctl ', 'cat /')

SCRIPT_TIMEOUT = 900
INLINE_TIMEOUT = 60

# Exit statuses of an interrupted command: success, or the signal.
INTERRUPTED = (0, -signal.SIGINT, 128 + signal.SIGINT)

TRACEBACK = 'Traceback (most recent call last)'


def split_commands(script):
    """The commands of a block. A line that ends with a backslash is joined with the next."""
    lines = script.replace('\\\n', ' ').split('\n')
    return [line.strip() for line in lines if line.strip() and not line.startswith('#')]


def find_steps(text):
    """Returns a list of (seconds or None, [command, ...] or [script]) in the order of the page."""
    steps = []
    for match in BLOCK.finditer(text):
        seconds, script = match.groups()
        steps.append((match.start(), int(seconds) if seconds else None,
                      split_commands(script) if seconds else [script]))
    prose = re.sub(r'^```.*?^```', lambda match: ' ' * len(match.group()), text, flags=re.DOTALL | re.MULTILINE)
    for match in INLINE.finditer(prose):
        if match.group(1).startswith(PROGRAMS) and ' ' in match.group(1):
            steps.append((match.start(), None, [match.group(1)]))
    return [(seconds, commands) for _, seconds, commands in sorted(steps)]


def start(script, *options):
    return subprocess.Popen(['bash', *options, '-c', script], cwd=ROOT, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace',
                            start_new_session=True)


def run_script(script):
    limit = SCRIPT_TIMEOUT if '\n' in script else INLINE_TIMEOUT
    child = start(script, '-euo', 'pipefail')
    try:
        output = child.communicate(timeout=limit)[0]
        fault = f'exit status {child.returncode}' if child.returncode else None
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        output = child.communicate()[0]
        fault = f'did not end within {limit} s'
    print(output)
    return fault or ('printed a traceback' if TRACEBACK in output else None)


def failed_by_stopping(status, output):
    """Whether gst-launch-1.0 ended with status 1 only because openjpegdec reports the flush at its stop as an error."""
    errors = re.findall(r'^ERROR.*', output, re.MULTILINE)
    return status == 1 and len(errors) == 1 and 'streaming stopped, reason error (-5)' in output


def run_together(commands, seconds):
    """Runs commands at the same time. When the time is over, each must still run or have succeeded."""
    children = [start(command) for command in commands]
    time.sleep(seconds)
    faults = []
    for command, child in zip(commands, children):
        status = child.poll()
        if status not in (None, 0):
            faults.append(f'{command}: ended with status {status}')
    running = [child for child in children if child.poll() is None]
    for child in running:
        os.killpg(child.pid, signal.SIGINT)
    for command, child in zip(commands, children):
        try:
            output = child.communicate(timeout=15)[0]
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            output = child.communicate()[0]
            faults.append(f'{command}: did not end when interrupted')
        print(output)
        before, _, after = output.partition('handling interrupt.')
        if child in running and child.returncode not in INTERRUPTED and not failed_by_stopping(child.returncode, after):
            faults.append(f'{command}: ended with status {child.returncode} when interrupted')
        if TRACEBACK in output:
            faults.append(f'{command}: printed a traceback')
        if re.search(r'^ERROR', before, re.MULTILINE):
            faults.append(f'{command}: printed an error')
    return '; '.join(faults) or None


def announce(seconds, commands):
    """Prints the commands of a step that is about to run."""
    together = f'together for {seconds} s: ' if seconds else ''
    print(f"== {together}{' & '.join(command.strip() for command in commands)}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('file', nargs='?', type=Path, default=ROOT / 'README.md')
    parser.add_argument('--list', action='store_true', help='only print the commands')
    parser.add_argument('--ran', action='append', default=[], metavar='COMMAND',
                        help='skip this command, which has already run as it is written')
    arguments = parser.parse_args()

    failed = 0
    steps = [(seconds, commands) for seconds, commands in find_steps(arguments.file.read_text(encoding='utf-8'))
             if not {command.strip() for command in commands} <= set(arguments.ran)]
    for seconds, commands in steps:
        announce(seconds, commands)
        if arguments.list:
            continue
        program = commands[0].split()[0]
        if not program.startswith('./') and not shutil.which(program):
            fault = f'{program} is not installed'
        else:
            fault = run_together(commands, seconds) if seconds else run_script(commands[0])
        if fault:
            failed += 1
            print(f'FAILED: {fault}', flush=True)
    print(f'{len(steps) - failed} passed, {failed} failed, 0 skipped')
    return 1 if failed or not steps else 0


if __name__ == '__main__':
    sys.exit(main())
