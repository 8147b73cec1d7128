#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The network of the other tests is what it says: rates, queues, delays, groups that go only where they are wanted."""
import contextlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
# Not this file's own directory: it has the same name.
sys.path[0] = str(ROOT / 'pipelines' / 'lib')
import network  # noqa: E402
sys.path.append(str(Path(__file__).parent))
import traffic  # noqa: E402

TRAFFIC = Path(__file__).with_name('traffic.py')
SKIPPED = 77

# tbf counts the Ethernet header.
ETHERNET = 14
SIZE = 1000

# The kernel's timers, and other programs on this machine.
LATENESS = 0.01

# Seconds that a sender may be late in a measurement, and how often it is made again where it was later.
HELD_UP = 0.01
ATTEMPTS = 5

# What a link of the emulator may be wrong by in the mean: its rate, a share, and its delay, in seconds.
RATE_ERROR = 0.01
DELAY_ERROR = 0.001
CLOCKS = 0.0002

# Packets of the switch and of the hosts' kernels in one measurement: queries, reports, neighbours; more where it takes
# longer on a busy machine.
FOREIGN = 30

# The rate at which that is tested.
FAST = 20000000


class Receiver:
    """Takes a group at a host until it is asked for what came."""

    def __init__(self, host, group):
        self.process = subprocess.Popen([*host.prefix, sys.executable, str(TRAFFIC), 'receive', host.address, group],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()

    def result(self):
        return json.loads(self.process.communicate()[0])


def send(host, group, rate, seconds, size=SIZE):
    """Returns the number of packets, and whether the sender was held up by other programs for long."""
    told = host.namespace.run(sys.executable, str(TRAFFIC), 'send', host.address, group, str(rate), str(size),
                              str(seconds))
    told = json.loads(told)
    return told['packets'], told['late'] > HELD_UP


class WithNetwork(unittest.TestCase):
    def setUp(self):
        self.network = network.Network()
        self.addCleanup(lambda: self.network.close())  # pylint: disable=unnecessary-lambda

    def wait_for_group(self, host, group):
        end = time.monotonic() + 2
        while group not in host.groups():
            self.assertLess(time.monotonic(), end, f'the switch does not send {group}')

    def overload(self, sender, receiver, capacity, seconds=3.0):
        """Sends half as much again as the link carries; what came, what the switch dropped, and how many packets of
        its own (queries, neighbour discovery) were among all that it had to send."""
        taken = Receiver(receiver, '239.1.1.1')
        self.wait_for_group(receiver, '239.1.1.1')
        before = receiver.counters()
        sent, _ = send(sender, '239.1.1.1', 1.5 * capacity, seconds)
        while receiver.counters().backlog:
            pass
        after = receiver.counters()
        dropped = after.dropped - before.dropped
        return sent, taken.result(), dropped, after.packets - before.packets + dropped - sent

    def check_rate(self, came):
        rate = (came['packets'] - 1) * (SIZE + ETHERNET) * 8 / came['span']
        print(f'rate: {rate / 1e6:.3f} Mbit/s')
        self.assertAlmostEqual(rate / FAST, 1, delta=RATE_ERROR)


class Link(WithNetwork):
    def check_overload(self, sender, receiver, capacity, queue):
        seconds = 3.0
        sent, came, dropped, foreign = self.overload(sender, receiver, capacity, seconds)
        # What a full queue gives out after the last packet came in is there too, and a packet or two of the burst.
        expected = capacity * (seconds + queue) / 8 / (SIZE + ETHERNET)
        self.assertAlmostEqual(came['packets'], expected, delta=0.02 * expected + 3)
        self.assertGreaterEqual(dropped, sent - came['packets'])
        self.assertLessEqual(dropped, sent - came['packets'] + foreign)
        self.assertLess(foreign, FOREIGN)
        self.assertAlmostEqual(came['greatest'], queue, delta=LATENESS + 2 * (SIZE + ETHERNET) * 8 / capacity)

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


class Emulated(WithNetwork):
    """A link of the emulator."""

    GROUP = '239.255.62.1'

    def pass_through(self, rate, seconds, delay=0.0, size=SIZE, **link):
        """How many packets were sent, what came of them, and what the emulator tells."""
        for _ in range(ATTEMPTS):
            self.network.close()
            self.network = network.Network()
            sender, receiver = self.network.add_host(), self.network.add_host(delay=delay, **link)
            taken = Receiver(receiver, self.GROUP)
            self.wait_for_group(receiver, self.GROUP)
            sent, held_up = send(sender, self.GROUP, rate, seconds, size)
            time.sleep(delay + 0.5)
            came = taken.result()
            emulator, = self.network.close()
            if not held_up:
                break
        self.assertEqual(emulator['lost'], 0)
        print(f"{came['packets']} of {sent} packets came, after {1000 * came['mean']:.2f} ms in the mean, "
              f"{1000 * came['most']:.2f} ms for 95 %; they left {1000 * emulator['late-mean']:.2f} ms late in the "
              f"mean, {1000 * emulator['late-95']:.1f} ms for 95 %, {1000 * emulator['late-max']:.0f} ms at most")
        return sent, came, emulator

    def check_dropped(self, dropped, missing):
        """That what is missing was dropped; of the switch's own packets, queries and the like, some may be, too."""
        self.assertGreaterEqual(dropped, missing)
        self.assertLess(dropped, missing + FOREIGN)

    def test_delays_as_told_within_a_millisecond(self):
        delay = 0.03
        sent, came, _ = self.pass_through(FAST, 2, delay)
        self.assertEqual(came['packets'], sent)
        # Two clocks, and a program that may be held up between reading them.
        self.assertGreaterEqual(came['least'], delay - CLOCKS)
        self.assertAlmostEqual(came['mean'], delay, delta=DELAY_ERROR)

    def test_carries_its_rate_and_drops_what_finds_its_queue_full(self):
        limit = 100
        sent, came, emulator = self.pass_through(1.5 * FAST, 2, queue=network.Queue(FAST, limit))
        self.check_rate(came)
        self.check_dropped(emulator['overflowed'], sent - came['packets'])
        full = limit * (SIZE + ETHERNET) * 8 / FAST
        self.assertAlmostEqual(came['mean'], full, delta=0.05 * full + DELAY_ERROR)

    def test_has_a_queue_in_bytes(self):
        rate, size, limit = 1000000, 200, 10000
        sent, came, emulator = self.pass_through(2 * rate, 2, size=size, queue=network.Queue(rate, limit, 'bytes'))
        self.check_dropped(emulator['overflowed'], sent - came['packets'])
        full = limit // (size + ETHERNET) * (size + ETHERNET) * 8 / rate
        self.assertAlmostEqual(came['mean'], full, delta=0.05 * full + DELAY_ERROR)

    def test_drops_early_and_the_queue_has_the_length_that_this_needs(self):
        """The share that does not fit gives the mean length at which RED drops as much, and so the delay."""
        red = network.Red(10, 60, 0.1, 0.02)
        offered = 1.1 * FAST
        sent, came, emulator = self.pass_through(offered, 3, queue=network.Queue(FAST, 200, 'packets', red))
        self.check_dropped(emulator['red'], sent - came['packets'])
        self.assertEqual(emulator['overflowed'], 0)
        self.check_rate(came)
        share = 1 - FAST / (offered * (SIZE + ETHERNET) / SIZE)
        # Every 1/p_b-th packet at the latest, evenly spread up to there: one of (1/p_b + 1)/2.
        length = red.least + (red.most - red.least) * share / (2 - share) / red.probability
        expected = length * (SIZE + ETHERNET) * 8 / FAST
        print(f"delay {1000 * came['mean']:.2f} ms, by the formula {1000 * expected:.2f} ms")
        self.assertAlmostEqual(came['mean'], expected, delta=0.1 * expected)

    def count_losses(self, key, share, seed, sent):
        numbers = random.Random(f'{seed} {key.hex()}')
        return sum(numbers.random() < share for _ in range(sent))

    def test_loses_what_its_generator_says(self):
        loss, seed = 0.1, 7
        sent, came, emulator = self.pass_through(1000000, 1, loss=loss, seed=seed)
        lost = self.count_losses(bytes([*map(int, self.GROUP.split('.')), traffic.PORT & 1]), loss, seed, sent)
        self.assertGreater(lost, 0)
        self.assertEqual(came['packets'], sent - lost)
        self.assertEqual((emulator['passed'], emulator['dropped']), (sent - lost, lost))

    def wait_for_neighbours(self, sender, receiver):
        """That they know each other's address, and the switch both. What goes the other way is never lost."""
        end = time.monotonic() + 5
        while 'lladdr' not in sender.namespace.run('ip', 'neigh', 'show', receiver.address):
            self.assertLess(time.monotonic(), end, 'the hosts do not find each other')
            receiver.namespace.run('bash', '-c', f'echo >/dev/udp/{sender.address}/9')
            time.sleep(0.05)

    def test_loses_what_goes_to_the_host_where_that_is_asked(self):
        for every in (False, True):
            loss, seed = 0.05, 3
            sender, receiver = self.network.add_host(), self.network.add_host(loss=loss, seed=seed, every=every)
            self.wait_for_neighbours(sender, receiver)
            taken = Receiver(receiver, receiver.address)
            sent, _ = send(sender, receiver.address, 1000000, 1)
            time.sleep(0.5)
            port = traffic.PORT.to_bytes(2, 'big')
            addresses = b''.join(bytes(map(int, host.address.split('.'))) for host in (sender, receiver))
            lost = self.count_losses(bytes([17]) + addresses + port + port, loss, seed, sent)
            self.assertEqual(taken.result()['packets'], sent - lost if every else sent)
            self.assertEqual(self.network.close()[0]['dropped'], lost if every else 0)
            self.network = network.Network()


class Switch(WithNetwork):
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
    """A test that is killed cannot clean up."""

    # A host with a delayed link, and a program of the tests' own in it.
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
        """The processes in these namespaces, with their names."""
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


def main():
    # What measures is not measured itself; where that is allowed, all programs here come before others.
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    try:
        network.Network().close()
    except network.Unavailable as reason:
        print(f'SKIP: {reason}')
        return SKIPPED
    return unittest.main()


if __name__ == '__main__':
    sys.exit(main())
