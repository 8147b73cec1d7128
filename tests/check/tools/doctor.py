# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests gst-lmcc-1.0 doctor on made-up trees of /proc and /sys, and on loopback."""
import json
import os
import shutil
import socket
import struct
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

from tool import FAILURE, OK, USAGE, run

UP, BROADCAST, LOOPBACK, MULTICAST = 0x1, 0x2, 0x8, 0x1000
URI = 'lmcc://239.255.42.1:5004'
ROUTE_HEAD = 'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n'


def proc_ipv4(text):
    """As in /proc: the 32 bits as a number in host byte order."""
    return f'{struct.unpack("=I", socket.inet_aton(text))[0]:08X}'


def route(iface, destination, mask, metric=0, flags=1, gateway='0.0.0.0'):
    return (f'{iface}\t{proc_ipv4(destination)}\t{proc_ipv4(gateway)}\t{flags:04X}\t0\t0\t{metric}\t{proc_ipv4(mask)}'
            '\t0\t0\t0\n')


class Host:
    """A made-up tree: by default a healthy host with lo and eth0."""

    def __init__(self, interfaces=(('lo', UP | LOOPBACK), ('eth0', UP | BROADCAST | MULTICAST)),
                 routes=(('eth0', '0.0.0.0', '0.0.0.0'),)):
        self.directory = tempfile.TemporaryDirectory()
        self.root = Path(self.directory.name)
        for name, flags in interfaces:
            self.write(f'sys/class/net/{name}/flags', f'0x{flags:x}\n')
            self.write(f'sys/class/net/{name}/operstate', 'unknown\n' if name == 'lo' else 'up\n')
        self.write('proc/net/route', ROUTE_HEAD + ''.join(route(*each) for each in routes))
        self.write('proc/net/ip_tables_names', '')
        self.write('nft-ruleset', '')
        self.sysctl('net/core/rmem_max', 4194304)
        self.sysctl('net/core/rmem_default', 212992)
        self.sysctl('net/ipv4/igmp_max_memberships', 20)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.directory.cleanup()

    def write(self, path, text):
        full = self.root / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_text(text)

    def sysctl(self, path, value):
        self.write(f'proc/sys/{path}', f'{value}\n')

    def link(self, name, master):
        (self.root / f'sys/class/net/{name}/master').symlink_to(f'../{master}')

    def doctor(self, uri=URI, *options):
        result = run('doctor', '--json', '--root', str(self.root), *options, *([uri] if uri else []))
        assert result.stderr == '', result.stderr
        return result.returncode, json.loads(result.stdout)


def find(report, check):
    return [each for each in report['checks'] if each['check'] == check]


