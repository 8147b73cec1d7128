#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests that the terms of the glossary are used as it defines them, in headings, properties and statistics."""
import os
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / 'docs/reference'))
import glossary  # noqa: E402
import texts  # noqa: E402
from elements import Elements  # noqa: E402
from introspection import NUMBERS, Plugins  # noqa: E402


class TheGlossary(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pages = texts.pages(ROOT)
        cls.glossary = glossary.parse(cls.pages[glossary.PAGE])
        cls.elements = Elements(ROOT, Plugins(os.environ['LMCC_BUILD_ROOT']).elements())

    def properties(self):
        return [(element, item) for element in self.elements.elements for item in element.properties]

    def names(self):
        """Of properties and of the fields of statistics."""
        return {item.name for _, item in self.properties()} | \
            {name for element in self.elements.elements for fields in element.structures.values() for name in fields}

    def where_words_are_chosen(self):
        where = {f'{path}: {heading}': heading for path, text in self.pages.items() if texts.is_written_by_hand(path)
                 for heading in texts.headings(text) if path != glossary.PAGE}
        for element, item in self.properties():
            where[f'{element.name}: {item.name}'] = f"{item.name.replace('-', ' ')} {item.blurb}"
            comment = self.elements.comments.get(f'{element.type}:{item.name}')
            if item.name in element.structures and comment:
                where[f'{element.name}: the fields of {item.name}'] = comment.description
        return where

    def test_each_term_is_used(self):
        self.assertEqual(glossary.unused_terms(self.glossary, self.pages, self.names()), [])

    def test_each_term_is_defined_once_and_in_order(self):
        self.assertEqual(self.glossary.headings, sorted(set(self.glossary.headings)))
        self.assertEqual(len(self.glossary.terms), len(', '.join(self.glossary.headings).split(', ')))

    def test_headings_properties_and_statistics_have_no_other_word_for_a_term(self):
        self.assertEqual(list(glossary.wrong_words(self.glossary, self.where_words_are_chosen())), [])

    def test_words_that_are_not_used_name_a_term(self):
        self.assertEqual(set(self.glossary.instead.values()) - set(self.glossary.terms), set())
        self.assertGreater(len(self.glossary.instead), 0)

    def test_each_word_of_a_name_is_a_term_or_a_general_word(self):
        known = glossary.known_words(self.glossary) | glossary.general_words()
        self.assertEqual(glossary.unknown_words(self.names(), known), {})

    def test_no_general_word_is_a_term_or_unused(self):
        terms, general = glossary.known_words(self.glossary), glossary.general_words()
        used = {word for name in self.names() for word in name.split('-')}
        self.assertEqual(general & terms, set())
        self.assertEqual(general - used - {glossary.singular(word) for word in used}, set())

    def test_quantities_say_their_unit(self):
        quantities = {item.name: item.blurb for _, item in self.properties() if item.type in NUMBERS}
        self.assertEqual(glossary.without_unit(quantities), [])


class TheRules(unittest.TestCase):
    TEXT = ('# Glossary\n\n### base layer\n\nLayer 0.\n\n### IGMP, MLD\n\nProtocols.\n\n## Words that are not used\n\n'
            '| Instead of | Write |\n|---|---|\n| bottom layer, floor | base layer |\n')

    def test_terms_and_the_words_that_they_replace_are_read(self):
        found = glossary.parse(self.TEXT)
        self.assertEqual(found.terms, {'base layer': 'Layer 0.', 'igmp': 'Protocols.', 'mld': 'Protocols.'})
        self.assertEqual(found.instead, {'bottom layer': 'base layer', 'floor': 'base layer'})

    def test_another_word_for_a_term_is_found(self):
        found = glossary.parse(self.TEXT)
        where = {'a': 'Rate of the bottom layer', 'b': 'Flooring', 'c': 'The base layer'}
        self.assertEqual(list(glossary.wrong_words(found, where)), [('a', 'bottom layer', 'base layer')])

    def test_a_term_that_nobody_uses_is_found(self):
        found = glossary.parse(self.TEXT)
        pages = {glossary.PAGE: self.TEXT, 'a.md': 'The base layer, and IGMP.'}
        self.assertEqual(glossary.unused_terms(found, pages, ['a-b']), ['mld'])
        self.assertEqual(glossary.unused_terms(found, pages, ['mld-version']), [])

    def test_a_word_of_a_name_that_nothing_explains_is_found(self):
        names = {'base-layers', 'base-thing'}
        self.assertEqual(glossary.unknown_words(names, {'base', 'layer'}), {'thing': 'base-thing'})

    def test_a_quantity_without_a_unit_is_found(self):
        quantities = {'max-bitrate': 'Most of it', 'latency': 'Time to wait (ms)'}
        self.assertEqual(glossary.without_unit(quantities), ['max-bitrate'])


if __name__ == '__main__':
    unittest.main()
