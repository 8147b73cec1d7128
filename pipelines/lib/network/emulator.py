# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Emulates a link between two interfaces, with a delay, a queue, packet loss, jitter and reordering.

Usage: emulator.py INTERFACE INTERFACE LINK

LINK is JSON with these fields:

- `delay`: one-way delay in seconds, in both directions; the other fields apply only to packets from the first interface
- `loss`: share of packets to drop; `row`: number of packets that are lost in a row
- `queue`: arguments of LinkQueue, and of Red in its field `red`
- `jitter`, `reorder`: arguments of Jitter and Reorder
- `seed`: seed of the random numbers of all of them
- `every`: drop unicast UDP and TCP packets too; without it, only packets to multicast groups

Each group has its own random numbers for RTP and for RTCP and, with `every`, so has each connection. All other packets
share a sequence of random numbers.

Prints `ready`, runs until its standard input is closed, then prints statistics as JSON: lateness, packets dropped,
lost, delayed and passed, and processor time in seconds.
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

# Seconds for which frames may stay in the kernel's socket buffer. The default of net.core.rmem_max is 212992 bytes,
# which the kernel doubles for its overhead; a frame of 1.5 kB takes about 2.3 kB.
LEFT = 0.002

# Resolution of the lateness histogram in seconds, and its number of steps.
STEP, STEPS = 0.0001, 10000


def flow_of(frame, every):
    """The flow of a frame: the group of an IPv4 datagram and the parity of its port or, with `every`, the protocol,
    addresses and ports of a unicast packet; None for everything else."""
    packet = frame[VIRTIO + ETHERNET:VIRTIO + ETHERNET + IPV4 + 8]
    if len(packet) < IPV4 + 8 or packet[0] != 0x45:
        return None
    if packet[16] >> 4 == 14:
        return packet[16:20] + bytes([packet[23] & 1]) if packet[9] == UDP else None
    return packet[9:10] + packet[12:24] if every and packet[9] in (TCP, UDP) else None


class Lateness:
    """Statistics of the lateness of frames, as a histogram."""

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
        """The quantile of the lateness for a share of the frames."""
        left = share * self.frames
        for step, count in enumerate(self.counts):
            left -= count
            if left <= 0:
                return (step + 1) * STEP
        return self.most


class End:
    """One interface. Frames have the header for work that is left to the hardware (checksum, segmentation), so that
    offload need not be disabled at the hosts."""

    def __init__(self, interface, link, every=False):
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        self.socket.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
        self.socket.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
        # The arrival time of each frame, however late this program reads it.
        self.socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.socket.bind((interface, ETH_P_ALL))
        self.socket.setblocking(False)
        self.link = link
        self.every = every

    def fileno(self):
        return self.socket.fileno()

    def receive(self):
        # In this order, a delay between the two calls makes frames appear to arrive later, never earlier.
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
        """The arrival time of a frame from the kernel's timestamp; now, if there is none or the clock was set."""
        now = time.monotonic()
        for level, kind, data in told:
            if (level, kind) == (socket.SOL_SOCKET, SO_TIMESTAMPNS):
                seconds, nanoseconds = TIMESPEC.unpack(data)
                return min(now, seconds + nanoseconds / 1e9 + offset)
        return now

    def overflowed(self):
        """The number of frames that the kernel dropped because this program read too slowly."""
        return struct.unpack('II', self.socket.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8))[1]


class Wire:
    """`forth` is the link from the first end to the second, `back` the other way."""

    def __init__(self, interfaces, forth, back, every):
        self.ends = [End(interfaces[0], forth, every), End(interfaces[1], back)]
        # A frame that arrives now is due after this time at the earliest.
        self.left = min(LEFT, forth.delay, back.delay)
        self.lost = 0
        self.lateness = Lateness()
        self.began = time.process_time()

    def send_due(self):
        """Sends the frames that are due; returns the seconds until the next frame is due, None if there is none."""
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
        # Wakeups cost the most processor time. The kernel stamps frames, so they need not be read before they can be
        # due.
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
    """The link from the first interface to the second, as described by LINK."""
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
