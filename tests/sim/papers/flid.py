# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Byers et al., "FLID-DL: Congestion Control for Layered Multicast", IEEE JSAC 20(8), 2002, section V."""
import dataclasses
import statistics

from papers import flid_chain, flid_factor
from papers.claims import (RATE, RATE_TOLERANCE, RENO, SAID, Claim, Picture, Run, about_claim, beside, flows, means,
                           more_claim, rate, rate_claim, same_claim, told_numbers)

NAME = 'flid'
TITLE = 'FLID-DL (Byers et al. 2002)'
# The paper has one run of each.
REPLICATIONS = 5

# At 24 kbit/s a packet of the base takes 0.33 s, so there is no shorter slot.
SLOTS = ('0.5', '1.0', '2.0')

# Figure 9: the number of each kind of flow, and packets of queue per flow of one kind.
CROWDS = (2, 8, 16, 32)
QUEUES = (7, 25)
# 15 replications take half an hour of processor time, for a figure without intervals.
CROWD_REPLICATIONS = 5


def together(n, queue, tcp=()):
    """n sessions and n TCP connections on 0.5 n Mbit/s."""
    if n == 8 and not tcp:
        return Run(f'flid-tcp-{queue}', 'flid-tcp', ('--set', f'packets={queue * n}'))
    setting = f'n={n},rate={500000 * n},packets={queue * n},processing={round(0.016 / n, 6)}'
    return Run(f'flid-tcp-{queue}-n{n}{"-reno" if tcp else ""}', 'flid-fair', ('--set', setting, *tcp), 0,
               CROWD_REPLICATIONS)


# The increase signals begin with the sender. Where a single phase of them would determine the result, senders begin at
# random within this time, s, and the first hosts join after it.
SENDERS_BEGIN = 32
# When figure 8's hosts begin to join, s after the sender's start.
PHASES = (4, 8, 16)
PATHS = ('near', 'alone')
OTHER_TCP = {
    'delayed': ((2, 8), 'SACK that acknowledges each second packet', 'delayed-acknowledgements=2'),
    'each': ((2,), 'Reno that acknowledges each packet', 'sack=0,classic-recovery=1,min-rto=1.0'),
}

TOGETHER_RUNS = {(kind, queue): [together(n, queue, tcp) for n in CROWDS]
                 for kind, tcp in (('SACK', ()), ('Reno', RENO)) for queue in QUEUES}
RUNS = [
    *(Run(name, name, (), int(name != 'flid-100')) for name in (
        'flid-alone-13', 'flid-alone-20', 'flid-near-13', 'flid-near-20', 'flid-dl', 'flid-sl', 'flid-100',
        'flid-loss')),
    *(Run(f'flid-slot-{slot}', 'flid-slot', ('--set', f'slot={slot}'), 0) for slot in SLOTS),
    *(run for runs in TOGETHER_RUNS.values() for run in runs),
    # One parameter changed, to find a cause. With a base 2 % lower, level 23 of c = 1.3 is below the link's rate.
    *(Run(f'flid-{path}-{name}-room', f'flid-{path}-{name}', ('--layers', f'multiplicative:23520:{layers}'), 0, 5)
      for path in PATHS for name, layers in (('13', '1.3:26'), ('20', '2:10'))),
    Run('flid-queue-20', 'flid-queue', ('--set', 'packets=64'), 0, 5),
    Run('flid-sl-fast', 'flid-static', ('--set', 'shortest=0,longest=0'), 0, 5),
    Run('flid-sl-eager', 'flid-sl', ('--algorithm', 'flid-sl,deaf-period=0.001'), 0, 5),
    *(Run(f'flid-phase-{first}', 'flid-phase', ('--set', f'first={first},last={first + 5}'), 0, 5) for first in PHASES),
    *(Run(f'flid-tcp-7-n{n}-{name}', 'flid-fair', ('--set', TOGETHER_RUNS['Reno', 7][CROWDS.index(n)].arguments[1],
                                                   '--tcp', tcp), 0, 5)
      for name, (n_of_each, _, tcp) in OTHER_TCP.items() for n in n_of_each),
    *flid_factor.RUNS,
    *flid_chain.RUNS,
    *(Run(f'flid-red-{kind}', 'flid-red', ('--algorithm', f'flid-{kind}'), 0, 5) for kind in ('dl', 'sl')),
]
FIGURES = {
    'flid-alone-13': 'Figure 5(a): one session on 10 Mbit/s, c = 1.3',
    'flid-alone-20': 'Figure 5(b): one session on 10 Mbit/s, c = 2.0',
    'flid-near-13': 'Figure 5(a) on a path of 4 ms',
    'flid-near-20': 'Figure 5(b) on a path of 4 ms',
    'flid-dl': 'Figure 7(a): four FLID-DL sessions on 2 Mbit/s, leaves of 2 to 4 s',
    'flid-sl': 'Figure 7(b): four FLID-SL sessions on 2 Mbit/s, leaves of 2 to 4 s',
}

