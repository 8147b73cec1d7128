#!/usr/bin/env python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests gst-lmcc-1.0 play --record when a stream or the sender stops, and when the file cannot be written."""

import json
import os
import signal
import subprocess
import sys

import lib

TOOL = os.path.join(os.environ['LMCC_BUILD_ROOT'], 'plugins/tools/gst-lmcc-1.0')
GROUP, PORT = '239.255.67.{}', 15320
FORMATS = ('mkv', 'mp4')
# Longer than the 20 s for which the recorder waits for a stream.
SECONDS = 26
RATE = 25

DIRECTORY = lib.directory()

VIDEO = ('videotestsrc is-live=true num-buffers={} ! video/x-raw,format=I420,width=160,height=120,framerate=25/1 ! '
         'x264enc tune=zerolatency speed-preset=ultrafast key-int-max=25 ! queue ! lmcc.sink_0 ')
SOUND = ('audiotestsrc is-live=true num-buffers={} samplesperbuffer=960 ! audio/x-raw,rate=48000,channels=1 ! '
         'opusenc ! identity drop-probability={} ! queue ! lmcc.audio_sink ')

# Seconds of video and of sound, the share of sound packets to drop, and the stream that the recorder reports as
# missing.
CASES = {
    'both': (SECONDS, SECONDS, 0, None),
    'no-sound': (SECONDS, SECONDS, 1, 'sound'),
    'sound-ends': (SECONDS, 4, 0, 'sound'),
    'picture-ends': (4, SECONDS, 0, 'picture'),
}


def path_of(name):
    return os.path.join(DIRECTORY, name)


def record(name, number, *options):
    return lib.Child([TOOL, 'play', '--record', path_of(name), f'lmcc://{GROUP.format(number)}:{PORT + 2 * number}',
                      '--multicast-iface', 'lo', *options], name=name)


def send(number, video, sound, dropped=0):
    line = (f'lmccsink name=lmcc address={GROUP.format(number)} port={PORT + 2 * number} multicast-iface=lo '
            'algorithm=none ')
    return lib.launch(line + VIDEO.format(video * RATE) + SOUND.format(sound * 50, dropped), '-q')


def times_of(name, stream):
    shown = subprocess.run(['ffprobe', '-v', 'error', '-select_streams', f'{stream}:0', '-of', 'json',
                            '-show_entries', 'packet=pts_time', path_of(name)],
                           capture_output=True, text=True, check=False)
    packets = json.loads(shown.stdout or '{}').get('packets', [])
    return [float(packet['pts_time']) for packet in packets]


def check_times(name, stream, seconds):
    """Checks that the file has everything that was sent, except what was sent before the receiver had joined."""
    times = times_of(name, stream)
    if seconds == 0:
        return lib.check(not times, f'{name}: no {stream}', len(times))
    span = times[-1] - times[0] if times else 0
    return lib.check(seconds - 2.5 < span < seconds + 3, f'{name}: {stream} of {seconds} s', span, len(times))


def check_lone_streams():
    print('a stream that ends, and one that never starts:')
    children = {(case, suffix): record(f'{case}.{suffix}', number)
                for number, case in enumerate(CASES) for suffix in FORMATS}
    for child in children.values():
        child.wait_for('[Ww]aiting|no sender', 1)
    senders = [send(number, *CASES[case][:3]) for number, case in enumerate(CASES)]
    vanish()
    for (case, suffix), child in children.items():
        video, sound, dropped, missing = CASES[case]
        lib.check(child.ends(SECONDS + 20) and child.returncode() == 0 and child.find('is complete'),
                  f'{child.name} ends with the session', child.returncode(), *child.tail())
        told = [match.group(1) for _, match in child.find('no (sound|picture) has arrived for 20 s')]
        lib.check(told == [missing] * (missing is not None),
                  f'{child.name}: {missing or "nothing"} is reported as missing', *told)
        check_times(child.name, 'v', video)
        check_times(child.name, 'a', 0 if dropped else sound)
        if case == 'both':
            apart = times_of(child.name, 'v')[-1] - times_of(child.name, 'a')[-1]
            lib.check(abs(apart) < 1, f'{child.name}: picture and sound are in step', apart)
    for sender in senders:
        lib.check(sender.ends(5), 'the sender has ended', *sender.tail())


def vanish():
    print('a sender that is killed:')
    patient = record('patient.mkv', 8, '--silence=0')
    child = record('vanish.mkv', 8, '--silence=2')
    sender = send(8, 600, 600)
    lib.check(child.wait_for('recording into', 20), 'the recording has started', *child.tail())
    lib.wait_until(lambda: len(times_of('vanish.mkv', 'v')) > 2 * RATE, 20, 0.3)
    sender.process.send_signal(signal.SIGKILL)
    lib.check(child.ends(10) and child.returncode() == 0 and child.find('no BYE') and child.find('is complete'),
              'the recording ends after 2 s', child.returncode(), *child.tail())
    lib.check(len(times_of('vanish.mkv', 'v')) > 2 * RATE, 'the file has the received part')
    lib.check(patient.returncode() is None, 'without a limit, the recording waits', *patient.tail())
    lib.check(patient.stop(), 'until the user stops it', *patient.tail())


def check_refused():
    print('a file that cannot be written:')
    long = path_of('x' * 300 + '.mkv')
    for options in ((long, 'cannot be written .*too long'), (path_of('x.mkv'), 'needs --record', '--silence=1')):
        arguments = ['--record', options[0]] if len(options) == 2 else list(options[2:])
        done = subprocess.run([TOOL, 'play', *arguments], capture_output=True, text=True, timeout=20, check=False)
        lib.check(done.returncode == 2 and lib.re.search(options[1], done.stderr), options[1], done.returncode,
                  done.stderr)
    child = record('taken.mkv', 9)
    lib.check(child.wait_for('no packet has arrived yet', 10) and not os.path.exists(path_of('taken.mkv')),
              'no file is created before the session arrives', *child.tail())
    with open(path_of('taken.mkv'), 'w', encoding='ascii') as file:
        file.write('mine')
    sender = send(9, 600, 600)
    lib.check(child.ends(15) and child.returncode() == 1 and child.find('exists already'),
              'a file that was created meanwhile is not overwritten', child.returncode(), *child.tail())
    with open(path_of('taken.mkv'), encoding='ascii') as file:
        lib.check(file.read() == 'mine', 'it is unchanged')
    lib.check(sender.stop(), 'the sender stops', *sender.tail())


def main():
    check_refused()
    check_lone_streams()
    lib.finish()


lib.start('matroskamux', 'mp4mux', 'parsebin', 'h264parse', 'h264timestamper', 'opusenc', tools=('ffprobe',),
          deadline=170)
sys.exit(main())
