#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests one rate for all receivers: x264enc in front of lmccsink follows a link that changes from 2 Mbit/s to 500
kbit/s and back, no outdated picture is sent, and pictures continue to arrive.

Usage: single-rate.py [pgmcc|tfmcc]

TFMCC, which recovers more slowly, runs only with LMCC_TESTBED_FULL.
"""
import os
import re
import sys
import time

import session
from session import lib

ALGORITHM = sys.argv[1] if len(sys.argv) > 1 else 'pgmcc'
GROUP, PORT = '239.255.66.40', 17640
WIDE, NARROW = 2000000, 500000
DELAY = 0.015

# The queue of the link in seconds, as in a home router.
QUEUE = 0.15

# kbit/s: the rate of the encoder when it has found the link. Headers and control packets take their part.
ON_WIDE, ON_NARROW = 1100, 500

# Seconds until a rate is reached, 3 in theory but more on a busy machine; and for which each rate is held.
PATIENCE = 30
HOLD = 3

# Minimum number of pictures per second, of 25, while a rate is held.
LEAST_PICTURES = 10

AGE_LIMIT = 0.5

# Size of lmccsink's packets in bytes, with IP and UDP headers.
PACKET = 1400 + 28

# RFC 4654: a round in which only the limiting receiver reports takes this many R_max (section 3.4); then R_max may
# decrease by a tenth (section 3.2).
ROUND, SHORTER = 12, 0.9

# Maximum share of the rate for the encoder.
MEDIA = 0.95


def rfc_4654_needs(rate, rtt_max, wanted):
    """Seconds until TFMCC's rate reaches `wanted` bit/s without losses: it grows by 8 s / R_max in each R_max (section
    3.3), and R_max decreases with each round."""
    needs = 0
    while True:
        rtt_max *= SHORTER
        growth = 8 * PACKET / rtt_max ** 2
        if rate + growth * ROUND * rtt_max >= wanted:
            return needs + max(0, wanted - rate) / growth
        rate += growth * ROUND * rtt_max
        needs += ROUND * rtt_max


def wait_for_rate(sender, fits, patience=PATIENCE):
    """Seconds until `fits` is true of the encoder's rate, or None."""
    begin = time.monotonic()

    def last():
        found = sender.find(r'GstX264Enc:encoder: bitrate = (\d+)')
        return found and fits(int(found[-1][1][1]))
    return time.monotonic() - begin if lib.wait_until(last, patience) else None


def pictures(receiver):
    """The number of pictures that lmccsrc has output, from its latest statistics."""
    found = receiver.find(r'GstLmccSrc:src: stats = .*units-delivered=\(guint64\)(\d+)')
    return int(found[-1][1][1]) if found else 0


def hold(receiver, what):
    before = pictures(receiver)
    time.sleep(HOLD)
    came = pictures(receiver) - before
    lib.check(came >= LEAST_PICTURES * (HOLD - 1), f'{what}: {came / HOLD:.1f} pictures/s arrive', *receiver.tail(3))


def follow(sender, receiver, host, rate, fits):
    needs = 0
    if ALGORITHM == 'tfmcc' and rate == WIDE:
        before = sink_statistics(sender)
        needs = rfc_4654_needs(before['bitrate'], before['rtt-ms'] / 1e3, 1000 * ON_WIDE / MEDIA)
        lib.note(f"R_max is {before['rtt-ms']:.0f} ms, so that RFC 4654 takes at least {needs:.2f} s")
    host.set_rate(rate, QUEUE)
    took = wait_for_rate(sender, fits, PATIENCE + needs)
    lib.check(took is not None, f'{rate // 1000} kbit/s: the encoder follows', *sender.tail(4))
    if took is not None:
        lib.note(f'it took {took:.2f} s')
    hold(receiver, f'{rate // 1000} kbit/s')


def sink_statistics(sender):
    text = sender.find(r'GstLmccSink:sink: stats = .*(single-rate.*)')[-1][1][1].replace('\\', '')
    return {name: float(re.search(rf'[ ,"]{name}=\(\w+\)([\d.e+-]+)', text)[1])
            for name in ('bitrate', 'age-max-ms', 'units-expired', 'rtt-ms', 'loss-rate', 'window-packets', 'stalls')}


def main():
    if ALGORITHM != 'pgmcc' and 'LMCC_TESTBED_FULL' not in os.environ:
        lib.skip('LMCC_TESTBED_FULL is not set')
    session.start(170)
    sender_host, (host,) = session.make([WIDE], DELAY)
    host.set_rate(WIDE, QUEUE)
    receiver = lib.launch(f'lmccsrc name=src address={GROUP} port={PORT} stats-update-interval=500 ! rtph264depay ! '
                          'avdec_h264 ! fakesink', '-v', prefix=host.prefix)
    sender = lib.launch('videotestsrc is-live=true pattern=snow ! video/x-raw,format=I420,width=320,height=180,'
                        'framerate=25/1 ! x264enc name=encoder bitrate=1700 vbv-buf-capacity=200 tune=zerolatency '
                        'speed-preset=ultrafast threads=1 sliced-threads=false key-int-max=250 ! queue ! '
                        f'lmccsink name=sink address={GROUP} port={PORT} algorithm={ALGORITHM} drive-encoder=true '
                        'min-bitrate=300000 stats-update-interval=500', '-v', prefix=sender_host.prefix)
    took = wait_for_rate(sender, lambda rate: rate >= ON_WIDE)
    lib.check(took is not None, 'the encoder finds the link', *sender.tail(4))
    if took is not None:
        lib.note(f'it took {took:.2f} s')
    hold(receiver, f'{WIDE // 1000} kbit/s')
    follow(sender, receiver, host, NARROW, lambda rate: rate <= ON_NARROW)
    follow(sender, receiver, host, WIDE, lambda rate: rate >= ON_WIDE)
    figures = sink_statistics(sender)
    lib.note(', '.join(f'{name} {value:g}' for name, value in figures.items()))
    lib.check(figures['age-max-ms'] < AGE_LIMIT * 1e3,
              f"the oldest picture when sent is {figures['age-max-ms']:.0f} ms old")
    lib.check(sender.returncode() is None and receiver.returncode() is None, 'both programs still run', *sender.tail(4),
              *receiver.tail(4))
    lib.finish()


main()
