# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A session of fixed rates over loopback: the clip's rungs into lmccsink, a receiver for each level, a receiver whose
level the algorithm chooses, and a record of all packets."""

import re
import time

import clip
import lib
import wire

# Twice the length of a group, one second, plus 400 ms, as lmccsink's warning recommends.
WINDOW_MS = 2400
MTU = 800
SILENT_GROUPS = 10

# For packets that a busy machine does not read at once.
RECEIVE_BUFFER = 4000000

CLIMBER = 'climber'


class Setting:
    """The layers of an algorithm, and the maximum running time of the receivers."""

    def __init__(self, algorithm, layers, base_rate, factor, address, limit):
        self.algorithm = algorithm
        self.layers = layers
        self.base_rate = base_rate
        self.factor = factor
        self.address = address
        self.limit = limit

    @property
    def top(self):
        return self.layers - 1

    @property
    def cumulative(self):
        """R_i in bit/s."""
        return [self.base_rate * self.factor ** i for i in range(self.layers)]

    @property
    def rates(self):
        """r_i in bit/s."""
        levels = self.cumulative
        return [high - low for high, low in zip(levels, [0] + levels)]

    @property
    def n_groups(self):
        return self.layers + (SILENT_GROUPS if self.algorithm == 'flid-dl'
                              else 0)

    @property
    def burst(self):
        """Seconds by which RLC's base layer is ahead before a synchronization point: half of its slot of 8 packets."""
        if self.algorithm != 'rlc':
            return 0
        return 8 * (MTU + 28) * 8 / self.base_rate / 2

    def describe(self):
        layering = ('doubling' if self.factor == 2 else
                    f'multiplicative rate-factor={self.factor}')
        return (f'algorithm={self.algorithm} layering={layering} '
                f'layers={self.layers} base-rate={self.base_rate} '
                f'window={WINDOW_MS} mtu={MTU}')


class Run:
    """A run and, after play(), its results."""

    def __init__(self, setting, film, levels, port):
        self.setting = setting
        self.film = film
        self.levels = levels
        self.port = port
        self.mtu = MTU
        self.seconds = 0.0
        self.climbed = None         # Seconds from the first packet to the top level
        self.started = 0.0
        self.changes = []           # (s since the start, from, to, reason)
        self.sender = None
        self.receivers = None
        self.capture = None

    def path(self, name):
        return f'{self.film.directory}/{self.setting.algorithm}-{name}.rtp'

    def _receive(self):
        names = [(f'level{i}', f'none max-level={i}') for i in self.levels]
        names.append((CLIMBER, self.setting.algorithm))
        line = ' '.join(
            f'lmccsrc name={name} address={self.setting.address} '
            f'port={self.port} multicast-iface=lo buffer-size={RECEIVE_BUFFER} '
            f'stats-update-interval=1000 '
            f'algorithm={how} ! gdppay ! filesink location={self.path(name)} '
            'async=false' for name, how in names)
        self.receivers = lib.launch(line, '-m', '-e', '-v')
        return self.receivers.wait_for('Setting pipeline to PLAYING|PLAYING',
                                       30)

    def _send(self):
        files = self.film.write_looped(
            -(-self.setting.limit * clip.FRAME_RATE // self.film.n_pictures))
        # Without repair data, which would use room that the check by sizes assigns to units.
        line = [f'lmccsink name=out address={self.setting.address} '
                f'port={self.port} multicast-iface=lo repair=0 '
                f'stats-update-interval=500 {self.setting.describe()}']
        line += [f'filesrc location={path} ! gdpdepay ! queue ! out.sink_{rung}'
                 for rung, path in enumerate(files)]
        self.sender = lib.launch(' '.join(line), '-m', '-e', '-v')

    def _climber_level(self):
        pattern = (rf'"{CLIMBER}" \(element\): lmcc-level-changed.*'
                   r'from=\(int\)(-?\d+), to=\(int\)(\d+), '
                   r'reason=\(string\)("[^"]*"|[^,]*),')
        self.changes = [
            (when - self.started, int(m.group(1)), int(m.group(2)),
             m.group(3).replace('\\', '').strip('"'))
            for when, m in self.receivers.find(pattern)]
        return self.changes[-1][2] if self.changes else -1

    def play(self, least, at_top):
        """Runs for at least `least` seconds, and `at_top` seconds with the algorithm's receiver at the top level; ends
        at the limit of the setting."""
        capture = wire.Capture(self.setting.address, self.setting.n_groups,
                               self.port)
        self._receive()
        self._send()
        self.started = time.monotonic()
        end = self.started + self.setting.limit
        while time.monotonic() < end:
            time.sleep(0.25)
            if self.sender.returncode() is not None:
                break
            now = time.monotonic()
            if self._climber_level() == self.setting.top:
                self.climbed = self.changes[-1][0]
                if now > max(self.started + least,
                             self.started + self.climbed + at_top):
                    break
        self.sender.stop()
        time.sleep(0.5)
        self.receivers.stop(20)
        self._climber_level()
        capture.stop()
        self.capture = capture
        self.seconds = time.monotonic() - self.started

    def lateness(self):
        """The lateness of the sender's latest packet in s."""
        found = re.findall(r'lateness-max-ms=\(double\)([0-9.e+-]+)',
                           self.sender.text())
        return max(float(n) for n in found) / 1e3 if found else None

    def missed(self, name, kind):
        """The number of packets that a receiver missed in all layers: `packets-lost`, or `packets-dropped-kernel`."""
        found = self.receivers.find(
            rf'{name}: stats = .*?{kind}=\(guint64\)(\d+)')
        return int(found[-1][1].group(1)) if found else 0
