# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A private network of hosts on this machine, without privileges: a switch with IGMP and MLD snooping, and links with a
rate and a queue.

The network consists of separate namespaces, which end with the processes in them; the machine's own namespaces do not
change. Each host has an interface `eth0`, the addresses 10.77.0.N and fd77::N, and a route for all multicast groups.
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

# The required programs and their Debian packages.
TOOLS = {'unshare': 'util-linux', 'nsenter': 'util-linux', 'ip': 'iproute2', 'tc': 'iproute2', 'bridge': 'iproute2'}

# tc and bridge are in these directories, which Debian's PATH for ordinary users does not have.
os.environ['PATH'] = os.pathsep.join([os.environ.get('PATH', os.defpath), '/usr/sbin', '/sbin'])

# The command that lets users create namespaces on Debian and Ubuntu. It does not help in an unprivileged container.
REMEDY = 'as root: sysctl user.max_user_namespaces=10000 kernel.apparmor_restrict_unprivileged_userns=0'

# Seconds that a full queue needs to drain.
QUEUE = 0.25

# Bytes that may leave a link at once: two packets, so that a busy queue never waits for a timer.
BURST = 3000

# Response interval of the switch's queries, in 1/100 s. After its start the switch floods all groups for this time.
RESPONSE_INTERVAL = 10

SWITCH = 'switch'

# Maximum size of a packet on the links, with the Ethernet header.
PACKET = 1514

Counters = namedtuple('Counters', 'packets bytes dropped backlog')

# Random early detection: the thresholds of the mean length, in the unit of the queue, the maximum probability between
# them, the weight of the mean, and whether the probability grows further above them (see link_queue.Red).
Red = namedtuple('Red', 'least most probability weight gentle', defaults=(0.1, 0.002, False))

# Rate in bit/s, including Ethernet headers; limit in packets or bytes; a Red, or None for DropTail; size of a burst in
# bytes, and its peak rate, or None for no limit (see link_queue.LinkQueue).
Queue = namedtuple('Queue', 'rate limit unit red burst peak', defaults=('packets', None, 0, None))

# Maximum additional delay in seconds, and its kind: batches, in-order or random (see link.Jitter).
Jitter = namedtuple('Jitter', 'most kind', defaults=('batches',))

# Share of the packets that are late, and by how many seconds.
Reorder = namedtuple('Reorder', 'share late')


class Failure(Exception):
    """A command failed; the text has the command and the reason."""


class Unavailable(Failure):
    """This machine does not allow such a network; the text gives the reason."""


