#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the library has is there for what is shipped: a function that only tests call, or a macro that only they use, is
the tests' work, or nobody's.

Usage: unused.py LIBRARY

Which functions the library's files have, and what they want of each other, is read from the object files that meson
made LIBRARY of. What the plugins and the simulator in ns-3, which need not be built, call is looked up in their text.
"""
import re
import sys
from collections import Counter

sys.dont_write_bytecode = True
from calls import object_files, symbols
from rooms import LIBRARY, ROOT

# What only other people's programs call, and why it is there.
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
# By the form that tests/style judges: a definition's name begins a line, a use does not.
DEFINITION = re.compile(r'^\w+(?= \()', re.MULTILINE)
# Headers' guards, and what says what is exported.
NOT_USED = re.compile(r'LMCC_\w+_H|LMCC_API')


def read_code(path):
    return STRING.sub('""', COMMENT.sub(' ', path.read_text(encoding='utf-8')))


def read_folders(folders):
    return {path: read_code(path) for folder in folders for path in sorted((ROOT / folder).rglob('*'))
            if path.suffix in ('.c', '.cc', '.h')}


def function_faults(objects, library, users):
    """Functions that nobody calls who is shipped, and those that only their own file calls, which are to be static."""
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
                    faults.append(f'{name}: {function}() is called only there: static')
            elif function in EXCEPTIONS:
                excepted.add(function)
            else:
                faults.append(f'{name}: nobody calls {function}()')
    return faults + [f'{function}: is called, or gone, and an exception here' for function in EXCEPTIONS
                     if function not in excepted]


def macro_faults(library, users):
    """Macros that nobody uses."""
    texts = library | users
    used = Counter(word for text in texts.values() for word in WORD.findall(text))
    defined = Counter(macro for text in library.values() for macro in MACRO.findall(text))
    return [f'nobody uses {macro}' for macro in sorted(defined)
            if used[macro] <= defined[macro] and not NOT_USED.fullmatch(macro)]


def main():
    objects = object_files(sys.argv[1])
    library, users = read_folders(['gst/lmcc']), read_folders(USERS)
    faults = function_faults(objects, library, users) + macro_faults(library, users)
    if not objects:
        faults.append(f'{sys.argv[1]}.p: there are no object files')
    print('\n'.join(faults) or f'{len(objects)} files, all of it of use')
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
