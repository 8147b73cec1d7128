#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks that the library's files call each other in one direction only: without circles, and between rooms as
docs/developers/architecture.md allows.

Usage: calls.py LIBRARY

The calls are read from the object files that meson built LIBRARY from. Only direct calls count: a table of
callbacks, like that of an algorithm, is data, and lower files may call its functions.
"""
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

sys.dont_write_bytecode = True
from rooms import LIBRARY, MAY_INCLUDE

# Intended circles: the set of files, and why none of them can lie below the others.
CIRCLES = {}


def object_files(library):
    """Object files by their source's name in gst/lmcc. With ISA-L, some sources are replaced."""
    directory = Path(f'{library}.p')
    objects = {str(path.relative_to(LIBRARY)): directory / (str(path.relative_to(LIBRARY)).replace('/', '_') + '.o')
               for path in sorted(LIBRARY.rglob('*.c'))}
    return {name: path for name, path in objects.items() if path.exists()}


def symbols(path):
    """The functions that an object file defines for other files, and its undefined symbols."""
    listing = subprocess.run(['nm', '--format=posix', path], capture_output=True, text=True, check=True).stdout
    defined, wanted = set(), set()
    for line in listing.splitlines():
        name, kind = line.split()[:2]
        if kind in 'TW':
            defined.add(name)
        elif kind == 'U':
            wanted.add(name)
    return defined, wanted


def read_calls(objects):
    """Which file calls which functions of which other file: {(caller, called): functions}."""
    found = {name: symbols(path) for name, path in objects.items()}
    home = {function: name for name, (defined, _) in found.items() for function in defined}
    calls = defaultdict(set)
    for name, (_, wanted) in found.items():
        for function in wanted & home.keys():
            calls[name, home[function]].add(function)
    return calls


def find_circles(calls):
    """Sets of files that all reach each other."""
    called = defaultdict(set)
    for caller, callee in calls:
        called[caller].add(callee)
    reached = {}
    for start in list(called):
        reached[start] = set()
        left = [start]
        while left:
            new = called[left.pop()] - reached[start]
            reached[start] |= new
            left += new
    circles = {frozenset(other for other in reached[name] if name in reached.get(other, ()))
               for name in reached if name in reached[name]}
    return sorted(circles, key=sorted)


def describe(calls, caller, callee):
    functions = sorted(calls[caller, callee])
    return f'{caller} calls {callee}: {", ".join(functions[:3])}{", ..." if functions[3:] else ""}'


def main():
    calls = read_calls(object_files(sys.argv[1]))
    if not calls:
        print(f'{sys.argv[1]}.p: nm finds no calls between files: the check cannot be right')
        return 1
    faults = []
    for caller, callee in sorted(calls):
        room, other = caller.split('/')[0], callee.split('/')[0]
        if other not in {room} | MAY_INCLUDE.get(room, set()):
            faults.append(f'{room} may not call {other}: {describe(calls, caller, callee)}')
    circles = find_circles(calls)
    for circle in circles:
        if circle not in CIRCLES:
            faults.append(f'{len(circle)} files call each other in a circle: {", ".join(sorted(circle))}')
            faults += [f'    {describe(calls, *arrow)}' for arrow in sorted(calls) if set(arrow) <= circle]
    faults += [f'{", ".join(sorted(circle))}: listed in CIRCLES, but no longer a circle' for circle in CIRCLES
               if circle not in circles]
    print('\n'.join(faults) or f'{len(calls)} calls between files, circles: {len(circles)}')
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
