# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Colussi, "Equation-based Layered Multicast Congestion Control", University of Helsinki, 2004, sections 4 and 5."""
import dataclasses
import math
import statistics

from papers.claims import (ORDER, SAME, SAME_TOLERANCE, Claim, Picture, Run, Unmeasured, beside, flows, means,
                           more_claim, rate, same_claim)

NAME = 'open-loop'
TITLE = 'Open-loop rate estimation (Colussi 2004, sections 4 and 5)'
# One replication of all rates and numbers of TCP connections takes ten minutes.
REPLICATIONS = 3

# Its table 1: packets of 1000 bytes in a round-trip time of 100 ms, losses in percent, numbers of TCP connections.
RATES = (1, 2, 4, 8, 16, 32, 64, 128)
LOSSES = (0.1, 0.5, 1, 3, 5, 10)
CROWDS = (1, 2, 4, 8, 16, 32)
PACKETS_PER_SECOND = 10
BITS = 8 * 1000 * PACKETS_PER_SECOND
# Section 4.1.4: the fair share of each of the n + 2 flows, in packets. The queue holds 1.5 times the packets in flight.
FAIR = 16
# No traces: only means are judged.
MEANS_ONLY = ('--series', '100000')


def lossy_run(scenario, loss, rate, quick=0):
    """Long enough for 50 losses, the first ten of them not measured; 100 s at least."""
    seconds = 1 / (loss / 100 * rate * PACKETS_PER_SECOND)
    start = max(20, round(10 * seconds))
    return Run(f'{scenario}-{loss:g}-{rate}', scenario,
               ('--set', f'rate={rate * BITS},loss={loss / 100:g}', '--warm-up', f'{start}', '--duration',
                f'{start + max(80, round(40 * seconds))}', *MEANS_ONLY), quick)


# Seconds by the number of TCP connections: a flow of one packet in a round-trip time is not measured before, until its
# history has forgotten the losses of TCP's start (at TFRC's loss-event rate beside as many connections). Faster flows
# need less. Other numbers of TCP connections would take too long.
FORGOTTEN = {1: 1200, 8: 300}


def shared_run(n, rate, name='', arguments=(), **more):
    """Slow flows run longer. Many flows run shorter, because they take more processor time."""
    flows = n + 2
    duration = (150 if rate <= 2 else 80) if n < 16 else (100 if rate <= 2 else 60)
    forgotten = FORGOTTEN.get(n, 0) / rate
    if not name and 1 <= rate <= 4 and forgotten > 30:
        duration = round(2 * forgotten)
        arguments = ('--warm-up', f'{round(forgotten)}', *arguments)
    numbers = {'rate': rate * BITS, 'n': n, 'bottleneck': flows * FAIR * BITS, 'queue': flows * FAIR * 1500, **more}
    return Run(f'open-loop-shared-{n}-{rate}{name}', 'open-loop-shared',
               ('--set', ','.join(f'{key}={value:g}' if isinstance(value, float) else f'{key}={value}'
                                  for key, value in numbers.items()),
                '--duration', f'{duration}', *MEANS_ONLY, *arguments), 0)


def rates_beside(n):
    """Section 4.1.4: less than half of the link. Beside many TCP connections only some rates: these runs are slow."""
    return [rate for rate in (RATES if n < 16 else (1, 32, 128)) if rate < (n + 2) * FAIR / 2]


LOSSY = {(loss, rate): lossy_run('open-loop-lossy', loss, rate, int(loss == 3 and rate in (1, 16, 128)))
         for loss in LOSSES for rate in RATES}
CLOSED = {loss: Run(f'open-loop-closed-{loss:g}', 'open-loop-closed', ('--set', f'loss={loss / 100:g}', *MEANS_ONLY),
                    int(loss == 3)) for loss in LOSSES}
SMALL = {rate: lossy_run('open-loop-small', 5, rate) for rate in RATES[:6]}
SHARED = {(n, rate): shared_run(n, rate) for n in CROWDS for rate in rates_beside(n)}
# One parameter changed: one packet in the longest round-trip time, with a full queue; a shorter run, so that histories
# still hold losses of the start, beside one and eight TCP connections; and hosts with random processing times.
SLOWER = shared_run(1, 0.4)
SHORTER = {rate: shared_run(1, rate, '-short') for rate in (1, 4)}
SHORTER_EIGHT = dataclasses.replace(shared_run(8, 1, '-short'), most=5)
JITTER = {(n, rate): shared_run(n, rate, '-hosts', processing=1 / ((n + 2) * FAIR * PACKETS_PER_SECOND))
          for n, rate in ((1, 1), (1, 16), (8, 64))}
# The queue drops at random, from 40 packets on.
RED = Run('open-loop-red-8-64', 'open-loop-red', ('--set', f'rate={64 * BITS}', '--duration', '80', *MEANS_ONLY), 0, 5)
RUNS = [*LOSSY.values(), *CLOSED.values(), *SMALL.values(), *SHARED.values(), SLOWER, *SHORTER.values(), SHORTER_EIGHT,
        *JITTER.values(), RED]
