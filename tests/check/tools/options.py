# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""gst-lmcc-1.0's commands and help, and that docs/users/gst-lmcc.md says the same."""
import re
import shlex
import unittest
from pathlib import Path

from tool import COMMANDS, OK, SOURCE_ROOT, USAGE, options_in_help, run

DOCS = Path(SOURCE_ROOT) / 'docs' / 'users' / 'gst-lmcc.md'
OPTION_IN_DOCS = re.compile(r'^\| `(--[\w-]+(?:=\S+)?)` \| (.*) \|$', re.MULTILINE)


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
    def test_it_has_every_option_in_the_words_of_help_and_no_other(self):
        for command in COMMANDS[:-1]:
            with self.subTest(command=command):
                documented = dict(OPTION_IN_DOCS.findall(section_of_docs(command)))
                self.assertEqual(documented, options_in_help(command, 'Application Options:'))

    def test_hidden_options_are_in_neither(self):
        self.assertNotIn('--root', run('doctor', '--help').stdout)
        self.assertNotIn('--root', DOCS.read_text(encoding='utf-8'))

    def test_its_plans_are_what_the_tool_prints(self):
        blocks = re.findall(r'```console\n\$ gst-lmcc-1\.0 (plan.*)\n([^`]*)```', DOCS.read_text(encoding='utf-8'))
        self.assertGreaterEqual(len(blocks), 2)
        for command, output in blocks:
            with self.subTest(command=command):
                self.assertEqual(run(*shlex.split(command)).stdout, output)


if __name__ == '__main__':
    unittest.main()
