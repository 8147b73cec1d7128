# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Processes of ours, all of which end with this one: those of this package read until their input is closed, others are
killed by the kernel."""
import json
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

LIBRARY = Path(__file__).resolve().parent.parent

DRAIN_TIMEOUT = 15

TCP_PORT = 5201

# A line of iperf3's, in kbit/s.
TCP_RATE = re.compile(r'sec\s+[\d.]+ \w+\s+([\d.]+) Kbits/sec')


class Child:
    """A module of this package as a process; each line of its output becomes an item (child, event) in the common
    queue."""

    def __init__(self, module, name, options, events, prefix):
        self.name = name
        self.process = subprocess.Popen(
            [*prefix, sys.executable, '-B', '-m', f'demo.{module}', json.dumps(options)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, env={**os.environ, 'PYTHONPATH': str(LIBRARY)}, start_new_session=True)
        threading.Thread(target=self.read, args=(events,), daemon=True).start()

    def read(self, events):
        for line in self.process.stdout:
            try:
                event = json.loads(line)
            except json.JSONDecodeError:
                # Some library prints.
                sys.stderr.write(f'{self.name}: {line}')
            else:
                events.put((self, event))
        events.put((self, {'event': 'end'}))

    def command(self, text):
        try:
            self.process.stdin.write(text + '\n')
            self.process.stdin.flush()
        except BrokenPipeError:
            pass

    def release(self):
        """Lets it end by itself."""
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass

    def stop(self):
        """Waits until it has ended, or ends it; returns its status."""
        self.release()
        try:
            return self.process.wait(DRAIN_TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGKILL)
            return self.process.wait()


class Tcp:
    """One connection of the kernel's own, with Reno's congestion control, from one host to another; iperf3 makes it.

    `told` is called with each rate in bit/s that arrives, and `lost` with a reason where it ends by itself, both from a
    thread of its own."""

    def __init__(self, sender, host, told, lost):
        self.sender = sender
        self.host = host
        self.told = told
        self.lost = lost
        self.ended = False
        self.lock = threading.Lock()
        self.client = None
        self.server = self.launch(host, {'stdout': subprocess.PIPE, 'stderr': subprocess.STDOUT}, '-s', '-1')
        threading.Thread(target=self.read, daemon=True).start()

    @staticmethod
    def launch(host, outputs, *options):
        # The kernel's signal is tied to the thread that starts the process: that of `told` lives as long as the server.
        return subprocess.Popen(
            [*host.prefix, 'setpriv', '--pdeathsig', 'KILL', 'iperf3', '-p', str(TCP_PORT), '-i', '0.5', '-f', 'k',
             '--forceflush', *options], stdin=subprocess.DEVNULL, **outputs, text=True, start_new_session=True)

    def read(self):
        reason = 'iperf3 said nothing'
        for line in self.server.stdout:
            reason = line.strip() or reason
            if 'listening' in line:
                with self.lock:
                    if not self.ended:
                        # Nobody reads what it says meanwhile: it would stand still when a pipe is full, after minutes.
                        self.client = self.launch(
                            self.sender, {'stdout': subprocess.DEVNULL, 'stderr': subprocess.PIPE},
                            '-c', self.host.address, '-C', 'reno', '-t', '86400')
            rate = TCP_RATE.search(line)
            if rate and not self.ended:
                self.told(1000 * float(rate.group(1)))
        with self.lock:
            if self.ended:
                return
            if self.client:
                self.client.kill()
                reason = self.client.communicate()[1].strip() or reason
        self.lost(reason)

    def stop(self):
        with self.lock:
            self.ended = True
        for process in (self.client, self.server):
            if process:
                process.kill()
                process.wait()
