#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests pipelines/env: the environment of its command, its exit status, and that two of them build one after the
other.

LMCC_BUILD_ROOT is the build under test.
"""
import os
import shutil
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ENV = ROOT / 'pipelines/env'


def run(*words):
    return subprocess.run([ENV, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
                          check=False)


class Commands(unittest.TestCase):
    def test_a_command_finds_the_elements_and_the_tool(self):
        for words in (['gst-inspect-1.0', 'lmccsrc'], ['gst-lmcc-1.0', 'plan']):
            result = run(*words)
            self.assertEqual((result.returncode, result.stderr), (0, ''))

    def test_the_tool_is_that_of_the_build(self):
        self.assertEqual(run('bash', '-c', 'command -v gst-lmcc-1.0').stdout.strip(),
                         f"{os.environ['LMCC_BUILD_ROOT']}/plugins/tools/gst-lmcc-1.0")

    def test_the_exit_status_is_the_commands(self):
        self.assertEqual(run('bash', '-c', 'exit 7').returncode, 7)
        self.assertEqual(run('bash', '-c', 'kill -TERM $$').returncode, -signal.SIGTERM)

    def test_arguments_stay_as_they_are(self):
        self.assertEqual(run('printf', '%s|', 'a b', '', '$HOME', '*').stdout, 'a b||$HOME|*|')

    def test_a_command_that_is_not_there_is_named(self):
        result = run('nonesuch')
        self.assertEqual(result.returncode, 127)
        self.assertIn('nonesuch', result.stderr)

    def test_without_a_command_it_says_how_it_is_used(self):
        result = run()
        self.assertEqual(result.returncode, 2)
        self.assertIn('Usage: pipelines/env COMMAND', result.stderr)

    def interrupt(self, ready, *words):
        """Presses Ctrl-C after the line `ready`; returns the output and the exit status."""
        with subprocess.Popen([ENV, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, start_new_session=True) as child:
            watchdog = signal.signal(signal.SIGALRM, lambda *_: os.killpg(child.pid, signal.SIGKILL))
            signal.alarm(60)
            output = ''
            for line in child.stdout:
                output += line
                if line.startswith(ready):
                    os.killpg(child.pid, signal.SIGINT)
            status = child.wait()
            signal.alarm(0)
            signal.signal(signal.SIGALRM, watchdog)
        return output, status

    def test_ctrl_c_ends_a_pipeline_without_a_traceback(self):
        output, status = self.interrupt('New clock', 'gst-launch-1.0', 'videotestsrc', 'is-live=true', '!', 'fakesink')
        self.assertEqual(status, 0, output)
        self.assertIn('handling interrupt', output)
        self.assertNotIn('Traceback', output)

    def test_ctrl_c_adds_nothing_to_what_a_command_says(self):
        output, status = self.interrupt('ready', 'bash', '-c', 'echo ready; exec sleep 60')
        self.assertEqual((output, status), ('ready\n', -signal.SIGINT))


class Builds(unittest.TestCase):
    """Runs in a tree with a fake ninja."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = Path(scratch.name)
        for name in ('pipelines/env', 'pipelines/lib/common.sh'):
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.root / name)
        # An empty list, so that nothing is installed.
        (self.root / 'pipelines/lib/packages').write_text('')
        (self.root / 'build').mkdir()
        (self.root / 'build/build.ninja').write_text('')
        (self.root / 'bin').mkdir()

    def set_ninja(self, script):
        (self.root / 'bin/ninja').write_text(f'#!/bin/bash\n{script}\n')
        (self.root / 'bin/ninja').chmod(0o755)

    def start(self, *words):
        environment = {name: value for name, value in os.environ.items() if name != 'LMCC_BUILD_ROOT'}
        return subprocess.Popen([self.root / 'pipelines/env', *words], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env={**environment, 'PATH': f"{self.root}/bin:{os.environ['PATH']}",
                                     'ROOT': str(self.root)})

    def test_where_there_is_nothing_to_do_it_is_quiet(self):
        self.set_ninja('echo "ninja: no work to do."; echo "$@" >$ROOT/asked')
        with self.start('echo', 'hello') as child:
            self.assertEqual((*child.communicate(timeout=60), child.returncode), ('hello\n', '', 0))
        self.assertEqual((self.root / 'asked').read_text(), f'-C {self.root}/build to-run\n')

    def test_a_build_that_fails_is_shown_and_nothing_is_run(self):
        self.set_ninja('echo "x.c:1: error: no"; exit 1')
        with self.start('echo', 'hello') as child:
            output, errors = child.communicate(timeout=60)
        self.assertEqual((output, child.returncode), ('', 1))
        self.assertIn('x.c:1: error: no', errors)
        self.assertIn('env: the build failed', errors)

    def test_the_second_of_two_waits_until_the_first_has_built(self):
        os.mkfifo(self.root / 'begun')
        os.mkfifo(self.root / 'go on')
        self.set_ninja('if mkdir $ROOT/first 2>/dev/null; then echo >$ROOT/begun; read <"$ROOT/go on"; '
                       'touch $ROOT/built; else [ -e $ROOT/built ]; fi')
        with self.start('echo', 'one') as first:
            (self.root / 'begun').read_text()
            with self.start('echo', 'two') as second:
                self.assertEqual(second.stderr.readline(), 'Waiting for another command to finish its build\n')
                (self.root / 'go on').write_text('\n')
                self.assertEqual((*second.communicate(timeout=60), second.returncode), ('two\n', '', 0))
            self.assertEqual((*first.communicate(timeout=60), first.returncode), ('one\n', '', 0))


if __name__ == '__main__':
    unittest.main()