CASCADE = ('There are two reasons. With c = 1.3 level 23 is 10.02 Mbit/s, 0.2 % above the link. A group is joined '
           'up to 0.1 s before its slot, while it still sends the next level\'s packets at 3 Mbit/s: the queue here '
           'fills at level 23, and loses some 14 packets each time. The paper\'s 47 would belong to level 24, which '
           'sends 61 packets above link and queue in a slot. With a base of 23.52 kbit/s, 2 % less (rows below), '
           'level 23 fits, level 24 loses 47 to 53 each time on the short path unless it is left at once, and c = '
           '2.0 loses 6.5 times as much there and 1.4 times on the long path. With c = 2.0 receivers stay for two '
           'slots at a level that does not fit, and lose some 123 packets each time, 108 in the mean; the paper\'s '
           '17 are what one slot sends above the link and the queue, 143 less 128. 128 packets take most of the '
           'slot to fill the queue and 0.1 s to pass it, so the loss shows when the next slot is decided on. With a'
           ' queue of 64 (a row below) it is one slot.')
KEPT = ('The paper\'s hosts also count packets that arrive after a leave, and the paper says that this overstates '
        'FLID-SL; here only packets of groups that are still joined count. Computed from the level changes of three'
        ' runs, with each group kept for another 3 s, the link carries 0.81 to 0.84 (without these 3 s 0.59 to '
        '0.62), and 1.7 to 2.1 times as many packets as FLID-DL\'s do not fit. With leaves that take no time the two'
        ' are alike, as the paper says (rows below). The deaf period after a leave, which is not in the paper, '
        'costs a tenth of the link: without it (rows below) FLID-SL has 0.62, and loses 0.9 to 1.3 times as many '
        'packets as FLID-DL.')
RED_KEPT = ('As with drop tail, above: FLID-SL has half of the link, because packets that arrive after a leave do '
            'not count here. With RED FLID-DL loses 13 to 15 % of its packets instead of 11 to 13, and FLID-SL 16 '
            'to 18 % with both.')
NO_NUMBER = 'Not judged: the paper gives no number.'
NEAR_PATH = 'Not judged: the paper\'s path is one of 120 ms, and this one of 4 ms.'
OLD_TCP = ('The reason is delayed acknowledgements: they alone turn SACK\'s 1.5 into this number. Reno that '
           'acknowledges each packet, as ns-2\'s receivers do by default, leaves FLID-DL 0.3 to 1.0 of its rate in '
           'five runs of two of each (a row below), and 0.75 in one of eight. ns-3\'s Reno then retransmits packets '
           'that were not lost, so it is no better a measure. The shortest timeout, 1 s instead of 0.2, makes no '
           'difference: 1.3 to 1.5 beside SACK in three runs of two of each. TCP with delayed acknowledgements had '
           'next to nothing in two of five.')
NOT_RENO = ('Not judged: the paper\'s figure 9 shows TCP Reno. The paper says that it also compared TCP SACK, but '
            'does not show it.')
