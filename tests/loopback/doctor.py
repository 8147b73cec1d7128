#!/usr/bin/env python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks the report of gst-lmcc-1.0 doctor in a network: at the sender, with fast and with slow leaves, and with a
second sender in the group.

Usage: doctor.py
"""

import json
import os

import lib

GROUP, PORT = '239.255.52.1', 15200
URI = f'lmcc://{GROUP}:{PORT}'
TOOL = os.path.join(os.environ.get('LMCC_BUILD_ROOT', 'build'), 'plugins/tools/gst-lmcc-1.0')

# Longer than the doctor waits, in units of 10 ms, as ip expects.
SLOW_LEAVE = 2000


def doctor(host, *options):
    child = lib.Child([TOOL, 'doctor', '--json', *options, URI], prefix=host.prefix)
    child.ends(30)
    try:
        return json.loads(child.text())
    except ValueError:
        lib.check(False, 'doctor prints JSON', child.text())
        return {'checks': []}


def says(report, check, status, *words):
    found = [each for each in report['checks'] if each['check'] == check]
    texts = ' '.join(f"{each['finding']} {each['remedy']}" for each in found)
    lib.check(found and {each['status'] for each in found} == {status} and all(word in texts for word in words),
              f'{check} is {status}: {", ".join(words) or "nothing else"}', json.dumps(found, indent=1))


def send(host):
    child = lib.launch(f'{lib.source()} ! {lib.three_classes()} ! lmccsink address={GROUP} port={PORT}',
                       prefix=host.prefix)
    lib.check(child.wait_for('stream-start', 10), 'a sender starts', *child.tail())
    return child


def set_bridge(*options):
    NETWORK.switch.ip(f"link set {lib.network.SWITCH} type bridge {' '.join(options)}")


lib.start()
if not os.access(TOOL, os.X_OK):
    lib.skip('gst-lmcc-1.0 is not built (meson setup -Dtools=enabled)')
NETWORK = lib.make_network()
FIRST, SECOND, HOST = (NETWORK.add_host() for _ in range(3))
SENDER = send(FIRST)

print('on the sender\'s host:')
REPORT = doctor(FIRST)
says(REPORT, 'port', 'ok', str(PORT + 1), 'lmccsink')
says(REPORT, 'arrival', 'ok', f'{FIRST.address} (this host)')
says(REPORT, 'leaves', 'skip', 'another host')
lib.check('fail' not in {each['status'] for each in REPORT['checks']}, 'no check fails', REPORT)

print('on a receiver\'s host:')
REPORT = doctor(HOST)
says(REPORT, 'arrival', 'ok', FIRST.address)
says(REPORT, 'senders', 'ok')
says(REPORT, 'leaves', 'ok', '239.255.52.2', 'stop')

print('with slow leaves:')
HOST.set_fast_leave(False)
set_bridge('mcast_last_member_interval', str(SLOW_LEAVE))
says(doctor(HOST), 'leaves', 'fail', 'still arrive', 'fast leave')

print('with a switch that floods:')
set_bridge('mcast_snooping', '0')
says(doctor(HOST), 'leaves', 'warn', 'has not joined', 'snooping')

print('with a second sender:')
OTHER = send(SECOND)
says(doctor(HOST), 'senders', 'warn', FIRST.address, SECOND.address, 'another address')
for child, address in ((SENDER, SECOND.address), (OTHER, FIRST.address)):
    lib.check(child.wait_for(f'Another sender, {address}, also sends to group {GROUP}', 10),
              f'the sender warns about {address}', *child.tail())
    child.stop()

lib.finish()
