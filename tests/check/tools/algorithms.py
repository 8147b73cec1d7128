# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests that gst-lmcc-1.0 algorithms lists the library's algorithms."""
import json
import unittest

from tool import OK, USAGE, run


class Algorithms(unittest.TestCase):
    def test_each_algorithm_is_listed(self):
        result = run('algorithms')
        self.assertEqual(result.returncode, OK)
        names = [line.split(':')[0] for line in result.stdout.splitlines()]
        self.assertEqual(names, [entry['name'] for entry in json.loads(run('algorithms', '--json').stdout)])
        self.assertIn('elm', names)
        self.assertIn('none', names)

    def test_one_algorithm_s_settings_have_range_default_and_source(self):
        result = run('algorithms', 'elm')
        self.assertEqual(result.returncode, OK)
        self.assertIn('strategy (naive|skeptical|lazy; default lazy)', result.stdout)
        self.assertIn('join-time (0 to 3600 s; default 25 s)', result.stdout)
        self.assertIn('restart (true|false; default true)', result.stdout)
        (elm,) = json.loads(run('algorithms', 'elm', '--json').stdout)
        for setting in elm['settings']:
            self.assertIn(setting['name'], result.stdout)
            self.assertTrue(setting['description'])

    def test_what_the_sender_can_set_is_listed_apart(self):
        result = run('algorithms', 'flid-dl')
        receiver, sender = result.stdout.partition('\nlmccsink:\n')[::2]
        self.assertNotIn('leave-latency', receiver)
        self.assertIn('leave-latency (0.001 to 60 s; default 4 s)', sender)
        self.assertIn('probabilities (heuristic|hill-climb|hill-climb-log; default heuristic)', sender)
        (flid,) = json.loads(run('algorithms', 'flid-dl', '--json').stdout)
        self.assertEqual([setting['name'] for setting in flid['sender-settings']],
                         ['slot', 'nominal-rtt', 'probabilities', 'leave-latency'])
        (elm,) = json.loads(run('algorithms', 'elm', '--json').stdout)
        self.assertEqual(elm['sender-settings'], [])

    def test_one_algorithm_s_paper_is_named(self):
        self.assertIn('McCanne, Jacobson, Vetterli', run('algorithms', 'rlm').stdout.splitlines()[1])
        for entry in json.loads(run('algorithms', '--json').stdout):
            self.assertEqual('paper' in entry, entry['name'] not in ('none', 'plumb'))

    def test_an_algorithm_that_does_not_exist_is_refused_with_those_that_do(self):
        result = run('algorithms', 'rlmm')
        self.assertEqual(result.returncode, USAGE)
        self.assertIn('elm', result.stderr)
        self.assertEqual(run('algorithms', 'elm', 'none').returncode, USAGE)


if __name__ == '__main__':
    unittest.main()
