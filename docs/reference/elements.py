# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pages of the elements, made from the built plugins and the comments in their sources."""
import re

from comments import read_comments

FOLDER = 'elements'
EXAMPLE = re.compile(r'\|\[.*?\]\|', re.DOTALL)
# The name of a message in a call that creates or posts it.
MESSAGE = re.compile(r'(?:gst_structure_new \(|post \(self, )"(lmcc-[a-z-]+|GstLmcc\w+)"')
FIELD = re.compile(r'`([a-z][a-z0-9-]*)`')


class Elements:
    def __init__(self, root, elements):
        self.comments = read_comments(root, (root / 'plugins').rglob('*.c'))
        self.elements = elements
        self.root = root

    def section(self, element):
        return self.comments.get(f'SECTION:element-{element.name}')

    def targets(self):
        """The page and anchor of each element, property and signal."""
        found = {}
        for element in self.elements:
            page = f'{FOLDER}/{element.name}.md'
            found |= {element.name: page, element.type: page}
            found |= {f'{element.type}:{item.name}': f'{page}#property-{item.name}' for item in element.properties}
            found |= {f'{element.type}::{name}': f'{page}#signal-{name}' for name, *_ in element.signals}
        return found

    def faults(self):
        faults = [fault for element in self.elements
                  for fault in [*section_faults(element, self.section(element)), *property_faults(element),
                                *self.signal_faults(element), *self.structure_faults(element)]]
        return faults + self.message_faults()

    def message_faults(self):
        """Messages that sources of a folder post but no element's comment in this folder describes."""
        described = {}
        for section in filter(None, map(self.section, self.elements)):
            described.setdefault((self.root / section.path).parent, []).append(section.description)
        return [f'{path.relative_to(self.root)}: the message {name} is in no comment SECTION:element-... in this folder'
                for folder, texts in described.items() for path in sorted(folder.glob('*.c'))
                for name in sorted(set(MESSAGE.findall(path.read_text(encoding='utf-8'))))
                if f'`{name}`' not in ' '.join(texts)]

    def signal_faults(self, element):
        for name, types, returned, _ in element.signals:
            comment = self.comments.get(f'{element.type}::{name}')
            if comment is None:
                yield f'{element.name}: the signal {name} has no comment {element.type}::{name}: in its source'
                continue
            # The first parameter is the element itself.
            if len(comment.parameters) != len(types) + 1:
                yield f'{comment.path}: {element.type}::{name}: has {len(types) + 1} parameters, but ' \
                      f'{len(comment.parameters)} are documented'
            if returned != 'void' and comment.returns is None:
                yield f'{comment.path}: {element.type}::{name}: the return value is not documented; add Returns:'

    def structure_faults(self, element):
        for name, fields in element.structures.items():
            comment = self.comments.get(f'{element.type}:{name}')
            documented = set(FIELD.findall(comment.description)) if comment else set()
            for missing in sorted(set(fields) - documented):
                yield f'{element.name}: the field {missing} of {name} is not in the comment {element.type}:{name}:'

    def pages(self, markup):
        """Yields (name, Markdown) of each page."""
        yield 'index', self.index(markup)
        for element in self.elements:
            yield element.name, self.page(element, markup)

    def index(self, markup):
        lines = ['# The elements', '',
                 '[Units and common rules](../../docs/users/elements.md) of properties and statistics.', '',
                 '| Element | |', '|---|---|']
        lines += [f'| [{element.name}]({element.name}.md) | {markup.cell(element.description)} |'
                  for element in self.elements]
        return '\n'.join(lines)

    def page(self, element, markup):
        section = self.section(element)
        lines = [f'# {element.name}', '', element.description + '.', '']
        if section:
            lines += [markup.text(section.description, 2), '']
            if see := section.tags.get('see_also'):
                see = ', '.join(markup.link(name.strip().lstrip('#')) for name in see.split(','))
                lines += [f'See also {see}.', '']
        lines += ['## Hierarchy', '', ' → '.join(f'`{name}`' for name in [*reversed(element.ancestors), element.type]),
                  '', f'Plugin `{element.plugin}`, class `{element.classification}`, rank {element.rank}.', '']
        return '\n'.join([*lines, *pads(element), *self.properties(element, markup), *self.signals(element, markup)])

    def properties(self, element, markup):
        if not element.properties and not element.inherited:
            return []
        lines = ['## Properties', '']
        if element.properties:
            lines += ['| Property | Type | Default | Unit | |', '|---|---|---|---|---|']
        for item in element.properties:
            lines.append(f'| [`{item.name}`](#property-{item.name}) | `{item.type}` | {code_cell(item.default)} | '
                         f'{item.unit} | {markup.cell(item.blurb)} |')
        lines.append('')
        lines += [f'Inherited from `{owner}`: ' + ', '.join(f'`{name}`' for name in names) + '.\n'
                  for owner, names in element.inherited.items()]
        for item in element.properties:
            lines += self.property(element, item, markup)
        return lines

    def property(self, element, item, markup):
        comment = self.comments.get(f'{element.type}:{item.name}')
        lines = [f'### {item.name} {{#property-{item.name}}}', '', markup.words(item.blurb) + '.', '']
        facts = [f'Type `{item.type}`', f'range {item.range}' if item.range else '',
                 f'default `{item.default}`', f'unit {item.unit}' if item.unit else '', item.flags]
        lines += ['; '.join(fact for fact in facts if fact) + '.', '']
        if item.values:
            lines += ['| Value | Number | |', '|---|--:|---|']
            lines += [f'| `{nick}` | {value} | {markup.cell(text)} |' for nick, value, text in item.values] + ['']
        if comment:
            lines += [markup.text(comment.description, 4), '']
        return lines

    def signals(self, element, markup):
        lines = ['## Signals', ''] if element.signals else []
        for name, types, returned, flags in element.signals:
            comment = self.comments.get(f'{element.type}::{name}')
            lines += [f'### {name} {{#signal-{name}}}', '',
                      f'`{returned} ({", ".join([element.type, *types])})`' + (f', {flags}' if flags else ''), '']
            if comment:
                lines += ['| Parameter | |', '|---|---|']
                lines += [f'| `{name}` | {markup.annotated(text)} |' for name, text in comment.parameters.items()]
                lines += ['', markup.text(comment.description, 4), '']
                if comment.returns:
                    lines += [f'**Returns** {markup.annotated(comment.returns)}', '']
        return lines


def code_cell(text):
    return f'`{text}`'.replace('|', '\\|')


def pads(element):
    lines = ['## Pads', ''] if element.pads else []
    for name, direction, presence, caps in element.pads:
        lines += [f'### {name} {{#pad-{name.replace("%", "")}}}', '', f'{direction}, {presence}', '', '```',
                  *caps.split('; '), '```', '']
    return lines


def section_faults(element, section):
    if section is None:
        return [f'{element.name}: no source has a comment SECTION:element-{element.name}']
    faults = []
    if not EXAMPLE.sub('', section.description).strip():
        faults.append(f'{section.path}: {section.name}: does not describe the element')
    if not EXAMPLE.search(section.description):
        faults.append(f'{section.path}: {section.name}: has no example between |[ and ]|')
    return faults


def property_faults(element):
    return [f'{element.name}: the property {item.name} has no blurb' for item in element.properties
            if not item.blurb.strip()]
