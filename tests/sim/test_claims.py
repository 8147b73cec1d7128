#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests when a claim agrees, and when the results on record may be used."""
import dataclasses
import importlib.machinery
import importlib.util
import io
import json
import math
import statistics
import sys
import tempfile
import unittest
from contextlib import redirect_stdout
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
loader = importlib.machinery.SourceFileLoader('reproduce', str(HERE / 'reproduce'))
reproduce = importlib.util.module_from_spec(importlib.util.spec_from_loader('reproduce', loader))
loader.exec_module(reproduce)
claims = reproduce.page.claims


def replication(rate, node='R1'):
    return {'nodes': {node: {'flows': [{'name': 'elm', 'kind': 'lmcc', 'throughput': rate * 1e3},
                                       {'name': 'tcp', 'kind': 'tcp', 'throughput': 1e6}]}}}


def record(*rates):
    return {'run': {str(seed): replication(rate) for seed, rate in enumerate(rates, 1)}}


CLAIM = claims.rate_claim('section 1', 'ELM', 500, 'run', claims.rate('R1', 'elm'))


class Figures(unittest.TestCase):
    def test_a_caption_names_its_figures(self):
        for text, figures in (('Figures 4 and 5: three sessions', ['4', '5']), ('Figure 2(a): RLM', ['2(a)']),
                              ('figure 7(a)', ['7(a)']), ('Figure 8 with 40 packets instead of 15', ['8']),
                              ('section 4', [])):
            self.assertEqual(reproduce.figures_in(text), figures)

    def test_a_figure_has_its_runs_claims_and_pictures(self):
        legout = next(paper for paper in reproduce.PAPERS if paper.NAME == 'legout')
        runs, found, pictures = reproduce.find_figure(legout, '2')
        self.assertEqual([run.name for run in runs],
                         ['legout-rlm-thin', 'legout-rlm-exponential', 'legout-rlm-thin-alone'])
        self.assertEqual({claim.where for claim in found}, {'figure 2(a)', 'figure 2(b)'})
        self.assertEqual(pictures, [])
        self.assertEqual([picture.name for picture in reproduce.find_figure(legout, '5')[2]], ['legout-5'])

    def test_a_run_is_found_by_its_name(self):
        thesis = reproduce.PAPERS[0]
        runs, found, _ = reproduce.find_figure(thesis, 'thesis-1-naive')
        self.assertTrue(runs and found)
        self.assertTrue(all(run.name.startswith('thesis-1-naive') for run in runs))

    def test_no_run_is_of_a_figure_that_does_not_exist(self):
        self.assertEqual(reproduce.find_figure(reproduce.PAPERS[0], '99')[0], [])


