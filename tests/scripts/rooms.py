#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks that every file of the library and of its plugin lies in a room and includes only what
docs/developers/architecture.md allows for that room. Each file named on that page must exist. Each part of the
sender may be accessed by one file only."""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
LIBRARY = ROOT / 'gst/lmcc'
PAGE = ROOT / 'docs/developers/architecture.md'
LEAST_NAMED = 20
LEAST_PARTS = 5

PARTS = {'base', 'wire', 'media', 'repair', 'measure', 'control'}
# Besides the room itself and the installed headers, which lie in no room and include only each other.
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
INSTALLED = re.compile(r'lmcc(-[a-z-]+)?\.h')

# Besides the room itself. The file that registers the elements lies in no room and may include all of them.
PLUGIN_MAY_INCLUDE = {
    'common': set(),
    'sink': {'common'},
    'src': {'common'},
}
REGISTERS = re.compile(r'gstlmcc\.c')


def check(folder, rooms, outside, outside_may):
    """Returns the faults in a folder, and the number of its files.

    Files that match `outside` lie in no room; any room may include them, and they may include the rooms in
    `outside_may`.
    """
    include = re.compile(rf'\s*#\s*include\s*(?:<{folder}/|")([^>"]+)')
    files = {str(path.relative_to(ROOT / folder)): path for path in sorted((ROOT / folder).rglob('*.[ch]'))}
    included = set()
    faults = []
    for name, path in files.items():
        room = name.split('/')[0]
        may = outside_may if outside.fullmatch(name) else rooms.get(room, set())
        if room not in rooms and not outside.fullmatch(name):
            faults.append(f'{name}: lies in no room; rooms are {", ".join(rooms)}')
        for number, line in enumerate(path.read_text(encoding='utf-8').splitlines(), 1):
            found = include.match(line)
            if not found or found[1] == 'config.h':
                continue
            if found[1] not in files:
                faults.append(f'{name}:{number}: there is no {folder}/{found[1]}; paths are relative to {folder}')
            elif not outside.fullmatch(found[1]) and found[1].split('/')[0] not in {room} | may:
                faults.append(f'{name}:{number}: {room} may include {", ".join(sorted(may)) or "no other room"}, '
                              f'not {found[1]}')
            if found[1] != name:
                included.add(found[1])
    faults += [f'{name}: is included from no room' for name in files
               if name.endswith('.h') and not outside.fullmatch(name) and name not in included]
    if not included:
        faults.append('no file is included: the check cannot be right')
    return [f'{folder}/{fault}' for fault in faults], len(files)


def part_faults():
    """Finds accesses of the sender's files to parts that belong to other files. A part is a member of LmccSender
    whose type one of the room's headers defines; it belongs to the file with the header's name."""
    room = LIBRARY / 'sender'
    homes = {found[1]: path.stem for path in sorted(room.glob('*.h'))
             for found in re.finditer(r'^} (LmccSender\w+);', path.read_text(encoding='utf-8'), re.MULTILINE)}
    members = re.findall(r'^  (LmccSender\w+) (\w+);', (room / 'private.h').read_text(encoding='utf-8'), re.MULTILINE)
    parts = {member: homes[kind] for kind, member in members if kind in homes}
    faults = [f'sender/{path.name}: accesses {member}, which belongs to {home}.c'
              for path in sorted(room.glob('*.c')) for member, home in parts.items()
              if path.stem != home and re.search(rf'sender->\s*{member}\b', path.read_text(encoding='utf-8'))]
    if len(parts) < LEAST_PARTS:
        faults.append(f'sender/private.h: {len(parts)} parts found, at least {LEAST_PARTS} expected')
    return [f'gst/lmcc/{fault}' for fault in faults]


def page_faults():
    """Finds wrong statements on the page about rooms: what each room may include, and which files it has."""
    text = PAGE.read_text(encoding='utf-8')
    rows = re.findall(r'^\| `(\w+)` \|.*\| ([^|]*) \|$', text, re.MULTILINE)
    said = {room: set(re.findall(r'`(\w+)`', may)) for room, may in rows}
    faults = [f'{room}: may include {", ".join(sorted(may)) or "nothing"}, but the page differs'
              for room, may in (MAY_INCLUDE | PLUGIN_MAY_INCLUDE).items() if said.get(room) != may]
    named = sorted(set(re.findall(rf'`((?:{"|".join(MAY_INCLUDE)})/[a-z0-9/-]+)`', text)))
    faults += [f'{name}: named, but does not exist' for name in named
               if not any((LIBRARY / f'{name}{end}').exists() for end in ('', '.c', '.h'))]
    if len(named) < LEAST_NAMED:
        faults.append(f'names {len(named)} files; at least {LEAST_NAMED} expected')
    return [f'{PAGE.relative_to(ROOT)}: {fault}' for fault in faults]


def main():
    library, n_library = check('gst/lmcc', MAY_INCLUDE, INSTALLED, set())
    plugin, n_plugin = check('plugins/lmcc', PLUGIN_MAY_INCLUDE, REGISTERS, set(PLUGIN_MAY_INCLUDE))
    faults = library + plugin + part_faults() + page_faults()
    print('\n'.join(faults) or f'{n_library} and {n_plugin} files, all in rooms')
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
