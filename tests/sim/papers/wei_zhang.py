# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Wei and Zhang, "On Receiver-Driven Layered Multicast Transmission", UCLA 2000, section IV."""
import math
import statistics

from papers.claims import (ORDER, RATE_TOLERANCE, RENO, Claim, Picture, Run, beside, jain_index, means, more_claim,
                           same_claim)

NAME = 'wei-zhang'
TITLE = 'Synchronized layered multicast (Wei and Zhang 2000)'
# The paper mentions none.
REPLICATIONS = 5

LINK = 15e6
# No level is above 8 Mbit/s, because four sessions and four TCP connections have 1.9 Mbit/s each. There are 64 layers
# at most.
TOP = 8e6
# Measured seconds of a run, from 18 to 33 s.
MEASURED = 15
PACKET_BITS = 8 * 1000
# Layers that begin together and have one rate always send their packets at the same instants. The structure 'apart' has
# linear layers whose rates differ by up to this fraction, evenly spread (multiples of the golden ratio).
APART = 0.05
GOLDEN = (math.sqrt(5) - 1) / 2


def layers(structure, base):
    count = min(64, math.ceil(TOP / base))
    if structure == 'linear':
        return f'linear:{base}:{count}'
    if structure == 'apart':
        above = (round(base * (1 + APART * (2 * (i * GOLDEN % 1) - 1))) for i in range(1, count))
        return f'list:{",".join(str(rate) for rate in (base, *above))}'
    return f'multiplicative:{base}:2:{math.floor(math.log2(LINK / base)) + 1}'


def simulate(n, slot, base, structure='linear', quick=0, suffix='', arguments=(), most=15, **more):
    """A run named after its parameters (slot in ms, base in kbit/s), or after a suffix for other arguments."""
    # Round-trip times from 44 to 44 + 2n/3, at most 76 ms; a session has two users if there are two nodes.
    numbers = {'n': n, 'slot': slot / 1e3, 'farthest': round(0.011 + min(n / 3, 16) / 1e3, 5), 'users': min(n, 2),
        **more}
    name = '-'.join(['wei-zhang', str(n), f'{slot}ms', f'{base}k', *([structure] if structure != 'linear' else []),
                     *(f'{key}-{value}' for key, value in more.items()), *([suffix] if suffix else [])])
    setting = ','.join(f'{key}={value}' for key, value in numbers.items())
    return Run(name, 'wei-zhang', ('--set', setting, '--layers', layers(structure, base * 1000), *arguments), quick,
               most)


TIMERS = (80, 160, 250, 500)
BASES = {80: (100, 200, 400, 800, 1600), 160: (100, 200, 400, 800, 1600), 250: (50, 100, 200, 400, 800, 1600)}
EXPONENTIAL_BASES = (50, 100, 400, 1600)
CROWDS = (2, 4, 8, 16, 24, 32)
# Table I has 333 ms for 40 sessions, but 24 kbit/s send not quite a packet in this time.
TABLE = {1: (160, 1600), 2: (160, 800), 4: (160, 500), 8: (160, 200), 16: (160, 100), 24: (160, 50), 32: (250, 32),
         40: (334, 24), 48: (500, 16)}

BY_TIMER = [simulate(4, timer, 400, quick=int(timer in (80, 500))) for timer in TIMERS]
# As many packets of the base in a slot as at 80 ms.
BY_TIMER_EVEN = [BY_TIMER[0], simulate(4, 160, 200), simulate(4, 320, 100)]
BY_BASE = {timer: [simulate(4, timer, base, quick=int(timer == 80 and base == 100)) for base in bases]
           for timer, bases in BASES.items()}
BY_BASE_EXPONENTIAL = [simulate(4, 250, base, 'exponential', quick=int(base == 1600)) for base in EXPONENTIAL_BASES]
CROWD = {structure: [simulate(n, 250, 32, structure) for n in CROWDS] for structure in ('linear', 'exponential')}
FAIR = [simulate(n, *TABLE[n], quick=int(n in (8, 48))) for n in TABLE]
# One parameter changed: smaller packets, and a buffer of ten times as many packets.
SMALL = simulate(48, *TABLE[48], size=250)
DEEP = simulate(8, *TABLE[8], packets=400)
# Base and timer of 24 sessions.
FAST = simulate(48, *TABLE[24])
DELAYED = simulate(48, *TABLE[48], suffix='reno', arguments=RENO)
# A minute later.
LATER = {structure: simulate(4, 250, 50, structure, suffix='later', arguments=('--duration', '93', '--warm-up', '63'))
         for structure in ('linear', 'exponential')}
