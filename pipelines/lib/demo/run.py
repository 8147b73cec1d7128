# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A run: a sender, receivers behind links of their own, and what happens to them."""
import ipaddress
import queue
import shutil
import time

from . import analysis, table
from .child import DRAIN_TIMEOUT, Child, Tcp
from .reception import Reception

# kbit/s of the three encoders; cumulative on the wire. With their repair each level has about twice the rate of the one
# below: the further apart they are, the more is lost where a receiver tries the next one.
RATES = [200, 350, 900]
KEY_INTERVAL = 24

# Native layers carry a whole rung each. The key frames of all rungs together are more than half of a second's bits: so
# long spread, they pass a short queue. A block of repair data is half a second's. Where a receiver tries a level that
# does not fit, about a third of all packets is lost for half a second or more, in bursts.
NATIVE = {'window': 500, 'repair': 0.5, 'repair-base': 1.0}

# bit/s of the base where rates are fixed: the lowest encoding, its headers and a tenth of repair fit.
BASE_RATE = 250000
DOUBLING = {'layering': 'doubling', 'base-rate': BASE_RATE, 'layers': 4}

# A picture is not left out because a busy machine encodes it late, in ms.
RUNG_TIMEOUT = 1000

# What lmccsink makes for each algorithm: most need layers of fixed rates. FLID's c is 1.3 (Byers et al. 2002).
SETTINGS = {
    'elm': NATIVE, 'rlm': NATIVE, 'none': NATIVE, 'rlc': DOUBLING, 'synchronized': DOUBLING, 'flid-sl': DOUBLING,
    'flid-dl': {'layering': 'multiplicative', 'rate-factor': 1.3, 'base-rate': BASE_RATE, 'layers': 9},
}
ALGORITHMS = [name for name in SETTINGS if name != 'none']

SESSION_TIMEOUT = 20

# Until the sender has measured its layers: the first picture of the film is a large part of the first seconds.
SETTLE = 5

# One way, in seconds.
DELAY = 0.03

# Seconds that a full queue takes to drain.
QUEUE = 0.25

RECEIVERS = 3
MOST_RECEIVERS = 6

# When TCP comes and goes, as shares of the time, and beside which receiver: the last, which has most to lose.
TCP_FROM, TCP_UNTIL = 0.25, 0.45
TCP_BESIDE = RECEIVERS - 1

# How often the switch is asked who is joined where, in seconds.
ASK_INTERVAL = 1.0

# Samples that an endless run keeps.
KEPT = 50

# A session has no more groups.
MOST_GROUPS = 97


class Failure(Exception):
    """The run cannot go on; the text says why."""