SLOT_LIMITS = ('A slot is five nominal round-trip times long, and several losses in it count as one: at 4 % the '
               'chain of the paper\'s equation 4 has 267 kbit/s, too.')


def used(capacity, *nodes):
    return lambda replication: sum(
        flow['throughput'] for node in nodes for flow in replication['nodes'][node]['flows']) / capacity


def lost(*nodes):
    """Lost packets, for ratios between runs: the loss rate times the sent rate."""
    return lambda replication: sum(
        flow['throughput'] * flow['loss'] / (1 - flow['loss']) for node in nodes
        for flow in replication['nodes'][node]['flows'])


def share_claim(where, text, paper, run, measure, **more):
    share, = told_numbers(paper)
    return Claim(where, text, paper, (run,), measure, share * (1 - RATE_TOLERANCE), share * (1 + RATE_TOLERANCE),
                 rule=RATE, **more)


def over_tcp(replication):
    return rate('R', 'flid-dl')(replication) / rate('R', 'tcp')(replication)


def _fairness():
    """Reno first, which the figure shows."""
    for (kind, queue), runs in sorted(TOGETHER_RUNS.items()):
        for n, run in zip(CROWDS, runs):
            short = queue == QUEUES[0]
            where = f'figure 9({"a" if short else "b"})'
            text = f'beside TCP {kind}, {n} of each, {queue} packets of queue for each: ratio of FLID-DL to TCP'
            if kind != 'Reno':
                yield beside(where, text, over_tcp, run.name, cause=NOT_RENO)
            elif short:
                yield same_claim(where, text, 'share the available bandwidth equitably', (run.name,), over_tcp,
                                 cause=OLD_TCP, quote='flid, figure 9(a)')
            else:
                yield Claim(where, text, 'four to eight times larger', (run.name,), over_tcp, 4, 8, '', OLD_TCP, SAID,
                            'flid, figure 9(b)')


def coordinated(first, end=60):
    """Time from the first host's start until all hosts were first at one level, s. If they get less than half of the
    link, the time until the run's end, because then they agree only on very low levels."""
    def seconds(replication):
        hosts = [flow['throughput'] for node in replication['nodes'].values() for flow in node['flows']]
        equal = replication['sessions']['flid-dl']['equal-at']
        return (end if equal is None or sum(hosts) / len(hosts) < 1e6 else equal) - first
    return seconds


def host(name):
    """Mean over the hosts of that name, kbit/s."""
    return lambda replication: statistics.fmean(
        flow['throughput'] / 1e3 for node, at in replication['nodes'].items() if node.startswith(name)
        for flow in at['flows'])


def loss_claim(text, name):
    return same_claim('section V-D', 'the throughput depends on the own loss rate alone: ratio of ' + text,
                      'depends only on the loss rate', ('flid-loss',), lambda r: host(name)(r) / host('near')(r),
                      tolerance=RATE_TOLERANCE, quote='flid, section V-D')


STAR = ('R1', 'R2', 'R3', 'R4')


def visit(level, begin=SENDERS_BEGIN + 50):
    """Mean time for which that level is held, s."""
    def seconds(replication):
        changes = host_flow(replication)['changes']
        return statistics.fmean(after['time'] - change['time'] for change, after in zip(changes, changes[1:])
                                if change['to'] == level and change['time'] > begin)
    return seconds


def host_flow(replication):
    return flows(replication, 'R', 'flid-dl')[0]


def _room():
    """What the losses of figure 5 depend on."""
    for path in PATHS:
        yield beside('section V-A', 'a base of 23.52 kbit/s: ratio of losses with c = 2.0 to c = 1.3'
                     + ', on 4 ms' * (path == 'near'), lambda a, b: lost('R')(a) / lost('R')(b),
                     f'flid-{path}-20-room', f'flid-{path}-13-room')
    for run, packets in (('flid-near-20', 128), ('flid-queue-20', 64)):
        yield beside('figure 5(b)', f'c = 2.0, 4 ms, a queue of {packets}: the level that does not fit is held for',
                     visit(9), run, unit='s')


