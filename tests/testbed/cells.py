#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the algorithms in the cells of cell_list.py and checks the results against bars that were set before the first
run.

Usage: cells.py [--cells NAME,...] [--algorithms NAME,...] [--runs RUNS] [--load MEGABITS] [--json FILE]
                [--read FILE] [--markdown FILE] [--check]

The name of a cell, or the beginning of a name, chooses it. Without --algorithms, `plumb` and `elm` run in all cells,
`rlc` and `flid-dl` in those for comparison. Cells run at the same time in separate networks, as long as the total of
their link rates is at most --load. --json writes a line of JSON for each run; --read takes the runs from there instead
of running cells. --markdown writes the tables to FILE, between their marker lines. With --check, a cell that misses a
bar runs twice more; the check fails if the median of its runs misses the bar.
"""
import argparse
import json
import statistics
import subprocess
import sys
import threading
from collections import defaultdict
from pathlib import Path

import cell_list
from cell_list import BY_NAME, EVENT
import session
from session import lib

COMPARED = ('rlc', 'flid-dl')
ALGORITHMS = ('plumb', 'elm', *COMPARED)

RUNS, RUNS_THAT_DECIDE = 3, 5

# Number of additional runs if a bar is missed: a machine that stalls for a moment looks like a full queue.
RUNS_OF_CHECK = 2

# Mbit/s that this machine with two cores can carry in total.
LOAD = 40

MARKS = ('<!-- cells -->', '<!-- end of cells -->')

# Seconds after which a receiver that starts alone, or beside others, should have found its level.
ALONE, SETTLED = 5, 30

# Queues shorter than this, in seconds, cannot hold any packet train.
SHORT_QUEUE = 0.025


class Result:
    """One run and its checks."""

    def __init__(self, told):
        self.told = told
        self.cell = BY_NAME[told['cell']]
        self.levels = told['levels']
        self.seconds = cell_list.seconds(self.cell)

    def steps(self, receiver=0, since=0.0, until=None):
        """(from, to, level) of a receiver; the level is -1 at first."""
        until = until or self.seconds
        begin, level = 0.0, -1
        for when, to, _ in [*self.told['changes'][receiver], (self.seconds, -1, '')]:
            if min(when, until) > max(begin, since):
                yield max(begin, since), min(when, until), level
            begin, level = when, to

    def fits(self, rate):
        """The highest level whose rate is at most `rate` bit/s."""
        return max([level for level, needs in enumerate(self.levels) if needs <= rate], default=0)

    def top(self):
        return self.fits(1e6 * self.cell.rate)

    def reached(self, level, since, receiver=0):
        """Seconds from `since` until a receiver reaches the level; infinite if it does not."""
        return next((begin - since for begin, _, held in self.steps(receiver, since) if held >= level), float('inf'))

    def below(self, level, since, receiver=0):
        """Seconds from `since` until a receiver is at that level or a lower one."""
        return next((begin - since for begin, _, held in self.steps(receiver, since) if held <= level), float('inf'))

    def longest(self, outside, since, until=None):
        """The longest time in which the first receiver is at a level for which `outside` is true."""
        longest = span = 0.0
        for begin, end, level in self.steps(0, since, until):
            span = span + end - begin if outside(level) else 0.0
            longest = max(longest, span)
        return longest

    def held(self, level, since, until=None):
        """The share of the time in which the first receiver is at the level."""
        until = until or self.seconds
        return sum(end - begin for begin, end, held in self.steps(0, since, until) if held == level) / (until - since)

    def changes(self, since=SETTLED):
        """Changes of level per 300 s."""
        return 300 / (self.seconds - since) * sum(when >= since for when, _, _ in self.told['changes'][0])

    def instants(self, since):
        """(seconds, levels) of all receivers, from `since` on."""
        receivers = range(len(self.told['changes']))
        begins = (begin for place in receivers for begin, _, _ in self.steps(place, since))
        edges = sorted({since, self.seconds, *begins})
        for begin, end in zip(edges, edges[1:]):
            yield end - begin, [next(level for first, last, level in self.steps(place) if first <= begin < last)
                                for place in receivers]

    def together(self, since):
        """The share of the time in which all receivers are at the same level, and the smallest share of the link's rate
        that any of them gets."""
        same = carried = 0.0
        got = [0.0] * len(self.told['changes'])
        for span, levels in self.instants(since):
            same += span * (min(levels) == max(levels))
            rates = [self.levels[level] if level >= 0 else 0 for level in levels]
            carried += span * max(rates)
            got = [total + span * rate for total, rate in zip(got, rates)]
        return same / (self.seconds - since), min(got) / carried

    def session_share(self, since):
        """The session's rate on the link divided by the mean rate of a TCP connection."""
        carried = sum(span * self.levels[max(levels)] for span, levels in self.instants(since) if max(levels) >= 0)
        return carried / (self.seconds - since) / statistics.mean(self.told['tcp'])

    def to_tcp(self):
        return self.told['rates'][0] / statistics.mean(self.told['tcp'])


