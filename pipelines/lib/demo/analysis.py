# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Identifies the pictures of a receiver with the reference pictures and calculates their figures. Also decides which
levels a link can carry."""
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from math import isfinite, sqrt
from typing import Optional

CLOCK_RATE = 90000
SECOND = 1000000000

# Maximum number of pictures that a decoder holds back to reorder them, with x264's pyramid; and the pause that counts
# as a standstill, where the lowest level has six pictures per second.
REORDERED = 3
STANDSTILL = SECOND // 4

# Shares of the link's capacity: a level below EASE fits with ease, a level above EXCESS does not fit. AMPLE has room
# for all levels.
EASE = 0.9
EXCESS = 1.15
AMPLE = 1.35

# Maximum difference between the times of a received picture and its reference, in ticks of the RTP clock.
TOLERANCE = 90


@dataclass
class Reference:
    """A picture that the sender decoded from its encoder's output."""
    rung: int
    time: int
    crc: int
    psnr: Optional[float]


@dataclass
class Frame:
    """A picture that the receiver decoded; `identify` sets the last three fields."""
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
    """The receiver alternates between two levels: the upper one has `share` of the time, and the next change is in
    `left` s."""
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
    """The receiver's statistics at one time; rates in bit/s, the round-trip time in s. Unknown values are None."""
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
    """The capacity of the receiver's link from `time` on, in bit/s."""
    time: int
    capacity: float


def to_ticks(time):
    return (time * CLOCK_RATE + SECOND // 2) // SECOND


def unwrap(rtp, near):
    """The 32-bit RTP timestamp as a number without wrap-around, closest to `near`."""
    return near + ((rtp - near + (1 << 31)) % (1 << 32)) - (1 << 31)


def find_offset(frames, references):
    """The RTP timestamp of the film's start, by a majority of equal pictures; None if no pictures are equal."""
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
    """Sets source_time of each frame, and rung and psnr if the frame equals a reference of that time."""
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
    """The highest level whose rate is at most `capacity`; 0 if even the base layer exceeds it."""
    return max([i for i, rate in enumerate(levels) if rate <= capacity], default=0)


def choose_capacities(levels):
    """[low, middle, high] capacities for levels of these rates: the middles of two gaps between levels, and room for
    all.

    If the gaps are wide enough, no level is so close to a capacity that it could be considered both fitting and not."""
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
    """The times between successive pictures at the output of the decoder."""
    return [(after.now - before.now) / 1e6 for before, after in zip(frames, frames[1:])]


def late(frames):
    """The pictures that left the decoder after their presentation time, except the last few before a standstill: a
    decoder holds those back until the next pictures arrive."""
    ordered = sorted(frames, key=lambda frame: frame.time)
    late_ones = []
    for i, frame in enumerate(ordered):
        following = ordered[i:i + REORDERED + 2]
        stands_still = any(after.time - before.time > STANDSTILL for before, after in zip(following, following[1:]))
        if frame.now > frame.time + frame.latency and not stands_still:
            late_ones.append(frame)
    return late_ones


def step_errors_ms(frames, without=()):
    """The differences between the steps of the presentation times and the steps of the film's own times, without the
    spans `without`."""
    known = sorted((frame for frame in frames if frame.source_time is not None), key=lambda frame: frame.source_time)
    return [abs((b.time - a.time) - (b.source_time - a.source_time)) / 1e6 for a, b in zip(known, known[1:])
            if not any(since <= b.time < until for since, until in without)]


def rates_by_level(samples):
    """Mean received rate at each level. Skips the 1.2 s after a change, while the rate is still being measured.

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
    """The figures of one receiver's identified pictures. `samples`: as in rates_by_level. `longer`: spans in which the
    path delay may have grown, so that the steps between pictures may have grown too."""
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
