# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""One session and audiences of any size. No paper has this; it checks what the library promises about its feedback."""
import statistics

from papers.claims import Claim, Picture, Run

NAME = 'scale'
TITLE = 'One session, many receivers'
# A run with a thousand receivers takes a minute and a half.
REPLICATIONS = 3

SIZES = (10, 100, 1000)
BASE = 64e3
DURATION = 60
# Each receiver has its own link of 90 to 900 kbit/s.
RUNS = [Run(f'scale-{size}', 'scale', ('--set', f'n={size}', '--cost'), int(size == 100), 5) for size in SIZES]
# Runs at a quarter of these rates.
LOW_SIZES = (10, 100, 1000, 10000)
LOW_BASE = 16e3
LOW_RUNS = [Run(f'scale-low-{size}', 'scale-low', ('--set', f'n={size}', '--cost'), 0, 5 if size < 10000 else 1)
            for size in LOW_SIZES]
RUNS += LOW_RUNS
FIGURES = []


def session(replication):
    return replication['sessions']['elm']


def feedback(replication, base=BASE):
    """Reports and answers as a fraction of the base layer's rate."""
    return 8 * session(replication)['feedback-bytes'] / DURATION / base


def feedback_low(replication):
    return feedback(replication, LOW_BASE)


def converged(replication):
    """Mean time to the level that a receiver then holds longest, s."""
    times = [flow['convergence-time'] for node in replication['nodes'].values() for flow in node['flows']]
    return statistics.fmean(time for time in times if time is not None)


def at_most(where, text, runs, measure, most, cause=''):
    return Claim(where, text, '', runs, measure, 0, most, cause=cause)


def about_one(text, runs, measure):
    return Claim('', text, '', runs, measure, 0.5, 2)


def estimated(size):
    return lambda replication: session(replication)['estimated-receivers'] / size


def processor(a, b):
    return session(a)['sender-processor'] / max(session(b)['sender-processor'], 1e-3)


COLD = ('The sender does the same work for both: 2810 packets and 13 to 31 reports in 60 s take 2.5 and 27.5 ms. '
        'With 10,000 receivers the simulator uses 9 minutes of processor time between its calls, so nothing of the '
        'sender stays in the processor\'s caches. An earlier run had 5.1 times, from 5.2 and 26.4 ms.')

# All bars are ours. RFC 5506 has no number; RFC 3550 section 6.2 suggests that feedback takes 5 % at most.
CLAIMS = [
    *(at_most('RFC 3550 6.2', f'{size} receivers: reports and answers relative to the base\'s rate',
              (f'scale-{size}',), feedback, 0.05) for size in SIZES),
    *(about_one(f'{size} receivers: the sender\'s estimate relative to their number', (f'scale-{size}',),
                estimated(size)) for size in SIZES),
    about_one('1000 receivers reach their levels as fast as 10: ratio of the times', ('scale-1000', 'scale-10'),
              lambda a, b: converged(a) / converged(b)),
    at_most('', '1000 receivers cost the sender less than ten times the processor time of 10',
            ('scale-1000', 'scale-10'), processor, 10),
    *(at_most('RFC 3550 6.2', f'{size} receivers at a quarter of the rates: reports and answers relative to the '
                              f'base\'s rate', (f'scale-low-{size}',), feedback_low, 0.05) for size in LOW_SIZES),
    *(about_one(f'{size} receivers at a quarter of the rates: the sender\'s estimate relative to their number',
                (f'scale-low-{size}',), estimated(size)) for size in LOW_SIZES),
    about_one('10,000 receivers at a quarter of the rates reach their levels as fast as 10: ratio of the times',
              ('scale-low-10000', 'scale-low-10'), lambda a, b: converged(a) / converged(b)),
    at_most('', '10,000 receivers cost the sender less than ten times the processor time of 10',
            ('scale-low-10000', 'scale-low-10'), processor, 10, cause=COLD),
]


def _draw(axes, results):
    for sizes, runs, label, share in ((SIZES, RUNS[:len(SIZES)], '64 to 512 kbit/s', feedback),
                                      (LOW_SIZES, LOW_RUNS, '16 to 128 kbit/s', feedback_low)):
        present = [(size, results[run.name]['1']) for size, run in zip(sizes, runs) if '1' in results[run.name]]
        lines = ((axes[0], 'reports, 1/s', lambda r: session(r)['reports'] / DURATION),
                 (axes[1], 'feedback / base rate', share),
                 (axes[2], 'processor time of the sender, ms/s',
                  lambda r: session(r)['sender-processor'] * 1e3 / DURATION),
                 (axes[3], 'mean time to the level, s', converged),
                 (axes[4], 'processor time of the simulation, s', lambda r: r['processor']))
        for axis, quantity, measure in lines:
            axis.plot([size for size, _ in present], [measure(replication) for _, replication in present], marker='o',
                      label=label)
            axis.margins(y=0.15)
            axis.set(xlabel='receivers', ylabel=quantity, xscale='log')
    for axis in axes[:4]:
        axis.set_ylim(0, None)
    axes[4].set_yscale('log')


PICTURES = [Picture('scale', 'ELM, 60 s, four layers; the links of the receivers carry 90 to 900 kbit/s, and for the '
                             'lower rates a quarter of that. Seed 1.', 5, _draw)]