def judge_alone(run):
    top = run.top()
    yield 'time to the level that fits, s', run.reached(top, 0), '<=', 5
    yield 'longest time above the level that fits, s', run.longest(lambda level: level > top, 0), '<=', 2
    if run.cell.queue * run.cell.rtt / 1000 >= SHORT_QUEUE:
        yield 'packet loss after 5 s, %', 100 * run.told['loss'], '<=', 0.01
        yield 'queue more than half full, % of the time', 100 * run.told['full'], '<=', 0.1
    yield 'time at the level that fits, %', 100 * run.held(top, ALONE), '', None


def judge_halves(run):
    top, half = run.top(), run.fits(1e6 * run.cell.rate / 2)
    lost = run.told['dropped'] - EVENT[0] if run.told['dropped'] is not None else 0.0
    left = 0.0 if run.held(half, *EVENT) == 1 else run.below(half, EVENT[0]) - lost
    yield 'time from the first loss to a level that fits, s', max(0.0, left), '<=', 2
    yield 'time to return after the link is restored, s', run.reached(top, EVENT[1]), '<=', 5
    yield 'longest time below the level that fits, s', max(
        run.longest(lambda level: level < half, EVENT[0], EVENT[1]),
        run.longest(lambda level: level < top, EVENT[1])), '<=', 10
    above = run.longest(lambda level: level > half, EVENT[0], EVENT[1])
    yield 'longest time above the level that fits, from the first loss on, s', max(0.0, above - lost), '<=', 2


def judge_beside(run, least):
    fits = run.fits(run.told['rates'][0])
    yield "Jain's index", run.told['jain'], '>=', least
    yield 'rate relative to TCP', run.to_tcp(), '', None
    yield 'changes of level in 300 s', run.changes(), '<=', 5
    yield 'time to its level, s', run.reached(fits, 0), '<=', 10
    yield 'longest time more than a level above its own, s', run.longest(lambda level: level > fits + 2, 0), '<=', 2


def judge_comes(run):
    yield "Jain's index while TCP runs", run.told['jain'], '', None
    yield 'rate relative to TCP', run.to_tcp(), '', None
    yield 'time to return after TCP ends, s', run.reached(run.top(), EVENT[1]), '<=', 5


def judge_loses(run):
    yield 'rate relative to TCP', run.to_tcp(), '>=', 1
    yield "Jain's index", run.told['jain'], '', None


def judge_crowd(run):
    since = max(ALONE * 2, run.cell.late + 10, run.cell.apart * run.cell.receivers)
    if run.cell.tcp:
        since = max(since, cell_list.MEASURED)
    same, least = run.together(since)
    yield 'time with all receivers at one level, %', 100 * same, '>=', 90
    yield 'smallest share of the rate on the link, %', 100 * least, '>=', 90
    if run.cell.tcp:
        yield 'session rate relative to TCP', run.session_share(since), '>=', 0.9
        yield 'session rate relative to TCP, maximum', run.session_share(since), '<=', 1.1
    else:
        yield 'time at the level that fits, %', 100 * run.held(run.top(), since), '>=', 90


