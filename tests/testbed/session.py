# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A sender with three rungs, and receivers behind their own links, in a private network on this machine."""
import os
import re
import subprocess
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'loopback'))
import lib  # noqa: E402

# kbit/s of the encoders. Three classes would make nine layers. With one class each, the cumulative rates are 0.25, 0.65
# and 1.5 Mbit/s, far from the capacities and from half of them.
RATES = (200, 320, 680)
CAPACITIES = (400000, 900000, 2000000)

# A level whose rate is closer to the capacity than this may be right or not.
CLOSE = (0.9, 1.15)

# One-way delay in seconds.
DELAY = 0.015

GROUP, PORT = '239.255.54.1', 15400

# RFC 3376 section 4.2.12, RFC 3810 section 5.2.12
MODE_IS_INCLUDE, MODE_IS_EXCLUDE, TO_INCLUDE, TO_EXCLUDE, ALLOW, BLOCK = range(1, 7)

# Timeout in seconds for things that should happen at once.
PATIENCE = 10


def program(name):
    """A program that is built from tests/testbed; skips the test if it is not built."""
    path = Path(os.environ.get('LMCC_BUILD_ROOT', 'build')) / 'tests' / 'testbed' / name
    if not path.exists():
        lib.skip(f'{path} is not built')
    return str(path)


def group_of(base, layer):
    """The group of a layer of the session with this base group."""
    net, host = base.rsplit('.', 1)
    return f'{net}.{int(host) + layer}'


def group(layer):
    """The group of a layer."""
    return group_of(GROUP, layer)


def encoder(bitrate):
    """One class, and full packets as of a film: no slices."""
    return (f'x264enc bitrate={bitrate} vbv-buf-capacity=500 key-int-max=24 bframes=0 speed-preset=superfast threads=1 '
            'rc-lookahead=5 option-string="scenecut=0:open-gop=0"')


def show(sink='checksumsink hash=sha1 sync=false'):
    return f'avdec_h264 max-threads=1 ! videoconvert ! video/x-raw,format=I420 ! {sink}'


class Sender:
    """Prints the checksum of each picture of each rung, from a decoder next to the encoders."""

    def __init__(self, host, *options, levels='cumulative'):
        line = (f'{lib.source()} ! tee name=raw lmccsink name=sink address={GROUP} port={PORT} levels={levels} '
                f'{" ".join(options)}')
        for rung, rate in enumerate(RATES):
            line += (f' raw. ! queue ! {encoder(rate)} ! tee name=rung{rung} rung{rung}. ! queue ! sink.sink_{rung}'
                     f' rung{rung}. ! queue ! {show()}')
        self.child = lib.launch(line, prefix=host.prefix)

    def references(self):
        return {checksum for _, checksum in lib.pictures(self.child)}


class Receiver:
    """lmccsrc, and a decoder that prints the checksums of pictures."""

    def __init__(self, host, name, *options, uri=f'lmcc://{GROUP}:{PORT}', consumer=f'rtph264depay ! {show(lib.SHOW)}'):
        self.host = host
        self.name = name
        self.child = lib.Child(
            [lib.control(), 'lmccsrc', 'name=src', f'uri={uri}', 'on-loss=freeze', *options, '!',
             *consumer.split()],
            name=name, prefix=host.prefix, stdin=subprocess.PIPE)

    def set(self, name, value):
        self.child.write(f'src {name} {value}')

    def ask_stats(self):
        """lmccsrc's `stats` as text."""
        asked = time.monotonic()
        self.child.write('src stats')
        found = self.child.wait_for(r'^src\.stats = (.*)', 5, after=asked)
        if not found:
            raise RuntimeError(f'{self.name} does not answer: {self.child.tail()}')
        return found[-1][1].group(1).replace('\\', '')

    def stats(self):
        """The fields of `stats` that are numbers or words, except those of the layers."""
        return {name: number(word or words) for name, words, word in
                re.findall(r'([\w-]+)=\(\w+\)(?:"([^"]*)"|([^,;"]+))', self.ask_stats().split(' drops=')[0])}

    def layer_rates(self):
        """The announced rate of each layer in bit/s."""
        return [int(rate) for rate in re.findall(r'announced-bitrate=\(guint64\)(\d+)', self.ask_stats())]

    def level(self):
        return self.stats()['level']

    def changes(self, after=0.0):
        """(time, old level, new level, reason) of each change of level."""
        return [(when, int(match.group(1)), int(match.group(2)), (match.group(3) or '').replace('\\', '').strip('"'))
                for when, match in self.child.find(
                    r'lmcc-level-changed,.*?from=\(int\)(-?\d+).*?to=\(int\)(-?\d+)(?:.*?reason=\(string\)([^,;]+))?',
                    after)]

    def pictures(self, after=0.0):
        return lib.pictures(self.child, after)


