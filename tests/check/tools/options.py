# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests gst-lmcc-1.0's commands and help, and that docs/users/gst-lmcc.md and docs/operators/doctor.md agree with
them.

manual.py compares the options of the manual page with those of help.
"""
import json
import re
import shlex
import unittest
from pathlib import Path

from tool import COMMANDS, OK, SOURCE_ROOT, USAGE, options_in_help, run

DOCS = Path(SOURCE_ROOT) / 'docs' / 'users' / 'gst-lmcc.md'
DOCTOR = Path(SOURCE_ROOT) / 'docs' / 'operators' / 'doctor.md'
OPTION_IN_DOCS = re.compile(r'(?<![\w-])--[a-z][\w-]*')
LINE_IN_DOCS = re.compile(r'^(?:\$ |    )gst-lmcc-1\.0 (\w+) (.*)$', re.MULTILINE)

# Options of other programs that a section mentions.
FOREIGN_OPTIONS = {'relay': {'--demuxer-lavf-o'}, 'screen': {'--window'}}


def names_of_options(command):
    return {option.split('=')[0] for option in options_in_help(command)}


def section_of_docs(command):
    return DOCS.read_text(encoding='utf-8').split(f'\n## {command}\n')[1].split('\n## ')[0]


class TheCommands(unittest.TestCase):
    def test_help_lists_each_command_and_exits_well(self):
        for arguments in (['help'], ['--help'], ['-h']):
            result = run(*arguments)
            self.assertEqual(result.returncode, OK)
            self.assertEqual(re.findall(r'^  (\w+)  ', result.stdout, re.MULTILINE), COMMANDS)

    def test_help_of_a_command_is_that_command_s_help(self):
        for command in COMMANDS:
            self.assertEqual(run('help', command).stdout, run(command, '--help').stdout)
            self.assertIn(f'gst-lmcc-1.0 {command}', run('help', command).stdout)

    def test_version_is_the_project_s(self):
        version = re.search(r"version: '([^']+)'", (Path(SOURCE_ROOT) / 'meson.build').read_text())[1]
        result = run('--version')
        self.assertEqual((result.returncode, result.stdout), (OK, f'gst-lmcc-1.0 {version}\n'))

    def test_without_a_command_it_shows_help_and_fails(self):
        result = run()
        self.assertEqual(result.returncode, USAGE)
        self.assertIn('Commands:', result.stdout)

    def test_an_unknown_command_is_named(self):
        for arguments in (['plane'], ['help', 'plane'], ['--plane']):
            result = run(*arguments)
            self.assertEqual(result.returncode, USAGE)
            self.assertIn('plane', result.stderr)
            self.assertIn('help', result.stderr)

    def test_receiving_commands_refuse_bad_arguments_with_a_remedy(self):
        cases = [
            (['listen'], '--help'),
            (['listen', 'a', 'b'], 'too many'),
            (['listen', 'http://example.org'], 'lmcc://'),
            (['listen', '--seconds', '-1', '239.255.1.1'], 'omit it'),
            (['relay', '239.255.1.1'], '--to=HOST:PORT'),
            (['relay', '--to', '127.0.0.1', '239.255.1.1'], '127.0.0.1:5600'),
            (['relay', '--to', '127.0.0.1:0', '239.255.1.1'], '127.0.0.1:5600'),
            (['relay', '--to', '127.0.0.1:70000', '239.255.1.1'], '127.0.0.1:5600'),
            (['relay', '--to', '127.0.0.1:5600'], 'URI'),
        ]
        for arguments, remedy in cases:
            with self.subTest(arguments=arguments):
                result = run(*arguments)
                self.assertEqual(result.returncode, USAGE)
                self.assertIn(remedy, result.stderr)


class TheDocumentation(unittest.TestCase):
    def test_each_command_has_a_section_that_names_only_its_options(self):
        for command in COMMANDS[:-1]:
            with self.subTest(command=command):
                named = set(OPTION_IN_DOCS.findall(section_of_docs(command))) - FOREIGN_OPTIONS.get(command, set())
                self.assertLessEqual(named, names_of_options(command))

    def test_each_example_has_options_of_its_command(self):
        for page in (DOCS, DOCTOR):
            lines = LINE_IN_DOCS.findall(page.read_text(encoding='utf-8'))
            self.assertGreaterEqual(len(lines), 2)
            for command, rest in lines:
                with self.subTest(command=command, rest=rest):
                    self.assertLessEqual(set(OPTION_IN_DOCS.findall(rest)), names_of_options(command))

    def test_each_check_of_doctor_is_explained(self):
        """Outputs without a session are the same on any host; the others need a running session."""
        explained = set(re.findall(r'^\| `([\w-]+)` \|', DOCTOR.read_text(encoding='utf-8'), re.MULTILINE))
        printed = {check['check'] for check in json.loads(run('doctor', '--json').stdout)['checks']}
        self.assertLessEqual(printed | {'port', 'join', 'record', 'senders', 'leaves'}, explained)

    def test_hidden_options_are_in_neither(self):
        self.assertNotIn('--root', run('doctor', '--help').stdout)
        self.assertNotIn('--root', DOCS.read_text(encoding='utf-8'))

    def test_its_plans_are_what_the_tool_prints(self):
        blocks = re.findall(r'```console\n\$ gst-lmcc-1\.0 (plan.*)\n([^`]*)```', DOCS.read_text(encoding='utf-8'))
        self.assertGreaterEqual(len(blocks), 2)
        for command, output in blocks:
            with self.subTest(command=command):
                printed = run(*shlex.split(command)).stdout
                # An ellipsis stands for omitted lines.
                for part in re.split(r'^\.\.\.\n', output, flags=re.MULTILINE):
                    self.assertIn(part, printed)


if __name__ == '__main__':
    unittest.main()
