#!/usr/bin/env python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks that pipelines that cannot work end at once with a message that names the cause and the remedy, and that
pipelines that work badly play with a warning."""

import os
import re
import socket

import lib

GROUP, PORT = '239.255.53.1', 15300
SINK = f'lmccsink address={GROUP} port={PORT} multicast-iface=lo'
SRC = f'lmccsrc address={GROUP} port={PORT} multicast-iface=lo'
REST = '! rtph264depay ! avdec_h264 ! fakesink'
WORK = lib.directory()

# Longest time from the start to the end of a pipeline that cannot work.
PATIENCE = 8


def x264(arguments=''):
    return f'{lib.source()} ! {lib.one_class()} {arguments}'


def write(name, text):
    path = os.path.join(WORK, name)
    with open(path, 'w', encoding='ascii') as file:
        file.write(text)
    return path


# The fault, the pipeline, and the words of the error for the cause and the remedy.
BROKEN = [
    ('raw video beside another', f'{x264()} ! s.sink_0 {lib.source()} ! '
     f's.sink_1 {SINK} name=s',
     r'Raw video is on sink_1', r'Connect the raw video alone'),
    ('raw video of an unknown codec', f'{lib.source()} ! {SINK} codec=mpeg1',
     r'could not set property "codec" in element', r'"mpeg1"'),
    ('raw video of unknown settings', f'{lib.source()} ! {SINK} '
     'encoder-settings=x264,bitrats=3',
     r"'bitrats'", r'gst-inspect-1.0 x264ladderenc'),
    ('raw video and impossible rates', f'{lib.source()} ! {SINK} '
     'encoder-settings=x264,bitrates=(string)\\"300k,100k\\"',
     r"'100k' is not higher", r'lowest rate first'),
    ('raw video in a base without room', f'{lib.source()} ! {SINK} '
     'layering=doubling base-rate=20000',
     r'20 kbit/s is too small', r'Set it to \d+ kbit/s or more'),
    ('raw video without a framerate', f'{lib.source()} ! capssetter replace=true '
     'caps=video/x-raw,format=I420,width=320,height=240 ! ' + SINK,
     r'no width, height or fixed framerate', r'videorate'),
    ('an unknown interface for lmccsink',
     f'{x264()} ! {SINK.replace("=lo", "=none77")}',
     r"'none77'", r'multicast-iface to one of:.*lo \(127\.0\.0\.1'),
    ('an unknown interface for lmccsrc',
     f'{SRC.replace("=lo", "=none77")} {REST}',
     r"'none77'", r'multicast-iface to one of:.*lo \(127\.0\.0\.1'),
    ('a unicast address for lmccsink',
     f'{x264()} ! lmccsink address=127.0.0.1',
     r"'127\.0\.0\.1' is not a multicast", r'Set address to .*239\.'),
    ('a unicast address for lmccsrc', f'lmccsrc address=127.0.0.1 {REST}',
     r"'127\.0\.0\.1' is not a multicast", r'set address.*239\.'),
    ('a name as address for lmccsink',
     f'{x264()} ! lmccsink address=example.org',
     r"'example\.org' is not a multicast", r'Set address to .*239\.'),
    ('a bind-address of another host',
     f'{x264()} ! {SINK} bind-address=192.0.2.77',
     r'192\.0\.2\.77.*(?i:cannot assign)', r'address of this host:.*127\.0\.0\.1'),
    ('a bad bind-address', f'{x264()} ! {SINK} bind-address=nonsense',
     r"'nonsense' is not an IP address", r'(?i)set|give'),
    ('a source-specific group without a source',
     f'lmccsrc address=232.53.0.1 multicast-iface=lo {REST}',
     r'232\.53\.0\.1 is a source-specific', r'multicast-source'),
    ('a source of the other family',
     f'{SRC} multicast-source=fd00::1 {REST}',
     r"'fd00::1'", r'same family'),
    ('a URI with a unicast address', f'lmccsrc uri=lmcc://127.0.0.1:5004 {REST}',
     r"'127\.0\.0\.1'", r'multicast address: 224\.'),
    ('a URI with a bad number',
     f'lmccsrc uri=lmcc://{GROUP}:{PORT}?max-level=many {REST}',
     r"max-level 'many'", r'use an integer'),
    ('a URI of another kind', f'lmccsrc uri=udp://{GROUP}:{PORT} {REST}',
     r"'udp'", r'lmcc:'),
    ('a bad URI in a player',
     f'playbin uri=lmcc://{GROUP}:99999 video-sink=fakesink',
     r'99999|port', r'(?i)lmcc://|port'),
    ('no session description', f'lmccsrc sdp={WORK}/none.sdp {REST}',
     r'none\.sdp.*(?i:no such file)', r'sdp-location'),
    ('a session description that is none',
     f'lmccsrc sdp={write("bad.sdp", "hello")} {REST}',
     r'Cannot use the session description', r'sdp-location'),
    ('a session description without a session of ours',
     f'lmccsrc sdp={write("other.sdp", "v=0")} {REST}',
     r'Cannot use the session description', r'sdp-location'),
    ('two codecs',
     f'{lib.source()} ! tee name=t t. ! queue ! {lib.one_class()} ! s.sink_0 '
     f't. ! queue ! vp8enc deadline=1 ! s.sink_1 {SINK} name=s',
     r'(?i)VP8.*H264|H264.*VP8', r'same codec on all pads'),
]


def show(child):
    return child.text()[-3000:]


def check_broken():
    children = [(case, lib.launch(case[1], '-e')) for case in BROKEN[:7]]
    waiting = list(BROKEN[7:])
    # Runs a few at a time, as there may be only two processors.
    while children:
        (name, _, cause, remedy), child = children.pop(0)
        ended = child.ends(PATIENCE)
        if not ended:
            child.kill()
        if waiting:
            case = waiting.pop(0)
            children.append((case, lib.launch(case[1], '-e')))
        errors = '\n'.join(
            match.string for _, match in child.find(r'.')
            if not match.string.startswith('Setting pipeline'))
        lib.check(ended and child.returncode() not in (None, 0),
                  f'{name}: ends with an error', show(child))
        lib.check(re.search(cause, errors, re.DOTALL),
                  f'{name}: names the cause', show(child))
        lib.check(re.search(remedy, errors, re.DOTALL),
                  f'{name}: names the remedy', show(child))
        lib.check(not child.find('CRITICAL|Trace/breakpoint|Segmentation'),
                  f'{name}: does not crash', show(child))


def check_port_in_use():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(('0.0.0.0', PORT + 1))
        child = lib.launch(f'{SRC} {REST}', '-e')
        ended = child.ends(PATIENCE)
        child.kill()
    lib.check(ended and child.returncode() not in (None, 0),
              'a port in use: ends with an error', show(child))
    lib.check(child.find(f'port {PORT + 1}.*in use'),
              'a port in use: names the cause', show(child))
    lib.check(child.find('use another port'),
              'a port in use: names the remedy', show(child))


def check_warnings():
    uri = f'lmcc://239.255.53.65:{PORT}?multicast-iface=lo'
    sender = lib.launch(
        f'{x264()} ! lmccsink address=239.255.53.65 port={PORT} '
        'multicast-iface=lo sdp-location=/nowhere/session.sdp', '-e')
    receiver = lib.launch(
        f'lmccsrc uri={uri} ! rtph264depay ! avdec_h264 ! {lib.SHOW}', '-e')
    lib.check(lib.wait_for_pictures(receiver, 25, 8),
              'a stream with one class is played', show(receiver))
    lib.check(sender.wait_for('(?i)warning.*one class', 10)
              and sender.find('b-pyramid=true'),
              'with a warning that names the setting', show(sender))
    lib.check(sender.find('(?i)warning.*/nowhere/session.sdp.*no such file')
              and sender.find('[Ss]et sdp-location'),
              'the warning names the file that cannot be written', show(sender))
    lib.check(receiver.stop() and sender.stop(), 'both stop')


lib.start('rtph264depay', 'vp8enc', 'playbin')
check_broken()
check_port_in_use()
check_warnings()
lib.finish()
