#!/usr/bin/env python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks that gst-lmcc-1.0 play --record leaves a playable file, however the recording ends."""

import json
import os
import signal
import subprocess
import sys

import lib

TOOL = os.path.join(os.environ['LMCC_BUILD_ROOT'], 'plugins/tools/gst-lmcc-1.0')
GROUP, PORT = '239.255.66.1', 15280
KEY_DISTANCE = 24
GROUPS = 8
PICTURES = GROUPS * KEY_DISTANCE
# A busy machine delays packets; none may be missing.
LATENCY = 1000

# The other ways to end a recording, besides BYE, and the exit status of the tool.
SIGNALS = {'int': (signal.SIGINT, 0), 'term': (signal.SIGTERM, 0), 'kill': (signal.SIGKILL, -signal.SIGKILL)}

SINK = f'lmccsink name=lmcc address={GROUP} port={PORT} multicast-iface=lo algorithm=none '
VIDEO = (f'videotestsrc is-live=true num-buffers={PICTURES} pattern=smpte ! video/x-raw,format=I420,width=320,'
         f'height=240,framerate=25/1 ! {lib.three_classes(300, KEY_DISTANCE)} ! queue ! lmcc.sink_0 ')
SMALL = (f'videotestsrc is-live=true num-buffers={PICTURES} pattern=smpte ! video/x-raw,format=I420,width=160,'
         f'height=120,framerate=25/1 ! {lib.three_classes(100, KEY_DISTANCE)} ! queue ! lmcc.sink_0 ')
LARGE = VIDEO.replace('sink_0', 'sink_1')
SOUND = ('audiotestsrc is-live=true num-buffers={} wave=ticks samplesperbuffer=960 ! audio/x-raw,rate=48000,channels=1 '
         '! opusenc ! queue ! lmcc.audio_sink ').format(PICTURES * 2)


def record(directory, name, *options):
    return lib.Child([TOOL, 'play', '--record', os.path.join(directory, name), f'lmcc://{GROUP}:{PORT}',
                      '--multicast-iface', 'lo', f'--latency={LATENCY}', *options], name=name)


def send(line):
    return lib.launch(SINK + line, '-q')


def probe(path, stream, *arguments):
    shown = subprocess.run(['ffprobe', '-v', 'error', '-select_streams', f'{stream}:0', '-of', 'json', *arguments,
                            path], capture_output=True, text=True, check=False)
    return json.loads(shown.stdout or '{}')


def keys_of(path):
    """1 for each key frame of a file and 0 for each other picture, in decoding order."""
    return [int(packet['flags'].startswith('K'))
            for packet in probe(path, 'v', '-show_entries', 'packet=flags').get('packets', [])]


def count_sound(path):
    return len(probe(path, 'a', '-show_entries', 'packet=pts').get('packets', []))


def sizes_of(path):
    return {frame['width'] for frame in probe(path, 'v', '-show_entries', 'frame=width').get('frames', [])}


def check_plays(path, least, most=PICTURES, twice=0):
    """Plays the file with two unrelated players. `twice` pictures may be in the file twice and be shown once."""
    name = os.path.basename(path)
    keys = keys_of(path)
    lib.check(least <= len(keys) <= most and keys[0], f'{name}: {least} to {most} pictures from a key frame on', keys)
    decoded = subprocess.run(['ffmpeg', '-v', 'error', '-nostdin', '-i', path, '-map', '0:v', '-fps_mode',
                              'passthrough', '-f', 'framemd5', '-'], capture_output=True, text=True, check=False)
    count = len([line for line in decoded.stdout.splitlines() if not line.startswith('#')])
    # At a change of level, the stream may ask decoders to discard pictures that were not sent at the previous level.
    errors = [line for line in decoded.stderr.splitlines() if 'mmco: unref short' not in line]
    lib.check(decoded.returncode == 0 and not errors and 0 <= len(keys) - count <= twice,
              f'{name}: ffmpeg decodes all pictures', count, len(keys), *errors)
    shown = subprocess.run(['gst-launch-1.0', '-q', 'filesrc', f'location={path}', '!', 'parsebin', '!', 'avdec_h264',
                            '!', 'checksumsink', 'sync=false'], capture_output=True, text=True, check=False)
    count = len(lib.re.findall(lib.PICTURE.pattern, shown.stdout, lib.re.MULTILINE))
    lib.check(shown.returncode == 0 and 0 <= len(keys) - count <= twice, f'{name}: GStreamer plays all pictures', count,
              len(keys), shown.stderr)
    return keys


