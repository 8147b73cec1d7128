#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests outages that end on their own: of the receiver's cable, its interface, the querier and the sender."""
import time

import session
from session import lib

GROUP, PORT = '239.255.54.193', 15460
URI = f'lmcc://{GROUP}:{PORT}'
GROUPS = [f'239.255.54.{193 + i}' for i in range(3)]

# Seconds of an outage, and until pictures are shown again: a new querier sends its query within a second, a sender
# needs a key frame and its record, and programs need to start.
OUTAGE = 3
BACK = 15
PATIENCE = 10

# Number of pictures that count as a continuing stream.
PICTURES = 15

RATE = 10000000


def send(host):
    return lib.launch(f'{lib.source()} ! {lib.three_classes()} ! lmccsink address={GROUP} port={PORT}',
                      prefix=host.prefix)


def check_back(receiver, what, since):
    """Checks that pictures of all layers are shown after `since`, without an error."""
    begin = time.monotonic()
    shown = lib.wait_for_pictures(receiver.child, PICTURES, BACK, since)
    lib.check(shown, f'{what}: pictures are back after {time.monotonic() - begin:.1f} s', *receiver.child.tail())
    lib.check(lib.wait_until(lambda: receiver.level() == 2, PATIENCE), 'with all layers', receiver.stats())
    lib.check(lib.wait_until(lambda: set(GROUPS) <= HOST.groups(), PATIENCE), 'and the switch has the memberships',
              HOST.groups())
    lib.check(not receiver.child.find('^ERROR') and receiver.child.returncode() is None, 'there is no error',
              *receiver.child.tail())


def check_silent(receiver):
    """Checks that no more pictures are shown, after those in transit."""
    def silent():
        return not receiver.pictures(time.monotonic() - 1)
    lib.check(lib.wait_until(silent, PATIENCE), 'no pictures during the outage')


def break_cable(receiver):
    print('the cable is unplugged:')
    HOST.set_connected(False)
    check_silent(receiver)
    time.sleep(OUTAGE)
    HOST.set_connected(True)
    check_back(receiver, 'in again', time.monotonic())


def break_interface(receiver):
    print('the host\'s interface is down:')
    HOST.namespace.ip('link set eth0 down')
    check_silent(receiver)
    time.sleep(OUTAGE)
    HOST.namespace.ip('link set eth0 up', 'route replace 224.0.0.0/4 dev eth0')
    check_back(receiver, 'up again', time.monotonic())


def lose_querier(receiver):
    print('there is no querier:')
    lost = receiver.stats()['packets-lost']
    NETWORK.set_querier(False)
    since = time.monotonic()
    time.sleep(OUTAGE)
    lib.check(len(receiver.pictures(since)) > PICTURES, 'pictures continue', *receiver.child.tail())
    NETWORK.set_querier(True)
    check_back(receiver, 'somebody asks again', time.monotonic())
    lib.check(receiver.stats()['packets-lost'] == lost, 'no packet was lost', receiver.stats())


def restart_sender(receiver, sender):
    print('the sender is killed and restarts:')
    sender.kill()
    check_silent(receiver)
    before = receiver.stats()['sources']
    again = send(SENDER)
    check_back(receiver, 'it sends', time.monotonic())
    lib.check(receiver.stats()['sources'] == before + 1, 'the receiver counts another source', receiver.stats())
    return again


session.start(100)
NETWORK = lib.make_network()
SENDER, HOST = NETWORK.add_host(), NETWORK.add_host()
HOST.set_rate(RATE)
sending = send(SENDER)
receiving = session.Receiver(HOST, 'receiver', 'algorithm=none', uri=URI)
lib.check(lib.wait_for_pictures(receiving.child, PICTURES, 15), 'pictures are shown', *receiving.child.tail(),
          *sending.tail())
break_cable(receiving)
break_interface(receiving)
lose_querier(receiving)
restart_sender(receiving, sending)
lib.finish()
