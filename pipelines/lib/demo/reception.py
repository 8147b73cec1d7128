# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The state of one receiver in the main program: its link, its competing TCP connection and its reports."""
import time

from . import analysis, quality, reasons


class Reception:
    """A receiver; `host` is None on the loopback interface. Times in its records are in ns since its start."""

    def __init__(self, name, host, link=0, session=None):
        self.name = name
        self.host = host
        self.link = link
        self.session = session
        self.child = None
        self.wanted = True
        self.capacity = 0.0
        self.nominal = 0.0
        self.tcp = None
        self.tcp_rate = 0.0
        self.groups = []
        self.clear()

    def clear(self):
        self.base = None
        self.told_level = -1
        self.frames = []
        self.levels = []
        self.samples = []
        self.steps = []
        self.tcp_samples = []
        self.tcp_spans = []
        self.stats = {}
        self.reason = ''
        self.shown = quality.Shown()

    @property
    def running(self):
        return self.child is not None

    @property
    def phase(self):
        """Its state in a word: `waiting` (for the sender, or for its own process to start), `joining`, `receiving` or
        `stopped`."""
        if not self.running:
            return 'waiting' if self.wanted else 'stopped'
        return 'receiving' if self.told_level >= 0 else 'joining'

    @property
    def level(self):
        return self.told_level if self.running else -1

    def now(self):
        """The present time on the receiver's own clock."""
        return max(0, time.monotonic_ns() - self.base) if self.base is not None else 0

    def begin(self, child):
        """Starts again with another receiving process."""
        self.clear()
        self.child = child
        self.wanted = True

    def set_capacity(self, capacity):
        """Sets the capacity of the link; without a network, the receiver's own limit."""
        self.capacity = capacity
        if self.host:
            self.host.set_rate(capacity)
        elif self.running:
            self.child.command(f'max-bitrate {round(capacity)}')
        self.steps.append(analysis.Step(self.now(), capacity))

    def set_tcp(self, tcp):
        """A TCP connection starts on its link, or ends (None)."""
        if self.tcp:
            self.tcp.stop()
            self.tcp_spans[-1][1] = self.now()
            self.tcp_samples.append((self.now(), 0.0))
        self.tcp = tcp
        self.tcp_rate = 0.0
        if tcp:
            self.tcp_spans.append([self.now(), None])

    def add_tcp_rate(self, rate):
        self.tcp_rate = rate
        self.tcp_samples.append((self.now(), rate))

    def add_level(self, event, keep):
        """Records a change of level."""
        self.levels.append({**event['message'], 'now': event['now']})
        self.told_level = event['message']['to']
        self.reason = reasons.plain(event['message']['reason'])
        if keep is not None:
            del self.levels[:-keep]

    def add_unit(self, event, known):
        """Records a coded picture; `known` has the quality of the encoders' pictures."""
        psnr = known.find(event['coded']) if event['shown'] else None
        if psnr is not None:
            self.shown.add(psnr)

    def add_sample(self, event, keep):
        self.base = event['base']
        self.told_level = event['level']
        self.stats = event['stats']
        self.samples.append(analysis.Sample.of_stats(event['now'], event['level'], event['stats']))
        if keep is not None:
            del self.samples[:-keep]
