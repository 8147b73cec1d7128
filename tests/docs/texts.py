# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pages as texts: which of them people write, their headings and paragraphs, and what stands in two of them."""
import re
from collections import defaultdict

# What programs write: whole pages, or tables between marks, each with a sentence of what it shows.
GENERATED = re.compile(r'docs/measured/|docs/reproduction/(?!README|coverage)')

# Fenced, or indented behind an empty line.
FENCE = re.compile(r'^ *```.*?^ *```[^\n]*\n?|(?<=\n\n)(?: {4,}.*\n)+', re.DOTALL | re.MULTILINE)
COMMENT = re.compile(r'<!--.*?-->', re.DOTALL)
HEADING = re.compile(r'^(#+) +(.*)$', re.MULTILINE)
LINK = re.compile(r'\]\([^)]*\)')
WORD = re.compile(r"\w[\w'’-]*")

# Two paragraphs say the same where this share of the runs of RUN words of the shorter one stands in the other, too. A
# paragraph of fewer words has too few runs to be judged.
RUN = 4
SHARE = 0.5
LEAST_WORDS = 18


def pages(root):
    """{path relative to root: text} of the README, of CONTRIBUTING and of all pages under docs."""
    paths = [root / 'README.md', root / 'CONTRIBUTING.md', *sorted((root / 'docs').rglob('*.md'))]
    return {str(path.relative_to(root)): path.read_text(encoding='utf-8') for path in paths}


def is_written_by_hand(path):
    return GENERATED.match(path) is None


def count_words(text):
    """As a reader counts: a bar of a table or a sign of a list is no word."""
    return sum(any(letter.isalnum() for letter in word) for word in text.split())


def headings(text):
    return [heading for _, heading in HEADING.findall(FENCE.sub('', text))]


def paragraphs(text):
    """Prose, and items of lists: no code, table, heading or comment."""
    prose = COMMENT.sub('', FENCE.sub('\n', text))
    for block in re.split(r'\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )', prose):
        if block.strip() and not block.lstrip().startswith(('#', '|')):
            yield ' '.join(block.split())


def runs(paragraph):
    """The runs of RUN words in it, without the targets of links; nothing for a short paragraph."""
    words = WORD.findall(LINK.sub(']', paragraph).lower())
    if len(words) < LEAST_WORDS:
        return frozenset()
    return frozenset(tuple(words[i:i + RUN]) for i in range(len(words) - RUN + 1))


def said_twice(texts):
    """One line for each pair of paragraphs of two pages, {path: text}, that say the same."""
    all_runs = [(path, paragraph, runs(paragraph)) for path, text in texts.items() for paragraph in paragraphs(text)]
    where = defaultdict(set)
    for number, (_, _, found) in enumerate(all_runs):
        for run in found:
            where[run].add(number)
    common = defaultdict(int)
    for numbers in where.values():
        for first in numbers:
            for second in numbers:
                if first < second and all_runs[first][0] != all_runs[second][0]:
                    common[first, second] += 1
    for (first, second), shared in sorted(common.items()):
        path, paragraph, found = all_runs[first]
        other, _, others = all_runs[second]
        if shared >= SHARE * min(len(found), len(others)):
            yield f'{path} and {other} both say: {paragraph[:100]}'
