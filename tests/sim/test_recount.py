#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Counts docs/reproduction again from its text and the results on record, without the code that writes it."""
import collections
import itertools
import json
import math
import re
import statistics
import unittest
from pathlib import Path

PAGES = Path(__file__).resolve().parents[2] / 'docs/reproduction'
NAMES = ('thesis', 'open-loop', 'legout', 'flid', 'wei-zhang', 'pgmcc', 'tfmcc', 'scale')
NUMBER = r'-?\d+(?:\.\d+)?(?:e-?\d+)?'
# The verdicts of each rule.
WORDS = {**dict.fromkeys(('rate', 'index', 'about', 'said', 'order'), ('agrees', 'differs')),
         **dict.fromkeys(('same', 'unchanged', 'own'), ('holds', 'fails'))}
# 97.5 % of Student's t, by the number of replications.
T = {15: 2.145, 5: 2.776, 3: 4.303}


def page(name):
    return (PAGES / f'{name}.md').read_text(encoding='utf-8')


def table(text, first):
    """The rows, as dictionaries, of the tables whose heads begin with these; the head without a name is the verdict."""
    heads = None
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split('|')[1:-1]]
        if tuple(cells[:len(first)]) == first:
            heads = [head or 'verdict' for head in cells]
        elif not cells:
            heads = None
        elif heads and not cells[0].startswith('-'):
            yield dict(zip(heads, cells))


def claims(name):
    return list(table(page(name), ('where', 'claim')))


def ulp(printed):
    """Half of the last digit."""
    return 0.5 * 10 ** -len(printed.partition('.')[2])


def limits(bar):
    """The two limits in "rule: limits"; infinite if there is none."""
    words = bar.split(': ')[1]
    numbers = [float(each) for each in re.findall(NUMBER, words)]
    if words[0] in '≥>':
        return numbers[0], math.inf
    if words[0] in '≤<':
        return -math.inf, numbers[0]
    return numbers[0], numbers[-1]


def told(words):
    scale = 100 if '%' in words else 1
    spelled = {'three': '3', 'four': '4', 'five': '5', 'eight': '8'}
    words = re.sub('|'.join(rf'\b{each}\b' for each in spelled), lambda each: spelled[each.group()], words)
    return [float(each) / scale for each in re.findall(r'\d+(?:\.\d+)?', words)]


def index_of(share, n):
    rates = [share] + [1] * (n - 1)
    return sum(rates) ** 2 / (n * sum(rate * rate for rate in rates))


def share_of(index, n, above):
    """The inverse of index_of(), by bisection."""
    low, high = (1, 1e3) if above else (0, 1)
    for _ in range(100):
        middle = (low + high) / 2
        if (index_of(middle, n) < index) == above:
            high = middle
        else:
            low = middle
    return low


def possible_verdicts(row):
    """The verdicts that the printed numbers allow, given their rounding."""
    good, bad = WORDS[row['our bar'].split(':')[0]]
    mean, _, half = row['ours'].partition(' ± ')
    least, most = limits(row['our bar'])
    found = set()
    for offset in (-ulp(mean), 0, ulp(mean)):
        for wider in (-ulp(half), 0, ulp(half)) if half else (math.inf,):
            value, interval = float(mean) + offset, float(half or 0) + wider
            sure = all(math.isinf(limit) or abs(value - limit) >= interval for limit in (least, most))
            inside = any(least * (1 + sign * 5e-4) <= value <= most * (1 + other * 5e-4)
                         for sign, other in itertools.product((-1, 0, 1), repeat=2))
            outside = not least * (1 + 5e-4) < value < most * (1 - 5e-4)
            found |= {(good if inside else bad) + ('' if sure else ' so far')}
            found |= {(bad if outside else good) + ('' if sure else ' so far')}
    return found


def replications(run):
    text = (PAGES / f'results/{run}.json').read_text(encoding='utf-8')
    return list(json.loads(text)['replications'].values())


def throughputs(replication, node, name):
    return [flow['throughput'] / 1e3 for flow in replication['nodes'][node]['flows'] if flow['name'] == name]


def jain(rates):
    return sum(rates) ** 2 / (len(rates) * sum(rate * rate for rate in rates))


def mean_index(run, node, name):
    flows = [throughputs(each, node, name) + throughputs(each, node, 'tcp') for each in run]
    return jain([statistics.fmean(of_one) for of_one in zip(*flows)])


