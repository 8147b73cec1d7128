# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests gst-lmcc-1.0 plan against the numbers of FLID-DL (Byers et al.), RLC and Wei and Zhang, and its errors."""
import importlib.util
import json
import math
import os
import re
import tempfile
import unittest
from pathlib import Path

from tool import FAILURE, OK, SOURCE_ROOT, USAGE, run

CLIP = os.path.join(SOURCE_ROOT, 'pipelines', 'big-buck-bunny.mp4')

# The paper's base rate of 2.5 packets/s of 1 KB.
BASE = 20000
PACKET = 1000


def session(*options):
    result = run('plan', '--json', *options)
    assert result.returncode == OK, result.stderr
    return json.loads(result.stdout)


def plan(*options):
    return session(*options)['layers']


def rates(layers):
    return [layer['rate'] for layer in layers]


class TheSchemesOfFlidDl(unittest.TestCase):
    def scheme(self, name, *options):
        return plan('--scheme', name, '--layers', '20', '--base-rate', str(BASE), *options)

    def test_equal_ranges_from_20_to_400_kbit(self):
        layers = self.scheme('equal')
        self.assertEqual(rates(layers), [BASE] * 20)
        self.assertEqual(layers[-1]['cumulative-rate'], 400000)

    def test_increase_by_one_ranges_from_20_kbit_to_4_2_mbit(self):
        layers = self.scheme('increase-by-one')
        self.assertEqual(rates(layers), [BASE * (i + 1) for i in range(20)])
        self.assertEqual(layers[-1]['cumulative-rate'], 4200000)

    def test_doubling_is_1_1_2_4_8_and_reaches_10_gbit(self):
        layers = self.scheme('doubling')
        self.assertEqual(rates(layers)[:8], [BASE * n for n in (1, 1, 2, 4, 8, 16, 32, 64)])
        for lower, upper in zip(layers, layers[1:]):
            self.assertEqual(upper['cumulative-rate'], 2 * lower['cumulative-rate'])
        self.assertAlmostEqual(layers[-1]['cumulative-rate'] / 1e9, 10, delta=0.5)

    def test_multiplicative_by_1_3_ranges_from_20_kbit_to_2_9_mbit(self):
        layers = self.scheme('multiplicative', '--factor', '1.3')
        for i, layer in enumerate(layers):
            # Each of the i rates below is rounded to a whole bit/s.
            self.assertAlmostEqual(layer['cumulative-rate'], 1.3 ** i * BASE, delta=(i + 1) / 2)
        self.assertAlmostEqual(layers[-1]['cumulative-rate'] / 1e6, 2.9, delta=0.05)

    def test_multiplicative_has_the_30_levels_of_example_5(self):
        # R_0 = 24 Kb/s, c = 1.3. In the paper 1 Mb is 1024 Kb; level 7 is 151 Kb/s, not 150 as printed.
        kbit = [24.0, 31.2, 40.6, 52.7, 68.5, 89.1, 116, 151, 196, 255, 331, 430, 559, 727, 945]
        mbit = [1.20, 1.56, 2.03, 2.64, 3.43, 4.45, 5.79, 7.53, 9.79, 12.7, 16.5, 21.5, 27.9, 36.3, 47.2]
        layers = plan('--scheme', 'multiplicative', '--factor', '1.3', '--layers', '30', '--base-rate', '24k')
        wanted = kbit + [1024 * rate for rate in mbit]
        for layer, rate in zip(layers, wanted, strict=True):
            # The paper prints three digits.
            self.assertAlmostEqual(layer['cumulative-rate'] / 1000 / rate, 1, delta=0.005)

    def test_heavy_tail_has_the_paper_s_20_rates(self):
        # 24.4, where the paper prints 24.8: C / (6 * 7) with C = 1024 Kb/s.
        wanted = [51.2, 2.7, 3.0, 3.3, 3.8, 4.3, 4.9, 5.6, 6.6, 7.8, 9.3, 11.4, 14.2, 18.3, 24.4, 34.1, 51.2, 85.3,
                  170.7, 512]
        layers = plan('--scheme', 'heavy-tail', '--layers', '20', '--base-rate', '51.2k')
        for rate, kbit in zip(rates(layers), wanted, strict=True):
            self.assertAlmostEqual(rate / 1000, kbit, delta=0.0501)
        for i, layer in enumerate(layers):
            self.assertAlmostEqual(layer['cumulative-rate'], 1024000 / (20 - i), delta=(i + 1) / 2)

    def test_explicit_rates_come_as_given(self):
        self.assertEqual(rates(plan('--scheme', 'explicit', '--rates', '128k,1.5M, 64000,1G')),
                         [128000, 1500000, 64000, 1000000000])

    def test_rates_alone_mean_explicit(self):
        self.assertEqual(rates(plan('--rates', '100k,200k')), [100000, 200000])


