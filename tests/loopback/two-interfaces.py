#!/usr/bin/env python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests a sender and a receiver with two interfaces each, on two networks without a router between them, and one more
receiver on each network. All receivers get the pictures, the receiver with two interfaces continues while one interface
is down, and no packet counts twice.

Usage: two-interfaces.py [4|6]...
"""

import re
import subprocess
import sys
import time

import lib

PORT = 15400
SOURCE_PORT = 15480
RATE = 25

# Seconds without a picture that a change to the other interface may take: none, except on a busy machine.
GAP = 0.6

# Base group, and whether the join names the sender.
CASES = {
    '4': [('IPv4', '239.255.54.1', False), ('IPv4, source-specific', '232.54.0.1', True)],
    '6': [('IPv6', 'ff15::54:1', False), ('IPv6, source-specific', 'ff35::54:1', True)],
}
NETWORKS = ('a', 'b')


class Host:
    """A host with an interface on each of the given networks: eth0 on a, eth1 on b."""

    def __init__(self, switch, number, networks):
        self.switch, self.number = switch, number
        self.namespace = lib.network.Namespace(switch)
        self.prefix = self.namespace.prefix
        for parameter in ('net/ipv4/conf/all/rp_filter', 'net/ipv4/conf/default/rp_filter',
                          'net/ipv6/conf/default/accept_dad'):
            self.namespace.write(f'/proc/sys/{parameter}', 0)
        self.namespace.ip('link set lo up')
        for name in networks:
            self.connect(name)

    def connect(self, name):
        index, port = NETWORKS.index(name), f'{name}{self.number}'
        eth = f'eth{index}'
        self.switch.ip(f'link add {port} type veth peer name {eth} netns {self.namespace.pid}',
                       f'link set {port} master switch-{name} up')
        self.namespace.ip(f'addr add 10.88.{index}.{self.number}/24 dev {eth}', f'link set {eth} up',
                          f'addr add fd88:{index}::{self.number}/64 dev {eth} nodad')

    def set_connected(self, name, connected):
        """Plugs the cable in or out."""
        self.switch.ip(f"link set {name}{self.number} {'up' if connected else 'down'}")


def make_switches():
    """Two switches in one namespace, without addresses; they flood all packets."""
    switch = lib.network.Namespace()
    for name in NETWORKS:
        switch.ip(f'link add switch-{name} type bridge mcast_snooping 0', f'link set switch-{name} up')
    return switch


class Receiver:
    """lmccsrc at a host, with the given interfaces."""

    def __init__(self, host, uri, interfaces):
        self.name = interfaces
        self.child = lib.Child(
            [CONTROL, 'lmccsrc', 'name=src', f'uri={uri}', f'multicast-iface={interfaces}', 'algorithm=none', '!',
             'rtph264depay', '!', 'avdec_h264', '!', *lib.SHOW.split()], prefix=host.prefix, stdin=subprocess.PIPE)

    def plays(self, what, since=0.0, within=10):
        return lib.check(lib.wait_for_pictures(self.child, 25, within, since), f'{self.name}: {what}',
                         *self.child.tail())

    def count(self, name):
        asked = time.monotonic()
        self.child.write('src stats')
        found = self.child.wait_for(rf'src\.stats = .*?[ ,]{name}\W+guint64\W+(\d+)', 3, after=asked)
        return int(found[0][1].group(1)) if found else -1

    def goes_on(self, since, what):
        """Checks that pictures are shown without a pause for two seconds."""
        lib.wait_for_pictures(self.child, int(2.4 * RATE), 8, since)
        shown = [since] + [when for when, _ in lib.pictures(self.child, since) if when < since + 2]
        gap = max((b - a for a, b in zip(shown, shown[1:] + [since + 2])), default=2)
        lib.check(gap < GAP and len(shown) > 1.6 * RATE,
                  f'{self.name}: {what}: {len(shown) - 1} pictures in 2 s, longest interval {1000 * gap:.0f} ms',
                  *self.child.tail())


def source_ports(host):
    """The source ports of three packets that arrive at the media port of a host."""
    script = ('import socket\ns = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(3))\n'
              's.settimeout(5)\nn = 0\nwhile n < 3:\n d, a = s.recvfrom(2048)\n at = 40 if d[0] >> 4 == 6 else 20\n'
              f' if int.from_bytes(d[at + 2:at + 4], "big") == {PORT}:\n'
              '  n += 1\n  print(int.from_bytes(d[at:at + 2], "big"))\n')
    return host.namespace.run(sys.executable, '-c', script).split()


def check_copies(receiver, name):
    copied, received = receiver.count('packets-copied'), receiver.count('packets-received')
    doubled, lost = receiver.count('duplicate'), receiver.count('packets-lost')
    lib.check(copied > 0.8 * received > 0 and doubled == 0 and lost == 0,
              f'{name}: {received} packets, {copied} of which arrived twice, count once ({doubled} twice, {lost} lost)')


def check_outages(receiver, host):
    """Takes each interface of the receiver down in turn: unplugs its cable, and disables it."""
    outages = (('a', 'eth0', 'eth1', host.set_connected, ('a', False), ('a', True)),
               ('b', 'eth1', 'eth0', host.namespace.ip, ('link set eth1 down',), ('link set eth1 up',)))
    for _, out, left, change, away, back in outages:
        since = time.monotonic()
        change(*away)
        receiver.goes_on(since, f'{out} is out')
        told = receiver.child.wait_for(rf'Packets are received on {left} only: .*{out}', 4, 1, since)
        lib.check(told, f'{receiver.name}: reports that packets arrive only on {left}', *receiver.child.tail())
        since = time.monotonic()
        change(*back)
        receiver.goes_on(since, f'{out} is back')
        lib.check(lib.wait_until(lambda before=receiver.count('packets-copied'):
                                 receiver.count('packets-copied') > before + 20, 5),
                  f'{receiver.name}: packets arrive twice again', *receiver.child.tail())


def check_interface_gone(host, sender, receiver):
    """The sender's interface disappears together with the source address of its packets: receivers accept its other
    address after 10 s."""
    since = time.monotonic()
    host.namespace.ip('link delete eth0')
    lib.check(sender.wait_for(r"address has changed from .* to (10\.88\.1\.|fd88:1::)", 4, 1, since),
              'the sender reports the new source address', *sender.tail())
    receiver.plays('pictures come from the other address', since + 5, 20)
    host.connect('a')


def run(name, group, source_specific, hosts):
    print(f'{name}:')
    sending, alone_a, alone_b, both = hosts
    v6 = ':' in group
    source = f'fd88:0::{sending.number}' if v6 else f'10.88.0.{sending.number}'
    uri = f"lmcc://{source + '@' if source_specific else ''}{f'[{group}]' if v6 else group}:{PORT}"
    sender = lib.launch(f'{lib.source()} ! {lib.three_classes()} ! lmccsink address={group} port={PORT} '
                        f'multicast-iface=eth0,eth1 bind-port={SOURCE_PORT}', prefix=sending.prefix)
    receivers = [Receiver(alone_a, uri, 'eth0'), Receiver(alone_b, uri, 'eth1'), Receiver(both, uri, 'eth0,eth1')]
    for receiver in receivers:
        receiver.plays('pictures are shown', within=15)
    for host, eth in ((alone_a, 'eth0'), (alone_b, 'eth1')):
        ports = set(source_ports(host))
        lib.check(ports == {str(SOURCE_PORT)}, f'on {eth} packets have the source port bind-port', ports)
    check_copies(receivers[2], name)
    check_outages(receivers[2], both)
    since = time.monotonic()
    sending.set_connected('a', False)
    for receiver in receivers[1:]:
        receiver.goes_on(since, 'the sender\'s eth0 is out')
    lib.check(sender.wait_for(r'Packets are sent on eth1 only: .*eth0', 4, 1, since), 'the sender reports it',
              *sender.tail())
    since = time.monotonic()
    sending.set_connected('a', True)
    receivers[0].plays('pictures come again', since)
    if not source_specific:
        check_interface_gone(sending, sender, receivers[1])
    for child in (sender, *(receiver.child for receiver in receivers)):
        text = [line for line in child.text().splitlines()
                if re.search(r'CRITICAL|ERROR|Two senders use|Another sender', line)]
        lib.check(not text, f'{child.argv[-1]}: no warning', *text)
        lib.check(child.stop(), 'stops', *child.tail())


lib.start('rtph264depay', tools=('ip', 'unshare', 'nsenter'), deadline=300)
CONTROL = lib.control()
# Skips if networks cannot be created.
lib.make_network().close()
SWITCH = make_switches()
HOSTS = [Host(SWITCH, 1, 'ab'), Host(SWITCH, 2, 'a'), Host(SWITCH, 3, 'b'), Host(SWITCH, 4, 'ab')]
for family in sys.argv[1:] or CASES:
    for case in CASES[family]:
        run(*case, HOSTS)
lib.finish()