FIGURES = []

NOTES = [
    'A flow of constant rate crosses a path of 100 ms, and its receiver calculates the rate that TCP would get there. '
    '*LIP* is the loss-insensitive period of TFRC: losses within a round-trip time after the first one do not count. '
    'With *LAP*, the thesis\' loss-aggregation period, they do. Both are `lmcc_loss_intervals_new()`, with different '
    'windows (`loss-window` of elm: 1000000 and 1; its default, 3, is the thesis\' figure 33). Both see the same '
    'packets, and `lmcc_tcp_model_rate()` calculates the rate from them. *TFRC* is the library\'s TFMCC with one '
    'receiver, which is TFRC over multicast.',
    'The text gives no numbers for these figures, so all bars except those of rule *order* are this project\'s. *The '
    'same* means within 20 %; too high and too low mean beyond that. For equation 12 the number is the formula\'s. '
    'Figures 6 to 16 show LIP alone, 18 to 27 add LAP; each pair is one picture here. Figure 17 is a drawing of the '
    'TCP model\'s assumption, and figures 1 to 5 are drawings and the formula.',
]

# The text has no numbers; the figures' curves either follow one another or do not. Eight intervals with these weights
# are worth 36 / 5.2 = 6.9 equal ones, and the inverse of their mean is up to 1 / 5.9 = 17 % too high.
NEAR = SAME_TOLERANCE
NAMES = {'lip': 'LIP', 'lap': 'LAP', 'window': 'the window of 3 packets'}

NO_NUMBER = 'Not judged: the thesis gives no number.'
FIXED_ROUNDS = ('Equation 9 assumes that rounds follow one another whether packets are lost or not. A loss-insensitive '
                'period begins with a loss, and the next one begins with a loss after its end: equation 12, which LIP '
                'follows (rows below), is up to 0.24 lower with one or two losses in a round-trip time.')
# The losses of figure 3, percent.
EVENT_LOSSES = (0.1, 1, 10)
RISES = ('By equation 12 it rises, from 0.0068 to 0.0073, towards one event in each round-trip time. What falls is the '
         'ratio of LIP to the packet loss.')
FEW_LOSSES = ('Eight weighted intervals are worth 36 / 5.2 = 6.9 equal ones, and the inverse of the mean of so few '
              'intervals is up to 17 % too high if each contains one loss. If each contains many, as with LAP at 3 % '
              'and 64 packets/RTT, it is not.')
VIRTUAL = ('Ten lost packets of 100 bytes make one virtual loss here: virtual losses are more even than those of '
           'real packets, and fewer of them share a round-trip time. The thesis does not say how it counts them.')
TCP_TIMEOUTS = ('ns-3\'s TCP gets 0.8 of the formula\'s rate (491 kbit/s) at 3 % and 100 ms, as on the long paths of '
                'the thesis\' simulation 4.')
LOCKED = ('The loss history holds eight events, and beside few TCP connections at low rates the events of the start '
          'stay in it for minutes. These rows are measured after the history has forgotten them. The rows *from 30 to '
          '150 s* and *from 30 to 80 s* still contain them, and there LIP is farther from TFRC beside one TCP than '
          'beside eight: 5.8, 6.1 and 16.1 in three runs, and 2.3, 3.5 and 3.1. The thesis\' result may be its start; '
          'it does not say how long it ran.')
STARTED = ('The loss history still holds losses of TCP\'s start, as beside fewer TCP connections. Beside 32, from 30 '
           'to 100 s, LIP and LAP are 3.2 and 4.1 times TFRC\'s loss-event rate, and from 150 to 220 s 1.5 and 2.1 '
           'times. Beside 16 LIP is 4.4 times TFRC\'s, and from 270 to 400 s 2.4 times (one run each). The remaining '
           'difference is due to the packet rates: two packets in a round-trip time show the packet loss, and TFRC\'s '
           'more frequent packets show the loss events, which are 0.4 and 0.6 of the packet loss there.')
TAKES_MORE = ('TCP without delayed acknowledgements gets more: beside eight TCP connections TFRC has 0.74 of their '
              'rate, and 1.2 of the rate of TCP with delayed acknowledgements (one run each, 16 packets/RTT).')
AGGREGATES = ('A full queue drops several packets in a row, and LAP counts each of them. Compare the rows *the window '
              'of 3 packets*, elm\'s default, for the same packets.')
MORE_TCP = ('The measured time contains some 15 events: LIP beside 4 TCP connections is 0.0010, 0.0013 and 0.0013 in '
            'three runs, and 0.0011, 0.0015 and 0.0011 beside 32.')
