#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures pgmcc beside the kernel's TCP, as in figure 5 of Rizzo (2000, section 4.3): a receiver behind 500 kbit/s
with 50 ms and 30 slots; a receiver behind 400 kbit/s with a queue of 20 kB joins; a TCP connection to the first one
starts and ends. The rates are means over whole plateaus, at the sender.

Usage: pgmcc.py [--tcp reno|cubic|bbr] [--span SECONDS] [--beside SECONDS]

Runs only with LMCC_TESTBED_FULL, because it takes about seven minutes.
"""
import argparse
import json
import os
import statistics
import time

import session
from session import lib

GROUP, PORT = '239.255.54.90', 15490
IPERF_PORT = 5201

# Delay in each direction in seconds.
DELAY = 0.05
LINK_1 = lib.network.Queue(400000, 20000, 'bytes')
LINK_2 = lib.network.Queue(500000, 30)

# Payload of both, as in the paper; IP and TCP headers with timestamps.
PAYLOAD = 1400
HEADERS = 52

# Seconds after a change before the measurement starts.
SETTLE = 20

# kbit/s in the paper, and the tolerance.
PAPER = {'PR2 alone': 500, 'PR1 has joined': 400, 'TCP beside PR2': 220, 'TCP has ended': 400}
TOLERANCE = 0.1

# More than fits, with independent pictures, so that pictures that get too old make room for the next. A window counts
# packets: one of seven is small, with the parameter sets.
SEND = ('videotestsrc is-live=true pattern=snow ! video/x-raw,format=I420,width=320,height=180,framerate=10/1 ! '
        'x264enc bitrate=800 key-int-max=1 tune=zerolatency speed-preset=ultrafast threads=1 sliced-threads=false ! '
        f'rtph264pay mtu={PAYLOAD + 24} aggregate-mode=zero-latency config-interval=-1 ! queue ! '
        f'lmccsink address={GROUP} port={PORT} algorithm=pgmcc mtu={PAYLOAD + 72}')


def measure(receiver, seconds):
    """kbit/s of IP packets at a receiver."""
    time.sleep(SETTLE)
    begin, before = time.monotonic(), receiver.stats()['bytes-received']
    time.sleep(seconds)
    return 8 * (receiver.stats()['bytes-received'] - before) / (time.monotonic() - begin) / 1000


def start_tcp(sender, host, kind, seconds):
    lib.Child(['iperf3', '-s', '-1', '-p', str(IPERF_PORT)], prefix=host.prefix)
    lib.wait_until(lambda: f':{IPERF_PORT} ' in host.namespace.run('ss', '-Hltn'), session.PATIENCE)
    return lib.Child(['iperf3', '-c', host.address, '-p', str(IPERF_PORT), '-t', str(seconds), '-C', kind, '-M',
                      str(PAYLOAD + 12), '-J'], prefix=sender.prefix)


def tcp_rate(client):
    """kbit/s of IP packets, from SETTLE on."""
    client.ends(30)
    told = json.loads(client.text())
    if 'error' in told:
        raise RuntimeError(told['error'])
    late = [interval['sum']['bits_per_second'] for interval in told['intervals']
            if interval['sum']['start'] >= SETTLE]
    return statistics.mean(late) * (PAYLOAD + HEADERS) / PAYLOAD / 1000


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('--tcp', default='reno')
    parser.add_argument('--span', type=int, default=60)
    parser.add_argument('--beside', type=int, default=200)
    options = parser.parse_args()
    if 'LMCC_TESTBED_FULL' not in os.environ:
        lib.skip('LMCC_TESTBED_FULL is not set')
    session.start(4 * SETTLE + 3 * options.span + options.beside + 60, tools=('iperf3',))
    made = lib.make_network()
    sender = made.add_host()
    behind_2 = made.add_host(DELAY, queue=LINK_2)
    behind_1 = made.add_host(DELAY, queue=LINK_1)
    lib.launch(SEND, prefix=sender.prefix)
    uri = f'lmcc://{GROUP}:{PORT}'
    second = session.Receiver(behind_2, 'PR2', uri=uri, consumer='fakesink')
    found = {'PR2 alone': measure(second, options.span)}
    session.Receiver(behind_1, 'PR1', uri=uri, consumer='fakesink')
    found['PR1 has joined'] = measure(second, options.span)
    client = start_tcp(sender, behind_2, options.tcp, SETTLE + options.beside)
    found['TCP beside PR2'] = measure(second, options.beside)
    tcp = tcp_rate(client)
    found['TCP has ended'] = measure(second, options.span)
    for state, rate in found.items():
        lib.check(abs(rate / PAPER[state] - 1) <= TOLERANCE,
                  f'{state}: {rate:.0f} kbit/s ({PAPER[state]} in the paper)')
    beside = found['TCP beside PR2']
    lib.check(max(beside, tcp) < 1.5 * min(beside, tcp), f'TCP {tcp:.0f} kbit/s: within a factor of 1.5, '
              f'{beside / tcp:.2f}', str(second.stats()))
    lib.finish()


main()
