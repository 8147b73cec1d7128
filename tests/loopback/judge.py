# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Determines which units of a clip fit each level, from the packets on the wire and from the sizes of the units, and
compares the output of receivers with them."""

import bisect
import collections
import itertools
import math

import clip
import wire

# Bytes of headers per packet: IP, UDP, RTP and the element of lmcc. A fragmented NAL unit adds two bytes in each
# packet.
PACKET_OVERHEAD = 28 + 12 + 24
FRAGMENT_OVERHEAD = 2

# Maximum share of the base layer for reports and answers (docs/developers/wire-format.md).
FEEDBACK_SHARE = 0.05

TIMESTAMPS = 90000 // clip.FRAME_RATE

# The first picture of a segment may be shown this many ns late: far less than the distance of two pictures.
TIME_MARGIN = 2000000

Delivered = collections.namedtuple('Delivered', 'rung picture time')
Shown = collections.namedtuple('Shown', 'picture rung right')


def _distance(timestamp, since):
    """The number of pictures between two RTP timestamps."""
    step = (timestamp - since + 0x80000000 & 0xffffffff) - 0x80000000
    return round(step / TIMESTAMPS)


def _reverse(value, bits):
    return int(format(value, f'0{bits}b')[::-1], 2) if bits else 0


def by_importance(units):
    """The order in which the units of a group are placed (docs/developers/architecture.md): by rung and class, and
    within a class first the pictures on which no other picture of the class depends, so that every prefix is spread
    evenly."""
    ordered = []
    for key in sorted({(unit.rung, unit.klass) for unit in units}):
        members = sorted((u for u in units if (u.rung, u.klass) == key),
                         key=lambda u: u.order)
        if key[1] > 0:
            bits = (len(members) - 1).bit_length()
            members = [members[i] for i in
                       (_reverse(j, bits) for j in range(1 << bits))
                       if i < len(members)]
        ordered += members
    return ordered


class Judge:
    """Compares the packets of a run with the film."""

    def __init__(self, run):
        self.run = run
        self.film = run.film
        self.setting = run.setting
        sent = wire.assemble(run.capture.packets)
        self.since = min((s.timestamp for s in sent),
                         key=lambda t: _distance(t, sent[0].timestamp))
        self.sent = {(s.stream, _distance(s.timestamp, self.since)): s
                     for s in sent}
        # The last group is incomplete, and the one before it may not be sent completely.
        self.n_groups = max(p for _, p in self.sent) // clip.GROUP - 1
        self._by_layer = [[p for p in run.capture.packets if p.layer == layer]
                          for layer in range(self.setting.layers)]
        self._note_times()
        self._encoded = [{u.picture: u for u in units}
                         for units in self.film.units]

    def encoded(self, rung, picture):
        return self._encoded[rung][picture % self.film.n_pictures]

    def group(self, number):
        """The units of all rungs in a group."""
        return [self.encoded(rung, picture)._replace(picture=picture)
                for rung in range(len(clip.RUNGS))
                for picture in range(number * clip.GROUP,
                                     (number + 1) * clip.GROUP)]

    def strangers(self):
        """Units on the wire that are not complete units as they were encoded."""
        found = []
        for (rung, picture), sent in self.sent.items():
            unit = self.encoded(rung, picture)
            if picture < self.n_groups * clip.GROUP and (
                    not sent.whole or sent.identity != unit.identity
                    or sent.klass != unit.klass):
                found.append(f'rung {rung} picture {picture}: {sent}')
        return found

    # From the packets on the wire

    def fitting(self, level, group):
        """The pictures that are complete in layers 0 to `level`, by rung."""
        fits = [set() for _ in clip.RUNGS]
        for rung, pictures in enumerate(fits):
            for picture in range(group * clip.GROUP,
                                 (group + 1) * clip.GROUP):
                sent = self.sent.get((rung, picture))
                if sent and max(sent.layers) <= level:
                    pictures.add(picture)
        return fits

    # From the units' sizes

    def size(self, unit):
        """The size of a unit on the wire in bytes."""
        sent = self.sent.get((unit.rung, unit.picture))
        if sent:
            return sum(sent.sizes)
        room = self.run.mtu - (PACKET_OVERHEAD - 28)
        total = 0
        for nal in unit.sizes:
            packets = -(-nal // room)
            total += nal + packets * PACKET_OVERHEAD
            total += packets * FRAGMENT_OVERHEAD if packets > 1 else 0
        return total

    def misplaced(self, slack):
        """Units that are not in the lowest layer with room for them, or are in a layer without room, judged only by the
        units' sizes, the layers' rates and the order of importance. `slack`: seconds by which the sender's thread may
        be late."""
        found = []
        for group in range(1, self.n_groups):
            found += [f'group {group}: {text}'
                      for text in self._misplaced_in(group, slack)]
        return found

    def _ahead(self, group):
        """The number of bytes that each layer has sent early, at the time of the first unit of the group: the bursts of
        RLC. For the base layer it is the maximum, because only the total of the RTCP bytes is known."""
        began = self._began[group]
        ahead = [self.setting.burst * self.setting.rates[0] / 8]
        for times, totals, rate in list(zip(self._times, self._totals,
                                            self.setting.rates))[1:]:
            before = totals[bisect.bisect_left(times, began)]
            ahead.append(max(before - (began - times[0]) * rate / 8, 0))
        return ahead

    def _note_times(self):
        """Records when each layer sent its packets, in s since the first, the number of bytes sent before each packet,
        and the time of the first unit of each group."""
        packets = self.run.capture.packets

        def since_start(packet):
            return (packet.sent - packets[0].sent + 1) % 65536 - 1

        self._times = [[since_start(p) for p in layer]
                       for layer in self._by_layer]
        self._totals = [list(itertools.accumulate((p.size for p in layer),
                                                  initial=0))
                        for layer in self._by_layer]
        self._began = {}
        for packet in packets:
            if packet.kind == wire.MEDIA:
                group = _distance(packet.timestamp, self.since) // clip.GROUP
                self._began[group] = min(self._began.get(group, math.inf),
                                         since_start(packet))

    def _shares(self, group):
        """The bytes per second of each layer that are available for media, at least and at most."""
        control = self.run.capture.control_bytes / self.run.seconds
        most = [rate / 8 for rate in self.setting.rates]
        least = [rate - ahead for rate, ahead in zip(most, self._ahead(group))]
        least[0] -= 2 * control + FEEDBACK_SHARE * most[0]
        return least, most

    def _misplaced_in(self, group, slack):
        least, most = self._shares(group)
        packet = self.run.mtu + 28
        used = [0] * self.setting.layers
        at, full = 0, False
        for unit in by_importance(self.group(group)):
            size = self.size(unit)
            sent = self.sent.get((unit.rung, unit.picture))
            name = f'rung {unit.rung} picture {unit.picture} ({size} bytes)'
            if sent is None:
                full = True
                first, last = self.setting.layers, None
            elif full:
                yield f'{name} is sent, a more important one is not'
                return
            else:
                first, last = min(sent.layers), max(sent.layers)
                if first < at:
                    yield f'{name} is in layer {first}, the one before in {at}'
                if first != last and (first == 0 or size <= most[first] * (
                        1 - slack) - packet):
                    yield f'{name} is cut, and would fit layer {first}'
            for layer in range(at, first):
                if used[layer] + size < least[layer] * (1 - slack) - packet:
                    yield (f'{name} is not in layer {layer}, which has '
                           f'{used[layer]} of {most[layer]:.0f} bytes')
            if sent is None:
                return
            for layer, part in zip(sent.layers, sent.sizes):
                used[layer] += part
            for layer in range(first, last):
                if used[layer] < least[layer] * (1 - slack) - packet:
                    yield f'{name} goes on above layer {layer}, with room there'
            at = last
        for layer, total in enumerate(used):
            if total > most[layer] * (1 + slack) + packet:
                yield f'{total} bytes in layer {layer}, of {most[layer]:.0f}'

    def rates(self):
        """The rate of each layer with all packets, in bit/s, from the send times."""
        measured = []
        for layer in range(self.setting.layers):
            packets = self._by_layer[layer]
            elapsed = (packets[-1].sent - packets[0].sent) % 65536
            measured.append(sum(p.size for p in packets[:-1]) * 8 / elapsed)
        return measured


class Reception:
    """Compares the output of a receiver with the film."""

    def __init__(self, judge, name):
        self.judge = judge
        self.path = judge.run.path(name)
        self.strangers = []
        self.units = []
        for timestamp, time, payloads in self._read():
            self._note(timestamp, time, payloads)
        self.groups = collections.defaultdict(list)
        for unit in self.units:
            self.groups[unit.picture // clip.GROUP].append(unit)

    def _read(self):
        """Yields (timestamp, time, payloads) of each access unit."""
        latest, payloads = None, []
        for sample in clip.samples(f'filesrc location={self.path} ! gdpdepay'):
            data = clip.contents(sample)
            at = 12 + 4 * (data[0] & 15)
            if data[0] & 0x10:
                at += 4 + 4 * int.from_bytes(data[at + 2:at + 4], 'big')
            if latest is None:
                latest = (int.from_bytes(data[4:8], 'big'),
                          sample.get_buffer().pts)
            payloads.append(data[at:])
            if data[1] & 0x80:
                yield *latest, payloads
                latest, payloads = None, []

    def _note(self, timestamp, time, payloads):
        picture = _distance(timestamp, self.judge.since)
        identity = clip.identify(wire.read_nal_units(payloads))
        for rung in range(len(clip.RUNGS)):
            if self.judge.encoded(rung, picture).identity == identity:
                self.units.append(Delivered(rung, picture, time))
                return
        self.strangers.append(f'picture {picture}: no rung\'s whole unit')

    def differences(self, level, group):
        """The differences between the output of a receiver at `level` and the required output, for a group. If pictures
        on which others depend are missing, the receiver may switch to a lower rung within the group; the rung at its
        end counts."""
        fits = self.judge.fitting(level, group)
        given = [set() for _ in clip.RUNGS]
        for unit in self.groups[group]:
            given[unit.rung].add(unit.picture)
        for rung, pictures in enumerate(given):
            if pictures - fits[rung]:
                yield (f'rung {rung}: {sorted(pictures - fits[rung])} do not '
                       'fit')
        expected = self._expected_rung(level, group, fits)
        if expected is None:
            return
        if not self.groups[group]:
            yield f'nothing came, rung {expected} was expected'
            return
        last = self.groups[group][-1].rung
        if last != expected and not (
                last < expected and self._is_cut(expected, group, fits)):
            yield f'ends with rung {last}, not {expected}'
        if given[last] != fits[last]:
            yield (f'rung {last}: {sorted(fits[last] - given[last])} did not '
                   'come')

    def _expected_rung(self, level, group, fits):
        """The highest rung whose key frame fits and that had as many pictures in the group before as any rung below;
        None if there is none."""
        before = [len(p) for p in self.judge.fitting(level, group - 1)]
        expected = None
        for rung, pictures in enumerate(fits):
            whole = rung == 0 or before[rung] > 0 and all(
                n <= before[rung] for n in before[:rung])
            if whole and group * clip.GROUP in pictures:
                expected = rung
        return expected

    def _is_cut(self, rung, group, fits):
        needed = {u.picture for u in self.judge.group(group)
                  if u.rung == rung and u.klass == 0}
        return not needed <= fits[rung]

    def shown(self):
        """The pictures at the output of a decoder, each with its rung, and whether it equals the picture of the
        encoder's own decoder at its time."""
        units = sorted(self.units, key=lambda u: u.time)
        times = [u.time for u in units]
        film, pictures = self.judge.film, []
        for picture in clip.decode(self.path):
            near = units[bisect.bisect_left(times, picture.time - TIME_MARGIN):
                         bisect.bisect(times, picture.time + TIME_MARGIN)]
            found = [u for u in near if picture.checksum == film.checksums[
                u.rung][u.picture % film.n_pictures]]
            pictures.append(
                Shown(found[0].picture, found[0].rung, True) if found else
                Shown(near[0].picture if near else None, None, False))
        return pictures


def quality(film, shown, first, end):
    """(pictures/s, dB) of the groups from `first` to before `end`. A missing picture is replaced by the last picture
    shown; before the first picture the screen is black."""
    at, total, count = 0, 0.0, 0
    held = (None, 0)
    shown = sorted((s for s in shown if s.picture is not None))
    for picture in range(end * clip.GROUP):
        while at < len(shown) and shown[at].picture <= picture:
            held = (shown[at].rung, shown[at].picture % film.n_pictures)
            count += picture >= first * clip.GROUP
            at += 1
        if picture >= first * clip.GROUP:
            total += film.psnr(picture % film.n_pictures, *held)
    seconds = (end - first) * clip.GROUP / clip.FRAME_RATE
    return count / seconds, total / (seconds * clip.FRAME_RATE)
