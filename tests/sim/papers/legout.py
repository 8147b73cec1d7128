# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Legout and Biersack, "Pathological Behaviors for RLM and RLC", NOSSDAV 2000."""
import math
import statistics

from papers.claims import COUNT_FACTOR, Claim, Run, flows, more_claim, rate

NAME = 'legout'
TITLE = 'Pathological Behaviors for RLM and RLC (Legout and Biersack 2000)'

RUNS = [Run(name, name) for name in (
    'legout-rlm-thin', 'legout-rlm-exponential', 'legout-rlc', 'legout-rlm-first', 'legout-rlm-late',
    'legout-rlc-tcp-20',
    'legout-rlc-tcp-200', 'legout-rlc-tcp-400')]
FIGURES = [run.name for run in RUNS]

TREE = ('R1', 'R2', 'R3', 'R4')
STICKS = ('Ours shares with TCP instead: with ns-3\'s TCP (SACK, no delayed acknowledgements) in the queue, RLM '
          'loses 10 % on '
          'average and more than 25 % at times, which the paper says TCP cannot bring about. Not found out whether '
          'TCP or '
          'RLM is what differs. Without random processing times at the hosts RLM gets still less.')
SHORT = ('The link values of the tree are not in the paper; those of the narrow links decide how long a join in vain '
         'lasts.')


def losses(name, choose):
    return lambda replication: choose(flows(replication, node, name)[0]['loss'] for node in TREE)


def converged(replication):
    return flows(replication, 'R1', 'rlm')[0]['convergence-time']


def tcp_mean(replication):
    return statistics.fmean(rate(node, 'tcp')(replication) for node in ('U1', 'U2'))


def loss_claim(where, text, paper, run, measure):
    return Claim(where, text, f'{paper:g}', (run,), measure, paper / COUNT_FACTOR, paper * COUNT_FACTOR, cause=SHORT)


CLAIMS = [
    Claim('figure 2(a)', 'RLM, layers of 10 kbit/s: R1 needs more than 400 s to its level', '> 400',
            ('legout-rlm-thin',),
          converged, 400, 1000, 's'),
    loss_claim('section 3', 'RLM, layers of 10 kbit/s: mean loss rate', 0.032, 'legout-rlm-thin',
               losses('rlm', statistics.fmean)),
    more_claim('figure 2(b)', 'R1 converges faster with layers that double, s', ('legout-rlm-thin', converged),
               ('legout-rlm-exponential', converged)),
    loss_claim('section 3', 'RLM, layers that double: mean loss rate', 0.0081, 'legout-rlm-exponential',
               losses('rlm', statistics.fmean)),
    more_claim('section 3', 'RLM loses more with thin layers', ('legout-rlm-thin', losses('rlm', statistics.fmean)),
               ('legout-rlm-exponential', losses('rlm', statistics.fmean))),
    # All of 300 kbit/s, but for what two TCP that starve still send.
    Claim('figure 7(a)', 'RLM first: it grabs all of 300 kbit/s', 'all', ('legout-rlm-first',), rate('R', 'rlm'), 240,
            math.inf,
          'kbit/s', STICKS),
    Claim('figure 7(a)', 'RLM first: TCP gets very little; its share were 100', 'very little', ('legout-rlm-first',),
            tcp_mean,
          0, 30, 'kbit/s', STICKS),
    Claim('figure 7(b)', 'RLM after TCP cannot grab bandwidth; its share were 100', 'little', ('legout-rlm-late',),
          rate('R', 'rlm'), 0, 50, 'kbit/s'),
    Claim('figure 8', 'RLC: mean loss rate of the receiver that loses most', 'up to 0.13', ('legout-rlc',),
            losses('rlc', max),
          0.13 / COUNT_FACTOR, 0.13 * COUNT_FACTOR),
    Claim('figure 8', 'RLC: R1 joins 512 kbit/s behind 256 kbit/s again and again, in 200 s', 'periodically',
            ('legout-rlc',),
          lambda r: sum(change['to'] == 4 for change in flows(r, 'R1', 'rlc')[0]['changes']), 3, math.inf, '',
          'Our burst, half a slot long, sends 32 packets of 500 bytes more than 256 kbit/s carry, and the queue '
          'holds 15: it '
          'tells R1 that there is no room. The paper\'s is shorter, it does not say by how much.'),
    Claim('figure 10(a)', 'RLC beside TCP, 20 ms: is at 16 and 32 kbit/s by turns', '16 to 32', ('legout-rlc-tcp-20',),
          rate('R', 'rlc'), 16 * 0.9, 32 * 1.1, 'kbit/s'),
    Claim('section 4', 'RLC beside TCP, 400 ms: RLC in parts of the mean TCP', 'fair', ('legout-rlc-tcp-400',),
          lambda r: rate('R', 'rlc')(r) / tcp_mean(r), 1 / COUNT_FACTOR, COUNT_FACTOR),
    Claim('figure 10(b)', 'RLC beside TCP, 200 ms: less than TCP', '< 1', ('legout-rlc-tcp-200',),
          lambda r: rate('R', 'rlc')(r) / tcp_mean(r), 0, 1),
    more_claim('section 4', 'the longer the path, the more RLC gets (400 and 200 ms), kbit/s',
               ('legout-rlc-tcp-400', rate('R', 'rlc')), ('legout-rlc-tcp-200', rate('R', 'rlc'))),
    more_claim('section 4', 'the longer the path, the more RLC gets (200 and 20 ms), kbit/s',
               ('legout-rlc-tcp-200', rate('R', 'rlc')), ('legout-rlc-tcp-20', rate('R', 'rlc'))),
    Claim('figure 3', 'RLM: late receivers slow the convergence of all', '', ('legout-rlm-crowd',), float, 0, 0),
    Claim('figures 4 to 6', 'RLM: three sessions share unfairly, and lose much when CBR comes', '',
            ('legout-rlm-cbr',), float,
          0, 0),
    Claim('figure 9', 'RLC: who joins late drops a level when the others join', '', ('legout-rlc-crowd',), float, 0, 0),
]
