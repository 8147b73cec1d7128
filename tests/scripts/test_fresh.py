#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests tests/fresh: which faults it finds in the output of commands, which mirror it takes, and when it discards
its cache."""
import contextlib
import io
import json
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / 'fresh_parts'))
import cache  # noqa: E402
import judge  # noqa: E402


def log(stdout, result='OK', name='a test'):
    return json.dumps({'name': name, 'result': result, 'stdout': stdout})


class Output(unittest.TestCase):
    def test_a_traceback_is_a_fault(self):
        self.assertEqual(len(judge.output_faults('one\nTraceback (most recent call last):\n  File "a"\n')), 1)

    def test_what_is_missing_is_a_fault(self):
        for line in ('bash: ip: command not found', 'WARNING: erroneous pipeline: no element "textoverlay"',
                     'iperf3 is not installed', 'a plugin is missing', "ModuleNotFoundError: No module named 'gi'"):
            self.assertEqual(len(judge.output_faults(line)), 1, line)

    def test_what_the_packages_say_of_themselves_is_none(self):
        self.assertEqual(judge.output_faults('Installing missing packages: gcc\n'
                                             'debconf: delaying configuration, since apt-utils is not installed\n'
                                             'update-alternatives: warning: /usr/share/man/x is missing\n'
                                             'skipped: loopback/parole: parole is not installed (Debian: parole)\n'
                                             'arguments -Wno-missing-field-initializers: YES\n'
                                             'Setting up build\n3 passed, 0 failed, 0 skipped\n'), [])

    def test_a_second_run_takes_no_package_step(self):
        self.assertEqual(judge.package_steps('Setting up build\nbuild: 3 passed, 0 failed, 0 skipped\n'), [])
        for line in ('Installing missing packages: gcc', 'Setting up gcc (4:12.2.0-3) ...', 'Reading package lists...',
                     'run: apt-get could not install: gcc'):
            self.assertEqual(len(judge.package_steps(line)), 1, line)


OPTIONAL = {'parole', 'indent'}


class Skips(unittest.TestCase):
    def test_a_package_a_setting_or_an_option_is_a_remedy(self):
        for reason in ('parole is not installed (Debian: parole)', 'LMCC_TESTBED_FULL is not set',
                       'needs tests/run --full', 'judged on Debian 12, by indent',
                       'no namespaces (sysctl user.max_user_namespaces=10000)'):
            self.assertEqual(judge.skip_faults(log(f'SKIP: {reason}\n', 'SKIP'), OPTIONAL), [], reason)

    def test_a_skip_without_a_remedy_is_a_fault(self):
        self.assertEqual(judge.skip_faults(log('SKIP: tshark is not installed\n', 'SKIP'), OPTIONAL),
                         ['a test: skipped without a remedy: tshark is not installed'])

    def test_a_skip_for_want_of_a_package_that_should_be_installed_is_a_fault(self):
        self.assertEqual(len(judge.skip_faults(log('SKIP: no tshark (Debian: tshark)\n', 'SKIP'), OPTIONAL)), 1)

    def test_optional_is_what_no_command_installs(self):
        listing = '# a list\nbuild gcc\ntest parole|x\nplayers parole a|b c|\n'
        self.assertEqual(judge.optional_packages(listing), {'a', 'b', 'c'})

    def test_a_skip_without_a_reason_is_a_fault(self):
        self.assertEqual(judge.skip_faults(log('', 'SKIP'), OPTIONAL), ['a test: skipped without a reason'])

    def test_unittest_must_say_why_it_skips_each(self):
        said = "test_a (__main__.A) ... skipped 'no indent (Debian: indent)'\n"
        end = 'Ran 5 tests in 0.1s\n\nOK (skipped=1)\n'
        self.assertEqual(judge.skip_faults(log(said + end), OPTIONAL), [])
        self.assertEqual(len(judge.skip_faults(log(end), OPTIONAL)), 1)

    def test_a_program_that_passes_must_say_why_it_skipped_a_part(self):
        self.assertEqual(len(judge.skip_faults(log('skipped: no element x264enc\n100%: Checks: 1\n'), OPTIONAL)), 1)

    def test_a_traceback_in_a_test_that_passes_is_a_fault(self):
        self.assertEqual(len(judge.log_faults(log('Traceback (most recent call last):\n'))), 1)
        self.assertEqual(judge.log_faults(log('all well\n')), [])


class Suites(unittest.TestCase):
    def test_a_suite_of_which_nothing_was_run_is_a_fault(self):
        log_of_one = log('', name='lmcc:loopback+docs / docs/j2k')
        self.assertEqual(judge.suites_not_run('./tests/run --suite docs --suite loopback', log_of_one), [])
        self.assertEqual(len(judge.suites_not_run('./tests/run --suite docs --suite tools', log_of_one)), 1)


class Parts(unittest.TestCase):
    def test_what_a_build_goes_without_is_a_fault(self):
        meson_log = ('Run-time dependency glib-2.0 found: YES 2.74.6\n'
                     'Run-time dependency libisal found: NO (tried pkgconfig)\n'
                     'Program valgrind found: NO\nLibrary ns3-core found: NO\n')
        self.assertEqual(judge.parts_left_out(meson_log), ['built without libisal'])


class WithoutAPackage(unittest.TestCase):
    LISTING = '# A list of gcc.\nbuild gcc   meson\nrun ffmpeg chromium|chromium-browser\n'

    def test_it_is_in_no_line(self):
        self.assertEqual(judge.without_package(self.LISTING, 'gcc'),
                         '# A list of gcc.\nbuild meson\nrun ffmpeg chromium|chromium-browser\n')

    def test_its_alternatives_are_in_none_either(self):
        self.assertIn('run ffmpeg\n', judge.without_package(self.LISTING, 'chromium-browser'))

    def test_what_is_not_in_the_list_cannot_be_removed(self):
        self.assertIsNone(judge.without_package(self.LISTING, 'build'))


class Mirrors(unittest.TestCase):
    def test_the_mirror_is_read_from_either_form(self):
        lines = 'deb [arch=amd64 signed-by=/a.gpg] http://mirror.example/debian/ bookworm main # ours\n'
        paragraphs = ('Types: deb\n# a comment\nURIs: http://mirror.example/debian\nSuites: bookworm\n\n'
                      'Types: deb deb-src\nURIs: http://mirror.example/security\nSuites: bookworm-security\n')
        self.assertEqual(cache.find_mirrors(cache.parse_list(lines)),
                         ('http://mirror.example/debian', cache.DEFAULT_SECURITY))
        self.assertEqual(cache.find_mirrors(cache.parse_deb822(paragraphs)),
                         ('http://mirror.example/debian', 'http://mirror.example/security'))

    def test_what_is_not_debian_is_no_mirror(self):
        lines = 'deb http://archive.example/ubuntu noble main\n# deb http://a.example bookworm main\n'
        paragraphs = ('Types: deb\nURIs: http://node.example\nSuites: nodistro\n\n'
                      'Enabled: no\nTypes: deb\nURIs: http://b.example\nSuites: trixie\n')
        for sources in (cache.parse_list(lines), cache.parse_deb822(paragraphs)):
            self.assertEqual(cache.find_mirrors(sources), (cache.DEFAULT_MIRROR, cache.DEFAULT_SECURITY))


class Kept(unittest.TestCase):
    """A cache with fake roots of a few bytes."""

    def setUp(self):
        quiet = contextlib.redirect_stderr(io.StringIO())
        quiet.__enter__()
        self.addCleanup(quiet.__exit__, None, None, None)
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        self.made = 0
        for name, value in (('make_root', self.make_root), ('host_sources', lambda: [])):
            patch = mock.patch.object(cache, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def make_root(self, _release, _sources, tar):
        self.made += 1
        tar.write_text(f'root {self.made}', encoding='utf-8')

    def open(self):
        opened = cache.Cache(self.directory, 'bookworm')
        self.addCleanup(opened.lock.close)
        return opened

    def root(self):
        opened = cache.Cache(self.directory, 'bookworm')
        text = opened.root().read_text(encoding='utf-8')
        opened.lock.close()
        return text

    def test_a_root_is_made_once(self):
        self.assertEqual([self.root(), self.root()], ['root 1', 'root 1'])

    def test_a_damaged_root_is_made_anew(self):
        self.root()
        (self.directory / 'bookworm/root.tar').write_text('roo', encoding='utf-8')
        self.assertEqual(self.root(), 'root 2')

    def test_a_root_without_a_whole_record_is_made_anew(self):
        for text in ('', '{"made": 1', '[]'):
            self.root()
            before = self.made
            (self.directory / 'bookworm/root.json').write_text(text, encoding='utf-8')
            self.root()
            self.assertEqual(self.made, before + 1)

    def test_a_root_older_than_a_week_is_made_anew(self):
        self.root()
        with mock.patch.object(time, 'time', return_value=time.time() + cache.OLDEST - 60):
            self.assertEqual(self.root(), 'root 1')
        with mock.patch.object(time, 'time', return_value=time.time() + cache.OLDEST + 60):
            self.assertEqual(self.root(), 'root 2')

    def test_a_root_of_another_mirror_is_made_anew(self):
        self.root()
        with mock.patch.object(cache, 'host_sources', lambda: [('http://mirror.example/debian', ['trixie'])]):
            self.assertEqual(self.root(), 'root 2')

    def test_only_whole_packages_are_kept(self):
        opened = self.open()
        for name in ('whole.deb', 'changed.deb'):
            (opened.debs / name).write_text(name, encoding='utf-8')
        opened.keep_debs()
        opened.lock.close()
        (opened.debs / 'changed.deb').write_text('x', encoding='utf-8')
        (opened.debs / 'of-a-run-that-was-killed.deb').write_text('x', encoding='utf-8')
        self.open()
        self.assertEqual([path.name for path in opened.debs.iterdir()], ['whole.deb'])


if __name__ == '__main__':
    unittest.main()
