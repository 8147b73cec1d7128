#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A sender that gives the kernel several packets in one call (UDP_SEGMENT) loses them as one that sends each by itself:
runs of lost packets have the same lengths, behind a queue that is too slow by a tenth, and on a link that loses 1 % at
random; where the queue is faster by a tenth, no more is lost. First that is shown of a sender of our own, so that a
difference is not the testbed's; then of lmccsink, where it has the property `udp-segmentation`.

Each is measured without segmentation, with it, and without it again. loss_runs.py says when two samples differ.

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

# 2,000 packets/s of 1200 bytes; lmccsink's have 24 bytes more, and all have headers of IP, UDP and Ethernet.
PACKETS, UNITS, SIZE = 40, 50, 1200
RATE = PACKETS * UNITS * (SIZE + 24 + 28 + 14) * 8

# Packets that our own sender gives to the kernel at once.
BURST = 8

# Seconds of each measurement, and before the first and after the last packet that counts.
SECONDS, MARGIN = 8, 1

# linux/udp.h
SOL_UDP, UDP_SEGMENT = 17, 103

# What the links are: bit/s or None, seconds that the queue lasts, and what is lost at random.
LINKS = {
    'a queue that is too slow by a tenth': (RATE / 1.1, 0.25, 0.0),
    '1 % of random loss': (None, None, 0.01),
    'a queue that is faster by a tenth': (RATE * 1.1, 0.01, 0.0),
}

# A share of the packets that may be lost more: what a switch sends of its own takes room, too.
MORE = 0.002

ATTEMPTS = 3

# Runs that a comparison needs.
ENOUGH = 100


def hear(address, group, port):
    """Prints the sequence numbers of what comes to the group, and at last how many packets this program missed."""
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
    """BURST packets at a time, as one super-packet or one after the other."""
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
    """A sender of our own."""
    name = 'a plain sender'

    @staticmethod
    def start(host, together):
        return lib.Child([sys.executable, '-B', __file__, 'send', host.address, GROUP, str(PORT),
                          'yes' if together else 'no'], prefix=host.prefix)

    @staticmethod
    def wait(child):
        lib.check(child.ends(SECONDS + 20) and child.returncode() == 0, 'it has sent', *child.tail())


class Sink:
    """lmccsink, one layer, without the trains of congestion control."""
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
        lib.check(child.ends(20) and child.returncode() == 0, 'it has sent', *child.tail())


def segmentation():
    """What the property is called with and without segmentation, by whether; None where there is none."""
    told = subprocess.run(['gst-inspect-1.0', 'lmccsink'], capture_output=True, text=True, check=True).stdout
    found = re.search(r'^  udp-segmentation +:.*?(?=^  \S|\Z)', told, re.MULTILINE | re.DOTALL)
    if not found:
        return None
    if 'Boolean' in found[0]:
        return {True: 'true', False: 'false'}
    nicks = re.findall(r'\(-?\d+\): (\S+)', found[0])
    always = [nick for nick in nicks if nick in ('always', 'on', 'yes')]
    never = [nick for nick in nicks if nick in ('never', 'off', 'no')]
    lib.check(always and never, 'udp-segmentation can be switched on and off', found[0])
    return {True: always[0], False: never[0]}


def measure(sender, link, together):
    """The histogram of the runs that were lost, and the share of the packets."""
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
    if not lib.check(hears.ends(20), 'what came is known', *hears.tail(3)):
        lib.finish()
    lines = [line for _, line in hears.output]
    missed = int(lines[-1].split()[1])
    lib.check(missed == 0, 'this program took all that came', missed)
    numbers = [int(number) for number in lines[-2].split()][PACKETS * UNITS * MARGIN:]
    runs = runs_of(numbers)
    net.close()
    share = sum(runs) / max(1, len(numbers) + sum(runs))
    lib.note(f'{link}, {"with" if together else "without"} segmentation: {100 * share:.2f} % of '
             f'{len(numbers) + sum(runs)} packets lost, runs of 1, 2, 3, 4 or more: {histogram(runs)}')
    return histogram(runs), share


def check_room(sender, link):
    """That nothing more is lost with segmentation. Whoever is held up by other programs hurries afterwards, and the
    queue overflows: only what is lost at every attempt counts."""
    _, share = measure(sender, link, False)
    for _ in range(ATTEMPTS):
        _, other = measure(sender, link, True)
        if other <= share + MORE:
            break
    lib.check(other <= share + MORE, f'{sender.name}, {link}: no more is lost with segmentation')


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
