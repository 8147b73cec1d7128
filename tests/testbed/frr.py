# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Three routers of FRR (zebra, pimd) between a sender and the switch of a Network:

    S --- A == 30 ms == B --- C --- switch --- hosts

Each is in a separate namespace. They speak PIM with each other and IGMPv3 with hosts, with the timers of the standards.
Unicast routes are static, because the tests are about multicast.
"""
import shutil
import tempfile
from pathlib import Path

import session
from session import lib

network = lib.network

# Directory of the daemons in Debian, which is not in any PATH.
DAEMONS = Path('/usr/lib/frr')

# The file that shows whether FRR is installed.
TOOLS = ('vtysh',)

# Address of the sender.
SENDER = '10.1.0.10'

# One-way delay in seconds.
DELAY = 0.030

# Interval and hold time of PIM hellos in seconds. RFC 7761 section 4.11 has 30 and 105; a full queue drops some hellos.
HELLO, HOLD = 5, 105

# Seconds until routers are neighbours.
READY = 20

# The daemons run as root of the user namespace, which has no other users. They require root to be in the group that
# Debian has for their terminals.
GROUPS = 'root:x:0:\nfrrvty:x:0:root\n'

# Bytes that may leave a link at once: two packets.
BURST = network.BURST

SWITCH_NET = '10.77.0'


def is_there():
    """Whether the daemons are installed."""
    return all((DAEMONS / daemon).exists() for daemon in ('zebra', 'pimd'))


class Router:
    """A router. Create its interfaces before starting it."""

    def __init__(self, made, name, directory):
        self.made = made
        self.name = name
        self.directory = Path(directory) / name
        self.directory.mkdir()
        self.namespace = network.Namespace(made.switch)
        self.namespace.ip('link set lo up')
        for setting, value in (('ip_forward', 1), ('conf/all/rp_filter', 0), ('conf/default/rp_filter', 0)):
            self.namespace.write(f'/proc/sys/net/ipv4/{setting}', value)
        self.interfaces = {}
        self.limited = set()
        self.daemons = []

    def add_address(self, interface, address, speaks):
        """`speaks`: lines of pimd's configuration."""
        self.namespace.send_singly(interface)
        self.namespace.ip(f'addr add {address}/24 dev {interface}', f'link set {interface} up')
        self.interfaces[interface] = speaks

    def start(self):
        common = 'frr defaults traditional\nlog file {}\n'
        pimd = common.format(self.directory / 'pimd.log')
        for interface, speaks in self.interfaces.items():
            pimd += f'interface {interface}\n' + ''.join(f' {line}\n' for line in speaks)
        self.launch('zebra', common.format(self.directory / 'zebra.log'))
        lib.wait_until((self.directory / 'zserv.api').exists, session.PATIENCE)
        self.launch('pimd', pimd)

    def launch(self, daemon, configuration):
        path = self.directory / f'{daemon}.conf'
        path.write_text(configuration, encoding='ascii')
        group = self.directory / 'group'
        group.write_text(GROUPS, encoding='ascii')
        self.daemons.append(lib.Child(
            ['unshare', '--mount', 'sh', '-c', f'mount --bind {group} /etc/group && exec "$@"', 'sh',
             str(DAEMONS / daemon), '-f', str(path), '-z', str(self.directory / 'zserv.api'), '-i',
             str(self.directory / f'{daemon}.pid'), '--vty_socket', str(self.directory), '-u', 'root', '-g', 'root',
             '-P', '0'], name=f'{self.name} {daemon}', prefix=self.namespace.prefix))

    def ask(self, command):
        """The output of vtysh for a command."""
        place = str(self.directory)
        return self.namespace.run('vtysh', '--config_dir', place, '--vty_socket', place, '-c', command)

    def knows_neighbours(self, count):
        try:
            return self.ask('show ip pim neighbor').count('eth') >= count
        except network.Failure:
            return False

    def set_rate(self, interface, rate, queue=network.QUEUE):
        """Limits the traffic that leaves through an interface, as Host.set_rate does at the switch."""
        limit = max(BURST, round(rate * queue / 8))
        burst = max(BURST, round(rate / 8 / 250))
        self.namespace.run('tc', 'qdisc', 'change' if interface in self.limited else 'add', 'dev', interface, 'root',
                           'tbf', 'rate', f'{round(rate)}bit', 'burst', str(burst), 'limit', str(limit))
        self.limited.add(interface)

    def tail(self):
        return [line for daemon in self.daemons for line in (f'{daemon.name}:', *daemon.tail(5))]

    def stop(self):
        for daemon in self.daemons:
            daemon.kill()


