# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Joins two interfaces as a wire does that is some thousand kilometres long, has a queue before it, and loses packets.

Usage: emulator.py INTERFACE INTERFACE LINK

LINK is JSON: `delay`, in seconds and each way; of what comes from the first interface, `loss`, a share, `row`, how many
packets are lost in a row, `queue`, with the arguments of LinkQueue and, as `red`, of Red, `jitter` and `reorder`, with
those of Jitter and Reorder; `seed` for all of them. Only packets to multicast groups are lost, with `every` all of UDP
and TCP. Each group has random numbers of its own, for RTP and for RTCP, and with `every` each connection; the rest has
some together.

Prints `ready`, then works until its standard input is closed, and prints how late it was, what it dropped, lost and
delayed, how many packets that might have been lost it let through, and the seconds of a processor that it took, as
JSON.
"""
import array
import json
import select
import socket
import struct
import sys
import time

from link import Jitter, Link, Loss, Reorder
from link_queue import LinkQueue, Red

# linux/if_packet.h, linux/if_ether.h
SOL_PACKET = 263
PACKET_STATISTICS = 6
PACKET_VNET_HDR = 15
PACKET_IGNORE_OUTGOING = 23
ETH_P_ALL = 3

# asm-generic/socket.h; struct timespec.
SO_TIMESTAMPNS = 35
TIMESPEC = struct.Struct('qq')

# struct virtio_net_hdr of linux/virtio_net.h, the Ethernet header, IPv4's without options.
VIRTIO, ETHERNET, IPV4 = 10, 14, 20
TCP, UDP = 6, 17

BUFFER = 4 << 20
LARGEST = 1 << 17

# Seconds for which frames may be left with the kernel, of whose room they take little meanwhile: 212992 bytes are the
# default of net.core.rmem_max, of which a frame of 1.5 kB takes some 2.3, and the kernel doubles them for that.
LEFT = 0.002

# Seconds; how finely lateness is counted, and up to where.
STEP, STEPS = 0.0001, 10000


def flow_of(frame, every):
    """The group of a datagram over IPv4, and whether its port is odd; with `every`, of what goes to a host, protocol,
    addresses and ports; None for all else."""
    packet = frame[VIRTIO + ETHERNET:VIRTIO + ETHERNET + IPV4 + 8]
    if len(packet) < IPV4 + 8 or packet[0] != 0x45:
        return None
    if packet[16] >> 4 == 14:
        return packet[16:20] + bytes([packet[23] & 1]) if packet[9] == UDP else None
    return packet[9:10] + packet[12:24] if every and packet[9] in (TCP, UDP) else None


class Lateness:
    """How late the frames were, without keeping all of them."""

    def __init__(self):
        self.counts = array.array('L', bytes(array.array('L').itemsize * (STEPS + 1)))
        self.frames = 0
        self.sum = 0.0
        self.most = 0.0

    def add(self, late):
        self.frames += 1
        self.sum += late
        self.most = max(self.most, late)
        self.counts[min(STEPS, int(late / STEP))] += 1

    def share(self, share):
        """What that share of them does not exceed."""
        left = share * self.frames
        for step, count in enumerate(self.counts):
            left -= count
            if left <= 0:
                return (step + 1) * STEP
        return self.most


class End:
    """One interface. Frames come and go with the header that says what the hardware is to do yet (checksum,
    segmentation), so that nothing has to be switched off at the hosts."""

    def __init__(self, interface, link, every=False):
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        self.socket.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
        self.socket.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
        # When a frame came, not when this program could run again.
        self.socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.socket.bind((interface, ETH_P_ALL))
        self.socket.setblocking(False)
        self.link = link
        self.every = every

    def fileno(self):
        return self.socket.fileno()

    def receive(self):
        # In this order: whoever is held up in between takes frames to have come later, not earlier.
        kernel = time.time()
        offset = time.monotonic() - kernel
        try:
            while True:
                frame, told, *_ = self.socket.recvmsg(LARGEST, socket.CMSG_SPACE(TIMESPEC.size))
                self.link.enter(self.stamp(told, offset), len(frame) - VIRTIO, flow_of(frame, self.every), frame)
        except BlockingIOError:
            pass

    @staticmethod
    def stamp(told, offset):
        """When a frame came, by what the kernel tells of it; where it tells nothing, or the clock was set, now."""
        now = time.monotonic()
        for level, kind, data in told:
            if (level, kind) == (socket.SOL_SOCKET, SO_TIMESTAMPNS):
                seconds, nanoseconds = TIMESPEC.unpack(data)
                return min(now, seconds + nanoseconds / 1e9 + offset)
        return now

    def overflowed(self):
        """How many frames came faster than this program took them."""
        return struct.unpack('II', self.socket.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8))[1]


class Wire:
    """`forth` is the link from the first end to the second, `back` the other way."""

    def __init__(self, interfaces, forth, back, every):
        self.ends = [End(interfaces[0], forth, every), End(interfaces[1], back)]
        # A frame that comes now is not due before this.
        self.left = min(LEFT, forth.delay, back.delay)
        self.lost = 0
        self.lateness = Lateness()
        self.began = time.process_time()

    def send_due(self):
        """Sends what has waited long enough; returns the seconds until the next is due, None where nothing waits."""
        for end, other in zip(self.ends, reversed(self.ends)):
            while (due := end.link.due()) is not None and due <= time.monotonic():
                try:
                    other.socket.send(end.link.leave())
                except OSError:
                    self.lost += 1
                self.lateness.add(time.monotonic() - due)
        due = [end.link.due() for end in self.ends if end.link.waiting]
        return max(0.0, min(due) - time.monotonic()) if due else None

    def run(self):
        print('ready', flush=True)
        # To wake up costs more than all else. What comes is stamped by the kernel, and need not be read before it can
        # be due.
        read = 0.0
        while True:
            wait = self.send_due()
            left = read + self.left - time.monotonic()
            listens = left <= 0
            if not listens:
                wait = left if wait is None else min(wait, left)
            ready = select.select([sys.stdin, *(self.ends if listens else ())], [], [], wait)[0]
            if sys.stdin in ready:
                return
            if ready:
                read = time.monotonic()
            for end in ready:
                end.receive()

    def tell(self):
        forth, late = self.ends[0].link, self.lateness
        return {'passed': forth.loss.passed, 'dropped': forth.loss.dropped,
                'overflowed': forth.queue.overflowed if forth.queue else 0,
                'red': forth.queue.dropped if forth.queue else 0,
                'delayed': forth.reorder.delayed if forth.reorder else 0,
                'frames': late.frames, 'lost': self.lost + sum(end.overflowed() for end in self.ends),
                'late-max': late.most, 'late-95': late.share(0.95), 'late-99': late.share(0.99),
                'late-mean': late.sum / late.frames if late.frames else 0.0,
                'processor': time.process_time() - self.began}


def make_queue(told, seed):
    red = told.pop('red', None)
    return LinkQueue(**told, red=Red(**red, seed=seed) if red else None)


def make_link(told):
    """What is told of the way from the first interface."""
    seed = told.get('seed', 0)
    return Link(told.get('delay', 0.0), make_queue(told['queue'], seed) if 'queue' in told else None,
                Loss(told.get('loss', 0.0), seed, told.get('row', 1)),
                Jitter(**told['jitter'], seed=seed) if 'jitter' in told else None,
                Reorder(**told['reorder'], seed=seed) if 'reorder' in told else None)


def main():
    told = json.loads(sys.argv[3])
    wire = Wire(sys.argv[1:3], make_link(told), Link(told.get('delay', 0.0)), told.get('every', False))
    wire.run()
    print(json.dumps(wire.tell()))


if __name__ == '__main__':
    main()
