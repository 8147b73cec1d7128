#!/usr/bin/env python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests sessions while a host changes: addresses, links, a process that stops for a while, a full disk and exhausted
descriptors. Each scenario has its own network and runs at the same time as the others; its duration is printed.

Usage: host-changes.py [SCENARIO...]
"""

import concurrent.futures
import os
import resource
import signal
import sys
import time

import lib

PORT = 15300

# Seconds until the session must continue: after a change, and after a change of the sender's address.
SOON = 5
SENDER_MOVED = 15

# Seconds for which a process is stopped.
STOP = 60 if os.environ.get('LMCC_TEST_LONG') else 10

RATE = 25


class Session:
    """A sender and a receiver on a switch."""

    def __init__(self, name, group='239.255.53.1', sender='', receiver='', hosts=None, encoder=None):
        self.name = name
        self.network = lib.make_network()
        self.hosts = hosts or [self.network.add_host() for _ in range(2)]
        self.sender = self.launch(0, f'{lib.source()} ! {encoder or lib.one_class()} ! lmccsink address={group} '
                                  f'port={PORT} multicast-iface=eth0 {sender}')
        self.receiver = self.launch(1, f'lmccsrc address={group} port={PORT} multicast-iface=eth0 {receiver} '
                                    f'! rtph264depay ! avdec_h264 ! {lib.SHOW}')

    def launch(self, host, line):
        return lib.launch(line, '-m', prefix=self.hosts[host].prefix)

    def check(self, good, statement, *details):
        return lib.check(good, f'{self.name}: {statement}', *details)

    def plays(self):
        return self.check(lib.wait_for_pictures(self.receiver, 10, 15), 'pictures are shown before the change',
                          *self.receiver.tail(), *self.sender.tail())

    def goes_on(self, since, within, what):
        """Checks that pictures are shown again, nearly all of them for two seconds, and not only those that were in
        transit."""
        def first():
            shown = [when for when, _ in lib.pictures(self.receiver, since)]
            return next((when for at, when in enumerate(shown)
                         if len(shown) >= at + 1.8 * RATE and shown[int(at + 1.8 * RATE) - 1] < when + 2.2), None)

        lib.wait_until(first, within + 3)
        took = (first() or float('inf')) - since
        self.check(took < within, f'{what}: pictures continue after {took:.1f} s (limit {within} s)',
                   *self.receiver.tail(), *self.sender.tail())

    def says(self, child, pattern, since, within, what):
        told = child.wait_for(pattern, within, 1, since)
        took = told[0][0] - since if told else float('inf')
        return self.check(told, f'{what} reports it after {took:.1f} s: {pattern}', *child.tail(25))

    def ends(self):
        for name, child in (('receiver', self.receiver), ('sender', self.sender)):
            self.check(child.stop(), f'the {name} stops', *child.tail())
        self.network.close()


def reports_come(sniffer, source, destination, more_than, within):
    return lib.wait_until(lambda: lib.count_packets(sniffer, source, {destination}) > more_than, within)


def receivers_address():
    session = Session('receiver\'s address')
    session.plays()
    sniffer = lib.sniff(session.hosts[0].prefix)
    session.check(reports_come(sniffer, '10.77.0.2', '10.77.0.1', 0, 12), 'reports arrive before the change')
    since = time.monotonic()
    session.hosts[1].namespace.ip('addr del 10.77.0.2/24 dev eth0', 'addr add 10.77.0.22/24 dev eth0')
    session.says(session.receiver, r'lmcc-address-changed.*10\.77\.0\.2\b.*10\.77\.0\.22', since, SOON, 'the receiver')
    session.goes_on(since + 0.5, SOON, 'receiver moved')
    session.check(reports_come(sniffer, '10.77.0.22', '10.77.0.1', 0, 12), 'reports arrive from the new address',
                  *session.receiver.tail(30), *sniffer.tail(2))
    session.ends()


def senders_address():
    session = Session('sender\'s address')
    session.plays()
    sniffer = lib.sniff(session.hosts[0].prefix)
    since = time.monotonic()
    session.hosts[0].namespace.ip('addr del 10.77.0.1/24 dev eth0', 'addr add 10.77.0.11/24 dev eth0')
    session.says(session.sender, r'lmcc-address-changed.*10\.77\.0\.1\b.*10\.77\.0\.11', since, SOON, 'the sender')
    session.says(session.sender, r'changed from 10\.77\.0\.1 to 10\.77\.0\.11', since, SOON, 'the sender')
    session.goes_on(since + 0.5, SENDER_MOVED, 'sender moved')
    session.check(reports_come(sniffer, '10.77.0.2', '10.77.0.11', 0, 15), 'reports arrive at the new address',
                  *session.sender.tail(30), *sniffer.tail(2))
    session.ends()


def cable():
    """Unplugs the receiver's cable, then the sender's."""
    session = Session('cable')
    session.plays()
    for host, child, name in ((1, session.receiver, 'receiver'), (0, session.sender, 'sender')):
        since = time.monotonic()
        session.hosts[host].set_connected(False)
        session.says(child, r'eth0 has no link.*cable', since, 3, f'the {name}')
        since = time.monotonic()
        session.hosts[host].set_connected(True)
        session.goes_on(since, SOON, f'{name}\'s cable in again')
        session.says(child, r'again after', since, SOON, f'the {name}')
    session.ends()


def interface():
    """Takes the interface down and up, and configures it again as an administrator does."""
    session = Session('interface')
    session.plays()
    for host, child, name in ((1, session.receiver, 'receiver'), (0, session.sender, 'sender')):
        since = time.monotonic()
        session.hosts[host].namespace.ip('link set eth0 down')
        session.says(child, r'eth0 is down.*ip link set eth0 up', since, 3, f'the {name}')
        since = time.monotonic()
        session.hosts[host].namespace.ip('link set eth0 up', 'route add 224.0.0.0/4 dev eth0')
        session.goes_on(since, SOON, f'{name}\'s interface up again')
    session.ends()


def firewall():
    """A sender whose packets are refused fails after the configured time."""
    session = Session('no route out', sender='send-timeout=4000')
    session.plays()
    since = time.monotonic()
    session.hosts[0].namespace.ip('addr flush dev eth0 scope global')
    session.says(session.sender, r'Cannot send packets.*has no IPv4 address.*send-timeout', since, 3, 'the sender')
    session.check(session.sender.ends(8) and session.sender.find('ERROR.*core|send-timeout'),
                  f'the sender fails after {time.monotonic() - since:.1f} s (limit 4 s)', *session.sender.tail())
    session.receiver.stop()
    session.network.close()


def stopped(which):
    session = Session(f'{which} stopped')
    session.plays()
    child = getattr(session, which)
    child.process.send_signal(signal.SIGSTOP)
    time.sleep(STOP)
    since = time.monotonic()
    child.process.send_signal(signal.SIGCONT)
    session.goes_on(since, SOON, f'{which} stood still for {STOP} s')
    lib.wait_until(lambda: time.monotonic() > since + SOON + 2, SOON + 3)
    shown = [when for when, _ in lib.pictures(session.receiver, since)]
    burst = max((sum(1 for other in shown if 0 <= other - when < 1) for when in shown), default=0)
    session.check(burst <= 2 * RATE, f'at most {burst} pictures are shown in a second, at {RATE} pictures/s')
    late = [when for when in shown if since + SOON < when < since + SOON + 2]
    session.check(len(late) >= 1.5 * RATE, f'{len(late) / 2:.1f} pictures/s are shown after {SOON} s',
                  *session.receiver.tail(), *session.sender.tail())
    session.ends()


def sender_stopped():
    stopped('sender')


def receiver_stopped():
    stopped('receiver')


def tentative():
    """A sender starts during the duplicate address detection of its address, which takes 2 to 3 s."""
    network = lib.make_network()
    hosts = [network.add_host() for _ in range(2)]
    space = hosts[0].namespace
    space.ip('link set eth0 down', 'addr flush dev eth0')
    space.write('/proc/sys/net/ipv6/conf/eth0/accept_dad', 1)
    space.write('/proc/sys/net/ipv6/conf/eth0/dad_transmits', 2)
    space.ip('link set eth0 up', 'addr add fd77::1/64 dev eth0')
    sniffer = lib.sniff(space.prefix)
    since = time.monotonic()
    session = Session('tentative IPv6', group='ff15::53:1', hosts=hosts)
    told = session.sender.wait_for(r'reports are received on port [1-9]', SOON, 1, since)
    # On a busy machine the sender may start after the end of the detection.
    lib.note(f'the sender has its address after {told[0][0] - since:.1f} s' if told else
             'the sender had its address from the start')
    session.plays()
    session.check(lib.wait_until(lambda: any(lib.count_packets(sniffer, 'fd77::2', {to})
                                             for to in ('fd77::1',)) or
                                 sniffer.find(r'fe80::\S*>fe80::'), 12),
                  'reports arrive', *session.sender.tail(), *sniffer.tail(1))
    session.ends()
    network.close()


def full_disk():
    """A file system of one page is full, and then has room again."""
    directory = lib.directory()
    fifo, place = f'{directory}/fifo', f'{directory}/disk'
    os.mkfifo(fifo)
    os.mkdir(place)
    session = Session('full disk')
    session.sender.stop()
    script = (f'mount -t tmpfs -o size=8k tmpfs {place} && cat /dev/zero >{place}/fill 2>/dev/null; '
              f'(read line <{fifo}; rm {place}/fill) & exec "$@"')
    line = (f'{lib.source()} ! {lib.one_class()} ! lmccsink address=239.255.53.1 port={PORT} multicast-iface=eth0 '
            f'sdp-location={place}/session.sdp')
    since = time.monotonic()
    session.sender = lib.launch(line, '-m', prefix=(*session.hosts[0].prefix, 'unshare', '-m', 'sh', '-c', script,
                                                    'sh'))
    session.says(session.sender, r'Cannot write the session description.*Set sdp-location', since, SOON + 5,
                 'the sender')
    session.plays()
    since = time.monotonic()
    with open(fifo, 'w', encoding='ascii') as file:
        file.write('now\n')
    written = f'/proc/{session.sender.pid}/root{place}/session.sdp'
    session.check(lib.wait_until(lambda: os.path.exists(written) and os.path.getsize(written) > 0, SOON),
                  f'the file is written {time.monotonic() - since:.1f} s after there is room')
    session.ends()


def descriptors():
    """A receiver has no descriptors for another group or for reports."""
    # With frequent key frames the receiver need not request one, and so does not open the socket for it early.
    session = Session('no descriptors', receiver='max-level=-1', encoder=lib.one_class(600, 1))
    session.check(session.receiver.wait_for(r'lmcc-level-changed|joined|PLAYING', 10), 'the receiver plays')
    pid = session.receiver.pid
    limits = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    since = time.monotonic()
    session.plays()
    # Not fewer: poll() accepts no more descriptors than the limit.
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (len(os.listdir(f'/proc/{pid}/fd')), limits[1]))
    # A new address requires a new socket for reports; another change would be too late.
    session.hosts[1].namespace.ip('addr del 10.77.0.2/24 dev eth0', 'addr add 10.77.0.22/24 dev eth0')
    session.says(session.receiver, r'Cannot send reports to the sender.*ulimit -n', since, 15, 'the receiver')
    since = time.monotonic()
    resource.prlimit(pid, resource.RLIMIT_NOFILE, limits)
    sniffer = lib.sniff(session.hosts[0].prefix)
    session.check(reports_come(sniffer, '10.77.0.22', '10.77.0.1', 0, 12),
                  f'reports arrive {time.monotonic() - since:.1f} s after there are descriptors')
    session.goes_on(since, SOON, 'with descriptors again')
    session.ends()


SCENARIOS = {
    'receivers-address': receivers_address,
    'senders-address': senders_address,
    'cable': cable,
    'interface': interface,
    'no-address': firewall,
    'sender-stopped': sender_stopped,
    'receiver-stopped': receiver_stopped,
    'tentative': tentative,
    'full-disk': full_disk,
    'descriptors': descriptors,
}


def run(name):
    began = time.monotonic()
    try:
        SCENARIOS[name]()
    # Reports each scenario, regardless of failures of others.
    except Exception as failure:  # pylint: disable=broad-except
        lib.check(False, f'{name}: {failure!r}')
    lib.note(f'{name} took {time.monotonic() - began:.1f} s')


def main():
    names = sys.argv[1:] or list(SCENARIOS)
    if not set(names) <= set(SCENARIOS):
        sys.exit(__doc__)
    lib.start('rtph264depay', tools=('ip', 'unshare', 'nsenter'), deadline=150 + 3 * STOP)
    # Skips in this thread if networks cannot be created.
    lib.make_network().close()
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(run, names))
    lib.finish()


main()
