# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""One session and audiences of any size: no paper's, but what the library promises of its feedback."""
import statistics

from papers.claims import Claim, Picture, Run

NAME = 'scale'
TITLE = 'One session, many receivers'

SIZES = (10, 100, 1000)
BASE = 64e3
DURATION = 60
# Each receiver is behind a link of its own of 90 to 900 kbit/s.
RUNS = [Run(f'scale-{size}', 'scale', ('--set', f'n={size}', '--cost'), int(size == 100)) for size in SIZES]
FIGURES = []


def session(replication):
    return replication['sessions']['elm']


def feedback(replication):
    """Reports and answers, in parts of the base's rate."""
    return 8 * session(replication)['feedback-bytes'] / DURATION / BASE


def converged(replication):
    """Mean time to the level that a receiver then holds most, s."""
    times = [flow['convergence-time'] for node in replication['nodes'].values() for flow in node['flows']]
    return statistics.fmean(time for time in times if time is not None)


CLAIMS = [
    *(Claim('RFC 5506, design', f'{size} receivers: reports and answers, in parts of the base\'s rate', 'at most 0.05',
            (f'scale-{size}',), feedback, 0, 0.05) for size in SIZES),
    *(Claim('', f'{size} receivers: the sender\'s estimate of them, in parts of their number', '0.5 to 2',
            (f'scale-{size}',), lambda r, size=size: session(r)['estimated-receivers'] / size, 0.5,
                2) for size in SIZES),
    Claim('', '1000 receivers come to their levels as fast as 10, in parts of their time', '0.5 to 2',
          ('scale-1000', 'scale-10'), lambda a, b: converged(a) / converged(b), 0.5, 2),
    Claim('', '1000 receivers cost the sender less than ten times the processor time of 10', '< 10',
          ('scale-1000', 'scale-10'),
          lambda a, b: session(a)['sender-processor'] / max(session(b)['sender-processor'], 1e-3), 0, 10),
]


def _draw(axes, results):
    present = [(size, results[run.name]['1']) for size, run in zip(SIZES, RUNS) if '1' in results[run.name]]
    sizes = [size for size, _ in present]
    lines = ((axes[0], 'reports a second', lambda r: session(r)['reports'] / DURATION),
             (axes[1], 'feedback / base rate', feedback),
             (axes[2], 'sender, ms of processor a second', lambda r: session(r)['sender-processor'] * 1e3 / DURATION),
             (axes[3], 'mean time to the level, s', converged),
             (axes[4], 'simulation, s of processor', lambda r: r['processor']))
    for axis, label, measure in lines:
        axis.plot(sizes, [measure(replication) for _, replication in present], marker='o', label='elm, seed 1')
        axis.margins(y=0.15)
        axis.set(xlabel='receivers', xscale='log', ylim=(0, None))
        axis.set_title(label, fontsize=8)


PICTURES = [Picture('scale', 'ELM, 60 s, four layers from 64 to 512 kbit/s, each receiver behind a link of 90 to 900 '
                             'kbit/s.', 5,
                    _draw)]
