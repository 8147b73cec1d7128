# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints the packets on the interface of this network namespace, with the kernel's times (s, of the real-time clock):

    TIME report TYPE GROUP SOURCE...   a record of an IGMPv3 or MLDv2 report that this host sends (RFC 3376 4.2.12)
    TIME packet SOURCE GROUP           a UDP packet to a group that arrives
"""
import socket
import struct

# linux/if_ether.h, asm-generic/socket.h
ETH_P_ALL = 3
SO_TIMESTAMPNS = 35

IGMP, UDP, ICMPV6, HOP_BY_HOP = 2, 17, 58, 0
IGMPV3_REPORT, MLDV2_REPORT = 0x22, 143


def records(data, size):
    """(type, group, sources) of each record of a report, whose addresses have `size` bytes."""
    family = socket.AF_INET if size == 4 else socket.AF_INET6
    count, = struct.unpack_from('!H', data, 6)
    at = 8
    for _ in range(count):
        kind, auxiliary, sources = struct.unpack_from('!BBH', data, at)
        at += 4
        addresses = [socket.inet_ntop(family, data[at + i * size:at + (i + 1) * size]) for i in range(sources + 1)]
        at += (sources + 1) * size + 4 * auxiliary
        yield kind, addresses[0], addresses[1:]


def split(data):
    """(protocol, source, destination, payload) of an IP packet."""
    if data[0] >> 4 == 4:
        addresses = (socket.inet_ntoa(data[12:16]), socket.inet_ntoa(data[16:20]))
        return data[9], *addresses, data[4 * (data[0] & 15):]
    addresses = (socket.inet_ntop(socket.AF_INET6, part) for part in (data[8:24], data[24:40]))
    if data[6] == HOP_BY_HOP:
        return data[40], *addresses, data[48 + 8 * data[41]:]
    return data[6], *addresses, data[40:]


def tell(when, outgoing, data):
    protocol, source, destination, payload = split(data)
    if outgoing and (protocol, payload[0]) in ((IGMP, IGMPV3_REPORT), (ICMPV6, MLDV2_REPORT)):
        for kind, group, sources in records(payload, 4 if protocol == IGMP else 16):
            print(f'{when:.6f} report', kind, group, *sources, flush=True)
    elif not outgoing and protocol == UDP:
        print(f'{when:.6f} packet', source, destination, flush=True)


def main():
    packets = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_ALL))
    packets.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    packets.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
    print('ready', flush=True)
    while True:
        data, extra, _, address = packets.recvmsg(2048, 64)
        stamps = [value for level, kind, value in extra if (level, kind) == (socket.SOL_SOCKET, SO_TIMESTAMPNS)]
        if stamps and data[0] >> 4 in (4, 6):
            seconds, nanoseconds = struct.unpack('ll', stamps[0])
            tell(seconds + nanoseconds / 1e9, address[2] == socket.PACKET_OUTGOING, data)


if __name__ == '__main__':
    main()