class Namespace:
    """A network namespace, kept open by a process that ends with this one. The first has its own user namespace; the
    others share the user namespace of their `parent`."""

    def __init__(self, parent=None):
        # The keeper reads until `close` or the end of this process closes the pipe.
        self.keeper = subprocess.Popen(
            [*(parent.prefix if parent else ()), 'unshare', '--net' if parent else '-rn', 'sh', '-c', 'echo; exec cat'],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
        if self.keeper.stdout.readline() != '\n':
            reason = self.keeper.communicate()[1].strip()
            raise Unavailable(f'cannot create a network namespace: {reason or "unshare failed"} ({REMEDY})')

    @property
    def prefix(self):
        """The words in front of a command that runs in this namespace."""
        return ('nsenter', '--preserve-credentials', '--user', '--net', f'--target={self.keeper.pid}')

    @property
    def pid(self):
        """The id of a process in the namespace."""
        return self.keeper.pid

    def run(self, *words, text=None):
        """Runs a command in the namespace and returns its output."""
        done = subprocess.run([*self.prefix, *words], input=text, stdin=None if text else subprocess.DEVNULL,
                              capture_output=True, text=True, check=False)
        if done.returncode:
            raise Failure(f"{' '.join(words)}: {(done.stderr or done.stdout).strip()}")
        return done.stdout

    def ip(self, *commands):
        """Runs a sequence of ip commands."""
        self.run('ip', '-batch', '-', text='\n'.join(commands) + '\n')

    def send_singly(self, *interfaces):
        """Disables segmentation offload, so that one frame is one packet that can be counted and dropped."""
        self.ip(*(f'link set {interface} gso_max_segs 1' for interface in interfaces))
        self.run(sys.executable, '-B', str(Path(__file__).with_name('offload.py')), *interfaces)

    def write(self, path, value):
        """Sets a kernel parameter."""
        self.run('sh', '-c', f'echo {value} >{path}')

    def close(self):
        self.keeper.communicate()


class Network:
    """A switch; `add_host` connects hosts to it. Use it in a `with` statement."""

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
        # MLD reports sent during duplicate address detection have no source address, and a bridge ignores them.
        self.switch.write('/proc/sys/net/ipv6/conf/default/accept_dad', 0)
        self.switch.ip(f'link add {SWITCH} type bridge mcast_snooping 1',
                       f'link set {SWITCH} type bridge mcast_igmp_version 3 mcast_mld_version 2 '
                       f'mcast_query_response_interval {RESPONSE_INTERVAL}',
                       f'link set {SWITCH} up',
                       # After the response interval: with its default the switch would flood for ten seconds.
                       f'link set {SWITCH} type bridge mcast_querier 1')

    def set_querier(self, asks):
        """Turns the switch's IGMP and MLD querier on or off."""
        self.switch.ip(f'link set {SWITCH} type bridge mcast_querier {int(asks)}')

    def try_link(self):
        """Fails early if the kernel does not support such links."""
        self.switch.ip('link add trial type veth peer name other')
        self.switch.run('tc', 'qdisc', 'add', 'dev', 'trial', 'root', 'tbf', 'rate', '1mbit', 'burst', str(BURST),
                        'limit', str(BURST))
        self.switch.ip('link delete trial')

    def add_host(self, delay=0.0, loss=0.0, seed=0, every=False, **comes):
        """Adds a host to the switch. Its link delays packets by `delay` seconds in each direction, in addition to the
        queueing delay. Towards the host it drops a share `loss` of the packets to groups and, with `every`, also of the
        packets to the host itself; the seed determines which. With `row`, a group loses that many packets in a row.
        Packets to the host pass `queue`, a Queue, first, and may have `jitter`, a Jitter, and `reorder`, a Reorder,
        which depend on the seed too."""
        host = Host(self, len(self.hosts) + 1)
        self.hosts.append(host)
        host.connect(describe_link(delay, loss, seed, every, **comes) if delay or loss or any(comes.values()) else None)
        return host

    def groups(self):
        """The groups that the switch forwards to each of its ports, by the names of the ports."""
        shown = self.switch.run('bridge', 'mdb', 'show', 'dev', SWITCH)
        joined = {}
        for port, group in re.findall(r'port (\S+) grp (\S+)', shown):
            joined.setdefault(port, set()).add(group)
        return joined

    def emulate(self, near, far, link):
        """Connects two interfaces at the switch by an emulated link with the description `link`."""
        emulator = subprocess.Popen(
            [*self.switch.prefix, sys.executable, '-B', str(Path(__file__).with_name('emulator.py')), near, far,
             json.dumps(link)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True)
        self.emulators.append(emulator)
        # Runs the emulator with real-time priority where that is permitted.
        with contextlib.suppress(OSError):
            os.sched_setscheduler(emulator.pid, os.SCHED_RR, os.sched_param(1))
        if emulator.stdout.readline() != 'ready\n':
            raise Failure('the link emulator does not start')

    def close(self):
        """Ends the processes in the namespaces, and with them the namespaces. Returns the emulators' statistics."""
        told = [json.loads(emulator.communicate()[0] or '{}') for emulator in self.emulators]
        self.emulators = []
        for host in self.hosts:
            host.namespace.close()
        self.hosts = []
        self.switch.close()
        return told


def describe_link(delay, loss, seed, every, row=1, queue=None, jitter=None, reorder=None):
    """The argument LINK of the emulator."""
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
        """Limits the traffic from the switch to the host to `rate` bit/s, including Ethernet headers, with a queue that
        needs `queue` seconds to drain when it is full. Packets in the queue stay there."""
        limit = max(BURST, round(rate * queue / 8))
        burst = max(BURST, round(rate / 8 / 250))
        # tbf's default child counts bytes, so that `change` sets the right limit; a pfifo would take the limit as
        # packets.
        self.network.switch.run('tc', 'qdisc', 'change' if self.limited else 'add', 'dev', self.port, 'root', 'tbf',
                                'rate', f'{round(rate)}bit', 'burst', str(burst), 'limit', str(limit))
        self.limited = True

    def counters(self):
        """The packets and bytes sent from the switch to the host, the packets dropped, and the current backlog."""
        shown = self.network.switch.run('tc', '-s', '-j', 'qdisc', 'show', 'dev', self.port)
        tbf = next(qdisc for qdisc in json.loads(shown) if qdisc['kind'] == 'tbf')
        return Counters(tbf['packets'], tbf['bytes'], tbf['drops'], tbf['backlog'])

    def set_fast_leave(self, fast):
        """Whether the switch stops a group at once after a leave, or only after two queries within two seconds (RFC
        3376 section 8.8)."""
        self.network.switch.run('bridge', 'link', 'set', 'dev', self.port, 'fastleave', 'on' if fast else 'off')

    def set_connected(self, connected):
        """Plugs the host's cable into the switch, or unplugs it."""
        self.network.switch.ip(f"link set {self.port} {'up' if connected else 'down'}")

    def groups(self):
        """The groups that the switch forwards to the host."""
        return self.network.groups().get(self.port, set())