def judge_rough(run):
    top = run.top()
    yield 'time to the level that fits, s', run.reached(top, 0), '<=', 5
    yield 'longest time below the level that fits, s', run.longest(lambda level: level < top, 10), '<=', 10
    yield 'longest time above the level that fits, s', run.longest(lambda level: level > top, 0), '<=', 2


JUDGES = {'alone': judge_alone, 'halves': judge_halves, 'reno': lambda run: judge_beside(run, 0.97),
          'cubic': lambda run: judge_beside(run, 0.95), 'bbr': lambda run: judge_beside(run, None),
          'comes': judge_comes, 'coarse': lambda run: judge_beside(run, 0.95 if run.cell.flows > 1 else 0.92),
          'loses': judge_loses, 'crowd': judge_crowd, 'leaves': judge_halves, 'rough': judge_rough,
          'paused': judge_rough, 'suspended': judge_rough}

# The index and the changes are means of the runs; all other values are those of the worst run.
MEAN = ("Jain's index", 'changes of level', 'rate relative', 'session rate', 'time with all receivers',
        'time at the level')


def put_together(measure, values, sign):
    if measure.startswith(MEAN):
        return statistics.mean(values)
    return min(values) if sign == '>=' else max(values)


def holds(value, sign, bar):
    return bar is None or (value <= bar if sign == '<=' else value >= bar)


def median(_measure, values, _sign):
    return statistics.median(values)


def judge(results, together=put_together):
    """(cell's name, measure, sign, bar, {algorithm: value}) of all checks."""
    values = defaultdict(lambda: defaultdict(list))
    for told in results:
        run = Result(told)
        for measure, value, sign, bar in JUDGES[run.cell.group](run):
            values[told['cell'], measure, sign, bar][told['algorithm']].append(value)
    order = list(BY_NAME)
    for (name, measure, sign, bar), found in sorted(values.items(), key=lambda item: order.index(item[0][0])):
        yield name, measure, sign, bar, {algorithm: together(measure, of, sign) for algorithm, of in found.items()}


def tell(value, sign, bar):
    text = 'never' if value == float('inf') else f'{value:.3f}' if abs(value) < 2 else f'{value:.1f}'
    return text if holds(value, sign, bar) else f'**{text}**'


def find_missed(results):
    """(cell's name, algorithm) of the results that miss a bar."""
    return {(name, algorithm) for name, _, sign, bar, found in judge(results)
            for algorithm, value in found.items() if not holds(value, sign, bar)}


def check_bars(results):
    for name, measure, sign, bar, found in judge(results, median):
        for algorithm, value in found.items():
            lib.check(holds(value, sign, bar), f'{name}, {algorithm}: {measure} {sign} {bar}', value)


def write_table(results):
    algorithms = [name for name in ALGORITHMS if any(told['algorithm'] == name for told in results)]
    lines = ['| cell | measured | bar | ' + ' | '.join(algorithms) + ' |', '|---|---|---|' + '---|' * len(algorithms)]
    met, asked = defaultdict(int), defaultdict(int)
    for name, measure, sign, bar, found in judge(results):
        for algorithm, value in found.items():
            if bar is not None:
                asked[algorithm] += 1
                met[algorithm] += holds(value, sign, bar)
        told = ' | '.join(tell(found[name], sign, bar) if name in found else '' for name in algorithms)
        lines.append(f"| {name} | {measure} | {f'{sign} {bar:g}' if bar is not None else ''} | {told} |")
    lines.append('| all | bars met | | ' + ' | '.join(f'{met[name]} of {asked[name]}' for name in algorithms) + ' |')
    return '\n'.join(lines)


