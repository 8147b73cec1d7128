# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What came of it: which reference each received picture is, and the figures of the whole run."""
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from typing import Optional

CLOCK_RATE = 90000
SECOND = 1000000000

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


def plan_levels(top, seconds):
    """(time, level) of each change: from the base up to `top` and down again, in equal steps."""
    levels = list(range(top + 1)) + list(range(top - 1, -1, -1))
    return [(seconds * i / len(levels), level) for i, level in enumerate(levels)]


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else None


def rounded(value, digits):
    return None if value is None else round(value, digits)


def gaps_ms(frames):
    times = sorted(frame.time for frame in frames)
    return [(after - before) / 1e6 for before, after in zip(times, times[1:])]


def step_errors_ms(frames):
    """How far the steps of the presentation times are from the steps of the film's own times."""
    known = sorted((frame for frame in frames if frame.source_time is not None), key=lambda frame: frame.source_time)
    return [abs((b.time - a.time) - (b.source_time - a.source_time)) / 1e6 for a, b in zip(known, known[1:])]


def rates_by_level(samples):
    """Mean received rate while each level was held, the second after a change left out: it is still being measured.

    `samples` are (time in ns, level, bit/s) in order."""
    rates = {}
    since = None
    level = None
    for time, now, rate in samples:
        if now != level:
            level, since = now, time
        elif level >= 0 and time - since > 1.2 * SECOND:
            rates.setdefault(level, []).append(rate)
    return {str(key): round(mean(values)) for key, values in sorted(rates.items())}


def summarize(sent, frames, levels, samples, stats):
    """The figures of a run.

    sent: pictures that went into the encoders; frames: identified; levels: the level changes; samples: as in
    rates_by_level; stats: the receiver's last statistics."""
    identical = sum(frame.rung is not None for frame in frames)
    received = stats.get('packets-received', 0)
    lost = stats.get('packets-lost', 0)
    return {
        'frames-sent': sent,
        'frames-decoded': len(frames),
        'frames-identical': identical,
        'frames-not-identical': len(frames) - identical,
        'frames-late': sum(frame.now > frame.time + frame.latency for frame in frames),
        'frames-marked-corrupted': sum(frame.corrupted for frame in frames),
        'level-changes': len(levels),
        'levels-held': sorted({change['to'] for change in levels if change['to'] >= 0}),
        'packets-received': received,
        'packets-lost': lost,
        'loss': rounded(lost / (lost + received), 6) if lost + received else None,
        'bitrate-by-level': rates_by_level(samples),
        'psnr-mean-db': rounded(mean(frame.psnr for frame in frames if frame.psnr is not None), 2),
        'longest-gap-ms': rounded(max(gaps_ms(frames), default=None), 1),
        'step-error-max-ms': rounded(max(step_errors_ms(frames), default=None), 3),
        'join-to-picture-ms': rounded(frames[0].now / 1e6, 1) if frames else None,
    }


def verdict(summary):
    """None where all is well, else what is wrong."""
    if summary['frames-decoded'] == 0:
        return 'no picture was decoded'
    if summary['frames-not-identical']:
        return f"{summary['frames-not-identical']} of {summary['frames-decoded']} pictures are not the encoder's"
    return None
