# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads the declarations of an installed header. It is not a C parser: it knows only the forms in the library's headers
and refuses others."""
import re
from dataclasses import dataclass, field

COMMENT = re.compile(r'/\*(\*?)(.*?)\*/', re.DOTALL)
DIRECTIVE = re.compile(r'#[^\n]*(?:(?<=\\)\n[^\n]*)*')
LINE_MACRO = re.compile(r'G_\w+(?: ?\([^;{}\n]*(?:\n[^;{}\n]*)?\))?;?[ \t]*(?=\n)')
MACRO = re.compile(r'#define\s+(\w+)(?:\(([^)]*)\))?(.*)', re.DOTALL)
FUNCTION = re.compile(r'(\w+)\s*\((.*)\)$', re.DOTALL)
CALLBACK = re.compile(r'\(\s*\*\s*(\w+)\)\s*\((.*)\)$', re.DOTALL)


class UnknownForm(Exception):
    """A header has a declaration of an unknown form."""


@dataclass
class Symbol:
    name: str
    kind: str  # function, macro, constant, enumeration, structure, callback or type
    declaration: str
    header: str
    members: list = field(default_factory=list)
    returns: bool = False
    plain_comment: str = ''


def end_of_declaration(text, start):
    """The position behind the semicolon of a declaration, or behind the closing brace of a function's body."""
    depth = 0
    body = text.startswith('static inline', start)
    for at in range(start, len(text)):
        if text[at] == '{':
            depth += 1
        elif text[at] == '}':
            depth -= 1
            if depth == 0 and body:
                return at + 1
        elif text[at] == ';' and depth == 0:
            return at + 1
    raise UnknownForm(f'the declaration that starts with {text[start:start + 60]!r} has no end')


def pieces(text):
    """Yields (kind, text) of the top-level parts of a header; a kind is documentation, comment, directive, declaration
    or empty (an empty line)."""
    at = 0
    while at < len(text):
        if space := re.compile(r'\s+').match(text, at):
            if space[0].count('\n') > 1:
                yield 'empty', ''
            at = space.end()
        elif found := COMMENT.match(text, at):
            yield ('documentation' if found[1] else 'comment'), found[2]
            at = found.end()
        elif found := DIRECTIVE.match(text, at):
            yield 'directive', found[0]
            at = found.end()
        elif found := LINE_MACRO.match(text, at):
            at = found.end()
        else:
            end = end_of_declaration(text, at)
            yield 'declaration', text[at:end]
            at = end


def split_parameters(text):
    """Splits a list of parameters at commas, except those in parentheses."""
    parts, depth = [''], 0
    for character in text:
        depth += {'(': 1, ')': -1}.get(character, 0)
        if character == ',' and depth == 0:
            parts.append('')
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def parameter_name(text):
    if text == '...':
        return text
    if found := CALLBACK.search(text):
        return found[1]
    return re.search(r'(\w+)\s*(?:\[[^\]]*\]\s*)*(?::\s*\d+)?$', text)[1]


def parameter_names(text):
    return [parameter_name(part) for part in split_parameters(text) if part != 'void']


def public_part(body):
    """The body of a structure without comments and without its private members."""
    return COMMENT.sub('', body.split('/*< private >*/')[0])


def member_names(body):
    names = []
    for statement in public_part(body).split(';'):
        statement = statement.strip()
        if statement:
            names += [parameter_name(part) for part in split_parameters(statement)]
    return names


def enumeration_names(body):
    return [part.split('=')[0].strip() for part in split_parameters(public_part(body))]


def compound(declaration):
    """(word, name, body) of an enumeration, structure or union; None for other declarations."""
    found = re.match(r'(?:typedef\s+)?(enum|struct|union)\s*(\w*)\s*\{(.*)\}\s*(\w*)\s*;$', declaration, re.DOTALL)
    return found and (found[1], found[4] or found[2].lstrip('_'), found[3])


def shown(declaration):
    """The declaration as the page shows it, without function bodies and private members."""
    text = declaration
    if text.startswith('static inline'):
        text = text[:text.index('{')].strip() + ';'
    elif '/*< private >*/' in text:
        head, tail = text.split('/*< private >*/')
        text = head.rstrip() + '\n' + tail[tail.index('}'):]
    text = COMMENT.sub('', text)
    text = re.sub(r'^(LMCC_API|static inline)\s+', '', text)
    return re.sub(r'\n\s*\n', '\n', text)


def symbol_of_declaration(declaration, header):
    text = shown(declaration)
    if found := compound(declaration):
        word, name, body = found
        members = enumeration_names(body) if word == 'enum' else member_names(body)
        return Symbol(name, 'enumeration' if word == 'enum' else 'structure', text, header, members)
    bare = text.rstrip(';').strip()
    if bare.startswith('typedef'):
        if found := CALLBACK.search(bare):
            return Symbol(found[1], 'callback', text, header, parameter_names(found[2]),
                          not re.match(r'typedef\s+void\s*\(', bare))
        return Symbol(bare.split()[-1].lstrip('*'), 'type', text, header)
    if found := FUNCTION.search(bare):
        return Symbol(found[1], 'function', text, header, parameter_names(found[2]),
                      not re.match(r'void\s+\w+\s*\(', bare))
    raise UnknownForm(f'{header}: {declaration[:80]!r} has a form that declarations.py does not know')


def symbol_of_directive(directive, header):
    found = MACRO.match(directive)
    if found is None or not found[3].strip() or found[1] == 'LMCC_API':
        return None
    name, parameters = found[1], found[2]
    members = [part.strip() for part in parameters.split(',')] if parameters else []
    return Symbol(name, 'constant' if parameters is None else 'macro', directive, header, members)


def read_header(path):
    """The symbols of a header in order. A plain comment applies to all constants up to an empty line."""
    symbols, comment = [], ''
    for kind, text in pieces(path.read_text(encoding='utf-8')):
        if kind in ('empty', 'documentation'):
            comment = ''
        elif kind == 'comment':
            comment = '\n'.join(re.sub(r'^\s*\*? ?', '', line) for line in text.strip().split('\n'))
        elif symbol := (symbol_of_directive if kind == 'directive' else symbol_of_declaration)(text, path.name):
            symbol.plain_comment = comment
            if kind == 'declaration':
                comment = ''
            symbols.append(symbol)
    return symbols
