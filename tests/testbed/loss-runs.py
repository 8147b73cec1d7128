#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks that a sender that passes several packets to the kernel in one call (UDP_SEGMENT) has the same losses as one
that sends each packet separately. Runs of lost packets have the same lengths behind a queue that is too slow by a
tenth, and on a link that loses 1 % at random; behind a queue that is faster by a tenth, no additional packets are lost.
The test measures a simple sender first, so that differences of the testbed show; then lmccsink, if it has the property
`udp-segmentation`.

Each sender is measured without segmentation, with it, and without it again. loss_runs.py decides whether two samples
differ.

Usage: loss-runs.py
       loss-runs.py hear ADDRESS GROUP PORT
       loss-runs.py send ADDRESS GROUP PORT yes|no
"""
import re
import socket
import subprocess
import sys
import time

import session
import traffic
from loss_runs import compare, histogram, runs_of
from session import lib

GROUP, PORT = '239.255.63.33', 15466
SEED = 20040101

# 2,000 packets/s of 1200 bytes; lmccsink's packets have 24 bytes more, and all have IP, UDP and Ethernet headers.
PACKETS, UNITS, SIZE = 40, 50, 1200
RATE = PACKETS * UNITS * (SIZE + 24 + 28 + 14) * 8

# Number of packets that the simple sender passes to the kernel at once.
BURST = 8

# Seconds of each measurement, and before the first and after the last packet that counts.
SECONDS, MARGIN = 8, 1

# linux/udp.h
SOL_UDP, UDP_SEGMENT = 17, 103

# The links: bit/s or None, length of the queue in seconds, and random loss.
LINKS = {
    'a queue that is too slow by a tenth': (RATE / 1.1, 0.25, 0.0),
    '1 % of random loss': (None, None, 0.01),
    'a queue that is faster by a tenth': (RATE * 1.1, 0.01, 0.0),
}

# Share of packets that may be lost in addition, because packets of the switch take room too.
MORE = 0.002

ATTEMPTS = 3

# Minimum number of runs for a comparison.
ENOUGH = 100


def hear(address, group, port):
    """Prints the sequence numbers of the packets that arrive at the group, and at the end the number of packets that
    this program missed."""
    hears = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    hears.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, traffic.BUFFER)
    hears.bind((group, port))
    hears.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(group) + socket.inet_aton(address))
    hears.settimeout(0.5)
    numbers, listening = [], True
    print('ready', flush=True)
    end = None
    while listening:
        try:
            numbers.append(int.from_bytes(hears.recv(2048)[2:4], 'big'))
            end = time.monotonic() + 1
        except socket.timeout:
            # The sender has ended.
            listening = end is None or time.monotonic() < end
    print(' '.join(map(str, numbers)))
    print(f'missed {traffic.overflowed(hears)}', flush=True)


def send(address, group, port, together):
    """Sends BURST packets at a time, as one super-packet or one after the other."""
    out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    out.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(address))
    size = SIZE + 24
    if together:
        out.setsockopt(SOL_UDP, UDP_SEGMENT, size)
    start, count = time.monotonic(), PACKETS * UNITS * SECONDS
    for first in range(0, count, BURST):
        time.sleep(max(0.0, start + first / PACKETS / UNITS - time.monotonic()))
        packets = [b'\x80\x60' + (number % 65536).to_bytes(2, 'big') + bytes(size - 4)
                   for number in range(first, first + BURST)]
        for data in [b''.join(packets)] if together else packets:
            out.sendto(data, (group, port))


class Plain:
    """A simple sender."""
    name = 'a plain sender'

    @staticmethod
    def start(host, together):
        return lib.Child([sys.executable, '-B', __file__, 'send', host.address, GROUP, str(PORT),
                          'yes' if together else 'no'], prefix=host.prefix)

    @staticmethod
    def wait(child):
        lib.check(child.ends(SECONDS + 20) and child.returncode() == 0, 'the sender has ended', *child.tail())


class Sink:
    """lmccsink with one layer, without packet trains."""
    name = 'lmccsink'

    def __init__(self):
        self.value = segmentation()

    def start(self, host, together):
        option = f'udp-segmentation={self.value[together]}' if self.value else ''
        line = f'lmccsink name=element sync=false algorithm=none address={GROUP} port={PORT} {option}'
        return lib.Child([session.program('feed'), str(PACKETS), str(UNITS), str(UNITS), '1', line],
                         name='lmccsink', prefix=host.prefix, stdin=subprocess.PIPE)

    @staticmethod
    def wait(child):
        time.sleep(SECONDS)
        child.process.stdin.close()
        lib.check(child.ends(20) and child.returncode() == 0, 'the sender has ended', *child.tail())


def segmentation():
    """The values of the property without and with segmentation; None if there is no such property."""
    told = subprocess.run(['gst-inspect-1.0', 'lmccsink'], capture_output=True, text=True, check=True).stdout
    found = re.search(r'^  udp-segmentation +:.*?(?=^  \S|\Z)', told, re.MULTILINE | re.DOTALL)
    if not found:
        return None
    if 'Boolean' in found[0]:
        return {True: 'true', False: 'false'}
    nicks = re.findall(r'\(-?\d+\): (\S+)', found[0])
    always = [nick for nick in nicks if nick in ('always', 'on', 'yes')]
    never = [nick for nick in nicks if nick in ('never', 'off', 'no')]
    lib.check(always and never, 'udp-segmentation can be turned on and off', found[0])
    return {True: always[0], False: never[0]}


def measure(sender, link, together):
    """The histogram of runs of lost packets, and the share of packets lost."""
    rate, queue, loss = LINKS[link]
    net = lib.make_network()
    source = net.add_host()
    host = net.add_host(loss=loss, seed=SEED) if loss else net.add_host()
    if rate:
        host.set_rate(rate, queue)
    hears = lib.Child([sys.executable, '-B', __file__, 'hear', host.address, GROUP, str(PORT)], prefix=host.prefix)
    lib.check(lib.wait_until(lambda: GROUP in host.groups(), session.PATIENCE), f'{GROUP} is joined')
    child = sender.start(source, together)
    sender.wait(child)
    if not lib.check(hears.ends(20), 'the receiver has ended', *hears.tail(3)):
        lib.finish()
    lines = [line for _, line in hears.output]
    missed = int(lines[-1].split()[1])
    lib.check(missed == 0, 'the receiving program missed no packet', missed)
    numbers = [int(number) for number in lines[-2].split()][PACKETS * UNITS * MARGIN:]
    runs = runs_of(numbers)
    net.close()
    share = sum(runs) / max(1, len(numbers) + sum(runs))
    lib.note(f'{link}, {"with" if together else "without"} segmentation: {100 * share:.2f} % of '
             f'{len(numbers) + sum(runs)} packets lost, runs of 1, 2, 3, 4 or more: {histogram(runs)}')
    return histogram(runs), share


def check_room(sender, link):
    """Checks that segmentation causes no additional losses. A sender that stalls catches up afterwards, and the queue
    overflows, so only losses in every attempt count."""
    _, share = measure(sender, link, False)
    for _ in range(ATTEMPTS):
        _, other = measure(sender, link, True)
        if other <= share + MORE:
            break
    lib.check(other <= share + MORE, f'{sender.name}, {link}: segmentation causes no additional losses')


def check_runs(sender, link):
    once, other, again = (measure(sender, link, together)[0] for together in (False, True, False))
    statement = f'{sender.name}, {link}: '
    lib.check(min(map(sum, (once, other, again))) >= ENOUGH, statement + 'there are enough losses')
    verdict = compare(once, other, again)
    lib.check(verdict.same, statement + f'runs have the same lengths (chi-square {verdict.square:.1f} with '
              f'{verdict.freedom} degrees of freedom, distance {verdict.distance:.3f}, allowed {verdict.allowed:.3f})')


def check(sender):
    for link, (rate, _, _) in LINKS.items():
        (check_room if rate and rate > RATE else check_runs)(sender, link)


def main():
    lib.start(deadline=400)
    check(Plain)
    sink = Sink()
    if sink.value:
        check(sink)
        lib.finish()
    for link in LINKS:
        measure(sink, link, False)
    lib.finish(skipped='lmccsink has no property udp-segmentation here: only the plain sender was compared')


if sys.argv[1:2] == ['hear']:
    hear(*sys.argv[2:4], int(sys.argv[4]))
elif sys.argv[1:2] == ['send']:
    send(*sys.argv[2:4], int(sys.argv[4]), sys.argv[5] == 'yes')
else:
    main()