class Sender:
    """The host of the sender."""

    def __init__(self, made):
        self.namespace = network.Namespace(made.switch)

    @property
    def prefix(self):
        return self.namespace.prefix


class Routed:
    """A network with routers between its switch and a sender. Use it in a `with` statement."""

    def __init__(self):
        self.made = network.Network()
        self.directory = tempfile.mkdtemp(prefix='lmcc-routers-')
        self.sender = Sender(self.made)
        self.first, self.middle, self.last = (Router(self.made, name, self.directory) for name in 'ABC')
        self.routers = (self.first, self.middle, self.last)
        self.connect()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def connect(self):
        pim = ['ip pim', f'ip pim hello {HELLO} {HOLD}']
        igmp = ['ip pim', 'ip igmp', 'ip igmp version 3']
        first, middle, last = (router.namespace for router in self.routers)
        ground = self.made.switch
        ground.ip(f'link add ethS netns {self.sender.namespace.pid} type veth peer name ethS netns {first.pid}',
                  f'link add nearA type veth peer name ethB netns {first.pid}',
                  f'link add farB type veth peer name ethA netns {middle.pid}',
                  'link set nearA up', 'link set farB up',
                  f'link add ethC netns {middle.pid} type veth peer name ethB netns {last.pid}',
                  f'link add portC type veth peer name eth0 netns {last.pid}',
                  f'link set portC master {network.SWITCH} up')
        # The last router's queries tell the switch where the router is.
        self.made.set_querier(False)
        self.sender.namespace.send_singly('ethS')
        ground.send_singly('nearA', 'farB', 'portC')
        self.sender.namespace.ip('link set lo up', f'addr add {SENDER}/24 dev ethS', 'link set ethS up',
                                 'route add default via 10.1.0.1')
        self.first.add_address('ethS', '10.1.0.1', ['ip pim', 'ip igmp'])
        self.first.add_address('ethB', '10.2.0.1', pim)
        self.middle.add_address('ethA', '10.2.0.2', pim)
        self.middle.add_address('ethC', '10.3.0.2', pim)
        self.last.add_address('ethB', '10.3.0.3', pim)
        self.last.add_address('eth0', f'{SWITCH_NET}.254', igmp)
        self.first.namespace.ip('route add 10.3.0.0/24 via 10.2.0.2', f'route add {SWITCH_NET}.0/24 via 10.2.0.2')
        self.middle.namespace.ip('route add 10.1.0.0/24 via 10.2.0.1', f'route add {SWITCH_NET}.0/24 via 10.3.0.3')
        self.last.namespace.ip('route add 10.1.0.0/24 via 10.3.0.2', 'route add 10.2.0.0/24 via 10.3.0.2')

        self.made.emulate('nearA', 'farB', network.describe_link(DELAY, 0.0, 0, False))

    def start(self):
        """Returns whether the routers are neighbours of each other."""
        for router in self.routers:
            router.start()
        wanted = ((self.first, 1), (self.middle, 2), (self.last, 1))
        return lib.wait_until(lambda: all(router.knows_neighbours(count) for router, count in wanted), READY, 0.5)

    def add_host(self):
        host = self.made.add_host()
        host.namespace.ip(f'route add default via {SWITCH_NET}.254')
        return host

    def tail(self):
        return [line for router in self.routers for line in router.tail()]

    def close(self):
        for router in self.routers:
            router.stop()
        # Closes links first: an emulator fails if one of its interfaces disappears.
        self.made.close()
        for one in (self.sender, *self.routers):
            one.namespace.close()
        shutil.rmtree(self.directory, ignore_errors=True)
