#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests the emulated links: rates, queues, losses, delays, jitter and order; and at 50 Mbit/s, or the bit/s in
LMCC_TESTBED_RATE."""
import math
import os
import random
import sys
import time

import measure
from measure import ETHERNET, FAST, FOREIGN, HELD_UP, SIZE, Receiver, network, send
from link import Jitter, Link, Reorder
from link_queue import LinkQueue
import traffic

# Number of attempts if the sender or the emulator stalls. If the emulator itself is too slow, more attempts do not
# help.
ATTEMPTS = 5

# Maximum error of an emulated link's delay in seconds.
DELAY_ERROR = 0.001
CLOCKS = 0.0002


class WithEmulator(measure.WithNetwork):
    GROUP = '239.255.62.1'

    def pass_through(self, rate, seconds, delay=0.0, size=SIZE, **link):
        """Returns the number of packets sent, the packets received, and the emulator's statistics."""
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
            if not held_up and emulator['late-max'] <= HELD_UP:
                break
        self.assertEqual(emulator['lost'], 0)
        delays = came['percentiles']
        print(f"{came['packets']} of {sent} packets arrived, mean delay {1000 * came['mean']:.2f} ms, "
              f"{1000 * delays[95]:.2f} ms for 95 %, {1000 * delays[100]:.2f} ms at most, {came['reordered']} of them "
              f"overtaken; they left {1000 * emulator['late-mean']:.2f} ms late in the mean, "
              f"{1000 * emulator['late-95']:.1f} ms for 95 %, {1000 * emulator['late-99']:.1f} ms for 99 %, "
              f"{1000 * emulator['late-max']:.0f} ms at most; the emulator took "
              f"{emulator['processor'] / seconds:.2f} of a core")
        return sent, came, emulator

    def check_dropped(self, dropped, missing):
        """Checks that missing packets were dropped. Some of the drops may be packets of the switch, such as queries."""
        self.assertGreaterEqual(dropped, missing)
        self.assertLess(dropped, missing + FOREIGN)


class Emulated(WithEmulator):
    """Links with packets of 1000 bytes."""

    def test_delays_as_told_within_a_millisecond(self):
        delay = 0.03
        sent, came, _ = self.pass_through(FAST, 2, delay)
        self.assertEqual(came['packets'], sent)
        # The clocks are read one after the other, and the program may stall in between.
        self.assertGreaterEqual(came['percentiles'][0], delay - CLOCKS)
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
        """The share that does not fit determines the mean queue length at which RED drops that share, and so the
        delay."""
        red = network.Red(10, 60, 0.1, 0.02)
        offered = 1.1 * FAST
        sent, came, emulator = self.pass_through(offered, 3, queue=network.Queue(FAST, 200, 'packets', red))
        self.check_dropped(emulator['red'], sent - came['packets'])
        self.assertEqual(emulator['overflowed'], 0)
        self.check_rate(came)
        share = 1 - FAST / (offered * (SIZE + ETHERNET) / SIZE)
        # A drop after at most 1/p_b packets, uniformly distributed up to there: on average one of (1/p_b + 1)/2.
        length = red.least + (red.most - red.least) * share / (2 - share) / red.probability
        expected = length * (SIZE + ETHERNET) * 8 / FAST
        print(f"delay {1000 * came['mean']:.2f} ms, expected {1000 * expected:.2f} ms")
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
        """Waits until both know each other's link-layer address and the switch knows both. Packets in the other
        direction are never lost."""
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


