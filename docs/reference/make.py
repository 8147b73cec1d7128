#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Builds a static site: the pages of docs/ and a reference of the elements and the library, with a search function.

Usage: make.py BUILD SITE

BUILD is the directory with the built plugins. The program replaces the directory SITE. The site loads nothing from
other servers.
"""
import logging
import re
import shutil
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
import elements  # noqa: E402
import library  # noqa: E402
from introspection import Plugins  # noqa: E402
from markup import Markup  # noqa: E402
from pages import copy_pages  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = 'reference'
THEME = Path(__file__).resolve().parent / 'theme'
# The sections of the navigation in order, by the start of the paths of their pages.
SECTIONS = {'docs/users/': 'Users', 'docs/operators/': 'Operators', 'docs/developers/': 'Developers',
            'CONTRIBUTING.md': 'Developers', 'docs/researchers/': 'Researchers', 'docs/measured/': 'Measured',
            'docs/reproduction/': 'Reproduction'}
FIRST = ['README.md', 'docs/README.md']
NEEDED = {'mkdocs': 'mkdocs', 'gi': 'python3-gi'}


def anchor(text, separator):
    """The anchor of a heading, as GitHub makes it."""
    return re.sub(r'[^\w\- ]', '', text.strip().lower()).replace(' ', separator)


def missing_packages():
    """The missing Debian packages."""
    missing = []
    for module, package in NEEDED.items():
        try:
            __import__(module)
        except ImportError:
            missing.append(package)
    if 'python3-gi' not in missing:
        import gi
        try:
            gi.require_version('Gst', '1.0')
        except ValueError:
            missing.append('gir1.2-gstreamer-1.0')
    return missing


def read_parts(build):
    """The parts of the reference: the elements and the library."""
    return ((elements.FOLDER, elements.Elements(ROOT, Plugins(build).elements())),
            (library.FOLDER, library.Library(ROOT)))


def write_reference(parts, tree):
    """Writes the generated pages. Returns their paths by folder."""
    markup = Markup({name: target for _, part in parts for name, target in part.targets().items()})
    written = {}
    for folder, part in parts:
        (tree / REFERENCE / folder).mkdir(parents=True)
        for name, text in part.pages(markup):
            path = f'{REFERENCE}/{folder}/{name}.md'
            (tree / path).write_text(text, encoding='utf-8')
            written.setdefault(folder, []).append(path)
    return written


def navigation(written, reference):
    """The navigation: a section for each folder of docs/, with its pages in the order of docs/README.md."""
    index = (ROOT / 'docs/README.md').read_text(encoding='utf-8')
    order = [str((ROOT / 'docs' / target).resolve().relative_to(ROOT)) for target in re.findall(r'\]\(([^)#]+)', index)]
    pages = sorted(written, key=lambda path: (order.index(path) if path in order else len(order), path))
    sections = {title: [] for title in dict.fromkeys(['Start', *SECTIONS.values()])}
    for path in pages:
        sections[section_of(path)].append(path)
    sections['Start'] = [*FIRST, *(path for path in sections['Start'] if path not in FIRST)]
    sections |= {'Elements': reference[elements.FOLDER], 'Library': reference[library.FOLDER]}
    return [{title: paths} for title, paths in sections.items() if paths]


def section_of(path):
    """The title of the section of a page; pages outside the folders are in the first section."""
    return next((title for start, title in SECTIONS.items() if path.startswith(start)), 'Start')


def build_site(tree, site, pages):
    from mkdocs.commands.build import build
    from mkdocs.config import load_config
    config = tree.parent / 'mkdocs.yml'
    config.write_text('site_name: lmcc\n', encoding='utf-8')
    # A custom theme: Debian's mkdocs packages lack scripts of the standard themes, which load files from other servers.
    build(load_config(str(config), docs_dir=str(tree), site_dir=str(site), nav=pages, use_directory_urls=False,
                      theme={'name': None, 'custom_dir': str(THEME), 'search_index_only': True},
                      plugins=['search'], markdown_extensions=['attr_list', {'toc': {'slugify': anchor}}]))
    index = site / 'search/search_index.json'
    (site / 'search/index.js').write_text(f'window.searchIndex = {index.read_text(encoding="utf-8")};\n',
                                          encoding='utf-8')
    index.unlink()


def make(parts, site):
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / 'tree'
        tree.mkdir()
        written = copy_pages(ROOT, tree)
        reference = write_reference(parts, tree)
        shutil.rmtree(site, ignore_errors=True)
        build_site(tree, site, navigation(written, reference))


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    if missing := missing_packages():
        sys.exit(f'The site needs packages that are not installed: sudo apt install {" ".join(missing)}')
    logging.basicConfig(level=logging.WARNING, format='%(message)s')
    build, site = sys.argv[1], Path(sys.argv[2]).resolve()
    parts = read_parts(build)
    make(parts, site)
    print(f'{site}/index.html')
    return 0


if __name__ == '__main__':
    sys.exit(main())
