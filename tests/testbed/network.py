#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests the network of the other tests: rates, queues, and groups that go only to hosts that have joined them. links.py
tests the emulated links."""
import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import measure
from measure import ETHERNET, FAST, FOREIGN, ROOT, SIZE, Receiver, network, send

# Tolerance for the kernel's timers and other programs on this machine.
LATENESS = 0.01


class Link(measure.WithNetwork):
    def overload(self, sender, receiver, capacity, seconds=3.0):
        """Sends one and a half times the link's rate. Returns the packets received, those dropped by the switch, and
        the number of the switch's own packets (queries, neighbour discovery) among all packets."""
        taken = Receiver(receiver, '239.1.1.1')
        self.wait_for_group(receiver, '239.1.1.1')
        before = receiver.counters()
        sent, _ = send(sender, '239.1.1.1', 1.5 * capacity, seconds)
        while receiver.counters().backlog:
            pass
        after = receiver.counters()
        dropped = after.dropped - before.dropped
        return sent, taken.result(), dropped, after.packets - before.packets + dropped - sent

    def check_overload(self, sender, receiver, capacity, queue):
        seconds = 3.0
        sent, came, dropped, foreign = self.overload(sender, receiver, capacity, seconds)
        # Includes the packets that leave a full queue after the last packet has arrived, and a packet or two of the
        # burst.
        expected = capacity * (seconds + queue) / 8 / (SIZE + ETHERNET)
        self.assertAlmostEqual(came['packets'], expected, delta=0.02 * expected + 3)
        self.assertGreaterEqual(dropped, sent - came['packets'])
        self.assertLessEqual(dropped, sent - came['packets'] + foreign)
        self.assertLess(foreign, FOREIGN)
        self.assertAlmostEqual(came['percentiles'][100], queue, delta=LATENESS + 2 * (SIZE + ETHERNET) * 8 / capacity)

    def test_carries_its_rate_and_its_queue_lasts_as_long_as_told(self):
        sender, receiver = self.network.add_host(), self.network.add_host()
        receiver.set_rate(900000, 0.25)
        self.check_overload(sender, receiver, 900000, 0.25)

    def test_has_the_right_queue_after_each_change_of_rate(self):
        sender, receiver = self.network.add_host(), self.network.add_host()
        receiver.set_rate(3000000, 0.25)
        receiver.set_rate(400000, 0.25)
        self.check_overload(sender, receiver, 400000, 0.25)
        receiver.set_rate(2000000, 0.1)
        self.check_overload(sender, receiver, 2000000, 0.1)

    def test_carries_twenty_megabits_within_a_hundredth(self):
        sender, receiver = self.network.add_host(), self.network.add_host()
        receiver.set_rate(FAST, 0.2)
        self.check_rate(self.overload(sender, receiver, FAST, 2)[1])


class Switch(measure.WithNetwork):
    def test_sends_a_group_only_where_it_is_wanted(self):
        sender, wants, other = (self.network.add_host() for _ in range(3))
        for host in (wants, other):
            host.set_rate(10000000)
        taken = Receiver(wants, '239.1.1.1')
        self.wait_for_group(wants, '239.1.1.1')
        before = other.counters()
        sent, _ = send(sender, '239.1.1.1', 1000000, 1)
        send(sender, '239.1.1.2', 1000000, 1)
        time.sleep(0.1)
        # Neighbour discovery and the like may pass, in small packets.
        self.assertLess(other.counters().bytes - before.bytes, 10 * SIZE)
        self.assertEqual(taken.result()['packets'], sent)
        self.assertLess(wants.counters().bytes, (sent + 10) * (SIZE + ETHERNET))

    def test_stops_a_group_at_once_when_it_is_left(self):
        self.network.add_host()
        receiver = self.network.add_host()
        receiver.set_rate(10000000)
        taken = Receiver(receiver, '239.1.1.1')
        self.wait_for_group(receiver, '239.1.1.1')
        taken.result()
        end = time.monotonic() + 0.2
        while '239.1.1.1' in receiver.groups():
            self.assertLess(time.monotonic(), end)

    def test_leaves_no_process_behind(self):
        host = self.network.add_host(delay=0.01)
        pids = [host.namespace.pid, self.network.switch.pid, self.network.emulators[0].pid]
        self.network.close()
        for pid in pids:
            self.assertFalse(os.path.exists(f'/proc/{pid}'))


class Killed(unittest.TestCase):
    """A test that is killed cannot clean up; its network must end all the same."""

    # A host with a delayed link, and a program of the test in it.
    SCRIPT = '''
import sys, time
sys.path.insert(0, sys.argv[1])
import lib
made = lib.make_network()
host = made.add_host(delay=0.01)
lib.Child(['sleep', '1000'], prefix=host.prefix)
print(made.switch.pid, host.namespace.pid, flush=True)
time.sleep(1000)
'''

    @staticmethod
    def inside(namespaces):
        """The processes in these namespaces with their names."""
        found = []
        for process in Path('/proc').glob('[0-9]*'):
            try:
                if os.readlink(process / 'ns' / 'net') in namespaces:
                    found.append((process.name, (process / 'comm').read_text().strip()))
            except OSError:
                pass
        return found

    def test_leaves_neither_processes_nor_namespaces(self):
        with subprocess.Popen([sys.executable, '-B', '-c', self.SCRIPT, str(ROOT / 'tests' / 'loopback')],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as killed:
            pids = killed.stdout.readline().split()
            namespaces = {os.readlink(f'/proc/{pid}/ns/net') for pid in pids}
            self.assertEqual(len(namespaces), 2)
            self.wait_for(lambda: sorted(name for _, name in self.inside(namespaces)) ==
                          ['cat', 'cat', 'python3', 'sleep'], namespaces)
            killed.kill()
        self.wait_for(lambda: not self.inside(namespaces), namespaces)

    def wait_for(self, condition, namespaces):
        end = time.monotonic() + 20
        while not condition():
            self.assertLess(time.monotonic(), end, self.inside(namespaces))
            time.sleep(0.05)


class Refusal(unittest.TestCase):
    def with_path(self, directory):
        path = os.environ['PATH']
        self.addCleanup(os.environ.__setitem__, 'PATH', path)
        os.environ['PATH'] = directory

    def test_the_path_of_an_ordinary_user_is_enough(self):
        environment = {'PATH': '/usr/local/bin:/usr/bin:/bin', 'PYTHONPATH': str(Path(network.__file__).parents[1])}
        subprocess.run([sys.executable, '-c', 'import network; network.Network().close()'], check=True, env=environment)

    def test_names_the_tool_that_is_missing(self):
        with tempfile.TemporaryDirectory() as directory:
            self.with_path(directory)
            with self.assertRaisesRegex(network.Unavailable, 'unshare is not installed'):
                network.Network()

    def test_says_why_there_are_no_namespaces(self):
        with tempfile.TemporaryDirectory() as directory:
            unshare = Path(directory) / 'unshare'
            unshare.write_text('#!/bin/sh\necho "unshare failed: Operation not permitted" >&2\nexit 1\n')
            unshare.chmod(0o755)
            self.with_path(f"{directory}:{os.environ['PATH']}")
            with self.assertRaisesRegex(network.Unavailable, 'Operation not permitted'):
                network.Network()


if __name__ == '__main__':
    sys.exit(measure.main())
