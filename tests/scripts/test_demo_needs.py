#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests the demonstration's messages when a program or plugin is missing or a child process fails: it must fail with
an error, and at once if possible.

LMCC_BUILD_ROOT is the build under test.
"""
import contextlib
import io
import json
import os
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ROOT / 'pipelines' / 'lib'
sys.path.insert(0, str(LIBRARY))
import gi  # noqa: E402
gi.require_version('Gst', '1.0')
from gi.repository import Gst  # noqa: E402
from demo import __main__ as main, film, needs, receiver  # noqa: E402
from demo.child import Child, Tcp  # noqa: E402
from demo.process import FRAME_SIZE, RAW_CAPS  # noqa: E402
from demo.reception import Reception  # noqa: E402
from demo.run import Failure, Run  # noqa: E402
from installed import OURS, PACKAGE_OF, PACKAGES, where  # noqa: E402

Gst.init(None)

SENDER = {'sessions': ['one', 'two'], 'rates': [200, 350], 'key-interval': 24, 'references': True}
RECEIVER = {'measured': True, 'units': True, 'sink': 'ximagesink'}


class Installed(unittest.TestCase):
    def test_every_element_of_the_demonstration_has_a_package(self):
        words = {word for description in needs.descriptions(SENDER, RECEIVER)
                 for part in description.split(' ! ') for word in part.split()[:2]}
        elements = {word for word in words if re.fullmatch(r'[a-z0-9_]+', word)}
        self.assertIn('textoverlay', elements)
        for element in elements:
            with self.subTest(element):
                where(element)

    def test_every_package_of_an_element_is_what_debian_has_it_in(self):
        if not shutil.which('dpkg'):
            self.skipTest('there is no dpkg (Debian: dpkg)')
        factories = [factory for factory in map(Gst.ElementFactory.find, PACKAGE_OF) if factory]
        plugin_of = {factory.get_name(): str(Path(factory.get_plugin().get_filename()).resolve())
                     for factory in factories}
        listed = subprocess.run(['dpkg', '-S', *set(plugin_of.values())], capture_output=True, text=True,
                                check=False).stdout
        owner_of = {line.split()[-1]: line.split(':')[0] for line in listed.splitlines()}
        self.assertIn(plugin_of['queue'], owner_of)
        for element, plugin in plugin_of.items():
            with self.subTest(element):
                self.assertEqual(owner_of.get(plugin, PACKAGE_OF[element]), PACKAGE_OF[element])

    def test_what_the_demonstration_needs_is_in_the_list_of_packages(self):
        listed = (LIBRARY / 'packages').read_text().split()
        lacking = {PACKAGE_OF[name] for name in (*needs.MODULES, *needs.PROGRAMS, 'GstApp', 'Gst')} - set(listed)
        # Every Debian installation has util-linux.
        self.assertEqual(lacking - {'util-linux'}, set())
        # Further elements are needed only by tests that can be skipped.
        for package in ('gstreamer1.0-plugins-ugly', 'gstreamer1.0-x', 'gstreamer1.0-libav'):
            self.assertIn(package, listed)
            self.assertIn(package, PACKAGES)


class Needs(unittest.TestCase):
    def test_a_missing_element_is_found_in_a_description(self):
        self.assertEqual(needs.missing_elements(['fakesrc ! nonesuch ! fakesink', 'nonesuch ! other']),
                         ['nonesuch', 'other'])
        self.assertEqual(needs.missing_elements(['fakesrc ! identity ! fakesink']), [])

    def test_what_is_of_this_tree_is_not_looked_for_in_a_package(self):
        for element in OURS:
            self.assertIn('meson setup', where(element))


class Scratch(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = Path(scratch.name)


class Films(Scratch):
    def test_a_film_that_cannot_be_read_is_a_fault(self):
        self.assertIn('none.mkv', film.join(f'{self.scratch}/out.mkv', [
            {'file': f'{self.scratch}/none.mkv', 'seconds': 0, 'text': 'none', 'column': 0, 'row': 0}]))

    def test_films_that_are_not_joined_are_a_fault_of_the_run(self):
        run = SimpleNamespace(receptions=[Reception(f'receiver {link}', None, link, SimpleNamespace(index=0))
                                          for link in range(2)],
                              film_of=lambda _: self.scratch / 'none.mkv', say=self.fail)
        for reception in run.receptions:
            reception.base, reception.frames = 0, [SimpleNamespace(time=0)]
        with contextlib.redirect_stderr(io.StringIO()):
            fault = main.join_films(run, self.scratch)
        self.assertRegex(fault, 'side-by-side.mkv could not be written: .*none.mkv')

    def test_a_record_that_cannot_be_written_is_a_fault(self):
        recorder = receiver.Recorder(str(self.scratch / 'none' / 'record.mkv'))
        picture = Gst.Buffer.new_wrapped(bytes(FRAME_SIZE))
        recorder.write(Gst.Sample.new(picture, Gst.Caps.from_string(f'{RAW_CAPS},framerate=24/1'), None, None), 0)
        self.assertTrue(recorder.close())


RAISING = '''
import sys, threading
from demo.process import GLib, Gst, watch
Gst.init(None)
loop = GLib.MainLoop()
pipeline = Gst.parse_launch('fakesrc num-buffers=1 ! identity name=tap signal-handoffs=true ! fakesink')
failed = watch(pipeline, loop)
def fail(*_):
    raise ValueError('broken')
{begin}
pipeline.set_state(Gst.State.PLAYING)
loop.run()
pipeline.set_state(Gst.State.NULL)
sys.exit(7 if failed() else 0)
'''


class Children(Scratch):
    """Child processes that fail."""

    def test_an_exception_where_nobody_catches_it_ends_the_child(self):
        for begin in ("pipeline.get_by_name('tap').connect('handoff', fail)", 'GLib.idle_add(fail)',
                      'threading.Thread(target=fail).start()'):
            with self.subTest(begin):
                done = subprocess.run([sys.executable, '-B', '-c', RAISING.format(begin=begin)], capture_output=True,
                                      env={**os.environ, 'PYTHONPATH': str(LIBRARY)}, text=True, timeout=60,
                                      check=False)
                self.assertEqual((done.returncode, done.stderr), (7, ''))
                told = json.loads(done.stdout.splitlines()[0])
                self.assertEqual((told['event'], told['text']), ('error', 'ValueError: broken'))

    def start_child(self, script, events):
        (self.scratch / 'demo').mkdir()
        (self.scratch / 'demo/__init__.py').write_text('')
        (self.scratch / 'demo/fake.py').write_text(script)
        with mock.patch('demo.child.LIBRARY', self.scratch):
            return Child('fake', 'the child', {}, events, ())

    def test_the_end_of_a_child_is_told_whatever_it_has_printed(self):
        events = queue.Queue()
        with contextlib.redirect_stderr(io.StringIO()) as said:
            child = self.start_child('print("not JSON")\nraise SystemExit(3)\n', events)
            self.assertEqual(events.get(timeout=60), (child, {'event': 'end'}))
        self.assertEqual((child.stop(), said.getvalue()), (3, 'the child: not JSON\n'))

    def test_a_run_without_its_sender_ends_with_the_status(self):
        run = Run.__new__(Run)
        run.draining, run.sender = False, self.start_child('raise SystemExit(3)\n', queue.Queue())
        with self.assertRaisesRegex(Failure, 'the sender ended with status 3'):
            run.handle(run.sender, {'event': 'end'})

    def test_tcp_that_ends_by_itself_is_told_with_the_reason(self):
        program = self.scratch / 'iperf3'
        program.write_text('#!/bin/sh\necho "iperf3: error - no room" >&2\nexit 1\n')
        program.chmod(0o755)
        reasons = queue.Queue()
        host = SimpleNamespace(prefix=(), address='127.0.0.1')
        with mock.patch.dict(os.environ, {'PATH': f"{self.scratch}:{os.environ['PATH']}"}):
            tcp = Tcp(host, host, self.fail, reasons.put)
            self.assertEqual(reasons.get(timeout=60), 'iperf3: error - no room')
            tcp.stop()


class Demo(Scratch):
    """Runs of the program with something missing."""

    def run_demo(self, *options, **environment):
        """Returns the exit status and the output; the program must end before it can have sent anything."""
        done = subprocess.run([sys.executable, '-B', '-m', 'demo', '--seconds', '600', '--out', self.scratch / 'out',
                               *options],
                              env={**os.environ, 'GST_PLUGIN_PATH_1_0': f"{os.environ['LMCC_BUILD_ROOT']}/plugins",
                                   'GST_REGISTRY_1_0': f"{os.environ['LMCC_BUILD_ROOT']}/gstreamer-registry.bin",
                                   'PYTHONPATH': str(LIBRARY),
                                   **environment},
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=60, check=False)
        self.assertNotIn('Traceback', done.stdout)
        return done.returncode, done.stdout

    def plugins_without(self, *left_out):
        """Makes a directory with all plugins of the system except some."""
        directory = self.scratch / 'plugins'
        directory.mkdir()
        system = Path(Gst.ElementFactory.find('queue').get_plugin().get_filename()).parent
        for plugin in system.glob('libgst*.so'):
            if plugin.name not in left_out:
                (directory / plugin.name).symlink_to(plugin)
        return str(directory)

    def test_missing_elements_are_named_at_the_start_with_their_packages(self):
        directory = self.plugins_without('libgstpango.so', 'libgstx264.so')
        status, output = self.run_demo('--loopback', GST_PLUGIN_SYSTEM_PATH_1_0=directory,
                                       GST_REGISTRY_1_0=str(self.scratch / 'registry'))
        self.assertEqual(status, 1, output)
        self.assertIn('not installed: ', output)
        self.assertIn('the element textoverlay (Debian: gstreamer1.0-x)', output)
        self.assertIn('the element x264enc (Debian: gstreamer1.0-plugins-ugly)', output)

    def test_a_missing_plugin_of_this_tree_is_said_to_be_of_the_build(self):
        status, output = self.run_demo('--loopback', GST_PLUGIN_PATH_1_0=str(self.scratch),
                                       GST_REGISTRY_1_0=str(self.scratch / 'registry'))
        self.assertEqual(status, 1, output)
        self.assertIn('the element lmccsrc (not part of this build', output)

    def test_a_missing_module_is_named_at_the_start_with_its_package(self):
        hidden = self.scratch / 'hidden'
        hidden.mkdir()
        (hidden / 'sitecustomize.py').write_text(
            'import importlib.util\nfind = importlib.util.find_spec\n'
            'importlib.util.find_spec = lambda name, *rest: None if name == "matplotlib" else find(name, *rest)\n')
        status, output = self.run_demo('--loopback', PYTHONPATH=f'{hidden}:{LIBRARY}')
        self.assertEqual(status, 1, output)
        self.assertIn('the Python module matplotlib (Debian: python3-matplotlib)', output)

    def test_a_film_that_nothing_decodes_is_named_with_the_cause(self):
        path = self.scratch / 'film.mp4'
        path.write_bytes(b'no film' * 100)
        status, output = self.run_demo('--loopback', path)
        self.assertEqual(status, 1, output)
        self.assertRegex(output, f'demo: sender: {path}: .+')

    def test_a_screen_that_is_not_there_is_said_at_the_start(self):
        tools = f"{os.environ['LMCC_BUILD_ROOT']}/plugins/tools"
        status, output = self.run_demo('--loopback', '--window', DISPLAY='', WAYLAND_DISPLAY='',
                                       PATH=f"{tools}:{os.environ['PATH']}")
        self.assertEqual((status, output),
                         (1, 'demo: --window: there is no screen: neither DISPLAY nor WAYLAND_DISPLAY is set\n'))


if __name__ == '__main__':
    unittest.main()
