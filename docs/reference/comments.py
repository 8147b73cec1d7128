# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads gtk-doc comments of C sources."""
import re
from dataclasses import dataclass, field

BLOCK = re.compile(r'/\*\*[ \t]*\n(.*?)\*/', re.DOTALL)
# A symbol, Type:property, Type::signal or SECTION:name.
NAME = re.compile(r'((?:SECTION:)?[A-Za-z_][\w-]*(?:::?[A-Za-z][\w-]*)?):?$')
PARAMETER = re.compile(r'@([\w.]+|\.\.\.):(.*)$')
RETURNS = re.compile(r'Returns:(.*)$')
SINCE = re.compile(r'Since:\s*(\S+)\s*$')
SECTION_TAG = re.compile(r'@(title|short_description|see_also):\s*(.*)$')
ANNOTATION = re.compile(r'\s*\(((?:transfer|nullable|out|inout|in|array|element-type|optional|scope|closure|destroy|'
                        r'not nullable|allow-none|skip|type|default|caller-allocates)\b[^()]*)\)')


@dataclass
class Text:
    """The documentation of one item, and its annotations."""
    text: str
    annotations: list = field(default_factory=list)


@dataclass
class Comment:
    name: str
    path: str
    description: str = ''
    parameters: dict = field(default_factory=dict)
    returns: Text | None = None
    tags: dict = field(default_factory=dict)
    since: str = ''


def without_stars(body):
    return [re.sub(r'^\s*\* ?', '', line).rstrip() for line in body.rstrip().split('\n')]


def take_annotations(text):
    annotations = []
    while found := ANNOTATION.match(text):
        annotations.append(found[1].strip())
        text = text[found.end():]
    if annotations:
        text = text.lstrip(':').lstrip()
    return Text(text.strip(), annotations)


def parse_block(body, path):
    """Parses a comment block. Returns None if its first line is not a name."""
    lines = without_stars(body)
    name = NAME.match(lines[0]) if lines else None
    if name is None:
        return None
    comment = Comment(name[1], path)
    comment.parameters, lines = take_parameters(comment, lines[1:])
    description, returns = [], None
    for line in lines:
        if found := SINCE.match(line):
            comment.since = found[1]
        elif found := RETURNS.match(line):
            returns = [found[1]]
        elif returns is not None and line:
            returns.append(line.strip())
        else:
            description.append(line)
    if returns is not None:
        comment.returns = take_annotations(' '.join(returns))
    comment.description = '\n'.join(description).strip('\n')
    return comment


def take_parameters(comment, lines):
    """Returns (texts by name, remaining lines). The parameters are at the start of the block, up to an empty line."""
    texts = {}
    latest = None
    for number, line in enumerate(lines):
        if found := SECTION_TAG.match(line) if comment.name.startswith('SECTION:') else None:
            comment.tags[found[1]] = found[2]
        elif found := PARAMETER.match(line):
            latest = found[1]
            texts[latest] = [found[2].strip()]
        elif line.startswith(' ') and latest is not None:
            texts[latest].append(line.strip())
        else:
            break
    else:
        number = len(lines)
    return {name: take_annotations(' '.join(text)) for name, text in texts.items()}, lines[number:]


def read_comments(root, paths):
    """The comments in the files by name. Of several comments with a name, the first with the most parameters counts."""
    comments = {}
    for path in sorted(paths):
        for block in BLOCK.finditer(path.read_text(encoding='utf-8')):
            if comment := parse_block(block[1], str(path.relative_to(root))):
                known = comments.get(comment.name)
                if known is None or len(comment.parameters) > len(known.parameters):
                    comments[comment.name] = comment
    return comments
