# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""gst-lmcc-1.0 plan against the numbers of FLID-DL (Byers et al., section IV-A), and its errors."""
import json
import re
import unittest

from tool import OK, USAGE, run

# The paper's base of 2.5 packets/s of 1 KB.
BASE = 20000
PACKET = 1000


def plan(*options):
    result = run('plan', '--json', *options)
    assert result.returncode == OK, result.stderr
    return json.loads(result.stdout)['layers']


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
        # R_0 = 24 Kb/s, c = 1.3; 1 Mb is 1024 Kb there, and level 7 is 151 Kb/s, not 150 as printed.
        kbit = [24.0, 31.2, 40.6, 52.7, 68.5, 89.1, 116, 151, 196, 255, 331, 430, 559, 727, 945]
        mbit = [1.20, 1.56, 2.03, 2.64, 3.43, 4.45, 5.79, 7.53, 9.79, 12.7, 16.5, 21.5, 27.9, 36.3, 47.2]
        layers = plan('--scheme', 'multiplicative', '--factor', '1.3', '--layers', '30', '--base-rate', '24k')
        wanted = kbit + [1024 * rate for rate in mbit]
        for layer, rate in zip(layers, wanted, strict=True):
            # Three digits are printed.
            self.assertAlmostEqual(layer['cumulative-rate'] / 1000 / rate, 1, delta=0.005)

    def test_heavy_tail_has_the_paper_s_20_rates(self):
        # 24.4 where the paper prints 24.8: C / (6 * 7) of C = 1024 Kb/s.
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


class TheOutput(unittest.TestCase):
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


class BadOptions(unittest.TestCase):
    """Each with a word of the cause and one of the remedy."""

    CASES = [
        (['--scheme', 'tripling'], 'tripling', 'doubling'),
        (['--scheme', 'multiplicative', '--factor', '1'], '--factor=1', 'above 1'),
        (['--scheme', 'multiplicative', '--factor', 'nan'], '--factor=nan', 'above 1'),
        (['--scheme', 'multiplicative', '--factor', '1.3x'], '--factor=1.3x', 'such as 1.3'),
        (['--factor', '2'], '--factor', 'leave it out'),
        (['--scheme', 'explicit'], 'no rates', '--rates='),
        (['--scheme', 'doubling', '--rates', '1k,2k'], '--rates', 'leave one'),
        (['--rates', '1k,2k', '--layers', '3'], '--layers=3', 'leave --layers out'),
        (['--rates', '1k,2k', '--base-rate', '1k'], '--base-rate', 'leave --base-rate out'),
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
        (['--address', '192.0.2.1'], 'not multicast', '239.255'),
        (['--address', 'here'], 'here', '239.255'),
        (['--address', '239.255.255.253'], 'scope', 'lower address'),
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
    unittest.main()
