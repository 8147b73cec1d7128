#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests a network with a leave latency of two seconds, as routers have with their default settings. The link halves; an
algorithm leaves a layer and loses packets until the leave takes effect. These losses must not make it leave the next
layer.

Usage: stuck.py ALGORITHM [SETTINGS]

With `elm` the layers are three encodings, and the pictures are checked; with the others the layers double from 128
kbit/s. SETTINGS is the property `algorithm-settings` of lmccsrc; flid-sl needs it here, because it expects fast leaves.
Only elm and rlc run without LMCC_TESTBED_FULL.
"""
import os
import sys
import time

import session
from session import lib

# RFC 3376 section 8.8: the last member query time, plus the delays of timers and queues.
LAST_MEMBER = (1.5, 3.0)

# Seconds after a leave in which packets of the layer that was left must not cause another leave.
STUCK = LAST_MEMBER[1] + 1

# Seconds: longest time to find the level; time at the level before the link halves; time of observation afterwards.
FIND = 60
HOLD = 5
WATCH = 15

# bit/s before the link halves: with three encodings, and with layers that double, where level 3 is 1024 kbit/s.
CAPACITY = {'elm': 2000000}
CAPACITY_DOUBLING = 1300000
DOUBLING = 'layering=doubling base-rate=128000 layers=4'

# Seconds from the first loss within which a layer is left: ELM promises 3, RLM averages over its detection time.
DOWN = {'elm': 3}
DOWN_OTHERS = 20

# Its groups become idle on their own, without a leave. An overload costs it a level for each slot in which the overload
# shows, however fast leaves are; so its mean level is compared with that with fast leaves.
TURNING = 'flid-dl'
TOLERANCE = 0.25

# Algorithms that run without LMCC_TESTBED_FULL.
SHORT = ('elm', 'rlc')
FULL = 'LMCC_TESTBED_FULL' in os.environ


def launch(algorithm, settings, sender_host, host, capacity):
    """The sender, and a receiver with these settings."""
    options = [f'algorithm={algorithm}', *([f'algorithm-settings={settings}'] if settings else [])]
    name = f'{capacity / 1e6} Mbit/s'
    if algorithm == 'elm':
        sending = session.Sender(sender_host, 'algorithm=elm')
        return sending, sending.child, session.Receiver(host, name, *options)
    child = lib.launch(f'{lib.source()} ! {lib.one_class(100)} ! lmccsink address={session.GROUP} port={session.PORT} '
                       f'algorithm={algorithm} {DOUBLING}', prefix=sender_host.prefix)
    return None, child, session.Receiver(host, name, *options, consumer='fakesink')


def find_top(receiver, top):
    """Checks that the receiver finds the level that fits and stays there: losses of a join are not losses of the
    link."""
    def holds():
        changes = receiver.changes()
        return changes and changes[-1][2] == top and time.monotonic() - changes[-1][0] > HOLD
    return lib.check(lib.wait_until(holds, FIND), f'the receiver finds level {top} and stays there', receiver.stats(),
                     *receiver.changes())


def leave_top(receiver, capacity, patience):
    """The time at which it left its highest layer after the link had halved; None if it did not."""
    dropped = receiver.host.counters().dropped
    receiver.host.set_rate(capacity / 2)
    lib.wait_until(lambda: receiver.host.counters().dropped > dropped, 10)
    first_loss = time.monotonic()
    downs = lib.wait_until(lambda: [change for change in receiver.changes(first_loss - 1) if change[2] < change[1]],
                           patience + 5)
    took = downs and downs[0][0] - first_loss
    if not lib.check(downs and took < patience, f'the receiver leaves a layer within {patience} s of the first loss',
                     *receiver.changes(), receiver.stats()):
        return None
    lib.note(f'it took {max(0.0, took):.1f} s')
    return downs[0][0]


def check_leave(receiver, wire, group):
    """Checks that the network still forwarded the layer."""
    leaves, packets = wire.leaves(group), wire.packets(group)
    after = [when for when in packets if leaves and leaves[0] < when < leaves[0] + LAST_MEMBER[1] + 0.5]
    lasted = after[-1] - leaves[0] if after else 0.0
    lib.check(LAST_MEMBER[0] < lasted < LAST_MEMBER[1], f'packets of the layer still arrive for {lasted:.1f} s',
              leaves[:3], packets[-3:], receiver.stats())


def check_stuck(receiver, wire, capacity, patience, top, fits):
    """Checks that one layer is left when the link halves."""
    begin = time.monotonic()
    left = leave_top(receiver, capacity, patience)
    if left:
        time.sleep(max(0.0, left + STUCK - time.monotonic()))
        check_leave(receiver, wire, session.group(top))
        during = [change for change in receiver.changes(begin) if change[0] < left + STUCK]
        lib.check(min(new for _, _, new, _ in during) >= fits,
                  f'these packets do not make the receiver go below level {fits}', *during)
    return begin


def mean_level(changes, begin, end, level):
    """The mean level of a receiver that was at `level` at the beginning."""
    total, since = 0.0, begin
    for when, _, new, _ in changes:
        if when < end:
            total, since, level = total + level * (when - since), when, new
    return (total + level * (end - since)) / (end - begin)


def compare(receiver, capacity, patience, top, fits):
    """Checks that a slow leave makes no difference."""
    means = []
    for fast in (True, False):
        receiver.host.set_fast_leave(fast)
        receiver.host.set_rate(capacity)
        find_top(receiver, top)
        left = leave_top(receiver, capacity, patience)
        if not left:
            return
        time.sleep(STUCK + WATCH)
        changes = receiver.changes(left)
        means.append(mean_level(changes, left, left + STUCK + WATCH, fits))
        lib.note(f"leaves are {'fast' if fast else 'slow'}: mean level {means[-1]:.2f}, "
                 f'lowest level {min(new for _, _, new, _ in changes)}')
    lib.check(means[1] > means[0] - TOLERANCE, 'slow leaves do not lower the mean level')


def watch(receiver, begin):
    """The receiver's behaviour in the time that follows."""
    lost = receiver.stats()['packets-lost']
    time.sleep(WATCH)
    lost = receiver.stats()['packets-lost'] - lost
    changes = receiver.changes(begin)
    for when, old, new, reason in changes:
        lib.note(f'{when - begin:5.1f} s  {old} -> {new}  {reason}')
    return lost, changes


