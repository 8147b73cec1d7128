#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks that each algorithm of the library is one table row in its own file, and that all other lists of
algorithms, which cannot read the registry, have the same names."""
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parent.parent.parent
LIBRARY = ROOT / 'gst/lmcc'
sys.path.insert(0, str(ROOT / 'pipelines/lib'))

from demo import session

PAGE = ROOT / 'docs/developers/add-an-algorithm.md'
TITLE = '## In the library'
EXAMPLE = 'threshold'
PATCH = ROOT / f'docs/developers/examples/{EXAMPLE}.patch'
LIST = LIBRARY / 'control/controller.h'
# Not an algorithm: session records use this word for none, and settings use it too.
NONE = 'none'


def library_files():
    return {path.relative_to(LIBRARY): path.read_text(encoding='utf-8')
            for path in sorted(LIBRARY.rglob('*.[ch]'))}


def read_rows(files):
    """{identifier: (file, name, number, text after the name)}"""
    rows = {}
    for path, text in files.items():
        for identifier, body in re.findall(r'^const LmccAlgorithm lmcc_algorithm_(\w+) = \{\n(.*?)^\};', text,
                                           re.MULTILINE | re.DOTALL):
            name, number = re.search(r'\.name = "([^"]+)",\n  \.number = (\d+),', body).groups()
            rows[identifier] = (path, name, int(number), body)
    return rows


FILES = library_files()
ROWS = read_rows(FILES)
NAMES = {name for _, name, _, _ in ROWS.values()}


def sets_rate(path):
    return '.rate_setter = ' in FILES[path]


def has_slots(path):
    return '.mark = ' in FILES[path]


def second_element_kinds():
    """{value: name in its macro}"""
    return {int(value): word.lower() for text in FILES.values()
            for word, value in re.findall(r'^#define LMCC_SECOND_ELEMENT_(\w+) (\d+)$', text, re.MULTILINE)
            if word != 'MAX_SIZE'}


class Rows(unittest.TestCase):
    def test_each_row_is_listed_once_and_is_of_its_name(self):
        listed = re.findall(r'^  ROW \((\w+)\)', LIST.read_text(encoding='utf-8'), re.MULTILINE)
        self.assertEqual(sorted(listed), sorted(ROWS))
        self.assertGreaterEqual(len(listed), 9)
        for identifier, (_, name, _, _) in ROWS.items():
            self.assertEqual(identifier.replace('_', '-'), name)

    def test_each_row_is_in_a_source_that_is_built(self):
        sources = re.findall(r"'(control/[^']+\.c)'", (LIBRARY / 'meson.build').read_text(encoding='utf-8'))
        for path, *_ in ROWS.values():
            self.assertIn(str(path), sources)

    def test_a_name_is_a_string_in_its_row_alone(self):
        for path, text in FILES.items():
            code = re.sub(r'/\*.*?\*/', '', text, flags=re.DOTALL)
            for name in re.findall(r'"([a-z0-9-]+)"', code):
                if name in NAMES - {NONE}:
                    self.assertTrue(any(row[:2] == (path, name) for row in ROWS.values()),
                                    f'gst/lmcc/{path} knows an algorithm by its name, "{name}"')

    def test_a_row_is_asked_for_in_its_own_file_alone(self):
        """Except the row for none, which other files use as the default."""
        for path, text in FILES.items():
            for identifier in re.findall(r'\blmcc_algorithm_(\w+)\b', text):
                if identifier in ROWS and identifier != NONE:
                    self.assertEqual(path, ROWS[identifier][0], f'of {identifier}')


class Lists(unittest.TestCase):
    """Lists of algorithms outside the C code must have the registry's names, too."""

    def test_the_demonstration_has_all_that_choose_among_layers(self):
        layered = {name for path, name, _, _ in ROWS.values() if not sets_rate(path)}
        self.assertEqual(set(session.SETTINGS), layered)

    def test_fixed_rates_are_for_those_with_slots(self):
        slotted = {name for path, name, _, _ in ROWS.values() if has_slots(path)}
        self.assertEqual({name for name, settings in session.SETTINGS.items() if 'layering' in settings}, slotted)

    def test_the_dissector_names_the_elements_as_the_library_does(self):
        table = re.search(r'^local kinds = \{(.*)\}$', (ROOT / 'docs/lmcc.lua').read_text(encoding='utf-8'),
                          re.MULTILINE).group(1)
        shown = {int(value): word.lower() for value, word in re.findall(r'\[(\d+)\] = "(\w+)"', table)}
        self.assertEqual(shown, second_element_kinds())
        self.assertEqual(set(shown.values()) - NAMES, {'place'})


class Page(unittest.TestCase):
    def test_the_steps_name_files_that_are_there(self):
        text = PAGE.read_text(encoding='utf-8')
        self.assertTrue(TITLE in text, TITLE)
        steps = text.split(TITLE, 1)[1].split('\n## ', 1)[0]
        self.assertEqual(re.findall(r'^(\d)\. ', steps, re.MULTILINE), list('12345'))
        named = [name for name in re.findall(r'`([\w./-]+\.(?:c|h|py|build|md))`', steps) if 'NAME' not in name]
        self.assertGreaterEqual(len(named), 6)
        for name in named:
            self.assertTrue((ROOT / name).exists(), name)
        for name in re.findall(r'`(?:struct )?(Lmcc\w+|lmcc_\w+)(?: \(\))?`', steps):
            if 'NAME' not in name:
                self.assertTrue(any(name in text for text in FILES.values()), name)

    @unittest.skipIf(EXAMPLE in ROWS, 'the steps of the page were followed here')
    def test_the_example_s_number_is_the_next_one(self):
        number = int(re.search(r'the next one is (\d+)', LIST.read_text(encoding='utf-8')).group(1))
        row = re.search(r'\.number = (\d+),', (PATCH.with_suffix('.c')).read_text(encoding='utf-8'))
        self.assertEqual(int(row.group(1)), number)

    @unittest.skipIf(EXAMPLE in ROWS, 'the steps of the page were followed here')
    @unittest.skipUnless(shutil.which('git'), 'git is not installed (Debian: git)')
    def test_the_example_s_patch_applies(self):
        result = subprocess.run(['git', 'apply', '--check', PATCH], cwd=ROOT, capture_output=True, text=True,
                                check=False)
        self.assertEqual(result.returncode, 0, result.stderr)


if __name__ == '__main__':
    unittest.main()
