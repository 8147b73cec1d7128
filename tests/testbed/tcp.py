# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The kernel's TCP beside a session, in packets as large as the session's."""
import json
import statistics

import session
from session import lib

# Whole IP packets of 1000 bytes, as in Colussi's thesis (2004), for TCP too: its rate grows with their size.
PACKET = 1000
MTU = PACKET - 28

# IP and TCP without options, which a maximum segment size leaves out; and with timestamps.
TCP_HEADERS, TCP_TIMESTAMPS = 40, 12

IPERF_PORT = 5201


def jain(rates):
    """The fairness index of Jain, Chiu and Hawe (1984): 1 where all have the same, 1/n where one has all."""
    return sum(rates) ** 2 / (len(rates) * sum(rate ** 2 for rate in rates)) if any(rates) else 0.0


class Tcp:
    """Connections from the sender's host to another, measured there from `skip` seconds on."""

    def __init__(self, sender, host, congestion_control, flows, seconds, skip):
        self.flows = flows
        self.skip = skip
        self.server = lib.Child(['iperf3', '-s', '-1', '-p', str(IPERF_PORT)], prefix=host.prefix)
        lib.wait_until(lambda: f':{IPERF_PORT} ' in host.namespace.run('ss', '-Hltn'), session.PATIENCE)
        self.client = lib.Child(
            ['iperf3', '-c', host.address, '-p', str(IPERF_PORT), '-t', str(seconds), '-P', str(flows), '-C',
             congestion_control, '-M', str(PACKET - TCP_HEADERS), '-J'], prefix=sender.prefix)

    def rates(self):
        """bit/s of each connection, with TCP's and IP's headers, as lmccsrc counts its own; and the mean of their
        round-trip times, in seconds."""
        self.client.ends(15)
        told = json.loads(self.client.text())
        if 'error' in told:
            raise RuntimeError(told['error'])
        headers = PACKET / (PACKET - TCP_HEADERS - TCP_TIMESTAMPS)
        late = [interval for interval in told['intervals'] if interval['sum']['start'] >= self.skip]
        rates = [headers * statistics.mean(interval['streams'][flow]['bits_per_second'] for interval in late)
                 for flow in range(self.flows)]
        return rates, statistics.mean(stream['sender']['mean_rtt'] for stream in told['end']['streams']) / 1e6