def index_half(run, node, name):
    """Half of the interval, by a jackknife."""
    n = len(run)
    without = [mean_index(run[:i] + run[i + 1:], node, name) for i in range(n)]
    return T[n] * math.sqrt((n - 1) / n * sum((each - statistics.fmean(without)) ** 2 for each in without))


def of(replication, name, *nodes):
    """All flows of that name at these nodes, or at all nodes."""
    return [flow for node, at in replication['nodes'].items() if not nodes or node in nodes
            for flow in at['flows'] if flow['name'] == name]


def mean_of(flows, key):
    return statistics.fmean(flow[key] for flow in flows)


def share(name, rate, *nodes):
    return lambda r: sum(flow['throughput'] for flow in of(r, name, *nodes)) / rate


def ratio(first, second):
    return lambda r: mean_of(of(r, first), 'throughput') / mean_of(of(r, second), 'throughput')


def lost_at_once(replication):
    """Mean loss of the events from 82 to 131 s; losses less than half a second apart are one event."""
    flow, = of(replication, 'flid-dl')
    begins = [when for (before, _, _), (when, _, _) in itertools.pairwise([(-1, 0, 0), *flow['losses']])
              if when - before > 0.5]
    sums = collections.Counter()
    for when, _, lost in flow['losses']:
        sums[max(begin for begin in begins if begin <= when)] += lost
    return statistics.fmean(lost for begin, lost in sums.items() if 82 <= begin < 131)


def tcp_packets(loss):
    """RFC 5348, section 3.1, packets per second at 0.1 s."""
    return 10 / (math.sqrt(2 * loss / 3) + 12 * math.sqrt(3 * loss / 8) * loss * (1 + 32 * loss * loss))


STAR = ('R1', 'R2', 'R3', 'R4')
# Some rows of each other page: page, run, beginning of the row, and the measure of a replication.
ELSEWHERE = [
    ('flid', 'flid-alone-20', 'one session, c = 2.0: share of 10', share('flid-dl', 10e6)),
    ('flid', 'flid-dl', 'four FLID-DL sessions', share('flid-dl', 2e6)),
    ('flid', 'flid-sl', 'four FLID-SL sessions', share('flid-sl', 2e6)),
    ('flid', 'flid-tcp-7-n8-reno', 'beside TCP Reno, 8 of each, 7', ratio('flid-dl', 'tcp')),
    ('flid', 'flid-tcp-25-n32-reno', 'beside TCP Reno, 32 of each, 25', ratio('flid-dl', 'tcp')),
    ('flid', 'flid-red-dl', 'RED, four FLID-DL sessions', share('flid', 2e6)),
    ('flid', 'flid-c-2.0', 'one session, c = 2.0: packets lost in a', lost_at_once),
    # Leaves in 200 s.
    ('flid', 'flid-climbed-3', 'FLID-DL, 3 % of loss: groups left', lambda r: mean_of(of(r, 'flid'), 'leaves') / 400),
    ('flid', 'flid-heuristic-1', 'p_i by the heuristic, 1 % of loss', lambda r: mean_of(
        of(r, 'flid'), 'throughput') / 0.99 / 8000 / tcp_packets(0.01)),
    ('legout', 'legout-rlm-thin', 'RLM, layers of 10 kbit/s: mean loss', lambda r: mean_of(of(r, 'rlm', *STAR),
                                                                                           'loss')),
    ('legout', 'legout-rlm-exponential', 'RLM, layers that double: mean loss',
     lambda r: mean_of(of(r, 'rlm', *STAR), 'loss')),
    ('legout', 'legout-rlm-first', 'RLM first: it grabs', lambda r: mean_of(of(r, 'rlm'), 'throughput') / 1e3),
    ('legout', 'legout-rlm-first', 'RLM first: TCP gets', lambda r: statistics.fmean(
        mean_of(r['nodes'][node]['flows'], 'throughput') for node in ('U1', 'U2')) / 1e3),
    ('wei-zhang', 'wei-zhang-48-500ms-16k', '48 of each, table I: ratio of a session to TCP', ratio('mcc', 'tcp')),
    ('wei-zhang', 'wei-zhang-2-160ms-800k', '2 of each, table I: ratio of a session to TCP', ratio('mcc', 'tcp')),
    ('wei-zhang', 'wei-zhang-2-250ms-32k', '2 sessions, linear layers: one throughput',
     lambda r: jain([flow['throughput'] for flow in of(r, 'mcc')])),
    ('pgmcc', 'pgmcc-fig5', 'the session beside TCP, kbit/s',
     lambda r: r['sessions']['pgmcc']['phases']['220']['rate'] / 1e3),
    ('pgmcc', 'pgmcc-fig5', 'the session, after TCP has ended',
     lambda r: r['sessions']['pgmcc']['phases']['400 again']['rate'] / 1e3),
    ('pgmcc', 'pgmcc-fig7', '10 receivers: TCP behind', lambda r: of(r, 'tcp')[0]['phases']['few'] / 1e3),
    ('tfmcc', 'tfmcc-tcp', 'behind 3 Mbit/s',
     lambda r: jain([flow['throughput'] for flow in r['nodes']['R']['flows']])),
    ('scale', 'scale-1000', '1000 receivers: reports',
     lambda r: r['sessions']['elm']['feedback-bytes'] * 8 / 60 / 64e3),
    ('open-loop', 'open-loop-lossy-3-16', '16 packets/RTT, 3 %: LIP is as',
     lambda r: of(r, 'open-loop')[0]['estimates']['lip']['loss-event-rate']),
    ('open-loop', 'open-loop-lossy-3-64', '3 %, 64 packets/RTT: LAP equals',
     lambda r: of(r, 'open-loop')[0]['estimates']['lap']['loss-event-rate']),
]


