#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests of tests/style."""
import importlib.machinery
import importlib.util
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
STYLE = Path(__file__).resolve().parent.parent / 'style'
loader = importlib.machinery.SourceFileLoader('style', str(STYLE))
style = importlib.util.module_from_spec(importlib.util.spec_from_loader('style', loader))
loader.exec_module(style)


@unittest.skipUnless(shutil.which('indent'), 'GNU indent is not installed (Debian: indent)')
@unittest.skipIf(style.unlike_formatter('indent'), style.unlike_formatter('indent'))
class Format(unittest.TestCase):
    def assert_kept(self, text):
        self.assertEqual(style.format_c(text), text)

    def test_spaces_and_braces_become_gst_indents(self):
        self.assertEqual(style.format_c('static void\nf(int a)\n{\n    if(a) { g(a); }\n}\n'),
                         'static void\nf (int a)\n{\n  if (a) {\n    g (a);\n  }\n}\n')

    def test_a_quark_name_keeps_its_hyphens(self):
        self.assert_kept('G_DEFINE_QUARK (lmcc-session-error-quark, lmcc_session_error)\n\nstatic int x;\n')

    def test_a_macro_without_semicolon_does_not_disturb_what_follows(self):
        self.assert_kept('G_DEFINE_TYPE_WITH_CODE (GstA, gst_a, GST_TYPE_ELEMENT,\n'
                         '    G_IMPLEMENT_INTERFACE (GST_TYPE_URI_HANDLER, gst_a_uri_init))\n\n'
                         'static gboolean\nfail (GError ** error)\n{\n  return FALSE;\n}\n')

    def test_a_pad_template_may_begin_on_the_next_line(self):
        self.assert_kept('GstStaticPadTemplate gst_a_pad_template =\n'
                         'GST_STATIC_PAD_TEMPLATE ("sink_%u", GST_PAD_SINK,\n'
                         '    GST_PAD_REQUEST, GST_STATIC_CAPS ("application/x-rtp"));\n')

    def test_initialisers_on_one_line_are_kept(self):
        self.assert_kept('static void\nf (Foo * foo)\n{\n  Header h = { .layer = 1, .lsn = 2 };\n\n'
                         '  *foo = (Foo) { .at = 1, .next = NULL };\n  g (&(Header) { .layer = 1 });\n}\n')

    def test_g_auto_declarations_are_kept(self):
        self.assert_kept('static void\nf (void)\n{\n  g_autoptr (GError) error = NULL;\n'
                         '  g_autofree gchar *text = NULL;\n\n  g (error, text);\n}\n')

    def test_function_pointers_in_structures_are_kept(self):
        self.assert_kept('struct _Foo\n{\n  int a;\n  gboolean (*f) (Foo * foo);\n};\n')

    def test_prototypes_with_attributes_are_kept(self):
        self.assert_kept('static gboolean\nbad (GError ** e, const gchar * f, ...) G_GNUC_PRINTF (2, 3);\n\n'
                         'static void\ng (void)\n{\n}\n')

    @unittest.skipUnless(shutil.which('pyflakes3'), 'pyflakes3 is not installed (Debian: pyflakes3)')
    def test_a_name_that_is_used_before_it_is_there_is_found(self):
        self.assertEqual(style.python_faults('print(later)\nlater = 1\n', 'a.py'),
                         ["a.py:1:7: undefined name 'later'"])
        self.assertEqual(style.python_faults('now = 1\nprint(now)\n', 'a.py'), [])

    @unittest.skipUnless(shutil.which('clang-format'), 'clang-format is not installed (Debian: clang-format)')
    @unittest.skipIf(style.unlike_formatter('clang-format'), style.unlike_formatter('clang-format'))
    def test_cpp_and_its_headers_are_formatted_and_other_headers_are_not(self):
        sim = STYLE.parent / 'sim'
        self.assertEqual(style.format_cpp(sim / 'x.cc', 'int f(int a)\n{\n    if(a) { return 1; }\n return 0; }\n'),
                         'int\nf (int a)\n{\n  if (a) {\n    return 1;\n  }\n  return 0;\n}\n')
        self.assertTrue(style.is_cpp(sim / 'flow.h'))
        self.assertFalse(style.is_cpp(STYLE.parent / 'check/libs/support/test-link.h'))

    def test_formatting_twice_changes_nothing(self):
        once = style.format_c((STYLE.parent.parent / 'gst/lmcc/wire/rtp.c').read_text())
        self.assertEqual(style.format_c(once), once)


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


if __name__ == '__main__':
    unittest.main(verbosity=2)
