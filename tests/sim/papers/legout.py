# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Legout and Biersack, "Pathological Behaviors for RLM and RLC", NOSSDAV 2000."""
import dataclasses
import math
import statistics

from papers import legout_levels
from papers.legout_levels import WITHOUT_BREAKER
from papers.claims import (ORDER, OWN, RENO, SAID, Claim, Run, Unmeasured, about_claim, beside, flows, more_claim,
                           range_claim, rate, rate_claim, same_claim, told_claim)

NAME = 'legout'
TITLE = 'Pathological Behaviors for RLM and RLC (Legout and Biersack 2000)'
# The paper has one run of each.
REPLICATIONS = 5

EXPONENTIAL = ('--layers', 'multiplicative:32000:2:6')
# Runs that are measured from the beginning.
WHOLE = ('--warm-up', '0')

RUNS = [*(Run(name, name) for name in (
    'legout-rlm-thin', 'legout-rlm-exponential', 'legout-rlc', 'legout-rlm-first', 'legout-rlm-late',
    'legout-rlc-tcp-20', 'legout-rlc-tcp-200', 'legout-rlc-tcp-400', 'legout-rlc-crowd')),
    *(Run(name, name, (), 0) for name in ('legout-rlm-crowd', 'legout-rlm-fair')),
    Run('legout-rlc-deep', 'legout-rlc-deep', (), 0),
    Run('legout-rlc-hold', 'legout-rlc', ('--algorithm', 'rlc,burst-loss=hold'), 0),
    Run('legout-rlc-fair', 'legout-rlc-fair', (), 0),
    Run('legout-rlc-cbr', 'legout-cbr', ('--algorithm', 'rlc,burst-loss=drop', '--layers', 'multiplicative:20000:2:6'),
        0),
    Run('legout-rlc-cbr-fair', 'legout-cbr-fair', ('--algorithm', 'rlc,burst-loss=drop', '--layers',
                                                   'multiplicative:20000:2:6'), 0),
    # Figure 2's exponential layers in the other experiments.
    *(Run(f'{name}-exponential', scenario, EXPONENTIAL + more, 0) for name, scenario, more in (
        ('legout-rlm-cbr', 'legout-cbr', WITHOUT_BREAKER), ('legout-rlm-cbr-fair', 'legout-cbr-fair', ()),
        ('legout-rlm-tcp-fair', 'legout-rlm-fair', ()), ('legout-rlm-late-crowd', 'legout-rlm-crowd', ()))),
    # With the library's circuit breaker.
    *(Run(f'legout-rlm-cbr{name}-breaker', 'legout-cbr', arguments, 0)
      for name, arguments in (('', ()), ('-exponential', EXPONENTIAL))),
    # One parameter changed, to find a cause.
    Run('legout-rlm-first-firm', 'legout-rlm-first', ('--algorithm', 'rlm,loss-threshold=0.9'), 0),
    Run('legout-rlm-first-reno', 'legout-rlm-first', RENO, 0),
    Run('legout-rlm-thin-alone', 'legout-rlm-thin', ('--algorithm', 'rlm,shared-learning=false'), 0),
    Run('legout-rlm-fair-all', 'legout-rlm-fair', WHOLE, 0, 5),
    Run('legout-rlm-tcp-fair-exponential-all', 'legout-rlm-fair', EXPONENTIAL + WHOLE, 0, 5),
    Run('legout-rlm-join', 'legout-rlm-join', (), 0, 5),
    Run('legout-rlm-join-exponential', 'legout-rlm-join', EXPONENTIAL, 0, 5),
    Run('legout-rlm-cbr-fair-exponential-low', 'legout-cbr-fair',
        EXPONENTIAL + ('--algorithm', 'rlm,loss-threshold=0.05'), 0, 5),
    *legout_levels.RUNS]
