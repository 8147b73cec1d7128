#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks the library's exported symbols: they must equal those in debian/libgstlmcc-1.0-0.symbols, from which the
dependencies of other programs are made, and those in the installed headers, and every function must be
documented. There may be at most MOST of them.

Usage: symbols.py LIBRARY [--update]

--update rewrites the file with the exported symbols; new symbols get the version of debian/changelog.
"""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SYMBOLS = ROOT / 'debian/libgstlmcc-1.0-0.symbols'
MOST = 150
LIBRARY = ROOT / 'gst/lmcc'
DECLARED = re.compile(r'^LMCC_API .*?(\w+)\s*\(', re.MULTILINE | re.DOTALL)
DOCUMENTED = re.compile(r'^/\*\*\n \* (\w+):', re.MULTILINE)
LINE = re.compile(r'^ (\w+)@Base (\S+)$', re.MULTILINE)


def exported(library):
    listing = subprocess.run(['nm', '-D', '--defined-only', '--format=posix', library], capture_output=True, text=True,
                             check=True).stdout
    return {line.split()[0] for line in listing.splitlines()}


def update(text, symbols):
    head = LINE.split(text)[0].rstrip('\n')
    known = dict(LINE.findall(text))
    version = re.search(r'\((.*?)\)', (ROOT / 'debian/changelog').read_text(encoding='utf-8'))[1]
    lines = [f' {symbol}@Base {known.get(symbol, version)}' for symbol in sorted(symbols)]
    SYMBOLS.write_text('\n'.join([head, *lines, '']), encoding='utf-8')


def read(paths):
    return ''.join(path.read_text(encoding='utf-8') for path in paths)


def interface_faults(symbols):
    """Exported symbols that no installed header declares or that have no documentation."""
    declared = set(DECLARED.findall(read(LIBRARY.glob('lmcc*.h'))))
    documented = set(DOCUMENTED.findall(read(LIBRARY.rglob('*.c'))))
    faults = [f'{symbol}: exported, but not in an installed header' for symbol in sorted(symbols - declared)]
    faults += [f'{symbol}: in an installed header, but not exported' for symbol in sorted(declared - symbols)]
    faults += [f'{symbol}: exported, but not documented' for symbol in sorted(symbols - documented)]
    if len(symbols) > MOST:
        faults.append(f'{len(symbols)} functions are exported; the limit is {MOST}')
    return faults


def main():
    library = sys.argv[1]
    symbols = exported(library)
    text = SYMBOLS.read_text(encoding='utf-8')
    if sys.argv[2:] == ['--update']:
        update(text, symbols)
        return 0
    listed = {symbol for symbol, _ in LINE.findall(text)}
    faults = [f'{symbol}: exported, but not in {SYMBOLS.relative_to(ROOT)}' for symbol in sorted(symbols - listed)]
    faults += [f'{symbol}: in {SYMBOLS.relative_to(ROOT)}, but no longer exported: programs that use it break; with a '
               'release that has been published this needs a new soversion' for symbol in sorted(listed - symbols)]
    if faults:
        faults.append(f'If this is intended: {Path(__file__).relative_to(ROOT)} {library} --update')
    faults += interface_faults(symbols)
    print('\n'.join(faults) or f'{len(symbols)} exported symbols, as listed')
    return 1 if faults or not symbols else 0


if __name__ == '__main__':
    sys.exit(main())
