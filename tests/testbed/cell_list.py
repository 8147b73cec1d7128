# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The cells of the testbed: links, competing traffic and events.

All cells were chosen before the first run of any. They have rates of 3, 6, 12 and 50 Mbit/s, round-trip times of 20 to
250 ms, and queues of 0.5 to 4 bandwidth-delay products; each of these is measured alone and beside TCP.
"""
from collections import namedtuple

# In seconds: start of the measurement of rates; time between which a link is halved or TCP runs; duration of a cell,
# and of a cell with TCP all the time. Rates are then means over 150 s, the period of plumb's turns.
MEASURED = 40
EVENT = (40, 80)
SECONDS = 120
SECONDS_BESIDE_TCP = MEASURED + 150

# bit/s of each layer: each layer doubles the sum, and the highest level exceeds the link.
BASE = 128000
COARSE = (300000, 600000, 1800000)

# kbit/s of the three encodings; with headers about 300, 900 and 2700.
RUNGS = (285, 855, 2565)

# The prefix of the names of their cells.
NAMES_OF_LEVELS = {'auto': 'rungs', 'replicated': 'replicated'}

# `queue` is in products of the link's rate and the round-trip time (ms). `flows` connections of `tcp` run for the whole
# cell or, with `event` "tcp", for its middle third. `link` has further settings of the emulator. `leave` is the leave
# latency of the switch (s). `receivers` share one link and start `apart` seconds one after the other, the last one
# `late` seconds after the first. With `compared`, all layered algorithms of the comparison run, else two. `rungs` is
# the property `levels` of lmccsink for the three encodings, and empty with one encoding.
Cell = namedtuple(
    'Cell', 'group rate rtt queue tcp flows event coarse link leave receivers apart late compared decides rungs',
    defaults=('', 0, '', False, {}, 0, 1, 0, 0, False, False, ''))


def seconds(cell):
    """The duration of a cell."""
    return SECONDS_BESIDE_TCP if cell.tcp and not cell.event else SECONDS


def name(cell):
    """The name of a cell, such as reno-4-12-60-2: four Reno connections, 12 Mbit/s, 60 ms, a queue of two products."""
    words = [*([NAMES_OF_LEVELS[cell.rungs]] if cell.rungs else []), cell.group, *([cell.flows] if cell.flows else []),
             f'{cell.rate:g}', cell.rtt, f'{cell.queue:g}',
             *(f'{word}{value:g}' for word, value in cell.link.items()),
             *([f'leave{cell.leave:g}'] if cell.leave else [])]
    return '-'.join(map(str, words))


ALONE = [Cell('alone', *link) for link in (
    (3, 60, 2), (6, 20, 4), (6, 60, 0.5), (12, 60, 1), (3, 250, 0.5), (12, 250, 1), (50, 60, 1), (50, 20, 4))]
ALONE[0] = ALONE[0]._replace(compared=True)
ALONE[3] = ALONE[3]._replace(compared=True)

HALVES = [Cell('halves', *link, event='halves')
          for link in ((3, 60, 2), (6, 120, 1), (12, 60, 2), (12, 20, 2), (50, 60, 1))]
HALVES[0] = HALVES[0]._replace(compared=True)

RENO = [Cell('reno', *link, 'reno', flows, compared=all_run, decides=decides) for link, flows, all_run, decides in (
    ((3, 60, 2), 1, True, True), ((6, 20, 4), 1, False, False), ((12, 250, 1), 1, False, False),
    ((6, 60, 1), 2, False, True), ((3, 60, 2), 4, False, True), ((6, 60, 2), 4, True, True),
    ((12, 60, 2), 4, True, True), ((12, 120, 1), 4, False, False), ((12, 60, 2), 8, False, True),
    ((50, 60, 1), 8, False, False))]

CUBIC = [Cell('cubic', *link, 'cubic', flows, compared=all_run, decides=decides) for link, flows, all_run, decides in (
    ((6, 60, 2), 1, False, True), ((12, 60, 1), 2, False, False), ((6, 60, 2), 4, True, True),
    ((12, 20, 2), 4, False, False), ((50, 60, 1), 8, False, False))]

BBR = [Cell('bbr', 12, 60, 2, 'bbr', 4)]

COMES = [Cell('comes', *link, 'reno', 2, 'tcp') for link in ((6, 60, 2), (12, 60, 1), (3, 120, 1))]

WITH_COARSE = [Cell('coarse', 12, 60, 2, 'reno', 4, coarse=True, decides=True),
               Cell('coarse', 3, 60, 2, 'reno', 1, coarse=True, decides=True)]

LOSES = [Cell('loses', 6, 60, 2, 'reno', 1, link={'loss': 0.01}, compared=True),
         Cell('loses', 12, 60, 2, 'reno', 2, link={'loss': 0.02}),
         Cell('loses', 6, 60, 2, 'reno', 1, link={'loss': 0.03})]

CROWD = [Cell('crowd', 6, 60, 2, receivers=8), Cell('crowd', 3, 60, 2, receivers=8, apart=4),
         Cell('crowd', 12, 60, 2, 'reno', 4, receivers=8, decides=True),
         Cell('crowd', 6, 60, 2, 'reno', 2, receivers=8, late=50)]

LEAVES = [Cell('leaves', 6, 60, 2, event='halves', leave=leave) for leave in (2, 2.6, 4)]

ROUGH = [Cell('rough', 6, 60, 2, link={'jitter': 0.1}), Cell('rough', 6, 60, 2, link={'reorder': 0.1}),
         Cell('paused', 6, 60, 2, event='paused'), Cell('suspended', 6, 60, 2, event='suspended')]

# Three encodings without repair data: a level has the lowest encoding and one more.
WITH_RUNGS = [cell._replace(rungs='auto') for cell in (
    Cell('alone', 6, 60, 2), Cell('alone', 3.6, 60, 2), Cell('halves', 5, 60, 2, event='halves'),
    Cell('coarse', 12, 60, 2, 'reno', 4), Cell('coarse', 3, 60, 2, 'reno', 1), Cell('cubic', 12, 60, 2, 'cubic', 4),
    Cell('comes', 6, 60, 2, 'reno', 2, 'tcp'), Cell('loses', 6, 60, 2, 'reno', 1, link={'loss': 0.01}),
    Cell('crowd', 3.6, 60, 2, receivers=8), Cell('crowd', 12, 60, 2, 'reno', 4, receivers=8),
    Cell('leaves', 5, 60, 2, event='halves', leave=2.6), Cell('rough', 6, 60, 2, link={'jitter': 0.1}),
    Cell('rough', 6, 60, 2, link={'reorder': 0.1}), Cell('paused', 6, 60, 2, event='paused'),
    Cell('suspended', 6, 60, 2, event='suspended'))]

# The same with one encoding per level.
REPLICATED = [cell._replace(rungs='replicated') for cell in (
    Cell('alone', 3.6, 60, 2), Cell('halves', 5, 60, 2, event='halves'), Cell('comes', 6, 60, 2, 'reno', 2, 'tcp'),
    Cell('crowd', 3.6, 60, 2, receivers=8), Cell('crowd', 12, 60, 2, 'reno', 4, receivers=8),
    Cell('rough', 6, 60, 2, link={'reorder': 0.1}))]

CELLS = [*ALONE, *HALVES, *RENO, *CUBIC, *BBR, *COMES, *WITH_COARSE, *LOSES, *CROWD, *LEAVES, *ROUGH, *WITH_RUNGS,
         *REPLICATED]
BY_NAME = {name(cell): cell for cell in CELLS}