def _static():
    """FLID-SL with other leave latencies."""
    for text, measure in (('use of the link', used(2e6, *STAR)),
                          ('losses', lost(*STAR))):
        yield same_claim('section V-B', f'leaves take no time: ratio of FLID-SL to FLID-DL, {text}', 'very similar',
                         ('flid-sl-fast', 'flid-dl'), lambda a, b, measure=measure: measure(a) / measure(b),
                         quote='flid, section V-B, no latency')
    yield beside('section V-B', 'FLID-SL without a deaf period, leaves of 2 to 4 s: share of the link',
                 used(2e6, *STAR), 'flid-sl-eager')
    yield beside('section V-B', 'FLID-SL without a deaf period: ratio of losses to FLID-DL\'s',
                 lambda a, b: lost(*STAR)(a) / lost(*STAR)(b), 'flid-sl-eager', 'flid-dl')


def times_lost(*nodes):
    return lambda a, b: lost(*nodes)(a) / lost(*nodes)(b)


def _alone():
    """Figure 5, and the same c on a short path."""
    yield share_claim('figure 5(a)', 'one session, c = 1.3: share of 10 Mbit/s', '85%', 'flid-alone-13',
                      used(10e6, 'R'), quote='flid, figure 5')
    yield share_claim('figure 5(b)', 'one session, c = 2.0: share of 10 Mbit/s', '59%', 'flid-alone-20',
                      used(10e6, 'R'), quote='flid, figure 5')
    yield times_claim('section V-A', 'c = 2.0 loses more packets than c = 1.3: ratio', '2.5 times',
                      ('flid-alone-20', 'flid-alone-13'), times_lost('R'), cause=CASCADE, quote='flid, figure 5')
    for path, name in (('(a)', '13'), ('(b)', '20')):
        yield beside(f'figure 5{path}', f'one session, c = {name[0]}.{"3" if name == "13" else "0"}, on a path of 4 '
                                        'ms: share of 10 Mbit/s', used(10e6, 'R'), f'flid-near-{name}', cause=NEAR_PATH)
    yield beside('section V-A', 'c = 2.0 loses more packets than c = 1.3, on 4 ms: ratio', times_lost('R'),
                 'flid-near-20', 'flid-near-13', cause=NEAR_PATH)
    yield from _room()
    yield from _factors()


def times_claim(where, text, paper, runs, measure, **more):
    """A claim about the ratio of two losses."""
    return dataclasses.replace(about_claim(where, text, paper, '', measure, **more), runs=runs)


def _factors():
    """The losses of one event, and the other values of c."""
    run = {factor: run.name for factor, run in flid_factor.RUNS_BY_FACTOR.items()}
    for path, factor, packets in (('(a)', 1.3, 47), ('(b)', 2.0, 17)):
        yield about_claim(f'figure 5{path}', f'one session, c = {factor}: packets lost in a loss event',
                          f'{packets} packets', run[factor], flid_factor.lost_in_an_event, cause=CASCADE,
                          quote='flid, figure 5')
    for factor, of_run in flid_factor.ROOM.items():
        yield beside('section V-A', f'a base of 23.52 kbit/s, 4 ms, c = {factor}: packets lost in a loss event',
                     flid_factor.lost_in_an_event, of_run.name)
    yield more_claim('section V-A', 'c = 2.0 has more loss events than c = 1.3, in 49 s',
                     (run[2.0], flid_factor.n_events), (run[1.3], flid_factor.n_events),
                     'cause more frequent packet loss', quote='flid, section V-A, jumps')
    for factor in flid_factor.FACTORS:
        if factor not in (1.3, 2.0):
            ends = ', whose 30 layers end at 4.7 Mbit/s' if factor == 1.2 else ''
            yield beside('section V-A', f'one session, c = {factor}{ends}: share of 10 Mbit/s', flid_factor.use,
                         run[factor])
    for factor in (1.3, 1.6, 2.0):
        yield beside('section V-A', f'one session, c = {factor}: loss rate', flid_factor.loss, run[factor],
                     **({'paper': 'a reasonably small packet loss rate', 'quote': 'flid, section V-A, c',
                         'cause': NO_NUMBER} if factor == 1.3 else {}))


