#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests tests/readme.py: which commands it finds, and that it notices failures."""
import contextlib
import io
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import readme  # noqa: E402


class Find(unittest.TestCase):
    def test_a_shell_block_is_one_script(self):
        self.assertEqual(readme.find_steps('x\n```sh\ntrue\nfalse\n```\n'), [(None, ['true\nfalse\n'])])

    def test_a_block_of_another_language_is_not_run(self):
        self.assertEqual(readme.find_steps('```json\n{"ip ": "`ip link`"}\n```\n'), [])

    def test_commands_that_run_together_are_split_at_lines(self):
        self.assertEqual(readme.find_steps('<!-- together 3 -->\n```sh\na \\\n  b\nc\n```\n'), [(3, ['a    b', 'c'])])

    def test_code_in_a_line_is_run_where_it_is_a_command(self):
        text = 'Set `max-level` or look at `ip maddr show` and `./pipelines/demo`; `sysctl -n a`.'
        self.assertEqual(readme.find_steps(text), [(None, ['ip maddr show']), (None, ['sysctl -n a'])])


class Run(unittest.TestCase):
    def test_a_script_that_fails_in_the_middle_is_a_fault(self):
        self.assertEqual(readme.run_script('false\ntrue\n'), 'exit status 1')

    def test_a_script_that_succeeds_is_none(self):
        self.assertIsNone(readme.run_script('true\n'))

    def test_a_command_that_ends_early_with_an_error_is_a_fault(self):
        self.assertIn('ended with status 3', readme.run_together(['exit 3', 'true'], 1))

    def test_an_error_that_is_printed_is_a_fault(self):
        self.assertIn('printed an error', readme.run_together(['echo ERROR: from element x'], 1))
        self.assertIsNone(readme.run_together(['printf "handling interrupt.\\nERROR: from element x\\n"'], 1))

    def test_a_traceback_is_a_fault(self):
        raises = "python3 -c 'import nonesuch' || true"
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(readme.run_script(raises), 'printed a traceback')
            self.assertIn('printed a traceback', readme.run_together([raises], 1))

    def test_a_command_that_fails_when_it_is_interrupted_is_a_fault(self):
        self.assertIn('ended with status 3 when interrupted',
                      readme.run_together(["trap 'exit 3' INT; sleep 60"], 1))
        self.assertIsNone(readme.run_together(["trap 'exit 0' INT; sleep 60", 'sleep 60'], 1))


if __name__ == '__main__':
    unittest.main()
