# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What came of one receiver: which reference each received picture is, and the figures of its pictures. And which
levels a link carries."""
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from math import isfinite, sqrt
from typing import Optional

CLOCK_RATE = 90000
SECOND = 1000000000

# GStreamer's for a time that is not known.

# Pictures that a decoder keeps back at most to bring them into order, in x264's pyramid; and from how long on there is
# no picture where the lowest level has six a second.
REORDERED = 3
STANDSTILL = SECOND // 4

# A level with less than this share of the capacity is carried with ease; one with more than that other is not at all.
EASE = 0.9
EXCESS = 1.15
AMPLE = 1.35

# A received picture and its reference have the same time, to a rounding of the RTP clock.
TOLERANCE = 90


@dataclass
class Reference:
    """A picture as the decoder beside the encoder made it."""
    rung: int
    time: int
    crc: int
    psnr: Optional[float]


@dataclass
class Frame:
    """A picture that the receiver decoded; the last three fields are found by `identify`."""
    time: int
    now: int
    latency: int
    rtp: Optional[int]
    crc: int
    corrupted: bool = False
    source_time: Optional[int] = None
    rung: Optional[int] = None
    psnr: Optional[float] = None


@dataclass
class Turn:
    """Two levels take turns: the upper one has `share` of the time, and the present turn ends after `left` seconds."""
    upper: int
    share: float
    left: float

    @classmethod
    def of_stats(cls, stats):
        if 'turn-level' not in stats:
            return None
        return cls(stats['turn-level'] + 1, stats['turn-share'], stats.get('turn-left-ms', 0) / 1000)


@dataclass
class Sample:
    """What the receiver told of itself at one time; rates in bit/s, the round-trip time in s. What it did not tell is
    None."""
    time: int
    level: int
    rate: int
    held: int = 0
    loss: Optional[float] = None
    calculated: Optional[float] = None
    rtt: Optional[float] = None
    received: int = 0
    lost: int = 0
    train: Optional[str] = None
    fair: Optional[float] = None
    turn: Optional['Turn'] = None

    @classmethod
    def of_stats(cls, now, level, stats):
        layers = stats.get('layers', [])
        calculated = stats.get('smoothed-bitrate', stats.get('calculated-bitrate'))
        rtt = stats.get('rtt-ms')
        held = sum(layer['announced-bitrate'] for layer in layers if layer['held'])
        return cls(now, level, stats.get('bitrate', 0), held,
                   stats.get('loss-rate'), calculated if calculated and isfinite(calculated) else None,
                   rtt / 1000 if rtt is not None else None,
                   stats.get('packets-received', 0), stats.get('packets-lost', 0),
                   stats.get('trains'), stats.get('fair-bitrate'), Turn.of_stats(stats))


@dataclass
class Step:
    """What the receiver's link carries from `time` on, in bit/s."""
    time: int
    capacity: float