def check_pictures(sending, receiver, fits, lost, changes):
    # A sender that stalls on a busy machine sends bursts, which a short queue cannot hold.
    if lost:
        lib.note(f'{lost} packets are lost since; the reaction to them is not checked here')
    else:
        lib.check(receiver.level() == fits and len(changes) == 1,
                  f'without new losses the receiver stays at level {fits}',
                  receiver.stats())
    session.check_pictures(sending, [receiver], 25 * WATCH)


def main():
    algorithm, *settings = sys.argv[1:]
    if algorithm not in SHORT and not FULL:
        lib.skip('LMCC_TESTBED_FULL is not set')
    session.start(170)
    capacity = CAPACITY.get(algorithm, CAPACITY_DOUBLING)
    patience = DOWN.get(algorithm, DOWN_OTHERS)
    sender_host, (host,) = session.make([capacity])
    host.set_fast_leave(False)
    wire = session.Wire(host)
    sending, child, receiver = launch(algorithm, ''.join(settings), sender_host, host, capacity)
    lib.check(lib.wait_until(lambda: receiver.level() >= 0, 20, 0.5), 'the receiver joins', *receiver.child.tail(),
              *child.tail())
    tested = [capacity, capacity / 2]
    if sending:
        lib.check(lib.wait_for_pictures(receiver.child, 5, 15), 'pictures are shown', *receiver.child.tail())
        # The encoders need some seconds to reach their rates.
        session.check_ladder(session.settled_rates(receiver, tested, FIND), tested)
    rates = receiver.layer_rates()
    top, fits = (session.fitting_level(rates, one) for one in tested)
    if algorithm == TURNING:
        compare(receiver, capacity, patience, top, fits)
        lib.finish()
    find_top(receiver, top)
    begin = check_stuck(receiver, wire, capacity, patience, top, fits)
    if sending:
        check_pictures(sending, receiver, fits, *watch(receiver, begin))
    elif FULL:
        watch(receiver, begin)
    lib.finish()


main()
