# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pages of the library, one for each installed header."""
from comments import read_comments
from declarations import read_header

FOLDER = 'library'
HEADINGS = {'function': 'Functions', 'structure': 'Structures', 'enumeration': 'Enumerations', 'callback': 'Callbacks',
            'type': 'Types', 'macro': 'Macros', 'constant': 'Constants'}
# Title of the table of members.
MEMBERS = {'function': 'Parameter', 'callback': 'Parameter', 'macro': 'Parameter', 'structure': 'Field',
           'enumeration': 'Value'}


def once(headers):
    """Removes declarations of types whose definition is in another header."""
    defined = {symbol.name for symbols in headers.values() for symbol in symbols if symbol.kind == 'structure'}
    return {header: [symbol for symbol in symbols if symbol.kind != 'type' or symbol.name not in defined]
            for header, symbols in headers.items()}


class Library:
    def __init__(self, root):
        source = root / 'gst/lmcc'
        self.comments = read_comments(root, [*source.rglob('*.h'), *source.rglob('*.c')])
        self.headers = once({path.stem: read_header(path) for path in sorted(source.glob('lmcc-*.h'))})

    def symbols(self):
        return [symbol for symbols in self.headers.values() for symbol in symbols]

    def targets(self):
        """The page and anchor of each symbol and of each value of an enumeration."""
        found = {}
        for header, symbols in self.headers.items():
            for symbol in symbols:
                page = f'{FOLDER}/{header}.md#{symbol.name}'
                found[symbol.name] = page
                if symbol.kind == 'enumeration':
                    found |= {member: page for member in symbol.members}
        return found

    def faults(self):
        """Public symbols whose documentation is missing or incomplete."""
        return [fault for symbol in self.symbols() for fault in faults_of(symbol, self.comments.get(symbol.name))]

    def pages(self, markup):
        """Yields (name, Markdown) of each page."""
        yield 'index', self.index(markup)
        for header, symbols in self.headers.items():
            yield header, self.page(header, symbols, markup)

    def index(self, markup):
        lines = ['# The library', '', 'The declarations of `#include <gst/lmcc/lmcc.h>`. '
                 '[Embedding](../../docs/developers/embedding.md) shows how the parts work together.', '']
        for header, symbols in self.headers.items():
            names = ', '.join(markup.link(symbol.name) for symbol in symbols if symbol.kind != 'constant')
            lines += [f'## [{header}.h]({header}.md)', '', names, '']
        return '\n'.join(lines)

    def page(self, header, symbols, markup):
        lines = [f'# {header}.h', '', f'`#include <gst/lmcc/{header}.h>`', '']
        for kind, heading in HEADINGS.items():
            of_kind = [symbol for symbol in symbols if symbol.kind == kind]
            if of_kind:
                lines += [f'## {heading}', '']
            for symbol in of_kind:
                lines += entry(symbol, self.comments.get(symbol.name), markup)
        return '\n'.join(lines)


def entry(symbol, comment, markup):
    lines = [f'### {symbol.name} {{#{symbol.name}}}', '', '```c', symbol.declaration, '```', '']
    if comment is None:
        return [*lines, markup.text(symbol.plain_comment, 4), '']
    lines += [markup.text(comment.description, 4), '']
    texts = {name: comment.parameters[name] for name in symbol.members if name in comment.parameters}
    if texts:
        lines += [f'| {MEMBERS[symbol.kind]} | |', '|---|---|']
        lines += [f'| `{name}` | {markup.annotated(text)} |' for name, text in texts.items()] + ['']
    if comment.returns:
        lines += [f'**Returns** {markup.annotated(comment.returns)}', '']
    if comment.since:
        lines += [f'Since {comment.since}.', '']
    return lines


def faults_of(symbol, comment):
    where = f'gst/lmcc/{symbol.header}: {symbol.name}'
    if comment is None:
        if symbol.kind == 'constant' and symbol.plain_comment:
            return []
        return [f'{where}: has no documentation; add a comment /** ... */ with this name as its first line']
    where = f'{comment.path}: {symbol.name}'
    faults = [f'{where}: @{name} is not documented' for name in symbol.members
              if not comment.parameters.get(name) or not comment.parameters[name].text]
    faults += [f'{where}: @{name} is documented but does not exist' for name in comment.parameters
               if name not in symbol.members and symbol.kind != 'type']
    if symbol.returns and not (comment.returns and comment.returns.text):
        faults.append(f'{where}: the return value is not documented; add Returns:')
    if not comment.description.strip() and not comment.returns and not comment.parameters:
        faults.append(f'{where}: its comment is empty')
    return faults