FIGURES = {
    'legout-rlm-thin': 'Figure 2(a): RLM, layers of 10 kbit/s',
    'legout-rlm-exponential': 'Figure 2(b): RLM, layers that double',
    'legout-rlm-crowd': 'Figure 3: 20 RLM receivers, five more from 205 s on, five at 400 s',
    'legout-rlm-cbr': 'Figures 4 and 5: three RLM sessions, CBR from 300 to 400 s, drop tail',
    'legout-rlm-cbr-fair': 'Figure 6: three RLM sessions, CBR from 300 to 400 s, fair queueing',
    'legout-rlm-first': 'Figure 7(a): RLM, then TCP at 300 and at 600 s',
    'legout-rlm-late': 'Figure 7(b): TCP, then RLM at 300 s, then TCP at 600 s',
    'legout-rlm-first-firm': 'Figure 7(a), RLM leaves a layer only at 90 % of loss',
    'legout-rlm-first-reno': 'Figure 7(a) with TCP without SACK, delayed acknowledgements, RTO of 1 s or more',
    'legout-rlc': 'Figure 8: RLC behind four bottlenecks',
    'legout-rlc-deep': 'Figure 8 with a queue of 40 packets instead of 15',
    'legout-rlc-crowd': 'Figure 9: 20 RLC receivers, five more from 30 s on, five at 80 s',
    'legout-rlc-tcp-20': 'Figure 10(a): RLC, TCP at 50 and at 100 s, 20 ms',
    'legout-rlc-tcp-200': 'Figure 10(b): the same, 200 ms',
    'legout-rlc-tcp-400': 'Section 4: the same, 400 ms',
    'legout-rlc-fair': 'Section 4: RLC and two TCP, fair queueing',
}

TREE = ('R1', 'R2', 'R3', 'R4')
STICKS = ('"All" and "a very small throughput" have no number, so these bars are this project\'s. Of 300 kbit/s RLM '
          'gets 234 and each TCP 31; if RLM never leaves a layer (`loss-threshold=0.9`, a row below), 255 and 21; '
          'and with TCP as it was when the paper was written, 252 and 23.')
QUICK = ('All first receivers are there 100 to 145 s before the first late one joins: above the second layer, each '
         'layer takes them 20 to 32 s (means of a run). If the late receivers join from 30 s on, while the first '
         'receivers climb, the first ones do wait: their third layer takes 25 to 54 s instead of 21 to 30, the fourth '
         '28 to 55 instead of 20 to 32, and they are there within 10 s of the last late one (rows below). The time '
         'depends on the join timer: with `join-timer-min=20` instead of the paper\'s 5 s (one run, layers that '
         'double) they are not there after 330 s.')
TOLD = ('The bursts of this library, half a slot long, tell the first receivers that there is no room, so nobody '
        'joins a layer that does not fit.')
TIMER = ('Each join takes a random time with a mean of 5 s and a minimum of 2.5 s, and the paper gives no interval:'
         ' the receivers of one run are one sample. Without shared learning (a row below) R1 does not wait for '
         'other receivers\' experiments, and is faster still.')
STEP = ('Levels are 32, 64 and 128 kbit/s, so 64 is the highest one below the fair 100, and the paper says that the'
        ' granularity limits the fairness.')
OTHER_CAUSE = ('Not judged, because the cause is another one here. The paper\'s 13 % come from joins that do not '
               'fit. Here they are the losses of R3, behind 64 kbit/s, and R4, where a level has exactly the link\'s'
               ' rate. R1 loses 0.01.')
LESS_AT_400 = 'RLC\'s levels double: the highest one below the even share of 100 kbit/s is 64.'
NO_NUMBER = 'Not judged: the paper gives no number.'
SHORT_BURST = ('The burst of this library, half a slot long, sends 32 packets of 500 bytes more than 256 kbit/s '
               'carry, and the queue holds 15, so the burst tells R1 that there is no room. The paper\'s burst is '
               'shorter; the paper does not say by how much.')
LATER = ('Only the time in which all flows are present is measured; the losses occur when TCP begins, and before. The '
         'rows above are measured from the beginning and agree with the paper.')
