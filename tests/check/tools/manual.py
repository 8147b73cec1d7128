# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests the manual page of gst-lmcc-1.0: it is well formed, and agrees with --help."""
import os
import re
import shutil
import subprocess
import unittest
from pathlib import Path

from tool import COMMAND_IN_HELP, COMMANDS, SOURCE_ROOT, options_in_help, run

PAGE = Path(os.environ['LMCC_TOOL_HELP']) / 'gst-lmcc-1.0.1'
SECTIONS = ['NAME', 'SYNOPSIS', 'DESCRIPTION', 'COMMANDS', 'OPTIONS', 'EXIT STATUS', 'EXAMPLES', 'SEE ALSO']

# Each prints the errors of the page, and the page in lines too long to be wrapped.
READERS = {
    'mandoc': (['mandoc', '-T', 'lint', '-W', 'warning'], ['mandoc', '-T', 'ascii', '-O', 'width=1000']),
    'man': (['man', '--warnings=all', '-l'], ['man', '-l']),
}
INSTALLED = [name for name in READERS if shutil.which(name)]
NO_READER = 'neither mandoc nor man is installed (Debian: mandoc)'


def read(command, page, width):
    env = {**os.environ, 'MANWIDTH': str(width), 'MAN_KEEP_STDERR': '1', 'LC_ALL': 'C'}
    return subprocess.run([*command, page], env=env, capture_output=True, text=True, timeout=60, check=False)


def faults(name, page):
    result = read(READERS[name][0], page, 80)
    return result.stderr + (result.stdout if name == 'mandoc' else '')


@unittest.skipUnless(INSTALLED, NO_READER)
class TheManualPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # Bold is a letter printed over itself.
        text = re.sub('.\b', '', read(READERS[INSTALLED[0]][1], PAGE, 1000).stdout)
        parts = re.split(r'^(\w[\w ]*)$', text, flags=re.MULTILINE)
        cls.sections = dict(zip(parts[1::2], parts[2::2]))

    def of_command(self, command):
        return re.split(r'^   (\w+)$', self.sections['OPTIONS'], flags=re.MULTILINE)[2::2][COMMANDS.index(command)]

    def test_it_has_no_fault(self):
        for name in INSTALLED:
            with self.subTest(reader=name):
                self.assertEqual(faults(name, PAGE), '')

    def test_it_has_the_usual_sections(self):
        self.assertEqual([each for each in self.sections if not each.startswith('GST')], SECTIONS)

    def test_commands_are_those_of_help_in_its_words(self):
        listed = COMMAND_IN_HELP.findall(run('help').stdout)
        told = re.findall(r'^ {5,7}(\w+)\s+(\S.*)$', self.sections['COMMANDS'], re.MULTILINE)
        self.assertEqual(told, listed)
        self.assertEqual(re.findall(r'^   (\w+)$', self.sections['OPTIONS'], re.MULTILINE), COMMANDS)

    def test_options_of_a_command_are_those_of_help(self):
        for command in COMMANDS:
            with self.subTest(command=command):
                told = re.findall(r'^ {5,7}(?:-\w, )?(--[^\s]+)', self.of_command(command), re.MULTILINE)
                self.assertEqual(sorted(told), sorted(options_in_help(command)))

    def test_options_are_described_in_the_words_of_help(self):
        for command in COMMANDS:
            own = options_in_help(command, 'Application Options:') if command not in ('screen', 'help') else {}
            words = ' '.join(self.of_command(command).split())
            for option, description in own.items():
                with self.subTest(command=command, option=option):
                    self.assertIn(f'{option} {description}', words)

    def test_its_examples_have_commands_and_options_that_exist(self):
        lines = re.findall(r'^ +gst-lmcc-1\.0 (\w+) (.*)$', self.sections['EXAMPLES'], re.MULTILINE)
        self.assertGreaterEqual(len(lines), 4)
        for command, rest in lines:
            with self.subTest(command=command, rest=rest):
                known = {option.split('=')[0] for option in options_in_help(command)}
                self.assertLessEqual(set(re.findall(r'--[\w-]+', rest)), known)

    def test_hidden_options_are_not_in_it(self):
        self.assertNotIn('--root', self.sections['OPTIONS'])
        self.assertNotIn('help-json', self.sections['OPTIONS'])

    def test_its_template_has_no_option_of_a_command(self):
        """Compares only the examples, because other texts are written in one place."""
        template = (Path(SOURCE_ROOT) / 'plugins/tools/help/gst-lmcc-1.0.1.in').read_text(encoding='utf-8')
        self.assertNotIn('\\-\\-', template.split('.SH EXAMPLES')[0])


if __name__ == '__main__':
    unittest.main()
