#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks that the message catalogues are complete, that every message for users is marked for translation, and that
the tool speaks German."""
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PO = ROOT / 'po'
BUILD = Path(os.environ.get('LMCC_BUILD_ROOT', ROOT / 'build'))
TOOL = BUILD / 'plugins/tools/gst-lmcc-1.0'

MARKED = re.compile(r'\b(?:C_|N_|_|ngettext|g_dngettext) ?\(')
STRING = r'"(?:[^"\\]|\\.)*"'
# Functions that take a text for users: in the library, in the plugins, and in the tool.
HELPERS = ('lmcc_sending_refuse', 'lmcc_receiver_warn', 'lmcc_receiver_post_waiting', 'lmcc_receiver_give_up_source',
           'gst_lmcc_set_errno', 'fail', 'fail_picture', 'fail_settings', 'invalid', 'refuse', 'warn')
# A call whose text, a string of more than a format such as "%s", is not marked. The details in the last parentheses of
# GST_ELEMENT_ERROR are for developers.
UNMARKED = (
    re.compile(rf'\bGST_ELEMENT_(?:ERROR|WARNING|INFO) \(\s*[^;]*?,\s*\w+,\s*\w+,\s*\((?P<text>(?:{STRING}\s*)+)'),
    re.compile(rf'\btool_error \(\s*(?P<text>(?:{STRING}\s*)+)'),
    re.compile(rf'\bg_printerr \(\s*(?P<text>(?:{STRING}\s*)+)'),
    re.compile(rf'\bg_set_error(?:_literal)? \(\s*[^;"]*?,\s*(?P<text>(?:{STRING}\s*)+)'),
    re.compile(rf'\b(?:{"|".join(HELPERS)}) \([^;"]*[,?:]\s*(?P<text>(?:{STRING}\s*)+)'),
    # Causes and remedies are sentences; words such as "slow start" are for programs.
    re.compile(rf'\breturn (?:[^;"]*\?\s*)?(?P<text>(?="[^"]* [^"]* ){STRING}(?:\s*{STRING})*)(?=;|\s*:)'),
    # xgettext does not expand a macro, and takes only the text before it.
    re.compile(rf'\b(?:_|N_) \((?P<text>(?:\s*{STRING})+\s+\w+)'),
)
WORDS = re.compile(r'[A-Za-z]{3,}.*[A-Za-z]{3,}', re.DOTALL)
FORMAT = re.compile(r'%[-+ #0]*[\d*]*(?:\.[\d*]+)?(?:hh|h|ll|l|z|j|t)?[diouxXeEfFgGcsp]|" *G_G\w+_FORMAT *"')

ENGLISH = {'PATH': os.environ['PATH'], 'LC_ALL': 'C'}


def sources():
    """Of the library, the plugins and the tool."""
    return sorted([*(ROOT / 'gst').rglob('*.c'), *(ROOT / 'plugins').rglob('*.c')])


def unmarked(text):
    """(line, text) of messages missing from the catalogues."""
    for pattern in UNMARKED:
        for match in pattern.finditer(text):
            if WORDS.search(FORMAT.sub('', match['text'])):
                yield text.count('\n', 0, match.start()) + 1, ' '.join(match['text'].split())[:80]


def listed():
    lines = (PO / 'POTFILES.in').read_text(encoding='utf-8').splitlines()
    return [line for line in lines if line and not line.startswith('#')]


def run(*command, **options):
    return subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True,
                          **options).stdout


class Catalogues(unittest.TestCase):
    def test_each_file_with_messages_is_read(self):
        marked = [str(path.relative_to(ROOT)) for path in sources() if MARKED.search(path.read_text(encoding='utf-8'))]
        self.assertEqual(sorted(listed()), marked)

    def test_each_message_of_the_sources_is_translated(self):
        for language in (PO / 'LINGUAS').read_text(encoding='utf-8').split():
            with self.subTest(language), tempfile.TemporaryDirectory() as folder:
                template, merged = Path(folder) / 'messages.pot', Path(folder) / f'{language}.po'
                run('xgettext', '--from-code=UTF-8', '--keyword=_', '--keyword=N_', '--keyword=C_:1c,2',
                    '--keyword=g_dngettext:2,3', '--keyword=ngettext:1,2', '-o', template, *listed())
                run('msgmerge', '--quiet', '--no-fuzzy-matching', '-o', merged, PO / f'{language}.po', template)
                told = run('msgfmt', '--check', '--statistics', '-o', os.devnull, merged, env=ENGLISH)
                self.assertRegex(told, r'^\d+ translated messages?\.$', f'{language}: {told}')

    def test_no_message_is_unmarked(self):
        faults = [f'{path.relative_to(ROOT)}:{line}: {text}' for path in sources()
                  for line, text in unmarked(path.read_text(encoding='utf-8'))]
        self.assertEqual(faults, [])

    def test_reasons_of_the_installed_header_are_marked(self):
        header = (ROOT / 'gst/lmcc/lmcc-receiver.h').read_text(encoding='utf-8')
        reasons = re.findall(r'#define LMCC_REASON_\w+ ("[^"]+")', header)
        self.assertTrue(reasons)
        marked = (ROOT / 'plugins/lmcc/src/actions.c').read_text(encoding='utf-8')
        self.assertEqual([reason for reason in reasons if f'N_ ({reason})' not in marked], [])

    def test_what_is_not_marked_is_found(self):
        for call in ('GST_ELEMENT_ERROR (self, RESOURCE, READ, ("No packet comes"), (NULL));',
                     'GST_ELEMENT_WARNING (self, STREAM, FORMAT,\n ("Level %u is "\n "too high", level), (NULL));',
                     'tool_error ("no such file: %s", name);', 'g_set_error (error, DOMAIN, CODE,\n "no such level");',
                     'return fail (error, CODE,\n "no such level");', 'return v6 ? "no IPv6 socket" : NULL;',
                     'return "set a lower bitrate";', 'warn (self, _ ("at most " NUMBER " levels"));'):
            self.assertEqual(len(list(unmarked(call))), 1, call)

    def test_what_is_marked_or_no_text_is_not_found(self):
        for call in ('GST_ELEMENT_ERROR (self, RESOURCE, READ, (_ ("No packet comes")), (NULL));',
                     'GST_ELEMENT_ERROR (self, RESOURCE, READ, ("%s", error->message), ("in the read loop"));',
                     'tool_error (_ ("no such file: %s"), name);', 'return fail (error, CODE, _ ("no such level"));',
                     'return "slow start";', 'g_printerr ("%s: %s\\n", name, text);'):
            self.assertEqual(list(unmarked(call)), [], call)


class TheTool(unittest.TestCase):
    def told(self, command, *arguments, **environment):
        env = {**os.environ, 'LC_ALL': 'C.UTF-8', 'LMCC_LOCALE_DIR': str(BUILD / 'po'), **environment}
        return subprocess.run([TOOL, command, *arguments], stdout=subprocess.PIPE, env=env, text=True,
                              check=False).stdout

    def test_it_speaks_the_language_that_it_is_asked_for(self):
        self.assertIn('Befehle:', self.told('help', LANGUAGE='de'))

    def test_it_speaks_english_where_there_is_no_catalogue(self):
        self.assertIn('Commands:', self.told('help', LANGUAGE='tlh'))
        self.assertIn('Commands:', self.told('help', LANGUAGE='de', LC_ALL='C'))
        self.assertIn('Commands:', self.told('help', LANGUAGE='de', LMCC_LOCALE_DIR='/nonexistent'))

    def test_json_is_english(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertIn('keine Netzwerkschnittstelle', self.told('doctor', '--root', folder, LANGUAGE='de'))
            self.assertIn('no network interface', self.told('doctor', '--json', '--root', folder, LANGUAGE='de'))


if __name__ == '__main__':
    unittest.main()
