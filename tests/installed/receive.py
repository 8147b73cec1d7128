#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""An example receiver in Python: receive.py GROUP PORT SECONDS. Like receive.c, but through ctypes; it counts the units
that it receives.

The structures are those of lmcc-receiver.h, lmcc-packet.h and lmcc-address.h, version 1.0 of the library. IPv4 only.
"""
import ctypes
import select
import socket
import sys
import time
from ctypes import POINTER, Structure, byref, c_char_p, c_int, c_uint, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p

MS = 1000000
PADDING = 4
RTT_MODE_JOIN = 1
JOIN, LEAVE, DELIVER, LEVEL = 0, 1, 2, 6


class Address(Structure):
    _fields_ = [('family', c_int), ('bytes', c_uint8 * 16)]


class Packet(Structure):
    _fields_ = [('data', c_void_p), ('size', ctypes.c_size_t), ('capacity', ctypes.c_size_t)]


class Config(Structure):
    _fields_ = [('address', Address), ('source', Address), ('session', c_void_p), ('algorithm', c_char_p),
                ('settings', c_void_p), ('rtt_mode', c_int), ('fixed_rtt', c_uint64), ('latency', c_uint64),
                ('timeout', c_uint64), ('allow_low_port', c_int), ('max_level', c_int), ('max_bitrate', c_uint64),
                ('max_memory', c_uint64), ('max_leap', c_uint), ('on_loss', c_int), ('source_policy', c_int),
                ('codecs', c_void_p), ('sequence_seed', c_uint32), ('reserved', c_void_p * PADDING)]


class Action(Structure):
    _fields_ = [('type', c_int), ('group', c_uint), ('control', c_int), ('packet', POINTER(Packet)),
                ('destination', Address), ('previous', Address), ('held_back', c_uint64), ('port', c_uint16),
                ('time', c_uint64), ('discont', c_int), ('corrupted', c_int), ('unit_start', c_int),
                ('catch_up', c_int), ('start', c_int), ('to', c_int), ('reason', c_char_p),
                ('reserved', c_void_p * PADDING)]


lmcc = ctypes.CDLL('libgstlmcc-1.0.so.0')
lmcc.lmcc_packet_new.restype = POINTER(Packet)
lmcc.lmcc_packet_new.argtypes = [ctypes.c_size_t]
lmcc.lmcc_receiver_new.restype = c_void_p
lmcc.lmcc_receiver_start.argtypes = [c_void_p, c_uint64]
lmcc.lmcc_receiver_poll_action.argtypes = [c_void_p, POINTER(Action)]
lmcc.lmcc_receiver_next_timeout.argtypes = [c_void_p]
lmcc.lmcc_receiver_next_timeout.restype = c_uint64
lmcc.lmcc_receiver_handle_timeout.argtypes = [c_void_p, c_uint64]
lmcc.lmcc_receiver_handle_packet.argtypes = [c_void_p, c_uint64, c_uint64, c_uint, POINTER(Address), c_uint16,
                                             POINTER(Packet)]
lmcc.lmcc_receiver_handle_control.argtypes = [c_void_p, c_uint64, POINTER(Address), c_uint16, c_char_p,
                                              ctypes.c_size_t]
lmcc.lmcc_receiver_free.argtypes = [c_void_p]


def parse(text):
    address = Address()
    if not lmcc.lmcc_address_parse(text.encode(), byref(address)):
        sys.exit(f'{text} is not an address')
    return address


class Receiver:
    def __init__(self, group, port):
        self.base, self.port = parse(group), port
        self.sockets, self.delivered, self.level = {}, 0, -1
        config = Config(address=self.base, algorithm=b'auto', rtt_mode=RTT_MODE_JOIN, latency=200 * MS, max_level=-1,
                        sequence_seed=time.time_ns() & 0xffffffff)
        self.receiver = lmcc.lmcc_receiver_new(byref(config))
        self.join(None, port + 1)
        lmcc.lmcc_receiver_start(self.receiver, time.monotonic_ns())

    def join(self, group, port):
        """With a group of None: the RTCP of the base group. A bound socket gets only packets of its group."""
        address = Address()
        lmcc.lmcc_address_group(byref(self.base), group or 0, byref(address))
        name = bytes(address.bytes[:4])
        joined = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        joined.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        joined.bind((socket.inet_ntoa(name), port))
        joined.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, name + socket.inet_aton('127.0.0.1'))
        joined.setblocking(False)
        self.sockets[group] = joined

    def take(self, group):
        """Reads all packets waiting in a socket."""
        while True:
            try:
                data, (host, port) = self.sockets[group].recvfrom(9000)
            except BlockingIOError:
                return
            source, now = parse(host), time.monotonic_ns()
            if group is None:
                lmcc.lmcc_receiver_handle_control(self.receiver, now, byref(source), port, data, len(data))
                continue
            packet = lmcc.lmcc_packet_new(len(data))
            packet.contents.size = len(data)
            ctypes.memmove(packet.contents.data, data, len(data))
            lmcc.lmcc_receiver_handle_packet(self.receiver, now, now, group, byref(source), port, packet)

    def act(self):
        action = Action()
        while lmcc.lmcc_receiver_poll_action(self.receiver, byref(action)):
            if action.type == JOIN:
                self.join(action.group, self.port)
            elif action.type == LEAVE:
                self.sockets.pop(action.group).close()
            elif action.type == DELIVER:
                self.delivered += 1
            elif action.type == LEVEL:
                self.level = action.to
                print(f'level {action.start} to {action.to}: {action.reason.decode()}', flush=True)
            if action.packet:
                lmcc.lmcc_packet_unref(action.packet)

    def run(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.act()
            wait = min(lmcc.lmcc_receiver_next_timeout(self.receiver) - time.monotonic_ns(), 100 * MS)
            select.select(self.sockets.values(), (), (), max(wait, 0) / 1e9)
            for group in tuple(self.sockets):
                # An earlier packet of this loop may have made the receiver leave the group.
                if group in self.sockets:
                    self.take(group)
                    self.act()
            lmcc.lmcc_receiver_handle_timeout(self.receiver, time.monotonic_ns())
        lmcc.lmcc_receiver_free(self.receiver)


def main():
    receiver = Receiver(sys.argv[1], int(sys.argv[2]))
    receiver.run(float(sys.argv[3]))
    print(f'{receiver.delivered} packets, level {receiver.level}')
    sys.exit(0 if receiver.delivered > 0 and receiver.level > 0 else 1)


if __name__ == '__main__':
    main()