def _red():
    """Section V-B's RED routers: "similar" means within a fifth of the paper's result with drop tail."""
    for kind, told in (('DL', '90%'), ('SL', '78%')):
        share, = told_numbers(told)
        yield same_claim('section V-B', f'RED, four FLID-{kind} sessions, leaves of 2 to 4 s: share of the link',
                         f'{told} ... The results are also similar when we used RED routers',
                         (f'flid-red-{kind.lower()}',), used(2e6, *STAR), share, cause=RED_KEPT,
                         quote='flid, section V-B, RED')
    yield same_claim('section V-B', 'RED: FLID-SL loses more packets than FLID-DL: ratio',
                     'three times as many packets ... The results are also similar', ('flid-red-sl', 'flid-red-dl'),
                     lambda a, b: lost(*STAR)(a) / lost(*STAR)(b), 3, cause=RED_KEPT,
                     quote='flid, section V-B, RED')


def _star():
    yield share_claim('figure 7(a)', 'four FLID-DL sessions, leaves of 2 to 4 s: share of the link', '90%', 'flid-dl',
                      used(2e6, *STAR), quote='flid, figure 7')
    yield share_claim('figure 7(b)', 'four FLID-SL sessions, leaves of 2 to 4 s: share of the link', '78%', 'flid-sl',
                      used(2e6, *STAR), cause=KEPT, quote='flid, figure 7')
    yield dataclasses.replace(
        times_claim('section V-B', 'FLID-SL loses more packets than FLID-DL: ratio', '3', ('flid-sl', 'flid-dl'),
                    times_lost(*STAR), cause=KEPT, quote='flid, section V-B'), paper='three times as many packets')
    yield more_claim('section V-B', 'FLID-DL uses more of the link than FLID-SL', ('flid-dl', used(2e6, *STAR)),
                     ('flid-sl', used(2e6, *STAR)), '90% ... 78%', quote='flid, figure 7')
    yield from _static()
    yield from _red()


def _hosts():
    """Figure 8, section V-D, and the choice of the slot."""
    yield rate_claim('figure 8', '100 hosts are at one level after', 28, 'flid-100',
                     coordinated(SENDERS_BEGIN, 92), unit='s', quote='flid, figure 8')
    for first in PHASES:
        yield beside('figure 8', f'20 hosts that join from {first} s after the sender on are at one level after',
                     coordinated(first), f'flid-phase-{first}', unit='s')
    yield loss_claim('1 % of loss on the common path to 1 % on the own link', 'behind')
    yield loss_claim('a path of 110 ms to one of 10 ms, 1 %', 'middle')
    yield more_claim('section V-D', 'a host farther away than a slot (610 ms) gets less than one at 10 ms, kbit/s',
                     ('flid-loss', host('near')), ('flid-loss', host('far')), 'behaves less aggressively',
                     quote='flid, section V-D, delay')
    yield beside('section V-D', '1 % of random loss instead of 4 %: difference',
                 lambda r: host('near')(r) - host('poor')(r), 'flid-loss', unit='kbit/s')
    # RFC 5348 section 3.1 with R = 100 ms, s = 1000, b = 1: 899 and 355 kbit/s.
    for name, loss, tcp in (('near', 1, 899), ('poor', 4, 355)):
        yield same_claim('section V-A', f'{loss} % of random loss: rate as by TCP\'s formula with the nominal '
                                        'round-trip time',
                         'competes fairly with TCP with an RTT of 100 ms', ('flid-loss',), host(name), tcp,
                         unit='kbit/s', cause=SLOT_LIMITS, quote='flid, section V-A, nominal RTT')
    for shorter, longer in zip(SLOTS, SLOTS[1:]):
        yield more_claim('section V-A', f'4 % of loss: a slot of {shorter} s gets more than one of {longer} s, kbit/s',
                         (f'flid-slot-{shorter}', host('R')), (f'flid-slot-{longer}', host('R')),
                         'doubling the time slot duration requires that we halve the reception rate',
                         quote='flid, section V-A, slot')


