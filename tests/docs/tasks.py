#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Follows tasks of newcomers on the pages alone: from the README to the page that has its commands.

A task is a trail of pages, or sections PAGE#ANCHOR of pages. Each must link to the next.
The commands of the sections are then run in order as they stand; those of the README are left to tests/readme.py.
Commands that run side by side (<!-- together SECONDS -->) get a network of their own, with nothing but a loopback
interface. A task for root makes its own networks, and is run by sudo.
"""
import argparse
import os
import re
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / 'tests'), str(ROOT / 'docs/reference')]
import make  # noqa: E402
import readme  # noqa: E402
import texts  # noqa: E402

START = 'README.md'
INDEX = 'docs/README.md'

Task = namedtuple('Task', 'title trail as_root', defaults=(False,))

TASKS = {
    'two-hosts': Task('show a file to two hosts', [START, 'docs/users/send-and-play.md']),
    'player': Task('put lmccsrc into a player', [START, 'docs/users/players.md']),
    'router': Task('set up a router', [START, INDEX, 'docs/operators/network.md'], as_root=True),
    'algorithm': Task('add an algorithm', [START, INDEX, 'docs/developers/add-an-algorithm.md']),
    'figure': Task('rerun figure 2 of Legout', [START, INDEX, 'docs/reproduction/README.md#rerun-figure-2-of-legout']),
}

LINK = re.compile(r'\]\(([^)\s]+)\)')


def section(text, anchor):
    """From the heading with the anchor to the next of its rank or above; all of the text without an anchor."""
    if not anchor:
        return text
    hidden = texts.FENCE.sub(lambda match: re.sub(r'[^\n]', ' ', match.group()), text)
    found = list(texts.HEADING.finditer(hidden))
    for number, match in enumerate(found):
        if make.anchor(match.group(2), '-') == anchor:
            ends = [after.start() for after in found[number + 1:] if len(after.group(1)) <= len(match.group(1))]
            return text[match.start():min(ends, default=len(text))]
    return None


def read_place(place, root=ROOT):
    """The text of PAGE or PAGE#ANCHOR; None if there is none."""
    page, _, anchor = place.partition('#')
    path = root / page
    return section(path.read_text(encoding='utf-8'), anchor) if path.is_file() else None


def links(place, text):
    """The pages that a place's text links to."""
    folder = (Path('/') / place.partition('#')[0]).parent
    for target in LINK.findall(text):
        if '://' not in target:
            yield os.path.normpath(folder / target.partition('#')[0]).lstrip('/')


def trail_faults(trail, root=ROOT):
    """Where a reader cannot go on."""
    read = [read_place(place, root) for place in trail]
    faults = [f'there is no {place}' for place, text in zip(trail, read) if text is None]
    for here, text, target in zip(trail, read, trail[1:]):
        if text is not None and target.partition('#')[0] not in set(links(here, text)):
            faults.append(f'{here} has no link to {target.partition("#")[0]}')
    last = read[-1]
    if last is not None and not readme.BLOCK.search(last):
        faults.append(f'{trail[-1]} has no command')
    return faults


def steps_of(text):
    """Blocks only: what stands in a sentence is an explanation."""
    return readme.find_steps('\n'.join(match.group() + '\n' for match in readme.BLOCK.finditer(text)))


def status_fault(*command):
    status = subprocess.run(command, check=False).returncode
    return f'exit status {status}' if status else None


def run_isolated(seconds, commands):
    return status_fault('unshare', '--map-root-user', '--net', sys.executable, __file__, '--together', str(seconds),
                        *commands)


def run_steps(text, as_root):
    faults = []
    for seconds, commands in steps_of(text):
        readme.announce(seconds, commands)
        if not seconds:
            fault = readme.run_script(commands[0])
        elif as_root:
            fault = readme.run_together(commands, seconds)
        else:
            fault = run_isolated(seconds, commands)
        if fault:
            faults.append(fault)
            print(f'FAILED: {fault}', flush=True)
    return faults


def run_task(name):
    task = TASKS[name]
    if task.as_root and os.geteuid() != 0:
        fault = status_fault('sudo', '-n', sys.executable, __file__, name)
        return [fault] if fault else []
    faults = trail_faults(task.trail)
    for place in task.trail:
        if not faults and place not in (START, INDEX):
            faults = run_steps(read_place(place), task.as_root)
    return faults


def run_together(seconds, commands):
    """In a network of its own."""
    subprocess.run(['ip', 'link', 'set', 'lo', 'up', 'multicast', 'on'], check=True)
    subprocess.run(['ip', 'route', 'add', '224.0.0.0/4', 'dev', 'lo', 'src', '127.0.0.1'], check=True)
    fault = readme.run_together(commands, seconds)
    if fault:
        print(f'FAILED: {fault}', flush=True)
    return 1 if fault else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('task', nargs='*', choices=[[], *TASKS], help='(default: all)')
    parser.add_argument('--links', action='store_true', help='only follow the links; run nothing')
    parser.add_argument('--together', nargs='+', help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.together:
        return run_together(int(arguments.together[0]), arguments.together[1:])

    failed = 0
    names = arguments.task or list(TASKS)
    for name in names:
        print(f"=== {TASKS[name].title}: {' -> '.join(TASKS[name].trail)}", flush=True)
        faults = trail_faults(TASKS[name].trail) if arguments.links else run_task(name)
        for fault in faults:
            print(f'FAILED: {fault}', flush=True)
        failed += bool(faults)
    print(f'{len(names) - failed} passed, {failed} failed, 0 skipped')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
