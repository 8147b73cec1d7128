#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Receivers behind 3, 6 and 12 Mbit/s, each beside four TCP connections of the kernel's own, as in simulation 3 of
Colussi's thesis (2004, section 6.3.3): 60 ms of round-trip time and queues of twice the bandwidth-delay product.

Usage: fairness.py [--algorithms NAME,...] [--tcp reno,cubic] [--rtt MILLISECONDS,...] [--seconds SECONDS]
                   [--markdown FILE]

A cell is an algorithm, a TCP and a round-trip time. The first third of its time is not measured. The media are one
small encoding in layers of fixed rates, filled up by lmccsink, so that every layer has its rate at no cost. Without
options one short cell runs; with LMCC_TESTBED_FULL all of them do. --markdown writes the table into FILE, between the
lines that begin and end it.
"""
import argparse
import json
import os
import statistics
import subprocess
import time

import session
from session import lib

CAPACITIES = (3000000, 6000000, 12000000)
FLOWS = 4

# Queues of the thesis: twice the product of bandwidth and delay, so twice the delay.
QUEUE = 2

# Whole IP packets of 1000 bytes, as in the thesis.
MTU = 1000 - 28

# Those with static layers have the thesis's, which double from 128 kbit/s; FLID has c = 1.3 (Byers et al. 2002).
DOUBLING = 'layering=doubling base-rate=128000 layers=7'
LAYERS = {'flid-dl': 'layering=multiplicative rate-factor=1.3 base-rate=96000 layers=18'}

ALGORITHMS = ('elm', 'rlc', 'flid-dl', 'synchronized', 'rlm')

# Table 5 of the thesis: Jain's index at 3, 6 and 12 Mbit/s. Its TCP is Reno with SACK.
THESIS = {'elm': (0.9967, 0.9691, 0.9961), 'rlc': (0.9871, 0.9387, 0.9311)}
THESIS_RTT = 60

IPERF_PORT = 5201
START = 20
GROUP, PORT = '239.255.54.65', 15420

# Everybody gets something: the share of the fair rate that nobody is below. It finds what is broken, no more.
STARVED = 0.05

BEGIN, END = '<!-- fairness -->', '<!-- end of fairness -->'


def jain(rates):
    """The fairness index of Jain, Chiu and Hawe (1984): 1 where all have the same, 1/n where one has all."""
    return sum(rates) ** 2 / (len(rates) * sum(rate ** 2 for rate in rates)) if any(rates) else 0.0


class Tcp:
    """Connections from the sender's host to another, measured there from `skip` seconds on."""

    def __init__(self, sender, host, congestion_control, seconds, skip):
        self.skip = skip
        self.server = lib.Child(['iperf3', '-s', '-1', '-p', str(IPERF_PORT)], prefix=host.prefix)
        lib.wait_until(lambda: f':{IPERF_PORT} ' in host.namespace.run('ss', '-Hltn'), session.PATIENCE)
        self.client = lib.Child(
            ['iperf3', '-c', host.address, '-p', str(IPERF_PORT), '-t', str(seconds), '-P', str(FLOWS), '-C',
             congestion_control, '-J'], prefix=sender.prefix)

    def rates(self):
        """bit/s of each connection; with TCP's and IP's headers, 52 bytes a packet, as lmccsrc counts its own."""
        self.client.ends(15)
        told = json.loads(self.client.text())
        if 'error' in told:
            raise RuntimeError(told['error'])
        headers = 1 + 52 / told['start']['tcp_mss_default']
        late = [interval for interval in told['intervals'] if interval['sum']['start'] >= self.skip]
        return [headers * statistics.mean(interval['streams'][flow]['bits_per_second'] for interval in late)
                for flow in range(FLOWS)]


class Row:
    """A receiver and its TCP over one cell."""

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
        """Seconds from the start until the level that was then held longest was first reached; None for never."""
        held = {}
        for span, level in self.levels():
            held[level] = held.get(level, 0) + span
        longest = max(held, key=held.get)
        reached = [when for when, _, to, _ in self.receiver.changes() if to >= longest]
        return max(0.0, reached[0] - self.begin) if reached else None

    def result(self):
        (since, first), (until, last) = self.before, self.after
        tcp = self.tcp.rates()
        rate = (last['bytes-received'] - first['bytes-received']) * 8 / (until - since)
        levels = self.levels()
        return {'capacity': self.capacity, 'rate': rate, 'tcp': tcp, 'jain': jain([rate, *tcp]),
                'level': sum(span * level for span, level in levels) / (until - since),
                'changes': 60 * (len(levels) - 1) / (until - since), 'loss': session.loss(first, last),
                'host': last['packets-dropped-kernel'] - first['packets-dropped-kernel'],
                'converged': self.converged(), 'told': [last, *self.receiver.changes()]}


