# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Constant traffic to a group, and what comes of it.

Usage: traffic.py send ADDRESS GROUP BITRATE SIZE SECONDS
       traffic.py receive ADDRESS GROUP

ADDRESS is that of the host itself; rate and size are those of whole IP packets. GROUP may be a host. `send` tells, as
JSON, packets, and how late one was at most. `receive` says `ready`, and at the end of its input: packets; the mean
delay, and what 0, 1 ... 100 % do not exceed; the time from the first packet to the last; all in seconds; and how many
came after one that was sent later. All clocks of one machine are the same.
"""
import ipaddress
import json
import math
import select
import socket
import statistics
import struct
import sys
import time

PORT = 5000
HEADERS = 28

# asm-generic/socket.h: when the kernel had a packet, in struct timespec.
SO_TIMESTAMPNS = 35
TIMESPEC = struct.Struct('qq')

BUFFER = 4 << 20

# The same, and linux/sock_diag.h: what a socket had no room for.
SO_MEMINFO, SK_MEMINFO_DROPS = 55, 8


def send(address, group, rate, size, seconds):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        out.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(address))
        out.bind((address, PORT))
        start = time.monotonic()
        count = round(rate * seconds / size / 8)
        late = 0.0
        for i in range(count):
            early = start + i * size * 8 / rate - time.monotonic()
            late = max(late, -early)
            time.sleep(max(0.0, early))
            out.sendto(struct.pack('d', time.time()) + bytes(size - HEADERS - 8), (group, PORT))
    print(json.dumps({'packets': count, 'late': late}))


def take(socket_in, times):
    """Adds when a packet was sent and came."""
    data, told, *_ = socket_in.recvmsg(65536, socket.CMSG_SPACE(TIMESPEC.size))
    seconds, nanoseconds = TIMESPEC.unpack(told[0][2])
    times.append((struct.unpack_from('d', data)[0], seconds + nanoseconds / 1e9))


def overflowed(socket_in):
    return struct.unpack('9I', socket_in.getsockopt(socket.SOL_SOCKET, SO_MEMINFO, 36))[SK_MEMINFO_DROPS]


def reordered(sent):
    """How many came after one that was sent later (RFC 4737 section 3.3), of when each was, as they came."""
    greatest, late = -math.inf, 0
    for one in sent:
        late += one < greatest
        greatest = max(greatest, one)
    return late


def percentiles(delays):
    """What 0, 1 ... 100 % of them do not exceed."""
    delays = sorted(delays)
    return [delays[round(percent / 100 * (len(delays) - 1))] for percent in range(101)]


def describe(times, missed):
    """What came; packets that this program did not take in time came, too, and have no delay."""
    delays = [came - sent for sent, came in times]
    if not delays:
        return {'packets': missed}
    return {'packets': len(delays) + missed, 'mean': statistics.mean(delays), 'percentiles': percentiles(delays),
            'span': times[-1][1] - times[0][1], 'reordered': reordered(sent for sent, _ in times)}


def receive(address, group):
    times = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as socket_in:
        socket_in.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
        socket_in.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        socket_in.bind((group, PORT))
        if ipaddress.ip_address(group).is_multicast:
            socket_in.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
                                 socket.inet_aton(group) + socket.inet_aton(address))
        print('ready', flush=True)
        while sys.stdin not in select.select([sys.stdin, socket_in], [], [])[0]:
            take(socket_in, times)
        while socket_in in select.select([socket_in], [], [], 0)[0]:
            take(socket_in, times)
        missed = overflowed(socket_in)
    print(json.dumps(describe(times, missed)))


if __name__ == '__main__':
    if sys.argv[1] == 'send':
        send(*sys.argv[2:4], float(sys.argv[4]), int(sys.argv[5]), float(sys.argv[6]))
    else:
        receive(*sys.argv[2:4])
