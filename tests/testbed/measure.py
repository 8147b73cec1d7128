# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shared functions of the tests of the network: traffic through it, and measurements of the traffic."""
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
# Not the directory of this file, which has a test of the same name.
sys.path[0] = str(ROOT / 'pipelines' / 'lib')
import network  # noqa: E402
sys.path += [str(Path(__file__).parent), str(Path(network.__file__).parent)]

TRAFFIC = Path(__file__).with_name('traffic.py')
SKIPPED = 77

# tbf counts the Ethernet header.
ETHERNET = 14
SIZE = 1000

# Maximum lateness of a sender in a measurement, in seconds.
HELD_UP = 0.01

# Maximum relative error of a link's rate.
RATE_ERROR = 0.01

# Maximum number of packets of the switch and of the kernels of the hosts in a measurement: queries, reports, neighbour
# discovery; more if it takes longer on a busy machine.
FOREIGN = 30

# Rate in bit/s of the tests with a fast link.
FAST = 20000000


class Receiver:
    """Receives a group at a host until its results are requested."""

    def __init__(self, host, group):
        self.process = subprocess.Popen([*host.prefix, sys.executable, str(TRAFFIC), 'receive', host.address, group],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()

    def result(self):
        return json.loads(self.process.communicate()[0])


def send(host, group, rate, seconds, size=SIZE):
    """Returns the number of packets, and whether other programs delayed the sender for long."""
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
    """Runs the tests of the calling program."""
    # The measuring programs get real-time priority where that is permitted.
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    try:
        network.Network().close()
    except network.Unavailable as reason:
        print(f'SKIP: {reason}')
        return SKIPPED
    return unittest.main()