def run_cell(algorithm, congestion_control, rtt, seconds):
    """The results at each capacity; how late the emulated wire was at most and in the mean, in seconds."""
    with lib.network.Network() as made:
        sender = made.add_host(rtt / 2000)
        hosts = [made.add_host() for _ in CAPACITIES]
        for host, capacity in zip(hosts, CAPACITIES):
            host.set_rate(capacity, QUEUE * rtt / 1000)
        children = [lib.launch(
            f'{lib.source()} ! {lib.one_class(100)} ! lmccsink address={GROUP} port={PORT} algorithm={algorithm} '
            f'mtu={MTU} {LAYERS.get(algorithm, DOUBLING)}', prefix=sender.prefix)]
        receivers = [session.Receiver(host, f'{capacity / 1e6:.0f} Mbit/s', f'algorithm={algorithm}',
                                      uri=f'lmcc://{GROUP}:{PORT}', consumer='fakesink')
                     for host, capacity in zip(hosts, CAPACITIES)]
        children += [receiver.child for receiver in receivers]
        if not lib.wait_until(lambda: all(receiver.level() >= 0 for receiver in receivers), START, 0.5):
            raise RuntimeError('\n'.join(line for child in children for line in child.tail()))
        begin = time.monotonic()
        rows = [Row(host, capacity, receiver, Tcp(sender, host, congestion_control, seconds, seconds / 3), begin)
                for host, capacity, receiver in zip(hosts, CAPACITIES, receivers)]
        for when in (seconds / 3, seconds):
            time.sleep(max(0.0, begin + when - time.monotonic()))
            for row in rows:
                row.mark()
        results = [row.result() for row in rows]
        for child in children:
            child.kill()
        emulator, = made.close()
    return results, emulator


def describe(algorithm, congestion_control, rtt, place, result):
    """A row of the table."""
    paper = THESIS.get(algorithm) if rtt == THESIS_RTT and congestion_control == 'reno' else None
    converged = '' if result['converged'] is None else f"{result['converged']:.0f}"
    tcp = result['tcp']
    return (f"| {algorithm} | {congestion_control} | {rtt} | {result['capacity'] / 1e6:.0f} "
            f"| {result['rate'] / 1000:.0f} | {statistics.mean(tcp) / 1000:.0f} "
            f"| {min(tcp) / 1000:.0f} to {max(tcp) / 1000:.0f} "
            f"| {result['jain']:.3f} | {f'{paper[place]:.3f}' if paper else ''} | {result['level']:.1f} "
            f"| {result['changes']:.0f} | {100 * result['loss']:.2f} | {converged} |")


HEADINGS = ('algorithm', 'TCP', 'RTT, ms', 'Mbit/s', 'its kbit/s', 'TCP, kbit/s', 'least to most', "Jain's index",
            'in the thesis', 'mean level', 'changes/min', 'loss, %', 'converged, s')


def write_table(path, lines):
    with open(path, encoding='utf-8') as file:
        before, rest = file.read().split(BEGIN)
    after = rest.split(END)[1]
    with open(path, 'w', encoding='utf-8') as file:
        file.write(f'{before}{BEGIN}\n' + '\n'.join(lines) + f'\n{END}{after}')


def check(results, name):
    for result in results:
        fair = result['capacity'] / (FLOWS + 1)
        least = min(result['rate'], *result['tcp'])
        lib.check(least > STARVED * fair, f"{name}, {result['capacity'] / 1e6:.0f} Mbit/s: nobody starves",
                  f"{result['rate']:.0f} bit/s beside {result['tcp']}", *result['told'])
        if result['host']:
            lib.note(f"this host itself dropped {result['host']} packets")


def main():
    full = 'LMCC_TESTBED_FULL' in os.environ
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('--algorithms', default=','.join(ALGORITHMS) if full else 'elm')
    parser.add_argument('--tcp', default='reno,cubic' if full else 'reno')
    parser.add_argument('--rtt', default='60,250' if full else '60')
    parser.add_argument('--seconds', type=int, default=90 if full else 30)
    parser.add_argument('--markdown')
    options = parser.parse_args()
    cells = [(algorithm, tcp, int(rtt)) for rtt in options.rtt.split(',') for tcp in options.tcp.split(',')
             for algorithm in options.algorithms.split(',')]
    session.start(len(cells) * (options.seconds + 60), tools=('iperf3',))
    lib.make_network().close()
    lines = ['| ' + ' | '.join(HEADINGS) + ' |', '|' + '---|' * len(HEADINGS)]
    for cell in cells:
        try:
            results, emulator = run_cell(*cell, options.seconds)
        except (RuntimeError, subprocess.SubprocessError) as failure:
            lib.check(False, f'{cell}: runs', failure)
            continue
        rows = [describe(*cell, place, result) for place, result in enumerate(results)]
        lines += rows
        print('\n'.join(rows), flush=True)
        lib.note(f"the emulated wire was {1000 * emulator['late-mean']:.2f} ms late in the mean, "
                 f"{1000 * emulator['late-max']:.0f} ms at most, and lost {emulator['lost']}")
        check(results, ', '.join(map(str, cell)))
        if options.markdown:
            write_table(options.markdown, lines)
    lib.finish()


if __name__ == '__main__':
    main()
