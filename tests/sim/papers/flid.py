# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Byers et al., "FLID-DL: Congestion Control for Layered Multicast", IEEE JSAC 20(8), 2002, section V."""

from papers.claims import RATE_TOLERANCE, Claim, Run, more_claim, rate

NAME = 'flid'
TITLE = 'FLID-DL (Byers et al. 2002)'

# Quick only where joins are in time: nothing else comes out that could break.
RUNS = [Run(name, name, (), 1 if name.startswith('flid-near') else 0) for name in (
    'flid-alone-13', 'flid-alone-20', 'flid-near-13', 'flid-near-20', 'flid-dl', 'flid-sl', 'flid-100',
    'flid-tcp-7', 'flid-tcp-25')]
FIGURES = ['flid-near-13', 'flid-near-20', 'flid-alone-13', 'flid-alone-20', 'flid-dl', 'flid-sl']

LATE_JOINS = ('Joins go out 25 ms before the slot, whatever the round-trip time: on a longer path the first packets '
              'of each '
              'slot are missed, count as lost, and cost a level. docs/algorithms.md names this weakness.')


def used(capacity, *nodes):
    return lambda replication: sum(
        flow['throughput'] for node in nodes for flow in replication['nodes'][node]['flows']) / capacity


def lost(*nodes):
    """Packets, in parts of those of the other run: the loss rate times what was sent."""
    return lambda replication: sum(
        flow['throughput'] * flow['loss'] / (1 - flow['loss']) for node in nodes
        for flow in replication['nodes'][node]['flows'])


def share_claim(where, text, paper, run, measure, cause=''):
    return Claim(where, text, f'{paper:g}', (run,), measure, paper * (1 - RATE_TOLERANCE),
            paper * (1 + RATE_TOLERANCE), '',
                 cause)


def over_tcp(replication):
    return rate('R', 'flid-dl')(replication) / rate('R', 'tcp')(replication)


def coordinated(replication):
    """When all hosts were at one level first; the run's 60 s where they do not even get half of the link, as then they
    agree on next to nothing."""
    hosts = [flow['throughput'] for node in replication['nodes'].values() for flow in node['flows']]
    equal = replication['sessions']['flid-dl']['equal-at']
    return 60 if equal is None or sum(hosts) / len(hosts) < 1e6 else equal


STAR = ('R1', 'R2', 'R3', 'R4')

CLAIMS = [
    share_claim('figure 5(a)', 'one session, c = 1.3: part of 10 Mbit/s', 0.85, 'flid-alone-13', used(10e6, 'R'),
            LATE_JOINS),
    share_claim('figure 5(b)', 'one session, c = 2.0: part of 10 Mbit/s', 0.59, 'flid-alone-20', used(10e6, 'R'),
            LATE_JOINS),
    share_claim('figure 5(a)', 'the same on a path of 4 ms, where joins are in time', 0.85, 'flid-near-13',
                used(10e6, 'R')),
    share_claim('figure 5(b)', 'the same on a path of 4 ms, where joins are in time', 0.59, 'flid-near-20',
                used(10e6, 'R')),
    Claim('section V-A', 'c = 2.0 loses 2.5 times as many packets as c = 1.3, on 4 ms', '2.5',
          ('flid-near-20', 'flid-near-13'), lambda a, b: lost('R')(a) / lost('R')(b), 2.5 / 2, 2.5 * 2),
    Claim('section V-A', 'c = 2.0 loses 2.5 times as many packets as c = 1.3', '2.5', ('flid-alone-20',
            'flid-alone-13'),
          lambda a, b: lost('R')(a) / lost('R')(b), 2.5 / 2, 2.5 * 2, '', LATE_JOINS),
    share_claim('figure 7(a)', 'four FLID-DL sessions, leaves of 2 to 4 s: part of the link', 0.90, 'flid-dl',
                used(2e6, *STAR), LATE_JOINS),
    share_claim('figure 7(b)', 'four FLID-SL sessions, leaves of 2 to 4 s: part of the link', 0.78, 'flid-sl',
                used(2e6, *STAR), 'Only packets of groups that are still wanted count here; the paper\'s hosts count '
                                  'what comes '
                'after a leave, too, and it says that this overstates FLID-SL.'),
    Claim('section V-B', 'FLID-SL loses three times as many packets as FLID-DL', '3', ('flid-sl', 'flid-dl'),
          lambda a, b: lost(*STAR)(a) / lost(*STAR)(b), 3 / 2, 3 * 2, '', LATE_JOINS),
    more_claim('section V-B', 'FLID-DL uses more of the link than FLID-SL', ('flid-dl', used(2e6, *STAR)),
               ('flid-sl', used(2e6, *STAR)), cause=LATE_JOINS),
    Claim('figure 8', '100 hosts are at one level after', '28', ('flid-100',),
          coordinated, 0, 28, 's', 'They are at one level after 7 s, but at a low one. ' + LATE_JOINS),
    Claim('figure 9(a)', 'beside TCP, a queue of 7 packets for each: FLID-DL in parts of TCP', 'equitable',
            ('flid-tcp-7',),
          over_tcp, 0.5, 2, '', LATE_JOINS),
    Claim('figure 9(b)', 'beside TCP, a queue of 25 packets for each: FLID-DL in parts of TCP', '4 to 8',
            ('flid-tcp-25',),
          over_tcp, 4, 8, '', LATE_JOINS),
    Claim('section V-D', 'the throughput depends on the own loss rate alone, not on the delay', '', ('flid-loss',),
            float, 0, 0),
]
