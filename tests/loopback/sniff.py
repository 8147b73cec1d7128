# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints twice a second how many UDP packets have arrived in this network namespace, by source and group."""

import socket
import time


def main():
    packets = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM,
                            socket.htons(3))
    packets.settimeout(0.2)
    counts, told = {}, time.monotonic()
    while True:
        try:
            data, address = packets.recvfrom(2048)
        except socket.timeout:
            data = b''
        if data and address[2] != socket.PACKET_OUTGOING:
            if data[0] >> 4 == 4 and data[9] == 17:
                key = socket.inet_ntoa(data[12:16]), socket.inet_ntoa(
                    data[16:20])
                counts[key] = counts.get(key, 0) + 1
            elif data[0] >> 4 == 6 and data[6] == 17:
                key = tuple(socket.inet_ntop(socket.AF_INET6, part)
                            for part in (data[8:24], data[24:40]))
                counts[key] = counts.get(key, 0) + 1
        if time.monotonic() > told + 0.5:
            told = time.monotonic()
            print(' '.join(f'{source}>{group}={n}'
                           for (source, group), n in counts.items()),
                  flush=True)


if __name__ == '__main__':
    main()
