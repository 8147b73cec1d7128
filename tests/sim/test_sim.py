#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests the simulator: its networks behave as the scenarios say, and runs repeat to the byte."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SIMULATOR = os.environ.get('LMCC_SIM')


def dumbbell(sessions=(), tcp=(), cbr=(), queue=None, rate=1e6, processing=0, **more):
    """Sources on one side of a bottleneck link, receivers on the other, 60 ms round trip."""
    return {'links': [{'from': 'S', 'to': 'A'},
                      {'from': 'A', 'to': 'B', 'rate': rate, 'queue': queue or {'packets': 20},
                       **more.pop('link', {})},
                      {'from': 'B', 'to': 'R'}, {'from': 'T', 'to': 'A', 'processing': processing},
                      {'from': 'B', 'to': 'U'}],
            'sessions': list(sessions), 'tcp': list(tcp), 'cbr': list(cbr), **more}


def session(algorithm, layers='multiplicative:64000:2:6', node='R', **more):
    return {'source': 'S', 'algorithm': algorithm, 'layers': layers, 'receivers': [{'node': node}], **more}


TCP = {'from': 'T', 'to': 'U'}


def run(scenario, *arguments, check=True):
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / 'scenario.json'
        path.write_text(json.dumps(scenario), encoding='utf-8')
        return subprocess.run([SIMULATOR, '--scenario', str(path), *arguments], capture_output=True, check=check)


def flow(scenario, node, name, *arguments):
    flows = json.loads(run(scenario, *arguments).stdout)['nodes'][node]['flows']
    return next(found for found in flows if found['name'] == name)