CLAIMS = [
    *_alone(),
    *_star(),
    *_hosts(),
    *_fairness(),
    *flid_chain.CLAIMS,
    *(beside('figure 9(a)', f'beside TCP {text}, {n} of each, 7 packets of queue for each: ratio of FLID-DL to TCP',
             over_tcp, f'flid-tcp-7-n{n}-{name}')
      for name, (n_of_each, text, _) in OTHER_TCP.items() for n in n_of_each),
]


def _draw_fairness(axes, results):
    for axis, ((kind, queue), runs) in zip(axes, TOGETHER_RUNS.items()):
        for name, label, marker, shift in (('flid-dl', 'FLID-DL', 'o', 0.96), ('tcp', 'TCP', '+', 1.04)):
            colour = f'C{marker == "+":d}'
            points = [(n * shift, flow['throughput'] / 250e3) for n, run in zip(CROWDS, runs)
                      if '1' in results[run.name] for flow in flows(results[run.name]['1'], 'R', name)]
            axis.plot([x for x, _ in points], [y for _, y in points], marker, markersize=3, linestyle='', color=colour,
                      label=f'{label}, each flow')
            found, _ = means(results, runs, lambda _, name=name: rate('R', name))
            axis.plot(CROWDS, [mean / 250 for mean in found], label=f'{label}, mean', color=colour)
        axis.set(xscale='log', xticks=CROWDS, xticklabels=CROWDS, xlabel='n, sessions and TCP flows each',
                 ylim=(0, None))
        axis.set_title(f'TCP {kind}, queue of {queue}n')
    axes[0].set_ylabel('throughput / even share')


def _draw_levels(axes, results):
    """The level of each host of figure 8."""
    replication = results['flid-100'].get('1', {'nodes': {}})
    for i, node in enumerate(replication['nodes'].values()):
        changes = node['flows'][0].get('changes', [])
        axes[0].step([change['time'] for change in changes] + [92], [change['to'] for change in changes]
                     + [change['to'] for change in changes[-1:]], where='post', linewidth=0.6, color='C0',
                     label='a host, seed 1' if i == 0 else None)
    axes[0].set(xlabel='time, s', ylabel='subscription level', xlim=(SENDERS_BEGIN, 92))


PICTURES = [
    flid_chain.PICTURES[0],
    Picture('flid-5', 'Figure 5: throughput and losses of one session on 10 Mbit/s, seed 1.', 2,
            flid_factor.draw_losses),
    Picture('flid-c', 'Section V-A: c from 1.2 to 2.0, one session on 10 Mbit/s, 30 layers at most.', 3,
            flid_factor.draw),
    Picture('flid-8', 'Figure 8: the levels of 100 hosts behind one bottleneck.', 1, _draw_levels),
    Picture('flid-9', 'Figure 9: n sessions and n TCP on 0.5 n Mbit/s; each flow of the first replication, and the '
                      'means.', 4, _draw_fairness),
    *flid_chain.PICTURES[1:],
]

NOTES = [
    'The increase signals are a fixed pattern that begins with the sender. The paper does not say when hosts join '
    'or measurements begin in that pattern, and the results depend on it: two groups of figure 8\'s hosts meet only '
    'when a slot lets the lower one climb alone. So in figures 5 and 8 the sender begins at random up to 32 s '
    'before the first host. For 20 hosts that join from 4, 8 and 16 s after it on, the time is 29.6, 18.9 and 25.7 '
    's (rows below), and nearly the same for all seeds.',
]