class Fast(WithEmulator):
    """50 Mbit/s and packets of 1200 bytes, compared with the virtual time of tests/scripts/test_link.py for the same
    link."""

    RATE, SIZE = float(os.environ.get('LMCC_TESTBED_RATE', '50e6')), 1200
    WIRE = SIZE + ETHERNET
    DELAY, SECONDS = 0.02, 3
    FLOW = bytes([*map(int, WithEmulator.GROUP.split('.')), traffic.PORT & 1])

    # Seconds of jitter, and delay of late packets.
    JITTER, LATE = 0.01, 0.005

    # Maximum share of a core for the emulator, so that a machine with two cores has room for the test.
    CORE = 0.5

    # Deviations within this many standard deviations are random.
    CHANCE = 4

    def in_virtual_time(self, count, offered, queue, jitter=None, reorder=None):
        way = Link(self.DELAY, LinkQueue(**queue._asdict()), None, jitter and Jitter(*jitter),
                   reorder and Reorder(*reorder))
        for number in range(count):
            sent = number * self.SIZE * 8 / offered
            way.enter(sent, self.WIRE, self.FLOW, sent)
        times = []
        while (due := way.due()) is not None:
            times.append((way.leave(), due))
        return traffic.describe(times, 0)

    def wide(self):
        """A queue in which packets never wait for long, even if the sender stalls and then catches up."""
        return network.Queue(2 * self.RATE, 1000)

    def carry(self, offered, **link):
        sent, came, told = self.pass_through(offered, self.SECONDS, self.DELAY, self.SIZE, **link)
        self.assertLess(told['processor'] / self.SECONDS, self.CORE)
        return sent, came, told, self.in_virtual_time(sent, offered, **link)

    def check_delays(self, came, told, expected):
        """Checks that the distributions differ by at most a percentile and DELAY_ERROR: a program that stalls for less
        than HELD_UP makes some packets late. If the emulator reports that more than a percent of them left later than
        that, its 99th percentile replaces DELAY_ERROR: one packet of a hundred exceeds it."""
        self.assertLess(2 * HELD_UP / self.SECONDS, 0.01)
        allowed = max(DELAY_ERROR, told['late-99'] + CLOCKS)
        percentiles = expected['percentiles']
        for percent in range(1, 100):
            delay = came['percentiles'][percent]
            self.assertGreaterEqual(delay, percentiles[percent - 1] - DELAY_ERROR, f'{percent} %')
            self.assertLessEqual(delay, percentiles[percent + 1] + allowed, f'{percent} %')
        self.assertAlmostEqual(came['mean'], expected['mean'], delta=DELAY_ERROR)
        self.assertGreaterEqual(came['percentiles'][0], self.DELAY - CLOCKS)
        self.assertLessEqual(came['percentiles'][100], expected['percentiles'][100] + told['late-max'] + HELD_UP)

    def test_carries_its_rate_and_has_its_queue_beside_batches(self):
        lasts = 0.05
        limit = round(self.RATE * lasts / 8 / self.WIRE)
        jitter = network.Jitter(self.JITTER)
        sent, came, told, _ = self.carry(1.2 * self.RATE, queue=network.Queue(self.RATE, limit), jitter=jitter)
        self.check_rate(came, self.RATE, self.SIZE)
        self.check_dropped(told['overflowed'], sent - came['packets'])
        self.assertEqual(came['reordered'], 0)
        # Most packets find the queue full except for one: the time to fill the queue does not change the median.
        queued = came['percentiles'][50] - self.DELAY - self.JITTER / 2
        print(f'queue: {1000 * queued:.2f} ms')
        self.assertAlmostEqual(queued, lasts, delta=DELAY_ERROR)

    def test_has_the_jitter_of_virtual_time_and_loses_nothing(self):
        for kind in ('batches', 'in-order', 'random'):
            with self.subTest(kind):
                sent, came, told, expected = self.carry(self.RATE, queue=self.wide(),
                                                        jitter=network.Jitter(self.JITTER, kind))
                self.assertEqual((came['packets'], told['overflowed']), (sent, 0))
                self.check_delays(came, told, expected)
                share = expected['reordered'] / sent
                print(f"{kind}: {came['reordered'] / sent:.4f} overtaken, {share:.4f} in virtual time")
                self.assertAlmostEqual(came['reordered'] / sent, share,
                                       delta=self.CHANCE * math.sqrt(share * (1 - share) / sent))

    def test_reorders_the_packets_that_its_generator_says(self):
        share = 0.025
        sent, came, told, expected = self.carry(self.RATE, queue=self.wide(), reorder=network.Reorder(share, self.LATE))
        self.assertEqual((came['packets'], told['overflowed']), (sent, 0))
        # No packet may follow the last one.
        self.assertAlmostEqual(came['reordered'], expected['reordered'], delta=1)
        self.assertAlmostEqual(came['reordered'] / sent, share,
                               delta=self.CHANCE * math.sqrt(share * (1 - share) / sent))
        self.check_delays(came, told, expected)

    def test_gives_a_burst_at_its_peak_and_then_its_rate(self):
        rate, burst = 10000000, 1000000
        sent, came, told, expected = self.carry(self.RATE, queue=network.Queue(rate, 100, burst=burst, peak=self.RATE))
        self.check_dropped(told['overflowed'], sent - came['packets'])
        carried = (came['packets'] - 1) * self.WIRE
        self.assertAlmostEqual(carried / (burst + rate / 8 * came['span']), 1, delta=measure.RATE_ERROR)
        self.assertAlmostEqual(came['packets'] / expected['packets'], 1, delta=measure.RATE_ERROR)
        self.assertAlmostEqual(came['mean'], expected['mean'], delta=DELAY_ERROR)


if __name__ == '__main__':
    sys.exit(measure.main())
