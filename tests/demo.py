#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks the results of a run of pipelines/demo.

Usage: demo.py DIRECTORY SECONDS
"""
import json
import re
import subprocess
import sys
from math import inf
from pathlib import Path

# Minimum share of time at the target level, after a receiver has settled and without the times beside TCP.
LEAST_RIGHT = 0.8

# Maximum packet loss outside join experiments and times beside TCP.
MOST_LOST = 0.01

# Minimum share of the film's pictures that are shown exactly as encoded, with join experiments but without the times
# beside TCP.
LEAST_WHOLE = 0.98

# The receiver corrects its clock by at most 500 parts per million of the time between two packets: the time without a
# picture, plus what the sender's window, the link's queue and the receiver's latency may hide of it.
SLEW = 1 / 2000
HIDDEN_MS = 500 + 250 + 500

# A tick of 90 kHz at each end of a step.
ROUNDING_MS = 2 / 90

# Maximum total loss, with failed joins and TCP.
MOST_LOST_IN_ALL = 0.05

# Minimum length of the film as a share of the time of reception.
LEAST_FILM = 0.95

# A key frame interval, the sender's window, half a second of repair data, the receiver's latency, and half a second.
JOIN_TO_PICTURE_MS = 3000

# The same with layers of fixed rates, whose window is 4.4 s instead of half a second.
FIXED_JOIN_TO_PICTURE_MS = JOIN_TO_PICTURE_MS + 4000

# Maximum error of a step there: the first picture after a pause may be moved to the start of its segment. A picture
# that moves further is not recognized (PTS_TOLERANCE of pipelines/lib/demo/receiver.py).
FIXED_STEP_ERROR_MS = 10


def count_pictures(path):
    listing = subprocess.run(['ffprobe', '-v', 'error', '-count_frames', '-select_streams', 'v:0', '-show_entries',
                              'stream=nb_read_frames', '-of', 'csv=p=0', str(path)], capture_output=True, text=True,
                             check=True).stdout
    return int(listing.strip().strip(','))


def check_film(path, seconds, rows):
    """Yields the faults of the film with all receivers side by side, in `rows` rows of three."""
    told = json.loads(subprocess.run(['ffprobe', '-v', 'error', '-show_entries', 'stream=width,height:format=duration',
                                      '-of', 'json', str(path)], capture_output=True, text=True, check=True).stdout)
    width, height = told['streams'][0]['width'], told['streams'][0]['height']
    if width * 9 * rows != 3 * height * 16:
        yield f'{path.name} has {width}x{height} pixels'
    if float(told['format']['duration']) < LEAST_FILM * seconds:
        yield f"{path.name} lasts {told['format']['duration']} s"


def most_step_error(figures):
    return ROUNDING_MS + SLEW * ((figures['longest-pause-ms'] or 0) + HIDDEN_MS)


def check_pictures(figures, most_join, most_step):
    """Yields the faults of a receiver's pictures. The first picture is due after `most_join` ms, and the error of a
    step is at most `most_step` ms."""
    if figures['frames-identical'] != figures['frames-decoded'] or not figures['frames-decoded']:
        yield f"{figures['frames-identical']} of {figures['frames-decoded']} pictures equal the encoder's output"
    if not (figures['join-to-picture-ms'] or inf) <= most_join:
        yield f"the first picture came after {figures['join-to-picture-ms']} ms"
    if figures['step-error-max-ms'] is None or figures['step-error-max-ms'] > most_step:
        yield (f"the error of a presentation time step is {figures['step-error-max-ms']} ms; the longest pause was "
               f"{figures['longest-pause-ms']} ms")


def check_level(figures):
    """Yields the faults of a receiver's levels."""
    if figures['level'] != figures['level-right'] or (figures['share-right'] or 0) < LEAST_RIGHT:
        yield (f"target level {figures['level-right']}, for {figures['share-right']} of the time; most used level "
               f"{figures['level']}")


