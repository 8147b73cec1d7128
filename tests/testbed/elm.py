#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests ELM with three receivers behind 0.4, 0.9 and 2 Mbit/s. Each finds the level that its link can carry, goes down
when the link halves, and goes up again when the link is restored. All pictures are correct.

Usage: elm.py [--full]
"""
import os
import sys
import time
from collections import Counter

import session
from session import lib

# Seconds: longest time to find a level from below; longest time from the first loss to a level that fits.
UP = 60
DOWN = 3

# Seconds for which a level is observed, and number of times that the link halves.
FULL = '--full' in sys.argv or 'LMCC_TESTBED_FULL' in os.environ
WATCH = 60 if FULL else 30
CYCLES = 3 if FULL else 1

# A join that is undone within this time was an experiment. Full queues cause losses for some time after it.
EXPERIMENT = 10
AFTERMATH = 1

# Shares of the packets of the whole run.
LOSS_OUTSIDE = 0.01
LOSS_IN_ALL = 0.05

# Maximum time between two samples of a receiver's counters.
SAMPLE = 0.25


class Watched:
    """A receiver, the current capacity of its link, and its counters over time."""

    def __init__(self, host, capacity):
        self.host = host
        self.nominal = capacity
        self.capacity = capacity
        self.receiver = session.Receiver(host, f'{capacity / 1e6} Mbit/s', 'algorithm=elm')
        self.samples = []
        self.found = []
        self.downs = []
        self.ups = []

    @property
    def name(self):
        return self.receiver.name

    def set_capacity(self, capacity):
        self.capacity = capacity
        self.host.set_rate(capacity)

    def fitting(self):
        return session.fitting_level(RATES, self.capacity)

    def sample(self):
        if not self.samples or time.monotonic() - self.samples[-1][0] >= SAMPLE:
            stats = self.receiver.stats()
            self.samples.append((time.monotonic(), stats))
        return self.samples[-1][1]

    def levels_held(self, since):
        """The time at each level from `since` to now, the longest first."""
        held = Counter()
        level, begin = -1, since
        for when, _, to, _ in self.receiver.changes():
            if when > begin:
                held[level] += when - begin
                begin = when
            level = to
        held[level] += time.monotonic() - begin
        return held.most_common()

    def experiments(self):
        """(join, end of the losses) of each join that was soon undone."""
        joins, taken_back = [], []
        for when, old, new, _ in self.receiver.changes():
            if new > old:
                joins.append((when, old))
            while joins and new <= joins[-1][1]:
                joined, _ = joins.pop()
                if when - joined <= EXPERIMENT:
                    taken_back.append((joined, when + AFTERMATH))
        return taken_back

    def losses(self):
        """The packet loss ratio outside join experiments, the total packet loss ratio, and the packets dropped by the
        sockets of the host."""
        experiments = self.experiments()
        lost, lost_outside = 0, 0
        for (begin, before), (end, after) in zip(self.samples, self.samples[1:]):
            more = after['packets-lost'] - before['packets-lost']
            lost += more
            if not any(begin < until and end > joined for joined, until in experiments):
                lost_outside += more
        last = self.samples[-1][1]
        sent = last['packets-received'] + last['packets-lost']
        return lost_outside / sent, lost / sent, last['packets-dropped-kernel']


def watch(condition, seconds):
    """Samples all receivers until the condition holds; returns the seconds, or None after the timeout."""
    begin = time.monotonic()
    while time.monotonic() < begin + seconds:
        for watched in ALL:
            watched.sample()
        if condition():
            return time.monotonic() - begin
        time.sleep(0.05)
    return None


def wait_for_fit(what, times):
    """Checks that each receiver reaches the level that its link can carry in time; adds the seconds to `times` of
    each."""
    waiting = set(ALL)
    begin = time.monotonic()

    def all_fit():
        for watched in list(waiting):
            if watched.sample()['level'] == watched.fitting():
                waiting.discard(watched)
                times(watched).append(time.monotonic() - begin)
        return not waiting

    watch(all_fit, UP)
    for watched in ALL:
        lib.check(watched not in waiting, f'{watched.name}: {what} level {watched.fitting()} within {UP} s',
                  *watched.receiver.changes(begin), watched.samples[-1][1])


def stay():
    """Checks that each receiver stays at its level for most of the time."""
    begin = time.monotonic()
    watch(lambda: False, WATCH)
    for watched in ALL:
        held = watched.levels_held(begin)
        lib.check(held[0][0] == watched.fitting(), f'{watched.name}: stays at level {watched.fitting()}',
                  held, *watched.receiver.changes(begin))


def halve(watched):
    """Checks that a receiver goes down within 3 s of the first packet that its link drops. The receiver is not in a
    join experiment."""
    watch(lambda: watched.sample()['level'] == watched.fitting() and
          watched.receiver.changes()[-1][0] < time.monotonic() - EXPERIMENT / 2, EXPERIMENT)
    dropped = watched.host.counters().dropped
    begin = time.monotonic()
    watched.set_capacity(watched.capacity / 2)
    level = watched.fitting()

    def goes_down():
        return any(to <= level for _, _, to, _ in watched.receiver.changes(begin))

    watch(lambda: watched.host.counters().dropped > dropped, 5)
    first_loss = time.monotonic()
    watch(goes_down, 3 * DOWN)
    downs = [when for when, _, to, _ in watched.receiver.changes(begin) if to <= level]
    watched.downs += [max(0.0, when - first_loss) for when in downs[:1]]
    lib.check(downs and downs[0] - first_loss <= DOWN,
              f'{watched.name}: halved, and at level {level} '
              f"{f'{downs[0] - first_loss:.1f} s after the first loss' if downs else 'never'}",
              *watched.receiver.changes(begin), watched.samples[-1][1])


def tell(begin):
    for watched in ALL:
        for when, old, new, reason in watched.receiver.changes():
            lib.note(f'{watched.name:>13} {when - begin:6.1f} s  {old} -> {new}  {reason}')
    print(f"{'link':>13} {'joins':>6} {'failed':>7} {'found':>6} {'down':>6} {'up':>6} {'loss outside':>13} "
          f"{'total':>7} {'host':>5}")
    for watched in ALL:
        outside, in_all, host = watched.losses()
        joins = sum(new > old for _, old, new, _ in watched.receiver.changes())
        found, down, up = (f'{max(times):.1f}' if times else ''
                           for times in (watched.found, watched.downs, watched.ups))
        print(f'{watched.name:>13} {joins:6} {len(watched.experiments()):7} {found:>6} {down:>6} {up:>6} '
              f'{100 * outside:11.2f} % {100 * in_all:5.2f} % {host:5}')


def check_losses():
    for watched in ALL:
        outside, in_all, host = watched.losses()
        lib.check(outside < LOSS_OUTSIDE, f'{watched.name}: less than {100 * LOSS_OUTSIDE:.0f} % loss outside join '
                  'experiments', f'{100 * outside:.2f} %')
        lib.check(in_all < LOSS_IN_ALL, f'{watched.name}: less than {100 * LOSS_IN_ALL:.0f} % loss in total',
                  f'{100 * in_all:.2f} %')
        lib.check(host == 0, f'{watched.name}: no packet dropped by the host', host)


session.start(200 + CYCLES * (2 * (EXPERIMENT + 4 * DOWN) + UP + 2 * WATCH))
SENDER, HOSTS = session.make(session.CAPACITIES)
SENDING = session.Sender(SENDER, 'algorithm=elm')
lib.check(lib.wait_for_pictures(SENDING.child, 50, 15), 'the sender sends', *SENDING.child.tail())
BEGIN = time.monotonic()
ALL = [Watched(*pair) for pair in zip(HOSTS, session.CAPACITIES)]
for each in ALL:
    lib.check(lib.wait_for_pictures(each.receiver.child, 5, 15), f'{each.name} shows pictures',
              *each.receiver.child.tail(), *SENDING.child.tail())
TESTED = [*session.CAPACITIES, *(capacity / 2 for capacity in session.CAPACITIES[1:])]
RATES = session.settled_rates(ALL[0].receiver, TESTED)
session.check_ladder(RATES, TESTED)
wait_for_fit('finds', lambda watched: watched.found)
stay()
for cycle in range(CYCLES):
    for each in ALL[1:]:
        halve(each)
    stay()
    for each in ALL:
        each.set_capacity(each.nominal)
    wait_for_fit('is up again at', lambda watched: watched.ups)
    stay()
session.check_ladder(ALL[0].receiver.layer_rates(), TESTED)
tell(BEGIN)
check_losses()
session.check_pictures(SENDING, [each.receiver for each in ALL], 25 * WATCH)
lib.finish()
