# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs of the simulator, their measures, and when a measure agrees with a paper."""
import dataclasses
import math
import re
import statistics
from collections.abc import Callable

# Student's t, 97.5 %, by degrees of freedom.
T_QUANTILE = [math.inf, 12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14]

# TCP implementations differ by this fraction on one path: the SACK senders of ns-2 and ns-3 at 1, 2 and 3 % of loss and
# 60 ms by 7 to 10 %, and both from Colussi 2004, section 6.3, by up to 9 %.
RATE_TOLERANCE = 0.10
# For two things that are the same according to a paper, without a number.
SAME_TOLERANCE = 0.20
# Counts and losses depend on the length of the simulation, which a paper may not give.
COUNT_FACTOR = 2
# TCP as it was when the papers were written: no selective acknowledgements, one acknowledgement for two segments, RTO
# of at least 1 s (RFC 2988). Without delayed acknowledgements ns-3 3.37 retransmits packets that were not lost, and
# gets 1.2 to 4 times the formula's rate at 2 % of loss and 60 ms; with them 0.6 of it, as with selective ones.
RENO = ('--tcp', 'sack=0,classic-recovery=1,delayed-acknowledgements=2,min-rto=1.0')

# The rules that turn a paper's words into limits. For a number, a bound or an order in the paper:
RATE, INDEX, ABOUT, SAID, ORDER = 'rate', 'index', 'about', 'said', 'order'
# and for limits of our own, whether the paper has words or nothing:
SAME, UNCHANGED, OWN = 'same', 'unchanged', 'own'
PAPER_RULES = (RATE, INDEX, ABOUT, SAID, ORDER)
OUR_RULES = (SAME, UNCHANGED, OWN)


@dataclasses.dataclass(frozen=True)
class Run:
    """One call of the simulator. quick is the number of replications for --quick; most the largest number, for long
    runs of which no paper has an interval; shown_as the name in the figures of a flow whose algorithm is not that of
    the scenario."""
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


def number(value):
    """A number as the pages write it."""
    if value == 0 or abs(value) >= 100:
        return f'{value:.0f}'
    return f'{value:.4f}' if abs(value) < 1 else f'{value:.1f}'


def jackknife(of, replications):
    """For a measure of all replications together: values whose mean is this measure, and whose deviation is that of the
    measure with one replication left out at a time."""
    whole = of(replications)
    n = len(replications)
    if n == 1:
        return [whole]
    without = [of(replications[:i] + replications[i + 1:]) for i in range(n)]
    middle = statistics.fmean(without)
    return [whole + (n - 1) * (middle - each) for each in without]


class Unmeasured(Exception):
    """Raised if the measured event did not occur in a replication."""


def measured(measure, replications):
    """The measures of all lists of replications, without unmeasured ones."""
    values = []
    for each in replications:
        try:
            values.append(measure(*each))
        except Unmeasured:
            pass
    return values


@dataclasses.dataclass(frozen=True)
class Claim:
    """A statement of a paper, and the limits least <= measure <= most that a rule makes of it.

    paper is the paper's number or words, all of which are in the quotation named quote; it is empty if the paper has
    neither. measure takes one replication of each run, or all replications of each if pooled, and returns a number or
    raises Unmeasured. cause is the reason for a difference, or for not judging."""
    where: str
    text: str
    paper: str
    runs: tuple[str, ...]
    measure: Callable[..., float]
    least: float
    most: float
    unit: str = ''
    cause: str = ''
    rule: str = OWN
    quote: str = ''
    pooled: bool = False

    def all_values(self, results):
        """The measures of the seeds that all runs have, without unmeasured ones."""
        if any(run not in results for run in self.runs):
            return []
        seeds = set.intersection(*(set(results[run]) for run in self.runs))
        replications = [[results[run][seed] for run in self.runs] for seed in sorted(seeds, key=int)]
        if self.pooled:
            return jackknife(lambda each: self.measure(*zip(*each)), replications) if replications else []
        return measured(self.measure, replications)

    def values(self, results):
        """The same; only one value if all seeds are equal in four digits, because they are one replication then."""
        values = self.all_values(results)
        return values[:1] if len({f'{value:.4g}' for value in values}) == 1 else values

    def is_ours(self):
        """Whether the limit is this project's, not a paper's."""
        return self.rule in OUR_RULES

    def is_judged(self):
        """Whether there is a limit."""
        return not (math.isinf(self.least) and math.isinf(self.most))

    def is_certain(self, values):
        """Whether the 95 % interval of the mean is on one side of each limit."""
        found = estimate(values)
        return all(math.isinf(limit) or abs(found.mean - limit) >= found.half for limit in (self.least, self.most))

    def agrees(self, values, deviation=0.0):
        """Whether the mean is within the limits, or nearer to them than twice the standard error. deviation is the
        standard deviation of more replications, on record."""
        if not values:
            return None
        slack = 2 * deviation / math.sqrt(len(values))
        return self.least - slack <= statistics.fmean(values) <= self.most + slack


