#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests of the pages: their length, that nothing is said twice, and that newcomers' tasks lead from link to link."""
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
import tasks  # noqa: E402
import texts  # noqa: E402

# What a reader has the patience for.
MOST_LINES_OF_README = 130
MOST_WORDS_OF_ARCHITECTURE = 1800
MOST_WORDS = 45000


class ThePages(unittest.TestCase):
    pages = texts.pages(ROOT)

    def test_the_readme_is_short(self):
        self.assertLessEqual(len(self.pages['README.md'].splitlines()), MOST_LINES_OF_README)

    def test_the_architecture_is_short(self):
        words = texts.count_words(self.pages['docs/developers/architecture.md'])
        self.assertLessEqual(words, MOST_WORDS_OF_ARCHITECTURE)

    def test_all_that_is_written_by_hand_can_be_read(self):
        """Code and tables count, too."""
        words = {path: texts.count_words(text) for path, text in self.pages.items()
                 if path.startswith('docs/') and texts.is_written_by_hand(path)}
        self.assertLessEqual(sum(words.values()), MOST_WORDS, words)

    def test_nothing_is_said_on_two_pages(self):
        by_hand = {path: text for path, text in self.pages.items() if texts.is_written_by_hand(path)}
        self.assertEqual(list(texts.said_twice(by_hand)), [])

    def test_each_task_leads_from_link_to_link(self):
        for task in tasks.TASKS.values():
            with self.subTest(task.title):
                self.assertEqual(tasks.trail_faults(task.trail), [])


class WhatIsSaidTwice(unittest.TestCase):
    SENTENCE = 'A receiver joins as many layers as its path can carry, and leaves the highest one after packet loss.'

    def pairs(self, first, second):
        return list(texts.said_twice({'a.md': first, 'b.md': second}))

    def test_the_same_paragraph_is_found(self):
        self.assertEqual(len(self.pairs(f'# A\n\n{self.SENTENCE}\n', f'Other words.\n\n{self.SENTENCE}\n')), 1)

    def test_it_is_found_with_other_line_breaks_and_some_other_words(self):
        changed = self.SENTENCE.replace(' layers ', '\n[layers](c.md) ').replace('highest', 'top')
        self.assertEqual(len(self.pairs(self.SENTENCE, changed)), 1)

    def test_items_of_lists_are_compared(self):
        self.assertEqual(len(self.pairs(f'- one\n- {self.SENTENCE}\n', f'1. {self.SENTENCE}\n2. two\n')), 1)

    def test_a_page_may_repeat_itself(self):
        self.assertEqual(self.pairs(f'{self.SENTENCE}\n\n{self.SENTENCE}\n', 'Nothing of it.'), [])

    def test_code_tables_and_headings_are_no_prose(self):
        for form in ('```sh\n{}\n```\n', 'So:\n\n    {}\n', '| {} |\n', '# {}\n', '<!-- {} -->\n'):
            with self.subTest(form):
                self.assertEqual(self.pairs(form.format(self.SENTENCE), form.format(self.SENTENCE)), [])

    def test_other_sentences_of_the_same_words_are_not_the_same(self):
        other = ' '.join(reversed(self.SENTENCE.split()))
        self.assertEqual(self.pairs(self.SENTENCE, other), [])


class Trails(unittest.TestCase):
    def faults(self, pages, trail):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in pages.items():
                path = Path(folder) / name
                path.parent.mkdir(exist_ok=True)
                path.write_text(text, encoding='utf-8')
            return tasks.trail_faults(trail, Path(folder))

    COMMAND = '## How\n\n```sh\ntrue\n```\n'

    def test_a_link_to_the_page_or_a_place_in_it_leads_on(self):
        for link in ('docs/b.md', 'docs/b.md#how', './docs/../docs/b.md'):
            pages = {'a.md': f'[b]({link})', 'docs/b.md': self.COMMAND}
            self.assertEqual(self.faults(pages, ['a.md', 'docs/b.md#how']), [], link)

    def test_a_missing_link_page_section_or_command_is_a_fault(self):
        pages = {'a.md': '[b](docs/c.md)', 'docs/b.md': self.COMMAND, 'docs/c.md': '# No command\n'}
        for trail, fault in ((['a.md', 'docs/b.md'], 'a.md has no link to docs/b.md'),
                             (['a.md', 'docs/d.md'], 'there is no docs/d.md'),
                             (['a.md', 'docs/c.md#what'], 'there is no docs/c.md#what'),
                             (['a.md', 'docs/c.md'], 'docs/c.md has no command')):
            self.assertIn(fault, self.faults(pages, trail))

    def test_a_section_ends_where_the_next_of_its_rank_begins(self):
        text = '# A\n\n## B\n\n```sh\n# C\n```\n\n### D\n\nd\n\n## E\n\ne\n'
        self.assertEqual(tasks.section(text, 'b'), '## B\n\n```sh\n# C\n```\n\n### D\n\nd\n\n')
        self.assertEqual(tasks.section(text, 'e'), '## E\n\ne\n')
        self.assertIsNone(tasks.section(text, 'c'))

    def test_the_commands_of_a_section_are_its_blocks(self):
        text = '`./never run`\n\n<!-- together 3 -->\n```sh\n./a\n./b\n```\n\n```sh\n./c\n```\n'
        self.assertEqual(tasks.steps_of(text), [(3, ['./a', './b']), (None, ['./c\n'])])


if __name__ == '__main__':
    unittest.main()
