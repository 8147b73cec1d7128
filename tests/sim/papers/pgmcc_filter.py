# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Rizzo 2000, figure 2: the receivers' loss filter, over the losses of one session."""
import statistics

from papers.claims import OWN, Claim, Picture, Run, beside, flows, more_claim

SCALE = 1 << 16
# The paper's W, in figure 2 the one with thick squares. The paper does not give the figure's other two.
OWN_W = 65000 / SCALE
OTHER_W = (64464 / SCALE, 65268 / SCALE)
# Packets until the filter has settled: four time constants of 122 packets.
SETTLED = 500
DRAWN = 3000

SPARSE = Run('pgmcc-fig2', 'pgmcc-filter', ('--losses',), 0, 5)
LOSSY = Run('pgmcc-fig2-lossy', 'pgmcc-filter',
            ('--set', 'rate=2000000,loss=0.05', '--duration', '100', '--warm-up', '20', '--losses'), 0, 5)
RUNS = [SPARSE, LOSSY]

NO_NUMBER = 'Not judged: the paper gives no number.'
# Rates within a tenth of each other count as the same here, so a larger deviation is large.
LARGE = 0.1


def pattern(replication):
    """1 for each lost packet, 0 for each other packet, up to the last lost one."""
    flow, = flows(replication, 'PR', 'pgmcc')
    signal = []
    for _, packets, lost in flow['losses']:
        signal += [0] * (round(packets) - round(lost) - len(signal)) + [1] * round(lost)
    return signal


def filtered(signal, weight=OWN_W):
    """Y of section 3.2.2."""
    found, level = [], 0.0
    for lost in signal:
        level = weight * level + (1 - weight) * lost
        found.append(level)
    return found


def settled(replication):
    return filtered(pattern(replication))[SETTLED:]


def mean(replication):
    return statistics.fmean(settled(replication))


def deviation(replication):
    """Relative to the mean."""
    return statistics.pstdev(settled(replication)) / mean(replication)


def _claims():
    yield beside('figure 2, lossy', '2 Mbit/s and 5 % of random loss: mean of the filter\'s output', mean, LOSSY.name)
    yield more_claim('figure 2', 'a session alone on 60 kbit/s loses less than one at 5 %: means of the filter\'s '
                                 'output', (LOSSY.name, mean), (SPARSE.name, mean), 'the overall loss rate is low',
                     quote='pgmcc, figure 2, non-lossy')
    yield beside('figure 2, non-lossy', 'packets per lost packet', lambda r: 1 / mean(r), SPARSE.name,
                 paper='losses are rather sparse', quote='pgmcc, figure 2, non-lossy', cause=NO_NUMBER)
    for where, run in (('figure 2, lossy', LOSSY), ('figure 2, non-lossy', SPARSE)):
        yield Claim(where, 'the output\'s standard deviation relative to its mean', 'relatively large deviations',
                    (run.name,), deviation, LARGE, float('inf'), rule=OWN, quote='pgmcc, figure 2')


CLAIMS = list(_claims())


def _draw(axes, results):
    """Draws the first replication."""
    for axis, run, title in ((axes[0], SPARSE, 'alone on 60 kbit/s'), (axes[1], LOSSY, '5 % at random')):
        signal = pattern(results[run.name]['1'])[:DRAWN] if '1' in results[run.name] else []
        axis.vlines([i for i, lost in enumerate(signal) if lost], 0, 600, color='tab:gray', linewidth=0.5,
                    label='losses')
        for weight, colour in zip((OTHER_W[0], OWN_W, OTHER_W[1]), ('tab:orange', 'tab:red', 'tab:blue')):
            axis.plot([SCALE * level for level in filtered(signal, weight)], color=colour,
                      linewidth=1.6 if weight == OWN_W else 0.8, label=f'W = {SCALE * weight:.0f}/65536')
        axis.set(xlabel='sequence number of the packet', ylim=(0, None), title=title)
    axes[0].set_ylabel('filter output times 65536')


def _draw_audience(axes, results):
    """As in the paper: sequence numbers over time."""
    replication = results['pgmcc-fig7'].get('1')
    for node, name, label in (('F1', 'pgmcc', 'pgmcc, 10 receivers, then 100'), ('TR', 'tcp', 'TCP')):
        packets, total = [], 0
        for kilobits in flows(replication, node, name)[0]['trace'] if replication else []:
            total += kilobits / 12
            packets.append(total)
        axes[0].plot(packets, label=label, color='tab:red' if name == 'pgmcc' else 'tab:blue')
    axes[0].axvline(300, color='tab:gray', linewidth=0.8, label='90 more receivers')
    axes[0].set(xlabel='time, s', ylabel='sequence number of the packet', xlim=(0, 600), ylim=(0, None))


PICTURES = [
    Picture('pgmcc-2', 'Figure 2: the loss filter, seed 1; thick: the paper\'s W; the others forget twice and half '
                       'as fast.', 2, _draw),
    Picture('pgmcc-7', 'Figure 7: links that lose 1 % each; packets of the session at one receiver, and of TCP, seed '
                       '1.', 1, _draw_audience),
]
