# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests the gst-launch-1.0 command lines that gst-lmcc-1.0 send and play make.

A fake gst-launch-1.0 reports its arguments.
"""
import os
import shlex
import subprocess
import tempfile
import unittest
from pathlib import Path

from tool import FAILURE, OK, TOOL, USAGE

LAUNCH = '#!/bin/sh\nfor word; do printf "%s\\n" "$word"; done\n'
NO_SCREEN = ['video-sink=fakesink sync=true', 'audio-sink=fakesink sync=true']


class Lines(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        self.launch = self.directory / 'gst-launch-1.0'
        self.launch.write_text(LAUNCH, encoding='ascii')
        self.launch.chmod(0o755)

    def run_tool(self, *arguments, **variables):
        environment = {**os.environ, 'PATH': str(self.directory), 'DISPLAY': '', 'WAYLAND_DISPLAY': '', **variables}
        return subprocess.run([TOOL, *arguments], capture_output=True, text=True, env=environment, timeout=60,
                              check=False)

    def words(self, *arguments, **variables):
        """Returns the arguments of gst-launch-1.0; the printed command line must mean the same to a shell."""
        result = self.run_tool(*arguments, **variables)
        self.assertEqual(result.returncode, OK, result.stderr)
        words = result.stdout.splitlines()
        printed = shlex.split(result.stderr.splitlines()[-1])
        path = f"GST_PLUGIN_PATH_1_0={os.environ['GST_PLUGIN_PATH_1_0']}"
        self.assertEqual(printed, [path, 'gst-launch-1.0', *words])
        return words

    def test_play_plays_the_usual_session(self):
        self.assertEqual(self.words('play'), ['playbin', 'uri=lmcc://239.255.42.1:5004', *NO_SCREEN])

    def test_options_of_play_are_parameters_of_the_uri(self):
        words = self.words('play', '239.255.1.1', '--level', '0', '--latency=300', '--multicast-iface', 'a&b')
        self.assertEqual(words[1], 'uri=lmcc://239.255.1.1?max-level=0&multicast-iface=a%26b&latency=300')
        words = self.words('play', 'lmcc://[ff15::1]:6000?max-level=1', '--latency=300')
        self.assertEqual(words[1], 'uri=lmcc://[ff15::1]:6000?max-level=1&latency=300')

    def test_a_link_is_one_word_to_gst_launch(self):
        words = self.words('play', 'lmcc://239.255.1.1:5004?multicast-iface=\'"\' ! filesrc location=\\x')
        self.assertEqual(words[1],
                         'uri=lmcc://239.255.1.1:5004?multicast-iface=%27%22%27%20%21%20filesrc%20location=%5Cx')

    def test_on_a_screen_that_cannot_be_used_it_does_not_play(self):
        result = self.run_tool('play', DISPLAY=':4711')
        self.assertEqual((result.returncode, result.stdout), (FAILURE, ''))
        self.assertIn('there is a screen', result.stderr)

    def test_send_sends_picture_and_sound(self):
        words = self.words('send', 'test')
        line = ' '.join(words)
        self.assertIn('! video/x-raw,width=640,height=360,pixel-aspect-ratio=1/1 ! lmccsink name=lmcc '
                      'address=239.255.42.1 encoder-settings=x264,bitrates="150k,400k,1M" audiotestsrc', line)
        self.assertTrue(line.endswith('! opusenc ! lmcc.audio_sink'))
        self.assertNotIn('audio', ' '.join(self.words('send', 'test', '--no-sound')))

    def test_options_of_send_are_those_of_the_sink(self):
        line = ' '.join(self.words('send', 'test', '--address', '239.255.1.1', '--port=6000', '--multicast-iface', 'lo',
                                   '--ttl-mc', '4', '--rates', '90k', '--size', '32x16', '--sdp', 'a "b" c'))
        self.assertIn('width=32,height=16,pixel-aspect-ratio=1/1 ! lmccsink name=lmcc address=239.255.1.1 port=6000 '
                      'multicast-iface=lo ttl-mc=4 sdp-location="a \\"b\\" c" '
                      'encoder-settings=x264,bitrates="90k"', line)

    def test_wrong_options_are_refused_with_a_remedy(self):
        for arguments, remedy in ((['send', '--size', '640'], '640x360'), (['send', '--size', '640x'], '640x360'),
                                  (['send', '--rates', '1,,2'], '150k,400k,1M'),
                                  (['send', '--port', '65535'], '1 to 65534'), (['send', '--port=0'], '1 to 65534'),
                                  (['send', '--ttl-mc=-1'], '0 to 255'), (['send', '--ttl-mc', '256'], '0 to 255'),
                                  (['send', 'a', 'b'], 'too many'),
                                  (['play', 'http://example.org'], 'lmcc://'), (['play', 'a', 'b'], 'too many')):
            with self.subTest(arguments=arguments):
                result = self.run_tool(*arguments)
                self.assertEqual(result.returncode, USAGE)
                self.assertIn(remedy, result.stderr)

    def test_what_cannot_be_sent_is_named_with_a_remedy(self):
        no_film = self.directory / 'no-film'
        no_film.write_text('text', encoding='ascii')
        for path in (no_film, self.directory / 'nothing'):
            result = self.run_tool('send', str(path))
            self.assertEqual(result.returncode, FAILURE)
            self.assertIn(str(path), result.stderr)
            self.assertIn('camera or test', result.stderr)

    def test_without_gst_launch_its_package_is_named(self):
        self.launch.unlink()
        for command in ('send', 'play'):
            result = self.run_tool(command, *(['test'] if command == 'send' else []))
            self.assertEqual(result.returncode, FAILURE)
            self.assertIn('gstreamer1.0-tools', result.stderr)


if __name__ == '__main__':
    unittest.main()
