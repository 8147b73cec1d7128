#!/usr/bin/env python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures how packets with the sender's forged address, made from the sender's packets, affect a receiver of one
layer.

Each forgery has its own session, which runs for some seconds without forged packets and then with them. A picture
counts as missing if the receiver did not show exactly the picture of the encoder's own decoder.

Usage: forged.py [--full] [NAME...]

With --full or LMCC_TEST_LONG, measures the whole table of docs/users/security.md, 20 s per row: about 8 minutes.
"""

import argparse
import concurrent.futures
import os
import random
import re
import select
import struct
import subprocess
import sys
import threading
import time

import lib

PORT = 15400

# Maximum share of missing pictures: with single packets, and with 4 pairs per second that agree with each other.
BAR, PAIRS_BAR = 0.02, 0.5

# Maximum share of a processor core with a flood, and the packet rate of the flood.
CPU_BAR, FLOOD = 0.1, 1000

RATE = 25
# docs/developers/wire-format.md: identifier 1 with 16 bytes; the bits of the type, 0 for media.
ELEMENT, TYPE = 0x1f, 0x38


class Forgery:
    """`count` packets in a row, `leap` ahead of the newest, `rate` times per second. Either only their layer sequence
    number leaps, or all numbers do. `bar` is the largest share of pictures that may be missing; None if it is only
    reported."""

    def __init__(self, fields, leap, rate, count=1, bar=BAR):
        self.fields, self.leap, self.rate, self.count, self.bar = fields, leap, rate, count, bar
        self.name = f'{fields}-{leap}-{rate}' + (f'-x{count}' if count > 1 else '')


# A forged packet that arrives before the sender's next one cannot be distinguished from it: docs/users/security.md.
FORGERIES = [
    *(Forgery('lsn', leap, rate) for leap in (0, 1, 3, 8, 100, 1000, 30000) for rate in (4, 40)),
    *(Forgery('all', leap, rate) for leap in (3, 8, 100, 1000, 30000) for rate in (4, 40)),
    *(Forgery('all', leap, rate, bar=None) for leap in (1, 2) for rate in (4, 40)),
    Forgery('all', 1, 4, 2, bar=None),
    *(Forgery('all', leap, 4, 2, PAIRS_BAR) for leap in (5, 100, 30000)),
    *(Forgery(fields, 1000, 1000) for fields in ('lsn', 'all')),
    Forgery('all', 30000, 1000),
]
SHORT = ['lsn-1-40', 'lsn-1000-4', 'all-30000-40', 'all-5-4-x2', 'lsn-1000-1000']


class Forger:
    """Listens to the session and sends packets that could be its next ones."""

    def __init__(self, group, forgery):
        self.group, self.forgery = group, forgery
        self.sent = 0
        self.random = random.Random(forgery.name)
        self.ears = lib.group_socket(group, PORT)
        self.mouth = lib.sending_socket('127.0.0.1')
        # Its own packets come back.
        self.own = self.mouth.getsockname()
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _newest(self):
        """The newest media packet; None if there is none yet. After a delay, forgeries of several older packets would
        be three that agree, which is another attack."""
        newest = None
        while select.select([self.ears], [], [], 0 if newest else 0.2)[0]:
            packet, source = self.ears.recvfrom(2048)
            if source != self.own and len(packet) >= 40 and packet[0] == 0x90 and packet[16] == ELEMENT \
                    and not packet[17] & TYPE:
                newest = packet
        return newest

    def _run(self):
        due = time.monotonic()
        while not self.ended.is_set():
            packet = self._newest()
            if packet is None:
                continue
            # If more forgeries are due than packets arrive, makes several from one packet.
            while due <= time.monotonic():
                self._forge(packet)
                due += 1 / self.forgery.rate

    def _forge(self, packet):
        for i in range(self.forgery.count):
            self.mouth.sendto(self._make(packet, self.forgery.leap + i), (self.group, PORT))
            self.sent += 1

    def _make(self, packet, leap):
        """A copy of `packet` with `leap` added to its numbers, and noise as its slice."""
        forged = bytearray(packet)
        self._add(forged, 25, leap)
        if self.forgery.fields == 'all':
            self._add(forged, 2, leap)
            self._add(forged, 27, leap)
            struct.pack_into('>I', forged, 29, int(time.time() * 65536) + (2208988800 << 16) & 0xffffffff)
            if packet[1] & 0x80:
                timestamp, = struct.unpack_from('>I', forged, 4)
                struct.pack_into('>I', forged, 4, timestamp + 90000 // RATE & 0xffffffff)
        for at in range(44, len(forged)):
            forged[at] = self.random.randrange(256)
        return bytes(forged)

    @staticmethod
    def _add(data, at, leap):
        number, = struct.unpack_from('>H', data, at)
        struct.pack_into('>H', data, at, number + leap & 0xffff)

    def stop(self):
        self.ended.set()
        self.thread.join()
        self.ears.close()
        self.mouth.close()


class Session:
    """A sender with a decoder, and a receiver whose counters are read."""

    def __init__(self, index):
        self.group = f'239.255.54.{2 * index + 1}'
        self.sender = lib.launch(
            f'{lib.source()} ! {lib.one_class(1000, 10)} ! tee name=t '
            f't. ! queue ! lmccsink address={self.group} port={PORT} multicast-iface=lo '
            f't. ! queue ! avdec_h264 ! checksumsink hash=sha1 sync=false')
        self.receiver = lib.Child(
            [CONTROL, 'lmccsrc', 'name=src', 'on-loss=freeze',
             f'uri=lmcc://{self.group}:{PORT}?multicast-iface=lo', '!', 'rtph264depay', '!', 'avdec_h264', '!',
             *lib.SHOW.split()],
            name='receiver', stdin=subprocess.PIPE)

    def count(self, field):
        before = time.monotonic()
        self.receiver.write('src stats')
        found = self.receiver.wait_for(r'src\.stats = .*', 5, 1, before)
        numbers = re.findall(rf'[ ,]{field}\\?=\\?\(\w+\\?\)([0-9]+)', found[-1][1].group()) if found else []
        return int(numbers[0]) if numbers else 0

    def shows_later(self, time_):
        """Whether the receiver shows a picture that was encoded after a time. Pictures encoded earlier and not shown by
        then are missing."""
        encoded = {checksum for _, checksum in lib.pictures(self.sender, time_)}
        return any(checksum in encoded for _, checksum in lib.pictures(self.receiver, time_))

    def missing(self, begin, end):
        """The share of the pictures encoded in this time that were not shown."""
        encoded = [checksum for when, checksum in lib.pictures(self.sender, begin) if when < end]
        shown = {checksum for _, checksum in lib.pictures(self.receiver)}
        return 1 - sum(checksum in shown for checksum in encoded) / max(1, len(encoded)), len(encoded)

    def stop(self):
        self.receiver.process.stdin.close()
        return self.receiver.ends(8), self.sender.stop()


def is_flood(name):
    return FORGERIES[NAMES.index(name)].rate >= FLOOD


def run(index, forgery, seconds):
    session = Session(index)
    if not lib.check(lib.wait_for_pictures(session.receiver, 2 * RATE, 15),
                     f'{forgery.name}: pictures are shown before the attack', *session.receiver.tail(),
                     *session.sender.tail()):
        return
    quiet, cpu = time.monotonic(), lib.processor_seconds(session.receiver.pid)
    time.sleep(seconds / 2)
    quiet_cpu = (lib.processor_seconds(session.receiver.pid) - cpu) / (time.monotonic() - quiet)
    lost = session.count('packets-lost')
    begin, cpu = time.monotonic(), lib.processor_seconds(session.receiver.pid)
    forger = Forger(session.group, forgery)
    time.sleep(seconds)
    more_cpu = (lib.processor_seconds(session.receiver.pid) - cpu) / (time.monotonic() - begin) - quiet_cpu
    end = time.monotonic()
    forger.stop()
    lib.check(lib.wait_until(lambda: session.shows_later(end), 10),
              f'{forgery.name}: pictures are shown after the attack')
    lost = session.count('packets-lost') - lost
    dropped = session.count('packets-dropped-kernel')
    missing, n_pictures = session.missing(begin, end)
    lib.note(f'{forgery.name}: {forger.sent} forged packets in {seconds} s, {100 * missing:.1f} % of {n_pictures} '
             f'pictures missing, {lost} losses counted, {100 * more_cpu:.1f} % of a core, '
             f'{dropped} dropped by the socket')
    lib.check(forger.sent >= 0.8 * seconds * forgery.rate * forgery.count, f'{forgery.name}: the attack had its rate')
    if forgery.bar is not None:
        lib.check(missing <= forgery.bar,
                  f'{forgery.name}: at most {100 * forgery.bar:.0f} % of the pictures are missing')
    if forgery.bar == BAR:
        lib.check(lost == 0, f'{forgery.name}: the receiver counts no loss')
    if forgery.rate >= FLOOD:
        lib.check(more_cpu < CPU_BAR, f'{forgery.name}: the attack costs less than a tenth of a core')
        lib.check(dropped == 0, f'{forgery.name}: the socket drops nothing')
    lib.check(all(session.stop()), f'{forgery.name}: both programs stop')


parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument('--full', action='store_true', default=bool(os.environ.get('LMCC_TEST_LONG')))
parser.add_argument('names', nargs='*')
arguments = parser.parse_args()
CONTROL = lib.control()
SECONDS = 20 if arguments.full else 8
NAMES = [f.name for f in FORGERIES]
unknown = set(arguments.names) - set(NAMES)
if unknown:
    sys.exit(f'no forgery is named {", ".join(unknown)}: {", ".join(NAMES)}')
chosen = arguments.names or (NAMES if arguments.full else SHORT)
lib.start('rtph264depay', deadline=(2 * SECONDS + 25) * len(chosen))


def run_all(workers, names):
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        for done in [pool.submit(run, NAMES.index(name), FORGERIES[NAMES.index(name)], SECONDS) for name in names]:
            done.result()


# The runs that measure a receiver's processor time run alone.
run_all(4, [name for name in chosen if not is_flood(name)])
run_all(1, [name for name in chosen if is_flood(name)])
lib.finish()
