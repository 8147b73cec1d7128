# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The kernel's TCP beside a session, with packets as large as the session's."""
import json
import statistics

import session
from session import lib

# IP packets of 1000 bytes, as in Colussi's thesis (2004), for TCP too, because its rate grows with the packet size.
PACKET = 1000
MTU = PACKET - 28

# IP and TCP headers without options, which the maximum segment size excludes; and with timestamps.
TCP_HEADERS, TCP_TIMESTAMPS = 40, 12

IPERF_PORT = 5201


def jain(rates):
    """The fairness index of Jain, Chiu and Hawe (1984): 1 if all rates are equal, 1/n if one has everything."""
    return sum(rates) ** 2 / (len(rates) * sum(rate ** 2 for rate in rates)) if any(rates) else 0.0


class Tcp:
    """Connections from the sender's host to another host, measured there from `skip` seconds on."""

    def __init__(self, sender, host, congestion_control, flows, seconds, skip):
        self.flows = flows
        self.skip = skip
        self.server = lib.Child(['iperf3', '-s', '-1', '-p', str(IPERF_PORT)], prefix=host.prefix)
        lib.wait_until(lambda: f':{IPERF_PORT} ' in host.namespace.run('ss', '-Hltn'), session.PATIENCE)
        self.client = lib.Child(
            ['iperf3', '-c', host.address, '-p', str(IPERF_PORT), '-t', str(seconds), '-P', str(flows), '-C',
             congestion_control, '-M', str(PACKET - TCP_HEADERS), '-J'], prefix=sender.prefix)

    def rates(self):
        """bit/s of each connection, including TCP and IP headers, as lmccsrc counts its own rate; and their mean
        round-trip time in seconds."""
        self.client.ends(15)
        told = json.loads(self.client.text())
        if 'error' in told:
            raise RuntimeError(told['error'])
        headers = PACKET / (PACKET - TCP_HEADERS - TCP_TIMESTAMPS)
        late = [interval for interval in told['intervals'] if interval['sum']['start'] >= self.skip]
        rates = [headers * statistics.mean(interval['streams'][flow]['bits_per_second'] for interval in late)
                 for flow in range(self.flows)]
        return rates, statistics.mean(stream['sender']['mean_rtt'] for stream in told['end']['streams']) / 1e6
