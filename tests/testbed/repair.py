#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests the same pictures with and without repair data behind a link that loses 2 % of the packets. With repair data
nearly all pictures arrive, and all are correct; congestion control counts the losses of the link in both cases.
"""
import re

import session
from session import lib

LOSS, SEED = 0.02, 20040101
GROUPS = {'with': '239.255.62.65', 'without': '239.255.62.81'}
PORT = 15462

# Pictures of the first and the last seconds are not judged: until the receivers know the session, and at the end of the
# film.
RATE, SECONDS, BEFORE, AFTER = 25, 10, 3, 1

LAYERS = 'layering=doubling layers=3 base-rate=400000'
REPAIR = {'with': 'repair=0.2', 'without': 'repair=0'}

# Maximum seconds after the end of the sender until all judged pictures have arrived.
LATENCY = 15

# Share of the judged pictures.
NEARLY_ALL = 0.97
MISSING_WITHOUT = 0.1


def send(host):
    """Prints the checksums of all pictures."""
    line = (f'videotestsrc is-live=true pattern=smpte num-buffers={RATE * SECONDS} ! '
            f'video/x-raw,format=I420,width={lib.WIDTH},height={lib.HEIGHT},framerate={RATE}/1 ! '
            f'{lib.three_classes(900, RATE)} ! tee name=film film. ! queue ! {session.show()}')
    for name, group in GROUPS.items():
        line += f' film. ! queue ! lmccsink address={group} port={PORT} {LAYERS} {REPAIR[name]}'
    return lib.launch(line, '-m', '-e', prefix=host.prefix)


def shown_of(receiver):
    return [checksum for _, checksum in receiver.pictures()]


def check_pictures(name, shown, film):
    """Returns the share of the judged pictures that is missing."""
    judged = film[RATE * BEFORE:-RATE * AFTER]
    broken = [checksum for checksum in shown if checksum not in film]
    lib.check(not broken, f'{name} repair: all pictures are correct', *broken[:5])
    missing = len(set(judged) - set(shown)) / len(set(judged))
    lib.note(f'{name} repair: {100 * missing:.1f} % of {len(judged)} pictures are missing')
    return missing


def counts_of(receiver):
    """Totals of all layers: packets received and lost, media packets lost, and repaired packets of those."""
    stats = receiver.stats()
    media = re.search(r'media-packets-lost=\(guint64\)(\d+), packets-repaired=\(guint64\)(\d+)', receiver.ask_stats())
    return stats['packets-received'], stats['packets-lost'], int(media[1]), int(media[2])


def check_counts(name, counts):
    received, lost, media, repaired = counts
    lib.note(f'{name} repair: {received} packets received, {lost} lost; '
             f'{media} media packets lost, {repaired} repaired')
    share = lost / (lost + received)
    lib.check(LOSS / 2 < share < 2 * LOSS, f'{name} repair: the losses of the link are counted: {100 * share:.1f} %')
    return media, repaired


def main():
    lib.start(deadline=110)
    net = lib.make_network()
    sender_host, host = net.add_host(), net.add_host(loss=LOSS, seed=SEED)
    # No picture is dropped for being late, as this machine may be busy.
    receivers = {name: session.Receiver(host, name, 'algorithm=none', 'latency=1000', uri=f'lmcc://{group}:{PORT}',
                                        consumer=f'rtph264depay ! {session.show()}')
                 for name, group in GROUPS.items()}
    for name, group in GROUPS.items():
        lib.check(lib.wait_until(lambda group=group: group in host.groups(), session.PATIENCE), f'{group} is joined')
    sending = send(sender_host)
    lib.check(sending.ends(60), 'the film has been sent', *sending.tail())
    film = [checksum for _, checksum in lib.pictures(sending)]
    lib.check(len(set(film)) == RATE * SECONDS, 'no two pictures are equal', len(set(film)))
    # A decoder holds some pictures back; with repair data this one arrives.
    lib.wait_until(lambda: film[-RATE * AFTER // 2] in shown_of(receivers['with']), LATENCY)
    counts = {name: counts_of(receiver) for name, receiver in receivers.items()}
    missing = {name: check_pictures(name, shown_of(receiver), film)
               for name, receiver in receivers.items()}
    lib.check(missing['with'] < 1 - NEARLY_ALL, 'with repair nearly all pictures are shown')
    lib.check(missing['without'] > MISSING_WITHOUT, 'without repair clearly more are missing')
    media, repaired = check_counts('with', counts['with'])
    lib.check(media > 0 and repaired > 0.9 * media, 'nearly all lost media packets are repaired')
    media, repaired = check_counts('without', counts['without'])
    lib.check(media > 0 and repaired == 0, 'without repair no packet is repaired')
    lib.finish()


main()