AT_THE_BASE = ('In four of five runs the third session has only the base layer and loses 13 to 22 % of it; RLM never '
               'leaves the base layer here. Of all packets 1.7 % are lost (the row below); the other two sessions lose '
               '0.6 to 4 %.')
LESS = ('In four of five runs the first session has 446 to 466 kbit/s, in one 308, because there it is at 256. The '
        'second has 46 to 63: it is at 32 or 64, where the paper\'s is between 64 and 128.')
BASE_KEPT = ('Not judged: RLM never leaves the base layer here, however much of it is lost. McCanne, Jacobson and '
             'Vetterli 1996 have no rule for leaving it.')
LOW = ('Two sessions at 256 and one at 128 kbit/s send 640 kbit/s over a link of 600, and other sessions are at 512'
       ' when the next one starts. They lose less than the threshold of 25 %, and stay. With `loss-threshold=0.05` '
       '(a row below) the loss is 0.006. Of all packets 0.022 are lost, and 0.006 with that threshold.')
UNEVEN = ('Levels double, so the nearest to an even division of 600 kbit/s is 256, 256 and 128, an index of 0.93. '
          'For most of the time one session is at 256 and two are at 128, an index of 0.89.')


def losses(name, choose):
    return lambda replication: choose(flows(replication, node, name)[0]['loss'] for node in TREE)


def converged_to(level):
    """When R1 first holds the level that fits into its 256 kbit/s, or a higher one, s. Unmeasured if it never does."""
    def time(replication):
        times = [change['time'] for change in flows(replication, 'R1', 'rlm')[0]['changes'] if change['to'] >= level]
        if not times:
            raise Unmeasured
        return times[0]
    return time


# 25 layers of 10 kbit/s; layers of 32, 64 and 128 kbit/s.
converged = converged_to(24)
converged_doubling = converged_to(2)


def lost_of_all(replication):
    """The loss rate of the packets of all four receivers, which are present from the first second on."""
    each = [flows(replication, node, 'rlm')[0] for node in TREE]
    lost = sum(flow['throughput'] * flow['loss'] / (1 - flow['loss']) for flow in each)
    return lost / (lost + sum(flow['throughput'] for flow in each))


def highest(node):
    return lambda replication: max(change['to'] for change in flows(replication, node, 'rlm')[0]['changes']) + 1


def tcp_mean(replication):
    return statistics.fmean(rate(node, 'tcp')(replication) for node in ('U1', 'U2'))


def host(replication, name):
    return replication['nodes'][name]['flows'][0]


def joined(replication, nodes, level):
    """When the last of these nodes first held the level, or a higher one."""
    return max(next((change['time'] for change in host(replication, node)['changes'] if change['to'] >= level),
                    math.inf) for node in nodes)


FIRST = [f'R{i}' for i in range(1, 21)]
LATE = [f'L{i}' for i in range(1, 6)]
# When the first of them joins, s.
LATE_START = 205


