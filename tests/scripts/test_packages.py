#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests which packages pipelines/lib/common.sh installs, on a fake distribution made of three small programs."""
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

LISTED = '''# name packages
build gcc libisal-dev|
build make
web   chromium|chromium-browser
fuzz  clang
'''

PROGRAMS = {
    'dpkg-query': 'grep -qx "${!#}" "$STATE/installed" && echo "install ok installed"',
    # Before the first update it knows no packages, like a newly made root.
    'apt-cache': 'if grep -qsx "$2" "$STATE/known"; then printf "$2:\\n  Candidate: 1.0\\n"; '
                 'else printf "$2:\\n  Candidate: (none)\\n"; fi',
    'apt-get': 'echo "$@" >>"$STATE/steps"\n'
               'if [ "$1" = update ]; then cp "$STATE/archive" "$STATE/known"; exit; fi\n'
               'shift 4\nfor name in "$@"; do grep -qx "$name" "$STATE/known" || exit 100; done\n'
               'printf "%s\\n" "$@" >>"$STATE/installed"',
    'id': 'echo 0',
}


class Packages(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.state = Path(scratch.name)
        library = self.state / 'pipelines/lib'
        library.mkdir(parents=True)
        shutil.copy(ROOT / 'pipelines/lib/common.sh', library)
        (library / 'packages').write_text(LISTED)
        self.programs = self.state / 'bin'
        self.programs.mkdir()
        for name, text in PROGRAMS.items():
            (self.programs / name).write_text('#!/bin/bash\n' + text + '\n')
            (self.programs / name).chmod(0o755)
        (self.state / 'installed').write_text('')

    def need(self, *names, archive='gcc make clang libisal-dev chromium'):
        """Returns the output, the exit status, and the package commands that were run."""
        (self.state / 'archive').write_text(archive.replace(' ', '\n') + '\n')
        (self.state / 'steps').write_text('')
        run = subprocess.run(['bash', '-u', '-c', '. "$0"; need "$@"', self.state / 'pipelines/lib/common.sh', *names],
                             env={**os.environ, 'PATH': f'{self.programs}:/usr/bin:/bin', 'STATE': str(self.state)},
                             stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        return run.stderr, run.returncode, (self.state / 'steps').read_text().splitlines()

    def test_what_is_missing_is_installed_in_one_step(self):
        (self.state / 'installed').write_text('gcc\n')
        said, status, steps = self.need('build')
        self.assertEqual(status, 0, said)
        self.assertEqual(steps, ['update -qq', 'install -y -qq --no-install-recommends libisal-dev make'])
        self.assertIn('Installing missing packages: libisal-dev make', said)

    def test_the_first_alternative_is_taken_where_there_is_one(self):
        self.assertEqual(self.need('web', archive='chromium chromium-browser')[2][1].split()[4:], ['chromium'])

    def test_the_second_alternative_is_taken_where_there_is_no_first(self):
        self.assertEqual(self.need('web', archive='chromium-browser')[2][1].split()[4:], ['chromium-browser'])

    def test_an_installed_alternative_is_enough(self):
        (self.state / 'installed').write_text('chromium-browser\n')
        self.assertEqual(self.need('web'), ('', 0, []))

    def test_what_may_be_left_out_is_where_there_is_none(self):
        said, status, steps = self.need('build', archive='gcc make')
        self.assertEqual(status, 0, said)
        self.assertEqual(steps[1].split()[4:], ['gcc', 'make'])

    def test_a_second_call_takes_no_step(self):
        for archive in ('gcc make libisal-dev chromium', 'gcc make chromium-browser'):
            with self.subTest(archive):
                self.setUp()
                self.assertEqual(len(self.need('build', 'web', archive=archive)[2]), 2)
                self.assertEqual(self.need('build', 'web', archive=archive), ('', 0, []))

    def test_a_package_that_is_nowhere_is_named(self):
        for name, first in (('fuzz', 'clang'), ('web', 'chromium')):
            with self.subTest(name):
                said, status, _ = self.need(name, archive='gcc make')
                self.assertEqual(status, 1)
                self.assertIn(f'could not install: {first}', said)

    def test_elsewhere_it_says_what_is_needed(self):
        (self.programs / 'dpkg-query').unlink()
        for name in ('awk', 'sort', 'sed', 'paste', 'dirname', 'bash'):
            (self.programs / name).symlink_to(shutil.which(name))
        run = subprocess.run(['bash', '-u', '-c', '. "$0"; need build web', self.state / 'pipelines/lib/common.sh'],
                             env={**os.environ, 'PATH': str(self.programs)}, stdin=subprocess.DEVNULL,
                             capture_output=True, text=True, timeout=60)
        self.assertEqual(run.returncode, 0)
        self.assertIn('  chromium or chromium-browser gcc libisal-dev (optional) make\n', run.stderr)


if __name__ == '__main__':
    unittest.main()
