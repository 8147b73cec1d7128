# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Byers et al. 2002, figures 3, 10 and 11: FLID under random loss as a Markov chain, compared with the simulator."""
import math
import statistics

from papers.claims import ORDER, SAME, SAME_TOLERANCE, Claim, Picture, Run, same_claim

# Examples 2, 5 and 6: 3 packets a second at level 0, 30 levels, T = 0.5 s, a nominal round-trip time of 0.1 s.
RATES = [3 * 1.3 ** i for i in range(30)]
SLOT = 0.5
NOMINAL_RTT = 0.1
EXAMPLE_5 = (0.932, 0.932, 0.932, 0.932, 0.932, 0.932, 0.932, 0.932, 0.932, 0.932, 0.899, 0.840, 0.751, 0.649, 0.541,
             0.441, 0.353, 0.278, 0.217, 0.169, 0.131, 0.100, 0.078, 0.060, 0.046, 0.035, 0.027, 0.021, 0.016, 0)
EXAMPLE_6 = (0.999, 0.932, 0.931, 0.930, 0.929, 0.928, 0.927, 0.926, 0.925, 0.924, 0.923, 0.922, 0.921, 0.920, 0.901,
             0.312, 0.311, 0.310, 0.248, 0.122, 0.118, 0.108, 0.077, 0.051, 0.040, 0.005, 0.003, 0.002, 0.001, 0)

LOSSES = (0.001, 0.003, 0.01, 0.03, 0.1)
HILL = ('--probabilities', ','.join(f'{p:g}' for p in EXAMPLE_6))


def lossy(name, arguments=()):
    return {loss: Run(f'flid-{name}-{100 * loss:g}', 'flid-chain', ('--set', f'loss={loss:g}', *arguments), 0, 3)
            for loss in LOSSES}


HEURISTIC = lossy('heuristic')
CLIMBED = lossy('climbed', HILL)
STATIC = lossy('climbed-static', ('--algorithm', 'flid-sl', *HILL))
RUNS = [*HEURISTIC.values(), *CLIMBED.values(), *STATIC.values()]


def tcp(loss):
    """Equation 1, packets per second."""
    return 1 / (NOMINAL_RTT * (math.sqrt(2 * loss / 3) + 12 * math.sqrt(3 * loss / 8) * loss * (1 + 32 * loss ** 2)))


def clean(level, loss):
    """The probability of a slot without a loss."""
    return (1 - loss) ** (SLOT * RATES[level])


def fractions(chances, loss):
    """f_i by equation 3. Equation 4 is printed with 1 - p_i instead of the p_i of equation 3."""
    found = [1.0]
    for level in range(len(RATES) - 1):
        found.append(found[-1] * chances[level] * clean(level, loss) / (1 - clean(level + 1, loss)))
    return [each / sum(found) for each in found]


def chain_rate(chances, loss):
    return sum(f * rate for f, rate in zip(fractions(chances, loss), RATES))


def chain_joins(chances, loss):
    """Joins per slot with dynamic layers."""
    return sum(f * (1 + chances[i]) * clean(i, loss) for i, f in enumerate(fractions(chances, loss)))


def chain_ups(chances, loss):
    """Joins per slot with static layers; there are as many leaves."""
    return sum(f * chances[i] * clean(i, loss) for i, f in enumerate(fractions(chances, loss)))


def hosts(replication):
    return [flow for node in replication['nodes'].values() for flow in node['flows']]


def sent(loss):
    """Packets per second to a host, including lost ones."""
    return lambda replication: statistics.fmean(
        flow['throughput'] / 8000 / (1 - loss) for flow in hosts(replication))


def in_a_slot(what):
    """Groups joined or left per slot."""
    return lambda replication: statistics.fmean(flow[what] for flow in hosts(replication)) * SLOT / 200


def moves(replication):
    return in_a_slot('joins')(replication) + in_a_slot('leaves')(replication)


def farthest(measure, formula):
    """The largest relative deviation from the formula, of the means at each loss rate."""
    return lambda *runs: max(abs(statistics.fmean(map(measure(loss), run)) / formula(loss) - 1)
                             for loss, run in zip(LOSSES, runs))


def error(replications):
    """The paper's NMSE over the loss rates here."""
    return sum((sent(loss)(each) / tcp(loss) - 1) ** 2 for loss, each in zip(LOSSES, replications))


def miss(replication, loss):
    return abs(sent(loss)(replication) / tcp(loss) - 1)


RANGE = '0.1 to 10 % of loss'
LAGS = ('A slot is five nominal round-trip times long, and several losses in it count as one: the paper\'s own chain'
        ' has 0.80 of TCP\'s formula at 3 % and 0.76 at 10 %.')
UNSEEN = ('At 10 %: if a group\'s last packets in a slot are lost, no later packet shows that. Of 10 % 8.9 are '
          'counted; at that loss the chain has 15.2 packets per second, the hosts 15.7, and the chain 13.4 at 10.')
FEWER = ('The deaf period is not the reason: without it (`deaf-period=0.001`, one run each) there are 0.71, 0.84 '
         'and 0.81 joins per second at 1, 3 and 10 %, where the chain has 0.87, 0.96 and 0.96. The rest of the '
         'difference was not explained.')
FIT = ('The chain itself, with the p_i as the paper prints them, is nearer to TCP\'s formula with example 6 at 0.1 % '
       '(1.009 instead of 1.027) and from 1 % to 3 %, and farther at 0.3 % (0.979 instead of 0.993). On the paper\'s '
       'grid its NMSE is 24.0 instead of 25.7.')