class Simulator(unittest.TestCase):
    def test_only_the_same_seed_gives_the_same_bytes(self):
        scenario = dumbbell([session('elm', native=True)], [TCP], link={'loss': 0.01}, duration=40, **{'warm-up': 5})
        first, second, third = (run(scenario, '--seed', seed, '--series', '1').stdout for seed in ('7', '7', '8'))
        self.assertEqual(first, second)
        self.assertNotEqual(first, third.replace(b'"seed" : 8', b'"seed" : 7'))

    def test_tcp_has_the_formulas_rate_at_two_percent_and_60_ms(self):
        scenario = dumbbell(tcp=[TCP], rate=100e6, link={'loss': 0.02}, duration=400, **{'warm-up': 10})
        tcp = flow(scenario, 'U', 'tcp')
        # RFC 5348 section 3.1 with R = 60 ms, s = 1000, b = 1: 977 kbit/s; Colussi 2004, section 6.3: 909 to 927.
        self.assertGreater(tcp['throughput'], 0.85 * 977e3)
        self.assertLess(tcp['throughput'], 1.1 * 977e3)
        self.assertAlmostEqual(tcp['loss'], 0.02, delta=0.003)

    def test_tcp_follows_its_settings(self):
        scenario = dumbbell(tcp=[TCP], rate=100e6, link={'loss': 0.02}, duration=200, **{'warm-up': 10})
        delayed = flow(scenario, 'U', 'tcp', '--tcp', 'delayed-acknowledgements=2,min-rto=1.0')
        reno = flow(scenario, 'U', 'tcp', '--tcp', 'sack=0,classic-recovery=1,delayed-acknowledgements=2,min-rto=1.0')
        # Half as many acknowledgements: RFC 5348 section 3.1 with b = 2 has 0.7 of 977 kbit/s, where b = 1.
        for tcp in (delayed, reno):
            self.assertGreater(tcp['throughput'], 0.5 * 977e3)
            self.assertLess(tcp['throughput'], 0.8 * 977e3)
        self.assertNotEqual(delayed, reno)
        result = run(scenario, '--tcp', 'cubic=1', check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn('classic-recovery', result.stderr.decode())
        result = run(scenario, '--tcp', 'type=vegas', check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn('newreno, cubic or bbr', result.stderr.decode())

    def test_a_link_loses_its_share_alone_and_in_bursts(self):
        for burst in (1, 4):
            scenario = dumbbell(cbr=[{'from': 'T', 'to': 'U', 'rate': 800e3}], rate=10e6,
                                link={'loss': 0.05, 'burst': burst}, duration=300, **{'warm-up': 0})
            # 30,000 packets: three standard deviations are 0.4 %, in bursts of four twice that.
            self.assertAlmostEqual(flow(scenario, 'U', 'cbr')['loss'], 0.05, delta=0.004 * burst ** 0.5)

    def test_a_flow_with_on_and_off_times_sends_while_it_is_on(self):
        scenario = dumbbell(cbr=[{'from': 'T', 'to': 'U', 'rate': 400e3, 'on': 1, 'off': 3}], duration=80,
                            **{'warm-up': 0})
        self.assertAlmostEqual(flow(scenario, 'U', 'cbr')['throughput'], 100e3, delta=4e3)

    def test_each_algorithm_fills_an_empty_link_up_to_the_level_that_fits(self):
        # R_3 = 512 kbit/s fits into 600 kbit/s, R_4 does not; FLID tries it in every other slot.
        for algorithm in ('elm', 'rlc,deaf-period=1.0', 'flid-sl', 'flid-dl', 'synchronized', 'rlm', 'plumb'):
            scenario = dumbbell([session(algorithm, native=algorithm in ('elm', 'plumb'))], rate=600e3, duration=150,
                                **{'warm-up': 60})
            held = flow(scenario, 'R', algorithm.split(',')[0])
            spent = held['time-at-level']
            self.assertGreater(spent[2] + spent[3], sum(spent) / 2, f'{algorithm}: {held}')
            self.assertGreater(held['throughput'], 250e3, f'{algorithm}: {held}')
            self.assertLess(held['throughput'], 600e3 * 1.01, f'{algorithm}: {held}')

    def test_each_receiver_gets_the_rate_of_its_own_link(self):
        scenario = {'duration': 60, 'warm-up': 30,
                    'links': [{'from': 'S', 'to': 'A'}, {'from': 'A', 'to': 'B'},
                              {'from': 'B', 'to': 'R1', 'rate': 150e3, 'queue': {'packets': 10}},
                              {'from': 'B', 'to': 'R2', 'rate': 600e3, 'queue': {'packets': 10}}],
                    'sessions': [{**session('elm', native=True), 'receivers': [{'node': 'R', 'count': 2}]}]}
        slow, fast = (flow(scenario, node, 'elm') for node in ('R1', 'R2'))
        self.assertLess(slow['throughput'], 155e3)
        self.assertGreater(fast['throughput'], 450e3)

    def test_joins_and_leaves_take_their_time(self):
        scenario = dumbbell([session('none', native=True)], rate=10e6, duration=10, **{'warm-up': 0})
        for latency in (0, 2):
            held = flow({**scenario, 'join-latency': latency}, 'R', 'none', '--series', '0.5')
            first = next(i for i, rate in enumerate(held['series']['throughput']) if rate > 0)
            self.assertEqual(first, 2 * latency)

        # The losses of one run depend on the phases of slots and queue.
        losses = [sum(flow({**dumbbell([session('rlc')], rate=rate, duration=100, **{'warm-up': 20}),
                            'leave-latency': latency}, 'R', 'rlc')['loss'] for rate in (250e3, 300e3, 350e3))
                  for latency in (0, 4)]
        self.assertGreater(losses[1], 2 * losses[0])

    def test_fair_queueing_gives_tcp_its_half_beside_a_flood_and_drop_tail_does_not(self):
        flood = {'from': 'S', 'to': 'R', 'rate': 950e3}
        shares = []
        for kind in ('drop-tail', 'fair-queueing'):
            scenario = dumbbell(tcp=[TCP], cbr=[flood], queue={'kind': kind, 'packets': 40}, duration=120)
            shares.append(flow(scenario, 'U', 'tcp')['throughput'] / 1e6)
        self.assertLess(shares[0], 0.25)
        self.assertGreater(shares[1], 0.45)

    def test_hosts_that_take_random_times_do_not_always_find_room_in_a_full_queue(self):
        steady = {'from': 'S', 'to': 'R', 'rate': 125e3}
        ratios = []
        for processing in (0, 0.008):
            scenario = dumbbell(tcp=[TCP, TCP], cbr=[steady], processing=processing, duration=200)
            ratios.append(flow(scenario, 'R', 'cbr')['loss'] / flow(scenario, 'U', 'tcp')['loss'])
        self.assertGreater(ratios[0], 2 * ratios[1])
        self.assertLess(ratios[1], 2)

    def test_lip_falls_with_the_rate_and_lap_does_not(self):
        # Colussi 2004, equation 12: 1 / (N - 1 + 1 / p), of N packets in a round-trip time.
        loss, rtt = 0.05, 0.1
        for packets in (8, 64):
            scenario = {'duration': 120, 'warm-up': 30, 'estimates': 0.1,
                        'links': [{'from': 'S', 'to': 'R', 'delay': rtt / 2, 'loss': loss}],
                        'open-loop': [{'from': 'S', 'to': 'R', 'rate': packets * 8000 / rtt,
                                       'estimators': [{'name': 'lip', 'window': 1000000},
                                                      {'name': 'lap', 'window': 1}]}]}
            held = flow(scenario, 'R', 'open-loop')
            lip, lap = (held['estimates'][name] for name in ('lip', 'lap'))
            self.assertAlmostEqual(lip['round-trip-time'], rtt, delta=0.001)
            self.assertAlmostEqual(held['throughput'], (1 - loss) * packets * 8000 / rtt, delta=packets * 800)
            self.assertAlmostEqual(lip['loss-event-rate'] * (packets - 1 + 1 / loss), 1, delta=0.15)
            self.assertAlmostEqual(lap['loss-event-rate'] / loss, 1, delta=0.15)
            self.assertGreater(lip['calculated-rate'], lap['calculated-rate'])

    def test_red_keeps_the_queue_short(self):
        scenario = dumbbell(tcp=[TCP], queue={'kind': 'red', 'packets': 200, 'min-threshold': 5, 'max-threshold': 15},
                            duration=100)
        deep = dumbbell(tcp=[TCP], queue={'packets': 200}, duration=100)
        # More losses at the same rate mean a shorter round trip.
        self.assertGreater(flow(scenario, 'U', 'tcp')['loss'], 2 * flow(deep, 'U', 'tcp')['loss'])
        self.assertGreater(flow(scenario, 'U', 'tcp')['throughput'], 0.85e6)

    def test_parameters_replace_numbers_and_the_command_line_changes_them(self):
        scenario = dumbbell(cbr=[{'from': 'T', 'to': 'U', 'rate': 'rate'}], parameters={'rate': 100e3, 'loss': 0},
                            link={'loss': 'loss'}, duration=100, **{'warm-up': 0})
        self.assertAlmostEqual(flow(scenario, 'U', 'cbr')['throughput'], 100e3, delta=2e3)
        changed = flow(scenario, 'U', 'cbr', '--set', 'rate=400000,loss=0.05')
        self.assertAlmostEqual(changed['throughput'], 380e3, delta=8e3)
        self.assertAlmostEqual(changed['loss'], 0.05, delta=0.01)

    def test_the_command_line_sets_the_length_of_slots(self):
        # Eight packets of 1000 bytes of the base take 1 s, and a join waits for a number of slots.
        scenario = dumbbell([session('rlc')], rate=10e6, duration=80, **{'warm-up': 0})
        usual, short = (flow(scenario, 'R', 'rlc', *arguments)['convergence-time'] for arguments in (
            (), ('--slot', '0.5')))
        self.assertGreater(usual, 20)
        self.assertAlmostEqual(short / usual, 0.5, delta=0.1)
        self.assertEqual(run(scenario, '--slot', '-1', check=False).returncode, 1)

    def test_several_sessions_and_tcp_connections_start_one_after_the_other(self):
        scenario = {'duration': 20, 'warm-up': 0, 'parameters': {'n': 4},
                    'links': [{'from': 'S', 'to': 'A', 'rate': 2e6, 'queue': {'packets': 20}},
                              {'from': 'A', 'to': 'R', 'count': 'n'}],
                    'sessions': [{**session('none', 'multiplicative:32000:2:2', native=True), 'count': 'n',
                                  'spacing': 2,
                                  'receivers': [{'node': 'R', 'count': 'n', 'choose': 3}]}],
                    'tcp': [{'from': 'S', 'to': 'R', 'nodes': 'n', 'spacing': 5}]}
        nodes = json.loads(run(scenario, '--series', '1').stdout)['nodes']
        begun = {'tcp': [], 'none': []}
        for name in ('R1', 'R2', 'R3', 'R4'):
            flows = nodes[name]['flows']
            self.assertEqual(sum(found['name'] == 'tcp' for found in flows), 1)
            self.assertLessEqual(sum(found['name'] == 'none' for found in flows), 4)
            for found in flows:
                rates = found['series']['throughput']
                begun[found['name']].append(next(i for i, rate in enumerate(rates) if rate > 0))
        self.assertEqual(begun['tcp'], [0, 5, 10, 15])
        self.assertEqual(sorted(begun['none']), [0] * 3 + [2] * 3 + [4] * 3 + [6] * 3)

    def test_the_sender_counts_reports_and_shows_their_cost_only_on_request(self):
        scenario = dumbbell([session('elm', native=True)], duration=30)
        plain = json.loads(run(scenario).stdout)['sessions']['elm']
        self.assertGreater(plain['reports'], 3)
        self.assertNotIn('sender-processor', plain)
        self.assertGreater(json.loads(run(scenario, '--cost').stdout)['sessions']['elm']['sender-processor'], 0)

    def test_phases_have_the_rate_and_the_switches_that_c_removes(self):
        switches = []
        for hysteresis in (1, 0.75):
            one = {**session('pgmcc', 'list:2000000', native=True, greedy=True), 'hysteresis': hysteresis,
                   'receivers': [{'node': 'R'}, {'node': 'U'}]}
            scenario = dumbbell([one], rate=500e3, duration=60, phases=[{'name': 'early', 'from': 0, 'to': 30},
                                                                       {'name': 'late', 'from': 30, 'to': 60}],
                                **{'warm-up': 0})
            report = json.loads(run(scenario).stdout)
            phases = report['sessions']['pgmcc']['phases']
            got = next(found for found in report['nodes']['R']['flows'])
            self.assertGreater(phases['late']['rate'], 450e3)
            self.assertAlmostEqual((got['phases']['early'] + got['phases']['late']) / 2, got['throughput'], delta=1e3)
            self.assertGreater(phases['late']['leader-reports'], phases['late']['reports'] / 2)
            switches.append(phases['early']['switches'] + phases['late']['switches'])
        self.assertGreater(switches[0], 0)
        self.assertEqual(switches[1], 0)

    def test_each_loss_is_listed_on_request(self):
        scenario = dumbbell([session('rlm', 'linear:100000:4')], rate=10e6, link={'loss': 0.02}, duration=60,
                            **{'warm-up': 0})
        found = flow(scenario, 'R', 'rlm', '--losses')
        self.assertNotIn('losses', flow(scenario, 'R', 'rlm'))
        times, packets, lost = zip(*found['losses'])
        self.assertEqual(list(times), sorted(times))
        self.assertEqual(list(packets), sorted(packets))
        self.assertGreater(sum(lost), 10)
        # Packets after the last loss are not in the list.
        self.assertGreaterEqual(sum(lost) / found['loss'], 0.999 * packets[-1])
        self.assertLess(sum(lost) / found['loss'], 1.3 * packets[-1])

    def test_the_circuit_breaker_ends_a_reception_unless_it_is_switched_off(self):
        scenario = dumbbell([session('none', 'list:100000', native=True)], rate=80e3, duration=60, **{'warm-up': 40})
        self.assertEqual(flow(scenario, 'R', 'none')['throughput'], 0)
        self.assertGreater(flow(scenario, 'R', 'none', '--no-circuit-breaker')['throughput'], 70e3)

    def test_a_sender_starts_at_random_within_its_range(self):
        begun = set()
        for seed in ('1', '2', '3'):
            scenario = dumbbell([session('none', native=True, start=[2, 12])], rate=10e6, duration=15, **{'warm-up': 0})
            rates = flow(scenario, 'R', 'none', '--seed', seed, '--series', '1')['series']['throughput']
            begun.add(next(i for i, rate in enumerate(rates) if rate > 0))
        self.assertGreater(len(begun), 1)
        self.assertGreaterEqual(min(begun), 2)

    def test_joins_and_leaves_of_groups_are_counted(self):
        # FLID-DL leaves one in each slot of 0.5 s, and joins as many; FLID-SL has nothing to leave at the top.
        dynamic, static = (flow(dumbbell([session(name, 'multiplicative:24000:1.3:4')], rate=10e6, duration=120,
                                         **{'warm-up': 60}), 'R', name) for name in ('flid-dl', 'flid-sl'))
        self.assertAlmostEqual(dynamic['leaves'], 120, delta=2)
        self.assertAlmostEqual(dynamic['joins'], 120, delta=2)
        self.assertEqual((static['joins'], static['leaves']), (0, 0))

    def test_flids_probabilities_can_be_set(self):
        flid = session('flid-dl', 'multiplicative:24000:1.3:4')
        scenario = dumbbell([flid], rate=10e6, duration=60, **{'warm-up': 20})
        told = dumbbell([{**flid, 'probabilities': '0,0,0,0'}], rate=10e6, duration=60, **{'warm-up': 20})
        for held in (flow(scenario, 'R', 'flid-dl', '--probabilities', '0,0,0,0'), flow(told, 'R', 'flid-dl')):
            self.assertAlmostEqual(held['throughput'], 24e3, delta=2e3)
        self.assertGreater(flow(scenario, 'R', 'flid-dl')['throughput'], 50e3)
        result = run(scenario, '--probabilities', '0.5,0', check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn('4', result.stderr.decode())

    def test_one_host_can_have_several_receivers(self):
        many = {**session('tfmcc', 'list:300000', native=True, greedy=True), 'receivers': [{'node': 'R', 'each': 5}]}
        scenario = dumbbell([many], rate=200e3, duration=40, phases=[{'name': 'all', 'from': 0, 'to': 40}])
        report = json.loads(run(scenario).stdout)
        rates = [found['throughput'] for found in report['nodes']['R']['flows']]
        self.assertEqual(len(rates), 5)
        self.assertGreater(min(rates), 150e3)
        self.assertLess(max(rates), 200e3 * 1.01)
        self.assertGreater(report['sessions']['tfmcc']['phases']['all']['rounds'], 3)

    def test_tcp_that_halves_its_window_gets_more_with_random_loss(self):
        scenario = dumbbell(tcp=[TCP], rate=2e6, link={'delay': 0.2, 'loss': 0.02}, duration=200)
        told = ('--tcp', 'halving=1,min-rto=1')
        plain, halving = (flow(scenario, 'U', 'tcp', *arguments)['throughput'] for arguments in ((), told))
        self.assertGreater(halving, 1.1 * plain)

    def test_each_tcp_has_the_type_of_the_scenario_or_the_command_line(self):
        # At 1 % of random loss and 60 ms NewReno has 1.6 Mbit/s by the formula of RFC 5348, section 3.1; BBR, which
        # follows the delivery rate, has the rest of the link.
        both = dumbbell(tcp=[{**TCP, 'name': 'one'}, {**TCP, 'name': 'two', 'type': 'bbr'}], rate=10e6,
                        queue={'packets': 100}, link={'loss': 0.01}, duration=60, **{'warm-up': 20})
        one, two = (flow(both, 'U', name)['throughput'] for name in ('one', 'two'))
        self.assertLess(one, 2e6)
        self.assertGreater(two, 7e6)
        one, two = (flow(both, 'U', name, '--tcp', 'type=newreno')['throughput'] for name in ('one', 'two'))
        self.assertLess(max(one, two), 2e6)
        self.assertGreater(min(one, two), 1e6)

    def test_cubic_gets_more_than_newreno_on_a_long_path(self):
        # RFC 9438, section 5.1, at 250 ms: 373 segments, where Reno has 122.
        long = dumbbell(tcp=[TCP], rate=20e6, queue={'packets': 100}, link={'delay': 0.105, 'loss': 1e-4},
                        duration=150, **{'warm-up': 40})
        newreno, cubic, small = (flow(long, 'U', 'tcp', '--tcp', told)['throughput'] for told in (
            'window=2000', 'type=cubic,window=2000', 'type=cubic,window=100'))
        self.assertGreater(cubic, 1.5 * newreno)
        # 100 packets per round trip are 3.2 Mbit/s.
        self.assertLess(small, 1.1 * 3.2e6)

    def test_an_invalid_scenario_is_refused_with_the_reason(self):
        wrong = [({**dumbbell(), 'lnks': []}, 'there is no "lnks"'),
                 (dumbbell([session('elm', layers='3')]), 'layers are'),
                 (dumbbell(rate='speed'), 'there is no parameter "speed"'),
                 (dumbbell([session('rlc', layers='linear:64000:4')]), 'doubl'),
                 (dumbbell([session('elm,strategy=hasty')]), 'hasty'),
                 (dumbbell([session('flid-dl,step=2')]), 'flid-dl has no settings'),
                 (dumbbell(phases=[{'name': 'none', 'from': 5, 'to': 5}]), 'ends before it begins'),
                 (dumbbell(tcp=[{**TCP, 'type': 'vegas'}]), 'newreno, cubic or bbr'),
                 (dumbbell([session('elm', node='X')]), 'no link leads to a node "X"')]
        for scenario, reason in wrong:
            result = run(scenario, '--duration', '5', check=False)
            self.assertEqual(result.returncode, 1, reason)
            self.assertIn(reason, result.stderr.decode())


if __name__ == '__main__':
    if not SIMULATOR:
        print('skipped: the simulator requires ns-3 (Debian: libns3-dev) and json-glib')
        sys.exit(77)
    unittest.main(verbosity=2)
