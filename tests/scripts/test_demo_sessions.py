#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests the demonstration with two algorithms side by side, without processes and networks."""
import argparse
import ipaddress
import json
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / 'pipelines' / 'lib'))
from demo import __main__ as program, actions, analysis, figures, live, report, run as runs  # noqa: E402
from demo import session, table  # noqa: E402

RATES = [100000, 200000, 400000, 800000]


class Choice(unittest.TestCase):
    def test_one_or_two_different_algorithms_are_taken(self):
        self.assertEqual(program.parse_algorithms('elm'), ['elm'])
        self.assertEqual(program.parse_algorithms('elm,rlc'), ['elm', 'rlc'])
        for text in ('', 'elm,', 'elm,elm', 'elm,rlc,rlm', 'none', 'elm rlc', 'ELM'):
            with self.assertRaises(argparse.ArgumentTypeError, msg=text):
                program.parse_algorithms(text)

    def test_what_takes_any_layers_gets_its_neighbours(self):
        for one in session.ALGORITHMS:
            self.assertEqual(session.settings_for([one]), [session.SETTINGS[one]])
            for other in session.ALGORITHMS:
                first, second = session.settings_for([one, other])
                if session.NATIVE in (session.SETTINGS[one], session.SETTINGS[other]):
                    self.assertEqual(first, second, (one, other))
                else:
                    self.assertEqual((first, second), (session.SETTINGS[one], session.SETTINGS[other]))

    def test_sessions_share_no_group_and_no_port(self):
        for address in ('239.255.42.1', '239.255.42.200', 'ff15::1'):
            one, other = (session.Session(index, address, 5004, 'lo') for index in range(2))
            # RTP on this port, reports on the next.
            self.assertFalse({one.port, one.port + 1} & {other.port, other.port + 1})
            for mine, another in ((one, other), (other, one)):
                for group in range(session.MOST_GROUPS):
                    self.assertEqual(mine.number_of(mine.first + group), group)
                    self.assertIsNone(another.number_of(mine.first + group))
            self.assertIsNone(one.number_of('239.255.41.255'))
            self.assertTrue(other.uri.startswith('lmcc://[ff15::81]:5006?' if ':' in address else 'lmcc://239.255.4'))


    def test_all_groups_and_ports_of_both_are_there(self):
        for address, port, n in (('239.255.255.30', 5004, 1), ('239.255.42.1', 65532, 2), ('ff15::1', 2, 2)):
            last, highest = session.last_address(ipaddress.ip_address(address), port, n)
            self.assertTrue(last.is_multicast and highest < 65536, (address, port, n))
        for options in (['--address', 'film'], ['--address', '10.0.0.1'], ['--address', '239.255.255.200'],
                        ['--address', '239.255.255.100', '--algorithm', 'elm,rlc'], ['--address', '255.255.255.255'],
                        ['--port', '5005'], ['--port', '0'], ['--port', '65536'],
                        ['--port', '65534', '--algorithm', 'elm,rlc']):
            with mock.patch('sys.argv', ['demo', *options]), mock.patch('sys.stderr'), \
                    self.assertRaises(SystemExit, msg=options):
                program.parse_arguments()


class TwoSessions(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.out = Path(directory.name)
        arguments = argparse.Namespace(algorithm=['elm', 'rlc'], level=None, seconds=20.0, address='239.255.42.1',
                                       port=5004)
        self.run_ = runs.Run(arguments, self.out, None)
        self.run_.screen = mock.Mock()
        for link in range(3):
            for each in self.run_.sessions:
                self.run_.add_receiver(link, each).child = mock.NonCallableMock()
        for each in self.run_.sessions:
            each.note_stats({'levels': [{'bitrate': rate, 'layers': [0, level]} for level, rate in enumerate(RATES)]})
        self.run_.choose_links()

    def test_links_of_one_number_carry_the_same_for_both(self):
        names = [reception.name for reception in self.run_.receptions]
        self.assertEqual(names, [f'receiver {link} {name}' for link in (1, 2, 3) for name in ('elm', 'rlc')])
        capacities = [reception.capacity for reception in self.run_.receptions]
        self.assertEqual(capacities[::2], capacities[1::2])
        self.assertEqual(len(set(capacities)), 3)
        films = {self.run_.film_of(reception) for reception in self.run_.receptions}
        self.assertEqual(len(films | {self.run_.sdp_of(each) for each in self.run_.sessions}), 8)

    def test_nothing_can_be_done_before_all_is_there(self):
        for name, arguments in (('tcp', {'receiver': 0, 'on': True}), ('link', {'receiver': 0, 'share': 'half'}),
                                ('receiver', {'receiver': 0, 'on': False}), ('add-receiver', {}),
                                ('algorithm', {'session': 0, 'name': 'rlm'})):
            with self.assertRaisesRegex(actions.Refused, 'please wait', msg=name):
                actions.act(self.run_, name, arguments)

    def test_a_change_of_level_is_told_at_once_and_kept(self):
        page = mock.Mock()
        live.Live(self.run_, lambda do: page)
        self.run_.on_tick()
        page.reset_mock()
        self.run_.on_tick()
        page.publish_state.assert_not_called()
        changed = self.run_.receptions[3]
        self.run_.handle(changed.child, {'event': 'level', 'now': 5, 'unix': 1700000000.25, 'message': {
            'running-time-ns': 4, 'from': 1, 'to': 0, 'reason': 'loss'}})
        self.run_.on_tick()
        state = page.publish_state.call_args.args[0]
        self.assertEqual([each['algorithm'] for each in state['sessions']], ['elm', 'rlc'])
        self.assertEqual([(each['session'], each['link'], each['level']) for each in state['receivers']],
                         [(0, 0, -1), (1, 0, -1), (0, 1, -1), (1, 1, 0), (0, 2, -1), (1, 2, -1)])
        last = json.loads((self.out / 'events.jsonl').read_text().splitlines()[-1])
        self.assertEqual(last, {'unix': 1700000000.25, 'receiver': 'receiver 2 rlc', 'event': 'level', 'from': 1,
                                'to': 0, 'reason': 'loss'})

    def test_each_row_names_its_algorithm(self):
        for reception in self.run_.receptions:
            reception.samples = [analysis.Sample(i * analysis.SECOND, 1, 100000, received=9 * i) for i in range(20)]
        rows = table.lines([table.row(reception) for reception in self.run_.receptions], 200)
        self.assertEqual([row.split()[2] for row in rows[1:]], ['elm', 'rlc'] * 3)
        self.assertEqual(len({row.index(' -1/3') for row in rows[1:]}), 1)
        summary = {'receivers': [figures.summarize(reception, [], RATES) for reception in self.run_.receptions]}
        self.assertEqual([each['algorithm'] for each in summary['receivers']], ['elm', 'rlc'] * 3)
        text = report.as_text(summary).splitlines()
        self.assertEqual(text[1].split(), ['algorithm', *['elm', 'rlc'] * 3])
        self.assertEqual(len({len(line) for line in text[:3]}), 1)

    def test_another_algorithm_renames_its_receivers(self):
        self.run_.set_algorithms(['elm', 'rlm'])
        names = [reception.name for reception in self.run_.receptions]
        self.assertEqual(names[:2], ['receiver 1 elm', 'receiver 1 rlm'])
        self.assertEqual([each.settings for each in self.run_.sessions], [session.NATIVE] * 2)


if __name__ == '__main__':
    unittest.main()