FEW_EVENTS = 'TFRC has few loss events in 50 s: the three runs have 0.86, 0.72 and 0.59.'
TOO_LOW = ('Drop tail does not signal congestion to all flows alike, as section 5.2.4 of the thesis says. A flow of '
           'evenly spaced packets loses about half as many as TFRC (the row *ratio of packet loss to TFRC\'s*), and '
           'LAP equals the packet loss. With RED (rows below) and nothing else changed, both flows lose alike: 1.0, '
           '1.3 and 1.0 of TFRC\'s loss in three runs, and LAP is 1.0, 0.5 and 1.1 of TFRC. In one more run, with 0.7 '
           'and 0.3, TFRC lost its first packets and was still below 130 kbit/s at the end. TFRC\'s eight events are '
           'few, too: three runs with drop tail have 0.47, 1.06 and 0.70, two that measure 150 s instead of 50 s have '
           '0.56 and 0.84. Hosts with random processing times change little, and the window of 3 packets does not help '
           'either (rows below).')
QUEUED = ('The queue makes the round-trip time 0.18 to 0.25 s, so a round-trip time contains two packets. Compare the '
          'row *0.4 packets/RTT*, with one packet in 250 ms.')
FAIR_RATE = ('In the thesis LIP and TFRC meet where the constant rate is TFRC\'s own, which is the fair 16 packets '
             'there. Here TFRC has 9 to 12, because TCP without delayed acknowledgements gets more. At 8 packets the '
             'two are the same (a row below; three runs have 0.88, 1.07 and 0.92). With RED, where TFRC has 16 '
             'packets, LIP is 0.89 of it at 16. With TCP that delays acknowledgements, where TFRC has 19, it is 0.98 '
             '(one run each). One more run of the latter is of no use: TFRC lost its first packets and was at 50 '
             'kbit/s to the end. Eight events are few, too: three runs of this row have 0.71, 1.09 and 0.58.')


def estimated(name, key, flow='open-loop'):
    """The value of an estimator for a flow; nothing if the flow lost no packet."""
    def measure(replication):
        found = flows(replication, 'R', flow)[0]
        if 'estimates' not in found and not found['loss']:
            raise Unmeasured
        return found['estimates'][name][key]
    return measure


def loss_events(name='lip', flow='open-loop'):
    return estimated(name, 'loss-event-rate', flow)


def calculated(name):
    """kbit/s"""
    return lambda replication: estimated(name, 'calculated-rate')(replication) / 1e3


TFRC_LOSS = loss_events('own', 'tfrc')
TFRC_RATE = rate('R', 'tfrc')


def packet_loss(flow='open-loop'):
    return lambda replication: flows(replication, 'R', flow)[0]['loss']


def tcp(replication, key):
    """The mean over the TCP connections."""
    found = [flow[key] for node in replication['nodes'].values() for flow in node['flows'] if flow['name'] == 'tcp']
    return sum(found) / len(found)


def tcp_rate(replication):
    return tcp(replication, 'throughput') / 1e3


def near(where, text, first, second, paper, quote, **more):
    """Claims that two measures are the same; each is a run and a measure."""
    return same_claim(where, text, paper, (first[0].name, second[0].name), lambda a, b: first[1](a) / second[1](b),
                      quote=f'open-loop, {quote}', **more)


def near_value(where, text, run, measure, value, paper, quote, **more):
    return same_claim(where, text, paper, (run.name,), measure, value, quote=f'open-loop, {quote}', **more)


def ratio(where, text, first, second, paper, quote, least=0.0, most=math.inf, **more):
    """Claims that the first is above or below the second. A limit of 1 means that the paper states the order."""
    rule = {'rule': ORDER} if 1 in (least, most) else {}
    return Claim(where, text, paper, (first[0].name, second[0].name), lambda a, b: first[1](a) / second[1](b), least,
                 most, quote=f'open-loop, {quote}', **rule, **more)


def insensitive(loss, packets):
    """Equation 12: the loss-event rate of LIP for a loss rate in percent and a number of packets/RTT."""
    return 1 / (packets - 1 + 100 / loss)


EQUATION_12 = {'paper': 'Equation 12 shows that the loss interval becomes dependent on the number of packets',
               'quote': 'equation 12'}


def events_of(loss, packets):
    """Equation 9 for a loss rate in percent."""
    return (1 - (1 - loss / 100) ** packets) / packets


def _figure_3():
    """The two formulas, and LIP at a constant rate."""
    for loss in EVENT_LOSSES:
        runs = [LOSSY[loss, packets] for packets in RATES]
        yield more_claim('figure 3', f'{loss:g} %: LIP is higher at 1 packet/RTT than at 128',
                         (runs[0].name, loss_events()), (runs[-1].name, loss_events()),
                         'the loss event rate indeed sinks', quote='open-loop, figure 3')

        def deviation(*of_rates, loss=loss):
            return max(abs(statistics.fmean(map(loss_events(), each)) / events_of(loss, packets) - 1)
                       for packets, each in zip(RATES, of_rates))
        yield Claim('figure 3', f'{loss:g} %, 1 to 128 packets/RTT: largest relative deviation of LIP from equation '
                                '9', 'is given in Equation 9', tuple(run.name for run in runs), deviation, 0,
                    NEAR, rule=SAME, pooled=True, quote='open-loop, equation 9',
                    cause=FEW_LOSSES if loss < 1 else FIXED_ROUNDS)


