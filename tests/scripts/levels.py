#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks that only gst/lmcc/wire/levels.c knows which layers a level has. No other file may compare the number of a
layer with that of a level, loop over layers up to a level, or take the number of layers for the number of levels."""
import re
import sys

sys.dont_write_bytecode = True
from rooms import ROOT

# In algorithms with slots, and in the code for the sender's marks, each level adds one layer; control/fit refuses other
# sessions.
EXCEPT = ('gst/lmcc/wire/levels.', 'gst/lmcc/control/slots/', 'gst/lmcc/wire/algorithm-element.')
FOLDERS = ('gst/lmcc', 'plugins/lmcc')

COMMENT = re.compile(r'/\*.*?\*/', re.DOTALL)
ORDER = r'\s*(?:<=|>=|<|>|==|!=)\s*'
CAST = r'(?:\(\w+\)\s*)?'
LEVEL = rf'{CAST}(?:\w+(?:->|\.))*(?:\w+_)?level\b(?!\s*[(\[])'
LAYER = rf'{CAST}(?:\w+(?:->|\.))*(?:\w+_)?layer\b(?!\s*[(\[])'
N_LAYERS = rf'{CAST}(?:\w+(?:->|\.))*n_layers\b'
STEP = r'(?:\s*[+-]\s*1)?'

# A pattern, why it is wrong, and a line that contains it.
RULES = [
    (LAYER + STEP + ORDER + LEVEL, 'compares a layer with a level', 'if ((gint) header->layer > self->level)'),
    (LEVEL + STEP + ORDER + LAYER, 'compares a level with a layer', 'if (receiver->level >= layer)'),
    (LEVEL + STEP + ORDER + N_LAYERS, 'compares a level with the number of layers',
     'if (level + 1 < (gint) self->session->n_layers)'),
    (N_LAYERS + STEP + ORDER + LEVEL, 'compares the number of layers with a level',
     'while (session->n_layers - 1 >= level)'),
    (rf'for \((?!level\b)[^;]*;[^;]*<=?\s*{LEVEL}', 'goes up to a level', 'for (i = 0; i <= self->level; i++)'),
    (r'(?:layers|groups)\[[^\]]*\blevel\b', 'takes a level for a layer', 'rate = session->layers[level].rate;'),
]


def faults_of(name, text):
    text = COMMENT.sub(lambda found: re.sub(r'[^\n]', ' ', found[0]), text)
    return [f'{name}:{text.count(chr(10), 0, found.start()) + 1}: {what}; gst/lmcc/wire/levels.h says what it has'
            for rule, what, _ in RULES for found in re.finditer(rule, text)]


def main():
    faults = [f'the rule that finds what {what} does not find "{example}"' for rule, what, example in RULES
              if not re.search(rule, example)]
    n_files = 0
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob('*.[ch]')):
            name = str(path.relative_to(ROOT))
            if not name.startswith(EXCEPT):
                n_files += 1
                faults += faults_of(name, path.read_text(encoding='utf-8'))
    print('\n'.join(faults) or f'{n_files} files, none assumes the layers of a level')
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
