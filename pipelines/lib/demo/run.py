# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A run of the demonstration: a sender, receivers behind their own links, and their events."""
import json
import queue
import threading
import time

import network

from . import analysis, needs, quality, reasons, table
from .child import DRAIN_TIMEOUT, Child, Tcp
from .reception import Reception
from .session import RATES, Session, settings_for

KEY_INTERVAL = 24

SESSION_TIMEOUT = 20

# Seconds until the sender has measured its layers. The film's first picture distorts the rates of the first seconds.
SETTLE = 5

# One-way delay of the sender's link, in seconds.
DELAY = 0.03

# Seconds that a full queue needs to drain.
QUEUE = 0.25

RECEIVERS = 3
MOST_RECEIVERS = 6

# Start and end of TCP, as shares of the time, and the receiver whose link it shares: the last, which has the highest
# level.
TCP_FROM, TCP_UNTIL = 0.25, 0.45
TCP_BESIDE = RECEIVERS - 1

# Interval of queries for the switch's group table, in seconds.
ASK_INTERVAL = 1.0

# Number of samples that a run without an end keeps.
KEPT = 50


class Failure(Exception):
    """The run cannot continue; the text gives the reason."""


class Run:
    """One run. `net` is the network, or None for the loopback interface; `out` is the directory for the results, and
    `sink` is the element that shows the video in windows, or None."""

    def __init__(self, arguments, out, net, sink=None, units=False):
        self.arguments = arguments
        self.out = out
        self.net = net
        self.sink = sink
        self.units = units
        self.measured = arguments.seconds is not None
        self.events = queue.Queue()
        (out / 'events.jsonl').write_text('', encoding='utf-8')
        self.screen = table.Screen()
        algorithms = arguments.algorithm if arguments.level is None else ['none']
        self.sessions = [Session(index, arguments.address, arguments.port, self.iface)
                         for index in range(len(algorithms))]
        self.sender = None
        self.sender_host = net.add_host(DELAY) if net else None
        self.receptions = []
        self.set_algorithms(algorithms)
        self.references = []
        self.known = quality.Known()
        self.sent = 0
        self.draining = False
        self.changed = False
        # Actions are refused until there are links and receivers.
        self.busy = True
        self.asking = False
        self.asked = 0.0
        self.switch_fault = None
        # Errors that did not end the run.
        self.faults = []
        self.deadline = None
        self.on_unit = None
        self.on_tick = None
        self.has_tcp = bool(net)

    def check(self):
        """Raises needs.Missing if something that the run needs is not installed."""
        needs.check({'sessions': self.sessions, 'rates': RATES, 'key-interval': KEY_INTERVAL,
                     'references': self.has_references},
                    {'measured': self.measured, 'units': self.units, 'sink': self.sink}, self.has_tcp)

    # Hosts and processes

    @property
    def iface(self):
        return 'eth0' if self.net else 'lo'

    @property
    def has_references(self):
        """Whether the sender reports the checksums and the quality of its encoders' pictures."""
        return self.measured or self.units

    def set_algorithms(self, names):
        """Sets the algorithms of the sessions. If there are several sessions, the receivers' names contain the
        algorithm."""
        for session, name, settings in zip(self.sessions, names, settings_for(names)):
            session.begin(name, settings)
        for reception in self.receptions:
            reception.name = self.name_of(reception.link, reception.session)

    def name_of(self, link, session):
        return f'receiver {link + 1}' + (f' {session.algorithm}' if len(self.sessions) > 1 else '')

    def add_receiver(self, link, session):
        """Adds a receiver behind its own link. `link` is the index of the link's rate; all sessions have the same
        rates."""
        reception = Reception(self.name_of(link, session), self.net.add_host() if self.net else None, link, session)
        self.receptions.append(reception)
        return reception

    def sdp_of(self, session):
        return self.out / (f'session-{session.algorithm}.sdp' if len(self.sessions) > 1 else 'session.sdp')

    def start_sender(self):
        arguments = self.arguments
        # The film must last longer than the measurement.
        seconds = None
        if self.measured:
            seconds = SETTLE + 2 + (arguments.seconds if self.deadline is None else
                                    max(0.0, self.deadline - time.monotonic()))
        self.references = []
        self.sender = Child('sender', 'sender', {
            'file': str(arguments.file), 'sessions': [each.options(self.sdp_of(each)) for each in self.sessions],
            'rates': RATES, 'key-interval': KEY_INTERVAL, 'seconds': seconds, 'references': self.has_references},
            self.events, self.sender_host.prefix if self.net else ())
        self.pump(time.monotonic() + SESSION_TIMEOUT,
                  lambda: all(len(each.layer_rates) >= each.layers for each in self.sessions))
        if not all(each.layer_rates for each in self.sessions):
            raise Failure('the sender did not start')
        self.pump(time.monotonic() + SETTLE)

    def start_receiver(self, reception):
        arguments = self.arguments
        settings = {'on-loss': 'freeze'} if arguments.level is None else {'max-level': arguments.level}
        if not self.net and arguments.level is None:
            settings['max-bitrate'] = round(reception.capacity)
        capacity = reception.capacity
        reception.begin(Child('receiver', reception.name, {
            'uri': reception.session.uri, 'settings': settings, 'record': str(self.film_of(reception)),
            'measured': self.measured, 'units': self.units, 'sink': self.sink}, self.events,
            reception.host.prefix if self.net else ()))
        if capacity:
            reception.steps.append(analysis.Step(0, capacity))

    def film_of(self, reception):
        """The file of a receiver's recording in a measured run."""
        return self.out / f"{reception.name.replace(' ', '-')}.mkv"

    def stop_receiver(self, reception, for_good=True):
        """Ends the process of a receiver; `for_good` is false if another process follows soon."""
        reception.wanted = not for_good
        child, reception.child = reception.child, None
        self.end_tcp(reception)
        if child:
            child.stop()

    # Events

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
                raise Failure(f'the sender ended with status {self.sender.stop()}')
            self.sender.ended = True
        elif kind == 'reference':
            self.add_reference(event.pop('coded'), analysis.Reference(**event))
        elif kind == 'sender-stats':
            session = self.sessions[event['session']]
            session.note_stats(event['stats'])
            if self.measured:
                session.rate_samples.append((session.layer_rates, session.level_rates))
        elif kind == 'fed':
            self.sent = event['frames']
        else:
            self.handle_message('sender', kind, event)

    def add_reference(self, coded, reference):
        if reference.psnr is not None and coded is not None:
            self.known.add(coded, reference.psnr)
        if self.measured:
            self.references.append(reference)

    def handle_receiver(self, reception, kind, event):
        if kind == 'end':
            child, reception.child = reception.child, None
            reception.wanted = False
            if not self.draining:
                self.lose(reception, child.stop())
        elif kind == 'frame':
            reception.frames.append(analysis.Frame(**event))
        elif kind == 'unit':
            reception.add_unit(event, self.known)
            if self.on_unit:
                self.on_unit(self.receptions.index(reception), event)
        elif kind == 'level':
            change = event['message']
            reception.add_level(event, None if self.measured else KEPT)
            # Update the page at once, not with the next figures.
            self.changed = True
            self.log(event['unix'], reception, 'level', **{key: change[key] for key in ('from', 'to', 'reason')})
            rate = sum(reception.session.level_rates[change['to']:][:1]) / 1000
            self.say(f"{event['now'] / 1e9:5.1f} s  {reception.name}  level {change['from']} -> {change['to']} "
                     f"({rate:.0f} kbit/s): {reasons.plain(change['reason'])}")
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

    def lose(self, reception, status):
        text = f'{reception.name} ended with status {status}'
        if self.measured:
            raise Failure(text)
        self.say(text)
        self.end_tcp(reception)

    def say(self, text):
        self.screen.say(text)

    def log(self, unix, reception, event, **fields):
        """Writes an event of a receiver as a line of JSON; `unix` is its time in s since 1970."""
        with open(self.out / 'events.jsonl', 'a', encoding='utf-8') as lines:
            line = {'unix': round(unix, 3), 'receiver': reception.name, 'event': event, **fields}
            lines.write(json.dumps(line) + '\n')

    def pump(self, until, done=lambda: False):
        """Handles events until the monotonic time `until` or until done()."""
        while not done() and time.monotonic() < until:
            self.tick()
            try:
                self.handle(*self.events.get(timeout=max(0.0, min(0.1, until - time.monotonic()))))
            except queue.Empty:
                pass

    def tick(self):
        if self.net and not self.asking and time.monotonic() - self.asked >= ASK_INTERVAL:
            self.asking = True
            threading.Thread(target=self.ask_switch, daemon=True).start()
        if self.on_tick:
            self.on_tick()
        self.screen.show([table.row(reception) for reception in self.receptions])

    def ask_switch(self):
        """Reads the switch's group table. Runs in a separate thread, because the answer may take long on a busy
        machine."""
        joined, fault = {}, None
        try:
            joined = self.net.groups()
        except network.Failure as reason:
            fault = f'cannot read the group table of the switch: {reason}'
        self.events.put((lambda: self.take_groups(joined, fault), {'event': 'groups'}))

    def take_groups(self, joined, fault):
        if fault and fault != self.switch_fault:
            self.say(fault)
        self.switch_fault = fault
        self.asking = False
        self.asked = time.monotonic()
        for reception in self.receptions:
            numbers = map(reception.session.number_of, joined.get(reception.host.port, ()))
            reception.groups = sorted(number for number in numbers if number is not None)

    # Actions and the schedule

    def choose_links(self):
        """Sets the capacities of the links from the layers of the first session; they are the same for each session."""
        capacities = analysis.choose_capacities(self.sessions[0].level_rates)
        for reception in self.receptions:
            reception.nominal = capacities[reception.link]
            self.set_capacity(reception, reception.nominal)

    def set_capacity(self, reception, capacity):
        reception.set_capacity(capacity)
        fits = analysis.fitting_level(reception.session.level_rates, analysis.EASE * capacity)
        self.log(time.time(), reception, 'link', capacity=round(capacity), fits=fits)
        self.say(f"{'' :7}  {reception.name}  {'link rate' if self.net else 'max-bitrate'} "
                 f'{capacity / 1000:.0f} kbit/s, enough for level {fits}')

    def set_tcp(self, reception, on):
        if not self.has_tcp:
            self.say('TCP is not available on the loopback interface.')
            return
        if on == (reception.tcp is not None):
            return

        def told(rate):
            self.events.put((lambda: reception.add_tcp_rate(rate) if reception.tcp is tcp else None, {'event': 'tcp'}))

        def lost(reason):
            self.events.put((lambda: self.lose_tcp(reception, tcp, reason), {'event': 'tcp'}))

        tcp = Tcp(self.sender_host, reception.host, told, lost) if on else None
        reception.set_tcp(tcp)
        self.log(time.time(), reception, 'tcp', on=on)
        self.say(f"{'' :7}  {reception.name}  TCP {'starts' if on else 'stops'}")

    def lose_tcp(self, reception, tcp, reason):
        """Records the error; the run continues without the connection."""
        if reception.tcp is tcp:
            self.faults.append(f'the TCP connection beside {reception.name} failed: {reason}')
            self.say(self.faults[-1])
            self.end_tcp(reception)

    def end_tcp(self, reception):
        if reception.tcp:
            self.set_tcp(reception, False)

    def add_late_receiver(self):
        """Adds a receiver of the first session, behind a link with the next of the capacities."""
        session = self.sessions[0]
        reception = self.add_receiver(len(self.receptions), session)
        capacities = analysis.choose_capacities(session.level_rates)
        reception.nominal = capacities[reception.link % len(capacities)]
        self.set_capacity(reception, reception.nominal)
        self.start_receiver(reception)

    def set_algorithm(self, session, name):
        """Restarts all sessions with the new algorithm; the links stay as they are."""
        self.say(f'The algorithm is now {name}; the session restarts.')
        self.busy = True
        running = [reception for reception in self.receptions if reception.running]
        for reception in running:
            self.stop_receiver(reception, for_good=False)
        sender, self.sender = self.sender, None
        sender.stop()
        self.set_algorithms([name if each is session else each.algorithm for each in self.sessions])
        self.start_sender()
        for reception in running:
            self.start_receiver(reception)
        self.busy = False

    def run_schedule(self):
        """Starts and stops TCP, and runs until the time is over."""
        seconds = self.arguments.seconds
        start = time.monotonic()
        self.deadline = start + seconds
        beside = [reception for reception in self.receptions if reception.link == TCP_BESIDE]
        for share, on in ((TCP_FROM, True), (TCP_UNTIL, False)) if self.has_tcp and beside else ():
            self.pump(start + share * seconds)
            for reception in beside:
                self.set_tcp(reception, on)
        self.pump(self.deadline)

    def run(self):
        # Receivers behind links of equal rate are next to each other in the list.
        for link in range(RECEIVERS if self.arguments.level is None else 1):
            for session in self.sessions:
                self.add_receiver(link, session)
        self.start_sender()
        if self.arguments.level is None:
            self.choose_links()
        for reception in self.receptions:
            self.start_receiver(reception)
        self.busy = False
        if not self.measured:
            self.pump(float('inf'))
        self.run_schedule()
        self.drain()

    def drain(self):
        """Waits for the end of the sender, then ends the receivers."""
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
        """Ends all child processes."""
        for reception in self.receptions:
            reception.set_tcp(None)
        children = [child for child in [self.sender, *(each.child for each in self.receptions)] if child]
        for child in children:
            child.release()
        for child in children:
            child.stop()
