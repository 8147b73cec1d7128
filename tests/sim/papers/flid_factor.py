# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Byers et al. 2002, section V-A: the factor c from a level's rate to the next, and the losses of one loss event."""
import collections
import math

from papers.claims import Run, flows, means, rate

CAPACITY = 10e6
BASE = 24e3
MOST_LAYERS = 30
SLOT = 0.5
# From and to, s; the runs end at 132.
MEASURED = (82, 131)
FACTORS = (1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2.0)


def layers_of(factor):
    """Up to the first level above the link; three more at c = 1.3, where level 23 is 0.2 % above it (figure 5)."""
    n = math.ceil(math.log(CAPACITY / BASE) / math.log(factor)) + 1
    return min(MOST_LAYERS, n + 2 * (factor == 1.3))


def alone(factor, base=BASE, scenario='flid-alone-13', name=''):
    return Run(f'flid-c-{factor}{name}', scenario,
               ('--layers', f'multiplicative:{base:.0f}:{factor}:{layers_of(factor)}', '--losses'), 0, 5)


RUNS_BY_FACTOR = {factor: alone(factor) for factor in FACTORS}
# A short path, and rates 2 % lower: level 23 of c = 1.3 is below the link then.
ROOM = {factor: alone(factor, 23520, 'flid-near-13', '-room') for factor in (1.3, 2.0)}
RUNS = [*RUNS_BY_FACTOR.values(), *ROOM.values()]


def losses_of(replication):
    flow, = flows(replication, 'R', 'flid-dl')
    return [(when, lost) for when, _, lost in flow['losses']]


def events(replication):
    """The packets lost in each loss event. Losses less than a slot apart are one event. Only events that begin in
    MEASURED count, so that none is cut."""
    found, last = [], -math.inf
    for when, lost in losses_of(replication):
        if when - last > SLOT:
            found.append([when, 0])
        found[-1][1] += lost
        last = when
    return [lost for begin, lost in found if MEASURED[0] <= begin < MEASURED[1]]


def n_events(replication):
    return len(events(replication))


def lost_in_an_event(replication):
    return sum(events(replication)) / max(n_events(replication), 1)


def use(replication):
    return rate('R', 'flid-dl')(replication) * 1e3 / CAPACITY


def loss(replication):
    return flows(replication, 'R', 'flid-dl')[0]['loss']


def draw_losses(axes, results):
    """Figure 5: throughput, and the packets lost in each 250 ms, of the first replication."""
    for axis, factor in zip(axes, (1.3, 2.0)):
        replication = results[RUNS_BY_FACTOR[factor].name].get('1')
        counts = collections.Counter()
        for when, lost in losses_of(replication) if replication else []:
            counts[math.floor(4 * when) / 4] += lost
        begin, end = 82, 132
        axis.plot(*zip(*((when, kilobits / 1000) for when, kilobits in
                         enumerate(flows(replication, 'R', 'flid-dl')[0]['trace'], 1)
                         if begin <= when <= end)) if replication else ((), ()),
                  label='throughput')
        lost_axis = axis.twinx()
        shown = {when: lost for when, lost in counts.items() if begin <= when <= end}
        lost_axis.plot(list(shown), list(shown.values()), 'o', color='tab:red', markersize=3, fillstyle='none',
                       label='packets lost in 250 ms')
        lost_axis.set(ylim=(0, 250))
        axis.set(xlabel='time, s', xlim=(begin, end), ylim=(0, 14))
        axis.set_title(f'c = {factor}')
    axes[0].set_ylabel('throughput, Mbit/s')
    lost_axis.set_ylabel('lost in 250 ms, packets')


def draw(axes, results):
    for axis, of, label in zip(axes, (use, loss, lost_in_an_event),
                               ('share of 10 Mbit/s used', 'loss rate', 'lost in a loss event, packets')):
        found, half = means(results, list(RUNS_BY_FACTOR.values()), lambda _, of=of: of)
        axis.errorbar(FACTORS, found, half, marker='o', markersize=3, label='FLID-DL')
        axis.set(xlabel='c', ylabel=label, ylim=(0, None))
    axes[0].plot((1.3, 2.0), (0.85, 0.59), 'k+', label='the paper')
    axes[2].plot((1.3, 2.0), (47, 17), 'k+')
    axes[1].set_title('one session, drop tail')
