#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A network that takes two seconds to honour a leave, as routers do with their standard settings. The link halves; ELM
leaves a layer, and loses packets until that leave counts. It does not leave the next one for these losses."""
import time

import session
from session import lib

CAPACITY = 2000000

# RFC 3376 section 8.8: the last member query time, with what timers and queues add.
LAST_MEMBER = (1.5, 3.0)

# Seconds: most time to find the level, to leave after the first loss, and that the level is watched afterwards.
FIND = 60
DOWN = 3
WATCH = 15


def leave_top(receiver, wire, group):
    """(when, how long the group still came) of the leave of `group` after the link has halved."""
    dropped = receiver.host.counters().dropped
    receiver.host.set_rate(CAPACITY / 2)
    lib.wait_until(lambda: receiver.host.counters().dropped > dropped, 10)
    first_loss = time.monotonic()
    lib.wait_until(lambda: receiver.changes(first_loss), 3 * DOWN)
    changes = receiver.changes(first_loss - 1)
    if not lib.check(changes and changes[0][0] - first_loss < DOWN,
                     f'it leaves a layer within {DOWN} s of the first loss', changes, receiver.stats()):
        return None
    time.sleep(LAST_MEMBER[1] + 1)
    return wire.leaves(group), wire.packets(group)[-1]


def main():
    session.start(150)
    sender_host, (host,) = session.make([CAPACITY])
    host.set_fast_leave(False)
    wire = session.Wire(host)
    sending = session.Sender(sender_host, 'algorithm=elm')
    receiver = session.Receiver(host, f'{CAPACITY / 1e6} Mbit/s', 'algorithm=elm')
    lib.check(lib.wait_for_pictures(receiver.child, 5, 15), 'pictures are shown', *receiver.child.tail())
    # The encoders need some seconds to come down to their rates.
    tested = [CAPACITY, CAPACITY / 2]
    rates = session.settled_rates(receiver, tested, FIND)
    session.check_ladder(rates, tested)
    top, fits = (session.fitting_level(rates, capacity) for capacity in (CAPACITY, CAPACITY / 2))
    lib.check(lib.wait_until(lambda: receiver.level() == top, FIND), f'it finds level {top}', receiver.stats())
    # Not while it has only just come there.
    time.sleep(5)
    begin = time.monotonic()
    left = leave_top(receiver, wire, session.group(top))
    if left:
        leaves, last = left
        lib.check(leaves and LAST_MEMBER[0] < last - leaves[0] < LAST_MEMBER[1],
                  f'the layer comes for another {last - leaves[0]:.1f} s')
    lib.check(receiver.level() == fits, f'it has not left another one for these losses: level {fits}',
              *receiver.changes(begin))
    lost = receiver.stats()['packets-lost']
    time.sleep(WATCH)
    lost = receiver.stats()['packets-lost'] - lost
    changes = receiver.changes(begin)
    for when, old, new, reason in changes:
        lib.note(f'{when - begin:5.1f} s  {old} -> {new}  {reason}')
    # A sender that a busy machine holds up sends in bursts, which a short queue does not take.
    if lost:
        lib.note(f'{lost} packets are lost since; what it makes of them is another matter')
    else:
        lib.check(receiver.level() == fits and len(changes) == 1, f'and without new ones it holds level {fits}',
                  receiver.stats())
    session.check_pictures(sending, [receiver], 25 * WATCH)
    lib.finish()


main()
