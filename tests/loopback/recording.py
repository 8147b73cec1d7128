#!/usr/bin/env python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks that the command lines for recordings and browsers in docs/users/players.md make playable files of complete
groups of pictures."""

import glob
import json
import os
import re
import shlex
import subprocess
import sys

import lib

PAGE = os.path.join(lib.HERE, '../../docs/users/players.md')
GROUP, PORT = '239.255.65.3', 15260
KEY_DISTANCE = 24


def documented(word):
    """The arguments of the page's receiving command line with that element, with the address of this test."""
    with open(PAGE, encoding='utf-8') as file:
        line = next(line for line in file if 'lmccsrc' in line and f'! {word} ' in line)
    line = re.sub(r'lmcc://[0-9.:]+', f'lmcc://{GROUP}:{PORT}', line.removeprefix('./pipelines/env '))
    line = line.replace('location=build/', 'location=')
    # A busy machine may delay packets; none may be missing.
    line = line.replace('multicast-iface=lo', 'multicast-iface=lo&latency=1000')
    return shlex.split(line)


def pictures_of(path):
    """1 for each key frame of a file and 0 for each other picture, in decoding order."""
    shown = subprocess.run(['ffprobe', '-v', 'error', '-select_streams', 'v:0', '-show_entries', 'packet=flags', '-of',
                            'json', path], capture_output=True, text=True, check=True).stdout
    return [int(packet['flags'].startswith('K')) for packet in json.loads(shown)['packets']]


def check_file(path, whole):
    name = os.path.basename(path)
    pictures = pictures_of(path)
    lib.check(pictures and pictures[0], f'{name} begins with a key frame', pictures)
    if whole:
        starts = [at for at, key in enumerate(pictures) if key] + [len(pictures)]
        distances = {end - begin for begin, end in zip(starts, starts[1:])}
        lib.check(distances == {KEY_DISTANCE}, f'{name} has complete groups of pictures', distances)
    decoded = subprocess.run(['ffmpeg', '-v', 'error', '-nostdin', '-i', path, '-f', 'null', '-'], capture_output=True,
                             text=True, check=False)
    # At a change of level, ffmpeg reports pictures to discard that it never had.
    lib.check(decoded.returncode == 0 and not (whole and decoded.stderr), f'ffmpeg decodes {name}', decoded.stderr)
    found = subprocess.run(['gst-discoverer-1.0', path], capture_output=True, text=True, check=False)
    lib.check(found.returncode == 0 and 'H.264' in found.stdout, f'gst-discoverer-1.0 recognizes {name}', found.stdout)


def run(word, pattern, count):
    """Runs the command line until there are `count` files; returns them."""
    directory = lib.directory()
    pattern = os.path.join(directory, pattern)
    child = lib.Child(['env', '-C', directory, *documented(word)], name=word)
    lib.check(lib.wait_until(lambda: len(glob.glob(pattern)) >= count, 30), f'{word} writes {count} files',
              *child.tail())
    lib.check(child.stop(), f'{word} stops', *child.tail())
    lib.check(not child.find('^ERROR'), f'{word} has no error', *child.tail())
    return sorted(glob.glob(pattern))


def main():
    sender = lib.launch(f'{lib.source()} ! {lib.three_classes(300, KEY_DISTANCE)} ! '
                        f'lmccsink address={GROUP} port={PORT} multicast-iface=lo algorithm=none', '-e')
    for word, pattern in (('splitmuxsink', 'recording-*.mp4'), ('hlssink2', 'live-*.ts')):
        files = run(word, pattern, 3)
        # The level rises within the first file, and the last file ends when the command is interrupted.
        for path in files:
            check_file(path, path not in (files[0], files[-1]))
    lib.check(sender.stop(), 'the sender stops', *sender.tail())
    lib.finish()


lib.start('rtph264depay', 'h264parse', 'h264timestamper', 'splitmuxsink', 'mp4mux', 'hlssink2',
          tools=('ffprobe', 'ffmpeg', 'gst-discoverer-1.0'), deadline=170)
sys.exit(main())
