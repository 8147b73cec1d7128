#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests fixed levels behind links of 0.4, 0.9 and 2 Mbit/s: levels that fit pass without loss, the loss of others is as
calculated, layers that no receiver has joined do not cross the links, and losses at the host itself are counted
separately."""
import signal
import threading
import time

import session
from session import lib

# Seconds of each measurement.
SPAN = 6

# Small enough to overflow while the receiver is stopped.
SOCKET_BUFFER = 20000
STOPPED = 1.5

# Maximum seconds until a dropped packet is counted as lost: the queueing delay, and the time until the receiver
# notices.
NOTICED = 0.5

# Number of attempts: a machine that stalls for a tenth of a second causes a burst that a queue need not hold.
ATTEMPTS = 3

# Size of a media packet as the link counts it.
ETHERNET = 14

GROUPS = [session.group(layer) for layer in range(len(session.RATES))]


def measure(receivers, span=SPAN):
    """(loss, socket drops, counters of the link) of each receiver over `span` seconds."""
    before = [(receiver.stats(), receiver.host.counters()) for receiver in receivers]
    time.sleep(span)
    result = []
    for receiver, (stats, counters) in zip(receivers, before):
        now, link = receiver.stats(), receiver.host.counters()
        result.append((now, {name: now[name] - stats[name] for name in
                             ('packets-received', 'packets-lost', 'packets-dropped-kernel', 'bytes-received')},
                       link.packets - counters.packets, link.bytes - counters.bytes, link.dropped - counters.dropped))
    return result


def measure_whole(receivers):
    """Like measure(), but for a span without loss, if there is one."""
    for _ in range(ATTEMPTS):
        measured = measure(receivers)
        lost = [change['packets-lost'] for _, change, *_ in measured]
        if not any(lost):
            break
        lib.note(f'lost {lost}, dropped by the links {[dropped for *_, dropped in measured]}')
    return measured


def check_levels_that_fit(receivers, sniffers):
    print('levels that fit:')
    for receiver, (now, change, *_) in zip(receivers, measure_whole(receivers)):
        level = receivers.index(receiver)
        lib.check(now['level'] == level, f'{receiver.name} is at level {level}', now)
        lib.check(change['packets-lost'] == 0 and change['packets-received'] > 0,
                  f"{receiver.name}: none of {change['packets-received']} packets is lost", change)
    for level, (receiver, sniffer) in enumerate(zip(receivers, sniffers)):
        passed = [lib.count_packets(sniffer, SENDER.address, [group]) for group in GROUPS]
        lib.check(all(passed[:level + 1]) and not any(passed[level + 1:]),
                  f'{receiver.name}: only joined layers cross the link: {passed}')
        lib.check(receiver.host.groups() & set(GROUPS) == set(GROUPS[:level + 1]),
                  f'{receiver.name}: the switch forwards only joined layers', receiver.host.groups())


def check_overload(receivers, rates):
    """The middle receiver joins all layers; the receiver with room for them shows their rate."""
    print('a level that does not fit:')
    middle, whole = receivers[1], receivers[2]
    middle.set('max-level', len(rates) - 1)
    # Waits until the queue is full.
    time.sleep(2)
    capacity = session.CAPACITIES[1]
    drops = [middle.host.counters().dropped]
    time.sleep(NOTICED)
    drops.append(middle.host.counters().dropped)
    early = threading.Timer(SPAN - NOTICED, lambda: drops.append(middle.host.counters().dropped))
    early.start()
    (_, change, passed, octets, _), (_, all_of_it, *_) = measure([middle, whole])
    early.join()
    drops.append(middle.host.counters().dropped)
    sent = all_of_it['bytes-received']
    lost = 1 - change['bytes-received'] / sent
    expected = 1 - (capacity * SPAN / 8 - ETHERNET * passed) / sent
    packets_lost = change['packets-lost'] / (change['packets-lost'] + change['packets-received'])
    lib.note(f'{sent * 8 / SPAN / 1000:.0f} kbit/s sent; {100 * lost:.1f} % of the bytes lost, calculated '
             f'{100 * expected:.1f} %; {100 * packets_lost:.1f} % of the packets (small ones fit into a full queue)')
    lib.check(abs(octets * 8 / SPAN / capacity - 1) < 0.03, f'the link is full: {octets * 8 / SPAN / 1000:.0f} kbit/s')
    lib.check(abs(lost - expected) < 0.03, 'the loss is the part that does not fit')
    least, most = drops[2] - drops[1], drops[3] - drops[0]
    lib.check(least <= change['packets-lost'] <= most,
              f"lmccsrc counts the packets dropped by the link as lost: {change['packets-lost']}, {least} to {most}")
    lib.check(change['packets-dropped-kernel'] == 0, 'the host dropped no packet', change)
    lib.check(all_of_it['packets-lost'] == 0, f'{whole.name} behind another link loses no packet', all_of_it)
    middle.set('max-level', 1)


def check_socket_drops(receiver):
    print('a host that is too slow:')
    before, link = receiver.stats(), receiver.host.counters()
    receiver.child.process.send_signal(signal.SIGSTOP)
    time.sleep(STOPPED)
    receiver.child.process.send_signal(signal.SIGCONT)
    time.sleep(1.5)
    now = receiver.stats()
    lost, dropped = (now[name] - before[name] for name in ('packets-lost', 'packets-dropped-kernel'))
    lib.check(dropped > 0, f'its sockets drop {dropped} packets', now)
    # With Linux 6.18 a socket's own count (SO_RXQ_OVFL) may be one too low, permanently; each group has a socket.
    lib.check(dropped <= lost <= dropped + len(GROUPS),
              f'lmccsrc counts them as lost and as dropped by the host: {lost}')
    lib.check(receiver.host.counters().dropped == link.dropped, 'the link dropped no packet')


session.start(58 + ATTEMPTS * SPAN)
SENDER, HOSTS = session.make(session.CAPACITIES)
SNIFFERS = [lib.sniff(host.prefix) for host in HOSTS]
sending = session.Sender(SENDER, 'algorithm=none')
receiving = [session.Receiver(host, f'{capacity / 1e6} Mbit/s', 'algorithm=none', f'max-level={level}',
                              f'buffer-size={SOCKET_BUFFER if level == 2 else 0}')
             for level, (host, capacity) in enumerate(zip(HOSTS, session.CAPACITIES))]
for a_receiver in receiving:
    lib.check(lib.wait_for_pictures(a_receiver.child, 25, 15), f'{a_receiver.name} shows pictures',
              *a_receiver.child.tail(), *sending.child.tail())
RATES = session.settled_rates(receiving[0], session.CAPACITIES)
session.check_ladder(RATES, session.CAPACITIES)
check_levels_that_fit(receiving, SNIFFERS)
check_overload(receiving, RATES)
check_socket_drops(receiving[2])
time.sleep(2)
session.check_pictures(sending, receiving, 25 * SPAN)
lib.finish()