def _crowds():
    yield Claim('figure 3', 'RLM: receivers synchronize: the first 20 reach 250 kbit/s within',
                'receiver synchronization', ('legout-rlm-crowd',),
                lambda r: joined(r, FIRST, 4) - min(joined(r, [node], 4) for node in FIRST), 0, 30, 's',
                quote='legout, figure 3')
    for run, level, text in (('legout-rlm-crowd', 4, 'RLM: the first receivers stay below 250 kbit/s'),
                             ('legout-rlm-late-crowd-exponential', 3,
                              'RLM, layers that double: the first receivers stay below 256 kbit/s')):
        yield Claim('figure 3', f'{text} until late receivers have caught up',
                    'Late joins can slow down the convergence time', (run,),
                    lambda r, level=level: joined(r, FIRST, level) - LATE_START, 0, math.inf, 's', QUICK, ORDER,
                    'legout, figure 3, late')
    yield beside('figure 3', 'late receivers: ratio of their time to 256 kbit/s with layers that double to that to 250 '
                             'kbit/s',
                 lambda a, b: (joined(a, LATE, 3) - LATE_START) / (joined(b, LATE, 4) - LATE_START),
                 'legout-rlm-late-crowd-exponential', 'legout-rlm-crowd', paper='similar behavior',
                 quote='legout, figure 3, exponential', cause=NO_NUMBER)
    for run, level, text in (('legout-rlm-join', 4, 'layers of 50 kbit/s'),
                             ('legout-rlm-join-exponential', 3, 'layers that double')):
        yield beside('figure 3', f'late receivers join from 30 s on, {text}: the first ones reach that level after '
                                 'them', lambda r, level=level: joined(r, FIRST, level) - joined(r, LATE, level), run,
                     unit='s')
    yield Claim('figure 9', 'RLC: the first receivers hold 128 kbit/s before the late ones reach it',
                'slows down the convergence speed', ('legout-rlc-crowd',),
                lambda r: joined(r, LATE, 4) - joined(r, FIRST, 4), 0, math.inf, 's', '', ORDER, 'legout, figure 9')
    yield Claim('figure 9', 'RLC: when the first receivers join a layer that does not fit, late ones drop a level: '
                            'drops among the ten', 'late joiners who drop a layer', ('legout-rlc-crowd',),
                lambda r: sum(change['to'] < change['from'] for i in range(1, 6) for node in (f'L{i}', f'M{i}')
                              for change in host(r, node)['changes']), 1, math.inf, '', TOLD, SAID, 'legout, figure 9')
    yield Claim('section 4', 'RLC: R1 joins a layer that does not fit with 40 packets of queue instead of 15: times in '
                             '200 s', 'periodically join', ('legout-rlc-deep',),
                lambda r: sum(change['to'] == 4 for change in host(r, 'R1')['changes']), 3, math.inf,
                quote='legout, section 4, bursts')
    yield beside('section 4', 'RLC: a loss in a burst drops a layer in ns; if it drops none, the largest loss is',
                 losses('rlc', max), 'legout-rlc-hold')


THREE = ('R1', 'R2', 'R3')
# When they start, and the length of the run, s.
STARTS = (50, 100, 150)
LENGTH = 1000


def mean_loss(replication):
    return statistics.fmean(host(replication, node)['loss'] for node in THREE)


def packet_loss(replication):
    """The loss rate of all packets of the three sessions; rates are counted from their starts on."""
    each = [(host(replication, node), LENGTH - start) for node, start in zip(THREE, STARTS)]
    lost = sum(flow['throughput'] * flow['loss'] / (1 - flow['loss']) * time for flow, time in each)
    return lost / (lost + sum(flow['throughput'] * time for flow, time in each))


def index(replication):
    each = [host(replication, node)['throughput'] for node in THREE]
    return sum(each) ** 2 / (len(each) * sum(rate * rate for rate in each))


# The least index of three sessions that share well, and the largest of three that share very unfairly.
WELL, VERY_UNFAIR = 0.95, 0.8


def _cbr_even():
    """Layers of 20 kbit/s."""
    for where, run, queues, paper in (('figure 5', 'legout-rlm-cbr', 'drop-tail', '2.3%'),
                                      ('figure 6', 'legout-rlm-cbr-fair', 'fair', '4.6%')):
        yield about_claim(where, f'three RLM sessions and CBR, {queues} queues: mean loss rate', paper, run, mean_loss,
                          quote=f'legout, {where}')
        yield beside(where, f'three RLM sessions and CBR, {queues} queues: loss rate of all packets', packet_loss, run)
    yield Claim('figure 4', 'drop tail: RLM sessions share unfairly, fairness index', 'high unfairness',
                ('legout-rlm-cbr',), index, 0, WELL, quote='legout, figure 4')
    yield beside('figure 4', 'the same with the library\'s circuit breaker', index, 'legout-rlm-cbr-breaker')
    yield Claim('figure 6', 'fair queueing: RLM sessions share well, fairness index', 'good fairness',
                ('legout-rlm-cbr-fair',), index, WELL, 1, quote='legout, figure 6, fairness')
    yield more_claim('section 3', 'RLM loses more with fair queueing', ('legout-rlm-cbr-fair', mean_loss),
                     ('legout-rlm-cbr', mean_loss), 'more losses with FQ than with FIFO',
                     quote='legout, section 3, more losses')
    yield beside('section 3', 'RLM loses more with fair queueing: loss rates of all packets',
                 lambda fair, tail: packet_loss(fair) - packet_loss(tail), 'legout-rlm-cbr-fair', 'legout-rlm-cbr')


