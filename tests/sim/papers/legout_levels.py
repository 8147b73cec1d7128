# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Legout and Biersack 2000, figures 4 to 6 over time: three RLM sessions with layers of 20 kbit/s, before, beside and
after CBR."""
import math
import statistics

from papers.claims import OWN, SAID, Claim, Picture, Run, beside, jain_index, more_claim

NODES = ('R1', 'R2', 'R3')
LAYER = 20
LINK = 600
CBR = (300, 400)
AFTER = (400, 1000)
SPANS = {'before CBR, 200 to 300 s': (200, 300), 'beside CBR, 300 to 400 s': CBR, 'after CBR': AFTER}
# A lower index is unfair, as in figure 4's row.
WELL = 0.95
# RLM's loss threshold, section 3.
THRESHOLD = 0.25

# The library's circuit breaker, which no paper has, ends one of these sessions.
WITHOUT_BREAKER = ('--no-circuit-breaker',)
RUNS = [Run('legout-rlm-cbr', 'legout-cbr', ('--losses', *WITHOUT_BREAKER), 0),
        Run('legout-rlm-cbr-fair', 'legout-cbr-fair', ('--losses',), 0)]
DROP_TAIL, FAIR = (run.name for run in RUNS)
BREAKER_RUN = 'legout-rlm-cbr-breaker'

PERIOD = ('Not judged: the paper\'s one layer is per period of the detection timer, and the row shows the largest '
          'single step.')
NO_NUMBER = 'Not judged: the paper gives no number.'
CHANCE = 'The levels of the later sessions depend on the join timers: no two of the five runs are alike.'


def receivers(replication):
    return [replication['nodes'][node]['flows'][0] for node in NODES]


def rate_at(flow, when):
    """The rate that a receiver has subscribed to, kbit/s."""
    return LAYER * (1 + ([-1] + [change['to'] for change in flow['changes'] if change['time'] <= when])[-1])


def subscribed(begin, end):
    """The mean of this rate for each session."""
    def means(replication):
        return [statistics.fmean(rate_at(flow, when) for when in range(begin, end)) for flow in receivers(replication)]
    return means


def index(begin, end):
    return lambda replication: jain_index(subscribed(begin, end)(replication))


def dropped(replication):
    """The smallest decrease of a session's rate during CBR, kbit/s."""
    return min(rate_at(flow, CBR[0]) - rate_at(flow, CBR[1]) for flow in receivers(replication))


def deepest(replication):
    return max(change['from'] - change['to'] for flow in receivers(replication) for change in flow['changes'])


def taken(begin, end):
    """The rate that the three have subscribed to, relative to the link."""
    return lambda replication: sum(subscribed(begin, end)(replication)) / LINK


def experiments(begin, end):
    """Joins of a session per minute."""
    return lambda replication: statistics.fmean(
        sum(change['to'] > change['from'] and begin <= change['time'] < end for change in flow['changes'])
        for flow in receivers(replication)) * 60 / (end - begin)


def gone(replication):
    """Sessions that have left all layers and stay away."""
    return sum(flow['changes'][-1]['to'] < 0 for flow in receivers(replication))


def loss_of(flow, begin, end):
    """The loss rate of the packets sent to a receiver in that time."""
    noted = flow['losses']
    inside = [(packets, lost) for when, packets, lost in noted if begin < when <= end]
    before = max((packets for when, packets, _ in noted if when <= begin), default=0)
    return sum(lost for _, lost in inside) / max(inside[-1][0] - before, 1) if inside else 0


def mean_loss(begin, end):
    return lambda replication: statistics.fmean(loss_of(flow, begin, end) for flow in receivers(replication))


def highest_loss(begin, end, step=20):
    return lambda replication: max(loss_of(flow, when, when + step) for flow in receivers(replication)
                                   for when in range(begin, end, step))


