# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks the language of the texts: codespell finds misspelt words in all files, proselint weak phrases in pages."""
import concurrent.futures
import functools
import importlib.metadata
import importlib.util
import inspect
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections import namedtuple
from pathlib import Path

import prose

HERE = Path(__file__).resolve().parent

# Releases of the programs; others report other faults.
CODESPELL = '2.2'
PROSELINT = '0.10'

# A word. codespell's own expression includes a quotation mark after the word.
WORD = r"\w[\w-]*(?:['’]\w+)*"

# Files that are not checked: data, pictures, licences, pages that tests/sim makes from strings in its programs (which
# are checked there), and the lists of words and names.
LEFT_OUT = re.compile(r'\.(?:json|jsonl|lock|po|svg|symbols)$|^debian/copyright$|^LICENSE$|/corpus/|^tests/check/data/'
                      r'|^docs/reproduction/(?!README|coverage)[^/]*\.md$|^tests/style_parts/(?:prose\.py|\w+\.txt)$')

Page = namedtuple('Page', 'name path text')


@functools.cache
def why_not_spelling():
    """The reason why spelling cannot be checked here; None if it can."""
    if not shutil.which('codespell'):
        return 'spelling is not checked: codespell is not installed (Debian: codespell)'
    if prose.get_lexer_by_name is None:
        return 'spelling is not checked: Pygments is not installed (Debian: python3-pygments)'
    release = subprocess.run(['codespell', '--version'], capture_output=True, text=True, check=False).stdout.strip()
    if not release.startswith(CODESPELL + '.'):
        return f'spelling is checked on Debian 12, with codespell {CODESPELL}; this release has other words: {release}'
    return None


@functools.cache
def why_not_phrases():
    """The reason why phrases cannot be checked here; None if they can."""
    if importlib.util.find_spec('proselint') is None:
        return 'phrases are not checked: proselint is not installed (Debian: python3-proselint)'
    release = importlib.metadata.version('proselint')
    if not release.startswith(PROSELINT + '.'):
        return f'phrases are checked on Debian 12, with proselint {PROSELINT}; this release has other checks: {release}'
    return None


def reasons():
    """The reasons why parts of the language are not checked here."""
    return [reason for reason in (why_not_spelling(), why_not_phrases()) if reason]


def read(name, path):
    """Returns the page; None for a binary file or invalid UTF-8, which the check of the format reports."""
    data = path.read_bytes()
    try:
        return None if b'\0' in data else Page(name, path, data.decode('utf-8'))
    except UnicodeDecodeError:
        return None


def misspellings(pages):
    """Yields (name of the page, fault). Extracts the prose of a program, which is slow, only if codespell finds a
    word."""
    by_path = {str(page.path): page for page in pages}
    options = ['--dictionary=-', f'--dictionary={HERE / "british.txt"}', f'--ignore-words={HERE / "accepted.txt"}',
               '--uri-ignore-words-list=*', f'--regex={WORD}', '--check-hidden']
    result = subprocess.run(['codespell', *options, '--', *by_path], capture_output=True, text=True, check=False)
    found = re.findall(r'^(.+):(\d+): (\S+) ==> (.+)$', result.stdout, re.MULTILINE)
    if result.stderr or len(found) != len(result.stdout.splitlines()):
        raise RuntimeError(f'codespell: {result.stderr or result.stdout}')
    prose_of = functools.cache(lambda path: prose.words(by_path[path].path, by_path[path].text).split('\n'))
    for path, line, word, correct in dict.fromkeys(found):
        if re.search(rf'(?<![\w-]){re.escape(word)}(?![\w-])', prose_of(path)[int(line) - 1]):
            name = by_path[path].name
            yield name, f'{name}:{line}: "{word}" is misspelt; write {correct}'


@functools.cache
def checks():
    """The checks of proselint without its cache on disk, except those that are off in proselint.json."""
    with tempfile.TemporaryDirectory() as directory:
        os.environ['XDG_CACHE_HOME'] = directory
        from proselint import tools
        options = json.loads((Path(tools.proselint_path) / '.proselintrc').read_text(encoding='utf-8'))
        off = json.loads((HERE / 'proselint.json').read_text(encoding='utf-8'))['off']
        unknown = off.keys() - options['checks'].keys()
        if unknown:
            raise RuntimeError(f'{HERE / "proselint.json"}: proselint does not have {", ".join(sorted(unknown))}')
        options['checks'] = {name: on and name not in off for name, on in options['checks'].items()}
        return [inspect.unwrap(check) for check in tools.get_checks(options)]


def weak_phrases(page):
    """Returns a list of (name of the page, fault)."""
    text = prose.sentences(page.text)
    faults = set()
    for check in checks():
        for start, end, name, message, replacement in check(text):
            phrase = text[start - 1:end].strip()
            advice = f'; write "{replacement}"' if isinstance(replacement, str) else ''
            line = text.count('\n', 0, start) + 1
            faults.add((line, f'{page.name}:{line}: "{phrase}": {message.rstrip(".")}{advice} (proselint: {name})'))
    return [(page.name, fault) for _, fault in sorted(faults)]


def faults(paths):
    """The faults in the language of files, as lists of lines by name; `paths` has their paths by name."""
    pages = [page for page in (read(name, path) for name, path in paths.items() if not LEFT_OUT.search(name)) if page]
    found = []
    if pages and why_not_spelling() is None:
        found.extend(misspellings(pages))
    if why_not_phrases() is None:
        long_first = sorted((page for page in pages if page.path.suffix == '.md'), key=lambda page: -len(page.text))
        with concurrent.futures.ProcessPoolExecutor() as workers:
            found.extend(fault for some in workers.map(weak_phrases, long_first) for fault in some)
    by_name = {}
    for name, fault in found:
        by_name.setdefault(name, []).append(fault)
    return by_name
