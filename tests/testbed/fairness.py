#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures receivers behind 3, 6 and 12 Mbit/s, each beside four of the kernel's TCP connections, as in simulation 3 of
Colussi's thesis (2004, section 6.3.3): round-trip time of 60 ms and queues of twice the bandwidth-delay product.

Usage: fairness.py [--algorithms NAME,...] [--tcp reno,cubic,bbr] [--rtt MILLISECONDS,...] [--loss PERCENT,...]
                   [--fine] [--settings SETTINGS] [--seconds SECONDS]
                   [--json FILE] [--read FILE,...] [--markdown FILE]

A cell is an algorithm, a TCP variant, a round-trip time, and a share of packets that each link drops at random, of the
media and of TCP. The first third of its time is not measured. The media are one small encoding in layers of fixed
rates, which lmccsink fills up, so that every layer has its rate without effort. pgmcc and tfmcc have one rate for all
receivers: there, an encoder follows the rate, and only the receiver behind 3 Mbit/s runs. Without options one short
cell runs; with LMCC_TESTBED_FULL all cells of CONDITIONS run. --fine gives all algorithms the layers of flid-dl.
--settings sets the property `algorithm-settings` of lmccsrc. --json adds the results to FILE; --read takes results from
there and runs nothing. --markdown writes the tables to FILE, between their marker lines; BBR has a separate table.
"""
import argparse
import functools
import json
import os
import statistics
import subprocess
import time
from collections import namedtuple
from pathlib import Path

import session
from session import lib
from tcp import MTU, Tcp, jain

CAPACITIES = (3000000, 6000000, 12000000)
FLOWS = 4

# Queues of the thesis: twice the bandwidth-delay product, so twice the delay.
QUEUE = 2

# Algorithms with static layers have the layers of the thesis, which double from 128 kbit/s; FLID has c = 1.3 (Byers et
# al. 2002).
DOUBLING = 'layering=doubling base-rate=128000 layers=7'
FINE = 'layering=multiplicative rate-factor=1.3 base-rate=96000 layers=18'
LAYERS = {'flid-dl': FINE}

ALGORITHMS = ('plumb', 'elm', 'flid-dl', 'rlc', 'synchronized', 'rlm', 'pgmcc', 'tfmcc')
SINGLE_RATE = ('pgmcc', 'tfmcc')
TCPS = ('reno', 'cubic', 'bbr')

# An encoder that can make any fair rate and fills packets.
FOLLOWS = ('videotestsrc is-live=true pattern=snow ! video/x-raw,format=I420,width=320,height=180,framerate=25/1 ! '
           'x264enc bitrate=600 vbv-buf-capacity=200 tune=zerolatency speed-preset=ultrafast threads=1 '
           'sliced-threads=false key-int-max=250 ! queue ! lmccsink drive-encoder=true min-bitrate=100000')

# Table 5 of the thesis: Jain's index at 3, 6 and 12 Mbit/s. Its TCP is Reno with SACK.
THESIS = {'elm': (0.9967, 0.9691, 0.9961), 'rlc': (0.9871, 0.9387, 0.9311)}
THESIS_RTT = 60

# The same in ns-3 with this elm, as recorded by tests/sim/reproduce.
SIMULATIONS = {'elm': 'thesis-3-ours.json', 'rlc': 'thesis-3-rlc.json'}
RECORDS = Path(__file__).resolve().parents[2] / 'docs/reproduction/results'

START = 20
GROUP, PORT = '239.255.54.65', 15420

# Smallest share of the fair rate that each must get. The check only finds broken behaviour.
STARVED = 0.05

# RFC 8085 section 3.1.1: within an order of magnitude of TCP.
ORDER = 10

TABLES = {False: ('<!-- fairness -->', '<!-- end of fairness -->'), True: ('<!-- bbr -->', '<!-- end of bbr -->')}

Cell = namedtuple('Cell', 'algorithm tcp rtt loss')

# TCP, round-trip time in ms, random loss in percent: for every algorithm.
CONDITIONS = [(tcp, rtt, loss) for rtt in (60, 250) for tcp, loss in (('reno', 0.0), ('cubic', 0.0), ('reno', 1.0))]
CONDITIONS.append(('bbr', 60, 0.0))
SHORT = [('reno', 60, 0.0)]


@functools.cache
def simulated(algorithm):
    """The mean fairness index of all replications at each capacity."""
    record = json.loads((RECORDS / SIMULATIONS[algorithm]).read_text(encoding='utf-8'))
    return [statistics.mean(jain([flow['throughput'] for flow in replication['nodes'][node]['flows']])
                            for replication in record['replications'].values()) for node in ('R1', 'R2', 'R3')]


class Row:
    """A receiver and its TCP connections in one cell."""

    def __init__(self, host, capacity, receiver, tcp, begin):
        self.host, self.capacity, self.receiver, self.tcp = host, capacity, receiver, tcp
        self.begin = begin
        self.before = None
        self.after = None

    def mark(self):
        stats = (time.monotonic(), self.receiver.stats())
        if self.before is None:
            self.before = stats
        else:
            self.after = stats

    def levels(self):
        """(seconds, level) from the first measurement to the last."""
        (since, first), (until, _) = self.before, self.after
        steps = [(since, first['level'])] + [(when, to) for when, _, to, _ in self.receiver.changes(since)
                                             if when < until]
        return [(end - begin, level) for (begin, level), (end, _) in zip(steps, steps[1:] + [(until, None)])]

    def converged(self):
        """Seconds from the start until the receiver first reached the level at which it was longest; None if it did
        not."""
        held = {}
        for span, level in self.levels():
            held[level] = held.get(level, 0) + span
        longest = max(held, key=held.get)
        reached = [when for when, _, to, _ in self.receiver.changes() if to >= longest]
        return max(0.0, reached[0] - self.begin) if reached else None

    def result(self):
        (since, first), (until, last) = self.before, self.after
        tcp, rtt = self.tcp.rates()
        rate = (last['bytes-received'] - first['bytes-received']) * 8 / (until - since)
        levels = self.levels()
        return {'capacity': self.capacity, 'rate': rate, 'tcp': tcp, 'tcp-rtt': rtt, 'jain': jain([rate, *tcp]),
                'level': sum(span * level for span, level in levels) / (until - since),
                'changes': 60 * (len(levels) - 1) / (until - since), 'loss': session.loss(first, last),
                'host': last['packets-dropped-kernel'] - first['packets-dropped-kernel'],
                'converged': self.converged(), 'told': [str(last), *map(str, self.receiver.changes())]}


def make_network(made, cell, capacities):
    """Returns the host of the sender and the other hosts. If links drop packets, each has its own emulated link."""
    delay, loss = cell.rtt / 2000, cell.loss / 100
    sender = made.add_host(0 if loss else delay)
    hosts = [made.add_host(delay, loss, seed, every=True) if loss else made.add_host()
             for seed, _ in enumerate(capacities, 1)]
    for host, capacity in zip(hosts, capacities):
        host.set_rate(capacity, QUEUE * cell.rtt / 1000)
    return sender, hosts


def media(algorithm, fine):
    if algorithm in SINGLE_RATE:
        return FOLLOWS
    layers = FINE if fine else LAYERS.get(algorithm, DOUBLING)
    return f'{lib.source()} ! {lib.one_class(100)} ! lmccsink {layers}'


def run_cell(cell, seconds, fine, settings):
    """Returns the results at each capacity, and the statistics of the emulated links."""
    capacities = CAPACITIES[:1] if cell.algorithm in SINGLE_RATE else CAPACITIES
    with lib.network.Network() as made:
        sender, hosts = make_network(made, cell, capacities)
        children = [lib.launch(f'{media(cell.algorithm, fine)} address={GROUP} port={PORT} algorithm={cell.algorithm} '
                               f'mtu={MTU}', prefix=sender.prefix)]
        options = [f'algorithm={cell.algorithm}', *([f'algorithm-settings={settings}'] if settings else [])]
        receivers = [session.Receiver(host, f'{capacity / 1e6:.0f} Mbit/s', *options,
                                      uri=f'lmcc://{GROUP}:{PORT}', consumer='fakesink')
                     for host, capacity in zip(hosts, capacities)]
        children += [receiver.child for receiver in receivers]
        if not lib.wait_until(lambda: all(receiver.level() >= 0 for receiver in receivers), START, 0.5):
            raise RuntimeError('\n'.join(line for child in children for line in child.tail()))
        begin = time.monotonic()
        rows = [Row(host, capacity, receiver, Tcp(sender, host, cell.tcp, FLOWS, seconds, seconds / 3), begin)
                for host, capacity, receiver in zip(hosts, capacities, receivers)]
        for when in (seconds / 3, seconds):
            time.sleep(max(0.0, begin + when - time.monotonic()))
            for row in rows:
                row.mark()
        results = [row.result() for row in rows]
        for child in children:
            child.kill()
        return results, made.close()


def describe(cell, result):
    """A row of the table."""
    place = CAPACITIES.index(result['capacity'])
    like = cell.rtt == THESIS_RTT and cell.tcp == 'reno' and not cell.loss
    paper, ours = (f'{indices(cell.algorithm)[place]:.3f}' if like and cell.algorithm in THESIS else ''
                   for indices in (THESIS.get, simulated))
    converged = '' if result['converged'] is None else f"{result['converged']:.0f}"
    tcp = result['tcp']
    ratio = result['rate'] / statistics.mean(tcp)
    told_rtt = f"{1000 * result['tcp-rtt']:.0f}" if 'tcp-rtt' in result else ''
    return (f"| {cell.algorithm} | {cell.tcp} | {cell.rtt} | {cell.loss:g} | {result['capacity'] / 1e6:.0f} "
            f"| {result['rate'] / 1000:.0f} | {statistics.mean(tcp) / 1000:.0f} "
            f"| {min(tcp) / 1000:.0f} to {max(tcp) / 1000:.0f} | {told_rtt} | {ratio:.2f} "
            f"| {result['jain']:.3f} | {paper} | {ours} | {result['level']:.1f} "
            f"| {result['changes']:.0f} | {100 * result['loss']:.2f} | {converged} | {result['seconds']} |")


HEADINGS = ('algorithm', 'TCP', 'RTT, ms', 'random loss, %', 'Mbit/s', 'session, kbit/s', 'TCP, kbit/s', 'TCP, range',
            "TCP's RTT, ms", 'session / TCP', "Jain's index", 'in the thesis', 'in ns-3', 'mean level', 'changes/min',
            'loss, %', 'converged, s', 'run, s')


def write_tables(path, rows):
    """`rows`: (cell, line) in any order."""
    rows = sorted(rows, key=lambda row: (row[0].loss, row[0].rtt, TCPS.index(row[0].tcp),
                                         ALGORITHMS.index(row[0].algorithm)))
    with open(path, encoding='utf-8') as file:
        text = file.read()
    for is_bbr, (begin, end) in TABLES.items():
        lines = [line for cell, line in rows if (cell.tcp == 'bbr') == is_bbr]
        if lines:
            before, rest = text.split(begin)
            table = ['| ' + ' | '.join(HEADINGS) + ' |', '|' + '---|' * len(HEADINGS), *lines]
            text = f'{before}{begin}\n' + '\n'.join(table) + f'\n{end}{rest.split(end)[1]}'
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


def check(cell, result):
    name = f"{cell.algorithm}, {cell.tcp}, {cell.rtt} ms, {cell.loss:g} %, {result['capacity'] / 1e6:.0f} Mbit/s"
    fair = result['capacity'] / (FLOWS + 1)
    tcp = statistics.mean(result['tcp'])
    # With losses outside the link's queue, nobody needs to fill the link.
    if not cell.loss:
        lib.check(min(result['rate'], *result['tcp']) > STARVED * fair, f'{name}: no flow starves',
                  f"{result['rate']:.0f} bit/s beside {result['tcp']}", *result['told'])
    lib.check(tcp / ORDER < result['rate'] < ORDER * tcp, f'{name}: within an order of magnitude of TCP',
              f"{result['rate']:.0f} bit/s beside {result['tcp']}", *result['told'])
    if result['host']:
        lib.note(f"the sockets of this host dropped {result['host']} packets")


def read_results(paths):
    rows = {}
    for path in paths:
        with open(path, encoding='utf-8') as file:
            for line in file:
                told = json.loads(line)
                rows[Cell(*told['cell']), told['result']['capacity']] = told['result']
    return [(cell, describe(cell, result)) for (cell, _), result in sorted(rows.items())]


def run_cells(cells, options):
    rows = []
    for cell in cells:
        try:
            results, wires = run_cell(cell, options.seconds, options.fine, options.settings)
        except (RuntimeError, subprocess.SubprocessError) as failure:
            lib.check(False, f'{cell}: runs', failure)
            continue
        for result in results:
            result['seconds'] = options.seconds
            rows.append((cell, describe(cell, result)))
            print(rows[-1][1], flush=True)
            if options.json:
                with open(options.json, 'a', encoding='utf-8') as file:
                    file.write(json.dumps({'cell': cell, 'result': result, 'wires': wires}) + '\n')
        for wire in wires:
            lib.note(f"an emulated link was late by {1000 * wire['late-mean']:.2f} ms (mean), "
                     f"{1000 * wire['late-95']:.1f} ms (95 %), {1000 * wire['late-max']:.0f} ms (maximum), and lost "
                     f"{wire['lost']} packets")
        for result in results:
            check(cell, result)
        if options.markdown:
            write_tables(options.markdown, rows)


def main():
    full = 'LMCC_TESTBED_FULL' in os.environ
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('--algorithms', default=','.join(ALGORITHMS) if full else 'elm')
    parser.add_argument('--tcp')
    parser.add_argument('--rtt')
    parser.add_argument('--loss')
    parser.add_argument('--fine', action='store_true')
    parser.add_argument('--settings')
    parser.add_argument('--seconds', type=int, default=90 if full else 30)
    parser.add_argument('--json')
    parser.add_argument('--read')
    parser.add_argument('--markdown')
    options = parser.parse_args()
    if options.read:
        rows = read_results(options.read.split(','))
        print('\n'.join(line for _, line in rows))
        if options.markdown:
            write_tables(options.markdown, rows)
        return
    conditions = CONDITIONS if full else SHORT
    if options.tcp or options.rtt or options.loss:
        conditions = [(tcp, int(rtt), float(loss)) for loss in (options.loss or '0').split(',')
                      for rtt in (options.rtt or '60').split(',') for tcp in (options.tcp or 'reno').split(',')]
    cells = [Cell(algorithm, *condition) for condition in conditions for algorithm in options.algorithms.split(',')]
    session.start(len(cells) * (options.seconds + 60), tools=('iperf3',))
    for algorithm in SIMULATIONS:
        simulated(algorithm)
    lib.make_network().close()
    run_cells(cells, options)
    lib.finish()


if __name__ == '__main__':
    main()
