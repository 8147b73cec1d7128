# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""docs/glossary.md, and where headings, properties and statistics use other words than it defines."""
import re
from dataclasses import dataclass, field
from pathlib import Path

import texts

HERE = Path(__file__).resolve().parent
PAGE = 'docs/glossary.md'

ENTRY = re.compile(r'^### +(.*)\n\n((?:(?!^#).*\n?)*)', re.MULTILINE)
INSTEAD = re.compile(r'^\| ([^|]+) \| ([^|]+) \|$', re.MULTILINE)
INSTEAD_HEADING = '## Words that are not used'

# What a quantity of this name is measured in, and says so.
UNITS = {'bitrate': r'bit/s', 'bitrates': r'bit/s', 'latency': r'\bms\b', 'window': r'\bms\b',
         'timeout': r'\b(?:ms|ns|s|seconds)\b', 'interval': r'\b(?:ms|ns|s|seconds|pictures)\b'}


@dataclass
class Glossary:
    headings: list = field(default_factory=list)  # terms as they stand there, in lower case
    terms: dict = field(default_factory=dict)  # {term: definition}; a heading may have two, with a comma between
    instead: dict = field(default_factory=dict)  # {word that is not used: term}


def parse(text):
    entries, _, table = text.partition(INSTEAD_HEADING)
    found = Glossary()
    for heading, definition in ENTRY.findall(entries):
        found.headings.append(heading.replace('`', '').lower())
        for term in found.headings[-1].split(', '):
            found.terms[term] = ' '.join(definition.split())
    rows = [row for row in INSTEAD.findall(table) if not row[0].startswith(('-', 'Instead'))]
    for words, term in rows:
        for word in words.split(', '):
            found.instead[word.strip('*` ').lower()] = term.strip('*` ')
    return found


def words_of(text):
    return re.findall(r'[a-z]+', text.lower())


def singular(word):
    return word[:-1] if word.endswith('s') and not word.endswith('ss') else word


def known_words(glossary):
    """Of all terms, in the singular."""
    return {singular(word) for term in glossary.terms for word in words_of(term)}


def general_words():
    """Words that names may have and that mean what they mean everywhere."""
    lines = (HERE / 'general-words.txt').read_text(encoding='utf-8').splitlines()
    return {word for line in lines if not line.startswith('#') for word in line.split()}


def unused_terms(glossary, pages, names):
    """Terms that no other page and no name has."""
    text = ' '.join(' '.join(text.split()).lower() for path, text in pages.items() if path != PAGE)
    text += ' ' + ' '.join(names).replace('-', ' ')
    return [term for term in glossary.terms if not re.search(rf'\b{re.escape(term)}', text)]


def wrong_words(glossary, where):
    """(place, word, what to write) for each word of `where`, {place: text}, that another term stands for."""
    for place, text in where.items():
        flat = ' '.join(texts.WORD.findall(text.lower()))
        for word, term in glossary.instead.items():
            if re.search(rf'\b{re.escape(word)}\b', flat):
                yield place, word, term


def unknown_words(names, known):
    """{word: a name that has it} of properties' and statistics' names."""
    return {word: name for name in sorted(names) for word in name.split('-')
            if singular(word) not in known and word not in known}


def without_unit(quantities):
    """Names whose text, {name: text}, does not say in what they are measured."""
    return [name for name, text in quantities.items() for word, unit in UNITS.items()
            if name.split('-')[-1] == word and not re.search(unit, text)]
