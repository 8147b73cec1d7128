#!/usr/bin/env python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sends a film with sound and one without to their end with pipelines/send, and plays them with pipelines/play."""

import os
import shlex
import sys
import subprocess

import lib

GROUP, PORT = '239.255.65.1', 15240
URI = f'lmcc://{GROUP}:{PORT}'
PIPELINES = os.path.join(lib.HERE, '../../pipelines')
# With this variable, the scripts neither build nor install anything.
ENVIRONMENT = {'LMCC_BUILD_ROOT': os.environ['LMCC_BUILD_ROOT'], 'DISPLAY': '', 'WAYLAND_DISPLAY': ''}
# The end is missed by chance where it is.
ENDS = 2

VIDEO = ('videotestsrc pattern=ball num-buffers={pictures} ! video/x-raw,width=320,height=240,framerate=25/1 '
         '! x264enc speed-preset=ultrafast key-int-max=25 ! queue ! mux. ')
SOUND = 'audiotestsrc num-buffers={buffers} samplesperbuffer=960 ! audio/x-raw,rate=48000 ! opusenc ! queue ! mux. '


def make_film(path, seconds, sound):
    line = f'matroskamux name=mux ! filesink location={path} ' + VIDEO.format(pictures=25 * seconds)
    if sound:
        line += SOUND.format(buffers=50 * seconds)
    subprocess.run(['gst-launch-1.0', '-q', *shlex.split(line)], check=True)


def send(path, *options):
    return lib.Child([os.path.join(PIPELINES, 'send'), path, '--address', GROUP, '--port', str(PORT),
                      '--multicast-iface', 'lo', '--rates', '150k,400k', '--size', '320x180', *options],
                     env=ENVIRONMENT)


def check_ends(film, name):
    for _ in range(ENDS):
        sender = send(film, '--once')
        lib.check(sender.ends(20) and sender.returncode() == 0, f'{name}: the sender ends at the end of the film',
                  *sender.tail())


def check_again(film):
    sender = send(film)
    lib.check(len(sender.wait_for('The film is over and starts again', 30, 2)) == 2, 'the film restarts twice',
              *sender.tail())
    lib.check(sender.stop(), 'and the sender stops when interrupted', *sender.tail())


def sound_stats(receiver):
    """(received, lost) from the receiver's latest statistics."""
    found = receiver.find(r'audio-packets-delivered=\(guint64\)(\d+), audio-packets-lost=\(guint64\)(\d+)')
    return [int(number) for number in found[-1][1].groups()] if found else [0, 0]


def check_sound(film):
    sender = send(film, '--once')
    player = lib.Child([os.path.join(PIPELINES, 'play'), f'{URI}?multicast-iface=lo'], env=ENVIRONMENT)
    counter = lib.launch(f'lmccsrc name=lmcc uri={URI} multicast-iface=lo latency=1000 stats-update-interval=500 '
                         'lmcc.src ! decodebin ! fakesink lmcc.audio ! decodebin ! audio/x-raw ! fakesink', '-v')
    lib.check(lib.wait_until(lambda: sound_stats(counter)[0] >= 100, 30), 'the receiver receives and counts sound',
              *counter.tail())
    lib.check(sound_stats(counter)[1] == 0, 'no sound packet is lost on one host', sound_stats(counter))
    # On a busy machine the sender may start late, and the receiver waits for it.
    lib.check(not counter.find('^(ERROR|WARNING)(?!.*(No sender heard|stopped after))'),
              'the receiver reports no error', *counter.tail())
    lib.check(player.returncode() is None and not player.find('^ERROR'), 'play plays the stream', *player.tail())
    for child in (counter, player, sender):
        lib.check(child.stop(), f'{child.argv[3]} stops', *child.tail())


def main():
    directory = lib.directory()
    with_sound, silent = f'{directory}/film.mkv', f'{directory}/it\'s a "silent" film.mkv'
    make_film(with_sound, 1, True)
    make_film(f'{directory}/silent.mkv', 1, False)
    os.rename(f'{directory}/silent.mkv', silent)
    check_ends(silent, 'without sound')
    check_ends(with_sound, 'with sound')
    check_again(with_sound)
    long_film = f'{directory}/long.mkv'
    make_film(long_film, 20, True)
    check_sound(long_film)
    lib.finish()


lib.start('x264ladderenc', 'opusenc', 'matroskamux', deadline=170)
sys.exit(main())