class MadeUpHosts(unittest.TestCase):
    def one(self, host, check, *arguments):
        code, report = host.doctor(*arguments)
        found = find(report, check)
        self.assertEqual(len(found), 1, report)
        self.assertEqual(code, FAILURE if report['result'] == 'fail' else OK)
        if found[0]['status'] in ('warn', 'fail'):
            self.assertTrue(found[0]['remedy'], 'no remedy')
        return found[0]

    def assert_finding(self, found, status, *words):
        self.assertEqual(found['status'], status, found)
        for word in words:
            self.assertIn(word, f"{found['finding']} {found['remedy']}")

    def test_a_healthy_host_has_nothing_to_warn_of(self):
        with Host() as host:
            code, report = host.doctor()
            self.assertEqual((code, report['result'], report['interface']), (OK, 'ok', 'eth0'))
            self.assertEqual([each for each in report['checks'] if each['status'] in ('warn', 'fail')], [])

    def test_no_interface_fails(self):
        with Host(interfaces=(), routes=()) as host:
            self.assert_finding(self.one(host, 'interfaces'), 'fail', 'no network interface', 'ip link set')

    def test_interfaces_that_are_down_fail(self):
        with Host(interfaces=(('lo', LOOPBACK), ('eth0', MULTICAST))) as host:
            self.assert_finding(self.one(host, 'interfaces'), 'fail', 'eth0 (down', 'ip link set')

    def test_lo_alone_hears_only_this_host_and_is_used_without_a_route(self):
        with Host(interfaces=(('lo', UP | LOOPBACK),), routes=()) as host:
            self.assert_finding(self.one(host, 'interfaces'), 'warn', 'only senders on this host')
            self.assert_finding(self.one(host, 'route'), 'warn', 'loopback interface is used', 'multicast-iface=')
            self.assertEqual(host.doctor()[1]['interface'], 'lo')

    def test_a_cable_that_is_out_does_not_count_as_an_interface(self):
        with Host() as host:
            host.write('sys/class/net/eth0/operstate', 'down\n')
            self.assert_finding(self.one(host, 'interfaces'), 'warn', 'eth0 (up, no link')

    def test_the_most_specific_route_wins(self):
        both = (('lo', UP | LOOPBACK), ('eth0', UP | MULTICAST), ('eth1', UP | MULTICAST))
        routes = (('eth0', '0.0.0.0', '0.0.0.0'), ('eth1', '239.0.0.0', '255.0.0.0'))
        with Host(both, routes) as host:
            self.assertEqual(host.doctor()[1]['interface'], 'eth1')
            self.assert_finding(self.one(host, 'route'), 'warn', 'eth1', 'multicast-iface=')

    def test_of_equal_routes_the_cheaper_wins_and_one_that_rejects_does_not_count(self):
        both = (('lo', UP | LOOPBACK), ('eth0', UP | MULTICAST), ('eth1', UP | MULTICAST))
        routes = (('eth0', '0.0.0.0', '0.0.0.0', 600), ('eth1', '0.0.0.0', '0.0.0.0', 100),
                  ('lo', '224.0.0.0', '240.0.0.0', 0, 0x201))
        with Host(both, routes) as host:
            self.assertEqual(host.doctor()[1]['interface'], 'eth1')

    def test_a_route_to_an_interface_with_multicast_off_fails(self):
        with Host((('lo', UP | LOOPBACK), ('tun0', UP)), (('tun0', '0.0.0.0', '0.0.0.0'),)) as host:
            self.assert_finding(self.one(host, 'route'), 'fail', 'tun0', 'switched off', 'multicast on')

    def test_the_interface_that_was_asked_for_must_be_there_and_up(self):
        with Host((('lo', UP | LOOPBACK), ('eth0', UP | MULTICAST), ('eth1', MULTICAST))) as host:
            ask = '--multicast-iface'
            self.assert_finding(self.one(host, 'route', URI, ask, 'eth7'), 'fail', 'no interface eth7', 'list above')
            self.assert_finding(self.one(host, 'route', URI, ask, 'eth1'), 'fail', 'down', 'ip link set eth1 up')
            self.assert_finding(self.one(host, 'route', URI, ask, 'lo'), 'ok', 'lo')
            self.assert_finding(self.one(host, 'route', URI + '?multicast-iface=eth0'), 'ok', 'eth0')

    def test_each_of_several_interfaces_is_looked_at(self):
        interfaces = (('lo', UP | LOOPBACK), ('eth0', UP | MULTICAST), ('eth1', UP | MULTICAST), ('eth2', MULTICAST))
        with Host(interfaces) as host:
            for names, expected in (('eth0,eth1', [('ok', 'eth0'), ('ok', 'eth1')]),
                                    (' eth1, eth7,,eth2,eth1', [('ok', 'eth1'), ('fail', 'eth7'), ('fail', 'eth2')])):
                report = host.doctor(URI, '--multicast-iface', names)[1]
                routes = [check for check in report['checks'] if check['check'] == 'route']
                self.assertEqual([check['status'] for check in routes], [status for status, _ in expected])
                for check, (_, name) in zip(routes, expected):
                    self.assertIn(name, check['finding'])
                self.assertEqual(report['interface'], expected[0][1])

    def test_a_wireless_interface_loses_packets_without_congestion(self):
        for sign in ('wireless/status', 'phy80211/name'):
            with Host() as host:
                host.write(f'sys/class/net/eth0/{sign}', '0\n')
                self.assert_finding(self.one(host, 'wireless'), 'warn', 'not mean congestion', 'cable')

    def test_a_bridge_with_a_wireless_port_is_as_bad(self):
        interfaces = (('lo', UP | LOOPBACK), ('br0', UP | MULTICAST), ('wlan0', UP | MULTICAST))
        with Host(interfaces, (('br0', '0.0.0.0', '0.0.0.0'),)) as host:
            host.write('sys/class/net/wlan0/phy80211/name', 'phy0\n')
            self.assert_finding(self.one(host, 'wireless'), 'ok')
            host.link('wlan0', 'br0')
            self.assert_finding(self.one(host, 'wireless'), 'warn', 'br0')

    def test_a_bridge_that_snoops_needs_a_querier(self):
        with Host() as host:
            host.write('sys/class/net/eth0/bridge/multicast_snooping', '1\n')
            host.write('sys/class/net/eth0/bridge/multicast_querier', '0\n')
            self.assert_finding(self.one(host, 'snooping'), 'warn', 'eth0', '260 s', 'mcast_querier 1')
            host.write('sys/class/net/eth0/bridge/multicast_querier', '1\n')
            self.assert_finding(self.one(host, 'snooping'), 'ok')
            host.write('sys/class/net/eth0/bridge/multicast_querier', '0\n')
            host.write('sys/class/net/eth0/bridge/multicast_snooping', '0\n')
            self.assert_finding(self.one(host, 'snooping'), 'ok')

    def test_a_small_receive_buffer_is_found(self):
        with Host() as host:
            host.sysctl('net/core/rmem_max', 212992)
            self.assert_finding(self.one(host, 'receive-buffer'), 'warn', '212992', 'sysctl -w net.core.rmem_max=')

    def test_what_cannot_be_read_is_skipped(self):
        with Host() as host:
            (host.root / 'proc/sys/net/core/rmem_max').unlink()
            (host.root / 'nft-ruleset').unlink()
            self.assert_finding(self.one(host, 'receive-buffer'), 'skip')
            self.assert_finding(self.one(host, 'firewall'), 'skip', 'root')
            self.assertEqual(host.doctor()[1]['result'], 'ok')

    def test_strict_rp_filter_matters_with_two_interfaces(self):
        with Host() as host:
            host.sysctl('net/ipv4/conf/all/rp_filter', 1)
            self.assert_finding(self.one(host, 'rp_filter'), 'ok')
        with Host((('lo', UP | LOOPBACK), ('eth0', UP | MULTICAST), ('eth1', UP | MULTICAST))) as host:
            host.sysctl('net/ipv4/conf/eth0/rp_filter', 1)
            self.assert_finding(self.one(host, 'rp_filter'), 'warn', 'eth0', 'sysctl -w')

    def test_rp_filter_drops_a_source_that_is_routed_elsewhere(self):
        both = (('lo', UP | LOOPBACK), ('eth0', UP | MULTICAST), ('eth1', UP | MULTICAST))
        routes = (('eth0', '239.0.0.0', '255.0.0.0'), ('eth1', '192.0.2.0', '255.255.255.0'))
        uri = 'lmcc://192.0.2.7@239.255.42.1'
        with Host(both, routes) as host:
            host.sysctl('net/ipv4/conf/all/rp_filter', 1)
            self.assert_finding(self.one(host, 'rp_filter', uri), 'fail', 'eth1', 'eth0', 'rp_filter=0')
            host.sysctl('net/ipv4/conf/all/rp_filter', 2)
            self.assert_finding(self.one(host, 'rp_filter', uri), 'ok')
            self.assert_finding(self.one(host, 'rp_filter', 'lmcc://198.51.100.1@239.255.42.1'), 'fail', 'nothing')

    def test_a_forced_igmp_version_breaks_source_specific_joins(self):
        with Host() as host:
            host.sysctl('net/ipv4/conf/eth0/force_igmp_version', 2)
            self.assert_finding(self.one(host, 'igmp-version'), 'warn', 'IGMPv2', 'force_igmp_version=0')
            self.assert_finding(self.one(host, 'igmp-version', 'lmcc://192.0.2.7@232.1.1.1'), 'fail')
            host.sysctl('net/ipv4/conf/eth0/force_igmp_version', 3)
            self.assert_finding(self.one(host, 'igmp-version'), 'ok')

    def test_a_querier_of_igmpv2_makes_source_specific_joins_any_source_ones(self):
        head = 'Idx\tDevice    : Count Querier\tGroup    Users Timer\tReporter\n'
        with Host() as host:
            for device, version, specific, status in (
                    ('eth0      ', 'V2', True, 'warn'), ('eth0      ', 'V1', True, 'warn'),
                    ('eth0      ', 'V2', False, 'ok'), ('eth0      ', 'V3', True, 'ok'),
                    ('eth1      ', 'V2', True, 'ok')):
                with self.subTest(device=device, version=version, specific=specific):
                    host.write('proc/net/igmp', f'{head}2\t{device}:     2      {version}\n')
                    uri = 'lmcc://192.0.2.7@232.1.1.1' if specific else URI
                    words = ('IGMP' + version.lower(), 'IGMPv3', 'any-source') if status == 'warn' else ()
                    self.assert_finding(self.one(host, 'igmp-version', uri), status, *words)
        name = 'enp123s0f0'
        with Host((('lo', UP | LOOPBACK), (name, UP | MULTICAST)), ((name, '0.0.0.0', '0.0.0.0'),)) as host:
            host.write('proc/net/igmp', f'{head}2\t{name}:     2      V2\n')
            self.assert_finding(self.one(host, 'igmp-version', 'lmcc://192.0.2.7@232.1.1.1'), 'warn', name)

    def test_a_source_beyond_a_router_needs_a_ttl_and_multicast_routing(self):
        routes = (('eth0', '0.0.0.0', '0.0.0.0', 0, 3, '10.0.0.254'), ('eth0', '10.0.0.0', '255.255.255.0'))
        with Host(routes=routes) as host:
            self.assert_finding(self.one(host, 'ttl', 'lmcc://192.0.2.7@232.1.1.1'), 'ok', '192.0.2.7', '10.0.0.254',
                                'ttl-mc', 'multicast routing')
            self.assertNotIn('10.0.0.254', self.one(host, 'ttl', 'lmcc://10.0.0.7@232.1.1.1')['finding'])

    def test_an_odd_port_is_not_for_rtp(self):
        with Host() as host:
            found = find(host.doctor('lmcc://239.255.42.1:5005')[1], 'port')
            self.assert_finding(found[-1], 'warn', '5005 is odd', 'RFC 3550', 'even')
            self.assertNotIn('warn', [each['status'] for each in find(host.doctor(URI)[1], 'port')])

    def test_no_memberships_at_all_fail(self):
        with Host() as host:
            host.sysctl('net/ipv4/igmp_max_memberships', 0)
            self.assert_finding(self.one(host, 'memberships'), 'fail', '0 groups', 'igmp_max_memberships=20')
            host.sysctl('net/ipv4/igmp_max_memberships', 1)
            self.assert_finding(self.one(host, 'memberships'), 'ok')

    def test_a_firewall_must_let_igmp_and_the_port_in(self):
        chain = 'table inet filter {\n\tchain in {\n\t\ttype filter hook input priority 0; policy %s;\n%s\t}\n}\n'
        igmp, media = '\t\tip protocol igmp accept\n', '\t\tudp dport { 5004, 5005 } accept\n'
        cases = [
            ('drop', '', 'warn', 'chain in seem to drop igmp and UDP port 5004'),
            ('drop', igmp, 'warn', 'seem to drop UDP port 5004'),
            ('drop', media, 'warn', 'seem to drop igmp'),
            ('drop', igmp + media.replace('5004', '15004'), 'warn', 'UDP port 5004'),
            ('drop', igmp + media, 'ok', ''),
            ('accept', '', 'ok', ''),
            ('accept', '\t\tct state invalid drop\n', 'ok', ''),
            ('accept', '\t\tudp dport 5004 drop\n', 'warn', 'seem to drop UDP port 5004'),
            ('accept', '\t\tmeta l4proto igmp counter packets 0 bytes 0 reject\n', 'warn', 'seem to drop igmp'),
            ('accept', '\t\tcounter packets 1 bytes 9 drop\n', 'warn', 'igmp and UDP port 5004'),
            ('accept', igmp + media + '\t\treject with icmp port-unreachable\n', 'ok', ''),
        ]
        with Host() as host:
            for policy, rules, status, word in cases:
                with self.subTest(policy=policy, rules=rules):
                    host.write('nft-ruleset', chain % (policy, rules))
                    self.assert_finding(self.one(host, 'firewall'), status, word)
            host.write('nft-ruleset', chain % ('drop', igmp + media))
            self.assert_finding(self.one(host, 'firewall', 'lmcc://239.255.42.1:7000'), 'warn', '{ 7000, 7001 }')
            host.write('nft-ruleset', (chain % ('drop', '')).replace('hook input', 'hook output'))
            self.assert_finding(self.one(host, 'firewall'), 'ok')

    def test_legacy_iptables_filters_are_pointed_at(self):
        with Host() as host:
            host.write('proc/net/ip_tables_names', 'filter\n')
            self.assert_finding(self.one(host, 'firewall'), 'warn', 'iptables -S INPUT')

    def test_addresses_that_cannot_work_or_flood_are_found(self):
        with Host() as host:
            for uri, status, word in (
                    ('lmcc://192.0.2.9', 'fail', 'not a multicast address'),
                    ('lmcc://224.0.0.77', 'warn', '224.0.0.x'),
                    ('lmcc://239.128.0.5', 'warn', '224.0.0.x'),
                    ('lmcc://232.1.1.1', 'fail', 'lmcc://SENDER@GROUP'),
                    ('lmcc://192.0.2.1@232.1.1.1', 'ok', ''),
                    ('239.1.2.3:7000', 'ok', '')):
                with self.subTest(uri=uri):
                    self.assert_finding(self.one(host, 'address', uri), status, word)

    def test_a_joined_group_with_the_same_ethernet_address_is_found(self):
        def igmp(group):
            return ('Idx\tDevice    : Count Querier\tGroup    Users Timer\tReporter\n'
                    f'2\teth0      :     2      V3\n\t\t\t\t{proc_ipv4(group)}     1 0:00000000\t\t0\n')
        with Host() as host:
            host.write('proc/net/igmp', igmp('238.127.42.3'))
            self.assert_finding(self.one(host, 'address'), 'warn', '238.127.42.3', '23 bits')
            # The session's own groups and unrelated ones do not count as twins.
            for group in ('239.255.42.3', '238.127.43.3', '238.126.42.3'):
                host.write('proc/net/igmp', igmp(group))
                self.assert_finding(self.one(host, 'address'), 'ok')

    def test_ipv6_needs_a_named_interface_or_a_route(self):
        def ipv6_route(destination, prefix, iface, metric=0x100):
            network = socket.inet_pton(socket.AF_INET6, destination).hex()
            return (f'{network} {prefix:02x} {"0" * 32} 00 {"0" * 32} {metric:08x} 00000001 00000000 00000001 '
                    f'{iface:>8}\n')
        with Host() as host:
            uri = 'lmcc://[ff15::42]:5004'
            self.assert_finding(self.one(host, 'route', uri), 'fail', 'cannot fall back', 'multicast-iface=')
            host.write('proc/net/ipv6_route', ipv6_route('ff00::', 8, 'eth0') + ipv6_route('::', 0, 'lo'))
            self.assert_finding(self.one(host, 'route', uri), 'ok', 'eth0')
            self.assert_finding(self.one(host, 'route', uri, '--multicast-iface', 'lo'), 'fail', 'no IPv6', 'IPv4')

    def test_other_sockets_on_the_port_are_counted(self):
        with Host() as host:
            host.write('proc/net/udp',
                       '   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout '
                       'inode ref pointer drops\n'
                       '  100: 00000000:138C 00000000:0000 07 00000000:00000000 00:00000000 00000000  1000        0 '
                       '4711 2 0000000000000000 0\n')
            _, report = host.doctor()
            self.assertEqual([each['finding'].split()[2] for each in find(report, 'port')], ['5004', '5005'])
            self.assertIn('other sockets (1)', find(report, 'port')[0]['finding'])
            self.assertIn('is free', find(report, 'port')[1]['finding'])

    def test_rubbish_in_the_files_is_no_reason_to_stop(self):
        with Host() as host:
            for path in ('proc/net/route', 'proc/net/ipv6_route', 'proc/net/igmp', 'proc/net/igmp6', 'proc/net/udp',
                         'proc/sys/net/core/rmem_max', 'sys/class/net/eth0/flags'):
                host.write(path, '\n\t x\n\n zz zz zz zz zz zz zz zz zz zz zz\n:\n')
            for uri in (URI, 'lmcc://[ff15::1]'):
                code, _ = host.doctor(uri)
                self.assertIn(code, (OK, FAILURE))


