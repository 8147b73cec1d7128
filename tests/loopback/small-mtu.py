#!/usr/bin/env python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests an interface with a smaller MTU than the packets of lmccsink, such as that of a VPN.

Usage: small-mtu.py
"""

import lib

PORT = 15300
# The minimum MTU of IPv6.
MTU = 1280
TOLD = 'WARNING.*exceed the MTU of the interface'
# RTCP packets have another size, so that the remedy is not the property mtu.
SMALLER_MTU = 250
CONTROL_TOLD = 'WARNING.*RTCP packets of'
CASES = [('IPv4', '239.255.53.1', 28), ('IPv6', 'ff15::53:1', 48)]


def warns(host, settings, expected=TOLD):
    child = lib.launch(f'{lib.source()} ! {lib.three_classes(2000)} ! lmccsink port={PORT} {settings}',
                       prefix=host.prefix)
    lib.check(child.wait_for('stream-start', 10), f'a sender with {settings} starts', *child.tail())
    child.wait_for(expected, 2)
    lib.check(child.stop(), 'and stops', *child.tail())
    return child.find(TOLD), child


lib.start()
HOST = lib.make_network().add_host()
HOST.namespace.ip(f'link set eth0 mtu {MTU}')
for family, group, overhead in CASES:
    print(f'{family}:')
    longest = MTU - overhead
    told, sender = warns(HOST, f'address={group}')
    lib.check(len(told) == 1, 'one warning about fragments', *sender.tail())
    lib.check(sender.find(rf'eth0.*Set mtu, .*to {longest} or less'), 'with the right value of mtu', *sender.tail())
    told, sender = warns(HOST, f'address={group} mtu={longest}')
    lib.check(not told, 'no warning if packets fit', *sender.tail())

print('an interface that is too small for RTCP:')
HOST.namespace.ip(f'link set eth0 mtu {SMALLER_MTU}')
told, sender = warns(HOST, f'address={CASES[0][1]} mtu={SMALLER_MTU - 28}', CONTROL_TOLD)
lib.check(len(told) == 1 and sender.find(CONTROL_TOLD + '.*ip link set dev eth0 mtu 1280'),
          'a separate warning about RTCP, with the remedy', *sender.tail())
lib.check(not sender.find('Set mtu'), 'which is not to set mtu', *sender.tail())

lib.finish()
