# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sends constant traffic to a group, or receives it and measures it.

Usage: traffic.py send ADDRESS GROUP BITRATE SIZE SECONDS
       traffic.py receive ADDRESS GROUP

ADDRESS is that of the host itself; BITRATE and SIZE are those of IP packets. GROUP may be a host. `send` prints, as
JSON, the number of packets and the maximum lateness of a packet. `receive` prints `ready` and, at the end of its input,
the number of packets; the mean and the percentiles 0, 1 ... 100 of the delay; the time from the first packet to the
last, all in seconds; and the number of reordered packets. All clocks of a machine are the same.
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

# asm-generic/socket.h: arrival time of a packet in the kernel, in struct timespec.
SO_TIMESTAMPNS = 35
TIMESPEC = struct.Struct('qq')

BUFFER = 4 << 20

# The same file, and linux/sock_diag.h: number of packets dropped by a socket.
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
    """Adds the send time and the arrival time of a packet."""
    data, told, *_ = socket_in.recvmsg(65536, socket.CMSG_SPACE(TIMESPEC.size))
    seconds, nanoseconds = TIMESPEC.unpack(told[0][2])
    times.append((struct.unpack_from('d', data)[0], seconds + nanoseconds / 1e9))


def overflowed(socket_in):
    return struct.unpack('9I', socket_in.getsockopt(socket.SOL_SOCKET, SO_MEMINFO, 36))[SK_MEMINFO_DROPS]


def reordered(sent):
    """The number of reordered packets (RFC 4737 section 3.3), given the send times in order of arrival."""
    greatest, late = -math.inf, 0
    for one in sent:
        late += one < greatest
        greatest = max(greatest, one)
    return late


def percentiles(delays):
    """The percentiles 0, 1 ... 100."""
    delays = sorted(delays)
    return [delays[round(percent / 100 * (len(delays) - 1))] for percent in range(101)]


def describe(times, missed):
    """The results. Packets that this program did not read in time count as received, but have no delay."""
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
