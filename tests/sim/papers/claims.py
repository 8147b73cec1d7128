# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs of the simulator, what is measured of them, and when that agrees with a paper."""
import dataclasses
import math
import statistics
from collections.abc import Callable

# Student's t, 97.5 %, by degrees of freedom.
T_QUANTILE = [math.inf, 12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14]

# By so much TCP implementations differ on one path: the SACK senders of ns-2 and ns-3 at 1, 2 and 3 % of loss and 60 ms
# by 7 to 10 %, and both from Colussi 2004, section 6.3, by up to 9 %.
RATE_TOLERANCE = 0.10
# As TCP was when the papers were written: no selective acknowledgements, one acknowledgement for two segments, RTO of
# at least 1 s (RFC 2988). Without delayed acknowledgements ns-3 3.37 sends what is not lost again, and gets 1.2 to 4
# times what the formula says at 2 % of loss and 60 ms; with them it has 0.6 of it, as with selective ones.
RENO = ('--tcp', 'sack=0,classic-recovery=1,delayed-acknowledgements=2,min-rto=1.0')
# What that makes of Jain's index of two flows, one of which has 0.7 of the other's rate.
JAIN_TOLERANCE = 0.02
# Counts depend on the length of the simulation, which a paper may not tell.
COUNT_FACTOR = 2


@dataclasses.dataclass(frozen=True)
class Run:
    """One way to call the simulator; quick: how many replications show that nothing broke; most: how many there are at
    most, where a run takes long and no paper has an interval; shown_as: what the figures call a flow whose name is that
    of the scenario's algorithm, where the run has another."""
    name: str
    scenario: str
    arguments: tuple[str, ...] = ()
    quick: int = 1
    most: int = 15
    shown_as: tuple[tuple[str, str], ...] = ()


@dataclasses.dataclass(frozen=True)
class Estimate:
    """A mean over replications with the half width of its 95 % interval (infinite for one)."""
    mean: float
    half: float
    deviation: float
    n: int


def estimate(values):
    n = len(values)
    if n == 1:
        return Estimate(values[0], math.inf, 0.0, 1)
    deviation = statistics.stdev(values)
    return Estimate(statistics.fmean(values), T_QUANTILE[min(n, 15) - 1] * deviation / math.sqrt(n), deviation, n)


class Unmeasured(Exception):
    """That a replication has nothing to say: what is measured did not occur in it."""


def measured(measure, replications):
    """Of each list of replications that has something to say."""
    values = []
    for each in replications:
        try:
            values.append(measure(*each))
        except Unmeasured:
            pass
    return values


@dataclasses.dataclass(frozen=True)
class Claim:
    """What a paper says: least <= measure <= most, with the paper's own number as text.

    measure takes one replication of each run, and gives a number, or raises Unmeasured. The limits are of the paper,
    never of what we get."""
    where: str
    text: str
    paper: str
    runs: tuple[str, ...]
    measure: Callable[..., float]
    least: float
    most: float
    unit: str = ''
    cause: str = ''

    def values(self, results):
        """Of the replications that all runs have and that say something."""
        if any(run not in results for run in self.runs):
            return []
        seeds = set.intersection(*(set(results[run]) for run in self.runs))
        return measured(self.measure, ([results[run][seed] for run in self.runs] for seed in sorted(seeds, key=int)))

    def is_judged(self):
        """Whether there is anything that it could miss."""
        return not (math.isinf(self.least) and math.isinf(self.most))

    def is_certain(self, values):
        """Whether the 95 % interval of the mean is all on one side of each limit."""
        found = estimate(values)
        return all(math.isinf(limit) or abs(found.mean - limit) >= found.half for limit in (self.least, self.most))

    def agrees(self, values, deviation=0.0):
        """Whether the mean lies within the limits, or nearer to them than twice the standard error of few replications
        whose standard deviation is known from more."""
        if not values:
            return None
        slack = 2 * deviation / math.sqrt(len(values))
        return self.least - slack <= statistics.fmean(values) <= self.most + slack


@dataclasses.dataclass(frozen=True)
class Cell:
    """One number of a paper's tables: a way to run it, the claim of the number and one of what comes with it, each."""
    where: str
    receiver: str
    claims: tuple[tuple[str, Claim, Claim], ...]


@dataclasses.dataclass(frozen=True)
class Picture:
    """A figure over several runs: draw takes its axes and all results."""
    name: str
    caption: str
    n_axes: int
    draw: Callable[..., None]


def means(results, runs, of):
    """Mean of what of(run) measures in each run, and half of the 95 % interval; not a number where it was not run, or
    has nothing to say."""
    values = [measured(of(run), ([replication] for replication in results[run.name].values())) for run in runs]
    found = [estimate(each) if each else Estimate(math.nan, math.nan, 0, 0) for each in values]
    return [each.mean for each in found], [each.half if math.isfinite(each.half) else 0 for each in found]


def flows(replication, node, name):
    return [flow for flow in replication['nodes'][node]['flows'] if flow['name'] == name]


def rate(node, name):
    """Mean throughput of the flows of that name, kbit/s."""
    return lambda replication: statistics.fmean(flow['throughput'] for flow in flows(replication, node, name)) / 1e3


def changes(node, name):
    return lambda replication: flows(replication, node, name)[0]['level-changes-since-start']


def jain(node, *names):
    def index(replication):
        rates = [flow['throughput'] for name in names for flow in flows(replication, node, name)]
        return sum(rates) ** 2 / (len(rates) * sum(x * x for x in rates))
    return index


def rate_claim(where, text, paper, run, measure, **more):
    return Claim(where, text, f'{paper:g}', (run,), measure, paper * (1 - RATE_TOLERANCE), paper * (1 + RATE_TOLERANCE),
                 'kbit/s', **more)


def jain_claim(where, text, paper, run, measure, **more):
    return Claim(where, text, f'{paper:.4f}', (run,), measure, paper - JAIN_TOLERANCE, paper + JAIN_TOLERANCE, **more)


def count_claim(where, text, paper, run, measure, **more):
    return Claim(where, text, f'about {paper:g}', (run,), measure, paper / COUNT_FACTOR, paper * COUNT_FACTOR, **more)


def beside(where, text, measure, *runs, unit=''):
    """What the runs of these names have, as where one parameter was changed, which the paper does not tell."""
    return Claim(where, text, 'not in the paper', runs, measure, -math.inf, math.inf, unit)


def more_claim(where, text, first, second, **more):
    """That the first is more than the second: each is a run and a measure."""
    return Claim(where, text, '> 0', (first[0], second[0]), lambda a, b: first[1](a) - second[1](b), 0, math.inf,
            **more)