def _lossy_overview():
    slow = {loss: LOSSY[loss, 1] for loss in LOSSES}
    fast = {loss: LOSSY[loss, 128] for loss in LOSSES}
    for loss in LOSSES:
        yield near_value('figures 6, 7', f'1 packet/RTT, {loss:g} %: LIP equals the packet loss', slow[loss],
                         loss_events(), loss / 100, 'almost equals true packet loss rate', 'figure 7', cause=FEW_LOSSES)
    for loss in LOSSES:
        yield near_value('figures 6, 8', f'16 packets/RTT, {loss:g} %: LIP is as in equation 12', LOSSY[loss, 16],
                         loss_events(), insensitive(loss, 16), cause=FEW_LOSSES, **EQUATION_12)
    for loss in LOSSES:
        yield near_value('figure 6', f'128 packets/RTT, {loss:g} %: LIP is as in equation 12', fast[loss],
                         loss_events(), insensitive(loss, 128), cause=FEW_LOSSES, **EQUATION_12)
    yield ratio('figure 6', '128 packets/RTT: LIP falls: ratio of LIP at 10 % to LIP at 5 %',
                (fast[10], loss_events()), (fast[5], loss_events()), 'starts to sink down', 'figure 6', most=1,
                cause=RISES)
    for name, figure, paper, limits in (
            ('lip', 'figure 6', 'only at very low sending rates', (math.log(1 + NEAR), math.inf)),
            ('lap', 'figure 18', 'independent of the CBR sending rate', (0, math.log(1 + NEAR)))):
        def of_loss(*replications, name=name):
            return max(abs(math.log(loss_events(name)(replication) / (loss / 100)))
                       for (loss, _), replication in zip(LOSSY, replications))
        yield Claim(figure, f'all rates and losses: largest distance of {name.upper()} from the packet loss, '
                            'logarithm', paper, tuple(run.name for run in LOSSY.values()), of_loss, *limits,
                    cause=FEW_LOSSES, quote=f'open-loop, {figure}')

    def unfair(*replications):
        rates = {loss: tcp_rate(replication) for loss, replication in zip(LOSSES, replications[len(LOSSY):])}
        return max(abs(math.log(calculated('lap')(replication) / rates[loss]))
                   for (loss, _), replication in zip(LOSSY, replications))
    yield beside('figure 18', 'all rates and losses: largest distance of LAP\'s rate from TCP\'s, logarithm', unfair,
                 *(run.name for run in (*LOSSY.values(), *CLOSED.values())), paper='no dramatic unfairness',
                 quote='open-loop, figure 18', cause=NO_NUMBER)


def _lossy_by_loss():
    for loss in LOSSES:
        yield near('figure 19', f'1 packet/RTT, {loss:g} %: ratio of LAP to LIP', (LOSSY[loss, 1], loss_events('lap')),
                   (LOSSY[loss, 1], loss_events()), 'closely follows CBR and TFRC', 'figure 19')
        yield near('figures 7, 19', f'1 packet/RTT, {loss:g} %: ratio of LAP to TFRC',
                   (LOSSY[loss, 1], loss_events('lap')), (CLOSED[loss], TFRC_LOSS), 'closely follows CBR and TFRC',
                   'figure 19', cause=FEW_LOSSES)
    for loss in LOSSES:
        yield near('figure 20', f'16 packets/RTT, {loss:g} %: ratio of LAP to TFRC',
                   (LOSSY[loss, 16], loss_events('lap')), (CLOSED[loss], TFRC_LOSS), 'LAP follows the closed-loop TFRC',
                   'figure 20', cause=FEW_LOSSES)
    for loss in (3, 5, 10):
        yield ratio('figures 8, 20', f'16 packets/RTT, {loss} %: LIP\'s rate is too high: ratio to TFRC\'s',
                    (LOSSY[loss, 16], calculated('lip')), (CLOSED[loss], TFRC_RATE),
                    'badly underestimates the congestion', 'figure 20', 1 + NEAR)


def _lossy_by_rate():
    equal = 'all operate almost equally over a wide range of sending rates'
    for packets in (1, 16, 128):
        for name in ('lip', 'lap'):
            yield near('figures 12, 24', f'0.1 %, {packets} packets/RTT: ratio of {name.upper()}\'s rate to TFRC\'s',
                       (LOSSY[0.1, packets], calculated(name)), (CLOSED[0.1], TFRC_RATE), equal, 'figure 24')
    yield near('figures 12, 24', '0.1 %: ratio of TFRC to TCP', (CLOSED[0.1], TFRC_RATE), (CLOSED[0.1], tcp_rate),
               equal, 'figure 24', cause=TCP_TIMEOUTS)
    yield beside('figures 13, 25', '3 %: ratio of TFRC to TCP', lambda r: TFRC_RATE(r) / tcp_rate(r), CLOSED[3].name,
                 cause=TCP_TIMEOUTS)
    yield ratio('figure 25', '3 %: LIP falls already at 8 packets/RTT: ratio to that at 1',
                (LOSSY[3, 8], loss_events()), (LOSSY[3, 1], loss_events()),
                'starts to sink already at eight packets per round-trip time', 'figure 25', most=1)
    for packets in RATES:
        yield near_value('figure 25', f'3 %, {packets} packets/RTT: LAP equals the packet loss', LOSSY[3, packets],
                         loss_events('lap'), 0.03, 'accurately measures the congestion over the whole span',
                         'figure 25',
                         cause=FEW_LOSSES)
    for packets in (32, 128):
        yield ratio('figures 13, 25', f'3 %, {packets} packets/RTT: LIP\'s rate is too high: ratio to TFRC\'s',
                    (LOSSY[3, packets], calculated('lip')), (CLOSED[3], TFRC_RATE), 'a too high calculated rate',
                    'figure 13', 1 + NEAR)