LATER_CROWD = simulate(8, 250, 32, suffix='later', arguments=('--duration', '93', '--warm-up', '63'))
# Layers that do not send at the same instants: figure 12, figure 13 and equation 16.
APART_CROWD = {n: simulate(n, 250, 32, 'apart', most=5) for n in (2, 4, 8)}
APART_FAIR = {n: simulate(n, *TABLE[n], 'apart', most=5) for n in (2, 8, 16, 24)}
APART_TIMERS = [simulate(4, 80, 400, 'apart', most=5), simulate(4, 320, 100, 'apart', most=5)]

RUNS = list({run.name: run for run in [
    *BY_TIMER, *BY_TIMER_EVEN, *BY_BASE[80], *BY_BASE[160], *BY_BASE[250], *BY_BASE_EXPONENTIAL, *FAIR,
    *CROWD['linear'],
    *CROWD['exponential'], SMALL, DEEP, FAST, DELAYED,
    *LATER.values(), LATER_CROWD, *APART_CROWD.values(), *APART_FAIR.values(), *APART_TIMERS]}.values())
FIGURES = []


def rates(replication, name):
    return [flow['throughput'] for node in replication['nodes'].values() for flow in node['flows']
            if flow['name'] == name]


def mean(name):
    return lambda replication: statistics.fmean(rates(replication, name))


def fair(run):
    """A flow's even share: 1/2N of the link."""
    n = int(run.name.split('-')[2])
    return LINK / (2 * n)


def normalized(run, name='mcc'):
    return lambda replication: mean(name)(replication) / fair(run)


def utilization(run):
    """Of the link, which carries each session once, because all users of a session are behind it."""
    n = int(run.name.split('-')[2])
    return lambda replication: n * (mean('mcc')(replication) + mean('tcp')(replication)) / LINK


def jain(name):
    return lambda replication: jain_index(rates(replication, name))


# The index of sessions with one throughput, whose deviation is RATE_TOLERANCE of the mean.
ONE_THROUGHPUT = 1 / (1 + RATE_TOLERANCE ** 2)


def lowest(replication):
    """The worst user's rate relative to the mean."""
    each = rates(replication, 'mcc')
    return min(each) / statistics.fmean(each)


def spread(name):
    return lambda replication: statistics.pstdev(rates(replication, name)) / mean(name)(replication)


def over_tcp(replication):
    return mean('mcc')(replication) / mean('tcp')(replication)


def users(replication):
    return [flow for node in replication['nodes'].values() for flow in node['flows'] if flow['name'] == 'mcc']


def equation(slot, base, loss):
    """Equation 16 for linear layers, with the K' of many layers, sqrt (m)."""
    packets = base * slot / PACKET_BITS
    return math.sqrt(packets) * PACKET_BITS / (slot / 1e3) / math.sqrt(max(loss, 1e-6))


def over_equation(n):
    """At the mean user's loss rate."""
    return lambda replication: mean('mcc')(replication) / equation(
        *TABLE[n], statistics.fmean(flow['loss'] for flow in users(replication)))


def event_rate(flow):
    """Each leave is a loss event, and half of the level changes are leaves. Relative to all packets, lost ones too."""
    return flow['level-changes'] / 2 * (1 - flow['loss']) / (flow['throughput'] * MEASURED / PACKET_BITS)


def over_equation_at_events(slot, base):
    """The mean user, each at its own rate of loss events."""
    return lambda replication: statistics.fmean(flow['throughput'] / equation(slot, base, event_rate(flow))
                                                for flow in users(replication))


def exponent(runs):
    """x in throughput ~ timer^x, from the first and the last run."""
    def timer(run):
        return float(run.name.split('-')[3].removesuffix('ms'))
    span = math.log(timer(runs[-1]) / timer(runs[0]))
    return lambda first, last: math.log(mean('mcc')(last) / mean('mcc')(first)) / span


def pair(text, where, first, second, paper, quote, measure=lambda run: mean('mcc'), **more):
    return more_claim(where, text, (first.name, measure(first)), (second.name, measure(second)), paper,
                      quote=f'wei-zhang, {quote}', **more)


