#!/usr/bin/env python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks that a player without layer support can play the base group, and that every picture is right."""

import os
import subprocess
import time

import lib

FOREIGN_PAYLOAD_TYPE = 127

# With 25 pictures per second and three classes, class 0 has one picture in four.
SECONDS = 9
ENOUGH = 30

# kbit/s: so low that the base layer is idle between two of its pictures and sends filler.
BITRATE = 150


def single(recorded, location):
    return (f'{lib.source()} ! {lib.three_classes(BITRATE)} ! '
            'video/x-h264,stream-format=byte-stream,alignment=au ! tee name=t '
            f't. ! queue ! filesink location={recorded} '
            f't. ! queue ! lmccsink name=sink {location}')


def two_rungs(recorded, location):
    return (f'{lib.source()} ! tee name=raw '
            f'raw. ! queue ! {lib.three_classes(BITRATE)} ! '
            'video/x-h264,stream-format=byte-stream,alignment=au ! tee name=t '
            f't. ! queue ! filesink location={recorded} '
            't. ! queue ! sink.sink_0 '
            f'raw. ! queue ! {lib.three_classes(900)} ! queue ! sink.sink_1 '
            f'lmccsink name=sink {location}')


def is_part_of(shown, reference):
    """Whether `shown` is a contiguous part of `reference`."""
    return bool(shown) and shown[0] in reference and \
        shown == reference[reference.index(shown[0]):][:len(shown)]


def describe(shown, reference):
    where = {checksum: i for i, checksum in enumerate(reference)}
    return (f'{len(shown)} pictures, their numbers in the reference: '
            f'{[where.get(checksum) for checksum in shown]}')


def run(name, pipeline, base, group, port):
    """`base`: the classes of the lowest encoding that the base layer carries."""
    print(f'{name}:')
    work = lib.directory()
    recorded, sdp = f'{work}/encoded.h264', f'{work}/session.sdp'
    raw = {player: f'{work}/{player}.raw'
           for player in ('ffmpeg', 'udpsrc', 'lmccsrc')}
    sniffer = lib.Sniffer(group, port)
    sender = lib.launch(
        pipeline(recorded, f'address={group} port={port} multicast-iface=lo '
                 f'sdp-location={sdp}'), '-m', '-e')
    foreign = lib.launch(
        f'{lib.source()} ! {lib.one_class(100)} ! '
        f'rtph264pay pt={FOREIGN_PAYLOAD_TYPE} config-interval=-1 ! '
        f'udpsink host={group} port={port} multicast-iface=lo '
        'bind-address=127.0.0.1 auto-multicast=false')
    if not lib.check(lib.wait_until(lambda: os.path.exists(sdp), 5),
                     'the SDP is written', *sender.tail()):
        return
    players = {
        'ffmpeg': lib.Child(
            ['ffmpeg', '-hide_banner', '-loglevel', 'warning', '-nostdin',
             '-protocol_whitelist', 'file,udp,rtp', '-localaddr', '127.0.0.1',
             '-i', sdp, '-fps_mode', 'passthrough', '-pix_fmt', 'yuv420p', '-f',
             'rawvideo', raw['ffmpeg']]),
        'udpsrc': lib.launch(
            f'udpsrc address={group} port={port} multicast-iface=lo '
            'caps="application/x-rtp,media=video,clock-rate=90000,'
            'encoding-name=H264,payload=96" ! rtpjitterbuffer ! rtph264depay '
            f'! avdec_h264 ! filesink location={raw["udpsrc"]}'),
        'lmccsrc': lib.launch(
            f'lmccsrc uri=lmcc://{group}:{port}?multicast-iface=lo&max-level=0 '
            f'! rtph264depay ! avdec_h264 ! filesink '
            f'location={raw["lmccsrc"]}'),
    }
    time.sleep(SECONDS)
    for player, child in players.items():
        lib.check(child.stop(), f'{player} stops', *child.tail())
    lib.check(foreign.stop(), 'the foreign sender stops', *foreign.tail())
    lib.check(sender.stop(), 'the sender stops', *sender.tail())
    sniffer.stop()
    compare(work, recorded, base, raw, players)
    kinds = sniffer.payload_types
    lib.check(96 in kinds and FOREIGN_PAYLOAD_TYPE in kinds,
              f'media and a foreign stream use the port: {kinds}')
    # A base layer with every picture is never idle for long.
    if base == {0}:
        lib.check(any(kind not in (96, FOREIGN_PAYLOAD_TYPE) for kind in kinds), 'and so does filler')


def compare(work, recorded, base, raw, players):
    with open(recorded, 'rb') as file:
        units = lib.access_units(file.read())
    lib.check({klass for klass, _ in units} == {0, 1, 2},
              'the encoder makes three classes')
    reference = lib.decode_checksums(
        b''.join(unit for klass, unit in units if klass in base),
        f'{work}/base.h264')
    lib.check(len(set(reference)) == len(reference),
              'no two reference pictures are equal')
    for player, path in raw.items():
        with open(path, 'rb') as file:
            shown = lib.frame_checksums(file.read())
        lib.check(len(shown) >= ENOUGH and is_part_of(shown, reference),
                  f'{player}: {len(shown)} pictures, each the base\'s own, '
                  'none missing', describe(shown, reference),
                  *players[player].tail())


lib.start('udpsrc', 'rtpjitterbuffer', 'rtph264depay', tools=('ffmpeg',))
if '-localaddr' not in subprocess.run(
        ['ffmpeg', '-hide_banner', '-h', 'demuxer=sdp'], capture_output=True,
        text=True, check=False).stdout:
    lib.skip('this ffmpeg has no option for the interface of a session (-localaddr)')
run('three classes', single, {0}, '239.255.50.1', 15000)
run('two rungs of three classes', two_rungs, {0, 1, 2}, '239.255.50.33', 15010)
lib.finish()
