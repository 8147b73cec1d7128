# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads the packets of the groups of a session from their headers alone (docs/developers/wire-format.md), and assembles
their access units (RFC 6184)."""

import collections
import ipaddress
import selectors
import socket
import struct
import threading

import clip
import lib

MEDIA = 0
IP_MULTICAST_ALL = 49
IP_AND_UDP = 28
SO_RCVBUFFORCE = 33
RECEIVE_BUFFER = 8 << 20

# A packet: sent at `sent` s, with `size` bytes including IP and UDP headers.
Packet = collections.namedtuple(
    'Packet', 'layer kind stream klass first last more timestamp sequence lsn '
    'osn sent size payload')

# A received access unit: the layers of its packets, and the total of their bytes.
Sent = collections.namedtuple('Sent', 'stream klass timestamp layers sizes '
                              'identity whole')


def parse(data):
    """Parses a datagram of the session; None if it is another datagram."""
    if len(data) < 36 or data[0] >> 6 != 2 or not data[0] & 0x10:
        return None
    at = 12 + 4 * (data[0] & 15)
    profile, words = struct.unpack_from('>HH', data, at)
    end = at + 4 + 4 * words
    if profile != 0xbede or len(data) < end:
        return None
    at += 4
    while at < end and data[at] == 0:
        at += 1
    if at + 17 > end or data[at] & 15 != 15:
        return None
    element = data[at + 1:at + 17]
    if element[0] >> 6 != 1:
        return None
    return Packet(
        layer=element[1] >> 2, kind=element[0] >> 3 & 7,
        stream=element[3] >> 4, klass=element[3] & 15,
        first=bool(element[0] & 4), last=bool(element[0] & 2),
        more=bool(element[0] & 1),
        timestamp=int.from_bytes(data[4:8], 'big'),
        sequence=int.from_bytes(data[2:4], 'big'),
        lsn=int.from_bytes(element[8:10], 'big'),
        osn=int.from_bytes(element[10:12], 'big'),
        sent=int.from_bytes(element[12:16], 'big') / 65536,
        size=len(data) + IP_AND_UDP,
        payload=data[end:] if element[0] >> 3 & 7 == MEDIA else b'')


def read_nal_units(payloads):
    """The NAL units of successive RTP payloads."""
    nals = []
    for payload in payloads:
        kind = payload[0] & 31
        if kind == 24:
            at = 1
            while at + 2 < len(payload):
                size = int.from_bytes(payload[at:at + 2], 'big')
                nals.append(payload[at + 2:at + 2 + size])
                at += 2 + size
        elif kind == 28:
            if payload[1] & 0x80:
                nals.append(bytes([payload[0] & 0xe0 | payload[1] & 31]))
            if nals:
                nals[-1] += payload[2:]
        else:
            nals.append(payload)
    return [nal.rstrip(b'\x00') for nal in nals]


def assemble(packets):
    """The access units of media packets, in the order of their OSN."""
    units = collections.defaultdict(list)
    for packet in packets:
        if packet.kind == MEDIA:
            units[packet.stream, packet.timestamp].append(packet)
    made = []
    for (stream, timestamp), parts in units.items():
        start = parts[0].osn
        parts.sort(key=lambda p: (p.osn - start + 0x8000) & 0xffff)
        whole = (parts[0].first and parts[-1].last
                 and parts[-1].osn - parts[0].osn & 0xffff == len(parts) - 1)
        made.append(Sent(stream, parts[0].klass, timestamp,
                         [p.layer for p in parts], [p.size for p in parts],
                         clip.identify(read_nal_units(
                             [p.payload for p in parts])), whole))
    return made


class Capture:
    """All media packets that arrive at the groups, and the number of RTCP bytes."""

    def __init__(self, address, n_groups, port):
        first = ipaddress.ip_address(address)
        self.packets = []
        self.control_bytes = 0
        self._selector = selectors.DefaultSelector()
        for i in range(n_groups):
            self._listen(str(first + i), port, False)
        self._listen(str(first), port + 1, True)
        self._running = True
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _listen(self, group, port, control):
        receiver = lib.group_socket(group, port)
        try:
            receiver.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE,
                                RECEIVE_BUFFER)
        except PermissionError:
            receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF,
                                RECEIVE_BUFFER)
        receiver.setsockopt(socket.IPPROTO_IP, IP_MULTICAST_ALL, 0)
        self._selector.register(receiver, selectors.EVENT_READ, control)

    def _run(self):
        while self._running:
            for key, _ in self._selector.select(0.2):
                data = key.fileobj.recv(2048)
                if key.data:
                    self.control_bytes += len(data) + IP_AND_UDP
                else:
                    packet = parse(data)
                    if packet:
                        self.packets.append(packet)

    def stop(self):
        self._running = False
        self._thread.join()
        for key in list(self._selector.get_map().values()):
            key.fileobj.close()
        self._selector.close()

    def gaps(self):
        """The number of missing packets by the layers' own sequence numbers."""
        latest, missing = {}, 0
        for packet in self.packets:
            if packet.layer in latest:
                step = packet.lsn - latest[packet.layer] & 0xffff
                missing += step - 1 if 0 < step < 0x8000 else -1
            latest[packet.layer] = packet.lsn
        return missing
