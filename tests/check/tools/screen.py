# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests gst-lmcc-1.0 screen: the screens that it finds, and its errors if no screen can be used."""
import os
import shutil
import subprocess
import tempfile
import unittest

from tool import FAILURE, OK, TOOL, USAGE

SCREENS = ('DISPLAY', 'WAYLAND_DISPLAY')


# The other element tests do not need the other installed plugins.
PLUGINS = 'GST_PLUGIN_SYSTEM_PATH_1_0'


def run(*arguments, **environment):
    """Only the given variables describe a screen."""
    inherited = {name: value for name, value in os.environ.items() if name not in (*SCREENS, PLUGINS)}
    return subprocess.run([TOOL, 'screen', *arguments], env={**inherited, **environment}, capture_output=True,
                          text=True, timeout=60, check=False)


def has_ximagesink():
    environment = {name: value for name, value in os.environ.items() if name != PLUGINS}
    return subprocess.run(['gst-inspect-1.0', '--exists', 'ximagesink'], env=environment, check=False).returncode == 0


class WithoutAScreen(unittest.TestCase):
    def check(self, result, *words):
        self.assertEqual((result.returncode, result.stdout), (FAILURE, ''), result.stderr)
        for word in words:
            self.assertIn(word, result.stderr)

    def test_the_variables_are_named(self):
        self.check(run(), *SCREENS)
        self.check(run(DISPLAY='', WAYLAND_DISPLAY=''), *SCREENS)

    @unittest.skipUnless(has_ximagesink(), 'there is no element ximagesink (Debian: gstreamer1.0-x)')
    def test_a_screen_that_cannot_be_opened_is_named_with_the_reason(self):
        with tempfile.TemporaryDirectory() as directory:
            self.check(run(DISPLAY=f'unix:{directory}/none'), f'DISPLAY=unix:{directory}/none', 'ximagesink: ')

    def test_without_an_element_the_package_is_named(self):
        with tempfile.TemporaryDirectory() as directory:
            nothing = {'GST_PLUGIN_PATH_1_0': directory, PLUGINS: directory, 'GST_REGISTRY': f'{directory}/registry'}
            self.check(run(DISPLAY=':77', **nothing), 'gstreamer1.0-x or gstreamer1.0-gl')
            self.check(run(WAYLAND_DISPLAY='wayland-77', **nothing), 'gstreamer1.0-plugins-bad or gstreamer1.0-gl')

    def test_arguments_are_refused(self):
        self.assertEqual(run('now').returncode, USAGE)


@unittest.skipUnless(shutil.which('Xvfb'), 'Xvfb is not installed (Debian: xvfb)')
class WithAScreen(unittest.TestCase):
    def test_an_element_that_opens_it_is_printed(self):
        with subprocess.Popen(['Xvfb', '-displayfd', '1', '-nolisten', 'tcp'], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True) as screen:
            try:
                result = run(DISPLAY=f':{screen.stdout.readline().strip()}')
            finally:
                screen.terminate()
        self.assertEqual(result.returncode, OK, result.stderr)
        self.assertIn(result.stdout, ('xvimagesink\n', 'ximagesink\n', 'glimagesink\n'))


if __name__ == '__main__':
    unittest.main(verbosity=2)