def _cbr_double():
    """Layers that double."""
    text = 'three RLM sessions and CBR, drop tail, layers that double'
    run = 'legout-rlm-cbr-exponential'
    quote = 'legout, section 3, exponential'
    yield about_claim('section 3', f'{text}: mean loss rate', '1.4%', run, mean_loss, quote=quote + ' loss',
                      cause=AT_THE_BASE)
    yield beside('section 3', f'{text}: loss rate of all packets', packet_loss, run)
    yield Claim('section 3', 'the same: very high unfairness; 500, 100 and 0 kbit/s would be an index of 0.46',
                'very high unfairness', (run,), index, 0, VERY_UNFAIR, quote=quote)
    for place, told in (('first', 500), ('second', 100)):
        yield dataclasses.replace(
            rate_claim('section 3', f'the same: the {place} session', told, run,
                       lambda r, node=THREE[place == 'second']: host(r, node)['throughput'] / 1e3, unit='kbit/s',
                       cause=LESS, quote=quote), paper=f'roughly {told} Kbit/s')
    yield beside('section 3', 'the same: the third session', lambda r: host(r, THREE[2])['throughput'] / 1e3, run,
                 unit='kbit/s', paper='must drop all the layers', quote=quote, cause=BASE_KEPT)
    yield beside('section 3', 'the same with the library\'s circuit breaker: fairness index', index, f'{run}-breaker')
    text = text.replace('drop tail', 'fair queueing')
    run = 'legout-rlm-cbr-fair-exponential'
    yield told_claim('section 3', f'{text}: mean loss rate', 'lower than 1%', run, mean_loss, cause=LOW,
                     quote=quote + ', fair')
    yield beside('section 3', f'{text}: loss rate of all packets', packet_loss, run)
    yield Claim('section 3', 'the same: good fairness, fairness index', 'good fairness', (run,), index, WELL, 1, '',
                UNEVEN, OWN, quote + ', fair')
    yield beside('section 3', f'{text}, left at 5 % of loss: mean loss rate', mean_loss, f'{run}-low')


def _cbr_rlc():
    for run in ('legout-rlc-cbr', 'legout-rlc-cbr-fair'):
        text = 'fair queueing' if run.endswith('fair') else 'drop tail'
        yield range_claim('section 4', f'three RLC sessions and CBR, {text}: mean loss rate', '0.6% to 2.9%', run,
                          mean_loss, quote='legout, section 4, third experiment')
        yield Claim('section 4', f'three RLC sessions and CBR, {text}: they share fairly, fairness index',
                    'share fairly the bandwidth', (run,), index, WELL, 1, quote='legout, section 4, third experiment')


