#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests tests/style."""
import importlib.machinery
import importlib.util
import shutil
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
STYLE = Path(__file__).resolve().parent.parent / 'style'
loader = importlib.machinery.SourceFileLoader('style', str(STYLE))
style = importlib.util.module_from_spec(importlib.util.spec_from_loader('style', loader))
loader.exec_module(style)


@unittest.skipUnless(shutil.which(style.FORMATTER), f'{style.FORMATTER} is not installed (Debian: {style.FORMATTER})')
@unittest.skipIf(style.unlike_formatter(), style.unlike_formatter())
class Format(unittest.TestCase):
    def format(self, text, name='x.c'):
        return style.format_code(STYLE.parent.parent / 'gst' / name, text)

    def assert_kept(self, text):
        self.assertEqual(self.format(text), text)

    def test_spaces_and_braces_become_gstreamers(self):
        for name in ('x.c', 'x.cc', 'x.h'):
            self.assertEqual(self.format('static void\nf(int a)\n{\n    if(a) { g(a); }\n}\n', name),
                             'static void\nf (int a)\n{\n  if (a) {\n    g (a);\n  }\n}\n')

    def test_a_quark_name_keeps_its_hyphens(self):
        self.assert_kept('G_DEFINE_QUARK (lmcc-session-error-quark, lmcc_session_error);\n\nstatic int x;\n')

    def test_a_macro_without_semicolon_does_not_disturb_what_follows(self):
        self.assert_kept('G_DEFINE_TYPE_WITH_CODE (GstA, gst_a, GST_TYPE_ELEMENT,\n'
                         '    G_IMPLEMENT_INTERFACE (GST_TYPE_URI_HANDLER, gst_a_uri_init))\n\n'
                         'static gboolean\nfail (GError **error)\n{\n  return FALSE;\n}\n')

    def test_initialisers_are_a_line_or_a_line_for_each_field(self):
        self.assert_kept('static void\nf (Foo *foo)\n{\n  Header h = { .layer = 1, .lsn = 2 };\n\n'
                         '  g (&h, foo);\n}\n\nstatic const Foo foo = {\n  .first = 1,\n  .second = 2,\n};\n')

    def test_g_auto_declarations_are_kept(self):
        self.assert_kept('static void\nf (void)\n{\n  g_autoptr (GError) error = NULL;\n'
                         '  g_autofree gchar *text = NULL;\n\n  g (error, text);\n}\n')

    def test_function_pointers_in_structures_are_kept(self):
        self.assert_kept('struct _Foo\n{\n  int a;\n  gboolean (*f) (Foo *foo);\n};\n')

    @unittest.skipUnless(shutil.which('pyflakes3'), 'pyflakes3 is not installed (Debian: pyflakes3)')
    def test_a_name_that_is_used_before_it_is_there_is_found(self):
        self.assertEqual(style.python_faults('print(later)\nlater = 1\n', 'a.py'),
                         ["a.py:1:7: undefined name 'later'"])
        self.assertEqual(style.python_faults('now = 1\nprint(now)\n', 'a.py'), [])

    def test_formatting_twice_changes_nothing(self):
        once = self.format((STYLE.parent.parent / 'gst/lmcc/wire/rtp.c').read_text())
        self.assertEqual(self.format(once), once)


class Comments(unittest.TestCase):
    def test_words_past_the_limit_go_to_the_next_line(self):
        self.assertEqual(style.wrap_comments('/* aaa bbb ccc\n * ddd */', 13), '/* aaa bbb\n * ccc ddd */')

    def test_the_text_of_a_parameter_stays_indented(self):
        self.assertEqual(style.wrap_comments(' * @a: bbb ccc ddd', 14), ' * @a: bbb ccc\n *     ddd')

    def test_the_next_parameter_is_not_run_into(self):
        self.assertEqual(style.wrap_comments(' * @a: bbb ccc ddd\n * @b: e', 14),
                         ' * @a: bbb ccc\n *     ddd\n * @b: e')


class Files(unittest.TestCase):
    def faults(self, name, data):
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / name
            path.write_bytes(data)
            return style.check_file(path, name, False)

    def test_a_tab_is_a_fault(self):
        self.assertEqual(self.faults('a.txt', b'\tx\n'), ['a.txt:1: a tab'])

    def test_trailing_blanks_are_a_fault(self):
        self.assertEqual(self.faults('a.md', b'x \n'), ['a.md:1: trailing blanks'])

    def test_a_missing_final_newline_is_a_fault(self):
        self.assertEqual(self.faults('a.md', b'x'), ['a.md: no newline at the end'])

    def test_an_invisible_character_is_a_fault(self):
        self.assertEqual(self.faults('a.md', 'a\u200bb\n'.encode()), ['a.md:1: an invisible character, U+200B'])

    def test_a_binary_file_is_left_alone(self):
        self.assertEqual(self.faults('a.mp4', b'\0\t \n '), [])


