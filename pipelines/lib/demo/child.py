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
            events.put((self, json.loads(line)))
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

    `told` is called with each rate in bit/s that arrives, from a thread of its own."""

    def __init__(self, sender, host, told):
        self.sender = sender
        self.host = host
        self.told = told
        self.ended = False
        self.lock = threading.Lock()
        self.client = None
        self.server = self.launch(host, subprocess.PIPE, '-s', '-1')
        threading.Thread(target=self.read, daemon=True).start()

    @staticmethod
    def launch(host, output, *options):
        # The kernel's signal is tied to the thread that starts the process: that of `told` lives as long as the server.
        return subprocess.Popen(
            [*host.prefix, 'setpriv', '--pdeathsig', 'KILL', 'iperf3', '-p', str(TCP_PORT), '-i', '0.5', '-f', 'k',
             '--forceflush', *options], stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.DEVNULL, text=True,
            start_new_session=True)

    def read(self):
        for line in self.server.stdout:
            if 'listening' in line:
                with self.lock:
                    if not self.ended:
                        # Nobody reads what it says: it would stand still when a pipe is full, after minutes.
                        self.client = self.launch(self.sender, subprocess.DEVNULL, '-c', self.host.address, '-C',
                                                  'reno', '-t', '86400')
            rate = TCP_RATE.search(line)
            if rate and not self.ended:
                self.told(1000 * float(rate.group(1)))

    def stop(self):
        with self.lock:
            self.ended = True
        for process in (self.client, self.server):
            if process:
                process.kill()
                process.wait()