def _claims():
    for span, times in SPANS.items():
        yield Claim('figure 4', f'drop tail, {span}: fairness index of the subscribed rates',
                    'high unfairness among the sessions during the whole simulation', (DROP_TAIL,), index(*times), 0,
                    WELL, rule=OWN, quote='legout, figure 4, whole', cause=CHANCE)
    for text, begin in (('at the end of CBR', 390), ('100 s after CBR', 490), ('600 s after CBR', 990)):
        yield beside('figure 4', f'{text}: subscribed rates of the three relative to the link',
                     taken(begin, begin + 10), DROP_TAIL, paper='how fast RLM grabs the available bandwidth',
                     quote='legout, figure 4, grabs', cause=NO_NUMBER)
    yield Claim('figure 5(a)', 'when CBR starts all three leave layers: smallest decrease, 300 to 400 s',
                'the RLM sessions start dropping', (DROP_TAIL,), dropped, LAYER, math.inf, 'kbit/s', rule=OWN,
                quote='legout, figure 5(a)', cause=CHANCE)
    yield beside('figure 5(a)', 'the most layers that are left at once', deepest, DROP_TAIL,
                 paper='can only drop one layer', quote='legout, figure 5(a), one', cause=PERIOD)
    yield beside('figure 5(a)', 'with the library\'s circuit breaker: sessions that it ends, of three', gone,
                 BREAKER_RUN)
    yield beside('figure 5(a)', 'joins of a session per minute, after CBR', experiments(*AFTER),
                 DROP_TAIL, paper='a very low number of join experiments', quote='legout, figure 5(b)', cause=NO_NUMBER)
    yield more_claim('figure 5(b)', 'the three lose more beside CBR than from 200 to 300 s: mean loss rates',
                     (DROP_TAIL, mean_loss(*CBR)), (DROP_TAIL, mean_loss(200, 300)),
                     'results in a large number a losses', quote='legout, figure 5(b), large')
    # The losses of CBR's last seconds are detected later.
    yield Claim('figure 5(b)', 'the highest loss rate of a session over 20 s, before CBR and from 40 s after it on',
                'never exceed the loss threshold', (DROP_TAIL,),
                lambda r: max(highest_loss(0, CBR[0])(r), highest_loss(CBR[1] + 40, 1000)(r)), 0, THRESHOLD, rule=SAID,
                quote='legout, figure 5(b)')
    yield beside('figure 5(b)', 'the same, in the 40 s after CBR', highest_loss(CBR[1], CBR[1] + 40), DROP_TAIL)
    yield beside('figure 6', 'fair queueing, from 400 to 800 s: fairness index of the subscribed rates',
                 index(400, 800), FAIR, paper='the fairness is not ideal', quote='legout, figure 6, not ideal',
                 cause=NO_NUMBER)
    yield beside('figure 6', 'fair queueing, from 200 to 300 s: the same', index(200, 300), FAIR)


CLAIMS = list(_claims())


def _draw(axes, results):
    """Draws the first replication."""
    flows = receivers(results[DROP_TAIL]['1']) if '1' in results[DROP_TAIL] else []
    for i, flow in enumerate(flows):
        changes = flow['changes']
        axes[0].step([change['time'] for change in changes] + [1000],
                     [change['to'] + 1 for change in changes] + [changes[-1]['to'] + 1], where='post', linewidth=0.9,
                     label=f'session {i + 1}')
        times = range(0, 1000, 5)
        axes[1].plot([when + 5 for when in times], [loss_of(flow, when, when + 5) for when in times], linewidth=0.8)
    for axis in axes:
        axis.axvspan(*CBR, color='tab:gray', alpha=0.2, label='CBR' if axis is axes[0] else None)
        axis.set(xlabel='time, s', xlim=(0, 1000), ylim=(0, None))
    axes[0].set_ylabel('layers')
    axes[1].set_ylabel('loss rate over 5 s')


PICTURES = [
    Picture('legout-5', 'Figure 5: three RLM sessions and CBR, drop tail, seed 1: layers and losses.', 2, _draw),
]
