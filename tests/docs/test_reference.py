#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks docs/reference: all public names are documented, and the generated site has no dead links."""
import os
import re
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / 'docs/reference'))
import declarations  # noqa: E402
import elements  # noqa: E402
import library  # noqa: E402
import links  # noqa: E402
import make  # noqa: E402
import pages  # noqa: E402
from comments import parse_block  # noqa: E402
from introspection import Element, Property  # noqa: E402
from markup import Markup  # noqa: E402

SKIPPED = 77
EXPORTED = re.compile(r'^ (\w+)@Base', re.MULTILINE)


def read(path):
    return path.read_text(encoding='utf-8')


class TheSite(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.site = Path(cls.folder.name) / 'site'
        cls.parts = make.read_parts(os.environ['LMCC_BUILD_ROOT'])
        (_, cls.elements), (_, cls.library) = cls.parts
        make.make(cls.parts, cls.site)

    def test_no_link_is_dead_and_nothing_comes_from_elsewhere(self):
        self.assertEqual(links.faults(self.site), [])

    def test_each_public_symbol_of_the_library_is_documented(self):
        self.assertEqual(self.library.faults(), [])

    def test_each_element_is_documented(self):
        self.assertEqual(self.elements.faults(), [])

    def test_each_exported_function_has_an_entry(self):
        found = {anchor for path in (self.site / 'reference/library').glob('*.html')
                 for anchor in links.Page(read(path)).anchors}
        exported = set(EXPORTED.findall(read(ROOT / 'debian/libgstlmcc-1.0-0.symbols')))
        self.assertEqual(exported - found, set())

    def test_each_plugin_that_is_built_has_a_page(self):
        folders = {path.parent.name for path in Path(os.environ['LMCC_BUILD_ROOT']).glob('plugins/**/libgst*.so')}
        self.assertEqual(len({element.plugin for element in self.elements.elements}), len(folders))
        for element in self.elements.elements:
            self.assertIn(f'>{element.name}</h1>', read(self.site / f'reference/elements/{element.name}.html'))

    def test_the_index_of_the_search_has_symbols_and_properties(self):
        index = read(self.site / 'search/index.js')
        self.assertIn('reference/library/lmcc-receiver.html#lmcc_receiver_new', index)
        self.assertIn('reference/elements/lmccsrc.html#property-max-level', index)

    def test_pictures_are_copied(self):
        self.assertEqual((self.site / 'docs/images/demo.png').read_bytes(),
                         (ROOT / 'docs/images/demo.png').read_bytes())


class TheNavigation(unittest.TestCase):
    def test_a_page_is_in_the_section_of_its_folder_in_the_order_of_the_index(self):
        reference = {elements.FOLDER: ['reference/elements/a.md'], library.FOLDER: ['reference/library/b.md']}
        written = ['README.md', 'CONTRIBUTING.md', 'docs/README.md', 'docs/concepts.md', 'docs/users/another.md',
                   'docs/users/encoders.md', 'docs/users/levels.md', 'docs/measured/repair.md', 'pipelines/clip.md']
        self.assertEqual(make.navigation(written, reference), [
            {'Start': ['README.md', 'docs/README.md', 'docs/concepts.md', 'pipelines/clip.md']},
            {'Users': ['docs/users/levels.md', 'docs/users/encoders.md', 'docs/users/another.md']},
            {'Developers': ['CONTRIBUTING.md']},
            {'Measured': ['docs/measured/repair.md']},
            {'Elements': ['reference/elements/a.md']},
            {'Library': ['reference/library/b.md']}])


class Links(unittest.TestCase):
    def faults(self, body):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / 'a.html').write_text(body, encoding='utf-8')
            (Path(folder) / 'b.html').write_text('<h2 id="here">b</h2>', encoding='utf-8')
            return links.faults(folder)

    def test_links_that_lead_somewhere_are_no_fault(self):
        for body in '<a href="b.html#here">b</a>', '<a href="#x" id="x">x</a>', '<a href="https://a.b/">c</a>':
            with self.subTest(body):
                self.assertEqual(self.faults(body), [])

    def test_dead_ones_are_told(self):
        for body, fault in (('<a href="c.html">c</a>', 'a.html: c.html leads nowhere'),
                            ('<img src="c.png">', 'a.html: c.png leads nowhere'),
                            ('<a href="b.html#there">b</a>', 'a.html: b.html#there: there is no such anchor'),
                            ('<a href="#there">a</a>', 'a.html: #there: there is no such anchor'),
                            ('<script src="https://a.b/c.js"></script>', 'a.html: loads https://a.b/c.js')):
            with self.subTest(body):
                self.assertEqual(self.faults(body), [fault])