def _fair():
    yield same_claim('section 3', 'RLM beside two TCP, fair queueing: ratio to the mean TCP',
                     'RLM shares fairly the bandwidth with TCP', ('legout-rlm-fair',),
                     lambda r: rate('R', 'rlm')(r) / tcp_mean(r), quote='legout, section 3, fair queueing')
    yield beside('section 4', 'RLC beside two TCP, fair queueing: ratio to the mean TCP',
                 lambda r: rate('R', 'rlc')(r) / tcp_mean(r), 'legout-rlc-fair',
                 quote='legout, section 4, fair queueing',
                 paper='RLC shares fairly (according to the layer granularity)', cause=STEP)
    yield range_claim('section 4', 'RLC beside two TCP, fair queueing: loss rate', '0.7% to 1.6%', 'legout-rlc-fair',
                      lambda r: host(r, 'R')['loss'], quote='legout, section 4, fair queueing', cause=LATER)
    for text, run, make, paper in ((': loss rate', 'legout-rlm-fair-all', range_claim, 'from 2% to 8%'),
                                   (', layers that double: loss rate', 'legout-rlm-tcp-fair-exponential-all',
                                    about_claim, 'around 0.5%')):
        yield make('section 3', f'RLM beside two TCP, fair queueing{text}, including TCP\'s start', paper, run,
                   lambda r: host(r, 'R')['loss'], quote='legout, section 3, fair queueing')
    for text, run in (('', 'legout-rlm-fair'), (', layers that double', 'legout-rlm-tcp-fair-exponential')):
        yield beside('section 3', f'RLM beside two TCP, fair queueing{text}: loss rate while all flows are present',
                     lambda r: host(r, 'R')['loss'], run, cause=LATER)


def _first():
    """Figures 2 and 7."""
    loss = losses('rlm', statistics.fmean)
    yield told_claim('figure 2(a)', 'RLM, layers of 10 kbit/s: R1 needs more than 400 s to reach the 25 '
                     'layers that fit', 'more than 400 seconds', 'legout-rlm-thin', converged, unit='s',
                     cause=TIMER, quote='legout, figure 2(a)')
    yield beside('figure 2(a)', 'the same without shared learning', converged, 'legout-rlm-thin-alone', unit='s')
    yield beside('figure 2(a)', 'RLM, layers of 10 kbit/s: the highest level that R1 reaches, of 25 that fit',
                 highest('R1'), 'legout-rlm-thin')
    yield about_claim('section 3', 'RLM, layers of 10 kbit/s: mean loss rate', '3.2%', 'legout-rlm-thin', loss,
                      quote='legout, section 3, thin')
    yield more_claim('figure 2(b)', 'R1 converges faster with layers that double, s', ('legout-rlm-thin', converged),
                     ('legout-rlm-exponential', converged_doubling),
                     'performs significantly better than in the previous case',
                     quote='legout, figure 2(b)')
    yield about_claim('section 3', 'RLM, layers that double: mean loss rate', '0.81%', 'legout-rlm-exponential', loss,
                      quote='legout, figure 2(b)')
    yield more_claim('section 3', 'RLM loses more with thin layers', ('legout-rlm-thin', loss),
                     ('legout-rlm-exponential', loss), '3.2% ... 0.81%', quote='legout, section 3, loss')
    for text, run in (('layers of 10 kbit/s', 'legout-rlm-thin'), ('layers that double', 'legout-rlm-exponential')):
        yield beside('section 3', f'RLM, {text}: loss rate of all packets', lost_of_all, run)
    # All of 300 kbit/s, except for the little that two starving TCP connections still send.
    yield Claim('figure 7(a)', 'RLM first: it grabs all of 300 kbit/s', 'grabs all the available bandwidth',
                ('legout-rlm-first',), rate('R', 'rlm'), 240, math.inf, 'kbit/s', STICKS, quote='legout, figure 7')
    yield Claim('figure 7(a)', 'RLM first: TCP gets very little; its fair share is 100', 'a very small throughput',
                ('legout-rlm-first',), tcp_mean, 0, 30, 'kbit/s', STICKS, quote='legout, figure 7')
    for run, text in (('legout-rlm-first-firm', 'its loss threshold is 0.9'),
                      ('legout-rlm-first-reno', 'TCP without SACK, delayed acknowledgements, RTO of 1 s or more')):
        for who, measure in (('RLM', rate('R', 'rlm')), ('the mean TCP', tcp_mean)):
            yield beside('figure 7(a)', f'RLM first, {text}: {who}', measure, run, unit='kbit/s')
    yield Claim('figure 7(b)', 'RLM after TCP cannot grab bandwidth; its fair share is 100',
                'RLM is not able to grab bandwidth from TCP', ('legout-rlm-late',), rate('R', 'rlm'), 0, 50, 'kbit/s',
                quote='legout, figure 7(b)')


