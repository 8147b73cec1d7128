# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The figures of each receiver over time: whether it was at the level that its link can carry, its packet loss, and the
pictures that it showed."""
from bisect import bisect_right
from collections import Counter

from . import analysis
from .analysis import SECOND, rounded

# After this time the measurement starts even if the receiver has not reached the target level.
SETTLED = 30 * SECOND

# A join that is undone within this time was a join experiment. Full queues cause losses for AFTERMATH after it.
EXPERIMENT = 10 * SECOND
AFTERMATH = SECOND

# After an experiment the picture may stand still until the next key frame.
KEY_DISTANCE = SECOND

# A queueing delay that lasts this long counts as part of the path, and if it exceeds 100 ms, the presentation times
# shift by it (receiver/presentation-clock.c). TCP keeps a third of the link's queue full: 95 ms with Reno.
STANDING = 10 * SECOND
SHOWN_AFTER = 2 * SECOND


def mean_rates(rate_samples):
    """The mean rate of each layer or level over the samples that have all of them."""
    number = max(map(len, rate_samples), default=0)
    whole = [sample for sample in rate_samples if len(sample) == number]
    return [sum(sample[i] for sample in whole) / len(whole) for i in range(number)]


def capacity_at(steps, time):
    """The capacity of the link at a time; None before the first step."""
    place = bisect_right([step.time for step in steps], time)
    return steps[place - 1].capacity if place else None


def right_level(rates, capacity):
    """The target level: the highest level that fits the link with ease."""
    return analysis.fitting_level(rates, analysis.EASE * capacity)


def is_right(sample, steps, rates):
    capacity = capacity_at(steps, sample.time)
    return capacity is not None and sample.level == right_level(rates, capacity)


def first_right(samples, steps, rates, since, until):
    """The first time from `since` on at which the receiver was at the target level; `until` if there is none before."""
    return next((sample.time for sample in samples
                 if since <= sample.time < until and is_right(sample, steps, rates)), until)


def episodes(samples, steps, rates, tcp_spans):
    """(begin, end of TCP, end) of each time with TCP; it ends when the receiver is at the target level again."""
    last = samples[-1].time + 1 if samples else 0
    found = []
    for begin, end in tcp_spans:
        end = last if end is None else min(end, last)
        found.append((begin, end, first_right(samples, steps, rates, end, last)))
    return found


def experiments(levels):
    """(join, end of the losses) of each join experiment."""
    joins, taken_back = [], []
    for change in levels:
        if change['to'] > change['from']:
            joins.append((change['now'], change['from']))
        while joins and change['to'] <= joins[-1][1]:
            joined, _ = joins.pop()
            if change['now'] - joined <= EXPERIMENT:
                taken_back.append((joined, change['now'] + AFTERMATH))
    return taken_back


def overlaps(begin, end, spans):
    return any(begin < until and end > since for since, until in spans)


def share_right(samples, steps, rates, since, without):
    """(share of the time from `since` on at the target level, measured time in s), without the spans `without`."""
    right = measured = 0
    for before, after in zip(samples, samples[1:]):
        if before.time >= since and not overlaps(before.time, after.time, without):
            measured += after.time - before.time
            right += (after.time - before.time) * is_right(before, steps, rates)
    return (right / measured if measured else None), measured / SECOND


def losses(samples, since, without):
    """The packet loss ratio from `since` on, outside the spans `without`."""
    lost = received = 0
    for before, after in zip(samples, samples[1:]):
        if before.time >= since and not overlaps(before.time, after.time, without):
            lost += after.lost - before.lost
            received += after.received - before.received
    return lost / (lost + received) if lost + received > 0 else None


def whole_pictures(frames, references, since, without):
    """The share of the film's pictures that were shown exactly as an encoder made them, of those that were due from
    `since` on outside the spans `without`. Every level has every picture of the film here."""
    known = [frame for frame in frames if frame.source_time is not None]
    if not known:
        return None
    offset = known[-1].time - known[-1].source_time
    whole = {frame.source_time for frame in known if frame.rung is not None}
    due = [time for time in {reference.time for reference in references if reference.rung == 0}
           if since <= time + offset <= known[-1].time and not overlaps(time + offset, time + offset + 1, without)]
    return sum(time in whole for time in due) / len(due) if due else None


def held_level(samples, since, without):
    """The level at which the receiver was longest."""
    held = Counter(sample.level for sample in samples
                   if sample.time >= since and not overlaps(sample.time, sample.time + 1, without))
    return held.most_common(1)[0][0] if held else None


def summarize(reception, references, rates):
    """The figures of one receiver, whose frames are identified; `rates` are the mean rates of the levels."""
    samples, steps = reception.samples, reception.steps
    last = samples[-1].time if samples else 0
    settled = first_right(samples, steps, rates, 0, min(SETTLED, last))
    beside_tcp = episodes(samples, steps, rates, reception.tcp_spans)
    tcp = [(begin, end) for begin, _, end in beside_tcp]
    tries = experiments(reception.levels)
    share, seconds = share_right(samples, steps, rates, settled, tcp)
    # A picture is shown some time after its packets arrive.
    pauses = [(begin, end + KEY_DISTANCE + SHOWN_AFTER) for begin, end in tries]
    longer = [(begin, end + STANDING + SHOWN_AFTER) for begin, end, _ in beside_tcp]
    slow = [(begin, end + SHOWN_AFTER) for begin, end in tcp]
    stats = reception.stats
    received, lost = stats.get('packets-received', 0), stats.get('packets-lost', 0)
    return {
        'name': reception.name,
        'algorithm': reception.session.algorithm if reception.session else None,
        'capacity': round(steps[-1].capacity) if steps else None,
        'level-right': right_level(rates, steps[-1].capacity) if steps else None,
        'level': held_level(samples, settled, tcp),
        'levels-held': sorted({change['to'] for change in reception.levels if change['to'] >= 0}),
        'level-changes': len(reception.levels),
        'settled-s': rounded(settled / SECOND, 1) if steps else None,
        'measured-s': rounded(seconds, 1),
        'share-right': rounded(share, 4),
        'join-experiments': len(tries),
        'packets-received': received,
        'packets-lost': lost,
        'loss': rounded(lost / (lost + received), 6) if lost + received else None,
        'loss-outside-joins': rounded(losses(samples, settled, tries + tcp), 6),
        'loss-beside-tcp': rounded(beside(samples, beside_tcp), 6),
        'frames-whole': rounded(whole_pictures(reception.frames, references, settled + SHOWN_AFTER, slow), 4),
        'frames-whole-outside-joins': rounded(
            whole_pictures(reception.frames, references, settled + SHOWN_AFTER, slow + pauses), 4),
        'tcp': [tcp_figures(reception, samples, *episode) for episode in beside_tcp],
        **analysis.summarize_pictures(reception.frames, samples, longer),
    }


def beside(samples, episodes_):
    """The packet loss ratio during TCP connections; None without TCP."""
    spans = [(begin, end) for begin, end, _ in episodes_]
    inside = [sample for sample in samples if overlaps(sample.time, sample.time + 1, spans)]
    return losses(inside, 0, []) if inside else None


def tcp_figures(reception, samples, begin, end, back):
    """The rates of a TCP connection and of the receiver on the same link, in bit/s; and the time in s until the
    receiver returned to its target level."""
    tcp = [rate for time, rate in reception.tcp_samples if begin <= time < end]
    beside_it = [sample.rate for sample in samples if begin <= sample.time < end]
    return {'from-s': rounded(begin / SECOND, 1), 'until-s': rounded(end / SECOND, 1),
            'tcp-rate': rounded(analysis.mean(tcp), 0), 'rate': rounded(analysis.mean(beside_it), 0),
            'level': held_level(samples, begin, [(end, samples[-1].time + 2)]) if samples else None,
            'back-after-s': rounded((back - end) / SECOND, 1) if samples and back <= samples[-1].time else None}


def verdict(summary):
    """An error message; None if all pictures are correct."""
    for figures in summary['receivers']:
        if figures['frames-decoded'] == 0:
            return f"{figures['name']}: no picture was decoded"
        if figures['frames-not-identical']:
            return (f"{figures['name']}: {figures['frames-not-identical']} of {figures['frames-decoded']} pictures "
                    "differ from the encoder's output")
    return None
