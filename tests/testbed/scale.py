#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests fifty receivers on one machine, each on its own link; and a thousand slots of FLID-DL over 32 groups.

Usage: scale.py receivers|slots

Both take minutes, and run only with LMCC_TESTBED_FULL.
"""
import os
import resource
import statistics
import sys
import time

import session
from session import lib

GROUP, PORT = '239.255.55.1', 15480
URI = f'lmcc://{GROUP}:{PORT}'

RECEIVERS = 50
WATCHED = 60

SLOTS = 1000
SLOT = 0.5
GROUPS = 32
# Byers et al. 2002: a group is idle for the leave latency, 4 s, and two more slots.
LAYERS = 22

RATE = 100000000

# The links have room for all layers, but a busy machine sometimes joins a group too late.
LOSS = 0.001

# For packets that a busy machine does not read at once.
BUFFER = 4000000


def resident(pid):
    """The resident memory in bytes."""
    with open(f'/proc/{pid}/statm', encoding='ascii') as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def check_loss(receivers, before):
    for receiver, first in zip(receivers, before):
        received, lost, host = (receiver.stats()[name] - first[name]
                                for name in ('packets-received', 'packets-lost', 'packets-dropped-kernel'))
        lib.check(received > 0 and lost <= LOSS * received,
                  f'{receiver.name}: {lost} of {received} packets are lost, {host} of them by the host')


def run_receivers():
    made = lib.make_network()
    sender = made.add_host(session.DELAY)
    hosts = [made.add_host() for _ in range(RECEIVERS)]
    for host in hosts:
        host.set_rate(RATE)
    sending = lib.launch(f'{lib.source()} ! {lib.three_classes()} ! lmccsink name=sink address={GROUP} port={PORT}',
                         prefix=sender.prefix)
    receivers = [session.Receiver(host, f'receiver {host.number}', f'buffer-size={BUFFER}', uri=URI,
                                  consumer='fakesink') for host in hosts]
    begin = time.monotonic()
    lib.check(lib.wait_until(lambda: all(receiver.level() == 2 for receiver in receivers), 120, 1),
              f'all {RECEIVERS} receivers have joined all layers', *sending.tail(),
              [receiver.level() for receiver in receivers])
    lib.note(f'after {time.monotonic() - begin:.0f} s')
    before = [receiver.stats() for receiver in receivers]
    used = [lib.processor_seconds(receiver.child.pid) for receiver in receivers]
    start = time.monotonic()
    time.sleep(WATCHED)
    span = time.monotonic() - start
    used = [100 * (lib.processor_seconds(receiver.child.pid) - was) / span for receiver, was in zip(receivers, used)]
    stats = [receiver.stats() for receiver in receivers]
    rate = statistics.mean(now['bytes-received'] - was['bytes-received'] for now, was in zip(stats, before))
    lib.note(f'{rate * 8 / span / 1000:.0f} kbit/s to each; {statistics.mean(used):.2f} % of a core for one, '
             f'{sum(used):.0f} % for all; {resident(receivers[0].child.pid) / 1e6:.0f} MB for one; '
             f"{sum(now['reports'] for now in stats)} reports, RTT measured by "
             f"{sum(now['rtt-source'] == 'feedback' for now in stats)}")
    check_loss(receivers, before)


def run_slots():
    sender, (host,) = session.make([RATE], 0)
    wire = session.Wire(host)
    sending = lib.launch(
        f'{lib.source()} ! {lib.one_class(100)} ! lmccsink address={GROUP} port={PORT} algorithm=flid-dl '
        f'layering=multiplicative rate-factor=1.2 base-rate=64000 layers={LAYERS}', prefix=sender.prefix)
    receiver = session.Receiver(host, 'receiver', f'buffer-size={BUFFER}', uri=URI, consumer='fakesink')
    lib.check(lib.wait_until(lambda: receiver.level() == LAYERS - 1, 180, 1), 'the receiver has joined all layers',
              *sending.tail(), receiver.stats())
    before, used = receiver.stats(), lib.processor_seconds(receiver.child.pid)
    joins = len(wire.child.find(' report [45] '))
    start = time.monotonic()
    time.sleep(SLOTS * SLOT)
    span = time.monotonic() - start
    joins = len(wire.child.find(' report [45] ')) - joins
    groups = {match[1] for _, match in wire.child.find(r' packet \S+ (239\.255\.55\.\d+)$')}
    lib.check(len(groups) == GROUPS, f'{len(groups)} groups carry packets')
    lib.note(f'{SLOTS} slots: {joins} reports of joins, '
             f'{100 * (lib.processor_seconds(receiver.child.pid) - used) / span:.1f} % of a core')
    changes = receiver.changes(start)
    lib.note(f'{len(changes)} changes of level')
    lib.check(joins >= SLOTS, 'a group is joined in each slot')
    check_loss([receiver], [before])


if sys.argv[1:] not in (['receivers'], ['slots']):
    sys.exit(__doc__)
if 'LMCC_TESTBED_FULL' not in os.environ:
    lib.skip('LMCC_TESTBED_FULL is not set')
session.start(900)
{'receivers': run_receivers, 'slots': run_slots}[sys.argv[1]]()
lib.finish()