def to_ticks(time):
    return (time * CLOCK_RATE + SECOND // 2) // SECOND


def unwrap(rtp, near):
    """The 32-bit RTP timestamp as a number without wrap, closest to `near`."""
    return near + ((rtp - near + (1 << 31)) % (1 << 32)) - (1 << 31)


def find_offset(frames, references):
    """The RTP timestamp of the film's start, as most equal pictures agree; None where no two are equal."""
    by_crc = {}
    for reference in references:
        by_crc.setdefault(reference.crc, []).append(to_ticks(reference.time))
    first = next((frame.rtp for frame in frames if frame.rtp is not None), 0)
    votes = Counter()
    for frame in frames:
        if frame.rtp is not None:
            votes.update({unwrap(frame.rtp, first) - ticks for ticks in by_crc.get(frame.crc, [])})
    return max(votes, key=lambda offset: votes[offset] + votes.get(offset + 1, 0)) if votes else None


def identify(frames, references):
    """Fills in source_time of each frame, and rung and psnr where it is one of the references of that time."""
    offset = find_offset(frames, references)
    if offset is None:
        return
    times = sorted({reference.time for reference in references})
    ticks = [to_ticks(time) for time in times]
    by_time = {}
    for reference in references:
        by_time.setdefault(reference.time, []).append(reference)
    for frame in frames:
        if frame.rtp is None:
            continue
        wanted = unwrap(frame.rtp, offset) - offset
        at = bisect_left(ticks, wanted - TOLERANCE)
        if at == len(ticks) or ticks[at] > wanted + TOLERANCE:
            continue
        frame.source_time = times[at]
        for reference in by_time[times[at]]:
            if reference.crc == frame.crc:
                frame.rung, frame.psnr = reference.rung, reference.psnr
                break


def fitting_level(levels, capacity):
    """The highest level that has at most the rate `capacity`; 0 where not even the base has."""
    return max([i for i, rate in enumerate(levels) if rate <= capacity], default=0)


def choose_capacities(levels):
    """[low, middle, high] for levels of these rates: two middles of gaps between levels, and room for all.

    No level is so close to one of them that either answer would be right, where the ladder has such gaps."""
    middles = [sqrt(below / EASE * above / EXCESS) for below, above in zip(levels, levels[1:])
               if below / EASE <= above / EXCESS and below]
    high = levels[-1] * AMPLE
    chosen = sorted({middles[(len(middles) - 1) // 3], middles[2 * len(middles) // 3 if len(middles) > 1 else 0]}
                    if middles else {})
    return chosen + [high] * (3 - len(chosen))


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else None


def rounded(value, digits):
    return None if value is None else round(value, digits)


def gaps_ms(frames):
    times = sorted(frame.time for frame in frames)
    return [(after - before) / 1e6 for before, after in zip(times, times[1:])]


def pauses_ms(frames):
    """Between two pictures as they came out of the decoder."""
    return [(after.now - before.now) / 1e6 for before, after in zip(frames, frames[1:])]


def late(frames):
    """The pictures that came after their time, without the last few before the picture stands still: a decoder keeps
    those back until the next come."""
    ordered = sorted(frames, key=lambda frame: frame.time)
    late_ones = []
    for i, frame in enumerate(ordered):
        following = ordered[i:i + REORDERED + 2]
        stands_still = any(after.time - before.time > STANDSTILL for before, after in zip(following, following[1:]))
        if frame.now > frame.time + frame.latency and not stands_still:
            late_ones.append(frame)
    return late_ones


def step_errors_ms(frames, without=()):
    """How far the steps of the presentation times are from the steps of the film's own times, the spans `without` left
    out."""
    known = sorted((frame for frame in frames if frame.source_time is not None), key=lambda frame: frame.source_time)
    return [abs((b.time - a.time) - (b.source_time - a.source_time)) / 1e6 for a, b in zip(known, known[1:])
            if not any(since <= b.time < until for since, until in without)]


def rates_by_level(samples):
    """Mean received rate while each level was held, the second after a change left out: it is still being measured.

    `samples` are in order."""
    rates = {}
    since = None
    level = None
    for sample in samples:
        if sample.level != level:
            level, since = sample.level, sample.time
        elif level >= 0 and sample.time - since > 1.2 * SECOND:
            rates.setdefault(level, []).append(sample.rate)
    return {str(key): round(mean(values)) for key, values in sorted(rates.items())}


def summarize_pictures(frames, samples, longer=()):
    """The figures of one receiver's pictures, which are identified. `samples`: as in rates_by_level. `longer`: spans in
    which its path may have become longer, so that its pictures do too."""
    identical = sum(frame.rung is not None for frame in frames)
    return {
        'frames-decoded': len(frames),
        'frames-identical': identical,
        'frames-not-identical': len(frames) - identical,
        'frames-late': len(late(frames)),
        'frames-marked-corrupted': sum(frame.corrupted for frame in frames),
        'bitrate-by-level': rates_by_level(samples),
        'psnr-mean-db': rounded(mean(frame.psnr for frame in frames if frame.psnr is not None), 2),
        'longest-gap-ms': rounded(max(gaps_ms(frames), default=None), 1),
        'longest-pause-ms': rounded(max(pauses_ms(frames), default=None), 1),
        'step-error-max-ms': rounded(max(step_errors_ms(frames, longer), default=None), 3),
        'join-to-picture-ms': rounded(frames[0].now / 1e6, 1) if frames else None,
    }