def _small():
    for packets, run in SMALL.items():
        yield near('figure 16', f'5 %, {packets * 10} packets of 100 bytes/RTT: ratio of virtual packets to real ones '
                                'of 1000 bytes', (run, loss_events('virtual')), (LOSSY[5, packets], loss_events()),
                   'similar to a CBR flow using packet size of 1000 bytes', 'figure 16', cause=VIRTUAL)
    yield ratio('figure 16', 'virtual packets fall, too, as the rate rises: ratio of 32 packets/RTT to 1',
                (SMALL[32], loss_events('virtual')), (SMALL[1], loss_events('virtual')),
                'the loss event rate of the VP flow sinks', 'figure 16, sinks', most=1)
    for packets in (1, 32):
        yield more_claim('figure 16', f'{packets * 10} packets of 100 bytes/RTT: virtual packets are above real ones',
                         (SMALL[packets].name, loss_events('virtual')), (SMALL[packets].name, loss_events()),
                         'above VP and below CBR', quote='open-loop, figure 16, caption')


def _shared_overview():
    fastest = SHARED[32, 128]
    yield Claim('figure 9', '32 TCP, 128 packets/RTT: LIP relative to the packet loss is higher than over the link '
                            'with 10 %', 'smaller compared to the artificially generated congestion',
                (fastest.name, LOSSY[10, 128].name),
                lambda a, b: loss_events()(a) / packet_loss()(a) - loss_events()(b) / packet_loss()(b), 0, math.inf,
                rule=ORDER, quote='open-loop, figure 9')
    for packets in rates_beside(32):
        yield beside('figure 21', f'32 TCP, {packets} packets/RTT: LAP is fairly good: ratio to TFRC',
                     lambda r: loss_events('lap')(r) / TFRC_LOSS(r), SHARED[32, packets].name, paper='fairly good',
                     quote='open-loop, figure 21', cause=STARTED if packets == 1 else NO_NUMBER)
    for name, figure, paper in (('lip', 'figures 9, 14', 'proportionally higher loss event rate at low'),
                                ('lap', 'figures 21, 26', 'overestimation of loss fraction')):
        yield ratio(figure, f'1 TCP, 1 packet/RTT: {name.upper()} is too high: ratio to TFRC',
                    (SHARED[1, 1], loss_events(name)), (SHARED[1, 1], TFRC_LOSS), paper,
                    'figure 9, low rates' if name == 'lip' else 'figure 21', 1 + NEAR, cause=LOCKED)


def _shared_by_crowd():
    for n in CROWDS:
        yield near('figure 22', f'1 packet/RTT, {n} TCP: ratio of LAP to LIP', (SHARED[n, 1], loss_events('lap')),
                   (SHARED[n, 1], loss_events()), 'follow the CBR like under artificial congestion', 'figure 22',
                   cause=QUEUED)
    yield ratio('figures 10, 22', '1 packet/RTT, 1 TCP: LIP\'s rate is too low: ratio to TCP\'s',
                (SHARED[1, 1], calculated('lip')), (SHARED[1, 1], tcp_rate), 'calculates a low rate', 'figure 10',
                most=1 - NEAR, cause=LOCKED)
    converge = 'start to converge to the TCP throughput'
    yield near('figures 10, 22', '1 packet/RTT, 32 TCP: ratio of LIP\'s rate to TCP\'s',
               (SHARED[32, 1], calculated('lip')), (SHARED[32, 1], tcp_rate), converge, 'figure 10', cause=STARTED)
    yield near('figures 10, 22', '1 packet/RTT, 32 TCP: ratio of TFRC to TCP', (SHARED[32, 1], TFRC_RATE),
               (SHARED[32, 1], tcp_rate), converge, 'figure 10', cause=TAKES_MORE)
    crowds = [n for n in CROWDS if (n, 32) in SHARED]
    for n in crowds:
        run = SHARED[n, 32]
        yield ratio('figure 11', f'32 packets/RTT, {n} TCP: LIP is too low: ratio to TFRC', (run, loss_events()),
                    (run, TFRC_LOSS), 'the loss event rate remains too low', 'figure 11', most=1 - NEAR)
        yield ratio('figures 11, 23', f'32 packets/RTT, {n} TCP: LIP\'s rate is too high: ratio to TFRC\'s',
                    (run, calculated('lip')), (run, TFRC_RATE), 'the calculated rate too high', 'figure 11', 1 + NEAR)
        yield near('figure 23', f'32 packets/RTT, {n} TCP: ratio of LAP\'s rate to TFRC\'s', (run, calculated('lap')),
                   (run, TFRC_RATE), 'LAP accurately follows the closed-loop TFRC', 'figure 23', cause=AGGREGATES)
    yield ratio('figure 11', '32 packets/RTT: LIP falls with the number of TCP: ratio of 32 to 4',
                (SHARED[32, 32], loss_events()), (SHARED[4, 32], loss_events()),
                'the estimated loss event rate decreases', 'figure 11, decreases', most=1, cause=MORE_TCP)
    yield more_claim('figure 11', '32 packets/RTT: TCP\'s packet loss is higher with 4 TCP than with 32',
                     (SHARED[4, 32].name, lambda r: tcp(r, 'loss')), (SHARED[32, 32].name, lambda r: tcp(r, 'loss')),
                     'the TCP packet loss rate at left is above the Figure border', cause=MORE_TCP,
                     quote='open-loop, figure 11, border')