def check_receiver(figures):
    """Yields the faults of a receiver of a run with one algorithm and native layers."""
    yield from check_pictures(figures, JOIN_TO_PICTURE_MS, most_step_error(figures))
    yield from check_level(figures)
    for key, most in (('loss-outside-joins', MOST_LOST), ('loss', MOST_LOST_IN_ALL)):
        if figures[key] is None or figures[key] > most:
            yield f'{key} is {figures[key]}'
    for key in ('frames-whole', 'frames-whole-outside-joins'):
        if (figures[key] or 0) < LEAST_WHOLE:
            yield f'{key} is {figures[key]}'


def check_tcp(figures):
    """Yields the faults of the receiver that shared its link with TCP."""
    for tcp in figures['tcp']:
        if not tcp['tcp-rate'] or tcp['level'] is None or tcp['level'] >= figures['level-right']:
            yield f'the receiver did not give way to TCP: {tcp}'
    if len(figures['tcp']) != 1:
        yield f"there were {len(figures['tcp'])} TCP connections"


def check_side_by_side(figures):
    """Yields the faults of a receiver of a run with two algorithms. Such a run shows how well each performs, so only
    the levels of ELM are checked."""
    is_elm = figures['algorithm'] == 'elm'
    yield from check_pictures(figures, FIXED_JOIN_TO_PICTURE_MS if is_elm else inf, FIXED_STEP_ERROR_MS)
    if is_elm:
        yield from check_level(figures)
    if not figures['name'].endswith(f" {figures['algorithm']}"):
        yield 'its name does not contain its algorithm'


def check_session(session, receivers, alone, network):
    """Yields the faults of the receivers of a session."""
    if len(receivers) != 3:
        yield f"{session['algorithm']} has {len(receivers)} receivers"
    if (alone or session['algorithm'] == 'elm') and len({figures['level'] for figures in receivers}) != 3:
        yield f"the levels are {[figures['level'] for figures in receivers]}"
    for figures in receivers:
        faults = check_receiver(figures) if alone else check_side_by_side(figures)
        yield from (f"{figures['name']}: {fault}" for fault in faults)
    if network and receivers:
        yield from (f"{receivers[-1]['name']}: {fault}" for fault in check_tcp(receivers[-1]))


def check(directory, seconds):
    """Yields the faults of a run."""
    summary = json.loads((directory / 'summary.json').read_text())
    sessions, receivers = summary['sessions'], summary['receivers']
    if summary['seconds'] != seconds:
        yield f"the run took {summary['seconds']} s"
    for session in sessions:
        own = [figures for figures in receivers if figures['algorithm'] == session['algorithm']]
        yield from check_session(session, own, len(sessions) == 1, summary['network'])
        links = [figures['capacity'] for figures in own]
        if links != [figures['capacity'] for figures in receivers[::len(sessions)]]:
            yield f"the link rates of {session['algorithm']} are {links}"
    for figures in receivers:
        film = directory / f"{figures['name'].replace(' ', '-')}.mkv"
        shown = count_pictures(film)
        if shown != figures['frames-decoded']:
            yield f"{film.name} has {shown} pictures, {figures['frames-decoded']} were decoded"
    names = [f"session-{session['algorithm']}.sdp" for session in sessions] if len(sessions) > 1 else ['session.sdp']
    for name in ('demo.png', 'events.jsonl', *names):
        if not (directory / name).stat().st_size:
            yield f'{name} is empty'
    yield from check_film(directory / 'side-by-side.mkv', seconds, len(sessions))
    page = (directory / 'report.html').read_text()
    if 'src="data:image/png;base64,' not in page or re.search(r'(src|href)="(?!data:)', page):
        yield 'report.html is not self-contained'


def main():
    faults = list(check(Path(sys.argv[1]), float(sys.argv[2])))
    for fault in faults:
        print(f'demo: {fault}')
    print(f'{0 if faults else 1} passed, {1 if faults else 0} failed, 0 skipped')
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