class Recount(unittest.TestCase):
    def close(self, printed, value):
        self.assertLessEqual(abs(float(printed) - value), 1.01 * ulp(printed), f'{printed}, and {value} is counted')

    def test_each_page_counts_its_rows_as_they_are(self):
        for name in NAMES:
            with self.subTest(page=name):
                total, counts = re.search(r'^(\d+) claims: (.*?)\. \*So far', page(name), re.MULTILINE).groups()
                found = collections.Counter(row['verdict'] for row in claims(name))
                told_counts = {verdict: int(n) for n, verdict in (each.split(' ', 1) for each in counts.split(', '))}
                self.assertEqual(told_counts, dict(found))
                self.assertEqual(int(total), sum(found.values()))

    def test_each_verdict_follows_from_the_numbers_of_its_row(self):
        for name in NAMES:
            for row in claims(name):
                with self.subTest(page=name, row=row):
                    if row['our bar']:
                        self.assertIn(row['verdict'], possible_verdicts(row))
                    else:
                        self.assertEqual(row['verdict'], 'shown')

    def test_each_row_that_misses_or_is_not_judged_has_a_cause(self):
        for name in NAMES:
            causes = set(re.findall(r'^(\[\d+\]) ', page(name), re.MULTILINE))
            for row in claims(name):
                with self.subTest(page=name, row=row):
                    if row['verdict'].startswith(('differs', 'fails')) or (row['verdict'] == 'shown' and row['the '
                                                                                                             'paper']):
                        self.assertIn(row['cause'], causes)

    def test_the_limits_follow_from_the_rules(self):
        for name in NAMES:
            for row in claims(name):
                rule = row['our bar'].split(':')[0]
                if rule not in ('rate', 'about', 'index') or not told(row['the paper']):
                    continue
                with self.subTest(page=name, row=row):
                    numbers = told(row['the paper'])
                    if rule == 'index':
                        self.check_index(row, numbers[0])
                    else:
                        low, high = (0.9, 1.1) if rule == 'rate' else (0.5, 2)
                        least, most = limits(row['our bar'])
                        self.assertAlmostEqual(least, min(numbers) * low, delta=6e-4 * least)
                        self.assertAlmostEqual(most, max(numbers) * high, delta=6e-4 * most)

    def check_index(self, row, index):
        n = 5 if row['where'] in ('table 5', 'table 8') else 2
        # Rows in which the thesis' RLC has more than its TCP.
        above = row['where'] == 'table 6' and 'RLC' in row['claim'] and not row['claim'].startswith('R2')
        share = share_of(index, n, above)
        found = [index_of(share * factor, n) for factor in (0.9 + i / 1000 for i in range(201))]
        for limit, expected in zip(limits(row['our bar']), (min(found), max(found))):
            self.assertAlmostEqual(limit, expected, delta=1e-4)

    def test_no_row_has_an_interval_of_replications_that_are_the_same(self):
        for name in NAMES:
            for row in claims(name):
                with self.subTest(page=name, row=row):
                    self.assertEqual(' ± ' in row['ours'], row['n'] != '1')
                    self.assertFalse(row['ours'].endswith(' ± 0'))

    def test_the_thesis_rates_indices_and_changes_are_those_of_the_results(self):
        rows = {(row['where'], row['claim'].removesuffix(', kbit/s')): row for row in claims('thesis')}
        simulations = ((1, '6.3.1', 'table 3', 'ELM lazy', 'lazy', 'lazy'), (2, '6.3.2', 'table 4', 'ELM', 'ELM',
                                                                             'paper'),
                       (3, '6.3.3', 'table 5', 'ELM', 'ELM', 'paper'), (4, '6.3.4', 'table 6', 'ELM', 'ELM', 'paper'))
        for number, section, tables, session, label, which in simulations:
            run = replications(f'thesis-{number}-{which}')
            for node in ('R1', 'R2', 'R3'):
                with self.subTest(simulation=number, node=node):
                    for name, flow in ((session, 'elm'), (f'TCP beside {label}', 'tcp')):
                        rates = [statistics.fmean(throughputs(each, node, flow)) for each in run]
                        self.check(rows[section, f'{node}: {name}'], rates)
                    counts = [next(flow['level-changes-since-start'] for flow in each['nodes'][node]['flows']
                                   if flow['name'] == 'elm') for each in run]
                    self.check(rows[section, f'{node}: level changes, {label}'], counts)
                    mean, half = rows[tables, f'{node}: fairness index, {label}']['ours'].split(' ± ')
                    self.close(mean, mean_index(run, node, 'elm'))
                    self.assertLessEqual(abs(float(half) - index_half(run, node, 'elm')),
                                         0.02 * float(half) + ulp(half))

    def test_rows_of_the_other_pages_are_those_of_the_results(self):
        for name, run, begin, measure in ELSEWHERE:
            with self.subTest(page=name, row=begin):
                row, = (row for row in claims(name) if row['claim'].startswith(begin))
                self.check(row, [measure(each) for each in replications(run)])

    def check(self, row, values):
        if ' ± ' not in row['ours']:
            self.assertEqual((len(set(values)), int(row['n'])), (1, 1))
            self.close(row['ours'], values[0])
            return
        mean, half = row['ours'].split(' ± ')
        self.close(mean, statistics.fmean(values))
        self.assertEqual(int(row['n']), len(values))
        expected = T[len(values)] * statistics.stdev(values) / math.sqrt(len(values))
        self.assertLessEqual(abs(float(half) - expected), 0.01 * expected + ulp(half))

    def test_the_readme_counts_what_the_pages_have(self):
        text = page('README')
        sums = collections.Counter()
        for row in table(text, ('page', 'rows')):
            name = re.sub(r'\[(.*)\].*', r'\1', row['page'])
            if name == 'all':
                self.assertEqual({key: int(value) for key, value in row.items() if key != 'page'}, dict(sums))
                continue
            verdicts = collections.Counter(each['verdict'].removesuffix(' so far') for each in claims(name))
            expected = {'rows': sum(verdicts.values()), 'agree': verdicts['agrees'], 'differ': verdicts['differs'],
                        'hold': verdicts['holds'], 'fail': verdicts['fails'], 'shown': verdicts['shown']}
            self.assertEqual({key: int(row[key]) for key in expected}, expected)
            for key, value in expected.items():
                sums[key] += value
        self.assertGreater(sums['rows'], 0)

    def test_the_projects_readme_has_the_same_sums(self):
        sums = re.search(r'^\| all' + r' \| (\d+)' * 6 + r' \|$', page('README'), re.MULTILINE)
        cells = re.search(r'in (\d+) of the (\d+) cells\*', page('README'))
        words = ' '.join((PAGES.parents[1] / 'README.md').read_text(encoding='utf-8').split())
        rows, agree, differ, hold, fail, shown = sums.groups()
        self.assertIn(f'Of {rows} rows, {agree} agree with what a paper says and {differ} differ; {hold} meet a limit '
                      f'of our own and {fail} miss it; {shown} are shown without a limit', words)
        self.assertIn('in {} of {} cells'.format(*cells.groups()), words)

    def test_the_readme_counts_the_cells_in_which_elm_agrees(self):
        cells = re.search(r'in (\d+) of the (\d+) cells\*.*?, and in (\d+) with this library',
                          page('README'),
                          re.DOTALL).groups()
        rows = [row for row in claims('thesis') if row['our bar'].startswith('index')]
        labels = (('lazy', 'ELM'), ('lazy with defaults', 'ELM with defaults'))
        found = [[row for row in rows if row['claim'].partition('fairness index, ')[2] in each] for each in labels]
        self.assertEqual([len(each) for each in found], [int(cells[1])] * 2)
        self.assertEqual([sum(row['verdict'].startswith('agrees') for row in each) for each in found],
                         [int(cells[0]), int(cells[2])])


if __name__ == '__main__':
    unittest.main(verbosity=2)