def _shared_by_rate():
    lip = {1: (14, 16, 'At very low sending rates the estimated loss event rate is too high',
               'At high sending rates it is too low', ''),
           8: (15, 64, 'overestimation of loss event rate is still visible at very low sending rates',
               'a significantly too low estimate', 'overshooting calculated rate')}
    lap = {1: (26, 'LAP performs equally to LIP', 'LAP starts to follow TFRC', 'while CBR takes more distance',
               'figure 26'),
           8: (27, *('The same pattern',) * 3, 'figure 27')}
    for n in (1, 8):
        figure, high, slow_high, fast_low, fast_rate = lip[n]
        lap_figure, slow_lap, fast_lap, farther, lap_quote = lap[n]
        slow, fast = SHARED[n, 1], SHARED[n, high]
        figures, quote = f'figures {figure}, {lap_figure}', f'figure {figure}'
        if n > 1:
            yield ratio(figures, f'{n} TCP, 1 packet/RTT: LIP is too high: ratio to TFRC', (slow, loss_events()),
                        (slow, TFRC_LOSS), slow_high, quote, 1 + NEAR, cause=LOCKED)
            yield near('figure 15', f'{n} TCP, 16 packets/RTT, the fair rate: ratio of LIP to TFRC', (SHARED[n, 16],
                       loss_events()), (SHARED[n, 16], TFRC_LOSS), 'CBR and TFRC converge at the theoretical fair rate',
                       'figure 15, fair rate', cause=FAIR_RATE)
        yield ratio(figures, f'{n} TCP, {high} packets/RTT: LIP is too low: ratio to TFRC', (fast, loss_events()),
                    (fast, TFRC_LOSS), fast_low, quote, most=1 - NEAR, cause=FEW_EVENTS if n == 1 else '')
        too_high = ratio(figures, f'{n} TCP, {high} packets/RTT: LIP\'s rate is too high: ratio to TFRC\'s',
                         (fast, calculated('lip')), (fast, TFRC_RATE), fast_rate, quote, 1 + NEAR)
        # For one TCP connection the thesis gives the loss event rate alone.
        yield too_high if fast_rate else beside(figures, too_high.text, too_high.measure, *too_high.runs)
        yield near(f'figure {lap_figure}', f'{n} TCP, 1 packet/RTT: ratio of LAP to LIP', (slow, loss_events('lap')),
                   (slow, loss_events()), slow_lap, lap_quote, cause=QUEUED)
        yield near(f'figure {lap_figure}', f'{n} TCP, {high} packets/RTT: ratio of LAP to TFRC',
                   (fast, loss_events('lap')), (fast, TFRC_LOSS), fast_lap, lap_quote,
                   cause=AGGREGATES if n == 1 else TOO_LOW)
        yield more_claim(f'figure {lap_figure}', f'{n} TCP, {high} packets/RTT: LAP is farther from LIP than from '
                                                 'TFRC, logarithms',
                         (fast.name, lambda r: abs(math.log(loss_events('lap')(r) / loss_events()(r)))),
                         (fast.name, lambda r: abs(math.log(loss_events('lap')(r) / TFRC_LOSS(r)))), farther,
                         cause=AGGREGATES, quote=f'open-loop, {lap_quote}')


