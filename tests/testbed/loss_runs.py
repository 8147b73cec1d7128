# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Statistics of runs of lost packets: compares the distributions of two samples."""
from collections import namedtuple

# Lengths are 1, 2, 3, and 4 or more.
LENGTHS = 4

# Values that the chi-square distribution with 1, 2 and 3 degrees of freedom exceeds with a probability of one in a
# thousand.
CRITICAL = {1: 10.828, 2: 13.816, 3: 16.266}

# Lengths with fewer runs in both samples together are merged with the next shorter length. With samples of equal size,
# five are then expected in each, which is Cochran's rule for the test.
LEAST = 10

# Runs of one queue are not independent, so chi-square alone finds negligible differences. Distributions differ only if
# their total variation distance also exceeds this value, and that of two samples of the same sender.
DISTANCE = 0.05

Verdict = namedtuple('Verdict', 'same square freedom distance allowed')


def runs_of(numbers, modulus=65536):
    """The lengths of runs of missing sequence numbers, given the numbers in order of arrival. Duplicates and late
    packets are not losses."""
    unwrapped = []
    for number in numbers:
        if unwrapped:
            step = (number - unwrapped[-1]) % modulus
            number = unwrapped[-1] + (step if step < modulus // 2 else step - modulus)
        unwrapped.append(number)
    came = sorted(set(unwrapped))
    return [after - before - 1 for before, after in zip(came, came[1:]) if after - before > 1]


def histogram(runs):
    """The number of runs of each of the LENGTHS."""
    counts = [0] * LENGTHS
    for length in runs:
        counts[min(length, LENGTHS) - 1] += 1
    return counts


def merged(first, second):
    """The cells of both histograms; cells with too few runs are merged."""
    cells = [list(pair) for pair in zip(first, second)]
    for at in range(len(cells) - 1, 0, -1):
        if sum(cells[at]) < LEAST:
            cells[at - 1] = [a + b for a, b in zip(cells[at - 1], cells.pop(at))]
    return cells


def chi_square(first, second):
    """The statistic of two samples, and its degrees of freedom."""
    cells = merged(first, second)
    totals = [sum(cell[i] for cell in cells) for i in range(2)]
    whole = sum(totals)
    square = 0.0
    for cell in cells:
        for count, total in zip(cell, totals):
            expected = sum(cell) * total / whole
            square += (count - expected) ** 2 / expected if expected else 0.0
    return square, len(cells) - 1


def distance(first, second):
    """The total variation distance: half the sum of the differences of the shares."""
    return sum(abs(a / sum(first) - b / sum(second)) for a, b in zip(first, second)) / 2


def compare(one, other, again):
    """Whether the histograms `one` and `other` have the same distribution; `again` is a second sample of the same
    sender as `one`. The caller must ensure that there are enough runs: samples with too few runs never differ."""
    if not sum(one) or not sum(other):
        return Verdict(sum(one) == sum(other), 0.0, 0, 0.0, DISTANCE)
    square, freedom = chi_square(one, other)
    allowed = max(DISTANCE, distance(one, again) if sum(again) else 0.0)
    apart = distance(one, other)
    same = not freedom or square <= CRITICAL[freedom] or apart <= allowed
    return Verdict(same, square, freedom, apart, allowed)
