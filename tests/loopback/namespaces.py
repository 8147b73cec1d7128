#!/usr/bin/env python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Two senders and a receiver on a snooping bridge: IPv4 and IPv6, any-source and
source-specific joins, and what is left when the level goes down.

usage: namespaces.py 4|6
"""

import ipaddress
import os
import re
import socket
import subprocess
import sys
import time

import lib

BRIDGE = 'bridge'
PORT = 15100

# Base group, first sender, whether the join names it.
CASES = [
    ('IPv4, any source', '239.255.51.1', '10.77.0.1', False),
    ('IPv4, source-specific', '232.51.0.1', '10.77.0.1', True),
    ('IPv6, any source', 'ff15::51:1', 'fd77::1', False),
    ('IPv6, source-specific', 'ff35::51:1', 'fd77::1', True),
]


def sniff():
    """Tells each second how many packets came to the interface, by source and
    group."""
    packets = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM,
                            socket.htons(3))
    packets.settimeout(0.2)
    counts, told = {}, time.monotonic()
    while True:
        try:
            data, address = packets.recvfrom(2048)
        except socket.timeout:
            data = b''
        if data and address[2] != socket.PACKET_OUTGOING:
            if data[0] >> 4 == 4 and data[9] == 17:
                key = socket.inet_ntoa(data[12:16]), socket.inet_ntoa(
                    data[16:20])
                counts[key] = counts.get(key, 0) + 1
            elif data[0] >> 4 == 6 and data[6] == 17:
                key = tuple(socket.inet_ntop(socket.AF_INET6, part)
                            for part in (data[8:24], data[24:40]))
                counts[key] = counts.get(key, 0) + 1
        if time.monotonic() > told + 0.5:
            told = time.monotonic()
            print(' '.join(f'{source}>{group}={n}'
                           for (source, group), n in counts.items()),
                  flush=True)


def groups_of(base, count):
    first = ipaddress.ip_address(base)
    return {str(first + i) for i in range(count)}


def sender_line(base):
    return (f'{lib.source()} ! {lib.three_classes()} ! '
            f'lmccsink address={base} port={PORT}')


def count_from(sniffer, source, groups):
    lines = sniffer.find(r'>')
    if not lines:
        return 0
    latest = lines[-1][1].string
    return sum(int(n) for group in groups
               for n in re.findall(
                   rf'{re.escape(source)}>{re.escape(group)}=(\d+)', latest))


def foreign_count(receiver):
    asked = time.monotonic()
    receiver.write('src stats')
    found = receiver.wait_for(
        r'src\.stats = .*foreign-source\W+guint64\W+(\d+)', 3, after=asked)
    return int(found[0][1].group(1)) if found else None


def joins_are_those_of(receiver, groups):
    return lib.wait_until(
        lambda: lib.joined_groups(receiver.pid) == groups, 3)


def bridge_sends(groups):
    return lib.wait_until(
        lambda: lib.bridge_groups(BRIDGE, 'port-receiver') & ALL_GROUPS
        == groups, 3)


def run(name, base, source, source_specific, first, second, host):
    print(f'{name}:')
    all_groups, base_group = groups_of(base, 3), groups_of(base, 1)
    literal = f'[{base}]' if ':' in base else base
    uri = f'lmcc://{source + "@" if source_specific else ""}{literal}:{PORT}'
    sender = first.launch(sender_line(base))
    receiver = lib.Child(
        [CONTROL, 'lmccsrc', 'name=src', f'uri={uri}', '!', 'rtph264depay', '!',
         'avdec_h264', '!', *lib.SHOW.split()],
        prefix=host.prefix, stdin=subprocess.PIPE)
    lib.check(lib.wait_for_pictures(receiver, 10, 8), 'pictures are shown',
              *receiver.tail(), *sender.tail())
    other = second.launch(sender_line(base))
    sniffer = lib.Child([sys.executable, __file__, 'sniff'],
                        prefix=host.prefix)
    lib.check(joins_are_those_of(receiver, all_groups),
              'the host has joined three groups',
              lib.joined_groups(receiver.pid))
    filters = {pair for pair in lib.source_filters(receiver.pid)
               if pair[0] in all_groups}
    lib.check(filters == ({(group, source) for group in all_groups}
                          if source_specific else set()),
              'with the source' if source_specific else 'without a source',
              filters)
    lib.check(bridge_sends(all_groups), 'the bridge sends these groups',
              lib.bridge_groups(BRIDGE, 'port-receiver'))
    # Long enough for the second sender's own start.
    lib.wait_until(lambda: count_from(sniffer, source, all_groups) >= 100, 5)
    time.sleep(1.5)
    check_second(receiver, other, sniffer, source, all_groups, source_specific)

    receiver.write('src max-level 0')
    lib.check(joins_are_those_of(receiver, base_group),
              'at max-level 0 the host has left the groups above',
              lib.joined_groups(receiver.pid))
    lib.check(bridge_sends(base_group), 'and the bridge sends them no more',
              lib.bridge_groups(BRIDGE, 'port-receiver'))
    lib.check(lib.wait_for_pictures(receiver, 6, 4, time.monotonic() + 0.5),
              'the base is shown', *receiver.tail())
    lib.check(not receiver.find('^ERROR'), 'the receiver has no error',
              *receiver.tail())
    receiver.process.stdin.close()
    lib.check(receiver.ends(5), 'the receiver ends')
    lib.check(not lib.joined_groups(sender_of(host)) & all_groups,
              'and has left all groups', lib.joined_groups(sender_of(host)))
    for child in (sender, other, sniffer):
        child.stop()


def sender_of(host):
    """A process in the host's namespace."""
    if host not in KEEPERS:
        KEEPERS[host] = lib.Child(['sleep', '100'], prefix=host.prefix)
    return KEEPERS[host].pid