class Run:
    """One run. `net` is the network, or None for the loopback interface; `out` is where a measured run writes to."""

    def __init__(self, arguments, out, net, units=False):
        self.arguments = arguments
        self.out = out
        self.net = net
        self.units = units
        self.measured = arguments.seconds is not None
        self.events = queue.Queue()
        self.screen = table.Screen()
        self.algorithm = arguments.algorithm if arguments.level is None else 'none'
        self.sender = None
        self.sender_host = net.add_host(DELAY) if net else None
        self.receptions = []
        self.references = []
        self.layer_rates = []
        self.rate_samples = []
        self.sent = 0
        self.draining = False
        self.busy = False
        self.asked = 0.0
        self.deadline = None
        self.on_unit = None
        self.on_tick = None
        self.has_tcp = bool(net and shutil.which('iperf3') and shutil.which('setpriv'))

    # Hosts and processes

    @property
    def iface(self):
        return 'eth0' if self.net else 'lo'

    def add_receiver(self):
        reception = Reception(f'receiver {len(self.receptions) + 1}', self.net.add_host() if self.net else None)
        self.receptions.append(reception)
        return reception

    def start_sender(self):
        arguments = self.arguments
        # The film must outlast the last moment that is measured.
        seconds = None
        if self.measured:
            seconds = SETTLE + 2 + (arguments.seconds if self.deadline is None else
                                    max(0.0, self.deadline - time.monotonic()))
        self.layer_rates = []
        self.references = []
        self.rate_samples = []
        self.sender = Child('sender', 'sender', {
            'file': str(arguments.file), 'address': arguments.address, 'port': arguments.port, 'iface': self.iface,
            'settings': {'algorithm': self.algorithm, 'rung-timeout': RUNG_TIMEOUT, **SETTINGS[self.algorithm]},
            'rates': RATES,
            'key-interval': KEY_INTERVAL, 'seconds': seconds, 'measured': self.measured,
            'sdp': str(self.out / 'session.sdp')}, self.events, self.sender_host.prefix if self.net else ())
        layers = SETTINGS[self.algorithm].get('layers', len(RATES))
        self.pump(time.monotonic() + SESSION_TIMEOUT, lambda: len(self.layer_rates) >= layers)
        if not self.layer_rates:
            raise Failure('the sender did not start')
        self.pump(time.monotonic() + SETTLE)

    def start_receiver(self, reception):
        arguments = self.arguments
        settings = {'on-loss': 'freeze'} if arguments.level is None else {'max-level': arguments.level}
        if not self.net and arguments.level is None:
            settings['max-bitrate'] = round(reception.capacity)
        capacity = reception.capacity
        name = reception.name.replace(' ', '-')
        reception.begin(Child('receiver', reception.name, {
            'uri': f'lmcc://{arguments.address}:{arguments.port}?multicast-iface={self.iface}', 'settings': settings,
            'record': str(self.out / f'{name}.mkv'), 'measured': self.measured, 'units': self.units,
            'window': arguments.window}, self.events, reception.host.prefix if self.net else ()))
        if capacity:
            reception.steps.append(analysis.Step(0, capacity))

    def stop_receiver(self, reception):
        child, reception.child = reception.child, None
        reception.set_tcp(None)
        if child:
            child.stop()

    # What happens

    def handle(self, source, event):
        kind = event.pop('event')
        if callable(source):
            source()
        elif source is self.sender:
            self.handle_sender(kind, event)
        else:
            reception = next((each for each in self.receptions if each.child is source), None)
            if reception:
                self.handle_receiver(reception, kind, event)

    def handle_sender(self, kind, event):
        if kind == 'end':
            if not self.draining:
                raise Failure('the sender ended')
            self.sender.ended = True
        elif kind == 'reference':
            self.references.append(analysis.Reference(**event))
        elif kind == 'sender-stats':
            self.layer_rates = [layer.get('rate', 0) for layer in event['stats'].get('layers', [])]
            if self.measured:
                self.rate_samples.append(self.layer_rates)
        elif kind == 'fed':
            self.sent = event['frames']
        else:
            self.handle_message('sender', kind, event)

    def handle_receiver(self, reception, kind, event):
        if kind == 'end':
            reception.child = None
            if not self.draining:
                self.lose(reception)
        elif kind == 'frame':
            reception.frames.append(analysis.Frame(**event))
        elif kind == 'unit':
            reception.units += event['shown']
            if self.on_unit:
                self.on_unit(self.receptions.index(reception), event)
        elif kind == 'level':
            change = event['message']
            reception.levels.append({**change, 'now': event['now']})
            if not self.measured:
                del reception.levels[:-KEPT]
            reception.reason = change['reason']
            rate = sum(self.layer_rates[:change['to'] + 1]) / 1000
            self.say(f"{event['now'] / 1e9:5.1f} s  {reception.name}  level {change['from']} -> {change['to']} "
                     f"({rate:.0f} kbit/s): {change['reason']}")
        elif kind == 'receiver-stats':
            reception.add_sample(event, None if self.measured else KEPT)
        else:
            self.handle_message(reception.name, kind, event)

    def handle_message(self, name, kind, event):
        if kind == 'error':
            detail = f" ({event['element']}: {event['debug']})" if event['debug'] else ''
            text = f"{name}: {event['text']}{detail}"
            if self.measured or name == 'sender':
                raise Failure(text)
            self.say(text)
        elif kind == 'warning':
            self.say(f"{name}: warning: {event['text']}")
        elif kind == 'message' and event['name'] != 'lmcc-waiting':
            self.say(f"{name}: {event['name']}: {event['message']}")

    def lose(self, reception):
        if self.measured:
            raise Failure(f'{reception.name} ended')
        self.say(f'{reception.name} ended')
        reception.set_tcp(None)

    def say(self, text):
        self.screen.say(text)

    def pump(self, until, done=lambda: False):
        """Handles events until the monotonic time `until` or until done()."""
        while not done() and time.monotonic() < until:
            self.tick()
            try:
                self.handle(*self.events.get(timeout=max(0.0, min(0.1, until - time.monotonic()))))
            except queue.Empty:
                pass

    def tick(self):
        if self.net and time.monotonic() - self.asked >= ASK_INTERVAL:
            self.asked = time.monotonic()
            self.ask_switch()
        if self.on_tick:
            self.on_tick()
        self.screen.show([table.row(reception, len(self.layer_rates), [group.rsplit('.', 1)[-1] for group in
                                                                        reception.groups])
                          for reception in self.receptions])

    def ask_switch(self):
        """Which of the session's groups the switch sends to whom, by its own table."""
        first = ipaddress.ip_address(self.arguments.address)
        joined = self.net.groups()
        for reception in self.receptions:
            groups = [ipaddress.ip_address(group) for group in joined.get(reception.host.port, ())]
            reception.groups = [str(group) for group in sorted(groups, key=int)
                                if group.version == first.version and 0 <= int(group) - int(first) < MOST_GROUPS]

    # What people do, and the schedule

    def choose_links(self):
        capacities = analysis.choose_capacities(self.layer_rates)
        for reception, capacity in zip(self.receptions, capacities):
            reception.nominal = capacity
            self.set_capacity(reception, capacity)

    def set_capacity(self, reception, capacity):
        reception.set_capacity(capacity)
        fits = analysis.fitting_level(self.layer_rates, analysis.EASE * capacity)
        self.say(f"{'' :7}  {reception.name}  {'its link carries' if self.net else 'max-bitrate is'} "
                 f'{capacity / 1000:.0f} kbit/s: enough for level {fits}')

    def set_tcp(self, reception, on):
        if not self.has_tcp:
            self.say('There is no TCP: it needs a network of its own, iperf3 and setpriv.')
            return
        if on == (reception.tcp is not None):
            return

        def told(rate):
            self.events.put((lambda: reception.add_tcp_rate(rate) if reception.tcp is tcp else None, {'event': 'tcp'}))

        tcp = Tcp(self.sender_host, reception.host, told) if on else None
        reception.set_tcp(tcp)
        self.say(f"{'' :7}  {reception.name}  TCP {'comes' if on else 'goes'}")

    def add_late_receiver(self):
        """One more, behind a link of the next capacity."""
        reception = self.add_receiver()
        capacities = analysis.choose_capacities(self.layer_rates)
        reception.nominal = capacities[(len(self.receptions) - 1) % len(capacities)]
        self.set_capacity(reception, reception.nominal)
        self.start_receiver(reception)

    def set_algorithm(self, name):
        """The session ends, and another begins; links stay as they are."""
        self.say(f'The algorithm is {name}: the session begins anew.')
        self.busy = True
        running = [reception for reception in self.receptions if reception.running]
        for reception in running:
            self.stop_receiver(reception)
        sender, self.sender = self.sender, None
        sender.stop()
        self.algorithm = name
        self.start_sender()
        for reception in running:
            self.start_receiver(reception)
        self.busy = False

    def run_schedule(self):
        """TCP comes and goes, until the time is over."""
        seconds = self.arguments.seconds
        start = time.monotonic()
        self.deadline = start + seconds
        if self.has_tcp and len(self.receptions) > TCP_BESIDE:
            for share, on in ((TCP_FROM, True), (TCP_UNTIL, False)):
                self.pump(start + share * seconds)
                self.set_tcp(self.receptions[TCP_BESIDE], on)
        self.pump(self.deadline)

    def run(self):
        for _ in range(RECEIVERS if self.arguments.level is None else 1):
            self.add_receiver()
        self.start_sender()
        if self.arguments.level is None:
            self.choose_links()
        for reception in self.receptions:
            self.start_receiver(reception)
        if not self.measured:
            self.pump(float('inf'))
        self.run_schedule()
        self.drain()

    def drain(self):
        """The sender comes to its end, and then the receivers."""
        self.draining = True
        self.sender.ended = False
        self.pump(time.monotonic() + DRAIN_TIMEOUT, lambda: self.sender.ended)
        self.pump(time.monotonic() + 1)
        children = [reception.child for reception in self.receptions if reception.running]
        for child in children:
            child.release()
        self.pump(time.monotonic() + DRAIN_TIMEOUT,
                  lambda: not any(reception.running for reception in self.receptions))
        for child in [self.sender, *children]:
            status = child.stop()
            if status != 0:
                raise Failure(f'the {child.name} ended with status {status}')

    def close(self):
        """Ends all that was started."""
        for reception in self.receptions:
            reception.set_tcp(None)
        children = [child for child in [self.sender, *(each.child for each in self.receptions)] if child]
        for child in children:
            child.release()
        for child in children:
            child.stop()
