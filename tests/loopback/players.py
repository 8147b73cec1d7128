#!/usr/bin/env python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests lmcc:// addresses in common players, with senders that start, stop and crash."""

import time

import lib

GROUP, PORT = '239.255.52.1', 15200
URI = f'lmcc://{GROUP}:{PORT}?multicast-iface=lo'
# This test is about players, not about changes of level.
SINK = f'address={GROUP} port={PORT} multicast-iface=lo algorithm=none'

# Seconds of silence of a sender after which receivers accept the next one (wire format).
SOURCE_TIMEOUT = 0.6

# Longest time from a sender's first packet, with no other sender alive, until receivers accept it. Its picture follows
# after a key frame interval and 0.5 s.
TAKEN_UP = 1
KEY_DISTANCE = 24 / 25


def three_layers():
    return lib.launch(f'{lib.source()} ! {lib.three_classes()} ! '
                      f'lmccsink {SINK}', '-e')


def two_rungs():
    return lib.launch(
        f'{lib.source()} ! tee name=t t. ! queue ! {lib.one_class(200)} ! '
        f'sink.sink_0 t. ! queue ! {lib.one_class(700)} ! sink.sink_1 '
        f'lmccsink name=sink {SINK}', '-e')


def gst_play(*arguments):
    return lib.Child(['gst-play-1.0', '--no-interactive', *arguments,
                      f'--videosink={lib.SHOW}', URI])


def start_players():
    return {
        'gst-play-1.0': gst_play(),
        'gst-play-1.0 --use-playbin3': gst_play('--use-playbin3'),
        'playbin': lib.launch(f'playbin uri={URI} video-sink="{lib.SHOW}"'),
        'playbin3': lib.launch(f'playbin3 uri={URI} video-sink="{lib.SHOW}"'),
        'uridecodebin': lib.launch(f'uridecodebin uri={URI} ! {lib.SHOW}'),
        'uridecodebin3': lib.launch(f'uridecodebin3 uri={URI} ! {lib.SHOW}'),
        'decodebin': lib.launch(f'lmccsrc uri={URI} ! decodebin ! {lib.SHOW}'),
        'decodebin3': lib.launch(
            f'lmccsrc uri={URI} ! decodebin3 ! {lib.SHOW}'),
    }


def check_players():
    print('one sender with three layers, and every player:')
    sender = three_layers()
    players = start_players()
    for name, child in players.items():
        lib.check(lib.wait_for_pictures(child, 25, 12), f'{name} shows pictures',
                  *child.tail())
    began = time.monotonic()
    time.sleep(2)
    for name, child in players.items():
        shown = len(lib.pictures(child, began))
        lib.check(shown >= 40, f'{name} continues with all layers: {shown} '
                  'pictures in two seconds', *child.tail())
        lib.check(not child.find('(?i)^error'), f'{name} has no error',
                  *child.tail())
    for name, child in players.items():
        lib.check(child.stop(), f'{name} stops', *child.tail())
    lib.check(sender.stop(), 'the sender stops', *sender.tail())


def levels(receiver, after):
    return [int(match.group(1)) for _, match in receiver.find(
        r'lmcc-level-changed,.* to=\(int\)(-?\d+)', after)]


def check_taken(receivers, sniffer, known, top, since, after_silence=False):
    """Checks that receivers soon show a new sender, at its top level."""
    if not lib.check(lib.wait_until(lambda: set(sniffer.first_of) - known, 8),
                     'the sender sends'):
        return
    begin = min(when for ssrc, when in sniffer.first_of.items()
                if ssrc not in known)
    free = max((when + SOURCE_TIMEOUT for ssrc, when in sniffer.last_of.items()
                if ssrc in known), default=0.0)
    free = max(begin, free) if after_silence else begin
    for name, receiver in receivers.items():
        taken = receiver.wait_for(r'lmcc-level-changed,.* to=\(int\)\d', 6,
                                  after=begin)
        if not lib.check(taken, f'{name} accepts the session',
                         *receiver.tail()):
            continue
        delay = taken[0][0] - free
        lib.check(delay <= TAKEN_UP, f'{name}: this takes {delay:.2f} s from its first '
                  'packet', *receiver.tail())
        # The pictures of the previous sender have ended by then.
        shown = receiver.wait_for(lib.PICTURE.pattern, 6, after=taken[0][0])
        if not lib.check(shown, f'{name} shows it', *receiver.tail()):
            continue
        delay = shown[0][0] - free
        lib.check(delay <= KEY_DISTANCE + 0.5,
                  f'{name}: the first picture follows after {delay:.2f} s',
                  *receiver.tail())
        lib.check(lib.wait_until(lambda r=receiver: top in levels(r, since), 3),
                  f'{name}: reaches level {top}', levels(receiver, since))
        lib.check(lib.wait_for_pictures(receiver, 25, 4, time.monotonic()),
                  f'{name}: pictures continue', *receiver.tail())


def check_senders():
    print('receivers that start first:')
    receivers = {
        'playbin': lib.launch(f'playbin uri={URI} video-sink="{lib.SHOW}"'),
        'rtph264depay': lib.launch(
            f'lmccsrc uri={URI} ! rtph264depay ! avdec_h264 ! {lib.SHOW}'),
    }
    for name, receiver in receivers.items():
        lib.check(receiver.wait_for(
            f'waiting for a sender on {GROUP}:{PORT}', 5),
                  f'{name} reports that it waits', *receiver.tail())
    receivers['gst-play-1.0'] = gst_play()
    for name, receiver in receivers.items():
        told = receiver.wait_for(f'No sender heard on {GROUP}:{PORT} within '
                                 "5 s: nothing came.*gst-lmcc-1.0 doctor", 15)
        lib.check(told, f'{name} reports that nothing arrives, and the remedy',
                  *receiver.tail())
    player = receivers.pop('gst-play-1.0')
    lib.check(player.stop(), 'gst-play-1.0 stops', *player.tail())
    sniffer = lib.Sniffer(GROUP, PORT)
    known, since = set(), time.monotonic()
    sender = three_layers()
    check_taken(receivers, sniffer, known, 2, since)

    print('the sender is killed, and a sender with other layers starts:')
    known, since = set(sniffer.first_of), time.monotonic()
    sender.kill()
    sender = two_rungs()
    check_taken(receivers, sniffer, known, 1, since, after_silence=True)

    print('the sender sends BYE:')
    known, since = set(sniffer.first_of), time.monotonic()
    lib.check(sender.stop(), 'the sender stops', *sender.tail())
    for name, receiver in receivers.items():
        told = receiver.wait_for(
            f'waiting for a sender on {GROUP}:{PORT}', 3, after=since)
        lib.check(told, f'{name} reports that it waits', *receiver.tail())

    print('another sender starts:')
    since = time.monotonic()
    sender = three_layers()
    check_taken(receivers, sniffer, known, 2, since)
    for name, receiver in receivers.items():
        lib.check(not receiver.find('^ERROR'), f'{name} has no error',
                  *receiver.tail())
        lib.check(receiver.stop(), f'{name} stops', *receiver.tail())
    lib.check(sender.stop(), 'the sender stops', *sender.tail())
    sniffer.stop()


lib.start('rtph264depay', 'playbin', 'playbin3', 'uridecodebin3',
          tools=('gst-play-1.0',))
check_players()
check_senders()
lib.finish()
