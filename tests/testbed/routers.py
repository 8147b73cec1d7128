#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests three real routers (FRR) between a sender and a receiver, with the timers of the standards.

Usage: routers.py PLACE ALGORITHM

PLACE is where the bottleneck is:

last    the last link, 3 Mbit/s, behind a router that stops a group two seconds or more after a leave (RFC 3376 section
        8.8). The receiver finds the level that fits and stays there; the link halves, and it does the same again.
middle  between the first two routers. A router above the last one forwards a group for minutes after its last receiver
        has left, so a leave makes no room. The link halves; the receiver stays at a level that gets through, or ends
        with a message that gives the reason.

Only plumb at the last link runs without LMCC_TESTBED_FULL; with it, all run, and longer.
"""
import os
import sys
import time

import cell
import frr
import session
from session import lib

FULL = 'LMCC_TESTBED_FULL' in os.environ
SHORT = (('last', 'plumb'),)

# bit/s.
RATE = 3000000

# Source-specific, so that no rendezvous point is needed (RFC 4607).
GROUP, PORT = '232.54.3.1', 15440
URI = f'lmcc://{frr.SENDER}@{GROUP}:{PORT}'

# Seconds: until the level is found; for which the receiver is observed then, and after the link has halved. In the
# middle, before and after the link halves: pimd 8.4 prunes at once groups that were joined a short time before.
FIND = 10
HOLD = 100 if FULL else 15
BEFORE = 80
AFTER = 120
AFTER_LAST = 30 if FULL else 15

# Seconds for which a receiver may be at a level that the path cannot carry, in addition to the leave latency; and for
# which a level may be lost.
OVER = 2
LOST = 10

# Leave latency in seconds: two queries and the delay of a host's repeated report (RFC 3376 section 8.11), and the
# effect of timers and queues.
LEAVE = 2.6
LEAST_LEAVE, MOST_LEAVE = 1.5, 3.0

# Algorithms whose levels are checked; the others are measured.
JUDGED = ('plumb', 'elm')

# Seconds after a leave in which packets are attributed to it.
PATIENCE = 5

# Loss of the joined layers with which pictures still get through, and the seconds over which it is measured.
BORNE = 0.1
LATEST = 20


class Path:
    """The parts of a run that `cell.layering` needs."""
    rate = 2 * RATE / 1e6
    coarse = False


def launch(routed, algorithm):
    sending = lib.launch(
        f'{lib.source()} ! {lib.one_class(100)} ! lmccsink {cell.layering(Path, algorithm)} address={GROUP} '
        f'port={PORT} algorithm={algorithm} mtu={cell.MTU} ttl-mc=8', prefix=routed.sender.prefix)
    time.sleep(cell.SENDING)
    host = routed.add_host()
    # The switch waits for the router's queries.
    host.set_fast_leave(False)
    wire = session.Wire(host)
    return sending, session.Receiver(host, 'the receiver', f'algorithm={algorithm}', uri=URI, consumer='fakesink'), wire


def held(changes, begin, end):
    """[seconds, level] of the levels in order between these times."""
    steps, level, since = [], -1, begin
    for when, _, new, _ in changes:
        if when >= end:
            break
        if when > begin:
            steps.append([when - since, level])
            since = when
        level = new
    return [*steps, [end - since, level]]


def longest(steps, off):
    """The longest continuous time in which `off` is true of the level."""
    most = so_far = 0.0
    for seconds, level in steps:
        so_far = so_far + seconds if off(level) else 0.0
        most = max(most, so_far)
    return most


def find_fitting(algorithm, rate):
    return max(level for level, held in enumerate(cell.level_rates(Path, algorithm)) if held <= rate)


def leave_times(wire, layers):
    """The time for which the network forwarded each layer after each leave, if the layer was not joined again at once
    and there was enough time to see."""
    took = []
    until = max(wire.packets(GROUP), default=0.0)
    for layer in range(1, layers):
        group = session.group_of(GROUP, layer)
        leaves, packets = wire.leaves(group), wire.packets(group)
        joins = [when for when, kind, _ in wire.reports(group) if kind not in (session.TO_INCLUDE, session.BLOCK)]
        for leave in leaves:
            # A host repeats its report.
            if leave < until - PATIENCE and not any(before < leave < before + PATIENCE for before in leaves) \
                    and not any(leave < when < leave + PATIENCE for when in joins):
                took.append(max([when - leave for when in packets if leave < when < leave + PATIENCE], default=0.0))
    return took


def tell(receiver, begin):
    for when, old, new, reason in receiver.changes():
        lib.note(f'{when - begin:6.1f} s  {old} -> {new}  {reason}')


def check_held(receiver, algorithm, begin, seconds, fits):
    """Checks that the receiver is at the level that fits from `begin` on."""
    steps = held(receiver.changes(), begin, begin + seconds)
    right = sum(time_held for time_held, level in steps if level == fits) / seconds
    over = longest(steps, lambda level: level > fits)
    lost = longest(steps, lambda level: level < fits)
    lib.note(f'level {fits} for {100 * right:.0f} % of {seconds} s; longest time above it {over:.1f} s, below it '
             f'{lost:.1f} s')
    if algorithm in JUDGED:
        lib.check(over <= OVER + LEAVE, f'the receiver is above the level that fits for less than {OVER + LEAVE} s',
                  *receiver.changes())
        lib.check(lost <= LOST, f'the receiver is below the level that fits for less than {LOST} s',
                  *receiver.changes())


def check_last(routed, algorithm):
    routed.last.set_rate('eth0', RATE)
    sending, receiver, wire = launch(routed, algorithm)
    start = time.monotonic()
    fits = find_fitting(algorithm, RATE)
    lib.check(lib.wait_until(lambda: receiver.changes() and receiver.changes()[-1][2] >= fits, 4 * FIND),
              f'the receiver finds level {fits}', *receiver.changes(), *sending.tail(3), *routed.tail())
    begin = max(start + FIND, time.monotonic())
    time.sleep(begin + HOLD - time.monotonic())
    halved = time.monotonic()
    routed.last.set_rate('eth0', RATE / 2)
    time.sleep(AFTER_LAST)
    stats = receiver.stats()
    tell(receiver, start)
    lib.note(f'{100 * stats["packets-lost"] / (stats["packets-lost"] + stats["packets-received"]):.2f} % lost')
    check_held(receiver, algorithm, begin, HOLD, fits)
    lib.note(f'the link halved {halved - start:.1f} s after the start')
    check_held(receiver, algorithm, halved, AFTER_LAST, find_fitting(algorithm, RATE / 2))
    took = leave_times(wire, len(cell.level_rates(Path, algorithm)))
    lib.note('leaves took ' + ', '.join(f'{seconds:.2f} s' for seconds in took))
    if algorithm in JUDGED:
        lib.check(took and LEAST_LEAVE < max(took) < MOST_LEAVE, 'the router sends two queries before it stops a group',
                  took)


def watch(receiver, seconds):
    """`stats` each second until the receiver ends."""
    samples, begin = [], time.monotonic()
    while time.monotonic() < begin + seconds and receiver.child.returncode() is None:
        try:
            samples.append((time.monotonic() - begin, receiver.stats()))
        except (RuntimeError, OSError):
            break
        time.sleep(1)
    return samples


def check_middle(routed, algorithm):
    routed.first.set_rate('ethB', RATE)
    sending, receiver, _ = launch(routed, algorithm)
    start = time.monotonic()
    time.sleep(BEFORE)
    before = receiver.level()
    routed.first.set_rate('ethB', RATE / 2)
    halved = time.monotonic()
    samples = watch(receiver, AFTER)
    said = receiver.child.find('leaving all groups', halved)
    tell(receiver, start)
    details = (*receiver.changes(), *receiver.child.tail(), *sending.tail(3), *routed.tail())
    if said:
        lib.note(f'level {before} before; the receiver ended {said[0][0] - halved:.1f} s after the link halved')
        lib.check(True, 'the receiver ends and reports that the network still forwards layers that it has left')
        return
    latest = [stats for when, stats in samples if when > samples[-1][0] - LATEST]
    share = session.loss(latest[0], latest[-1])
    rate = 8 * (latest[-1]['bytes-received'] - latest[0]['bytes-received']) / LATEST
    lib.note(f'level {before} before; {latest[-1]["level"]} at the end, {rate / 1000:.0f} kbit/s, '
             f'{100 * share:.1f} % lost')
    if algorithm == 'plumb':
        lib.check(share <= BORNE and rate > 0, 'the receiver stays at a level that gets through', *details)


def main():
    place, algorithm = sys.argv[1:]
    if (place, algorithm) not in SHORT and not FULL:
        lib.skip('LMCC_TESTBED_FULL is not set')
    session.start(400 if FULL else 90, tools=frr.TOOLS)
    if not frr.is_there():
        lib.skip(f'FRR is not installed ({lib.where("vtysh")})')
    with frr.Routed() as routed:
        lib.check(routed.start(), 'the routers are neighbours', *routed.tail())
        {'last': check_last, 'middle': check_middle}[place](routed, algorithm)
    lib.finish()


if __name__ == '__main__':
    main()
