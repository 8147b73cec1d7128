# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests gst-lmcc-1.0 listen, doctor and relay with a real sender over loopback."""
import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from tool import FAILURE, OK, SOURCE_ROOT, USAGE, run, start

GROUP = '239.255.78.1'
LAYERS = 3

PLUGIN = Path(SOURCE_ROOT) / 'plugins' / 'lmcc'


def has(element):
    return subprocess.run(['gst-inspect-1.0', element], stdout=subprocess.DEVNULL, check=False).returncode == 0


def free_port():
    """An unused even port with the next one free, too."""
    while True:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as first:
            first.bind(('', 0))
            port = first.getsockname()[1]
            if port % 2 == 1 or port > 65000:
                continue
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as second:
                try:
                    second.bind(('', port + 1))
                except OSError:
                    continue
            return port


# Without the element in the build there is nothing to test; a plugin that does not load is a failure.
@unittest.skipUnless((PLUGIN / 'src/lmccsrc.c').exists(), 'this tree has no lmccsrc')
class WithoutASender(unittest.TestCase):
    def test_listen_says_that_no_packet_came_and_who_knows_why(self):
        result = run('listen', '--multicast-iface', 'lo', '--seconds', '1', f'{GROUP}:{free_port()}')
        self.assertEqual(result.returncode, FAILURE)
        self.assertIn('no packet arrived', result.stderr)
        self.assertIn('gst-lmcc-1.0 doctor', result.stderr)

    def test_listen_prints_json_lines_with_everything_unknown_or_nought(self):
        result = run('listen', '--json', '--multicast-iface', 'lo', '--seconds', '2', f'{GROUP}:{free_port()}')
        lines = [json.loads(line) for line in result.stdout.splitlines()]
        seconds = [line for line in lines if line['event'] == 'second']
        self.assertIn(len(seconds), (1, 2))
        self.assertEqual(seconds[0]['packets'], 0)
        self.assertEqual(seconds[0]['packets-received'], 0)

    def test_bad_values_and_addresses_are_refused_with_a_remedy(self):
        for arguments, word in ((['--max-level', 'high', GROUP], 'max-level'), (['--max-level', '99', GROUP], '99'),
                                (['10.1.2.3'], 'multicast'), (['--latency', '-1', GROUP], 'latency')):
            with self.subTest(arguments=arguments):
                result = run('listen', *arguments)
                self.assertEqual(result.returncode, USAGE)
                self.assertIn(word, result.stderr)

    def test_an_interface_that_is_not_there_is_an_error_that_names_it(self):
        result = run('listen', '--multicast-iface', 'nowhere0', '--seconds', '5', GROUP)
        self.assertEqual(result.returncode, FAILURE)
        self.assertIn('nowhere0', result.stderr)

    def test_gst_inspect_finds_the_elements_by_the_version_of_their_plugin(self):
        for name in ('lmccsink', 'lmccsrc'):
            result = subprocess.run(['gst-inspect-1.0', '--exists', '--atleast-version=0.1', name], check=False)
            self.assertEqual(result.returncode, 0, name)

    def test_ctrl_c_ends_it(self):
        process = start('listen', '--multicast-iface', 'lo', f'{GROUP}:{free_port()}')
        self.assertTrue(process.stdout.readline())
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=10)
        self.assertEqual(process.returncode, FAILURE)


@unittest.skipUnless((PLUGIN / 'src/lmccsrc.c').exists() and (PLUGIN / 'sink/lmccsink.c').exists(),
                     'this tree has no lmccsink and lmccsrc')
@unittest.skipUnless(has('x264enc') and has('avdec_h264'),
                     'no x264enc and avdec_h264 (Debian: gstreamer1.0-plugins-ugly gstreamer1.0-libav)')