class TheLibrary(unittest.TestCase):
    def symbols(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / 'lmcc-a.h'
            path.write_text(text, encoding='utf-8')
            return declarations.read_header(path)

    def faults(self, text, comment):
        symbol, = self.symbols(text)
        block = comment and parse_block('\n'.join(f' * {line}' for line in comment), 'a.c')
        return [fault.split(': ', 2)[2] for fault in library.faults_of(symbol, block)]

    def test_what_is_not_documented_is_told(self):
        function = 'LMCC_API gint lmcc_a (gint b,\n    void (*c) (gint d, gint e));\n'
        whole = ['lmcc_a:', '@b: one', '@c: another', '', 'Does it.', '', 'Returns: it']
        self.assertEqual(self.faults(function, whole), [])
        for comment, faults in ((whole[:1] + whole[2:], ['@b is not documented']),
                                (whole[:1] + ['@b:'] + whole[2:], ['@b is not documented']),
                                (whole[:2] + ['@z: last'] + whole[2:], ['@z is documented but does not exist']),
                                (whole[:5], ['the return value is not documented; add Returns:'])):
            with self.subTest(comment):
                self.assertEqual(self.faults(function, comment), faults)
        self.assertRegex(self.faults(function, None)[0], '^has no documentation')

    def test_fields_values_and_macros_count(self):
        for text in ('typedef enum\n{\n  A = 1,\n  B,\n} Lmcc;\n',
                     'typedef struct\n{\n  gint A;\n  gint B[2];\n} Lmcc;\n',
                     '#define Lmcc(A, B) ((A) + (B))\n'):
            with self.subTest(text):
                self.assertIn('@B is not documented', self.faults(text, ['Lmcc:', '@A: one', '', 'It.']))

    def test_private_fields_are_neither_shown_nor_asked_for(self):
        symbol, = self.symbols('typedef struct\n{\n  gint a;\n  /*< private >*/\n  gint b;\n} Lmcc;\n')
        self.assertEqual(symbol.members, ['a'])
        self.assertNotIn('gint b', symbol.declaration)

    def test_a_plain_comment_documents_the_constants_below_it_and_no_function(self):
        first, second, third = self.symbols('/* Both. */\n#define LMCC_A 1\n#define LMCC_B 2\n\n#define LMCC_C 3\n')
        self.assertEqual([library.faults_of(symbol, None) for symbol in (first, second)], [[], []])
        self.assertNotEqual(library.faults_of(third, None), [])
        self.assertNotEqual(self.faults('/* It. */\nLMCC_API void lmcc_a (void);\n', None), [])

    def test_a_form_that_is_not_known_is_refused(self):
        with self.assertRaisesRegex(declarations.UnknownForm, 'lmcc-a.h: .*has a form'):
            self.symbols('extern const gint lmcc_a[];\n')


class TheElements(unittest.TestCase):
    def faults(self, section, blurb='What it is', root=None):
        item = Property('a', 'gint', '0 to 1', '0', '', 'read and write', blurb)
        element = Element('aenc', 'a', 'GstAEnc', '', '', 0, [], [], [item], {}, [('b', ['gint'], 'void', '')],
                          {'stats': ['c']})
        page = elements.Elements(root or ROOT / 'tests/docs', [element])
        page.comments = {name: block for name, block in section.items() if block}
        return [*page.faults()]

    def comments(self, section):
        texts = {'SECTION:element-aenc': section, 'GstAEnc::b': ['@a: it', '@b: one', '', 'It.'],
                 'GstAEnc:stats': ['', '* #gint `c`: one']}
        return {name: text and parse_block('\n'.join(f' * {line}' for line in [name + ':', *text]), 'a.c')
                for name, text in texts.items()}

    def test_messages_that_are_not_described_are_told(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / 'a.c').write_text('post (gst_structure_new ("lmcc-a", NULL));\n', encoding='utf-8')
            section = ['', 'Encodes. It posts `lmcc-a`.', '', '|[', 'aenc', ']|']
            self.assertEqual(self.faults(self.comments(section), root=Path(folder)), [])
            section[1] = 'Encodes.'
            found, = self.faults(self.comments(section), root=Path(folder))
            self.assertIn('a.c: the message lmcc-a is in no comment', found)

    def test_what_is_missing_is_told(self):
        example = ['|[', 'gst-launch-1.0 aenc', ']|']
        whole = self.comments(['', 'Encodes.', '', *example])
        self.assertEqual(self.faults(whole), [])
        for comments, blurb, fault in (
                (self.comments(None), 'It', 'no source has a comment SECTION:element-aenc'),
                (self.comments(['', 'Encodes.']), 'It', 'has no example'),
                (self.comments(['', *example]), 'It', 'does not describe the element'),
                (whole, '', 'the property a has no blurb'),
                (whole | {'GstAEnc::b': None}, 'It', 'the signal b has no comment'),
                (whole | {'GstAEnc:stats': None}, 'It', 'the field c of stats is not in the comment')):
            with self.subTest(fault):
                found = self.faults(comments, blurb)
                self.assertEqual(len(found), 1)
                self.assertIn(fault, found[0])


class TheMarks(unittest.TestCase):
    def test_names_become_links(self):
        marks = Markup({'lmcc_a': 'library/a.md#lmcc_a', 'GstA:b': 'elements/a.md#property-b'})
        for text, expected in (('see lmcc_a()', 'see [`lmcc_a()`](../library/a.md#lmcc_a)'),
                               ('#GstA:b of @c', '[`b`](../elements/a.md#property-b) of `c`'),
                               ('%NULL or `#GstA:b`', '`NULL` or `#GstA:b`'), ('a < b', 'a &lt; b')):
            with self.subTest(text):
                self.assertEqual(marks.words(text), expected)

    def test_examples_and_lists_stand_alone(self):
        text = Markup({}).text('Say:\n|[\na ! b\n]|\nOf it:\n* one\n  goes on\n* two')
        self.assertEqual(text.split('\n'), ['Say:', '', '```', 'a ! b', '```', '', 'Of it:', '', '* one', '  goes on',
                                            '* two'])

    def test_lists_of_pages_are_those_of_github(self):
        self.assertEqual(pages.for_markdown('Text:\n- one\n  - in it\n- two\n\nEnd'),
                         'Text:\n\n- one\n    - in it\n- two\n\nEnd')


if __name__ == '__main__':
    if missing := make.missing_packages():
        print(f'SKIP: the site cannot be made without packages (Debian: {" ".join(missing)})')
        sys.exit(SKIPPED)
    unittest.main(verbosity=2)
