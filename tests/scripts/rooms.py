#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every file of the library is in a room, and includes only what docs/architecture.md lets that room include."""
import re
import sys
from pathlib import Path

LIBRARY = Path(__file__).resolve().parent.parent.parent / 'gst/lmcc'

# Beside itself and the installed headers, which are in no room and include each other only.
PARTS = {'base', 'wire', 'media', 'repair', 'measure', 'control'}
MAY_INCLUDE = {
    'base': set(),
    'wire': {'base'},
    'media': {'base', 'wire'},
    'repair': {'base', 'wire'},
    'measure': {'base', 'wire'},
    'control': {'base', 'wire', 'measure'},
    'sender': PARTS,
    'receiver': PARTS,
}
INCLUDE = re.compile(r'\s*#\s*include\s*(?:<gst/lmcc/|")([^>"]+)')
INSTALLED = re.compile(r'lmcc(-[a-z-]+)?\.h')


def main():
    files = {str(path.relative_to(LIBRARY)): path for path in sorted(LIBRARY.rglob('*.[ch]'))}
    included = set()
    faults = []
    for name, path in files.items():
        room = 'an installed header' if INSTALLED.fullmatch(name) else name.split('/')[0]
        may = MAY_INCLUDE.get(room, set())
        if room not in MAY_INCLUDE and not INSTALLED.fullmatch(name):
            faults.append(f'{name}: is in no room; rooms are {", ".join(MAY_INCLUDE)}')
        for number, line in enumerate(path.read_text(encoding='utf-8').splitlines(), 1):
            found = INCLUDE.match(line)
            if not found or found[1] == 'config.h':
                continue
            if found[1] not in files:
                faults.append(f'{name}:{number}: the library has no {found[1]}; files are named from gst/lmcc')
            elif not INSTALLED.fullmatch(found[1]) and found[1].split('/')[0] not in {room} | may:
                faults.append(f'{name}:{number}: {room} may include {", ".join(sorted(may)) or "no other room"}, '
                              f'not {found[1]}')
            if found[1] != name:
                included.add(found[1])
    faults += [f'{name}: is included from no room' for name in files
               if name.endswith('.h') and not INSTALLED.fullmatch(name) and name not in included]
    print('\n'.join(f'gst/lmcc/{fault}' for fault in faults) or f'{len(files)} files, all in their rooms')
    return 1 if faults or not included else 0


if __name__ == '__main__':
    sys.exit(main())
