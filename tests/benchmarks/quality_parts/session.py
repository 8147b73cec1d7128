# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sessions over real sockets: a receiver at each fixed level, or behind a link with packet loss."""
import bisect
import os
import time
from collections import Counter

import clip
import lib
import network
import wire

ADDRESS = '239.201.117.1'
RECEIVE_BUFFER = 4000000
CLOCK_RATE = 90000

# Delay of the link in s.
DELAY = 0.002

SEED = 20040101

# Tolerated lateness of packets in ms; beyond it, the machine disturbs the measurement.
MOST_LATE = 100


def step(timestamp, since):
    """Difference of two RTP timestamps."""
    return (timestamp - since + 0x80000000 & 0xffffffff) - 0x80000000


class Session:
    def __init__(self, film, name, mode, files, settings, port):
        self.film = film
        self.name = name
        self.mode = mode
        self.files = files
        self.settings = settings
        self.port = port
        self.receivers = None
        self.sender = None
        self.capture = None

    def path(self, receiver):
        return f'{self.film.directory}/{self.film.name}-{self.name}-{receiver}.rtp'

    def start_receivers(self, receivers, interface, prefix=()):
        """`receivers`: {name: properties of lmccsrc}."""
        line = ' '.join(
            f'lmccsrc name={name} address={ADDRESS} port={self.port} multicast-iface={interface} algorithm=none '
            f'buffer-size={RECEIVE_BUFFER} stats-update-interval=500 {properties} ! gdppay ! '
            f'filesink location={self.path(name)} async=false' for name, properties in receivers.items())
        self.receivers = lib.launch(line, '-m', '-e', '-v', prefix=prefix)
        if not self.receivers.wait_for('Setting pipeline to PLAYING|PLAYING', 30):
            raise RuntimeError('\n'.join(self.receivers.tail()))
        time.sleep(1)

    def send(self, interface, prefix=()):
        line = (f'lmccsink name=out address={ADDRESS} port={self.port} multicast-iface={interface} '
                f'stats-update-interval=500 {self.settings}')
        for rung, path in enumerate(self.files):
            line += f' filesrc location={path} ! gdpdepay ! queue ! out.sink_{rung}'
        self.sender = lib.launch(line, '-m', '-e', '-v', prefix=prefix)
        if not self.sender.ends(120) or self.sender.returncode():
            raise RuntimeError('\n'.join(self.sender.tail()))
        time.sleep(1)
        self.receivers.stop(20)

    def play(self, levels):
        """A session on the loopback interface, whose packets are captured. `levels`: the layers of each level."""
        self.capture = wire.Capture(ADDRESS, 1 + max(map(max, levels)), self.port)
        began = time.monotonic()
        self.start_receivers({f'level{level}': f'max-level={level}' for level in range(len(levels))}, 'lo')
        self.send('lo')
        self.capture.stop()
        self.control_rate = self.capture.control_bytes * 8 / (time.monotonic() - began)

    def play_lossy(self, loss, receivers, row=1):
        """A session behind a link that loses packets, in bursts of the given length per group; `receivers` as in
        `start_receivers`. Returns the share of lost packets."""
        with network.Network() as net:
            sender, receiver = net.add_host(), net.add_host(DELAY, loss, SEED, row=row)
            self.start_receivers(receivers, 'eth0', receiver.prefix)
            self.send('eth0', sender.prefix)
            counts = net.close()[0]
        return counts['dropped'] / max(1, counts['dropped'] + counts['passed'])

    @staticmethod
    def counted(child, element, kind):
        found = child.find(rf'{element}: stats = .*?[ ,]{kind}=\((?:guint64|double)\)(\d+)')
        return int(found[-1][1].group(1)) if found else 0

    def missed(self, receiver, kind):
        return self.counted(self.receivers, receiver, kind)

    def spoilt(self, receivers, lossless):
        """How a busy machine disturbed the run, in words; empty if it did not. Without losses on the link, no packet
        may be missing."""
        late = self.counted(self.sender, 'out', 'lateness-max-ms')
        signs = {f'packets left {late} ms late': late > MOST_LATE}
        for receiver in receivers:
            kinds = ['packets-dropped-kernel', 'units-dropped-late'] + ['packets-lost'] * lossless
            signs.update({f'{kind} of {receiver}': self.missed(receiver, kind) for kind in kinds})
        return ', '.join(f'{count} {sign}' if count is not True else sign for sign, count in signs.items() if count)

    def first_timestamp(self):
        """RTP timestamp of the film's first picture."""
        media = [packet.timestamp for packet in self.capture.packets if packet.kind == wire.MEDIA]
        return min(media, key=lambda timestamp: step(timestamp, media[0]))

    def layer_rates(self):
        """{layer: bit/s} of all IP packets, by their own times, during the measured pictures."""
        packets = self.capture.packets
        since = packets[0].sent
        begin = self.film.span[0] / self.film.frame_rate
        sizes = Counter()
        for packet in packets:
            if begin <= (packet.sent - since + 1) % 65536 - 1 < begin + self.film.seconds:
                sizes[packet.layer] += packet.size
        return {layer: size * 8 / self.film.seconds for layer, size in sizes.items()}

    def received(self, receiver):
        """[(RTP timestamp, I420)] of the pictures that a decoder makes from a receiver's output."""
        path = self.path(receiver)
        known = {}
        for sample in clip.samples(f'filesrc location={path} ! gdpdepay'):
            data = sample.get_buffer().extract_dup(0, 12)
            known[clip.running_time(sample, sample.get_buffer().pts)] = int.from_bytes(data[4:8], 'big')
        times = sorted(known)
        for time_, data in self.film.pictures(f'filesrc location={path} ! gdpdepay ! {self.mode.decoder}'):
            at = bisect.bisect(times, time_)
            near = min(times[max(0, at - 1):at + 1], key=lambda t: abs(t - time_))
            # Decoders make up times for missing pictures.
            yield known[near] + round((time_ - near) * CLOCK_RATE / clip.Gst.SECOND), data

    def is_empty(self, receiver):
        path = self.path(receiver)
        return not os.path.exists(path) or next(clip.samples(f'filesrc location={path} ! gdpdepay'), None) is None

    def number(self, timestamp, since):
        return round(step(timestamp, since) * self.film.frame_rate / CLOCK_RATE)
