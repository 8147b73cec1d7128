# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs of lost packets, and whether two samples of them have the same distribution."""
from collections import namedtuple

# Lengths are 1, 2, 3, and 4 or more.
LENGTHS = 4

# Of the chi-square distribution with 1, 2 and 3 degrees of freedom, what is exceeded by chance in one of a thousand.
CRITICAL = {1: 10.828, 2: 13.816, 3: 16.266}

# Lengths that fewer runs of both samples have are counted with the next shorter one: with samples of the same size five
# of each are expected then, Cochran's rule for the test.
LEAST = 10

# Runs of one queue follow each other and are no independent samples, so that chi-square alone finds differences that
# nobody would notice: the distributions differ only where their total variation distance is above this too, and above
# that of two samples of the same sender.
DISTANCE = 0.05

Verdict = namedtuple('Verdict', 'same square freedom distance allowed')


def runs_of(numbers, modulus=65536):
    """The lengths of the runs that are missing between sequence numbers, which are as they came. What came twice or
    late is no loss."""
    unwrapped = []
    for number in numbers:
        if unwrapped:
            step = (number - unwrapped[-1]) % modulus
            number = unwrapped[-1] + (step if step < modulus // 2 else step - modulus)
        unwrapped.append(number)
    came = sorted(set(unwrapped))
    return [after - before - 1 for before, after in zip(came, came[1:]) if after - before > 1]


def histogram(runs):
    """How many have each of the LENGTHS."""
    counts = [0] * LENGTHS
    for length in runs:
        counts[min(length, LENGTHS) - 1] += 1
    return counts


def merged(first, second):
    """The cells of both histograms, together where there are too few."""
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
    """The total variation distance: half of what the shares differ by."""
    return sum(abs(a / sum(first) - b / sum(second)) for a, b in zip(first, second)) / 2


def compare(one, other, again):
    """Whether the histograms `one` and `other` have the same distribution; `again` is of a second run of what `one` is
    of. Too few runs in either differ from nothing, which the caller has to see to."""
    if not sum(one) or not sum(other):
        return Verdict(sum(one) == sum(other), 0.0, 0, 0.0, DISTANCE)
    square, freedom = chi_square(one, other)
    allowed = max(DISTANCE, distance(one, again) if sum(again) else 0.0)
    apart = distance(one, other)
    same = not freedom or square <= CRITICAL[freedom] or apart <= allowed
    return Verdict(same, square, freedom, apart, allowed)
