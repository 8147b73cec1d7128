# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Disables segmentation offload of interfaces. Otherwise a queue, a filter or an emulator drops several packets at
once, because one frame contains them.

Usage: offload.py INTERFACE... in the network namespace of the interfaces. It uses the commands of linux/ethtool.h,
because ethtool is not installed everywhere.
"""
import array
import fcntl
import socket
import struct
import sys

SIOCETHTOOL = 0x8946
GET_STRINGS, GET_COUNT, SET_FEATURES = 0x1b, 0x37, 0x3b
FEATURES = 4  # the string set of the features
NAME_SIZE = 32

# Features that produce frames of several packets; those of TCP are found by their prefix.
SEGMENTATION = ('tx-generic-segmentation', 'tx-udp-segmentation', 'tx-gso-list')
TCP = 'tx-tcp'


def call(sock, interface, command):
    """Sends `command` to the interface and returns the answer that the kernel writes in its place."""
    data = array.array('B', command)
    fcntl.ioctl(sock, SIOCETHTOOL, struct.pack('16sP8x', interface.encode(), data.buffer_info()[0]))
    return data.tobytes()


def list_features(sock, interface):
    count, = struct.unpack_from('=I', call(sock, interface, struct.pack('=IIQI', GET_COUNT, 0, 1 << FEATURES, 0)), 16)
    strings = call(sock, interface, struct.pack('=III', GET_STRINGS, FEATURES, count) + bytes(count * NAME_SIZE))
    return [strings[12 + i * NAME_SIZE:][:NAME_SIZE].rstrip(b'\0').decode() for i in range(count)]


def send_singly(interface):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        names = list_features(sock, interface)
        masks = [0] * ((len(names) + 31) // 32)
        for i, name in enumerate(names):
            if name in SEGMENTATION or name.startswith(TCP):
                masks[i // 32] |= 1 << i % 32
        blocks = b''.join(struct.pack('=II', mask, 0) for mask in masks)
        call(sock, interface, struct.pack('=II', SET_FEATURES, len(masks)) + blocks)


if __name__ == '__main__':
    for argument in sys.argv[1:]:
        send_singly(argument)
