# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The hand-written pages, in the directories of the repository, with the files that they link to."""
import re
import shutil

TARGET = re.compile(r'\]\(([^)\s#]+)(?:#[^)\s]*)?\)')
FENCE = re.compile(r'^(```|~~~)')
LIST_ITEM = re.compile(r'^(\s*)([-*+]|\d+\.) ')
FIRST = ['README.md', 'CONTRIBUTING.md']


def linked_files(page):
    """The files of the repository that a page links to, whether they exist or not."""
    text = page.read_text(encoding='utf-8')
    return [(page.parent / target).resolve() for target in TARGET.findall(text) if '://' not in target]


def copy_pages(root, tree):
    """Copies the pages and the files that they link to. Returns the paths of the pages."""
    waiting = [root / name for name in FIRST]
    waiting += sorted(path for path in (root / 'docs').rglob('*.md'))
    pages = []
    while waiting:
        path = waiting.pop(0)
        copy = tree / path.relative_to(root)
        if copy.exists():
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == '.md':
            copy.write_text(for_markdown(path.read_text(encoding='utf-8')), encoding='utf-8')
            pages.append(str(path.relative_to(root)))
            waiting += [linked for linked in linked_files(path) if linked.is_file() and linked.is_relative_to(root)]
        else:
            shutil.copyfile(path, copy)
    return pages


def for_markdown(text):
    """Converts GitHub's Markdown for Python-Markdown, which needs an empty line before a list, and four spaces before a
    nested list or another paragraph of an item."""
    lines, fenced, depth = [], False, []
    for line in text.split('\n'):
        if FENCE.match(line.lstrip()):
            fenced = not fenced
        item = None if fenced else LIST_ITEM.match(line)
        if item:
            depth = [width for width in depth if width <= len(item[1])] or [len(item[1])]
            if depth[-1] < len(item[1]):
                depth.append(len(item[1]))
            if not inside_list(lines):
                lines.append('')
            line = '    ' * (len(depth) - 1) + line.lstrip()
        elif line and not line[0].isspace() and lines and not lines[-1]:
            depth = []
        elif depth and line[:1].isspace() and not item:
            line = '    ' * len(depth) + line[depth[-1] + 2:] if line[:depth[-1] + 2].isspace() else line
        lines.append(line)
    return '\n'.join(lines)


def inside_list(lines):
    """Whether the latest line is empty, or in a paragraph that starts with a list item."""
    if not lines or not lines[-1].strip():
        return True
    for line in reversed(lines):
        if LIST_ITEM.match(line):
            return True
        if not line.strip() or line.startswith('#'):
            return False
    return False
