#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs one cell of cell_list.py and prints the results as a line of JSON.

Usage: cell.py NAME ALGORITHM RUN
"""
import json
import math
import os
import signal
import subprocess
import sys
import threading
import time

import cell_list
from cell_list import BASE, COARSE, EVENT, MEASURED, RUNGS
import session
from session import lib
from tcp import MTU, Tcp, jain

network = lib.network

GROUP, PORT = '239.255.54.97', 15430

# The layers of FLID are finer: c = 1.3 (Byers et al. 2002).
FINE_BASE, FINE = 96000, 1.3

# Seconds: interval of samples of the queue and of a receiver's counters; start-up time of the sender; time after which
# a receiver that starts alone should have its level, and losses count; time for which a sender or a receiver is
# stopped.
LOOK = 0.02
SAMPLE = 1
SENDING = 4
START = 5
PAUSED = 0.3
SUSPENDED = 5


def level_rates(cell, algorithm):
    """The rate of each level in bit/s."""
    if cell.coarse:
        return [sum(COARSE[:layer + 1]) for layer in range(len(COARSE))]
    base, factor = (FINE_BASE, FINE) if algorithm == 'flid-dl' else (BASE, 2)
    layers = math.ceil(math.log(1e6 * cell.rate / base, factor)) + 1
    return [base * factor ** layer for layer in range(layers)]


def layering(cell, algorithm):
    """The properties of lmccsink for the layers."""
    layers = len(level_rates(cell, algorithm))
    if cell.coarse:
        return f"layering=explicit layer-rates={','.join(map(str, COARSE))}"
    if algorithm == 'flid-dl':
        return f'layering=multiplicative rate-factor={FINE} base-rate={FINE_BASE} layers={layers}'
    return f'layering=doubling base-rate={BASE} layers={layers}'


def encodings(levels):
    """lmccsink with the three encodings at constant rates."""
    rungs = ''.join(
        f' raw. ! queue ! x264enc pass=cbr bitrate={rate} vbv-buf-capacity=500 key-int-max=25 bframes=0 threads=1 '
        'speed-preset=superfast rc-lookahead=5 option-string="scenecut=0:open-gop=0:nal-hrd=cbr" '
        f'! sink.sink_{rung}' for rung, rate in enumerate(RUNGS))
    return f'{lib.source()} ! tee name=raw lmccsink name=sink levels={levels}', rungs


class Queue:
    """Samples the queue in front of a link: (seconds, bytes in the queue, packets dropped so far)."""

    def __init__(self, made, host, begin):
        self.looks = []
        self.begin = begin
        self.done = threading.Event()
        self.question = f'qdisc show dev {host.port}\n'
        self.tc = subprocess.Popen([*made.switch.prefix, 'tc', '-s', '-j', '-batch', '-'], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True)
        self.thread = threading.Thread(target=self.look, daemon=True)
        self.thread.start()

    def look(self):
        while not self.done.wait(LOOK):
            self.tc.stdin.write(self.question)
            self.tc.stdin.flush()
            told = json.loads(self.tc.stdout.readline())[0]
            self.looks.append((time.monotonic() - self.begin, told['backlog'], told['drops']))

    def end(self):
        self.done.set()
        self.thread.join()
        self.tc.kill()
        self.tc.wait()

    def full(self, limit, since):
        """The share of the time from `since` on in which the queue is more than half full."""
        later = [backlog > limit / 2 for when, backlog, _ in self.looks if when >= since]
        return sum(later) / len(later)

    def dropped(self, since, until):
        """The time of the first drop between these times; None if there is none."""
        before = max((drops for when, _, drops in self.looks if when < since), default=0)
        return next((when for when, _, drops in self.looks if since <= when < until and drops > before), None)


class Run:
    """One run of a cell."""

    def __init__(self, made, cell, algorithm, number):
        self.made, self.cell, self.algorithm, self.number = made, cell, algorithm, number
        self.seconds = cell_list.seconds(cell)
        self.sender = made.add_host()
        self.host = made.add_host(cell.rtt / 2000, seed=number, **self.describe_link())
        self.limit = self.set_rate(1e6 * cell.rate)
        if cell.leave:
            # The switch sends two queries (RFC 3376 section 8.8); in hundredths of a second.
            made.switch.ip(f'link set {network.SWITCH} type bridge mcast_last_member_interval '
                           f'{round(100 * cell.leave / 2)}')
            self.host.set_fast_leave(False)
        begin, end = encodings(cell.rungs) if cell.rungs else (
            f'{lib.source()} ! {lib.one_class(100)} ! lmccsink {layering(cell, algorithm)}', '')
        self.sending = lib.launch(f'{begin} address={GROUP} port={PORT} algorithm={algorithm} mtu={MTU}{end}',
                                  prefix=self.sender.prefix)
        time.sleep(SENDING)
        self.begin = time.monotonic()
        self.queue = Queue(made, self.host, self.begin)
        self.receivers = []
        self.samples = []
        self.tcp = None

    def describe_link(self):
        link = self.cell.link
        described = {}
        if 'loss' in link:
            described.update(loss=link['loss'], every=True)
        if 'jitter' in link:
            described.update(jitter=network.Jitter(link['jitter']))
        if 'reorder' in link:
            described.update(reorder=network.Reorder(link['reorder'], self.cell.rtt / 3000))
        return described

    def set_rate(self, rate):
        lasts = self.cell.queue * self.cell.rtt / 1000
        self.host.set_rate(rate, lasts)
        return rate * lasts / 8

    def add_receiver(self):
        self.receivers.append(session.Receiver(
            self.host, f'receiver {len(self.receivers) + 1}', f'algorithm={self.algorithm}',
            uri=f'lmcc://{GROUP}:{PORT}', consumer='fakesink'))

    def start_tcp(self, seconds, skip):
        self.tcp = Tcp(self.sender, self.host, self.cell.tcp, self.cell.flows, seconds, skip)

    def stop_for(self, child, seconds):
        os.kill(child.pid, signal.SIGSTOP)
        time.sleep(seconds)
        os.kill(child.pid, signal.SIGCONT)

    def actions(self):
        """A list of (seconds, action at that time)."""
        cell = self.cell
        for place in range(cell.receivers):
            late = cell.late and place == cell.receivers - 1
            yield (cell.late if late else cell.apart * place), self.add_receiver
        if cell.event == 'tcp':
            yield EVENT[0], lambda: self.start_tcp(EVENT[1] - EVENT[0], 10)
        elif cell.tcp:
            yield 0, lambda: self.start_tcp(self.seconds, MEASURED)
        if cell.event == 'halves':
            yield EVENT[0], lambda: self.set_rate(1e6 * cell.rate / 2)
            yield EVENT[1], lambda: self.set_rate(1e6 * cell.rate)
        if cell.event == 'paused':
            yield EVENT[0], lambda: self.stop_for(self.sending, PAUSED)
            yield EVENT[1], lambda: self.stop_for(self.sending, PAUSED)
        if cell.event == 'suspended':
            yield EVENT[0], lambda: self.stop_for(self.receivers[0].child, SUSPENDED)

    def sample(self):
        self.samples.append([(time.monotonic() - self.begin, receiver.stats()) for receiver in self.receivers])

    def go(self):
        samples = [(when + 0.5, self.sample) for when in range(SAMPLE, self.seconds, SAMPLE)]
        for when, action in sorted([*self.actions(), *samples], key=lambda step: step[0]):
            time.sleep(max(0.0, self.begin + when - time.monotonic()))
            action()
        self.queue.end()

    def counted(self, place, field, since, until=None):
        """The increase of a counter of a receiver, and the number of seconds."""
        until = until or self.seconds
        taken = [(sample[place][0], sample[place][1][field]) for sample in self.samples
                 if len(sample) > place and since <= sample[place][0] <= until]
        return taken[-1][1] - taken[0][1], taken[-1][0] - taken[0][0]

    def changes(self, receiver):
        """[seconds, level, reason] of each change."""
        return [[round(when - self.begin, 3), to, reason] for when, _, to, reason in receiver.changes()]

    def levels(self):
        """The rate of each level in bit/s, as announced if the layers are encodings."""
        if not self.cell.rungs:
            return level_rates(self.cell, self.algorithm)
        base, *others = self.receivers[0].layer_rates()
        above = [base + rate for rate in others]
        return above if self.cell.rungs == 'replicated' else [base, *above]

    def result(self):
        cell = self.cell
        since, until = (EVENT[0] + 10, EVENT[1]) if cell.event == 'tcp' else (MEASURED, self.seconds)
        rates = []
        for place in range(cell.receivers):
            grown, took = self.counted(place, 'bytes-received', max(since, cell.late + 10 if cell.late else 0), until)
            rates.append(8 * grown / took)
        lost, _ = self.counted(0, 'packets-lost', START)
        received, _ = self.counted(0, 'packets-received', START)
        host = sum(self.counted(place, 'packets-dropped-kernel', 0)[0] for place in range(cell.receivers))
        tcp, rtt = self.tcp.rates() if self.tcp else ([], None)
        return {'rates': rates, 'tcp': tcp, 'tcp-rtt': rtt, 'jain': jain([max(rates), *tcp]), 'limit': self.limit,
                'loss': lost / (lost + received), 'full': self.queue.full(self.limit, START), 'host': host,
                'dropped': self.queue.dropped(*EVENT), 'levels': self.levels(),
                'changes': [self.changes(receiver) for receiver in self.receivers]}


def main():
    name, algorithm, number = sys.argv[1], sys.argv[2], int(sys.argv[3])
    cell = cell_list.BY_NAME[name]
    session.start(cell_list.seconds(cell) + 90, tools=('iperf3',))
    with network.Network() as made:
        run = Run(made, cell, algorithm, number)
        try:
            run.go()
            result = run.result()
        except (RuntimeError, IndexError, subprocess.SubprocessError) as failure:
            sys.exit('\n'.join([str(failure), *run.sending.tail(),
                                *(line for receiver in run.receivers for line in receiver.child.tail(3))]))
        for child in (run.sending, *(receiver.child for receiver in run.receivers)):
            child.kill()
        late = max(told['late-max'] for told in made.close())
    print(json.dumps({'cell': name, 'algorithm': algorithm, 'run': number, 'late': late, **result}))


if __name__ == '__main__':
    main()
