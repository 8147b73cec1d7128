# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Extracts the prose of a file. Everything else becomes blanks, so that lines and columns stay the same."""
import re

try:
    from pygments.lexers import get_lexer_by_name
    from pygments.token import Comment, Name, String, Text
except ImportError:
    get_lexer_by_name = None

# The Pygments lexer for each suffix. In other files all text is prose.
LEXERS = {'.c': 'c', '.h': 'c', '.cc': 'cpp', '.py': 'python', '.js': 'javascript', '.css': 'css', '.html': 'html',
          '.sh': 'bash', '.build': 'meson', '.lua': 'lua', '.tcl': 'tcl'}
INTERPRETERS = {'python': 'python', 'sh': 'bash', 'bash': 'bash'}

# HTML attributes that browsers show or read aloud.
SHOWN_ATTRIBUTES = re.compile(r'(?:alt|title|placeholder|content|aria-label)\s*=?$')

# Names in comments and messages: @parameter, #Type, %CONSTANT, (inout), function(), --option, key=value, <tag>; names
# of CSS, matplotlib and FRR; the title and words of a paper.
NAMES = re.compile(r'[@#%]\w[\w-]*|\(inout\)|\w+ ?\(\)|--\w[\w-]*|[\w-]+=\S+|<[^<>\s]+>'
                   r'|\b[A-Z][A-Z0-9_]{2,}\b|\.color\b|(?<=["\'])(?:tab:)?(?:color|center|gray)(?=["\'])'
                   r'|(?:lower|upper) center|\b[us]e\(v\)'
                   r'|show ip pim neighbor\b|Pathological Behaviors for RLM and RLC|similar behavior')

FENCE = re.compile(r'^( *)(```+|~~~+)[^\n]*\n.*?^ *\2[`~]* *$', re.MULTILINE | re.DOTALL)
CODE_SPAN = re.compile(r'(`+)(?!`)(?:(?!\n\s*\n).)+?(?<!`)\1(?!`)', re.DOTALL)
LINK_TARGET = re.compile(r'(?<=\])\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)|^ *\[[^\]\n]+\]: \S+|<https?:[^>]*>',
                         re.MULTILINE)
HTML_TAG = re.compile(r'</?\w[^<>]*>|<!--.*?-->', re.DOTALL)
QUOTED_BLOCK = re.compile(r'^ *>.*$', re.MULTILINE)
# A quotation is within a paragraph or a table cell. Its length is limited, because a quotation mark may be unpaired.
QUOTATION = re.compile(r'"(?:(?!\n\s*\n)[^"|]){1,300}"|“(?:(?!\n\s*\n)[^”|]){1,300}”')

TABLE_ROW = re.compile(r'^ *\|.*$', re.MULTILINE)
CODE_BLOCK = re.compile(r'(?<=\n)(?:[ ]*\n)(?:[ ]{4}(?![ ]*(?:[-*+]|\d+\.) ).*\n)+')


def blank(text):
    return re.sub(r'[^\n]', ' ', text)


def without(pattern, text):
    return pattern.sub(lambda match: blank(match[0]), text)


def markdown(text):
    """The text of a page without code, addresses and quotations."""
    for pattern in (FENCE, CODE_SPAN, LINK_TARGET, HTML_TAG, QUOTED_BLOCK, QUOTATION):
        text = without(pattern, text)
    return text


def sentences(text):
    """The sentences of a page: markdown() without tables and indented blocks. Keeps lines, but not columns."""
    text = without(CODE_BLOCK, without(TABLE_ROW, markdown(text)))
    return re.sub(r' *\n', '\n', re.sub(r' {2,}', ' ', text))


def lexer_of(path, text):
    if path.suffix in LEXERS or path.name == 'meson_options.txt':
        return LEXERS.get(path.suffix, 'meson')
    interpreter = re.match(r'#!.*\b(python|bash|sh)', text)
    return INTERPRETERS[interpreter[1]] if interpreter else None


def is_prose(kind, value):
    if kind in String:
        return kind not in String.Escape and kind not in String.Interpol
    return kind in Comment and kind not in Comment.Preproc and kind not in Comment.PreprocFile


def unquoted(kind, value):
    """A comment or docstring without code and quotations."""
    if kind in String.Doc:
        return value[:3] + without(QUOTATION, without(CODE_SPAN, value[3:-3])) + value[-3:]
    return without(QUOTATION, without(CODE_SPAN, value)) if kind in Comment else value


def code(text, name):
    """The comments and strings of a program, or the text and visible attributes of an HTML page."""
    parts = []
    shown = False
    for kind, value in get_lexer_by_name(name, stripnl=False, ensurenl=False).get_tokens(text):
        if name == 'html' and kind in Name.Attribute:
            shown = SHOWN_ATTRIBUTES.match(value) is not None
        if name == 'html' and kind in String:
            kept = shown
        elif name == 'html':
            kept = kind in Text or kind in Comment
        else:
            kept = is_prose(kind, value)
        parts.append(unquoted(kind, value) if kept else blank(value))
    return without(NAMES, ''.join(parts))


def words(path, text):
    """The text of a file to check for spelling."""
    if path.suffix == '.md':
        return markdown(text)
    name = lexer_of(path, text)
    return code(text, name) if name else without(NAMES, text)
