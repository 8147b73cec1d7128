#!/usr/bin/env python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests two senders and a receiver on a bridge with snooping: IPv4 and IPv6, any-source and source-specific joins, and
the memberships that remain after a change to a lower level.

Usage: namespaces.py 4|6
"""

import ipaddress
import subprocess
import sys
import time

import lib

PORT = 15100

# Base group, address of the first sender, and whether the join names the sender.
CASES = [
    ('IPv4, any source', '239.255.51.1', '10.77.0.1', False),
    ('IPv4, source-specific', '232.51.0.1', '10.77.0.1', True),
    ('IPv6, any source', 'ff15::51:1', 'fd77::1', False),
    ('IPv6, source-specific', 'ff35::51:1', 'fd77::1', True),
]


def groups_of(base, count):
    first = ipaddress.ip_address(base)
    return {str(first + i) for i in range(count)}


def sender_line(base):
    return (f'{lib.source()} ! {lib.three_classes()} ! '
            f'lmccsink address={base} port={PORT}')


def foreign_count(receiver):
    asked = time.monotonic()
    receiver.write('src stats')
    found = receiver.wait_for(
        r'src\.stats = .*foreign-source\W+guint64\W+(\d+)', 3, after=asked)
    return int(found[0][1].group(1)) if found else None


def joins_are_those_of(receiver, groups):
    return lib.wait_until(
        lambda: lib.joined_groups(receiver.pid) == groups, 3)


def switch_sends(host, groups):
    return lib.wait_until(lambda: host.groups() & ALL_GROUPS == groups, 3)


def run(name, base, source, source_specific, first, second, host):
    print(f'{name}:')
    all_groups, base_group = groups_of(base, 3), groups_of(base, 1)
    literal = f'[{base}]' if ':' in base else base
    uri = f'lmcc://{source + "@" if source_specific else ""}{literal}:{PORT}'
    sender = launch(first, sender_line(base))
    receiver = lib.Child(
        [CONTROL, 'lmccsrc', 'name=src', 'algorithm=none', f'uri={uri}', '!', 'rtph264depay', '!',
         'avdec_h264', '!', *lib.SHOW.split()],
        prefix=host.prefix, stdin=subprocess.PIPE)
    lib.check(lib.wait_for_pictures(receiver, 10, 8), 'pictures are shown',
              *receiver.tail(), *sender.tail())
    other = launch(second, sender_line(base))
    sniffer = lib.sniff(host.prefix)
    lib.check(joins_are_those_of(receiver, all_groups),
              'the host has joined three groups',
              lib.joined_groups(receiver.pid))
    filters = {pair for pair in lib.source_filters(receiver.pid)
               if pair[0] in all_groups}
    lib.check(filters == ({(group, source) for group in all_groups}
                          if source_specific else set()),
              'with the source' if source_specific else 'without a source',
              filters)
    lib.check(switch_sends(host, all_groups), 'the switch forwards these groups',
              host.groups())
    # Long enough for the start of the second sender.
    lib.wait_until(lambda: lib.count_packets(sniffer, source, all_groups) >= 100, 5)
    time.sleep(1.5)
    check_second(receiver, other, sniffer, source, all_groups, source_specific)

    receiver.write('src max-level 0')
    lib.check(joins_are_those_of(receiver, base_group),
              'at max-level 0 the host has left the groups above',
              lib.joined_groups(receiver.pid))
    lib.check(switch_sends(host, base_group), 'and the switch no longer forwards them',
              host.groups())
    lib.check(lib.wait_for_pictures(receiver, 6, 4, time.monotonic() + 0.5),
              'the base layer is shown', *receiver.tail())
    lib.check(not receiver.find('^ERROR'), 'the receiver has no error',
              *receiver.tail())
    receiver.process.stdin.close()
    lib.check(receiver.ends(5), 'the receiver ends')
    lib.check(not lib.joined_groups(host.namespace.pid) & all_groups,
              'and has left all groups', lib.joined_groups(host.namespace.pid))
    for child in (sender, other, sniffer):
        child.stop()


def check_second(receiver, other, sniffer, source, groups, source_specific):
    other_source = 'fd77::2' if ':' in source else '10.77.0.2'
    delivered = lib.count_packets(sniffer, other_source, groups)
    foreign = foreign_count(receiver)
    lib.check(other.returncode() is None, 'a second sender sends',
              *other.tail())
    lib.check(lib.count_packets(sniffer, source, groups) > 0, 'packets of the first '
              'sender arrive at the interface', *sniffer.tail())
    if source_specific:
        lib.check(delivered == 0 and foreign == 0,
                  'packets of the second sender do not',
                  f'{delivered} on the interface, {foreign} in lmccsrc')
    else:
        lib.check(delivered > 0 and foreign,
                  'those of the second do, are not used, and counted '
                  f'({foreign})', f'{delivered} on the interface, {foreign}')
    lib.check(lib.wait_for_pictures(receiver, 10, 4, time.monotonic()),
              'pictures continue', *receiver.tail())


def launch(host, line, *flags):
    return lib.launch(line, *flags, prefix=host.prefix)


def run_without_route(host):
    print('no route to the group:')
    line = 'address=239.255.51.65 port=15110'
    sender = launch(
        host, f'{lib.source()} ! {lib.three_classes()} ! lmccsink {line}', '-e')
    receiver = launch(
        host, f'lmccsrc {line} ! rtph264depay ! avdec_h264 ! {lib.SHOW}', '-e')
    for name, child in (('sender', sender), ('receiver', receiver)):
        lib.check(child.wait_for('(?i)no route leads to .*loopback', 5),
                  f'the {name} reports that it uses the loopback interface', *child.tail())
    lib.check(lib.wait_for_pictures(receiver, 10, 8), 'pictures are shown',
              *receiver.tail(), *sender.tail())
    for child in (receiver, sender):
        lib.check(child.stop(), 'stops')


if sys.argv[1:] not in (['4'], ['6']):
    sys.exit(__doc__)
lib.start('rtph264depay')
CONTROL = lib.control()
NETWORK = lib.make_network()
ALL_GROUPS = set().union(*(groups_of(case[1], 3) for case in CASES))
first_host, second_host, receiving_host = (
    NETWORK.add_host() for _ in range(3))
for a_case in CASES:
    if a_case[0].startswith(f'IPv{sys.argv[1]}'):
        run(*a_case, first_host, second_host, receiving_host)
if sys.argv[1] == '4':
    receiving_host.namespace.ip('link set eth0 down')
    run_without_route(receiving_host)
lib.finish()