def _tried():
    """One parameter changed, or the thesis gives no number."""
    for n, packets in ((1, 16), (8, 64)):
        for run, hosts in ((SHARED[n, packets], ''), (JITTER[n, packets], ', hosts with random processing times')):
            for name in ('lap', 'window'):
                if hosts or name == 'window':
                    yield beside(f'figure {26 if n == 1 else 27}', f'{n} TCP, {packets} packets/RTT{hosts}: '
                                 f'ratio of {NAMES[name]} to TFRC',
                                 lambda r, name=name: loss_events(name)(r) / TFRC_LOSS(r), run.name)
    yield beside('figure 15', '8 TCP, 8 packets/RTT, near TFRC\'s own rate: ratio of LIP to TFRC',
                 lambda r: loss_events()(r) / TFRC_LOSS(r), SHARED[8, 8].name)
    for run, queue in ((SHARED[8, 64], ''), (RED, ', RED')):
        yield beside('figure 27', f'8 TCP, 64 packets/RTT{queue}: ratio of packet loss to TFRC\'s',
                     lambda r: packet_loss()(r) / packet_loss('tfrc')(r), run.name)
    yield beside('figure 27', '8 TCP, 64 packets/RTT, RED: ratio of LAP to TFRC',
                 lambda r: loss_events('lap')(r) / TFRC_LOSS(r), RED.name)
    yield beside('figure 22', '0.4 packets/RTT, 1 TCP: ratio of LAP to LIP',
                 lambda r: loss_events('lap')(r) / loss_events()(r), SLOWER.name)
    for packets, length in ((1, 'from 30 to 150 s'), (4, 'from 30 to 80 s')):
        for run, seconds in ((SHARED[1, packets], 'after the start is forgotten'), (SHORTER[packets], length)):
            for name in ('lip', 'lap'):
                yield beside('figure 26', f'{packets} packets/RTT, 1 TCP, {seconds}: ratio of {NAMES[name]} to TFRC',
                             lambda r, name=name: loss_events(name)(r) / TFRC_LOSS(r), run.name)
    yield beside('figure 26', '1 packet/RTT, 1 TCP, from 30 to 150 s, hosts with random processing times: ratio of LIP '
                              'to TFRC',
                 lambda r: loss_events()(r) / TFRC_LOSS(r), JITTER[1, 1].name)
    yield beside('figure 27', '1 packet/RTT, 8 TCP, from 30 to 150 s: ratio of LIP to TFRC',
                 lambda r: loss_events()(r) / TFRC_LOSS(r), SHORTER_EIGHT.name)
    yield more_claim('figure 27', '1 packet/RTT: LIP is farther from TFRC beside one TCP than beside eight',
                     (SHARED[1, 1].name, lambda r: loss_events()(r) / TFRC_LOSS(r)),
                     (SHARED[8, 1].name, lambda r: loss_events()(r) / TFRC_LOSS(r)),
                     'not as clear and radical as with only one competing TCP source', cause=LOCKED,
                     quote='open-loop, figure 27, radical')


CLAIMS = [*_figure_3(), *_lossy_overview(), *_lossy_by_loss(), *_lossy_by_rate(), *_small(), *_shared_overview(),
          *_shared_by_crowd(), *_shared_by_rate(), *_tried()]


def _plot(axis, results, x, runs, of, label, **style):
    """Returns the means."""
    found, half = means(results, runs, lambda _: of)
    axis.errorbar(x, found, half, label=label, capsize=2, linewidth=1, markersize=4, **style)
    return found


def _compare(axes, results, x, runs, closed, tcp_loss=False):
    """Loss and rate of LIP, LAP, TFRC and TCP, as the paper's figures have them."""
    for name, marker in (('lip', 'o'), ('lap', 's')):
        _plot(axes[0], results, x, runs, loss_events(name), name.upper(), marker=marker)
        _plot(axes[1], results, x, runs, calculated(name), name.upper(), marker=marker)
    _plot(axes[0], results, x, closed, TFRC_LOSS, 'TFRC', marker='^', color='tab:green')
    _plot(axes[1], results, x, closed, TFRC_RATE, 'TFRC', marker='^', color='tab:green')
    if tcp_loss:
        _plot(axes[0], results, x, closed, lambda r: tcp(r, 'loss'), 'TCP, packet loss rate', marker='x',
              color='tab:grey', linestyle='--')
    _plot(axes[1], results, x, closed, tcp_rate, 'TCP', marker='x', color='tab:grey')
    axes[0].set(ylabel='loss-event rate', ylim=(0, None))
    axes[1].set(ylabel='calculated rate, kbit/s', ylim=(0, None))


def _numbers(axis, name, values):
    """Sets a logarithmic scale with these numbers as ticks."""
    axis.set(xlabel=name, xscale='log')
    axis.set_xticks(values, [str(value) for value in values])
    axis.set_xticks([], minor=True)


def _logarithmic(axis, means_drawn=()):
    """Sets a logarithmic scale with ticks within a decade, too. An interval that ends near zero would take most of the
    scale: if means are given, the scale begins at half of the smallest."""
    from matplotlib.ticker import LogLocator

    axis.set_yscale('log')
    axis.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.yaxis.set_major_formatter('{x:g}')
    positive = [mean for mean in means_drawn if mean > 0]
    if positive:
        axis.set_ylim(bottom=min(positive) / 2)


def _by_loss(packets):
    def draw(axes, results):
        _compare(axes, results, [loss / 100 for loss in LOSSES], [LOSSY[loss, packets] for loss in LOSSES],
                 list(CLOSED.values()))
        _logarithmic(axes[1])
        axes[1].set_ylim(50, 8000)
        for axis in axes:
            axis.set_xlabel('packet loss rate')
    return draw


def _by_rate(runs, closed=None):
    def draw(axes, results):
        others = [closed] * len(runs) if closed else list(runs.values())
        _compare(axes, results, list(runs), list(runs.values()), others, closed is None)
        for axis in axes:
            _numbers(axis, 'sending rate, packets/RTT', list(runs))
    return draw