# The session of FLID-DL's examples 2, 5 and 6, in binary units: 24 Kb/s are 3 packets/s of 1 KB.
EXAMPLE = ['--scheme', 'multiplicative', '--factor', '1.3', '--layers', '30', '--base-rate', '24576',
           '--packet-size', '1024', '--slot', '0.5', '--nominal-rtt', '0.1']

EXAMPLE_5 = [0.932] * 10 + [0.899, 0.840, 0.751, 0.649, 0.541, 0.441, 0.353, 0.278, 0.217, 0.169, 0.131, 0.100, 0.078,
                            0.060, 0.046, 0.035, 0.027, 0.021, 0.016, 0.0]

EXAMPLE_6 = [0.999, 0.932, 0.931, 0.930, 0.929, 0.928, 0.927, 0.926, 0.925, 0.924, 0.923, 0.922, 0.921, 0.920, 0.901,
             0.312, 0.311, 0.310, 0.248, 0.122, 0.118, 0.108, 0.077, 0.051, 0.040, 0.005, 0.003, 0.002, 0.001, 0]


class TheMarksOfFlid(unittest.TestCase):
    def test_the_probabilities_are_those_of_example_5(self):
        for algorithm in ('flid-sl', 'flid-dl'):
            layers = plan('--algorithm', algorithm, *EXAMPLE)
            for layer, wanted in zip(layers, EXAMPLE_5, strict=True):
                self.assertAlmostEqual(layer['increase-probability'], wanted, delta=0.005)

    def test_a_level_s_sync_interval_is_the_mean_time_between_its_signals(self):
        layers = plan('--algorithm', 'flid-sl', *EXAMPLE)
        for layer in layers[:-1]:
            self.assertAlmostEqual(layer['sync-interval'] * layer['increase-probability'], 0.5, places=6)
        self.assertIsNone(layers[-1]['sync-interval'])

    def test_the_signals_are_those_of_table_1(self):
        for second in ('0.2', '0.21'):
            signals = session('--algorithm', 'flid-sl', '--layers', '4', '--signals', '8',
                              '--probabilities', f'0.33,{second},0.09,0')['signals']
            self.assertEqual(signals, [-1, 0, -1, 1, -1, -1, -1, 2])

    def test_signals_come_as_often_as_the_probabilities_say(self):
        result = session('--algorithm', 'flid-dl', '--signals', '4096', *EXAMPLE)
        self.assertEqual(len(result['signals']), 4096)
        for layer in result['layers']:
            count = sum(signal >= layer['layer'] for signal in result['signals'])
            self.assertAlmostEqual(count, 4096 * layer['increase-probability'], delta=1)

    def test_the_throughput_of_example_6_is_that_of_a_receiver(self):
        result = session('--algorithm', 'flid-dl', '--probabilities', ','.join(map(str, EXAMPLE_6)), *EXAMPLE)
        rates = {entry['loss']: entry['rate'] / 8192 for entry in result['throughput']}
        for loss, packets in ((0.003, 212.7), (0.01, 117.0), (0.03, 45.9)):
            self.assertAlmostEqual(rates[loss] / packets, 1, delta=0.01)

    def test_the_tcp_rate_is_that_of_equation_1(self):
        for entry in session('--algorithm', 'flid-dl', *EXAMPLE)['throughput']:
            q = entry['loss']
            wanted = 1 / (0.1 * math.sqrt(q) * (math.sqrt(2 / 3) + 6 * math.sqrt(3 / 2) * q * (1 + 32 * q * q)))
            self.assertAlmostEqual(entry['tcp-rate'] / 8192 / wanted, 1, places=6)

    def test_hill_climbing_comes_closer_to_tcp_where_its_grid_is(self):
        def error(method, least_loss):
            result = session('--algorithm', 'flid-dl', '--probabilities', method, *EXAMPLE)
            return sum((entry['rate'] / entry['tcp-rate'] - 1) ** 2 for entry in result['throughput']
                       if entry['loss'] >= least_loss)

        self.assertLess(error('hill-climb', 0.001), 0.9 * error('heuristic', 0.001))
        self.assertLess(error('hill-climb-log', 0), 0.9 * error('heuristic', 0))
        self.assertLess(error('hill-climb-log', 0), 0.1 * error('hill-climb', 0))

    def test_a_receiver_joins_once_a_slot_over_dynamic_layers_and_less_over_static_ones(self):
        for entry in session('--algorithm', 'flid-dl', *EXAMPLE)['joins-per-second']:
            self.assertAlmostEqual(entry['dynamic'], 2, delta=0.01)
            self.assertLess(entry['static'], 1.01)
            self.assertGreater(entry['static'], 0)

    def test_groups_turn_with_silence_for_the_leave_latency(self):
        result = session('--algorithm', 'flid-dl', '--scheme', 'equal', '--layers', '7', '--slot', '0.5',
                         '--leave-latency', '4')
        groups = result['groups']
        # L < (s - 1) T: s = 10; a group for the base, and 6 + 10 that rotate.
        self.assertEqual([len(slot) for slot in groups], [17] * 16)
        self.assertEqual(result['slot-modulus'], 65536 // 16 * 16)
        for slot in groups:
            self.assertEqual(slot[0], 0)
            self.assertEqual(sorted(layer for layer in slot if layer is not None), list(range(7)))
        for group in range(1, 17):
            turn = [slot[group] for slot in groups]
            start = turn.index(6)
            self.assertEqual(turn[start:] + turn[:start], [6, 5, 4, 3, 2, 1] + [None] * 10)

    def test_addresses_are_those_of_the_first_slot(self):
        result = session('--algorithm', 'flid-dl', '--scheme', 'equal', '--layers', '4', '--address', '239.1.2.0')
        for layer in result['layers']:
            self.assertEqual(layer['address'], f'239.1.2.{result["groups"][0].index(layer["layer"])}')

    def test_static_layers_stay_on_their_groups(self):
        self.assertEqual(session('--algorithm', 'flid-sl', '--layers', '4')['groups'], [[0, 1, 2, 3]])


class TheMarksOfRlc(unittest.TestCase):
    def test_sync_points_double_from_the_time_of_eight_base_packets(self):
        result = session('--algorithm', 'rlc', '--layers', '6', '--base-rate', '16k', '--packet-size', '256')
        self.assertAlmostEqual(result['slot'], 1.024, places=9)
        for layer in result['layers']:
            self.assertAlmostEqual(layer['sync-interval'], 1.024 * 2 ** layer['layer'], places=9)
        self.assertEqual([layer['increase-probability'] for layer in result['layers']],
                         [1, 0.5, 0.25, 0.125, 0.0625, 0])
        self.assertAlmostEqual(result['burst'], 0.512, places=9)

    def test_sync_points_are_nested(self):
        signals = session('--algorithm', 'rlc', '--layers', '4', '--signals', '16')['signals']
        self.assertEqual(signals, [0, 1, 0, 2, 0, 1, 0, 2] * 2)

    def test_a_nominal_rtt_gives_the_slot_of_tcp_s_throughput(self):
        options = ['--algorithm', 'rlc', '--layers', '12', '--base-rate', '256k']
        result = session(*options, '--nominal-rtt', '0.1')
        for entry in result['throughput']:
            # The formula has no retransmission timeouts.
            if entry['loss'] <= 0.001:
                self.assertAlmostEqual(entry['rate'] / entry['tcp-rate'], 1, delta=0.02)
        again = session(*options, '--slot', str(result['slot']))
        self.assertAlmostEqual(again['nominal-rtt'], 0.1, places=6)

    def test_a_slot_is_not_shorter_than_two_packets_of_the_base(self):
        result = session('--algorithm', 'rlc', '--base-rate', '100k', '--packet-size', '1000', '--nominal-rtt', '0.06')
        self.assertAlmostEqual(result['slot'], 0.16, places=9)
        # R = sqrt(t_0 s c^2 / ((1 + a) B_0)).
        self.assertAlmostEqual(result['nominal-rtt'], math.sqrt(0.16 * 8000 / 100000), places=6)


class TheMarksOfWeiAndZhang(unittest.TestCase):
    def test_sync_points_of_linear_layers_have_a_bit_for_each_level(self):
        result = session('--algorithm', 'synchronized', '--scheme', 'equal', '--layers', '5', '--slot', '0.25',
                         '--signals', '60')
        self.assertEqual([layer['sync-interval'] for layer in result['layers']], [0.25, 0.5, 0.75, 1, 1.25])
        for slot, levels in enumerate(result['signals'], 1):
            self.assertEqual(levels, sum(1 << i for i in range(4) if slot % (i + 2) == 0))

    def test_the_slot_of_the_paper_s_setting_is_65_ms(self):
        result = session('--algorithm', 'synchronized', '--scheme', 'equal', '--layers', '30', '--base-rate', '400k',
                         '--packet-size', '1000', '--nominal-rtt', '0.044')
        self.assertAlmostEqual(result['slot'], 0.065, delta=0.002)

    def test_the_throughput_is_tcp_s(self):
        result = session('--algorithm', 'synchronized', '--scheme', 'equal', '--layers', '64', '--nominal-rtt', '0.1')
        for entry in result['throughput']:
            if 0.0005 <= entry['loss'] <= 0.002:
                self.assertAlmostEqual(entry['rate'] / entry['tcp-rate'], 1, delta=0.05)


class ThePlot(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if importlib.util.find_spec('matplotlib') is None:
            raise unittest.SkipTest('matplotlib is not installed (Debian: python3-matplotlib)')

    def test_it_is_drawn_beside_the_plan(self):
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / 'plan.png'
            result = run('plan', '--algorithm', 'flid-dl', '--plot', str(path), *EXAMPLE)
            self.assertEqual(result.returncode, OK, result.stderr)
            self.assertIn('scheme multiplicative', result.stdout)
            self.assertEqual(path.read_bytes()[:8], b'\x89PNG\r\n\x1a\n')

    def test_its_panels_are_figures_3_10_and_11(self):
        import matplotlib
        matplotlib.use('Agg')
        from matplotlib import pyplot
        spec = importlib.util.spec_from_file_location('plot_plan', Path(SOURCE_ROOT) / 'plugins/tools/plot-plan.py')
        script = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(script)
        names = ['dynamic-joins', 'static-joins', 'tcp', 'heuristic', 'hill-climb', 'hill-climb-log', 'given']
        data = {name: [1e6 * i, 2e6 * i] for i, name in enumerate(names, 1)}
        data.update({'loss': [0.001, 0.01], 'layers': 3, 'slot': 0.5, 'nominal-rtt': 0.1})
        with tempfile.TemporaryDirectory() as directory:
            script.draw(pyplot, data, str(Path(directory) / 'plan.svg'))
        drawn = [[list(line.get_ydata()) for line in axes.lines] for axes in pyplot.gcf().axes]
        pyplot.close()
        self.assertEqual(drawn, [[[1e6, 2e6], [2e6, 4e6]], [[3, 6], [4, 8]], [[3, 6], [5, 10], [6, 12], [7, 14]]])

    def test_a_file_that_cannot_be_drawn_fails_with_a_remedy(self):
        with tempfile.TemporaryDirectory() as directory:
            for name in ('plan.unknown', 'no/such/directory.png'):
                result = run('plan', '--algorithm', 'flid-dl', '--plot', str(Path(directory) / name))
                self.assertEqual(result.returncode, FAILURE)
                self.assertIn('.png', result.stderr)


class TheOutput(unittest.TestCase):
    def test_without_an_algorithm_there_are_no_marks(self):
        result = session()
        self.assertEqual(set(result), {'scheme', 'packet-size', 'layers', 'repair', 'whole-picture'})
        self.assertNotIn('sync-interval', result['layers'][0])

    def test_an_algorithm_without_slots_has_no_signals(self):
        for algorithm in ('elm', 'rlm'):
            result = session('--algorithm', algorithm)
            self.assertEqual(result['algorithm'], algorithm)
            self.assertEqual(result['signals'] + result['throughput'] + result['joins-per-second'], [])
            self.assertEqual(result['groups'], [[0, 1, 2, 3, 4, 5]])
            for layer in result['layers']:
                self.assertIsNone(layer['increase-probability'])
                self.assertIsNone(layer['sync-interval'])

    def test_the_table_has_a_row_for_each_slot_and_loss_rate(self):
        result = run('plan', '--algorithm', 'flid-dl', '--scheme', 'equal', '--layers', '3', '--leave-latency', '0',
                     '--signals', '5')
        self.assertEqual(re.findall(r'^ +(\d) +-?\d((?: +[\d.])+)$', result.stdout, re.MULTILINE),
                         [('0', '  0  .  .  1  2'), ('1', '  0  2  .  .  1'), ('2', '  0  1  2  .  .'),
                          ('3', '  0  .  1  2  .'), ('4', '  0  .  .  1  2')])
        self.assertEqual(len(re.findall(r'^ +0\.\d{5} +\S+ [kM]bit/s +\S+ [kM]bit/s +[\d.]+$', result.stdout,
                                        re.MULTILINE)), 9)

    def test_json_names_each_layer_its_rates_and_its_address(self):
        layers = plan('--layers', '3', '--address', '239.1.2.3')
        self.assertEqual([layer['layer'] for layer in layers], [0, 1, 2])
        self.assertEqual([layer['address'] for layer in layers], ['239.1.2.3', '239.1.2.4', '239.1.2.5'])
        total = 0
        for layer in layers:
            total += layer['rate']
            self.assertEqual(layer['cumulative-rate'], total)
            self.assertIsInstance(layer['rate'], int)

    def test_addresses_carry_into_the_next_octet(self):
        self.assertEqual(plan('--layers', '2', '--address', '239.255.42.255')[1]['address'], '239.255.43.0')

    def test_ipv6_groups_count_too(self):
        self.assertEqual([layer['address'] for layer in plan('--layers', '2', '--address', 'ff15::ffff')],
                         ['ff15::ffff', 'ff15::1:0'])

    def test_the_table_has_a_row_for_each_layer_with_its_packets_per_second(self):
        result = run('plan', '--scheme', 'equal', '--layers', '4', '--base-rate', '1M', '--packet-size', '1250')
        rows = re.findall(r'^ +(\d+) +1\.000 Mbit/s +(\d\.000) Mbit/s +100\.0  (\S+)$', result.stdout, re.MULTILINE)
        self.assertEqual(rows, [(str(i), f'{i + 1}.000', f'239.255.42.{i + 1}') for i in range(4)])

    def test_without_options_it_prints_a_session_that_can_be_sent(self):
        layers = plan()
        self.assertGreaterEqual(len(layers), 2)
        self.assertGreaterEqual(layers[0]['rate'], 128000)


class WholePictures(unittest.TestCase):
    """In groups of 2 s at 25 pictures per second."""

    def levels(self, *options):
        return {row['loss']: row['levels'] for row in session(*options)['whole-picture']}

    def test_a_picture_of_one_packet_is_whole_as_the_binomial_says(self):
        options = ['--layers', '1', '--base-rate', '192k', '--repair', '0.1']
        layer, = session(*options)['repair']['layers']
        k, r = layer['source-packets'], layer['repair-packets']
        # The base has twice the share.
        self.assertEqual((k, r), (33, 7))
        for loss, (whole,) in self.levels(*options).items():
            # It is lost, and more packets of the others than there is repair left.
            more = 1 - sum(math.comb(k + r - 1, i) * loss ** i * (1 - loss) ** (k + r - 1 - i) for i in range(r))
            self.assertAlmostEqual(whole, 1 - loss * more, places=9)

    def test_without_repair_a_picture_is_whole_where_all_of_it_comes(self):
        for loss, levels in self.levels('--layers', '2', '--base-rate', '960k', '--repair', '0').items():
            for i, whole in enumerate(levels):
                self.assertAlmostEqual(whole, (1 - loss) ** (4 * (i + 1)), places=9)

    def test_more_repair_makes_more_pictures_whole_and_bursts_fewer(self):
        some, more = (self.levels('--repair', share) for share in ('0.1', '0.3'))
        bursts = self.levels('--repair', '0.1', '--repair-burst', '4')
        for loss, levels in some.items():
            for i, whole in enumerate(levels):
                self.assertGreater(more[loss][i], whole)
            self.assertLess(bursts[loss][0], levels[0] if loss < 0.1 else 1)

    def test_the_expected_loss_is_shown_too(self):
        self.assertEqual(list(self.levels('--repair-loss', '0.05')), [0.005, 0.01, 0.03, 0.05, 0.1])
        self.assertEqual(list(self.levels('--repair-loss', '0.03')), [0.005, 0.01, 0.03, 0.1])

    def test_the_table_has_a_row_for_each_level(self):
        result = run('plan', '--layers', '3', '--repair-loss', '0.01')
        rows = re.findall(r'^ +(\d) +\d+ +\d+(?: +[\d.]+ %){4}$', result.stdout, re.MULTILINE)
        self.assertEqual(rows, ['0', '1', '2'])


class TheStream(unittest.TestCase):
    def stream(self, *options):
        result = run('plan', '--json', '--stream', CLIP, *options)
        self.assertEqual(result.returncode, OK, result.stderr)
        return json.loads(result.stdout)['stream']

    def test_key_frames_fit_where_the_layers_have_room_for_them(self):
        stream = self.stream('--layers', '3', '--base-rate', '10M')
        self.assertGreater(stream['key-frames'], 1)
        self.assertEqual(stream['key-frames-from-level'], 0)
        # The whole base layer during a group is smaller than the largest key frame.
        seconds = stream['longest-group'] / 1e9
        base = int(stream['largest-key-frame'] * 8 / seconds * 0.9)
        self.assertGreater(self.stream('--layers', '3', '--base-rate', str(base))['key-frames-from-level'], 0)
        self.assertIsNone(self.stream('--layers', '3', '--base-rate', str(base // 16))['key-frames-from-level'])

    def test_the_table_says_it_in_words(self):
        result = run('plan', '--stream', CLIP, '--base-rate', '10M')
        self.assertIn('all of them fit at every level', result.stdout)
        self.assertRegex(result.stdout, r'window=\d+ or more')

    def test_what_is_no_video_fails_with_its_name(self):
        for path in (__file__, '/nowhere'):
            result = run('plan', '--stream', path)
            self.assertEqual(result.returncode, FAILURE)
            self.assertIn(path, result.stderr)


class BadOptions(unittest.TestCase):
    """Each with a word of the cause and one of the remedy."""

    CASES = [
        (['--scheme', 'tripling'], 'tripling', 'doubling'),
        (['--scheme', 'multiplicative', '--factor', '1'], '--factor=1', 'above 1'),
        (['--scheme', 'multiplicative', '--factor', 'nan'], '--factor=nan', 'above 1'),
        (['--scheme', 'multiplicative', '--factor', '1.3x'], '--factor=1.3x', 'such as 1.3'),
        (['--factor', '2'], '--factor', 'omit it'),
        (['--scheme', 'explicit'], 'needs rates', '--rates='),
        (['--scheme', 'doubling', '--rates', '1k,2k'], '--rates', 'omit one'),
        (['--rates', '1k,2k', '--layers', '3'], '--layers=3', 'omit --layers'),
        (['--rates', '1k,2k', '--base-rate', '1k'], '--base-rate', 'omit --base-rate'),
        (['--rates', '1k,,2k'], 'not a rate', '128k'),
        (['--rates', ','.join(['1k'] * 65)], '65 rates', 'at most 64'),
        (['--layers', '0'], '--layers=0', '1 to 64'),
        (['--layers', '65'], '--layers=65', '1 to 64'),
        (['--layers', '-1'], '--layers=-1', '1 to 64'),
        (['--layers', 'many'], 'many', '--help'),
        (['--base-rate', '0'], 'not a rate', '128k'),
        (['--base-rate', '-5k'], 'not a rate', '128k'),
        (['--base-rate', '12q'], '12q', '128k'),
        (['--base-rate', 'inf'], 'inf', '128k'),
        (['--base-rate', ''], 'not a rate', '128k'),
        (['--layers', '64', '--base-rate', '1M'], 'layer', 'fewer layers'),
        (['--packet-size', '20'], '--packet-size=20', 'bytes'),
        (['--packet-size', '65536'], '--packet-size=65536', 'bytes'),
        (['--address', '192.0.2.1'], 'not a multicast', '239.255'),
        (['--address', 'here'], 'here', '239.255'),
        (['--address', '239.255.255.253'], 'scope', 'lower address'),
        (['--algorithm', 'tcp'], '`tcp', 'flid-dl'),
        (['--slot', '1'], '--slot', '--algorithm='),
        (['--signals', '8'], '--signals', '--algorithm='),
        (['--plot', 'x.png'], '--plot', '--algorithm='),
        (['--algorithm', 'elm', '--slot', '1'], 'not to elm', 'omit it'),
        (['--algorithm', 'rlm', '--nominal-rtt', '1'], 'not to rlm', 'omit it'),
        (['--algorithm', 'rlc', '--probabilities', 'heuristic'], 'not to rlc', 'omit it'),
        (['--algorithm', 'flid-sl', '--leave-latency', '1'], 'not to flid-sl', 'omit it'),
        (['--algorithm', 'rlc', '--plot', 'x.png'], 'FLID', '--algorithm='),
        (['--algorithm', 'flid-dl', '--slot', '0'], '--slot=0', 'above 0'),
        (['--algorithm', 'flid-dl', '--slot', '61'], '--slot=61', 'at most 60'),
        (['--algorithm', 'flid-dl', '--slot', '1s'], '--slot=1s', 'such as 0.5'),
        (['--algorithm', 'flid-dl', '--slot', 'nan'], '--slot=nan', 'such as 0.5'),
        (['--algorithm', 'flid-dl', '--slot', '1e-12'], '--slot=1e-12', 'above 0'),
        (['--algorithm', 'flid-dl', '--nominal-rtt', '-1'], '--nominal-rtt=-1', 'above 0'),
        (['--algorithm', 'flid-dl', '--leave-latency', '-1'], '--leave-latency=-1', 'from 0'),
        (['--algorithm', 'flid-dl', '--signals', '0'], '--signals=0', '1 to'),
        (['--algorithm', 'flid-dl', '--probabilities', 'guess'], 'guess', 'heuristic'),
        (['--algorithm', 'flid-dl', '--probabilities', '0.5,0'], '2 numbers for 6', 'one for each'),
        (['--algorithm', 'flid-dl', '--probabilities', '0.5,', '--layers', '2'], '0.5,', 'heuristic'),
        (['--algorithm', 'flid-dl', '--probabilities', '0.5,0.6,0', '--layers', '3'], 'level 1', 'between 0'),
        (['--algorithm', 'flid-dl', '--probabilities', '0.5,0.4', '--layers', '2'], 'top level', '0'),
        (['--algorithm', 'flid-dl', '--leave-latency', '50'], 'groups', 'shorter leave latency'),
        (['--algorithm', 'flid-dl', '--address', '239.255.255.241'], 'scope', 'lower address'),
        (['--algorithm', 'rlc', '--scheme', 'equal'], 'double the rate', 'scheme doubling'),
        (['--algorithm', 'rlc', '--slot', '1', '--nominal-rtt', '0.1'], 'slot and the nominal', 'set only one'),
        (['--algorithm', 'rlc', '--base-rate', '100'], '60 s', 'higher base rate'),
        (['--repair', 'much'], '--repair=much', 'such as 0.1'),
        (['--repair', '-1'], '--repair=-1', 'from 0 to 1'),
        (['--repair-loss', '1'], '--repair-loss=1', 'from 0 to 0.9'),
        (['--repair-burst', '0.5'], '--repair-burst=0.5', 'from 1'),
        (['--colour'], '--colour', '--help'),
        (['surplus'], 'surplus', '--help'),
    ]

    def test_each_fails_with_cause_and_remedy_and_prints_no_plan(self):
        for options, cause, remedy in self.CASES:
            with self.subTest(options=options):
                result = run('plan', *options)
                self.assertEqual(result.returncode, USAGE)
                self.assertIn(cause, result.stderr)
                self.assertIn(remedy, result.stderr)
                self.assertEqual(result.stdout, '')


if __name__ == '__main__':
    unittest.main(verbosity=2)
