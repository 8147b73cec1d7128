# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Starts sender and receiver on this host's loopback interface, steps the level, and reports."""
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

from . import analysis

HERE = Path(__file__).resolve().parent
CLIP = HERE.parent.parent / 'big-buck-bunny.mp4'

# kbit/s of the three encoders; cumulative on the wire.
RATES = [150, 400, 1000]
KEY_INTERVAL = 24

SESSION_TIMEOUT = 20
DRAIN_TIMEOUT = 15


class Failure(Exception):
    pass


class Child:
    """A process of ours; each line of its output becomes an item (name, event) in the common queue."""

    def __init__(self, name, options, events):
        self.name = name
        self.process = subprocess.Popen(
            [sys.executable, '-m', f'demo.{name}', json.dumps(options)], stdin=subprocess.PIPE,
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
    def __init__(self, arguments, out):
        self.arguments = arguments
        self.out = out
        self.events = queue.Queue()
        self.ended = set()
        self.references = []
        self.frames = []
        self.levels = []
        self.samples = []
        self.layer_rates = []
        self.receiver_stats = {}
        self.sent = 0
        self.children = {}
        self.shown = 0.0

    def start(self, name, options):
        self.children[name] = Child(name, options, self.events)

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
            self.say(f"level {change['from']} -> {change['to']}: {change['reason']}")
        elif kind == 'sender-stats':
            layers = event['stats'].get('layers', [])
            self.layer_rates = [layer.get('rate', 0) for layer in layers]
        elif kind == 'receiver-stats':
            self.receiver_stats = event['stats']
            self.samples.append((event['now'], event['level'], event['stats'].get('bitrate', 0)))
            self.show_status()

    def say(self, text):
        sys.stderr.write(('\r\033[K' if sys.stderr.isatty() else '') + text + '\n')

    def show_status(self):
        if not sys.stderr.isatty() or time.monotonic() - self.shown < 0.2:
            return
        self.shown = time.monotonic()
        now, level, rate = self.samples[-1]
        loss = self.receiver_stats.get('loss-rate', 0.0) or 0.0
        sys.stderr.write(f'\r\033[K{now / 1e9:5.1f} s  level {level} of {len(self.layer_rates) - 1}  '
                         f'{rate / 1000:6.0f} kbit/s  loss {100 * loss:.2f} %  {len(self.frames)} pictures')
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
        # The first second fills the encoders; the film must outlast the last step.
        self.start('sender', {
            'file': str(arguments.file), 'address': arguments.address, 'port': arguments.port, 'iface': 'lo',
            'rates': RATES, 'key-interval': KEY_INTERVAL, 'seconds': arguments.seconds + 3,
            'sdp': str(self.out / 'session.sdp')})
        self.pump(time.monotonic() + SESSION_TIMEOUT, lambda: len(self.layer_rates) >= len(RATES))
        if not self.layer_rates:
            raise Failure('the sender did not start')
        self.pump(time.monotonic() + 1)
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

    def receive(self):
        arguments = self.arguments
        top = len(self.layer_rates) - 1
        steps = analysis.plan_levels(top, arguments.seconds) if arguments.level is None else [(0, arguments.level)]
        self.start('receiver', {
            'uri': f'lmcc://{arguments.address}:{arguments.port}?multicast-iface=lo', 'level': steps[0][1],
            'record': str(self.out / 'received.mkv'), 'window': arguments.window})
        started = time.monotonic()
        for at, level in steps[1:]:
            self.pump(started + at)
            self.children['receiver'].command(f'level {level}')
        self.pump(started + arguments.seconds)

    def close(self):
        for child in self.children.values():
            child.stop()


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog='demo', description='A film through x264, multicast layers, a receiver and a decoder, on this host.')
    parser.add_argument('file', nargs='?', type=Path, default=CLIP, help='any film (default: %(default)s)')
    parser.add_argument('--seconds', type=float, default=40, help='how long to receive (default: %(default)s)')
    parser.add_argument('--out', type=Path, help='directory for the results (default: out/demo-DATE)')
    parser.add_argument('--window', action='store_true', help='show the picture')
    parser.add_argument('--level', type=int, help='hold this level (default: step up and down over all)')
    parser.add_argument('--address', default='239.255.42.1', help='base group (default: %(default)s)')
    parser.add_argument('--port', type=int, default=5004, help='UDP port, even (default: %(default)s)')
    arguments = parser.parse_args()
    if not arguments.file.is_file():
        parser.error(f'{arguments.file}: no such file')
    if arguments.seconds < 2:
        parser.error('--seconds: at least 2')
    if arguments.window and not (os.environ.get('DISPLAY') or os.environ.get('WAYLAND_DISPLAY')):
        parser.error('--window: there is no display (DISPLAY and WAYLAND_DISPLAY are not set)')
    return arguments


def report(run, arguments, out):
    from . import plot
    analysis.identify(run.frames, run.references)
    summary = analysis.summarize(run.sent, run.frames, run.levels, run.samples, run.receiver_stats)
    (out / 'summary.json').write_text(json.dumps(summary, indent=2) + '\n', encoding='utf-8')
    plot.draw(out / 'demo.png', f'{arguments.file.name}: 3 x264 rungs on {arguments.address}', run)
    run.say(json.dumps(summary, indent=2))
    run.say(f'In {out}: received.mkv, demo.png, summary.json, session.sdp')
    return analysis.verdict(summary)


def main():
    arguments = parse_arguments()
    out = arguments.out or Path('out') / datetime.now().strftime('demo-%Y%m%d-%H%M%S')
    out.mkdir(parents=True, exist_ok=True)
    run = Run(arguments, out)
    try:
        run.run()
    except (Failure, KeyboardInterrupt) as error:
        run.say(f'demo: {error or "interrupted"}')
        return 1
    finally:
        run.close()
    wrong = report(run, arguments, out)
    if wrong:
        run.say(f'demo: {wrong}')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