ONE_LEAVE = 'each time slot requires a single leave operation'


def deviation(where, text, runs, measure, formula, **more):
    return Claim(where, f'{text}: largest relative deviation from the Markov chain', more.pop('paper', ''),
                 tuple(run.name for run in runs.values()), farthest(measure, formula), 0, SAME_TOLERANCE, rule=SAME,
                 pooled=True, **more)


def _figures_10_and_11():
    for loss, run in HEURISTIC.items():
        yield same_claim('figure 10', f'p_i by the heuristic, {100 * loss:g} % of loss: ratio to TCP\'s formula',
                         'the curves are comparable', (run.name,), lambda r, loss=loss: sent(loss)(r) / tcp(loss),
                         cause=LAGS, quote='flid, figure 10')
    for figure, text, runs, chances in ((10, 'p_i by the heuristic', HEURISTIC, EXAMPLE_5),
                                        (11, 'p_i of example 6', CLIMBED, EXAMPLE_6)):
        yield deviation(f'figure {figure}', f'{text}, throughput at {RANGE}', runs, sent,
                        lambda loss, chances=chances: chain_rate(chances, loss), cause=UNSEEN)
    names = tuple(run.name for runs in (HEURISTIC, CLIMBED) for run in runs.values())
    n = len(LOSSES)
    yield Claim('figure 11', f'p_i of example 6 are nearer to TCP\'s formula than the heuristic\'s, {RANGE}: NMSE',
                'provides a better fit than the initial heuristic', names,
                lambda *r: error(r[:n]) - error(r[n:]), 0, math.inf, rule=ORDER, quote='flid, figure 11', cause=FIT)
    for loss in LOSSES[:2]:
        yield Claim('figure 11', f'the same at {100 * loss:g} % alone: relative to TCP\'s formula',
                    'particularly at low loss rates', (HEURISTIC[loss].name, CLIMBED[loss].name),
                    lambda a, b, loss=loss: miss(a, loss) - miss(b, loss), 0, math.inf,
                    rule=ORDER, quote='flid, figure 11', cause=FIT)


def _figure_3():
    for loss, run in CLIMBED.items():
        yield same_claim('figure 3', f'FLID-DL, {100 * loss:g} % of loss: groups left in a slot', ONE_LEAVE,
                         (run.name,), in_a_slot('leaves'), quote='flid, figure 3, leaves')
    yield deviation('figure 3', f'FLID-DL, joins at {RANGE}', CLIMBED, lambda _: in_a_slot('joins'),
                    lambda loss: chain_joins(EXAMPLE_6, loss))
    yield deviation('figure 3', f'FLID-SL, joins and leaves at {RANGE}', STATIC, lambda _: moves,
                    lambda loss: 2 * chain_ups(EXAMPLE_6, loss), cause=FEWER)


CLAIMS = [*_figure_3(), *_figures_10_and_11()]

GRID = [10 ** (-3 + 2 * i / 60) for i in range(61)]


def _points(axis, results, runs, of, label, **look):
    for i, (loss, run) in enumerate(runs.items()):
        for each in results[run.name].values():
            axis.plot(loss, of(loss)(each), linestyle='', markersize=4, label=label if i == 0 else None, **look)
            label = None


def _draw_throughput(axes, results):
    for axis, name, runs, chances in ((axes[0], 'figure 10: the heuristic', HEURISTIC, EXAMPLE_5),
                                      (axes[1], 'figure 11: hill climbing', CLIMBED, EXAMPLE_6)):
        axis.plot(GRID, [tcp(loss) for loss in GRID], color='tab:blue', label='TCP, equation 1')
        axis.plot(GRID, [chain_rate(chances, loss) for loss in GRID], color='tab:red', label='FLID, Markov chain')
        _points(axis, results, runs, sent, 'FLID-DL here', color='black', marker='+')
        axis.set(xscale='log', yscale='log', xlabel='packet loss rate', title=name)
        axis.set_yticks([20, 50, 100, 200, 400], ['20', '50', '100', '200', '400'])
        axis.set_yticks([], minor=True)
    axes[0].set_ylabel('throughput, packets/s')


def _draw_moves(axes, results):
    axis = axes[0]
    axis.plot(GRID, [chain_joins(EXAMPLE_6, loss) / SLOT for loss in GRID], color='tab:red',
              label='dynamic, joins, Markov chain')
    axis.plot(GRID, [chain_ups(EXAMPLE_6, loss) / SLOT for loss in GRID], color='tab:blue',
              label='static, joins, Markov chain')
    for runs, kind, colour in ((CLIMBED, 'FLID-DL', 'tab:red'), (STATIC, 'FLID-SL', 'tab:blue')):
        for what, marker in (('joins', '^'), ('leaves', 'v')):
            _points(axis, results, runs, lambda _, what=what: lambda r: in_a_slot(what)(r) / SLOT,
                    f'{kind} here, {what}', color=colour, marker=marker, fillstyle='none')
    axis.set(xscale='log', xlabel='packet loss rate', ylabel='joins or leaves, 1/s', ylim=(0, 4))


PICTURES = [
    Picture('flid-3', 'Figure 3: groups joined and left in a second, p_i of example 6.', 1, _draw_moves),
    Picture('flid-10', 'Figures 10 and 11: throughput against loss, each replication.', 2, _draw_throughput),
]