def threshold(bases):
    """The base at which the throughput is half of that at the largest base, kbit/s, on a logarithmic scale between
    the bases that were run; takes one replication for each base."""
    def base(*replications):
        found = [mean('mcc')(each) for each in replications]
        half = found[-1] / 2
        above = next(i for i, rate in enumerate(found) if rate >= half)
        if above == 0:
            return float(bases[0])
        part = (half - found[above - 1]) / (found[above] - found[above - 1])
        return bases[above - 1] * (bases[above] / bases[above - 1]) ** part
    return base


BASE_COUNTS = ('In equation 16 K\' contains m = B_0 tau_0 / s, so the throughput should grow with the square root of'
               ' B_0. It does so roughly: at 80 ms it is 0.74, 1.13, 0.92, 1.59 and 1.58 of an even share from 100 '
               'to 1600 kbit/s, and less at 400 than at 200. It is level only from 800 on, where the TCP '
               'connections have given way, down to a quarter of their share.')
ROOT = ('By equation 16 the throughput falls with the square root of the timer, because K\' contains m = B_0 tau_0 / '
        's. With B_0 changed so that m is constant, and layers that do not send at the same instants (a row below), '
        'the exponent is near -1.')
EQUATION = ('The paper\'s own equations say so: by 16 a session gets K\' s / (tau_0 sqrt (p)), which the last rows of '
            'this table check, and by 18 TCP gets c s / (R sqrt (p)). The two are equal if tau_0 / K\' is R / c (28), '
            'some 60 ms. Table I has longer timers for more sessions. With the timer and base of 24 sessions and an '
            'unchanged K\', 48 sessions get several times as much (a row below); with TCP of the paper\'s time a '
            'little more; with packets of 250 bytes no more.')
EVENTS = ('K\' assumes many layers (sqrt (m)) and counts a leave as one loss event. If a session has few layers, as '
          'with one session and one TCP and table I, neither holds well. The rest was not investigated.')
BURSTS = ('Not judged: the equation takes each user\'s own rate of loss events. This row takes the mean user\'s packet '
          'loss rate, and users of one run lose from 0.003 to 0.19 of their packets (16 of each), as with the fairness '
          'index of figure 12.')
NO_THRESHOLD = ('Here the throughput has no level part where the paper has one (figure 9). This row shows the slope of '
                'the square root of B_0, each time from another largest value.')
LOCKED = ('Linear layers begin together and have one rate, so a session sends bursts with one packet of each layer,'
          ' always at the same point of another session\'s bursts: the same session keeps losing. With rates that '
          'differ by up to 5 % and nothing else changed (the rows *layers apart*) the index is 0.98 to 0.99 up to 8'
          ' sessions, and was 0.97 and 0.98 for 16 and 24 (one run each). With hosts that take a random time of up '
          'to 20 ms for a packet it was 0.99 for 8 sessions (one run). The small number of steps within 15 s is not'
          ' the cause: a minute later the index is hardly higher (a row below).')
DOUBLING = ('The causes are steps of a factor of two, few steps in 15 s, and bursts. With 8 sessions the index is 0.97 '
            'if measured over 120 s, 0.95 and 0.96 (two runs) with hosts that take a random time of up to 20 ms for a '
            'packet, and 0.99 with both. Upper layers with other rates, by up to 6 %, have no effect: 0.95.')
WORST = ('Not explained. Tried in one run each: 32 linear sessions that begin 0.1 s or a whole tau_0 apart, so that '
         'all their packets meet, have 0.72 and 0.74. With TCP of the paper\'s time they have 0.76, with layers apart '
         '0.74. 24 exponential sessions a tau_0 apart have 0.74, with TCP of the paper\'s time 0.72.')
SPREAD = ('The deviation is relative to each kind\'s own mean. Up to 24 of each, except for 4, the sessions spread '
          'more, for the same reason as with the fairness index of figure 12: with layers apart (rows below) TCP '
          'spreads more. TCP of the paper\'s time is not the reason there: with 16 of each it spreads by 0.34 instead '
          'of 0.14, and the sessions by 0.83 (one run). From 32 on it is the reason: with layers apart sessions spread '
          'by 0.18 and TCP by 0.16, with TCP of that time by 0.12 and 0.49 (one run each). A row below has 48 of each.')
