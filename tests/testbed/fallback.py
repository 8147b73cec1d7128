#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests levels of the lowest encoding and one more, behind links one of which can carry the highest encoding only if
the middle encoding does not cross it."""
import time

import session
from session import lib

# With the lowest encoding, the second takes 0.55 Mbit/s and the third 0.92 Mbit/s; all of them take 1.3 Mbit/s.
CAPACITIES = (350000, 1100000, 2000000)
FITTING = (0, 2, 2)

# Seconds until levels are checked, and for how long. The receiver is at the level that fits for most of this time.
SETTLED, SPAN = 25, 35
LEAST = 0.9

# Seconds without a picture at a constant level. The first receiver tries a level that its link cannot carry, and then
# loses packets of the lowest encoding too.
LONGEST_GAP = 0.5


def share_at(receiver, level, begin, end):
    """The share of a time in which the receiver was at a level."""
    share, now, held = 0.0, begin, None
    for when, _, to, _ in [*receiver.changes(), (end, 0, None, '')]:
        if when > now:
            share += (min(when, end) - now) * (held == level)
            now = min(when, end)
        held = to
    return share / (end - begin)


def check_levels(receivers, begin, end):
    for receiver, level in zip(receivers, FITTING):
        share = share_at(receiver, level, begin, end)
        lib.check(share >= LEAST, f'{receiver.name}: level {level} for {100 * share:.0f} % of the time',
                  receiver.changes())
        held = {session.group(0), session.group(level)}
        here = receiver.host.groups() & {session.group(layer) for layer in range(len(session.RATES))}
        lib.check(here == held or receiver.level() != level,
                  f'{receiver.name}: the layer that it does not show does not arrive', here)


def check_gaps(receivers, begin):
    for receiver in receivers:
        times = [when for when, _ in receiver.pictures(begin)]
        gap = max((after - before for before, after in zip(times, times[1:])), default=SPAN)
        lib.check(gap <= LONGEST_GAP, f'{receiver.name}: the longest pause is {gap:.2f} s')


session.start(SETTLED + SPAN + 40)
HOST, HOSTS = session.make(CAPACITIES)
sender = session.Sender(HOST, levels='auto')
RECEIVERS = [session.Receiver(host, f'{capacity / 1e6:g} Mbit/s') for host, capacity in zip(HOSTS, CAPACITIES)]
for waiting in RECEIVERS:
    lib.check(lib.wait_for_pictures(waiting.child, 15, 20), f'{waiting.name}: pictures are shown',
              *waiting.child.tail())
time.sleep(SETTLED)
BEGIN = time.monotonic()
time.sleep(SPAN)
check_levels(RECEIVERS, BEGIN, time.monotonic())
check_gaps(RECEIVERS[1:], BEGIN)
session.check_pictures(sender, RECEIVERS, 15 * SPAN)
for receiving in RECEIVERS:
    lib.note(f'{receiving.name}: {[(round(when - BEGIN, 1), to, why) for when, _, to, why in receiving.changes()]}')
lib.finish()