class Wire:
    """The packets on the host's interface; times are the kernel's."""

    def __init__(self, host):
        self.child = lib.Child([sys.executable, '-B', str(Path(__file__).with_name('reports.py'))],
                               prefix=host.prefix)
        self.child.wait_for('^ready', PATIENCE)

    def reports(self, group):
        """(time, type, sources) of each record of a group."""
        return [(float(match[1]), int(match[2]), match[3].split())
                for _, match in self.child.find(rf'^(\S+) report (\d+) {group}((?: \S+)*)$')]

    def leaves(self, group):
        """The times at which the host reported a leave of a group."""
        return [when for when, kind, _ in self.reports(group) if kind in (TO_INCLUDE, BLOCK)]

    def packets(self, group):
        return [float(match[1]) for _, match in self.child.find(rf'^(\S+) packet \S+ {group}$')]

    def wait_for(self, answer, what):
        found = lib.wait_until(answer, PATIENCE)
        lib.check(found, what, *self.child.tail(5))
        return found


def number(text):
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text


def loss(before, after):
    """The packet loss ratio between two `stats`."""
    lost = after['packets-lost'] - before['packets-lost']
    received = after['packets-received'] - before['packets-received']
    return lost / (lost + received) if lost + received else 0.0


def cumulative(rates):
    return [sum(rates[:i + 1]) for i in range(len(rates))]


def fitting_level(rates, capacity):
    """The highest level that a capacity can carry."""
    return max([i for i, rate in enumerate(cumulative(rates)) if rate <= capacity], default=0)


def close_levels(rates, capacities):
    """(cumulative rate, capacity) of each level that may be right or not."""
    return [(rate, capacity) for rate in cumulative(rates) for capacity in capacities
            if CLOSE[0] * capacity < rate < CLOSE[1] * capacity]


def settled_rates(receiver, capacities, timeout=10):
    """The announced rates, once they are no longer mainly those of a key frame."""
    lib.wait_until(lambda: not close_levels(receiver.layer_rates(), capacities), timeout, 0.5)
    return receiver.layer_rates()


def check_ladder(rates, capacities):
    """Checks that no level is so close to a capacity that it could be considered both fitting and not."""
    lib.note('cumulative rates ' + ', '.join(f'{rate / 1000:.0f}' for rate in cumulative(rates)) + ' kbit/s')
    close = close_levels(rates, capacities)
    return lib.check(len(rates) == len(RATES) and not close, 'no level is close to the capacity of a link',
                     f'{rates}: {close}')


def check_pictures(sender, receivers, least):
    """Checks that every picture shown is one that a decoder next to the encoders made, even if the sender reports it
    later."""
    shown = [[checksum for _, checksum in receiver.pictures()] for receiver in receivers]
    lib.wait_until(lambda: set().union(*shown) <= sender.references(), 5)
    references = sender.references()
    for receiver, checksums in zip(receivers, shown):
        broken = [place for place, checksum in enumerate(checksums) if checksum not in references]
        lib.check(len(checksums) >= least and not broken, f'{receiver.name}: {len(checksums)} pictures, all correct',
                  f'not from the encoders: {broken}; {len(references)} references')


def make(capacities, delay=DELAY):
    """The host of the sender, and a host behind a link of each capacity."""
    made = lib.make_network()
    sender = made.add_host(delay)
    hosts = []
    for capacity in capacities:
        hosts.append(made.add_host())
        hosts[-1].set_rate(capacity)
    return sender, hosts


def start(deadline, tools=()):
    """Skips the test if the machine does not allow it."""
    lib.start('rtph264depay', tools=tools, deadline=deadline)
    lib.control()