SAME_LEVELS = ('The two structures have the same two lowest levels, 1.6 and 3.2 Mbit/s, and an even share is 1.9 '
               'Mbit/s: linear layers are above these levels 3 % of the time (a row below). With TCP of the paper\'s '
               'time linear layers use 0.86 and 0.88 of the link and exponential layers 0.87 and 0.88 (two runs each); '
               'with hosts that take up to 5 ms they use 0.87 and 0.87 (one run each). Neither is the cause.')
M_HELD = ('The reason is bursts of layers with one rate, as for the fairness index of figure 12: with layers apart '
          '(the next row) it is within the limits.')
OWN = ('By equations 22 and 26 layers that double get no more than linear ones at the same loss, namely sqrt ((alpha + '
       '1) / 2) of their rate, and each of their joins causes more loss. Linear layers need time, because the '
       'intervals grow with the number of the layer: the rows below show both structures a minute later.')


def _timers():
    for longer, shorter in zip(BY_TIMER[1:], BY_TIMER):
        slots = [run.name.split('-')[3].removesuffix('ms') for run in (longer, shorter)]
        yield Claim('figure 8', f'the throughput falls with tau_0: ratio of {slots[0]} ms to {slots[1]} ms',
                    'declines with the synchronization timer', (longer.name, shorter.name),
                    lambda a, b: mean('mcc')(a) / mean('mcc')(b), 0, 1, rule=ORDER, quote='wei-zhang, figure 8')
    inverse = {'paper': 'inversely proportional to the base layer synchronization timer',
               'quote': 'wei-zhang, section VI'}
    for text, runs, cause in (('inversely proportional to tau_0 (80 to 500 ms): exponent', (BY_TIMER[0], BY_TIMER[3]),
                               ROOT),
                              ('the same with constant B_0 tau_0 (80 to 320 ms): exponent',
                               (BY_TIMER_EVEN[0], BY_TIMER_EVEN[-1]), M_HELD)):
        yield Claim('section VI', text, runs=tuple(run.name for run in runs), measure=exponent(runs), least=-1.25,
                    most=-0.75, cause=cause, **inverse)
    yield beside('section VI', 'the same with constant B_0 tau_0, layers apart (80 to 320 ms): exponent',
                 exponent(APART_TIMERS), *(run.name for run in APART_TIMERS))


def _bases():
    by_base = dict(zip(BASES[80], BY_BASE[80]))
    slow = dict(zip(BASES[250], BY_BASE[250]))
    yield Claim('figure 9', 'tau_0 = 80 ms: below a threshold of B_0 the throughput is low (ratio of 100 to 400 '
                            'kbit/s)', 'substantially low', (by_base[100].name, by_base[400].name),
                lambda a, b: mean('mcc')(a) / mean('mcc')(b), 0, 0.5, cause=BASE_COUNTS, quote='wei-zhang, figure 9')
    for larger, smaller in ((1600, 800), (800, 400)):
        yield same_claim('figure 9', f'above it the throughput is independent of B_0 (ratio of {larger} to {smaller} '
                                     'kbit/s)', 'the layered multicast flow is independent',
                         (by_base[larger].name, by_base[smaller].name),
                         lambda a, b: mean('mcc')(a) / mean('mcc')(b), tolerance=RATE_TOLERANCE, cause=BASE_COUNTS,
                         quote='wei-zhang, figure 9, above')
    for longer, shorter in ((160, 80), (250, 160)):
        runs = [run.name for timer in (longer, shorter) for run in BY_BASE[timer]]
        yield Claim('figure 10', f'the threshold of B_0 rises with tau_0: ratio of {longer} ms to {shorter} ms (the '
                                 'throughput there is half of that at 1600 kbit/s)',
                                 'increases with the synchronization timer',
                    tuple(runs), lambda *each, longer=longer, shorter=shorter:
                    threshold(BASES[longer])(*each[:len(BASES[longer])])
                    / threshold(BASES[shorter])(*each[len(BASES[longer]):]), 1, math.inf, rule=ORDER,
                    cause=NO_THRESHOLD, quote='wei-zhang, figure 10')
    yield from _structures(slow)