class Language(unittest.TestCase):
    """Wrong words are split in two here, because tests/style checks this file, too."""
    WRONG = 'reci' + 'eve'
    AMERICAN = 'behav' + 'ior'

    def faults(self, name, text):
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / Path(name).name
            path.write_text(text)
            return style.language.faults({name: path}).get(name, [])

    def spelling(self, name, text):
        if style.language.why_not_spelling():
            self.skipTest(style.language.why_not_spelling())
        return self.faults(name, text)

    def phrases(self, text):
        if style.language.why_not_phrases():
            self.skipTest(style.language.why_not_phrases())
        return self.faults('a.md', text)

    def test_a_misspelling_in_a_comment_or_a_message_is_found(self):
        wanted = f':2: "{self.WRONG}" is misspelt; write receive'
        for name, text in (('a.c', '/* Packets\n * {}. */\n'), ('a.h', '\n// They {}.\n'),
                           ('a.c', '\nstatic const char *a = "they {} it";\n'), ('a.py', '\n# They {}.\n'),
                           ('a.py', 'def a():\n    """They {}."""\n'), ('a.py', "\na = 'they {}'\n"),
                           ('a.js', '\nconst a = `they {} it`; // So.\n'), ('a.css', '\n/* They {}. */\n'),
                           ('a.html', '<p>\nThey {}.</p>\n'), ('a.html', '<p>\n<img alt="They {}"></p>\n'),
                           ('a.sh', '\n# They {}.\n'), ('meson.build', '\n# They {}.\n'),
                           ('control', '\nDescription: they {} it\n')):
            with self.subTest(name=name, text=text):
                self.assertEqual(self.spelling(name, text.format(self.WRONG)), [name + wanted])

    def test_a_misspelling_in_a_page_is_found(self):
        for text in ('#\nThey {} it.\n', '#\n| they {} |\n', '#\nOf `x`, they {} `y`.\n', '#\n[They {}](a.md)\n',
                     '"A."\nThey {} it. "B."\n'):
            with self.subTest(text=text):
                self.assertEqual(self.spelling('a.md', text.format(self.WRONG)),
                                 [f'a.md:2: "{self.WRONG}" is misspelt; write receive'])

    def test_a_name_in_a_program_is_not_spelt(self):
        for name, text in (('a.c', 'int {};\n'), ('a.c', '/* Of `{}`. */\n'), ('a.c', '/* @{0}: #{0}. */\n'),
                           ('a.c', '#include "{}.h"\n'), ('a.c', '/* Calls {} (). */\n'), ('a.py', '{} = 1\n'),
                           ('a.js', 'const {} = 1;\n'), ('a.css', '.{} {{ }}\n'), ('a.html', '<p id="{}"></p>\n')):
            with self.subTest(name=name, text=text):
                self.assertEqual(self.spelling(name, text.format(self.WRONG)), [])

    def test_code_addresses_and_quotations_are_not_spelt(self):
        for text in ('Of `{}`.\n', 'Of ``a ` {}``.\n', '```\n{}\n```\n', '[a]({}.md)\n', '<https://a.org/{}>\n',
                     'It says "they {}\nit".\n', '> They {}.\n'):
            with self.subTest(text=text):
                self.assertEqual(self.spelling('a.md', text.format(self.WRONG)), [])
        self.assertEqual(self.spelling('a.c', f'/* Legout, "{self.AMERICAN}s\n * they {self.WRONG}". */\n'), [])
        self.assertEqual(self.spelling('a.py', f'"""A. Legout, "{self.AMERICAN}s"."""\n'), [])

    def test_data_and_generated_pages_are_not_spelt(self):
        for name in ('tests/sim/papers/quotations.json', 'docs/images/a.svg', 'docs/reproduction/thesis.md'):
            self.assertEqual(self.spelling(name, f'They {self.WRONG}.\n'), [])
        for name in ('docs/reproduction/README.md', 'docs/reproduction/coverage.md'):
            self.assertEqual(len(self.spelling(name, f'They {self.WRONG}.\n')), 1)

    def test_spelling_is_british_with_ize(self):
        for word, wanted in ((self.AMERICAN, 'behaviour'), ('col' + 'or', 'colour'),
                             ('optim' + 'isation', 'optimization')):
            self.assertEqual(self.spelling('a.md', f'{word}\n'), [f'a.md:1: "{word}" is misspelt; write {wanted}'])
        self.assertEqual(self.spelling('a.md', 'behaviour, colour, optimization\n'), [])

    def test_a_weak_phrase_is_found_with_its_line(self):
        found = self.phrases('# A\n\n    code\n\n```\ncode\n```\n| a |\nIt is more unique here.\n')
        self.assertEqual([fault.split(': ')[0:2] for fault in found], [['a.md:9', '"more unique"']], found)

    def test_phrases_in_code_tables_and_quotations_are_left_alone(self):
        self.assertEqual(self.phrases('# A\n\n    more unique it is\n\n`very unique a` | b\n\n| a very unique b |\n\n'
                                      '"a more unique b"\n'), [])

    def test_without_the_programs_it_says_what_to_install(self):
        with mock.patch.object(style.language.shutil, 'which', return_value=None), \
                mock.patch.object(style.language.importlib.util, 'find_spec', return_value=None):
            reasons = [style.language.why_not_spelling.__wrapped__(), style.language.why_not_phrases.__wrapped__()]
        self.assertEqual([reason.split('(')[1] for reason in reasons],
                         ['Debian: codespell)', 'Debian: python3-proselint)'])


if __name__ == '__main__':
    unittest.main(verbosity=2)
