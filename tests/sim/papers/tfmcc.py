# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""TFMCC (RFC 4654) beside TCP and with audiences. No paper has these figures; they check the aims of the RFC."""
from papers.claims import Claim, Run, flows, jain

NAME = 'tfmcc'
TITLE = 'TFMCC (RFC 4654)'
# Short runs.
REPLICATIONS = 15

RUNS = [
    Run('tfmcc-tcp', 'tfmcc-tcp'),
    Run('tfmcc-loss', 'tfmcc-loss'),
    Run('tfmcc-1000', 'tfmcc-audience', (), 0),
    Run('tfmcc-10000', 'tfmcc-audience', ('--set', 'each=100,slowest=100000,rate=150000'), 0, 5),
]
FIGURES = ['tfmcc-tcp', 'tfmcc-loss']


def rate(name):
    return lambda replication: flows(replication, 'R', name)[0]['throughput']


def counted(replication, what):
    return replication['sessions']['tfmcc']['phases']['steady'][what]


def reports_in_round(replication):
    """Without the limiting receiver, which reports once in each of its round-trip times."""
    return (counted(replication, 'reports') - counted(replication, 'leader-reports')) / counted(replication, 'rounds')


def reports_claim(size):
    # With N = 10,000 (section 2.5) the expected number of reports in a round does not grow with the audience.
    return Claim('RFC 4654 section 2.5', f'{size} receivers: reports in a round without the limiting receiver\'s', '',
                 (f'tfmcc-{size}',), reports_in_round, 0, 50)


# All bars are ours: the RFC has no simulations.
CLAIMS = [
    Claim('', 'behind 3 Mbit/s with four TCP: fairness index', '', ('tfmcc-tcp',), jain('R', 'tfmcc', 'tcp'), 0.97, 1),
    Claim('', '1 % of loss at 60 ms beside one TCP: ratio to TCP', '', ('tfmcc-loss',),
          lambda r: rate('tfmcc')(r) / rate('tcp')(r), 0.85, 1.15),
    reports_claim(1000),
    reports_claim(10000),
]