def _structures(slow):
    exponential = dict(zip(EXPONENTIAL_BASES, BY_BASE_EXPONENTIAL))
    for base in (50, 100):
        yield pair(f'tau_0 = 250 ms, B_0 = {base} kbit/s: exponential layers get more than linear ones, bit/s',
                   'figure 11', exponential[base], slow[base], 'more aggressive than the flows with the linear layer',
                   'figure 11', cause=OWN)
    for structure in ('linear', 'exponential'):
        yield beside('figure 11', f'tau_0 = 250 ms, B_0 = 50 kbit/s, {structure}, a minute later',
                     lambda r: mean('mcc')(r) / 1e3, LATER[structure].name, unit='kbit/s')
    yield pair('B_0 = 1600 kbit/s: linear layers use more of the link than exponential ones', 'figure 11', slow[1600],
               exponential[1600], 'utilize the link bandwidth more efficiently', 'figure 11, large', utilization,
               cause=SAME_LEVELS)
    yield beside('figure 11', 'B_0 = 1600 kbit/s, linear layers: fraction of the time above the common levels',
                 lambda r: statistics.fmean(sum(flow['time-at-level'][2:]) / sum(flow['time-at-level'])
                                            for flow in users(r)), slow[1600].name)


def _crowds():
    for structure, runs in CROWD.items():
        linear = structure == 'linear'
        for n, run in zip(CROWDS, runs):
            if n < (32 if linear else 24):
                yield Claim('figure 12', f'{n} sessions, {structure} layers: one throughput for all, fairness index',
                            'the same average throughput' if linear else 'within a narrow range', (run.name,),
                            jain('mcc'), ONE_THROUGHPUT, 1, cause=LOCKED if linear else DOUBLING,
                            quote=f'wei-zhang, figure 12, {structure}')
            else:
                yield Claim('figure 12', f'{n} sessions, {structure} layers: some users get much less: ratio of the '
                                         'worst to the mean',
                            'substantially lower throughput' if linear else 'much lower bandwidth share', (run.name,),
                            lowest, 0, 0.5, cause=WORST, quote='wei-zhang, figure 12, much less')
    yield beside('figure 12', '8 sessions, linear layers, a minute later: fairness index', jain('mcc'),
                 LATER_CROWD.name)
    for n, run in APART_CROWD.items():
        yield beside('figure 12', f'{n} sessions, linear layers apart: fairness index', jain('mcc'), run.name)
    for n, linear, exponential in zip(CROWDS, CROWD['linear'], CROWD['exponential']):
        yield pair(f'{n} sessions: exponential layers get more than linear ones, bit/s', 'figure 12', exponential,
                   linear, 'achieved higher throughput than the flows with linear layers', 'figure 12, structures',
                   cause=OWN)


def _fairness():
    for n, run in zip(TABLE, FAIR):
        yield same_claim('figure 13', f'{n} of each, table I: ratio of a session to TCP',
                         'compatible to the throughput of the TCP flows', (run.name,), over_tcp, cause=EQUATION,
                         quote='wei-zhang, figure 13')
    for text, run in (('8 of each, with 400 packets of buffer', DEEP), ('48 of each, with packets of 250 bytes', SMALL),
                      ('48 of each, with the timer and base of 24', FAST),
                      ('48 of each, TCP without SACK, delayed acknowledgements, RTO of 1 s or more', DELAYED)):
        yield beside('figure 13', text, over_tcp, run.name)
    for n, run in APART_FAIR.items():
        yield beside('figure 13', f'{n} of each, table I, layers apart: ratio of a session to TCP', over_tcp, run.name)
    for n, run in zip(TABLE, FAIR):
        if n > 1:
            yield more_claim('figure 13', f'{n} of each: TCP spreads more (deviation relative to the mean)',
                             (run.name, spread('tcp')), (run.name, spread('mcc')), 'varies within much narrower ranges',
                             cause=SPREAD, quote='wei-zhang, figure 13, spread')
    for n, run in APART_FAIR.items():
        yield beside('figure 13', f'{n} of each, layers apart: TCP spreads more (deviation relative to the mean)',
                     lambda r: spread('tcp')(r) - spread('mcc')(r), run.name)
    yield beside('figure 13', '48 of each, TCP without SACK, delayed acknowledgements, RTO of 1 s or more: TCP spreads '
                              'more', lambda r: spread('tcp')(r) - spread('mcc')(r), DELAYED.name)


