# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What tests of the network share: traffic through it, and what came of that."""
import contextlib
import json
import os
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
# Not this file's own directory, where a test has the same name.
sys.path[0] = str(ROOT / 'pipelines' / 'lib')
import network  # noqa: E402
sys.path += [str(Path(__file__).parent), str(Path(network.__file__).parent)]

TRAFFIC = Path(__file__).with_name('traffic.py')
SKIPPED = 77

# tbf counts the Ethernet header.
ETHERNET = 14
SIZE = 1000

# Seconds that a sender may be late in a measurement.
HELD_UP = 0.01

# What a link may be wrong by in its rate, a share.
RATE_ERROR = 0.01

# Packets of the switch and of the hosts' kernels in one measurement: queries, reports, neighbours; more where it takes
# longer on a busy machine.
FOREIGN = 30

# The rate at which that is tested.
FAST = 20000000


class Receiver:
    """Takes a group at a host until it is asked for what came."""

    def __init__(self, host, group):
        self.process = subprocess.Popen([*host.prefix, sys.executable, str(TRAFFIC), 'receive', host.address, group],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()

    def result(self):
        return json.loads(self.process.communicate()[0])


def send(host, group, rate, seconds, size=SIZE):
    """Returns the number of packets, and whether the sender was held up by other programs for long."""
    told = host.namespace.run(sys.executable, str(TRAFFIC), 'send', host.address, group, str(rate), str(size),
                              str(seconds))
    told = json.loads(told)
    return told['packets'], told['late'] > HELD_UP


class WithNetwork(unittest.TestCase):
    def setUp(self):
        self.network = network.Network()
        self.addCleanup(lambda: self.network.close())  # pylint: disable=unnecessary-lambda

    def wait_for_group(self, host, group):
        end = time.monotonic() + 2
        while group not in host.groups():
            self.assertLess(time.monotonic(), end, f'the switch does not send {group}')

    def check_rate(self, came, expected=FAST, size=SIZE):
        rate = (came['packets'] - 1) * (size + ETHERNET) * 8 / came['span']
        print(f'rate: {rate / 1e6:.3f} Mbit/s')
        self.assertAlmostEqual(rate / expected, 1, delta=RATE_ERROR)


def main():
    """Runs the tests of the program that calls it."""
    # What measures is not measured itself; where that is allowed, all programs here come before others.
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    try:
        network.Network().close()
    except network.Unavailable as reason:
        print(f'SKIP: {reason}')
        return SKIPPED
    return unittest.main()
