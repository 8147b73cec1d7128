#!/usr/bin/env python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests layers of fixed rates end to end: a film in four x264 rungs, a receiver at each level, and a receiver whose
level the algorithm chooses.

Usage: fixed-rates.py rlc|flid-dl [--full] [--json FILE]

With --full or LMCC_LOOPBACK_SECONDS, uses the whole clip and the ladders of docs/measured/fixed-rates.md: 8 doubling
layers (rlc) or 20 layers with c = 1.3 (flid-dl).
"""

import argparse
import collections
import json
import os

import lib

try:
    import clip
    import judge
    import sessions
except (ImportError, ValueError) as reason:
    lib.skip(f'{reason} (Debian: python3-gi gir1.2-gst-plugins-base-1.0 python3-numpy)')

# A receiver starts with the second group, because it may have missed packets of the first before it knew the session.
# It needs one more group to know which rungs are complete.
FIRST_GROUP = 2

# Seconds by which the sender's thread may be late at any time, and above which it skips transmission opportunities, so
# that layers have less room than their rates.
LATENESS, HELD_UP = 0.02, 0.1

SHORT = {
    'rlc': sessions.Setting('rlc', 5, 320000, 2, '239.193.7.1', 38),
    'flid-dl': sessions.Setting('flid-dl', 8, 180000, 1.6, '239.193.7.65', 38),
}
FULL = {
    'rlc': sessions.Setting('rlc', 8, 48000, 2, '239.193.8.1', 300),
    'flid-dl': sessions.Setting('flid-dl', 20, 36000, 1.3, '239.193.8.65',
                                120),
}


def check_wire(judged, lateness):
    run = judged.run
    rates = judged.rates()
    slow = [f'layer {i}: {rate:.0f} of {wanted:.0f} bit/s'
            for i, (rate, wanted) in enumerate(zip(rates,
                                                   run.setting.rates))
            if rate > wanted * 1.02]
    lib.check(not slow, 'no layer is faster than its rate', *slow)
    strangers = judged.strangers()
    lib.check(not strangers, 'every unit on the wire is complete and as '
              'encoded', *strangers[:5])
    if lateness > HELD_UP:
        lib.note('the sender was delayed: units are not checked by size')
        return
    misplaced = judged.misplaced(lateness)
    lib.check(not misplaced, 'each unit is in the lowest layer that has room, '
              'by sizes and rates, and no unit that fits is dropped', *misplaced[:8])


def check_level(judged, level):
    """Checks the receiver at a level. Returns a row of the table."""
    name = f'level{level}'
    received = judge.Reception(judged, name)
    film, groups = judged.film, range(FIRST_GROUP, judged.n_groups)
    dropped = judged.run.missed(name, 'packets-dropped-kernel')
    if dropped > 0:
        lib.note(f'level {level}: this host dropped {dropped} packets: the units '
                 'are not compared')
        groups = []
    wrong = [f'group {group}: {text}' for group in groups
             for text in received.differences(level, group)]
    lib.check(not wrong and not received.strangers,
              f'level {level}: the decoder gets exactly the units that fit',
              *wrong[:8], *received.strangers[:8],
              f'packets lost: {judged.run.missed(name, "packets-lost")}')
    shown = received.shown()
    bad = [s for s in shown if not s.right]
    lib.check(not bad, f'level {level}: all {len(shown)} pictures are those '
              'of their rung', f'{len(bad)} are not: {bad[:5]}')
    pictures = [s.picture for s in shown]
    lib.check(pictures == sorted(set(pictures)),
              f'level {level}: pictures are in order, without duplicates')
    # One pass of the clip, complete if there was time.
    end = min(judged.n_groups, FIRST_GROUP + film.n_pictures // clip.GROUP)
    rate, psnr = judge.quality(film, shown, FIRST_GROUP, end)
    units = [u for g in range(FIRST_GROUP, end)
             for u in received.groups.get(g, [])]
    fits = sum(len(p) for g in range(FIRST_GROUP, end)
               for p in judged.fitting(level, g))
    rungs = collections.Counter(s.rung for s in shown if FIRST_GROUP * clip.GROUP
                                <= s.picture < end * clip.GROUP)
    seconds = end - FIRST_GROUP
    row = {'level': level, 'rate': judged.setting.cumulative[level],
           'units-fit': fits / seconds, 'units': len(units) / seconds,
           'rungs': {str(r): n for r, n in sorted(rungs.items())},
           'pictures': rate, 'psnr': psnr}
    lib.note(f'{row["rate"] / 1000:7.0f} kbit/s  {fits / seconds:5.1f} units/s '
             f'fit, {row["units"]:4.1f} given out  {rate:4.1f} pictures/s  '
             f'{psnr:4.1f} dB  pictures by rung {row["rungs"]}')
    if level == judged.setting.top and dropped == 0:
        check_top(judged, shown)
    return row


def check_top(judged, shown):
    top = len(clip.RUNGS) - 1
    here = {s.picture for s in shown if s.right and s.rung == top}
    wanted = range(FIRST_GROUP * clip.GROUP, judged.n_groups * clip.GROUP)
    missing = [p for p in wanted if p not in here]
    lib.check(not missing, f'with all layers, all {len(wanted)} pictures are '
              'exactly those of the highest encoder', missing)


def check_climber(judged):
    run = judged.run
    received = judge.Reception(judged, sessions.CLIMBER)
    lib.check(run.climbed is not None,
              f'{run.setting.algorithm} climbs to level {run.setting.top} in '
              f'{run.climbed or -1:.1f} s', *run.changes,
              f'packets lost: {run.missed(sessions.CLIMBER, "packets-lost")}')
    lib.check(not received.strangers,
              f'it gives out {len(received.units)} units, all whole and the '
              'encoder\'s', *received.strangers[:8])
    shown = received.shown()
    bad = [s for s in shown if not s.right]
    lib.check(shown and not bad, f'all {len(shown)} pictures are those of their '
              'rung', f'{len(bad)} are not: {bad[:5]}')
    pictures = [s.picture for s in shown]
    lib.check(pictures == sorted(set(pictures)), 'pictures are in order, without duplicates')
    rungs = collections.Counter(s.rung for s in shown)
    whole = judged.n_groups * clip.GROUP
    missing = sorted(set(range(FIRST_GROUP * clip.GROUP, whole))
                     - set(pictures))
    lib.note(f'pictures by rung {dict(sorted(rungs.items()))}, '
             f'{len(missing)} missing of {whole}: {missing[:24]}')
    lib.check(rungs[len(clip.RUNGS) - 1] > 0, 'at the end it shows the highest '
              'rung')
    return {'climbed': run.climbed, 'changes': run.changes,
            'pictures': {str(r): n for r, n in sorted(rungs.items())},
            'missing': len(missing), 'wrong': len(bad)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('algorithm', choices=sorted(FULL))
    parser.add_argument('--full', action='store_true')
    parser.add_argument('--json', help='the figures go there')
    arguments = parser.parse_args()
    full = arguments.full or 'LMCC_LOOPBACK_SECONDS' in os.environ
    lib.start('gdppay', 'gdpdepay', 'rawvideoparse', 'qtdemux', 'rtph264depay',
              deadline=880)
    clip.Gst.init(None)
    setting = (FULL if full else SHORT)[arguments.algorithm]
    film = clip.Clip(lib.directory(), 20 if full else 8)
    run = sessions.Run(setting, film, range(setting.layers),
                       20000 + os.getpid() % 20000 * 2)
    run.play(26 if full else 12, 6 if full else 4)
    if run.capture.gaps() > 0:
        lib.skip(f'this host dropped {run.capture.gaps()} of the packets that '
                 'the test needs')
    judged = judge.Judge(run)
    lateness = max(run.lateness() or 0, LATENESS)
    lib.note(f'{setting.describe()}: {judged.n_groups} groups of pictures, the '
             f'sender was up to {lateness * 1000:.0f} ms late')
    check_wire(judged, lateness)
    rows = [check_level(judged, level) for level in run.levels]
    climber = check_climber(judged)
    if arguments.json:
        with open(arguments.json, 'w', encoding='utf-8') as file:
            json.dump({'full': full, 'session': setting.describe(), 'levels': rows,
                       'algorithm': setting.algorithm, 'climber': climber},
                      file, indent=1)
    lib.finish()


main()