def _equation():
    for n, run in zip(TABLE, FAIR):
        yield same_claim('equation 16', f'{n} of each, table I: ratio of a session to the equation at each user\'s own '
                                        'rate of loss events',
                                        'the steady-state throughput directly relates',
                         (run.name,), over_equation_at_events(*TABLE[n]), cause=EVENTS, quote='wei-zhang, equation 16')
    for n, run in APART_FAIR.items():
        yield beside('equation 16', f'{n} of each, table I, layers apart: the same at each user\'s own rate of loss '
                                    'events', over_equation_at_events(*TABLE[n]), run.name)
    for n, run in zip(TABLE, FAIR):
        yield beside('equation 16', f'{n} of each, table I: the same at the mean user\'s loss rate', over_equation(n),
                     run.name, cause=BURSTS)


CLAIMS = [*_timers(), *_bases(), *_crowds(), *_fairness(), *_equation()]


def _by_timer(axes, results):
    for name, label in (('mcc', 'layered'), ('tcp', 'TCP')):
        axes[0].errorbar(TIMERS, *means(results, BY_TIMER, lambda run, name=name: normalized(run, name)), label=label,
                         marker='o', capsize=2)
    axes[0].set(xlabel='tau_0, ms', ylabel='throughput / fair share', ylim=(0, None))


def _by_base(axes, results):
    for axis, timer in zip(axes, BASES):
        for name, label in (('mcc', 'layered'), ('tcp', 'TCP')):
            axis.errorbar(BASES[timer], *means(results, BY_BASE[timer], lambda run, name=name: normalized(run, name)),
                          label=label, marker='o', capsize=2)
        axis.errorbar(BASES[timer], *means(results, BY_BASE[timer], utilization), label='link', marker='.',
            color='grey')
        axis.set(title=f'tau_0 = {timer} ms', xlabel='B_0, kbit/s', xscale='log', ylim=(0, None))
    axes[0].set_ylabel('throughput / fair share')


def _by_structure(axes, results):
    for axis, of, label in zip(axes, (normalized, utilization), ('throughput / fair share', 'link utilization')):
        axis.errorbar(BASES[250], *means(results, BY_BASE[250], of), label='linear', marker='o', capsize=2)
        axis.errorbar(EXPONENTIAL_BASES, *means(results, BY_BASE_EXPONENTIAL, of), label='exponential', marker='s',
            capsize=2)
        axis.set(xlabel='B_0, kbit/s', ylabel=label, xscale='log', ylim=(0, None))


def _scatter(axis, results, numbers, runs, name, shift, **style):
    points = [(n * shift, rate / fair(run)) for n, run in zip(numbers, runs) for rate in (
        rates(results[run.name]['1'], name) if '1' in results[run.name] else [])]
    axis.plot([x for x, _ in points], [y for _, y in points], linestyle='', markersize=3, **style)


def _intra(axes, results):
    for axis, (structure, runs) in zip(axes, CROWD.items()):
        _scatter(axis, results, CROWDS, runs, 'mcc', 1, marker='o', label='users, seed 1')
        axis.set(title=f'{structure} layers', xlabel='N, sessions and TCP flows each', ylim=(0, None))
    axes[0].set_ylabel('throughput / fair share')


def _inter(axes, results):
    _scatter(axes[0], results, TABLE, FAIR, 'mcc', 0.97, marker='o', label='layered, seed 1')
    _scatter(axes[0], results, TABLE, FAIR, 'tcp', 1.03, marker='+', label='TCP, seed 1')
    axes[0].set(xlabel='N, sessions and TCP flows each', ylabel='throughput / fair share', xscale='log', ylim=(0, None))


PICTURES = [
    Picture('wei-zhang-8', 'Figure 8: throughput against tau_0, B_0 = 400 kbit/s, linear layers.', 1, _by_timer),
    Picture('wei-zhang-9', 'Figures 9 and 10: throughput against B_0, linear layers, four sessions and four TCP; '
                           'utilization of the link.', 3, _by_base),
    Picture('wei-zhang-11', 'Figure 11: linear against exponential layers, tau_0 = 250 ms.', 2, _by_structure),
    Picture('wei-zhang-12', 'Figure 12: B_0 = 32 kbit/s, tau_0 = 250 ms, beside as many TCP flows.', 2, _intra),
    Picture('wei-zhang-13', 'Figure 13: tau_0 and B_0 of table I.', 1, _inter),
]