class Load:
    """Starts cells at the same time, as long as the machine can carry them."""

    def __init__(self, most):
        self.most = most
        self.used = 0
        self.changed = threading.Condition()

    def take(self, rate):
        with self.changed:
            self.changed.wait_for(lambda: self.used == 0 or self.used + rate <= self.most)
            self.used += rate

    def give(self, rate):
        with self.changed:
            self.used -= rate
            self.changed.notify_all()


def run_one(words, rate, load, keep):
    done = subprocess.run([sys.executable, '-B', str(Path(__file__).with_name('cell.py')), *map(str, words)],
                          capture_output=True, text=True, check=False)
    load.give(rate)
    if done.returncode == session.lib.SKIPPED:
        lib.note(f"{' '.join(map(str, words))}: {done.stdout.strip()}")
    elif lib.check(done.returncode == 0, f"{' '.join(map(str, words))}: runs", done.stdout[-2000:],
                   done.stderr[-2000:]):
        keep(json.loads(done.stdout.splitlines()[-1]))


def run_all(wanted, load, keep):
    """`wanted`: (cell's name, algorithm, number of the run)"""
    load = Load(load)
    threads = []
    for words in wanted:
        rate = BY_NAME[words[0]].rate
        load.take(rate)
        threads.append(threading.Thread(target=run_one, args=(words, rate, load, keep)))
        threads[-1].start()
    for thread in threads:
        thread.join()


def choose(options):
    prefixes = options.cells.split(',') if options.cells else ['']
    chosen = {name: cell for name, cell in BY_NAME.items() if name.startswith(tuple(prefixes))}
    for number in range(1, RUNS_THAT_DECIDE + 1):
        for algorithm in options.algorithms.split(',') if options.algorithms else ALGORITHMS:
            for name, cell in chosen.items():
                runs = options.runs or (RUNS_THAT_DECIDE if cell.decides else RUNS)
                if number <= runs and (options.algorithms or cell.compared or algorithm not in COMPARED):
                    yield name, algorithm, number


def check_again(results, load, keep):
    missed = find_missed(results)
    for told in results:
        if (told['cell'], told['algorithm']) in missed:
            lib.note(f'misses a bar: {json.dumps(told)}')
    runs = max(told['run'] for told in results)
    run_all([(*which, runs + more) for more in range(1, RUNS_OF_CHECK + 1) for which in sorted(missed)], load, keep)


def write_markdown(path, table):
    text = Path(path).read_text(encoding='utf-8')
    before, rest = text.split(MARKS[0])
    Path(path).write_text(f'{before}{MARKS[0]}\n{table}\n{MARKS[1]}{rest.split(MARKS[1])[1]}', encoding='utf-8')


def read(path):
    with open(path, encoding='utf-8') as file:
        return [json.loads(line) for line in file]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('--cells')
    parser.add_argument('--algorithms')
    parser.add_argument('--runs', type=int)
    parser.add_argument('--load', type=float, default=LOAD)
    parser.add_argument('--json')
    parser.add_argument('--read')
    parser.add_argument('--markdown')
    parser.add_argument('--check', action='store_true')
    options = parser.parse_args()
    results = read(options.read) if options.read else []
    if not options.read:
        wanted = list(choose(options))
        if not wanted:
            sys.exit(f'no cell begins with {options.cells}: {", ".join(BY_NAME)}')
        most = len(wanted) * (1 + (RUNS_OF_CHECK if options.check else 0))
        session.start(most * (cell_list.SECONDS_BESIDE_TCP + 90), tools=('iperf3',))
        lock = threading.Lock()

        def keep(result):
            with lock:
                results.append(result)
                if options.json:
                    with open(options.json, 'a', encoding='utf-8') as file:
                        file.write(json.dumps(result) + '\n')

        run_all(wanted, options.load, keep)
        if options.check:
            check_again(results, options.load, keep)
    table = write_table(results)
    print(table)
    if options.check:
        check_bars(results)
    if options.markdown:
        write_markdown(options.markdown, table)
    if not options.read:
        lib.finish()


if __name__ == '__main__':
    main()