class Claims(unittest.TestCase):
    def test_the_interval_is_students(self):
        # 1, 2, 3: mean 2, deviation 1, t(2) = 4.30: half width 4.30 / sqrt (3).
        found = claims.estimate([1, 2, 3])
        self.assertAlmostEqual(found.mean, 2)
        self.assertAlmostEqual(found.half, 4.30 / math.sqrt(3), places=2)
        self.assertEqual(claims.estimate([5]).half, math.inf)

    def test_a_rate_agrees_within_a_tenth_of_the_papers(self):
        for rate, agrees in ((449, False), (451, True), (549, True), (551, False)):
            self.assertEqual(CLAIM.agrees(CLAIM.values(record(rate))), agrees)
        self.assertIsNone(CLAIM.agrees([]))

    def test_a_verdict_that_few_replications_do_not_decide_is_so_far(self):
        verdict = reproduce.page.verdict
        self.assertEqual(verdict(CLAIM, record(499, 500, 501)), 'agrees')
        self.assertEqual(verdict(CLAIM, record(440, 500, 560)), 'agrees so far')
        self.assertEqual(verdict(CLAIM, record(500)), 'agrees so far')
        self.assertEqual(verdict(CLAIM, record(300, 301, 302)), 'differs')
        self.assertEqual(verdict(CLAIM, {}), 'not run')

    def test_a_mean_shows_on_which_side_of_a_limit_it_is(self):
        claim = claims.Claim('', '', '', ('run',), lambda r: r, 0.8, 1.2)
        for mean, printed in ((1.21, '1.21'), (1.19, '1.19'), (1.2, '1.2'), (1.2004, '1.2004'), (1.5, '1.5'),
                              (0.79999, '0.79999'), (0.8123, '0.8123')):
            self.assertEqual(reproduce.page.mean_of(claim, mean), printed)
        shown = claims.beside('', '', lambda r: r, 'run')
        self.assertEqual(reproduce.page.mean_of(shown, 1.21), '1.2')

    def test_replications_that_are_all_the_same_are_one(self):
        self.assertEqual(CLAIM.values(record(500, 500, 500)), [500])
        self.assertEqual(CLAIM.values(record(500.001, 500.002)), [500.001])
        self.assertEqual(len(CLAIM.values(record(500.1, 500.2))), 2)
        self.assertEqual(reproduce.page.verdict(CLAIM, record(500, 500, 500)), 'agrees so far')
        self.assertEqual(reproduce.page.describe(CLAIM, record(500, 500, 500)), '500')
        self.assertTrue(reproduce.is_sure(CLAIM, record(500, 500, 500)))
        self.assertFalse(reproduce.is_sure(CLAIM, record(500)))

    def test_a_claim_with_our_own_bar_holds_or_fails(self):
        row = claims.same_claim('section 1', 'ELM', 'the same', ('run',), claims.rate('R1', 'elm'), 500)
        self.assertEqual(reproduce.page.verdict(row, record(420, 421, 422)), 'holds')
        self.assertEqual(reproduce.page.verdict(row, record(300, 301, 302)), 'fails')
        self.assertEqual(reproduce.page.bar(row), 'same: 400 to 600')
        self.assertEqual(reproduce.page.bar(CLAIM), 'rate: 450 to 550')

    def test_the_papers_words_make_the_limits_of_a_count(self):
        def limits(words):
            claim = claims.told_claim('section 1', 'changes', words, 'run', lambda _: 0)
            return round(claim.least, 6), round(claim.most, 6), claim.rule

        self.assertEqual(limits('around 12'), (6, 24, claims.ABOUT))
        self.assertEqual(limits('0.81%'), (0.00405, 0.0162, claims.ABOUT))
        self.assertEqual(limits('less than 10'), (0, 10, claims.SAID))
        self.assertEqual(limits('lower than 1%'), (0, 0.01, claims.SAID))
        self.assertEqual(limits('way beyond 300'), (300, math.inf, claims.SAID))
        self.assertFalse(claims.told_claim('section 1', 'changes', '', 'run', lambda _: 0).is_judged())
        loss = claims.range_claim('section 1', 'loss', 'from 0.6% to 2.9%', 'run', lambda _: 0)
        self.assertEqual((loss.least, round(loss.most, 6), loss.rule), (0.006, 0.029, claims.SAID))

    def test_a_measure_of_all_replications_has_the_deviation_of_a_jackknife(self):
        # For a mean this is the deviation of the values.
        self.assertEqual(claims.jackknife(statistics.fmean, [1, 2, 6]), [1, 2, 6])
        self.assertEqual(claims.jackknife(max, [5]), [5])

    def test_replications_without_the_measured_event_do_not_count(self):
        def measure(replication):
            if CLAIM.measure(replication) <= 400:
                raise claims.Unmeasured
            return CLAIM.measure(replication)

        claim = dataclasses.replace(CLAIM, measure=measure)
        self.assertEqual(claim.values(record(300, 500, 501, 502)), [500, 501, 502])
        self.assertEqual(reproduce.page.verdict(claim, record(300, 500, 501, 502)), 'agrees')
        self.assertEqual(reproduce.page.verdict(claim, record(300)), 'does not occur')

    def test_an_open_loop_flow_without_a_loss_is_not_measured(self):
        estimates = {'lip': {'loss-event-rate': 0.5}}
        lost = {'nodes': {'R': {'flows': [{'name': 'open-loop', 'loss': 0.1, 'estimates': estimates}]}}}
        whole = {'nodes': {'R': {'flows': [{'name': 'open-loop', 'loss': 0.0}]}}}
        self.assertEqual(claims.measured(reproduce.open_loop.loss_events(), [[lost], [whole]]), [0.5])
        run = claims.Run('run', 'open-loop-shared')
        means, _ = claims.means({'run': {'1': lost, '2': whole}}, [run], lambda _: reproduce.open_loop.loss_events())
        self.assertEqual(means, [0.5])

    def test_a_measure_that_the_paper_does_not_give_is_shown_and_not_judged(self):
        row = claims.beside('section 1', 'ELM, another way', claims.rate('R1', 'elm'), 'run')
        self.assertEqual(reproduce.page.verdict(row, record(300)), 'shown')
        self.assertEqual(reproduce.page.verdict(row, {}), 'not run')
        judged = dataclasses.replace(row, least=0, rule=claims.ORDER)
        self.assertEqual(reproduce.page.verdict(judged, record(300, 301)), 'agrees')

    def test_the_overview_shows_the_difference_and_the_cause_of_each_missed_cell(self):
        index = claims.jain_claim('table 1', 'R1: fairness index', 0.96, 'run', claims.mean_jain('R1', 'elm', 'tcp'), 2,
                                  cause='Because.')
        count = claims.told_claim('section 1', 'R1: level changes', 'about 10', 'run', lambda _: 30, cause='Often.')
        paper = dataclasses.make_dataclass('Paper', ['CLAIMS', 'CELLS', 'CELL_MEASURES'])(
            [count, index], [claims.Cell('table 1', 'R1', (('as it is', index, count),))], ('index', 'changes'))

        def cells(*rates):
            return [cell.strip() for cell in reproduce.page.overview(paper, record(*rates))[2].split('|')]

        # 0.9 is 0.06 less than 0.96, and 30 changes are more than twice 10; at 700 kbit/s the index is 0.9698.
        self.assertEqual(cells(500), ['', 'table 1', 'R1', '0.9600', '0.9000', '0.0600 less', '1', '"about 10"', '30.0',
                                      '[2] [1]', ''])
        self.assertEqual(cells(700)[4:7], ['0.9698', '', '1'])
        self.assertEqual(cells(700)[-2], '[1]')

    def test_the_fairness_index_is_jains(self):
        # (0.5 + 1)^2 / (2 (0.25 + 1))
        self.assertAlmostEqual(claims.jain('R1', 'elm', 'tcp')(replication(500)), 0.9)
        self.assertEqual(claims.jain_index([3] * 7), 1)

    def test_the_index_of_all_replications_is_that_of_the_mean_throughputs(self):
        index = claims.mean_jain('R1', 'elm', 'tcp')
        self.assertAlmostEqual(index([replication(900), replication(1100)]), 1)
        claim = claims.jain_claim('table 1', 'ELM', 0.96, 'run', index, 2)
        self.assertAlmostEqual(statistics.fmean(claim.values(record(900, 1000, 1100))), 1)

    def test_the_limits_of_an_index_follow_from_a_tenth_of_one_rate(self):
        for n in (2, 5):
            for share in (0.3, 0.7, 0.95, 1.5, 3):
                index = claims.jain_index([share] + [1] * (n - 1))
                self.assertAlmostEqual(claims.share_index(share, n), index)
                self.assertAlmostEqual(claims.index_share(index, n, above=share > 1), share)
        least, most = claims.index_limits(claims.share_index(0.7, 2), 2)
        self.assertAlmostEqual(least, claims.jain_index([0.63, 1]))
        self.assertAlmostEqual(most, claims.jain_index([0.77, 1]))
        least, most = claims.index_limits(claims.share_index(2, 5), 5, above=True)
        self.assertAlmostEqual(least, claims.jain_index([2.2, 1, 1, 1, 1]))
        self.assertAlmostEqual(most, claims.jain_index([1.8, 1, 1, 1, 1]))
        # Between them one flow has the same rate as the others.
        self.assertEqual(claims.index_limits(claims.share_index(0.95, 5), 5)[1], 1)

    def test_quick_fails_only_if_a_claim_that_agreed_no_longer_does(self):
        paper = dataclasses.make_dataclass('Paper', ['NAME', 'RUNS', 'CLAIMS'])(
            'paper', [claims.Run('run', 'thesis-1')], [CLAIM])
        with tempfile.TemporaryDirectory() as directory:
            reproduce.RESULTS = Path(directory)
            for on_record, now, good in (((490, 500, 510), 540, True), ((490, 500, 510), 600, False),
                                         ((490, 500, 510), 300, False)):
                reproduce.store(paper.RUNS[0], reproduce.RESULTS, record(*on_record)['run'])
                with redirect_stdout(io.StringIO()):
                    self.assertEqual(reproduce.check_quick([paper], record(now)), good, now)

    def test_results_of_another_scenario_or_other_settings_are_not_used(self):
        run = claims.Run('run', 'thesis-1')
        with tempfile.TemporaryDirectory() as directory:
            reproduce.store(run, Path(directory), record(500)['run'])
            self.assertIn('1', reproduce.load(run, Path(directory)))
            self.assertEqual(reproduce.load(dataclasses.replace(run, arguments=('--x',)), Path(directory)), {})
            self.assertEqual(reproduce.load(dataclasses.replace(run, scenario='thesis-2'), Path(directory)), {})

    def test_results_of_another_library_are_on_record_but_not_continued(self):
        run = claims.Run('run', 'thesis-1')
        with tempfile.TemporaryDirectory() as directory:
            sources = Path(directory) / 'lmcc'
            sources.mkdir()
            source = sources / 'lmcc-a.c'
            seen = []
            for text in ('int a;', '/* Why. */\nint\na;', 'int b;'):
                source.write_text(text, encoding='utf-8')
                reproduce.library_of.cache_clear()
                seen.append(reproduce.library_of(sources))
            self.assertEqual(seen[0], seen[1])
            self.assertNotEqual(seen[0], seen[2])

            reproduce.library_of.cache_clear()
            with mock.patch.object(reproduce, 'LIBRARY', sources):
                reproduce.store(run, Path(directory), record(500)['run'])
            self.assertIn('1', reproduce.load(run, Path(directory), seen[2]))
            self.assertEqual(reproduce.load(run, Path(directory), seen[0]), {})
            self.assertIn('1', reproduce.load(run, Path(directory)))

    def test_long_lists_of_losses_are_kept_as_sums(self):
        self.assertEqual(reproduce.gather([[0.5, 10, 1], [4.9, 20, 2], [5, 21, 1], [5.1, 30, 4], [21, 60, 1]]),
                         [[5, 21, 4], [10, 30, 4], [25, 60, 1]])

    def test_losses_less_than_a_slot_apart_are_one_event(self):
        factor = reproduce.flid.flid_factor
        losses = [[81.9, 10, 9], [82.2, 12, 1], [82.8, 20, 2], [83.3, 30, 1], [83.7, 40, 3], [84.3, 50, 6],
                  [131, 60, 7]]
        replication = {'nodes': {'R': {'flows': [{'name': 'flid-dl', 'losses': losses}]}}}
        self.assertEqual(factor.events(replication), [6, 6])
        self.assertEqual(factor.lost_in_an_event(replication), 6)

    def test_the_chain_is_the_papers_as_equation_3_has_it(self):
        # tests/check/libs/measure/markov.c has 213.1, 117.0 and 46.0 packets a second of example 6.
        chain = reproduce.flid.flid_chain
        for loss, told in ((0.003, 213.1), (0.01, 117.0), (0.03, 46.0)):
            self.assertAlmostEqual(chain.chain_rate(chain.EXAMPLE_6, loss), told, delta=0.1)
            self.assertAlmostEqual(chain.chain_joins(chain.EXAMPLE_6, loss), 1, places=4)

    def test_a_receivers_rate_and_loss_follow_from_its_changes_and_losses(self):
        levels = reproduce.legout.legout_levels
        flow = {'changes': [{'time': 50, 'from': -1, 'to': 0}, {'time': 60, 'from': 0, 'to': 1},
                            {'time': 70, 'from': 1, 'to': -1}],
                'losses': [[60, 100, 5], [65, 200, 10], [70, 300, 20]]}
        self.assertEqual([levels.rate_at(flow, when) for when in (49, 50, 60, 70, 99)], [0, 20, 40, 0, 0])
        self.assertEqual(levels.loss_of(flow, 60, 70), 30 / 200)
        self.assertEqual(levels.loss_of(flow, 70, 80), 0)

    def test_the_filter_takes_each_packet_once(self):
        pattern = reproduce.pgmcc.pgmcc_filter.pattern
        flow = {'name': 'pgmcc', 'losses': [[1, 3, 1], [2, 7, 2]]}
        self.assertEqual(pattern({'nodes': {'PR': {'flows': [flow]}}}), [0, 0, 1, 0, 0, 1, 1])

    def test_the_pages_match_the_claims_and_the_results(self):
        pages = HERE.parent.parent / 'docs/reproduction'
        for paper in reproduce.PAPERS:
            results = {run.name: reproduce.load(run, pages / 'results') for run in paper.RUNS}
            lines = (pages / f'{paper.NAME}.md').read_text(encoding='utf-8').splitlines()
            for line in reproduce.page.table(paper, results):
                self.assertIn(line.strip(), lines, f'{paper.NAME}: run "tests/sim/reproduce --pages"')

    def test_every_run_that_a_claim_needs_is_one_or_is_listed_as_missing(self):
        for paper in reproduce.PAPERS:
            runs = {run.name for run in paper.RUNS}
            results = {run.name: reproduce.load(run, HERE.parent.parent / 'docs/reproduction/results')
                       for run in paper.RUNS}
            for claim in paper.CLAIMS:
                self.assertLessEqual(claim.least, claim.most)
                if not runs.issuperset(claim.runs):
                    self.assertEqual(reproduce.page.verdict(claim, results), 'not run')
            for run in paper.RUNS:
                json.loads((HERE / 'scenarios' / f'{run.scenario}.json').read_text(encoding='utf-8'))


if __name__ == '__main__':
    unittest.main(verbosity=2)
