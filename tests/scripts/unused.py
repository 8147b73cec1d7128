#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks that the library has no function and no macro that is unused or used only by tests.

Usage: unused.py LIBRARY

Functions and the calls between the library's files are read from the object files that meson built LIBRARY from.
Calls by the plugins and by the ns-3 simulator, which may not be built, are searched in their sources.
"""
import re
import sys
from collections import Counter

sys.dont_write_bytecode = True
from calls import object_files, symbols
from rooms import LIBRARY, ROOT

# Functions that only other programs call, with the reason for each.
EXCEPTIONS = {
    'lmcc_algorithm_register': "somebody else's algorithm, as in tests/installed/algorithm.c",
    'lmcc_classifier_get_malformed': 'what is dropped is counted; the elements drop without asking how much',
}

USERS = ('plugins', 'tests/sim')
COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*', re.DOTALL)
STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')
WORD = re.compile(r'[A-Za-z_]\w*')
MACRO = re.compile(r'^# *define +(\w+)', re.MULTILINE)
MACRO_BODY = re.compile(r'^# *define +\w+((?:.*\\\n)*.*)', re.MULTILINE)
# Relies on the format that tests/style enforces: the name in a definition begins a line, a use does not.
DEFINITION = re.compile(r'^\w+(?= \()', re.MULTILINE)
# Include guards, and macros that control exports.
NOT_USED = re.compile(r'LMCC_\w+_H|LMCC_API')


def read_code(path):
    return STRING.sub('""', COMMENT.sub(' ', path.read_text(encoding='utf-8')))


def read_folders(folders):
    return {path: read_code(path) for folder in folders for path in sorted((ROOT / folder).rglob('*'))
            if path.suffix in ('.c', '.cc', '.h')}


def function_faults(objects, library, users):
    """Functions that no shipped code calls, and functions called only by their own file, which should be static."""
    found = {name: symbols(path) for name, path in objects.items()}
    wanted = Counter(function for _, functions in found.values() for function in functions)
    called = {word for text in [*users.values(), *MACRO_BODY.findall('\n'.join(library.values()))]
              for word in WORD.findall(text)}
    tests = {word for text in read_folders(['tests']).values() for word in WORD.findall(text)}
    faults, excepted = [], set()
    for name, (defined, _) in found.items():
        own = Counter(WORD.findall(DEFINITION.sub('', library[LIBRARY / name])))
        for function in sorted(defined):
            if wanted[function] or function in called or not function.startswith('lmcc_'):
                continue
            if own[function]:
                if function not in tests:
                    faults.append(f'{name}: {function}() is called only in this file: make it static')
            elif function in EXCEPTIONS:
                excepted.add(function)
            else:
                faults.append(f'{name}: {function}() is unused')
    return faults + [f'{function}: is listed in EXCEPTIONS, but is used or does not exist' for function in EXCEPTIONS
                     if function not in excepted]


def macro_faults(library, users):
    """Unused macros."""
    texts = library | users
    used = Counter(word for text in texts.values() for word in WORD.findall(text))
    defined = Counter(macro for text in library.values() for macro in MACRO.findall(text))
    return [f'{macro} is unused' for macro in sorted(defined)
            if used[macro] <= defined[macro] and not NOT_USED.fullmatch(macro)]


def main():
    objects = object_files(sys.argv[1])
    library, users = read_folders(['gst/lmcc']), read_folders(USERS)
    faults = function_faults(objects, library, users) + macro_faults(library, users)
    if not objects:
        faults.append(f'{sys.argv[1]}.p: no object files')
    print('\n'.join(faults) or f'{len(objects)} files, all functions and macros are used')
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
