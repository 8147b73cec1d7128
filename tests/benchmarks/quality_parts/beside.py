# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares levels with single encodings of a given rate, and counts pictures damaged by packet loss. Does not need
GStreamer."""
from collections import Counter

# Encoders miss the requested rate: the tolerance, and the largest number of attempts.
CLOSE, TRIES = 0.01, 7


def ask_for(rate_of, wanted, at_most=False):
    """The rate to request from an encoder so that its rate on the wire, `rate_of`, is nearest to `wanted`; with
    `at_most` the nearest one that does not exceed it. Stops if the encoder's rate no longer grows with the
    request."""
    rates, asked = {}, round(wanted * 0.95)
    for _ in range(TRIES):
        if asked < 1 or asked in rates:
            break
        rates[asked] = rate_of(asked)
        more_is_no_use = any(other < asked / 1.2 and rate > rates[asked] * 0.98 for other, rate in rates.items())
        if more_is_no_use or -CLOSE * wanted <= rates[asked] - wanted <= (0 if at_most else CLOSE * wanted):
            break
        # Interpolates between the nearest results on both sides; with one side only, in proportion.
        below = max((item for item in rates.items() if item[1] <= wanted), key=lambda item: item[1], default=None)
        above = min((item for item in rates.items() if item[1] > wanted), key=lambda item: item[1], default=None)
        aim = wanted * (1 - CLOSE / 3) if at_most else wanted
        if below and above:
            asked = round(below[0] + (above[0] - below[0]) * (aim - below[1]) / (above[1] - below[1]))
        else:
            near, rate = below or above
            asked = round(near * min(2, aim / rate))
            if asked in rates and at_most:
                asked = min(rates) - 1
    fitting = {near: rate for near, rate in rates.items() if rate <= wanted} if at_most else rates
    return min(fitting or rates, key=lambda near: abs((fitting or rates)[near] - wanted))


def rung_shown(shown, rungs):
    """Index of the one of `rungs`, {picture: checksum} each, that most of the shown pictures come from; None if none
    does."""
    votes = Counter(number for number, rung in enumerate(rungs)
                    for picture, checksum in shown.items() if rung.get(picture) == checksum)
    return votes.most_common(1)[0][0] if votes else None


def rates_of_level(layers, rates, control, rung_of, rung):
    """Rates in bit/s that a level spends on the shown `rung`, on the lowest one if that is different, on others, and
    on control packets and layers without a rung. `rates` has those of all layers, `rung_of` returns a layer's
    rung."""
    found = {'shown-rate': 0, 'lowest-rate': 0, 'unseen-rate': 0, 'control-rate': control}
    for layer in layers:
        of = rung_of(layer)
        kind = ('control-rate' if of is None else 'shown-rate' if of == rung else 'unseen-rate' if of else
                'lowest-rate')
        found[kind] += rates.get(layer, 0)
    return found


def damage(expected, shown, right):
    """Of the pictures that a level shows without loss, {picture: checksum}: those `missing` now, those `broken`,
    which no level shows (`right`, {picture: checksums}), and complete ones of `other` encodings."""
    found = {'expected': len(expected), 'missing': 0, 'broken': 0, 'other': 0}
    for picture, checksum in expected.items():
        if picture not in shown:
            found['missing'] += 1
        elif shown[picture] != checksum:
            found['other' if shown[picture] in right.get(picture, ()) else 'broken'] += 1
    return found
