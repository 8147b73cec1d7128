# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Starts sender and receiver in a network of this machine alone, lets the receiver's link carry less and more, and
reports."""
import argparse
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from datetime import datetime
from pathlib import Path

import network

from . import analysis

HERE = Path(__file__).resolve().parent
CLIP = HERE.parent.parent / 'big-buck-bunny.mp4'

# kbit/s of the three encoders; cumulative on the wire.
RATES = [150, 400, 1000]
KEY_INTERVAL = 24

SESSION_TIMEOUT = 20
DRAIN_TIMEOUT = 15

# Until the sender has measured its layers.
SETTLE = 3

# Up takes the receiver as much as a minute; by hand a level is there at once.
SECONDS = 200
SECONDS_BY_HAND = 40

# One way, in seconds.
DELAY = 0.015


HOSTS = ['sender', 'receiver']


class Failure(Exception):
    pass


class Child:
    """A process of ours; each line of its output becomes an item (name, event) in the common queue."""

    def __init__(self, name, options, events, prefix):
        self.name = name
        self.process = subprocess.Popen(
            [*prefix, sys.executable, '-m', f'demo.{name}', json.dumps(options)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, env={**os.environ, 'PYTHONPATH': str(HERE.parent)},
            start_new_session=True)
        threading.Thread(target=self.read, args=(events,), daemon=True).start()

    def read(self, events):
        for line in self.process.stdout:
            events.put((self.name, json.loads(line)))
        events.put((self.name, {'event': 'end'}))

    def command(self, text):
        try:
            self.process.stdin.write(text + '\n')
            self.process.stdin.flush()
        except BrokenPipeError:
            pass

    def stop(self):
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        try:
            self.process.wait(DRAIN_TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()


class Run:
    """One run: `net` has the sender's host and the receiver's, or is None for the loopback interface."""

    def __init__(self, arguments, out, net):
        self.arguments = arguments
        self.out = out
        self.net = net
        self.events = queue.Queue()
        self.ended = set()
        self.references = []
        self.frames = []
        self.levels = []
        self.samples = []
        self.steps = []
        self.layer_rates = []
        self.receiver_stats = {}
        self.clock = 0
        self.sent = 0
        self.children = {}
        self.shown = 0.0

    def start(self, name, options):
        prefix = self.net.hosts[HOSTS.index(name)].prefix if self.net else ()
        self.children[name] = Child(name, options, self.events, prefix)

    def handle(self, name, event):
        kind = event.pop('event')
        if kind == 'end':
            self.ended.add(name)
        elif kind == 'error':
            detail = f" ({event['element']}: {event['debug']})" if event['debug'] else ''
            raise Failure(f"{name}: {event['text']}{detail}")
        elif kind == 'warning':
            self.say(f"{name}: warning: {event['text']}")
        elif kind == 'message':
            self.say(f"{event['name']}: {event['message']}")
        elif kind == 'fed':
            self.sent = event['frames']
        elif kind == 'reference':
            self.references.append(analysis.Reference(**event))
        elif kind == 'frame':
            self.frames.append(analysis.Frame(**event))
        elif kind == 'level':
            change = event['message']
            self.levels.append({**change, 'now': event['now']})
            rate = sum(self.layer_rates[:change['to'] + 1]) / 1000
            self.say(f"{event['now'] / 1e9:5.1f} s  level {change['from']} -> {change['to']} ({rate:.0f} kbit/s): "
                     f"{change['reason']}")
        elif kind == 'sender-stats':
            layers = event['stats'].get('layers', [])
            self.layer_rates = [layer.get('rate', 0) for layer in layers]
        elif kind == 'receiver-stats':
            self.receiver_stats = event['stats']
            self.samples.append(analysis.Sample.of_stats(event['now'], event['level'], event['stats']))
            self.clock = event['now'] - time.monotonic_ns()
            self.show_status()

    def say(self, text):
        sys.stderr.write(('\r\033[K' if sys.stderr.isatty() else '') + text + '\n')

    def show_status(self):
        if not sys.stderr.isatty() or time.monotonic() - self.shown < 0.2:
            return
        self.shown = time.monotonic()
        last = self.samples[-1]
        sys.stderr.write(f'\r\033[K{last.time / 1e9:5.1f} s  level {last.level} of {len(self.layer_rates) - 1}  '
                         f'{last.rate / 1000:6.0f} kbit/s  loss {100 * (last.loss or 0):.2f} %  '
                         f'{len(self.frames)} pictures')
        sys.stderr.flush()

    def pump(self, until, done=lambda: False):
        """Handles events until the monotonic time `until` or until done()."""
        while not done() and time.monotonic() < until:
            try:
                self.handle(*self.events.get(timeout=max(0.0, min(0.1, until - time.monotonic()))))
            except queue.Empty:
                pass
            if self.ended:
                return

    def run(self):
        arguments = self.arguments
        # The film must outlast the last step.
        self.start('sender', {
            'file': str(arguments.file), 'address': arguments.address, 'port': arguments.port, 'iface': self.iface,
            'algorithm': 'elm' if arguments.level is None else 'none', 'rates': RATES, 'key-interval': KEY_INTERVAL,
            'seconds': arguments.seconds + SETTLE + 2, 'sdp': str(self.out / 'session.sdp')})
        self.pump(time.monotonic() + SESSION_TIMEOUT, lambda: len(self.layer_rates) >= len(RATES))
        if not self.layer_rates:
            raise Failure('the sender did not start')
        self.pump(time.monotonic() + SETTLE)
        self.receive()
        self.pump(time.monotonic() + DRAIN_TIMEOUT, lambda: 'sender' in self.ended)
        self.ended.discard('sender')
        self.pump(time.monotonic() + 1)
        self.children['receiver'].stop()
        self.children['sender'].stop()
        self.pump(time.monotonic() + DRAIN_TIMEOUT, lambda: 'receiver' in self.ended)
        for name, child in self.children.items():
            status = child.process.poll()
            if status != 0:
                raise Failure(f'the {name} ended with status {status}')

    @property
    def iface(self):
        return 'eth0' if self.net else 'lo'

    def receive(self):
        arguments = self.arguments
        settings = {'on-loss': 'freeze'} if arguments.level is None else {'max-level': arguments.level}
        self.start('receiver', {
            'uri': f'lmcc://{arguments.address}:{arguments.port}?multicast-iface={self.iface}', 'settings': settings,
            'record': str(self.out / 'received.mkv'), 'window': arguments.window})
        started = time.monotonic()
        steps = analysis.plan_steps(arguments.seconds) if arguments.level is None else []
        for at, which in steps:
            self.pump(started + at)
            self.set_capacity(which)
        self.pump(started + arguments.seconds)

    def set_capacity(self, which):
        """The link, or without one the receiver's own limit, from now on. The film's rates are those of this moment."""
        capacity = analysis.choose_capacities(self.layer_rates)[which]
        if self.net:
            self.net.hosts[HOSTS.index('receiver')].set_rate(capacity)
        else:
            self.children['receiver'].command(f'max-bitrate {round(capacity)}')
        now = max(0, time.monotonic_ns() + self.clock) if self.samples else 0
        step = analysis.Step(now, capacity, analysis.fitting_level(self.layer_rates, capacity))
        self.steps.append(step)
        self.say(f"{now / 1e9:5.1f} s  {'the link carries' if self.net else 'max-bitrate is'} {capacity / 1000:.0f} "
                 f'kbit/s now: enough for level {step.fits}')

    def close(self):
        for child in self.children.values():
            child.stop()


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog='demo', description='A film through x264, multicast layers, a receiver and a decoder, in a network of '
                                 'this machine alone whose link to the receiver carries less and more.')
    parser.add_argument('file', nargs='?', type=Path, default=CLIP, help='any film (default: %(default)s)')
    parser.add_argument('--seconds', type=float,
                        help=f'how long to receive (default: {SECONDS}, or {SECONDS_BY_HAND} with --level)')
    parser.add_argument('--out', type=Path, help='directory for the results (default: out/demo-DATE)')
    parser.add_argument('--window', action='store_true', help='show the picture')
    parser.add_argument('--level', type=int, help='hold this level (default: what congestion control finds)')
    parser.add_argument('--loopback', action='store_true',
                        help='use the loopback interface, and max-bitrate instead of a link that carries less')
    parser.add_argument('--address', default='239.255.42.1', help='base group (default: %(default)s)')
    parser.add_argument('--port', type=int, default=5004, help='UDP port, even (default: %(default)s)')
    arguments = parser.parse_args()
    if not arguments.file.is_file():
        parser.error(f'{arguments.file}: no such file')
    if arguments.seconds is None:
        arguments.seconds = SECONDS if arguments.level is None else SECONDS_BY_HAND
    if arguments.seconds < 2:
        parser.error('--seconds: at least 2')
    if arguments.window and not (os.environ.get('DISPLAY') or os.environ.get('WAYLAND_DISPLAY')):
        parser.error('--window: there is no display (DISPLAY and WAYLAND_DISPLAY are not set)')
    return arguments


def report(run, arguments, out):
    from . import plot
    analysis.identify(run.frames, run.references)
    summary = analysis.summarize(run.sent, run.frames, run.levels, run.samples, run.receiver_stats, run.steps)
    (out / 'summary.json').write_text(json.dumps(summary, indent=2) + '\n', encoding='utf-8')
    plot.draw(out / 'demo.png', f'{arguments.file.name}: 3 x264 rungs on {arguments.address}', run)
    run.say(json.dumps(summary, indent=2))
    run.say(f'In {out}: received.mkv, demo.png, summary.json, session.sdp')
    return analysis.verdict(summary)


def make_network():
    """A host for the sender and one for the receiver; None, with a notice, where there can be none."""
    try:
        net = network.Network()
        net.add_host(DELAY)
        net.add_host()
        return net
    except network.Failure as reason:
        sys.stderr.write(f'No network of its own can be made here ({reason}).\n'
                         'The loopback interface is used, which has no bottleneck: max-bitrate stands for one.\n')
        return None


def main():
    arguments = parse_arguments()
    out = arguments.out or Path('out') / datetime.now().strftime('demo-%Y%m%d-%H%M%S')
    out.mkdir(parents=True, exist_ok=True)
    net = None if arguments.loopback or arguments.level is not None else make_network()
    run = Run(arguments, out, net)
    try:
        run.run()
    except (Failure, KeyboardInterrupt) as error:
        run.say(f'demo: {error or "interrupted"}')
        return 1
    finally:
        run.close()
        if net:
            net.close()
    wrong = report(run, arguments, out)
    if wrong:
        run.say(f'demo: {wrong}')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
