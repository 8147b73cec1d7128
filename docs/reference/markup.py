# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Converts gtk-doc markup to Markdown: #Type, #Type:property, #Type::signal, %CONSTANT, function(), @parameter, |[
]|."""
import re

CODE = re.compile(r'(`[^`]+`)')
MARK = re.compile(r'#([A-Za-z_]\w*(?:::?[a-z][a-z0-9-]*)?)|%([A-Za-z_]\w*)|\b([a-z_]\w+)\(\)|@(\w+)')
LIST_ITEM = re.compile(r'^\s*(\*|-|\d+\.) ')


class Markup:
    """Links names to their documentation; a target is a path below the generated pages with an anchor."""

    def __init__(self, targets):
        self.targets = targets

    def link(self, name, shown=None):
        target = self.targets.get(name)
        code = f'`{shown or name}`'
        return f'[{code}](../{target})' if target else code

    def mark(self, found):
        reference, constant, function, parameter = found.groups()
        if reference:
            name = reference.split(':')[-1] if ':' in reference else reference
            return self.link(reference, name)
        if function:
            return self.link(function, f'{function}()')
        return self.link(constant) if constant else f'`{parameter}`'

    def words(self, text):
        """Converts a line or a paragraph."""
        parts = CODE.split(text)
        for i in range(0, len(parts), 2):
            parts[i] = MARK.sub(self.mark, parts[i].replace('<', '&lt;'))
            parts[i] = re.sub(r'(?<=\w)\*(?=\w)|(?<![\s`])_(?=\s)', r'\\\g<0>', parts[i])
        return ''.join(parts)

    def cell(self, text):
        """Converts the text of a table cell."""
        return self.words(' '.join(text.split())).replace('|', '&#124;')

    def annotated(self, text):
        notes = ', '.join(f'*{note}*' for note in text.annotations)
        return ' '.join(part for part in (f'({notes})' if notes else '', self.cell(text.text)) if part)

    def text(self, text, level=3):
        """Converts paragraphs with examples, lists and headings; headings get the level `level`."""
        lines, in_code = [], False
        for line in text.split('\n'):
            if line.strip() in ('|[', ']|'):
                in_code = line.strip() == '|['
                lines += ['', '```'] if in_code else ['```', '']
            elif in_code:
                lines.append(line)
            elif found := re.match(r'#+ (.*)', line):
                lines += ['', '#' * level + ' ' + found[1], '']
            else:
                if LIST_ITEM.match(line) and lines and lines[-1] and not in_list(lines):
                    lines.append('')
                lines.append(self.words(line))
        return '\n'.join(lines)


def in_list(lines):
    """Whether the last line is in a paragraph that starts with a list item."""
    for line in reversed(lines):
        if not line:
            return False
        if LIST_ITEM.match(line):
            return True
    return False
