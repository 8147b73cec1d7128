# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Child processes, which all end with this one: those of this package end when their input is closed, and the kernel
kills the others."""
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

# A line of iperf3's output, in kbit/s.
TCP_RATE = re.compile(r'sec\s+[\d.]+ \w+\s+([\d.]+) Kbits/sec')


class Child:
    """A module of this package as a process. Each line of its output becomes an item (child, event) in the shared
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
                # Output of a library.
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
        """Closes its input, so that it ends on its own."""
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass

    def stop(self):
        """Waits until it has ended, kills it after a timeout, and returns its exit status."""
        self.release()
        try:
            return self.process.wait(DRAIN_TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGKILL)
            return self.process.wait()


class Tcp:
    """A TCP connection from one host to another, made by iperf3, with the kernel's Reno congestion control.

    A separate thread calls `told` with each measured rate in bit/s, and `lost` with a reason if the connection ends on
    its own."""

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
        # The kernel sends the signal when the thread that started the process ends. The thread that calls `told` lives
        # as long as the server.
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
                        # Nobody reads its standard output. With a pipe it would block after minutes, when the pipe is
                        # full.
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
