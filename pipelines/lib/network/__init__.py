# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A network of hosts on this machine, without privileges: a switch that snoops IGMP and MLD, and links with a rate
and a queue.

All of it is in namespaces of its own, which end with the processes in them; nothing changes in the host's own
namespaces. Each host has an interface `eth0`, 10.77.0.N, fd77::N and a route for all groups.
"""
import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

# With Debian's packages of them.
TOOLS = {'unshare': 'util-linux', 'nsenter': 'util-linux', 'ip': 'iproute2', 'tc': 'iproute2', 'bridge': 'iproute2'}

# On Debian these are not in the PATH of ordinary users; tc and bridge are there.
os.environ['PATH'] = os.pathsep.join([os.environ.get('PATH', os.defpath), '/usr/sbin', '/sbin'])

# What lets users make namespaces, on Debian and on Ubuntu; not in a container, unless it has privileges.
REMEDY = 'sysctl user.max_user_namespaces=10000 kernel.apparmor_restrict_unprivileged_userns=0'

# Seconds that a full queue takes to drain.
QUEUE = 0.25

# Bytes that may leave a link at once: two packets, so that it never waits for a timer in a busy queue.
BURST = 3000

# A query waits so long for its answers, in 1/100 s; and the switch sends everything everywhere so long after its start.
RESPONSE_INTERVAL = 10

SWITCH = 'switch'

# A packet of the links, with the Ethernet header.
PACKET = 1514

Counters = namedtuple('Counters', 'packets bytes dropped backlog')

# What drops packets at random before a queue is full: thresholds of the mean length, in what the queue is counted in,
# its most probability between them, how fast the mean follows, and whether it grows on beyond (see link_queue.Red).
Red = namedtuple('Red', 'least most probability weight gentle', defaults=(0.1, 0.002, False))

# bit/s, Ethernet headers counted; how much has room, in packets or bytes; a Red, or None for DropTail; bytes that may
# leave at a higher rate than that, and this rate, or None for at once (see link_queue.LinkQueue).
Queue = namedtuple('Queue', 'rate limit unit red burst peak', defaults=('packets', None, 0, None))

# Seconds that packets wait at most, beside all else, and how: batches, in-order, random (see link.Jitter).
Jitter = namedtuple('Jitter', 'most kind', defaults=('batches',))

# A share of the packets, and by how many seconds these are late.
Reorder = namedtuple('Reorder', 'share late')


class Failure(Exception):
    """A command failed; the text says which, and why."""


class Unavailable(Failure):
    """There can be no such network on this machine; the text says why."""


class Namespace:
    """A network namespace, kept by a process that ends with this one. The first is in a user namespace of its own, the
    others are in that of their `parent`."""

    def __init__(self, parent=None):
        # The keeper reads until the pipe is closed, by `close` or by the end of this process.
        self.keeper = subprocess.Popen(
            [*(parent.prefix if parent else ()), 'unshare', '--net' if parent else '-rn', 'sh', '-c', 'echo; exec cat'],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
        if self.keeper.stdout.readline() != '\n':
            reason = self.keeper.communicate()[1].strip()
            raise Unavailable(f'cannot create a network namespace: {reason or "unshare failed"} ({REMEDY})')

    @property
    def prefix(self):
        """What to put in front of a command, for it to run here."""
        return ('nsenter', '--preserve-credentials', '--user', '--net', f'--target={self.keeper.pid}')

    @property
    def pid(self):
        """A process in the namespace."""
        return self.keeper.pid

    def run(self, *words, text=None):
        """Runs a command here and returns what it prints."""
        done = subprocess.run([*self.prefix, *words], input=text, stdin=None if text else subprocess.DEVNULL,
                              capture_output=True, text=True, check=False)
        if done.returncode:
            raise Failure(f"{' '.join(words)}: {(done.stderr or done.stdout).strip()}")
        return done.stdout

    def ip(self, *commands):
        """Runs commands of ip, one after the other."""
        self.run('ip', '-batch', '-', text='\n'.join(commands) + '\n')

    def send_singly(self, *interfaces):
        """One frame is one packet there, for those who count and drop them."""
        self.ip(*(f'link set {interface} gso_max_segs 1' for interface in interfaces))
        self.run(sys.executable, '-B', str(Path(__file__).with_name('offload.py')), *interfaces)

    def write(self, path, value):
        """Sets a kernel parameter."""
        self.run('sh', '-c', f'echo {value} >{path}')

    def close(self):
        self.keeper.communicate()


class Network:
    """A switch; `add_host` puts hosts on it. Use it in a `with` statement."""

    def __init__(self):
        for tool, package in TOOLS.items():
            if shutil.which(tool) is None:
                raise Unavailable(f'{tool} is not installed (Debian: {package})')
        self.hosts = []
        self.emulators = []
        self.switch = Namespace()
        try:
            self.make_switch()
            self.try_link()
        except Failure as failure:
            self.close()
            raise Unavailable(failure) from failure

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def make_switch(self):
        # Reports before the end of duplicate detection have no source, and a bridge passes over them.
        self.switch.write('/proc/sys/net/ipv6/conf/default/accept_dad', 0)
        self.switch.ip(f'link add {SWITCH} type bridge mcast_snooping 1',
                       f'link set {SWITCH} type bridge mcast_igmp_version 3 mcast_mld_version 2 '
                       f'mcast_query_response_interval {RESPONSE_INTERVAL}',
                       f'link set {SWITCH} up',
                       # Only now: with the default response interval it would flood for ten seconds.
                       f'link set {SWITCH} type bridge mcast_querier 1')

    def set_querier(self, asks):
        """Whether anybody asks who wants which groups."""
        self.switch.ip(f'link set {SWITCH} type bridge mcast_querier {int(asks)}')

    def try_link(self):
        """Fails here, not later, where the kernel has no such links."""
        self.switch.ip('link add trial type veth peer name other')
        self.switch.run('tc', 'qdisc', 'add', 'dev', 'trial', 'root', 'tbf', 'rate', '1mbit', 'burst', str(BURST),
                        'limit', str(BURST))
        self.switch.ip('link delete trial')

    def add_host(self, delay=0.0, loss=0.0, seed=0, every=False, **comes):
        """A host on the switch. `delay` seconds pass in each direction on its link, beside what its queue takes. A
        share of `loss` of what comes to groups is lost there, of what comes to the host too with `every`; the seed says
        which packets. With `row` a group loses so many packets in a row. What comes passes `queue`, a Queue, first, and
        may have `jitter`, a Jitter, and `reorder`, a Reorder, whose choices are the seed's too."""
        host = Host(self, len(self.hosts) + 1)
        self.hosts.append(host)
        host.connect(describe_link(delay, loss, seed, every, **comes) if delay or loss or any(comes.values()) else None)
        return host

    def groups(self):
        """The groups that the switch sends to each of its ports, by the ports' names."""
        shown = self.switch.run('bridge', 'mdb', 'show', 'dev', SWITCH)
        joined = {}
        for port, group in re.findall(r'port (\S+) grp (\S+)', shown):
            joined.setdefault(port, set()).add(group)
        return joined

    def emulate(self, near, far, link):
        """Joins two interfaces at the switch by a link that is so described."""
        emulator = subprocess.Popen(
            [*self.switch.prefix, sys.executable, '-B', str(Path(__file__).with_name('emulator.py')), near, far,
             json.dumps(link)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True)
        self.emulators.append(emulator)
        # A wire does not wait for a processor, where we may say so.
        with contextlib.suppress(OSError):
            os.sched_setscheduler(emulator.pid, os.SCHED_RR, os.sched_param(1))
        if emulator.stdout.readline() != 'ready\n':
            raise Failure('the link emulator does not start')

    def close(self):
        """Ends what is left in the namespaces, and so these. Returns what the emulators tell of themselves."""
        told = [json.loads(emulator.communicate()[0] or '{}') for emulator in self.emulators]
        self.emulators = []
        for host in self.hosts:
            host.namespace.close()
        self.hosts = []
        self.switch.close()
        return told


def describe_link(delay, loss, seed, every, row=1, queue=None, jitter=None, reorder=None):
    """What the emulator is told."""
    link = {'delay': delay, 'loss': loss, 'row': row, 'seed': seed, 'every': every}
    if jitter:
        link['jitter'] = jitter._asdict()
    if reorder:
        link['reorder'] = reorder._asdict()
    if queue:
        link['queue'] = queue._asdict()
        if queue.red:
            link['queue']['red'] = {**queue.red._asdict(), 'packet': PACKET if queue.unit == 'bytes' else None}
    return link


class Host:
    """A host and its link to the switch."""

    def __init__(self, network, number):
        self.network = network
        self.number = number
        self.port = f'port{number}'
        self.address = f'10.77.0.{number}'
        self.limited = False
        self.namespace = Namespace(network.switch)

    @property
    def prefix(self):
        return self.namespace.prefix

    def connect(self, link):
        switch, host = self.network.switch, self.namespace
        far = self.port
        if link:
            near, far = f'near{self.number}', f'far{self.number}'
            switch.ip(f'link add {self.port} type veth peer name {near}', f'link set {near} up')
        switch.ip(f'link add {far} type veth peer name eth0 netns {host.pid}', f'link set {far} up')
        switch.ip(f'link set {self.port} master {SWITCH} up')
        switch.run('bridge', 'link', 'set', 'dev', self.port, 'fastleave', 'on')
        host.write('/proc/sys/net/ipv6/conf/default/accept_dad', 0)
        switch.send_singly(*((self.port, near, far) if link else (far,)))
        host.send_singly('eth0')
        host.ip('link set lo up', f'addr add {self.address}/24 dev eth0',
                'link set eth0 up', f'addr add fd77::{self.number}/64 dev eth0 nodad', 'route add 224.0.0.0/4 dev eth0')
        if link:
            self.network.emulate(near, far, link)

    def set_rate(self, rate, queue=QUEUE):
        """Limits what the switch sends to the host to `rate` bit/s, Ethernet headers counted, behind a queue that takes
        `queue` seconds to drain when it is full. What waits in it stays."""
        limit = max(BURST, round(rate * queue / 8))
        burst = max(BURST, round(rate / 8 / 250))
        # tbf's own child counts bytes, so that `change` gives it the right limit; a pfifo would take it for packets.
        self.network.switch.run('tc', 'qdisc', 'change' if self.limited else 'add', 'dev', self.port, 'root', 'tbf',
                                'rate', f'{round(rate)}bit', 'burst', str(burst), 'limit', str(limit))
        self.limited = True

    def counters(self):
        """What left the switch to the host, was dropped before its link, and waits there now."""
        shown = self.network.switch.run('tc', '-s', '-j', 'qdisc', 'show', 'dev', self.port)
        tbf = next(qdisc for qdisc in json.loads(shown) if qdisc['kind'] == 'tbf')
        return Counters(tbf['packets'], tbf['bytes'], tbf['drops'], tbf['backlog'])

    def set_fast_leave(self, fast):
        """Whether the switch honours a leave at once, or after it has asked twice in two seconds whether anybody is
        left (RFC 3376 section 8.8)."""
        self.network.switch.run('bridge', 'link', 'set', 'dev', self.port, 'fastleave', 'on' if fast else 'off')

    def set_connected(self, connected):
        """Whether the cable is in the switch."""
        self.network.switch.ip(f"link set {self.port} {'up' if connected else 'down'}")

    def groups(self):
        """The groups that the switch sends to the host."""
        return self.network.groups().get(self.port, set())
