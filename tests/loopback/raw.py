#!/usr/bin/env python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests raw video into lmccsink: with default settings, and at the level of every rung."""

import subprocess
import sys

import lib

GROUP, PORT = '239.211.54.1', 15400
IFACE = 'multicast-iface=lo'

# The output of each receiver.
SECONDS = 2
RATE = 24


H264 = 'rtph264depay ! avdec_h264'
VP9 = 'rtpvp9depay ! vp9dec'


def receiver(port, level, size, decoder):
    """Starts a receiver and waits for pictures of that size. A new sender's first pictures may come from lower layers
    only."""
    child = lib.launch(
        f'lmccsrc uri=lmcc://{GROUP}:{port}?{IFACE}&max-level={level}&algorithm=none ! {decoder} ! '
        f'tee name=t t. ! queue ! {lib.SHOW} t. ! queue ! fakesink', '-m', '-v')
    found = child.wait_for(r'caps = video/x-raw.*width=\(int\)%d, height=\(int\)%d' % size, 30)
    return child, found[-1][0] if found else None


def check_levels(name, port, settings, sizes, source, decoder=H264):
    """`sizes`: the picture sizes at the levels to check."""
    print(f'{name}:')
    sender = lib.launch(f'{source} ! videoconvert ! lmccsink address={GROUP} port={port} {IFACE} {settings}', '-m')
    for level, size in sizes.items():
        child, since = receiver(port, level, size, decoder)
        lib.check(since is not None, f'level {level} has pictures of {size}', *child.tail(), *sender.tail())
        lib.check(since and lib.wait_for_pictures(child, SECONDS * RATE, 20, since),
                  f'level {level} shows them for {SECONDS} s', *child.tail(), *sender.tail())
        lib.check(not child.find('(?i)^error'), f'level {level} has no error', *child.tail())
        lib.check(child.stop(), f'the receiver of level {level} stops', *child.tail())
    lib.check(not sender.find('(?i)^error'), 'the sender has no error', *sender.tail())
    lib.check(sender.stop(), 'the sender stops', *sender.tail())


def check_decoders(port):
    """ffmpeg's VP9 decoder supports only one layer; with their default ranks, GStreamer chooses the other decoder."""
    print('players with layered VP9:')
    if subprocess.run(['gst-inspect-1.0', '--exists', 'avdec_vp9'], check=False).returncode:
        lib.note('avdec_vp9 is not installed, so no player can choose it')
    sender = lib.launch(f'{SMALL} ! lmccsink address={GROUP} port={port} {IFACE} {SMALL_VP9}', '-m')
    uri = f'lmcc://{GROUP}:{port}?{IFACE}'
    players = {
        'decodebin': lib.launch(f'lmccsrc uri={uri} ! decodebin ! {lib.SHOW}', '-v'),
        'playbin': lib.launch(f'playbin uri={uri} video-sink="{lib.SHOW}"', '-v'),
        'playbin3': lib.launch(f'playbin3 uri={uri} video-sink="{lib.SHOW}"', '-v'),
    }
    for name, child in players.items():
        lib.check(lib.wait_for_pictures(child, SECONDS * RATE, 40), f'{name} shows pictures', *child.tail(),
                  *sender.tail())
        lib.check(child.find('GstVP9Dec:vp9dec') and not child.find('avdec_vp9'), f'{name} decodes with vp9dec',
                  *child.tail())
        lib.check(not child.find('(?i)^error'), f'{name} has no error', *child.tail())
    for name, child in players.items():
        lib.check(child.stop(), f'{name} stops', *child.tail())
    lib.check(sender.stop(), 'the sender stops', *sender.tail())


def check_without_settings():
    """Runs the README's two commands, without a screen, in a network without any route."""
    sender = lib.Child(['gst-launch-1.0', 'videotestsrc', 'is-live=true', '!', 'lmccsink', 'address=239.255.42.1'])
    player = lib.Child(['gst-play-1.0', '--no-interactive', f'--videosink={lib.SHOW}', 'lmcc://239.255.42.1:5004'])
    lib.check(lib.wait_for_pictures(player, 60, 25), 'gst-play-1.0 shows pictures', *player.tail(), *sender.tail())
    lib.check(sender.find('loopback interface'), 'the sender reports that it uses the loopback interface',
              *sender.tail())
    lib.check(player.stop(), 'the player stops', *player.tail())
    lib.check(sender.stop(), 'the sender stops', *sender.tail())


# Small pictures, as several players run at the same time.
SMALL = 'videotestsrc is-live=true pattern=ball ! video/x-raw,width=320,height=192,framerate=24/1'
LIVE = 'videotestsrc is-live=true pattern=ball ! video/x-raw,width=640,height=360,framerate=24/1'
SMALL_VP9 = "codec=vp9 encoder-settings='vp9,layer-scaling=half,cpu-used=9'"

if sys.argv[1:] == ['vp9']:
    lib.start('vp9svcenc', 'vp9dec', deadline=150)
    check_levels('native layers, nine classes of VP9', PORT + 20, SMALL_VP9, {2: (80, 48), 8: (320, 192)}, SMALL, VP9)
    check_levels('VP9 in layers of fixed rates', PORT + 30,
                 f'{SMALL_VP9} layering=doubling layers=4 base-rate=150000 window=2400',
                 {0: (80, 48), 3: (320, 192)}, SMALL, VP9)
    check_decoders(PORT + 40)
    lib.finish()

if sys.argv[1:] == ['alone']:
    lib.start('x264ladderenc', deadline=80)
    check_without_settings()
    lib.finish()

lib.start('x264ladderenc', tools=('unshare', 'ip', 'gst-play-1.0'), deadline=85)
print('default settings, without a route:')
alone = lib.Child(['unshare', '-rn', 'sh', '-c', f'ip link set lo up && exec {sys.executable} {__file__} alone'])
if lib.check(alone.ends(40), 'the two commands work') and alone.returncode() != 0 and 'unshare' in alone.text():
    lib.note('network namespaces are not available here')
else:
    lib.check(alone.returncode() == 0, 'with default settings there is a picture', alone.text())
check_levels('native layers, three rungs', PORT, '', {0: (480, 270), 2: (640, 360)}, LIVE)
check_levels('layers of fixed rates', PORT + 10, 'layering=doubling layers=4 base-rate=150000',
             {0: (480, 270), 3: (640, 360)}, LIVE)
lib.finish()