def check_whole_end(path, keys):
    """Checks that the last group of pictures is complete: no picture was left in a parser or in lmccsrc."""
    last = len(keys) - keys[::-1].index(1) - 1
    lib.check(len(keys) - last == KEY_DISTANCE, f'{os.path.basename(path)}: the file has the last pictures', keys)


def check_ends(directory, sound):
    print(f'{"picture and sound" if sound else "pictures alone"}:')
    formats = ('mkv', 'mp4')
    whole = {suffix: record(directory, f'bye.{suffix}') for suffix in formats}
    ended = {f'{how}.{suffix}': record(directory, f'{how}.{suffix}') for how in SIGNALS for suffix in formats}
    sender = send(VIDEO + (SOUND if sound else ''))
    for child in (*whole.values(), *ended.values()):
        lib.check(child.wait_for('recording into', 20), f'{child.name} has started', *child.tail())
    # Minimum content of each file, in addition to buffered pictures: half of what is sent.
    lib.wait_until(lambda: len(keys_of(os.path.join(directory, 'kill.mkv'))) > PICTURES / 2, 20, 0.3)
    for name, child in ended.items():
        number, status = SIGNALS[name.split('.')[0]]
        child.process.send_signal(number)
        lib.check(child.ends(10) and child.returncode() == status, f'{name}: exit status {status}', child.returncode(),
                  *child.tail())
    for suffix, child in whole.items():
        lib.check(child.ends(30) and child.returncode() == 0 and child.find('is complete'),
                  f'bye.{suffix}: the recording ends with the session', child.returncode(), *child.tail())
    lib.check(sender.ends(5), 'the sender has ended', *sender.tail())
    for name in ended:
        check_plays(os.path.join(directory, name), PICTURES // 4)
    for suffix in formats:
        path = os.path.join(directory, f'bye.{suffix}')
        # The first group may have started before its layers were joined.
        check_whole_end(path, check_plays(path, PICTURES - KEY_DISTANCE))
        if sound:
            lib.check(count_sound(path) > PICTURES * 2 - 50, f'bye.{suffix}: the file has the sound', count_sound(path))


def check_sizes(directory):
    print('encodings of two sizes, only the lower one in the first second:')
    children = [record(directory, f'sizes.{suffix}') for suffix in ('mkv', 'mp4')]
    sender = lib.launch(SINK.replace('algorithm=none', '') + SMALL + LARGE, '-q')
    for child in children:
        lib.check(child.ends(40) and child.returncode() == 0, f'{child.name} is recorded', child.returncode(),
                  *child.tail())
        path = os.path.join(directory, child.name)
        lib.check(sizes_of(path) == {160, 320}, f'{child.name} has both sizes', sizes_of(path))
        check_plays(path, PICTURES - 2 * KEY_DISTANCE, PICTURES + 2, 2)
    lib.check(sender.ends(5), 'the sender has ended', *sender.tail())


def check_refused(directory):
    print('refused file names:')
    there = os.path.join(directory, 'there.mkv')
    with open(there, 'w', encoding='ascii') as file:
        file.write('mine')
    cases = ((there, 'exists already'), (f'{directory}/x.avi', '.mkv'), (f'{directory}/no/x.mkv', 'create it'))
    for path, remedy in cases:
        done = subprocess.run([TOOL, 'play', '--record', path], capture_output=True, text=True, timeout=20, check=False)
        lib.check(done.returncode == 2 and remedy in done.stderr, f'{os.path.basename(path)}: {remedy}',
                  done.returncode, done.stderr)
    with open(there, encoding='ascii') as file:
        lib.check(file.read() == 'mine', 'an existing file is unchanged')
    child = record(directory, 'nobody.mkv')
    child.wait_for('waiting|no packet', 8)
    child.process.send_signal(signal.SIGTERM)
    lib.check(child.ends(5) and child.returncode() == 1 and not os.path.exists(f'{directory}/nobody.mkv'),
              'without a sender there is no file', child.returncode(), *child.tail())
    child = record(directory, 'wrong.webm')
    sender = send(VIDEO)
    lib.check(child.ends(15) and child.returncode() == 1 and child.find('h264 .*try .mkv')
              and not os.path.exists(f'{directory}/wrong.webm'), 'a format that does not take the session is named',
              child.returncode(), *child.tail())
    lib.check(sender.stop(), 'the sender stops', *sender.tail())


def main():
    check_refused(lib.directory())
    for sound in (False, True):
        check_ends(lib.directory(), sound)
    check_sizes(lib.directory())
    lib.finish()


lib.start('matroskamux', 'mp4mux', 'parsebin', 'h264parse', 'h264timestamper', 'opusenc', tools=('ffprobe', 'ffmpeg'),
          deadline=170)
sys.exit(main())