def check_second(receiver, other, sniffer, source, groups, source_specific):
    other_source = 'fd77::2' if ':' in source else '10.77.0.2'
    delivered = count_from(sniffer, other_source, groups)
    foreign = foreign_count(receiver)
    lib.check(other.returncode() is None, 'a second sender sends',
              *other.tail())
    lib.check(count_from(sniffer, source, groups) > 0, 'the first one\'s '
              'packets come to the interface', *sniffer.tail())
    if source_specific:
        lib.check(delivered == 0 and foreign == 0,
                  'those of the second do not',
                  f'{delivered} on the interface, {foreign} in lmccsrc')
    else:
        lib.check(delivered > 0 and foreign,
                  'those of the second do, are not used, and counted '
                  f'({foreign})', f'{delivered} on the interface, {foreign}')
    lib.check(lib.wait_for_pictures(receiver, 10, 4, time.monotonic()),
              'the pictures go on', *receiver.tail())


def run_without_route():
    print('no route to the group:')
    host = lib.Host('alone')
    line = 'address=239.255.51.65 port=15110'
    sender = host.launch(
        f'{lib.source()} ! {lib.three_classes()} ! lmccsink {line}', '-e')
    receiver = host.launch(f'lmccsrc {line} ! rtph264depay ! avdec_h264 ! '
                           f'{lib.SHOW}', '-e')
    for name, child in (('sender', sender), ('receiver', receiver)):
        lib.check(child.wait_for('(?i)no route leads to .*loopback', 5),
                  f'the {name} says that it uses loopback', *child.tail())
    lib.check(lib.wait_for_pictures(receiver, 10, 8), 'pictures are shown',
              *receiver.tail(), *sender.tail())
    for child in (receiver, sender):
        lib.check(child.stop(), 'stops')


if sys.argv[1:] == ['sniff']:
    sniff()
if sys.argv[1:] not in (['4'], ['6']):
    sys.exit(__doc__)
lib.start('rtph264depay')
CONTROL = os.environ.get('LMCC_CONTROL')
if CONTROL is None:
    lib.skip('LMCC_CONTROL does not name the program that is built from control.c')
lib.enter_namespaces()
KEEPERS = {}
ALL_GROUPS = set().union(*(groups_of(case[1], 3) for case in CASES))
lib.make_bridge(BRIDGE)
first_host, second_host, receiving_host = (
    lib.Host(name) for name in ('first', 'second', 'receiver'))
for index, a_host in enumerate((first_host, second_host, receiving_host)):
    a_host.connect(BRIDGE, index + 1)
for case in CASES:
    if case[0].startswith(f'IPv{sys.argv[1]}'):
        run(*case, first_host, second_host, receiving_host)
if sys.argv[1] == '4':
    run_without_route()
lib.finish()