@dataclasses.dataclass(frozen=True)
class Cell:
    """One number of a paper's tables: for each way to run it, the claim of the number and one of a related measure."""
    where: str
    receiver: str
    claims: tuple[tuple[str, Claim, Claim], ...]


@dataclasses.dataclass(frozen=True)
class Picture:
    """A figure of several runs; draw takes its axes and all results."""
    name: str
    caption: str
    n_axes: int
    draw: Callable[..., None]


def means(results, runs, of):
    """The mean of the measure of(run) for each run, and half of its 95 % interval; NaN if it was not run, or not
    measured."""
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


def jain_index(rates):
    return min(1.0, sum(rates) ** 2 / (len(rates) * sum(x * x for x in rates)))


def mean_jain(node, *names):
    """Jain's index of the flows' mean throughputs over all replications."""
    def index(replications):
        rates = [[flow['throughput'] for name in names for flow in flows(each, node, name)] for each in replications]
        return jain_index([statistics.fmean(each) for each in zip(*rates)])
    return index


def jain(node, *names):
    """Jain's index of one replication."""
    return lambda replication: mean_jain(node, *names)([replication])


def share_index(share, n):
    """Jain's index of n flows, one of which has this share of the rate of each other flow."""
    return (n - 1 + share) ** 2 / (n * (n - 1 + share * share))


def index_share(index, n, above=False):
    """The inverse: the share, below or above 1, of a flow among n with this index."""
    # (n J - 1) x^2 - 2 (n - 1) x + (n - 1) (n J - n + 1) = 0
    rest = n - 1
    root = math.sqrt(max(0.0, rest * rest - (n * index - 1) * rest * (n * index - rest)))
    return (rest + (root if above else -root)) / (n * index - 1)


def index_limits(index, n, above=False):
    """The limits of an index of n flows if one flow's rate varies by RATE_TOLERANCE."""
    share = index_share(index, n, above)
    low, high = share * (1 - RATE_TOLERANCE), share * (1 + RATE_TOLERANCE)
    ends = share_index(low, n), share_index(high, n)
    return min(ends), 1.0 if low <= 1 <= high else max(ends)


def rate_claim(where, text, paper, run, measure, *, unit='kbit/s', **more):
    return Claim(where, text, f'{paper:g}', (run,), measure, paper * (1 - RATE_TOLERANCE), paper * (1 + RATE_TOLERANCE),
                 unit, rule=RATE, **more)


def jain_claim(where, text, paper, run, measure, n, *, above=False, **more):
    """A claim about the index of n flows over all replications; above: the session has more than the others."""
    return Claim(where, text, f'{paper:.4f}', (run,), measure, *index_limits(paper, n, above), rule=INDEX, pooled=True,
                 **more)


def about_claim(where, text, paper, run, measure, **more):
    """A claim about a count, a loss or a time."""
    number_told, = told_numbers(paper)
    return Claim(where, text, paper, (run,), measure, number_told / COUNT_FACTOR, number_told * COUNT_FACTOR,
                 rule=ABOUT, **more)


def range_claim(where, text, paper, run, measure, **more):
    """A claim about a range between two numbers of the paper."""
    least, most = told_numbers(paper)
    return Claim(where, text, paper, (run,), measure, least, most, rule=SAID, **more)


def told_numbers(words):
    """The numbers of a text; percentages as fractions."""
    parts = 100 if '%' in words else 1
    return [float(each) / parts for each in re.findall(r'\d+(?:\.\d+)?', words)]


def told_claim(where, text, paper, run, measure, **more):
    """A claim about a count that the paper gives in words; without words it is shown, not judged."""
    if not paper:
        return beside(where, text, measure, run, unit=more.get('unit', ''))
    number_told = told_numbers(paper)[0]
    if paper.startswith(BELOW):
        return Claim(where, text, paper, (run,), measure, 0, number_told, rule=SAID, **more)
    if paper.startswith(ABOVE):
        return Claim(where, text, paper, (run,), measure, number_told, math.inf, rule=SAID, **more)
    return about_claim(where, text, paper, run, measure, **more)


BELOW = ('less than', 'lower than')
ABOVE = ('more than', 'way beyond')


def same_claim(where, text, paper, runs, measure, value=1.0, tolerance=SAME_TOLERANCE, **more):
    """A claim that two things are alike, or that one does not change the other (RATE_TOLERANCE). Our limits."""
    rule = SAME if tolerance == SAME_TOLERANCE else UNCHANGED
    return Claim(where, text, paper, runs, measure, value * (1 - tolerance), value * (1 + tolerance), rule=rule, **more)


def beside(where, text, measure, *runs, unit='', **more):
    """A measure of these runs that is shown, not judged: a parameter that the paper does not give was changed, or the
    paper has no number."""
    return Claim(where, text, more.pop('paper', ''), runs, measure, -math.inf, math.inf, unit, **more)


def more_claim(where, text, first, second, paper, **more):
    """A claim that the first is more than the second; each is a run and a measure."""
    return Claim(where, text, paper, (first[0], second[0]), lambda a, b: first[1](a) - second[1](b), 0, math.inf,
                 rule=ORDER, **more)
