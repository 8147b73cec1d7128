# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Constant traffic to a group, and what comes of it.

Usage: traffic.py send ADDRESS GROUP BITRATE SIZE SECONDS
       traffic.py receive ADDRESS GROUP

ADDRESS is that of the host itself; rate and size are those of whole IP packets. `receive` says `ready`, and at the end
of its input, as JSON: packets, and the least and the greatest delay in seconds. All clocks of one machine are the same.
"""
import json
import select
import socket
import struct
import sys
import time

PORT = 5000
HEADERS = 28


def send(address, group, rate, size, seconds):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        out.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(address))
        start = time.monotonic()
        count = round(rate * seconds / size / 8)
        for i in range(count):
            time.sleep(max(0.0, start + i * size * 8 / rate - time.monotonic()))
            out.sendto(struct.pack('d', time.monotonic()) + bytes(size - HEADERS - 8), (group, PORT))
    print(json.dumps({'packets': count}))


def take(socket_in, delays):
    sent = struct.unpack_from('d', socket_in.recv(65536))[0]
    delays.append(time.monotonic() - sent)


def receive(address, group):
    delays = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as socket_in:
        socket_in.bind((group, PORT))
        socket_in.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
                             socket.inet_aton(group) + socket.inet_aton(address))
        print('ready', flush=True)
        while sys.stdin not in select.select([sys.stdin, socket_in], [], [])[0]:
            take(socket_in, delays)
        while socket_in in select.select([socket_in], [], [], 0)[0]:
            take(socket_in, delays)
    print(json.dumps({'packets': len(delays), 'least': min(delays, default=None),
                      'greatest': max(delays, default=None)}))


if __name__ == '__main__':
    if sys.argv[1] == 'send':
        send(*sys.argv[2:4], float(sys.argv[4]), int(sys.argv[5]), float(sys.argv[6]))
    else:
        receive(*sys.argv[2:4])
