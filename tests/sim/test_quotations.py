#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests that the column "the paper" only has what the paper says: each entry is in a quotation with its place, and each
quotation is in the paper's text, if LMCC_PAPERS names a directory of text files."""
import importlib.machinery
import importlib.util
import json
import os
import re
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
loader = importlib.machinery.SourceFileLoader('reproduce', str(HERE / 'reproduce'))
reproduce = importlib.util.module_from_spec(importlib.util.spec_from_loader('reproduce', loader))
loader.exec_module(reproduce)
claims = reproduce.page.claims

QUOTATIONS = json.loads((HERE / 'papers/quotations.json').read_text(encoding='utf-8'))
BY_NAME = {name: each for each in QUOTATIONS for name in each['for']}
CLAIMS = [(paper.NAME, claim) for paper in reproduce.PAPERS for claim in paper.CLAIMS]
# A sentence or a table.
LONGEST = 500
# Marks an omission in a quotation, and in the column two places.
OMISSION = ' ... '
NUMBER = r'\d+(?:\.\d+)?'


def is_in(number, text):
    return re.search(rf'(?<![\d.]){re.escape(number)}(?!\.?\d)', text) is not None


def missing(paper, quotation):
    """The parts of the column that are not in the quotation: numbers, or words that are not there literally."""
    numbers = [number for number in re.findall(NUMBER, paper) if not is_in(number, quotation)]
    if re.fullmatch(rf'{NUMBER}(, {NUMBER})*', paper):
        return numbers
    return numbers + [part for part in paper.split(OMISSION) if part.lower() not in quotation.lower()]


def plain(text):
    """The text without marks of formulas and emphasis, and without line breaks."""
    return re.sub(r' ([,.])', r'\1', re.sub(r'\s+', ' ', re.sub(r'[$`*\\]', '', text)))


class Quotations(unittest.TestCase):
    def test_a_number_is_missing_if_it_is_only_a_part_of_another(self):
        self.assertEqual(missing('49', 'ELM has 490 and 0.49 kbit/s, 49.5 in the mean.'), ['49'])
        self.assertEqual(missing('49', 'ELM has 49.'), [])
        self.assertEqual(missing('0.99, 0.9', 'RLC 0.9, ELM 0.99'), [])
        self.assertEqual(missing('around 12 ... around 300', 'around 12, and then around 300'), [])
        self.assertEqual(missing('about 12', 'around 12'), ['about 12'])

    def test_the_column_only_has_what_its_quotation_has(self):
        numbers = 0
        for name, claim in CLAIMS:
            if claim.paper:
                with self.subTest(paper=name, where=claim.where, claim=claim.text):
                    self.assertIn(claim.quote, BY_NAME)
                    self.assertEqual(missing(claim.paper, BY_NAME[claim.quote]['text']), [])
                    self.assertTrue(claim.quote.startswith(f'{name}, '))
                    numbers += len(re.findall(NUMBER, claim.paper))
        self.assertGreater(numbers, 100)

    def test_claims_without_a_paper_are_judged_by_our_own_bar(self):
        for name, claim in CLAIMS:
            with self.subTest(paper=name, where=claim.where, claim=claim.text):
                self.assertIn(claim.rule, claims.PAPER_RULES + claims.OUR_RULES)
                if not claim.paper:
                    self.assertFalse(claim.is_judged() and claim.rule in claims.PAPER_RULES)

    def test_each_quotation_is_short_names_its_place_and_is_used(self):
        used = {claim.quote for _, claim in CLAIMS}
        for each in QUOTATIONS:
            with self.subTest(quotation=each['for']):
                self.assertLessEqual(len(each['text']), LONGEST)
                self.assertRegex(each['where'], r'(section|figure|table) \S')
                self.assertLessEqual(set(each['for']), used)


if 'LMCC_PAPERS' in os.environ:
    class Papers(unittest.TestCase):
        def test_each_quotation_is_in_a_paper(self):
            texts = [plain(path.read_text(encoding='utf-8')) for path in Path(os.environ['LMCC_PAPERS']).glob('*.txt')]
            for each in QUOTATIONS:
                with self.subTest(quotation=each['for']):
                    self.assertTrue(any(all(part in text for part in each['text'].split(OMISSION)) for text in texts))


if __name__ == '__main__':
    unittest.main(verbosity=2)