class TheCommand(unittest.TestCase):
    def test_text_has_a_line_and_a_remedy_for_each_finding(self):
        with Host() as host:
            host.sysctl('net/core/rmem_max', 1000)
            lines = run('doctor', '--root', str(host.root)).stdout.splitlines()
            at = next(i for i, line in enumerate(lines) if line.startswith('WARN  receive-buffer'))
            self.assertIn('-> sysctl -w', lines[at + 1])
            self.assertEqual(lines[-1], '0 failed, 1 warnings')

    def test_bad_arguments_are_refused_with_a_remedy(self):
        for arguments, word in ((['http://example.org'], 'lmcc://GROUP:PORT'), (['239.1.1.1:65535'], '65534'),
                                (['239.1.1.1:0'], '65534'), ([URI, URI], 'too many'), (['--seconds', '0'], '1 to'),
                                (['--querier', '-1'], '0 to'), (['lmcc://x@232.1.1.1'], 'sender'),
                                (['lmcc://fd00::1@239.1.1.1'], 'lmcc://')):
            with self.subTest(arguments=arguments):
                result = run('doctor', *arguments)
                self.assertEqual(result.returncode, USAGE)
                self.assertIn(word, result.stderr)


class Loopback(unittest.TestCase):
    """Real sockets, on lo only."""

    GROUP = '239.255.77.1'

    def setUp(self):
        # An unused even port with the next one free, too.
        while True:
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
                probe.bind(('', 0))
                self.port = probe.getsockname()[1] & ~1
            if self.port < 65534 and self.is_free(self.port) and self.is_free(self.port + 1):
                break

    @staticmethod
    def is_free(port):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.bind(('', port))
            except OSError:
                return False
        return True

    def doctor(self, *options):
        result = run('doctor', '--json', '--multicast-iface', 'lo', *options, f'{self.GROUP}:{self.port}')
        return json.loads(result.stdout)

    def send_until(self, done, packets):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton('127.0.0.1'))
            while not done.wait(0.02):
                for offset, packet in packets:
                    sender.sendto(packet, (self.GROUP, self.port + offset))

    def doctor_while_sending(self, packets, *options):
        done = threading.Event()
        thread = threading.Thread(target=self.send_until, args=(done, packets))
        thread.start()
        try:
            return self.doctor(*options)
        finally:
            done.set()
            thread.join()

    RTP = bytes([0x80, 96, 0, 1]) + bytes(8)

    def report(self, ssrc=0x1000):
        # Sender report and CNAME.
        report = struct.pack('!BBHIQIII', 0x80, 200, 6, ssrc, 0, 0, 0, 0)
        names = struct.pack('!BBHI', 0x81, 202, 3, ssrc) + bytes([1, 4]) + b'test' + bytes(2)
        return report + names

    def record(self, ssrc=0x1000):
        # With an APP packet LMCC with one fragment (docs/developers/wire-format.md) of an incomplete record.
        text = b'v=0\r\n'
        app = struct.pack('!BBHI4sHBBHH', 0x81, 204, 6, ssrc, b'LMCC', 1, 0, 1, len(text), 0) + text + bytes(3)
        return self.report(ssrc) + app

    def test_silence_fails_at_arrival_with_the_group_joined(self):
        report = self.doctor('--seconds', '1')
        self.assertEqual(find(report, 'join')[0]['status'], 'ok', report)
        self.assertEqual(find(report, 'arrival')[0]['status'], 'fail')
        self.assertIn('tcpdump', find(report, 'arrival')[0]['remedy'])
        self.assertEqual(report['result'], 'fail')

    def test_media_without_a_record_says_which_port_is_closed(self):
        report = self.doctor_while_sending([(0, self.RTP)], '--seconds', '1')
        arrival = find(report, 'arrival')[0]
        self.assertEqual(arrival['status'], 'ok', report)
        self.assertIn('127.0.0.1', arrival['finding'])
        self.assertIn('TTL of 1', arrival['finding'])
        record = find(report, 'record')[0]
        self.assertEqual(record['status'], 'fail')
        self.assertIn(str(self.port + 1), record['remedy'])

    def test_rtcp_of_another_sender_is_told_apart(self):
        report = self.doctor_while_sending([(0, self.RTP), (1, self.report())], '--seconds', '1')
        self.assertIn('lmccsink', find(report, 'record')[0]['remedy'])

    def test_what_is_not_rtp_is_told_apart(self):
        report = self.doctor_while_sending([(0, b'hello')], '--seconds', '1')
        self.assertEqual(find(report, 'arrival')[0]['status'], 'fail')
        self.assertIn('not RTP', find(report, 'arrival')[0]['finding'])

    def test_a_second_session_on_the_group_is_heard(self):
        one = [(0, self.RTP), (1, self.record())]
        report = self.doctor_while_sending(one)
        self.assertEqual([each['status'] for each in find(report, 'senders')], ['ok'], report)
        report = self.doctor_while_sending(one + [(1, self.record(0x9000))])
        senders = find(report, 'senders')[0]
        self.assertEqual(senders['status'], 'warn', report)
        self.assertIn('sessions', senders['finding'])
        self.assertIn('127.0.0.1 (this host)', senders['finding'])
        self.assertIn('another address', senders['remedy'])

    def test_a_port_in_use_on_an_address_of_this_host_is_no_obstacle(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as holder:
            holder.bind(('127.0.0.1', self.port + 1))
            report = self.doctor('--seconds', '1')
        ports = find(report, 'port')
        self.assertEqual([each['status'] for each in ports], ['ok', 'ok'], report)
        self.assertIn('lmccsink', ports[1]['finding'])
        self.assertEqual(find(report, 'join')[0]['status'], 'ok')

    def test_a_port_that_is_not_shared_fails_at_the_port_and_the_join(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as holder:
            holder.bind(('', self.port))
            report = self.doctor('--seconds', '1')
        ports = find(report, 'port')
        self.assertEqual([each['status'] for each in ports], ['fail', 'ok'], report)
        self.assertIn(f'user {os.getuid()}', ports[0]['finding'])
        self.assertIn('ss -ulnp', ports[0]['remedy'])
        self.assertEqual(find(report, 'join')[0]['status'], 'fail')


def why_no_namespaces():
    """Why a test cannot have its own user, network and mount namespaces, or None."""
    for tool, package in (('unshare', 'util-linux'), ('ip', 'iproute2')):
        if not shutil.which(tool):
            return f'{tool} is not installed (Debian: {package})'
    mounts = 'mount -t sysfs none /sys && mount -t tmpfs none /usr/sbin'
    tried = subprocess.run(['unshare', '-rnm', 'sh', '-c', mounts], capture_output=True, text=True, check=False)
    if tried.returncode:
        return f'no namespaces of our own: {tried.stderr.strip()} (sysctl kernel.unprivileged_userns_clone=1)'
    return None


NO_NAMESPACES = why_no_namespaces()


@unittest.skipIf(NO_NAMESPACES, NO_NAMESPACES)
class BeyondRouters(unittest.TestCase):
    """In a network namespace of its own, with one interface and a router that sends nothing."""

    # /sys shows the network namespace in which it was mounted.
    SCRIPT = ('mount -t sysfs none /sys && ip link add lan type veth peer name far && '
              'ip link set far up && ip link set lan up && '
              'ip addr add 10.0.0.7/24 dev lan && ip -6 addr add fd00::7/64 dev lan nodad && '
              'ip route add default via 10.0.0.254 && ip -6 route add default via fd00::fe dev lan && exec "$@"')

    def advice(self, uri):
        """The finding and the remedy for packets that do not arrive."""
        result = run('doctor', '--json', '--seconds', '1', '--multicast-iface', 'lan', uri,
                     prefix=('unshare', '-rnm', 'sh', '-c', self.SCRIPT, 'sh'))
        self.assertEqual((result.returncode, result.stderr), (FAILURE, ''))
        arrival = find(json.loads(result.stdout), 'arrival')
        self.assertEqual([each['status'] for each in arrival], ['fail'], result.stdout)
        self.assertIn('no packet arrived on UDP port 6004', arrival[0]['finding'])
        return arrival[0]['remedy']

    def test_silence_of_a_source_beyond_a_router_is_put_down_to_ttl_and_multicast_routing(self):
        for uri, router in (('lmcc://192.0.2.7@232.1.1.1:6004', '10.0.0.254'),
                            ('lmcc://[2001:db8::7]@[ff3e::8000:1]:6004', 'fd00::fe')):
            with self.subTest(uri=uri):
                remedy = self.advice(uri)
                for words in (f'The sender is behind the router {router}',
                              "set the sender's ttl-mc to the number of routers + 1 (the default is 1)",
                              'multicast routing (PIM)', 'tcpdump -ni any udp port 6004'):
                    self.assertIn(words, remedy)

    def test_silence_of_nobody_in_particular_may_be_ttl_and_multicast_routing(self):
        remedy = self.advice('lmcc://239.255.42.1:6004')
        for words in ('If the sender is behind the router 10.0.0.254', 'ttl-mc to the number of routers + 1', 'PIM'):
            self.assertIn(words, remedy)

    def test_silence_of_a_source_on_the_link_is_not_put_down_to_routers(self):
        remedy = self.advice('lmcc://10.0.0.9@232.1.1.1:6004')
        self.assertIn('tcpdump', remedy)
        for word in ('router', 'ttl-mc'):
            self.assertNotIn(word, remedy)


@unittest.skipIf(NO_NAMESPACES, NO_NAMESPACES)
class Nft(unittest.TestCase):
    """As root and as another user, with a fake nft or none."""

    # The machine's own nft is not found: neither there nor in PATH.
    SCRIPT = 'mount -t tmpfs none /usr/sbin && PATH=$0 exec "$@"'
    AS_ROOT, AS_NOBODY = '-rnm', '-Unm'

    def firewall(self, user, nft=None):
        """The findings about the firewall; `nft` is a script in nft's place."""
        with tempfile.TemporaryDirectory() as directory:
            os.chmod(directory, 0o755)
            if nft is not None:
                path = Path(directory, 'nft')
                path.write_text(f'#!/bin/sh\n{nft}\n')
                path.chmod(0o755)
            command = ('sh', '-c', self.SCRIPT, directory) if user == self.AS_ROOT else ('env', f'PATH={directory}')
            result = run('doctor', '--json', '--seconds', '1', URI, prefix=('unshare', user, *command))
        self.assertEqual(result.stderr, '')
        return find(json.loads(result.stdout), 'firewall')[0]

    def test_root_without_nft_is_told_to_install_it_and_no_more(self):
        found = self.firewall(self.AS_ROOT)
        self.assertEqual((found['status'], found['remedy']), ('skip', 'install the package nftables'))
        self.assertIn('nft is not there', found['finding'])

    def test_an_nft_that_fails_is_told_of(self):
        found = self.firewall(self.AS_ROOT, 'echo Operation not permitted >&2; exit 1')
        self.assertEqual(found['status'], 'skip')
        self.assertIn('nft list ruleset fails', found['finding'])
        self.assertIn('read its message', found['remedy'])
        self.assertNotIn('as root', found['remedy'])

    def test_what_nft_lists_is_read(self):
        rules = 'table inet filter {\n\tchain in {\n\t\ttype filter hook input priority 0; policy drop;\n\t}\n}'
        found = self.firewall(self.AS_ROOT, f'[ "$*" = "list ruleset" ] && echo "{rules}"')
        self.assertEqual(found['status'], 'warn')
        self.assertIn('seem to drop igmp and UDP port 5004', found['finding'])

    def test_who_is_not_root_is_told_to_be(self):
        found = self.firewall(self.AS_NOBODY, 'exit 0')
        self.assertEqual(found['status'], 'skip')
        self.assertIn('run this as root', found['remedy'])

    @unittest.skipIf(any(Path(each, 'nft').exists() for each in ('/usr/sbin', '/sbin')),
                     'nft is installed here (Debian: nftables)')
    def test_who_is_not_root_is_told_both(self):
        found = self.firewall(self.AS_NOBODY)
        self.assertEqual(found['remedy'], 'install the package nftables, and run this as root')


if __name__ == '__main__':
    unittest.main()