def _by_crowd(packets):
    def draw(axes, results):
        runs = {n: SHARED[n, packets] for n in CROWDS if (n, packets) in SHARED}
        _compare(axes, results, list(runs), list(runs.values()), list(runs.values()), True)
        for axis in axes:
            _numbers(axis, 'TCP connections', list(runs))
    return draw


def _overview(runs, name, unit):
    """One curve over the rates for each loss or number of TCP connections."""
    def draw(axes, results):
        drawn = {axis: [] for axis in axes}
        for first in dict.fromkeys(first for first, _ in runs):
            own = {packets: run for (each, packets), run in runs.items() if each == first}
            for axis, of in zip(axes, (loss_events(name), calculated(name))):
                drawn[axis] += _plot(axis, results, list(own), list(own.values()), of, f'{first:g}{unit}', marker='.')
        axes[0].set_ylabel(f'loss-event rate, {name.upper()}')
        axes[1].set_ylabel('calculated rate, kbit/s')
        for axis in axes:
            _logarithmic(axis, drawn[axis])
            _numbers(axis, 'sending rate, packets/RTT', RATES)
    return draw


def _draw_probabilities(axes, results):
    """Equations 8 and 9 as curves, LIP as points."""
    for i, loss in enumerate(EVENT_LOSSES):
        runs = [LOSSY[loss, packets] for packets in RATES]
        found, half = means(results, runs, lambda _: loss_events())
        for axis, scale in zip(axes, (RATES, [1] * len(RATES))):
            axis.plot(RATES, [n * events_of(loss, packets) for n, packets in zip(scale, RATES)], color=f'C{i}',
                      label=f'formula, {loss:g} %')
            axis.errorbar(RATES, [n * each for n, each in zip(scale, found)],
                          [n * each for n, each in zip(scale, half)], color=f'C{i}', marker='o', markersize=4,
                          linestyle='', label=f'LIP, {loss:g} %')
            _numbers(axis, 'sending rate, packets/RTT', RATES)
    axes[0].set(ylabel='loss events per round-trip time', ylim=(0, None))
    axes[1].set_ylabel('loss events per packet')
    _logarithmic(axes[1])


def _small_picture(axes, results):
    x = list(SMALL)
    _plot(axes[0], results, x, [LOSSY[5, packets] for packets in SMALL], loss_events(), '1000 bytes', marker='o')
    _plot(axes[0], results, x, list(SMALL.values()), loss_events(), '100 bytes', marker='s')
    _plot(axes[0], results, x, list(SMALL.values()), loss_events('virtual'), '100 bytes, virtual packets', marker='^')
    axes[0].set(ylabel='loss-event rate', ylim=(0, None))
    _numbers(axes[0], 'sending rate, kB/RTT', list(SMALL))


PICTURES = [
    Picture('open-loop-3', 'Figure 3: equations 8 (left) and 9, and the results of LIP at these rates.', 2,
            _draw_probabilities),
    Picture('open-loop-6', 'Figure 6: LIP over lossy paths.', 2, _overview(LOSSY, 'lip', ' %')),
    Picture('open-loop-18', 'Figure 18: LAP over lossy paths.', 2, _overview(LOSSY, 'lap', ' %')),
    Picture('open-loop-19', 'Figures 7 and 19: 1 packet in a round-trip time over lossy paths.', 2, _by_loss(1)),
    Picture('open-loop-20', 'Figures 8 and 20: 16 packets in a round-trip time over lossy paths.', 2, _by_loss(16)),
    Picture('open-loop-24', 'Figures 12 and 24: 0.1 % of loss.', 2,
            _by_rate({packets: LOSSY[0.1, packets] for packets in RATES}, CLOSED[0.1])),
    Picture('open-loop-25', 'Figures 13 and 25: 3 % of loss.', 2,
            _by_rate({packets: LOSSY[3, packets] for packets in RATES}, CLOSED[3])),
    Picture('open-loop-16', 'Figure 16: LIP with packets of 1000 and 100 bytes at 5 % of loss.', 1, _small_picture),
    Picture('open-loop-9', 'Figure 9: LIP beside TFRC and TCP.', 2, _overview(SHARED, 'lip', ' TCP')),
    Picture('open-loop-21', 'Figure 21: LAP beside TFRC and TCP.', 2, _overview(SHARED, 'lap', ' TCP')),
    Picture('open-loop-22', 'Figures 10 and 22: 1 packet in a round-trip time beside TFRC and TCP.', 2, _by_crowd(1)),
    Picture('open-loop-23', 'Figures 11 and 23: 32 packets in a round-trip time beside TFRC and TCP.', 2,
            _by_crowd(32)),
    Picture('open-loop-26', 'Figures 14 and 26: one TCP.', 2,
            _by_rate({packets: SHARED[1, packets] for packets in rates_beside(1)})),
    Picture('open-loop-27', 'Figures 15 and 27: eight TCP.', 2,
            _by_rate({packets: SHARED[8, packets] for packets in rates_beside(8)})),
]