def _rlc():
    """Figures 8 and 10."""
    yield beside('figure 8', 'RLC: mean loss rate of the receiver that loses most', losses('rlc', max), 'legout-rlc',
                 paper='up to 13%', quote='legout, figure 8, loss', cause=OTHER_CAUSE)
    yield Claim('figure 8', 'RLC: R1 joins 512 kbit/s behind 256 kbit/s again and again, in 200 s', 'periodic',
                ('legout-rlc',), lambda r: sum(change['to'] == 4 for change in flows(r, 'R1', 'rlc')[0]['changes']), 3,
                math.inf, '', SHORT_BURST, quote='legout, figure 8, loss')
    yield Claim('figure 10(a)', 'RLC beside TCP, 20 ms: alternates between 16 and 32 kbit/s',
                'oscillates between layer 1 and layer 2', ('legout-rlc-tcp-20',), rate('R', 'rlc'), 16 * 0.9, 32 * 1.1,
                'kbit/s', quote='legout, figure 10(a)')
    yield same_claim('section 4', 'RLC beside TCP, 400 ms: ratio of RLC to the mean TCP',
                     'fairly shares the bandwidth with TCP1 and TCP2', ('legout-rlc-tcp-400',),
                     lambda r: rate('R', 'rlc')(r) / tcp_mean(r), quote='legout, section 4, 400 ms', cause=LESS_AT_400)
    yield Claim('figure 10(b)', 'RLC beside TCP, 200 ms: ratio to TCP', 'lower bandwidth than the two TCP flows',
                ('legout-rlc-tcp-200',), lambda r: rate('R', 'rlc')(r) / tcp_mean(r), 0, 1, rule=ORDER,
                quote='legout, figure 10(b)')
    for longer, shorter in ((400, 200), (200, 20)):
        yield more_claim('section 4', f'the longer the path, the more RLC gets ({longer} and {shorter} ms), kbit/s',
                         (f'legout-rlc-tcp-{longer}', rate('R', 'rlc')),
                         (f'legout-rlc-tcp-{shorter}', rate('R', 'rlc')),
                         'the smaller the RTT is, the larger the number of losses', quote='legout, section 4, RTT')


CLAIMS = [*_first(), *_rlc(), *_crowds(), *_cbr_even(), *legout_levels.CLAIMS, *_cbr_double(), *_cbr_rlc(), *_fair()]

NOTES = [
    'ns-2.35\'s own RLM, McCanne\'s, was run on the tree that is assumed here (`ns tests/sim/ns2/rlm.tcl`, five seeds '
    'each). With layers of 10 kbit/s R1 has the 25 layers that fit after 379, 386, 447, 400 and 422 s; the mean loss '
    'rate of the receivers is 0.041 to 0.061, and that of all packets 0.029 to 0.046. With layers that double R1 has '
    'the three that fit after 25 to 55 s; the mean loss rate of the receivers is 0.010 to 0.019, and that of all '
    'packets 0.0061 to 0.0077.',
    'The paper does not say over what its mean loss rates are averaged. All rows judge the mean of the receivers\' '
    'loss rates; rows *loss rate of all packets* are shown beside it.',
    'The receivers of the library have a [circuit breaker](../developers/architecture.md#the-circuit-breaker), which '
    'ends a reception if only the base layer is joined and loses more than 10 % for 10 s or longer. No paper has such '
    'a breaker. Of all runs on this page it would only end sessions of RLM beside CBR with drop tail: these runs are '
    'without it (`--no-circuit-breaker`). Rows *with the library\'s circuit breaker* show what users get.',
]

PICTURES = legout_levels.PICTURES
