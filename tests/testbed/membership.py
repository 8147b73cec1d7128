#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests joins and leaves on the wire: IGMPv3 and MLDv2, any-source and source-specific. The join latency that lmccsrc
measures is that on the wire; a leave stops the traffic at the switch once the last receiver of a host has left.

Usage: membership.py 4|6
"""
import ipaddress
import sys
import time

import session
from session import ALLOW, TO_EXCLUDE, lib

PORT = 15440

# One-way delay between the switch and the receivers' host; a join or a leave needs both directions.
DELAY = 0.1

# Delay of a report, the emulated link or a packet by other programs.
LATENESS = 0.2

# Longest interval between packets of a layer: that of its pictures, one in four with this class, and their spread.
DISTANCE = 0.2

# Seconds for which a group is observed after a leave, and timeout of the test.
WATCHED = 2
PATIENCE = 10

# Far from full.
RATE = 10000000

# Base group, and whether the joins name the source.
CASES = {
    '4': [('239.255.54.129', False), ('232.54.1.129', True)],
    '6': [('ff15::54:129', False), ('ff35::54:129', True)],
}
SOURCES = {'4': '10.77.0.1', '6': 'fd77::1'}


class Case:
    def __init__(self, family, base, specific, sender, host):
        self.source = SOURCES[family]
        self.specific = specific
        self.host = host
        first = ipaddress.ip_address(base)
        self.groups = [str(first + i) for i in range(3)]
        literal = f'[{base}]' if family == '6' else base
        self.uri = f'lmcc://{self.source + "@" if specific else ""}{literal}:{PORT}'
        self.wire = session.Wire(host)
        self.sender = lib.launch(f'{lib.source()} ! {lib.three_classes()} ! lmccsink address={base} port={PORT}',
                                 prefix=sender.prefix)

    def receive(self, name, level):
        receiver = session.Receiver(self.host, name, 'algorithm=none', f'max-level={level}', uri=self.uri)
        lib.check(lib.wait_for_pictures(receiver.child, 10, 15), f'{name} shows pictures', *receiver.child.tail(),
                  *self.sender.tail())
        return receiver

    def check_join(self, receiver):
        """Checks the join of the second group: the report, and the time until the first packet."""
        group = self.groups[1]
        before = receiver.stats().get('join-to-packet-ms')
        receiver.set('max-level', 1)
        packets = self.wire.wait_for(lambda: self.wire.packets(group), 'a join brings the group')
        reports = [report for report in self.wire.reports(group) if report[0] < packets[0]]
        wanted = (ALLOW, [self.source]) if self.specific else (TO_EXCLUDE, [])
        lib.check(reports and all(report[1:] == wanted for report in reports),
                  f"the report names {'the source' if self.specific else 'no source'}", reports)
        took = packets[0] - reports[0][0]
        lib.wait_until(lambda: receiver.stats().get('join-to-packet-ms') != before, PATIENCE)
        said = receiver.stats()['join-to-packet-ms'] / 1e3
        lib.check(2 * DELAY <= took < 2 * DELAY + DISTANCE + LATENESS,
                  f'the wire shows the first packet {1000 * took:.0f} ms after the report')
        lib.check(took <= said + 0.001 and said < took + LATENESS,
                  f'lmccsrc measures a join latency of {1000 * said:.0f} ms')

    def check_shared(self, receiver, other):
        """If one of two receivers of a host leaves, the other still gets the group."""
        group = self.groups[1]
        lost = other.stats()['packets-lost']
        receiver.set('max-level', 0)
        lib.wait_until(lambda: receiver.level() == 0, PATIENCE)
        left = time.time()
        self.wire.wait_for(lambda: [when for when in self.wire.packets(group) if when > left + WATCHED],
                           'one of two receivers has left, and the group still arrives')
        lib.check(not self.wire.leaves(group), 'the host reports no leave', self.wire.reports(group))
        lib.check(other.stats()['packets-lost'] == lost, 'the other receiver loses no packet', other.stats())

    def check_leave(self, receiver):
        """If the last receiver leaves, the switch stops the group, and no other traffic replaces it on the link."""
        group = self.groups[1]
        receiver.set('max-level', 0)
        reports = self.wire.wait_for(lambda: self.wire.leaves(group), 'the last one leaves, and the host reports it')
        lib.wait_until(lambda: time.time() > reports[0] + 2 * DELAY + LATENESS, PATIENCE)
        begin, before = time.time(), self.host.counters()
        time.sleep(WATCHED)
        after, base = self.host.counters(), self.groups[0]
        # Packets that the switch has sent by now arrive at the host after the delay.
        lib.wait_until(lambda: self.wire.packets(base)[-1:] > [begin + WATCHED + DELAY], PATIENCE)
        packets = self.wire.packets(group)
        lasted = packets[-1] - reports[0]
        lib.check(lasted <= 2 * DELAY + LATENESS, f'its last packet arrives {1000 * lasted:.0f} ms after the report')
        # The base layer, its control packets and the packets of the switch; the layer that was left had half as many
        # packets as the base layer.
        came = len([when for when in self.wire.packets(base) if begin <= when - DELAY < begin + WATCHED])
        left = after.packets - before.packets
        rate = len([when for when in packets if when > packets[-1] - WATCHED])
        lib.check(abs(left - came) < rate / 2,
                  f'the switch forwards the base layer alone: {left} packets in {WATCHED} s, '
                  f'{came} of them its own; the layer had {rate}', before, after)
        lib.check(group not in self.host.groups(), 'the switch has no member of the group there', self.host.groups())

    def run(self):
        kind = f"IPv{ipaddress.ip_address(self.groups[0]).version}, " \
               f"{'source-specific' if self.specific else 'any source'}"
        print(f'{kind}:')
        one = self.receive('one', 0)
        self.check_join(one)
        two = self.receive('two', 1)
        self.check_shared(one, two)
        self.check_leave(two)
        for child in (one.child, two.child, self.sender, self.wire.child):
            child.kill()


if sys.argv[1:] not in (['4'], ['6']):
    sys.exit(__doc__)
session.start(110)
NETWORK = lib.make_network()
SENDER, HOST = NETWORK.add_host(), NETWORK.add_host(DELAY)
HOST.set_rate(RATE)
for case in CASES[sys.argv[1]]:
    Case(sys.argv[1], *case, SENDER, HOST).run()
lib.finish()
