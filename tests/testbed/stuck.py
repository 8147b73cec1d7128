#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A network that takes two seconds to honour a leave, as routers do with their standard settings. The link halves; an
algorithm leaves a layer, and loses packets until that leave counts. It does not leave the next one for these losses.

Usage: stuck.py ALGORITHM [SETTINGS]

With `elm` the layers are three encodings, and the pictures are looked at; with the others they double from 128 kbit/s.
SETTINGS are lmccsrc's `algorithm-settings`; flid-sl needs them here, as it takes leaves to be fast. All but elm and
rlc run where LMCC_TESTBED_FULL is set.
"""
import os
import sys
import time

import session
from session import lib

# RFC 3376 section 8.8: the last member query time, with what timers and queues add.
LAST_MEMBER = (1.5, 3.0)

# Seconds after a leave in which no other may follow for what the layer that was left still brings.
STUCK = LAST_MEMBER[1] + 1

# Seconds: most time to find the level, that it is held before the link halves, and watched afterwards.
FIND = 60
HOLD = 5
WATCH = 15

# bit/s, before the link halves: of three encodings, and of layers that double, where level 3 is 1024 kbit/s.
CAPACITY = {'elm': 2000000}
CAPACITY_DOUBLING = 1300000
DOUBLING = 'layering=doubling base-rate=128000 layers=4'

# Seconds from the first loss within which a layer is left: ELM promises 3, RLM averages over its detection time.
DOWN = {'elm': 3}
DOWN_OTHERS = 20

# Its groups fall silent by themselves: no leave is waited for. One overload costs it a level for each slot in which it
# shows, however fast leaves are; so it is compared with itself where they are fast, by its mean level.
TURNING = 'flid-dl'
TOLERANCE = 0.25

# Those that run without LMCC_TESTBED_FULL.
SHORT = ('elm', 'rlc')
FULL = 'LMCC_TESTBED_FULL' in os.environ


def launch(algorithm, settings, sender_host, host, capacity):
    """What sends, and a receiver that settings may change."""
    options = [f'algorithm={algorithm}', *([f'algorithm-settings={settings}'] if settings else [])]
    name = f'{capacity / 1e6} Mbit/s'
    if algorithm == 'elm':
        sending = session.Sender(sender_host, 'algorithm=elm')
        return sending, sending.child, session.Receiver(host, name, *options)
    child = lib.launch(f'{lib.source()} ! {lib.one_class(100)} ! lmccsink address={session.GROUP} port={session.PORT} '
                       f'algorithm={algorithm} {DOUBLING}', prefix=sender_host.prefix)
    return None, child, session.Receiver(host, name, *options, consumer='fakesink')


def find_top(receiver, top):
    """That it finds the level that fits, and holds it: losses of a join are no losses of the link."""
    def holds():
        changes = receiver.changes()
        return changes and changes[-1][2] == top and time.monotonic() - changes[-1][0] > HOLD
    return lib.check(lib.wait_until(holds, FIND), f'it finds level {top}, and holds it', receiver.stats(),
                     *receiver.changes())


def leave_top(receiver, capacity, patience):
    """When it left its highest layer after the link had halved; None where it did not."""
    dropped = receiver.host.counters().dropped
    receiver.host.set_rate(capacity / 2)
    lib.wait_until(lambda: receiver.host.counters().dropped > dropped, 10)
    first_loss = time.monotonic()
    downs = lib.wait_until(lambda: [change for change in receiver.changes(first_loss - 1) if change[2] < change[1]],
                           patience + 5)
    took = downs and downs[0][0] - first_loss
    if not lib.check(downs and took < patience, f'it leaves a layer within {patience} s of the first loss',
                     *receiver.changes(), receiver.stats()):
        return None
    lib.note(f'it took {max(0.0, took):.1f} s')
    return downs[0][0]


def check_leave(receiver, wire, group):
    """That the network went on with the layer."""
    leaves, packets = wire.leaves(group), wire.packets(group)
    after = [when for when in packets if leaves and leaves[0] < when < leaves[0] + LAST_MEMBER[1] + 0.5]
    lasted = after[-1] - leaves[0] if after else 0.0
    lib.check(LAST_MEMBER[0] < lasted < LAST_MEMBER[1], f'the layer comes for another {lasted:.1f} s', leaves[:3],
              packets[-3:], receiver.stats())


def check_stuck(receiver, wire, capacity, patience, top, fits):
    """The link halves, and one layer is left."""
    begin = time.monotonic()
    left = leave_top(receiver, capacity, patience)
    if left:
        time.sleep(max(0.0, left + STUCK - time.monotonic()))
        check_leave(receiver, wire, session.group(top))
        during = [change for change in receiver.changes(begin) if change[0] < left + STUCK]
        lib.check(min(new for _, _, new, _ in during) >= fits,
                  f'and is not below level {fits} for what the network still sends of it', *during)
    return begin


def mean_level(changes, begin, end, level):
    """Of a receiver that had `level` at the beginning."""
    total, since = 0.0, begin
    for when, _, new, _ in changes:
        if when < end:
            total, since, level = total + level * (when - since), when, new
    return (total + level * (end - since)) / (end - begin)


def compare(receiver, capacity, patience, top, fits):
    """That a slow leave takes nothing from it."""
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
        lib.note(f"leaves are {'fast' if fast else 'slow'}: level {means[-1]:.2f} in the mean, "
                 f'{min(new for _, _, new, _ in changes)} at least')
    lib.check(means[1] > means[0] - TOLERANCE, 'slow leaves cost it nothing')


def watch(receiver, begin):
    """What it makes of the time that follows."""
    lost = receiver.stats()['packets-lost']
    time.sleep(WATCH)
    lost = receiver.stats()['packets-lost'] - lost
    changes = receiver.changes(begin)
    for when, old, new, reason in changes:
        lib.note(f'{when - begin:5.1f} s  {old} -> {new}  {reason}')
    return lost, changes


def check_pictures(sending, receiver, fits, lost, changes):
    # A sender that a busy machine holds up sends in bursts, which a short queue does not take.
    if lost:
        lib.note(f'{lost} packets are lost since; what it makes of them is another matter')
    else:
        lib.check(receiver.level() == fits and len(changes) == 1, f'and without new ones it holds level {fits}',
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
    lib.check(lib.wait_until(lambda: receiver.level() >= 0, 20, 0.5), 'it receives', *receiver.child.tail(),
              *child.tail())
    tested = [capacity, capacity / 2]
    if sending:
        lib.check(lib.wait_for_pictures(receiver.child, 5, 15), 'pictures are shown', *receiver.child.tail())
        # The encoders need some seconds to come down to their rates.
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
