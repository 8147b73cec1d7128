#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks what a run of pipelines/demo left behind.

Usage: demo.py DIRECTORY SECONDS
"""
import json
import subprocess
import sys
from pathlib import Path

# The base alone of x264's three classes shows every fourth picture of 24 a second.
LOWEST_PICTURE_RATE = 6

# One key-frame distance, the sender's window, the receiver's latency and half a second.
JOIN_TO_PICTURE_MS = 2500

# At a change of level no picture may be missing for longer than this.
LONGEST_GAP_MS = 300

# But while a level is too high for the link the picture stands still, and then until the next key frame.
LEAVE_MS = 3000
KEY_DISTANCE_MS = 1000

# What join experiments cost is in it, and what is lost until a level is left when the link carries less.
HIGHEST_LOSS = 0.05


def count_pictures(path):
    listing = subprocess.run(['ffprobe', '-v', 'error', '-count_frames', '-select_streams', 'v:0', '-show_entries',
                              'stream=nb_read_frames', '-of', 'csv=p=0', str(path)], capture_output=True, text=True,
                             check=True).stdout
    return int(listing.strip().strip(','))


def longest_gap_ms(steps):
    """Levels are left one after the other."""
    down = max([before['fits'] - after['fits'] for before, after in zip(steps, steps[1:])], default=0)
    return LONGEST_GAP_MS + (down * LEAVE_MS + KEY_DISTANCE_MS if down > 0 else 0)


def check_steps(steps):
    """Down is quick; up takes as much as a minute, and there may be less."""
    for step in steps:
        if step['held'] is None or step['held'] > step['fits']:
            yield f"level {step['held']} was held where {step['fits']} was the most that the link carries"
    high, low = steps[0], min(steps, key=lambda step: step['capacity'])
    if not high['held'] or high['held'] <= low['held']:
        yield f"level {high['held']} of {high['fits']} was held where the link carried most, {low['held']} where least"


def check(directory, seconds):
    """Yields what is wrong."""
    summary = json.loads((directory / 'summary.json').read_text())
    decoded = summary['frames-decoded']
    if decoded < LOWEST_PICTURE_RATE * seconds * 0.8:
        yield f'only {decoded} pictures in {seconds} s'
    if summary['frames-identical'] != decoded:
        yield f"{decoded - summary['frames-identical']} of {decoded} pictures are not the encoder's"
    if summary['frames-late']:
        yield f"{summary['frames-late']} pictures were late"
    if not summary['join-to-picture-ms'] or summary['join-to-picture-ms'] > JOIN_TO_PICTURE_MS:
        yield f"the first picture came after {summary['join-to-picture-ms']} ms"
    if not summary['longest-gap-ms'] or summary['longest-gap-ms'] > longest_gap_ms(summary['link-steps']):
        yield f"no picture for {summary['longest-gap-ms']} ms"
    if summary['step-error-max-ms'] is None or summary['step-error-max-ms'] > 1:
        yield f"a step of the presentation times is off by {summary['step-error-max-ms']} ms"
    if summary['loss'] > HIGHEST_LOSS:
        yield f"{100 * summary['loss']:.1f} % of the packets were lost"
    yield from check_steps(summary['link-steps'])
    held = summary['levels-held']
    if len(held) < 3 or held != list(range(held[-1] + 1)):
        yield f'the levels held were {held}: not all from the base up'
    shown = count_pictures(directory / 'received.mkv')
    if shown != decoded:
        yield f'received.mkv has {shown} pictures, {decoded} were decoded'
    for name in ('demo.png', 'session.sdp'):
        if not (directory / name).stat().st_size:
            yield f'{name} is empty'


def main():
    faults = list(check(Path(sys.argv[1]), float(sys.argv[2])))
    for fault in faults:
        print(f'demo: {fault}')
    print(f'{0 if faults else 1} passed, {1 if faults else 0} failed, 0 skipped')
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