@unittest.skipIf(os.environ.get('LMCC_TEST_SLOW') == 'sanitize', 'gst-launch-1.0 cannot load a plugin with a sanitizer')
class WithASender(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.port = free_port()
        cls.uri = f'lmcc://{GROUP}:{cls.port}?multicast-iface=lo'
        cls.sender = subprocess.Popen(
            ['gst-launch-1.0', '-q', 'videotestsrc', 'is-live=true', 'pattern=ball', '!',
             'video/x-raw,width=320,height=240,framerate=25/1', '!',
             'x264enc', 'bitrate=400', 'key-int-max=25', 'bframes=3', 'b-pyramid=true', 'b-adapt=false',
             'speed-preset=veryfast', 'threads=1', '!',
             'lmccsink', f'address={GROUP}', f'port={cls.port}', 'multicast-iface=lo'],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    @classmethod
    def tearDownClass(cls):
        cls.sender.terminate()
        _, errors = cls.sender.communicate(timeout=20)
        assert 'ERROR' not in errors, errors

    def listen(self, *options, seconds=3, algorithm='none'):
        result = run('listen', '--json', '--seconds', str(seconds), *options, self.uri + '&algorithm=' + algorithm)
        self.assertEqual(result.returncode, OK, result.stderr)
        lines = [json.loads(line) for line in result.stdout.splitlines()]
        return ([line for line in lines if line['event'] == 'second'],
                [line for line in lines if line['event'] == 'level'])

    def test_listen_reports_packets_rate_and_the_level_that_it_reached(self):
        seconds, changes = self.listen()
        self.assertEqual(seconds[-1]['level'], LAYERS - 1, seconds[-1])
        self.assertGreater(seconds[-1]['packets'], 10)
        self.assertGreater(seconds[-1]['rate'], 50000)
        self.assertEqual(len(seconds[-1]['layers']), LAYERS)
        self.assertGreater(seconds[-1]['packets-delivered'], 10)
        self.assertTrue(changes)
        self.assertEqual(changes[-1]['to'], LAYERS - 1)
        self.assertTrue(all(change['reason'] for change in changes), changes)

    def test_max_level_holds_the_level_down(self):
        seconds, changes = self.listen('--max-level', '0')
        self.assertEqual({second['level'] for second in seconds[1:]}, {0})
        self.assertEqual({change['to'] for change in changes}, {0})
        self.assertEqual([layer['packets-received'] for layer in seconds[-1]['layers'][1:]], [0] * (LAYERS - 1))

    def test_text_has_a_line_for_each_change_and_each_second(self):
        result = run('listen', '--seconds', '3', self.uri + '&algorithm=none')
        self.assertEqual(result.returncode, OK, result.stderr)
        self.assertRegex(result.stdout, r'(?m)^ +\d\.\d\d s  level -?\d -> \d: \S.* \(rate .*, loss .* %\)$')
        each = re.findall(r'^ +(\d)\.\d\d s  level -?\d+  rung -?\d+  .*bit/s  (\d+) packets  loss ', result.stdout,
                          re.MULTILINE)
        self.assertIn(len(each), (2, 3), result.stdout)
        self.assertGreater(int(each[-1][1]), 10)

    def test_listen_shows_what_congestion_control_does_and_sees(self):
        seconds, changes = self.listen(algorithm='elm')
        for line in changes + seconds[-1:]:
            self.assertEqual(line['algorithm'], 'elm')
            self.assertTrue(line['state'] and line['reason'], line)
            self.assertIn(line['rtt-source'], ('max', 'feedback', 'join'))
            self.assertGreater(line['rtt-ms'], 0)
            # Without losses on one host, the model has no limit.
            self.assertEqual((line['loss-event-rate'], line['calculated-bitrate']), (0, None))
        self.assertGreater(seconds[-1]['smoothed-bitrate'], 50000)
        self.assertEqual(seconds[-1]['reason'], changes[-1]['reason'])
        self.assertEqual(seconds[-1]['report-errors'], 0)

    def test_text_has_the_same_in_short(self):
        result = run('listen', '--seconds', '3', self.uri + '&algorithm=elm')
        self.assertEqual(result.returncode, OK, result.stderr)
        control = r'  elm \w.*  p 0\.0000  rtt \d+\.\d ms \(\w+\)  X \S+'
        self.assertRegex(result.stdout, r'(?m)^ .* level -?\d -> \d: .*\)' + control)
        self.assertRegex(result.stdout, r'(?m)^ .* level -?\d  rung .* packets .*' + control + '.*  reason [a-z].*$')

    def test_listen_shows_what_only_plumb_has_of_it_alone(self):
        seconds, changes = self.listen(algorithm='plumb')
        for line in changes + seconds[-1:]:
            self.assertIs(line['joins-vetoed'], False)
            # Without losses on one host: no rate, no turn, no failed join.
            for unknown in ('fair-bitrate', 'loss-thinning', 'loss-chance', 'turn-level', 'turn-share', 'turn-left-ms',
                            'left-alone-ms', 'calculated-bitrate', 'smoothed-bitrate'):
                self.assertIsNone(line[unknown], line)
        seconds, _ = self.listen(algorithm='elm')
        self.assertNotIn('fair-bitrate', seconds[-1])

    def test_text_of_plumb_has_no_rate_that_it_does_not_know(self):
        result = run('listen', '--seconds', '3', self.uri + '&algorithm=plumb')
        self.assertEqual(result.returncode, OK, result.stderr)
        self.assertRegex(result.stdout, r'(?m)^ .* rung .*  plumb \w.*  p 0\.0000  rtt \d+\.\d ms \(\w+\)')
        for absent in ('  X ', '  fair rate ', 'left alone'):
            self.assertNotIn(absent, result.stdout)

    def test_doctor_sees_the_media_and_the_record(self):
        result = run('doctor', '--json', '--seconds', '10', self.uri)
        checks = json.loads(result.stdout)['checks']
        status = {check['check']: check['status'] for check in checks}
        self.assertEqual((status['join'], status['arrival'], status['record']), ('ok', 'ok', 'ok'), result.stdout)
        # The sender, on this host, accepts reports on the second port.
        self.assertEqual(status['senders'], 'ok', result.stdout)
        self.assertEqual(status['leaves'], 'skip', result.stdout)
        self.assertEqual([check for check in checks if check['status'] == 'fail'], [])
        self.assertEqual(result.returncode, OK)

    def wait_for(self, path, process):
        end = time.monotonic() + 20
        while not path.exists() or path.stat().st_size == 0:
            self.assertIsNone(process.poll(), 'relay ended')
            self.assertLess(time.monotonic(), end, 'no SDP')
            time.sleep(0.05)
        return path.read_text()

    def test_relay_sends_rtp_and_an_sdp_that_a_plain_pipeline_decodes(self):
        port = free_port()
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / 'relay.sdp'
            process = start('relay', '--to', f'127.0.0.1:{port}', '--sdp', str(path), self.uri)
            try:
                sdp = self.wait_for(path, process)
                payload_type = re.search(rf'^m=video {port} RTP/AVP (\d+)\r?$', sdp, re.MULTILINE)[1]
                self.assertRegex(sdp, rf'(?m)^a=rtpmap:{payload_type} H264/90000\r?$')
                self.assertRegex(sdp, rf'(?m)^a=fmtp:{payload_type} .*packetization-mode=1')
                self.assertRegex(sdp, r'(?m)^c=IN IP4 127\.0\.0\.1\r?$')
                self.assertNotIn('extmap', sdp)
                caps = (f'application/x-rtp,media=video,clock-rate=90000,encoding-name=H264,payload={payload_type}')
                player = subprocess.run(
                    ['gst-launch-1.0', '-q', 'udpsrc', f'port={port}', f'caps={caps}', '!', 'rtpjitterbuffer', '!',
                     'rtph264depay', '!', 'h264parse', '!', 'avdec_h264', '!',
                     'identity', 'eos-after=30', '!', 'fakesink'],
                    capture_output=True, text=True, timeout=60, check=False)
                self.assertEqual(player.returncode, 0, player.stderr)
            finally:
                process.send_signal(signal.SIGINT)
                _, errors = process.communicate(timeout=10)
            self.assertEqual(process.returncode, OK, errors)

    @unittest.skipUnless(has('opusenc') and has('opusdec'),
                         'no opusenc and opusdec (Debian: gstreamer1.0-plugins-base)')
    def test_relay_sends_the_sound_to_a_port_of_its_own(self):
        group, port, to = '239.255.65.7', free_port(), free_port()
        sender = subprocess.Popen(
            ['gst-launch-1.0', '-q', 'lmccsink', 'name=lmcc', f'address={group}', f'port={port}', 'multicast-iface=lo',
             'videotestsrc', 'is-live=true', '!', 'video/x-raw,width=160,height=120,framerate=25/1', '!', 'x264enc',
             'tune=zerolatency', 'key-int-max=25', '!', 'lmcc.', 'audiotestsrc', 'is-live=true', '!', 'opusenc', '!',
             'lmcc.audio_sink'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / 'relay.sdp'
            process = start('relay', '--to', f'127.0.0.1:{to}', '--sdp', str(path),
                            f'lmcc://{group}:{port}?multicast-iface=lo')
            try:
                sdp = self.wait_for(path, process)
                self.assertRegex(sdp, rf'(?m)^m=video {to} RTP/AVP \d+\r?$')
                payload_type = re.search(rf'^m=audio {to + 2} RTP/AVP (\d+)\r?$', sdp, re.MULTILINE)[1]
                self.assertRegex(sdp, rf'(?mi)^a=rtpmap:{payload_type} opus/48000')
                caps = f'application/x-rtp,media=audio,clock-rate=48000,encoding-name=OPUS,payload={payload_type}'
                player = subprocess.run(
                    ['gst-launch-1.0', '-q', 'udpsrc', f'port={to + 2}', f'caps={caps}', '!', 'rtpjitterbuffer', '!',
                     'rtpopusdepay', '!', 'opusdec', '!', 'identity', 'eos-after=30', '!', 'fakesink'],
                    capture_output=True, text=True, timeout=60, check=False)
                self.assertEqual(player.returncode, 0, player.stderr)
            finally:
                process.send_signal(signal.SIGINT)
                _, errors = process.communicate(timeout=10)
                sender.terminate()
                sender.wait(20)
            self.assertEqual(process.returncode, OK, errors)

    def test_relay_prints_the_sdp_unless_told_otherwise(self):
        result = run('relay', '--to', f'127.0.0.1:{free_port()}', '--seconds', '3', self.uri)
        self.assertEqual(result.returncode, OK, result.stderr)
        self.assertEqual(result.stdout.count('m=video'), 1, result.stdout)
        self.assertTrue(result.stdout.startswith('v=0'))

    def test_relay_fails_where_the_sdp_cannot_be_written(self):
        result = run('relay', '--to', f'127.0.0.1:{free_port()}', '--sdp', '/nowhere/relay.sdp', self.uri)
        self.assertEqual(result.returncode, FAILURE)
        self.assertIn('/nowhere/relay.sdp', result.stderr)
        self.assertIn('--sdp', result.stderr)


if __name__ == '__main__':
    os.environ.pop('GST_DEBUG', None)
    unittest.main(verbosity=2)
