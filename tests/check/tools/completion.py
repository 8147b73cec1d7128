# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests how bash and zsh complete gst-lmcc-1.0's command line, against --help and the arguments that the tool
accepts."""
import os
import pty
import re
import select
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from tool import COMMANDS, SOURCE_ROOT, USAGE, options_in_help, run

DIRECTORY = Path(os.environ['LMCC_TOOL_HELP'])
BASH = DIRECTORY / 'gst-lmcc-1.0'

# Prints its command line, so that the completed line can be read.
SHOW = 'gst-lmcc-1.0() { printf "<%s>" "$@"; echo; }'

ZSH_SETUP = '''
LISTMAX=10000
fpath=(%s $fpath)
autoload -Uz compinit
compinit -D -u
'''

# Writes the offered words into a file. With -A, -D or -O, compadd offers nothing and fills arrays instead.
ZSH_OFFERS = r'''
list-it() { zle list-choices; echo; echo lis""ted; zle kill-buffer }
zle -N list-it
bindkey '^X^L' list-it
compadd() {
  local -a offered
  if [[ "${(j: :)@[1,(i)--]}" != *-[AO]\ * ]]; then
    builtin compadd -O offered "$@"
    print -rl -- $offered >>$OFFERS
  fi
  builtin compadd "$@"
}
'''


def named(options):
    return {option.split('=')[0] for option in options}


def interfaces():
    return sorted(each.name for each in Path('/sys/class/net').iterdir() if each.is_dir())


class Terminal:
    """An interactive shell at a terminal."""

    def __init__(self, *command, env=None):
        self.pid, self.file = pty.fork()
        if self.pid == 0:
            os.chdir(SOURCE_ROOT)
            os.execvpe(command[0], command, {**os.environ, 'TERM': 'dumb', 'PS1': '> ', **(env or {})})
        self.text = ''

    def close(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.file)

    def type(self, keys):
        os.write(self.file, keys.encode())

    def wait_for(self, pattern):
        """The output up to the pattern, which is removed with it."""
        end = time.monotonic() + 60
        while not (found := re.search(pattern, self.text)):
            ready, _, _ = select.select([self.file], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise AssertionError(f'{pattern!r} did not come, but {self.text!r}')
            self.text += os.read(self.file, 65536).decode(errors='replace')
        before, self.text = self.text[:found.start()], self.text[found.end():]
        return before


class Completions:
    """What each shell must offer; `offers` returns it for the words of a line, of which the last is incomplete."""

    def test_commands_are_those_of_help(self):
        self.assertEqual(sorted(self.offers('')), sorted(COMMANDS))
        self.assertEqual(sorted(self.offers('pl')), ['plan', 'play'])
        self.assertEqual(named(self.offers('--')), {'--help', '--version'})

    def test_options_are_those_of_help_and_no_other(self):
        for command in COMMANDS:
            with self.subTest(command=command):
                self.assertEqual(named(self.offers(command, '--')), named(options_in_help(command)))

    def test_hidden_options_are_not_offered(self):
        self.assertEqual(self.offers('doctor', '--roo'), [])

    def test_help_takes_commands_and_algorithms_takes_their_names(self):
        self.assertEqual(sorted(self.offers('help', '')), sorted(COMMANDS))
        names = [line.split(':')[0] for line in run('algorithms').stdout.splitlines()]
        self.assertEqual(sorted(self.offers('algorithms', '')), sorted(names))

    def test_values_of_a_fixed_set_are_in_the_words_of_help(self):
        for command, option, at_least in (('plan', '--scheme', 6), ('plan', '--algorithm', 7),
                                          ('plan', '--probabilities', 3), ('listen', '--source-policy', 3),
                                          ('relay', '--source-policy', 3)):
            with self.subTest(command=command, option=option):
                values = self.offers(command, option, '')
                described = ' '.join(text for name, text in options_in_help(command).items()
                                     if name.startswith(option + '='))
                self.assertGreaterEqual(len(values), at_least)
                for value in values:
                    self.assertRegex(described, rf'(?<![\w-]){value}(?![\w-])')

    def test_files_are_offered_where_they_are_meant(self):
        for words in (('send', 'READ'), ('send', '--sdp', 'READ'), ('play', '--record', 'READ'),
                      ('relay', '--sdp', 'READ'), ('plan', '--plot', 'READ'), ('plan', '--stream', 'READ')):
            with self.subTest(words=words):
                self.assertEqual(self.offers(*words), ['README.md'])
        for words in (('play', 'READ'), ('plan', '--layers', 'READ'), ('plan', 'READ')):
            with self.subTest(words=words):
                self.assertEqual(self.offers(*words), [])

    def test_what_send_sends_is_offered(self):
        self.assertEqual(self.offers('send', 'cam'), ['camera'])

    def test_interfaces_are_offered_where_they_are_meant(self):
        for command in ('send', 'play', 'listen', 'doctor', 'relay'):
            with self.subTest(command=command):
                self.assertEqual(sorted(self.offers(command, '--multicast-iface', '')), interfaces())


class Bash(Completions, unittest.TestCase):
    def offers(self, *words):
        line = shlex.join(['gst-lmcc-1.0', *words])
        script = f'source {shlex.quote(str(BASH))}; COMP_WORDS=({line}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); ' \
                 '_gst_lmcc_1_0; printf "%s\\n" "${COMPREPLY[@]}"'
        result = subprocess.run(['bash', '--norc', '-c', script], cwd=SOURCE_ROOT, capture_output=True, text=True,
                                timeout=60, check=False)
        self.assertEqual(result.stderr, '')
        return [word for word in result.stdout.split('\n') if word and not (words[-1] == '' and word[0] == '-')]

    def test_values_are_offered_after_an_equals_sign_too(self):
        self.assertEqual(self.offers('plan', '--scheme', '=', 'd'), ['doubling'])
        self.assertEqual(len(self.offers('plan', '--scheme', '=')), 6)
        self.assertEqual(self.offers('plan', '--scheme=d'), ['--scheme=doubling'])

    def test_each_of_several_interfaces_is_completed(self):
        self.assertIn('eth7,lo', self.offers('play', '--multicast-iface', 'eth7,l'))

    def test_an_unknown_command_has_nothing(self):
        self.assertEqual(self.offers('plane', '--'), [])

    def test_values_are_taken_by_the_tool(self):
        for name in self.offers('plan', '--algorithm', ''):
            self.assertNotEqual(run('plan', '--algorithm', name).returncode, USAGE, name)
        for how in self.offers('plan', '--probabilities', ''):
            self.assertNotEqual(run('plan', '--algorithm=flid-dl', '--probabilities', how).returncode, USAGE, how)
        for scheme in self.offers('plan', '--scheme', ''):
            self.assertNotIn('there is no scheme', run('plan', '--scheme', scheme).stderr)
        for policy in self.offers('listen', '--source-policy', ''):
            result = run('listen', '--seconds=1', '--multicast-iface=lo', '--source-policy', policy, '239.255.72.81')
            self.assertNotEqual(result.returncode, USAGE, result.stderr)

    def test_a_user_at_a_terminal_has_it_with_the_tabulator(self):
        terminal = Terminal('bash', '--norc', '--noprofile', '-i', env={'HISTFILE': '/dev/null'})
        self.addCleanup(terminal.close)
        terminal.type(f"bind 'set enable-bracketed-paste off'; source {shlex.quote(str(BASH))}; {SHOW}; echo rea''dy\n")
        terminal.wait_for(r'ready\r\n')
        terminal.type('gst-lmcc-1.0 doc\t--mul\tl\t\n')
        terminal.wait_for(r'<doctor><--multicast-iface=lo>')
        terminal.type('gst-lmcc-1.0 plan --sche\tdou\t --js\t\n')
        terminal.wait_for(r'<plan><--scheme=doubling><--json>')
        terminal.type('gst-lmcc-1.0 send --sdp LICE\t CONTRIB\t\n')
        terminal.wait_for(r'<send><--sdp><LICENSE><CONTRIBUTING.md>')


@unittest.skipUnless(shutil.which('zsh'), 'zsh is not installed (Debian: zsh)')
class Zsh(Completions, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.scratch = Path(scratch.name)
        cls.file = cls.scratch / 'offers'
        cls.terminal = cls.open(ZSH_OFFERS)
        cls.addClassCleanup(cls.terminal.close)

    @classmethod
    def open(cls, more=''):
        terminal = Terminal('zsh', '-f', '-i', env={'OFFERS': str(cls.file), 'ZDOTDIR': str(cls.scratch)})
        setup = cls.scratch / 'setup'
        setup.write_text(ZSH_SETUP % shlex.quote(str(DIRECTORY)) + SHOW + more)
        terminal.type(f"source {shlex.quote(str(setup))}; echo rea''dy\n")
        terminal.wait_for(r'ready\r\n')
        return terminal

    def offers(self, *words):
        self.file.write_text('')
        self.terminal.type(' '.join(['gst-lmcc-1.0', *words]) + '\x18\x0c')
        self.terminal.wait_for(r'listed')
        return sorted({word for word in self.file.read_text().split('\n') if word})

    def test_a_user_at_a_terminal_has_it_with_the_tabulator(self):
        terminal = self.open()
        self.addCleanup(terminal.close)
        terminal.type('gst-lmcc-1.0 doc\t--mul\tl\t\n')
        terminal.wait_for(r'<doctor><--multicast-iface=lo>')
        terminal.type('gst-lmcc-1.0 plan --sche\tdou\t --js\t\n')
        terminal.wait_for(r'<plan><--scheme=doubling><--json>')
        terminal.type('gst-lmcc-1.0 send --sdp LICE\t CONTRIB\t\n')
        terminal.wait_for(r'<send><--sdp><LICENSE><CONTRIBUTING.md>')


if __name__ == '__main__':
    unittest.main()
