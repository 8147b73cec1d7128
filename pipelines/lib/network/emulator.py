# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Joins two interfaces as a wire does that is some thousand kilometres long, has a queue before it, and loses packets.

Usage: emulator.py INTERFACE INTERFACE LINK

LINK is JSON: `delay`, in seconds and each way; of what comes from the first interface, `loss`, a share, and `queue`,
with the arguments of LinkQueue and, as `red`, of Red; `seed` for both. Only packets to multicast groups are lost, with
`every` all of UDP and TCP. Each group has random numbers of its own, for RTP and for RTCP, and each connection: which
of its packets are lost depends on the seed and on how many came before, not on time.

Prints `ready`, then works until its standard input is closed, and prints how late it was, what it dropped and lost, and
how many packets that might have been lost it let through, as JSON.
"""
import array
import json
import random
import select
import socket
import struct
import sys
import time
from collections import deque

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


class Loss:
    def __init__(self, share, every, seed):
        self.share = share
        self.every = every
        self.seed = seed
        self.numbers = {}
        self.passed = 0
        self.dropped = 0

    def takes(self, frame):
        flow = flow_of(frame, self.every)
        if flow is None:
            return False
        if flow not in self.numbers:
            self.numbers[flow] = random.Random(f'{self.seed} {flow.hex()}')
        taken = self.numbers[flow].random() < self.share
        if taken:
            self.dropped += 1
        else:
            self.passed += 1
        return taken


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

    def __init__(self, interface):
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        self.socket.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
        self.socket.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
        # When a frame came, not when this program could run again.
        self.socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.socket.bind((interface, ETH_P_ALL))
        self.socket.setblocking(False)
        self.waiting = deque()
        self.other = None
        self.loss = None
        self.queue = None

    def fileno(self):
        return self.socket.fileno()

    def receive(self, delay):
        # In this order: whoever is held up in between takes frames to have come later, not earlier.
        kernel = time.time()
        offset = time.monotonic() - kernel
        try:
            while True:
                frame, told, *_ = self.socket.recvmsg(LARGEST, socket.CMSG_SPACE(TIMESPEC.size))
                came = self.stamp(told, offset)
                if self.queue:
                    came = self.queue.enter(came, len(frame) - VIRTIO)
                if came is not None and not (self.loss and self.loss.takes(frame)):
                    self.waiting.append((came + delay, frame))
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
    def __init__(self, interfaces, delay, loss, queue):
        self.delay = delay
        self.ends = [End(interface) for interface in interfaces]
        self.ends[0].loss, self.ends[0].queue = loss, queue
        self.ends[0].other, self.ends[1].other = self.ends[1], self.ends[0]
        self.lost = 0
        self.lateness = Lateness()

    def send_due(self):
        """Sends what has waited long enough; returns the seconds until the next is due, None where nothing waits."""
        for end in self.ends:
            while end.waiting and end.waiting[0][0] <= time.monotonic():
                due, frame = end.waiting.popleft()
                try:
                    end.other.socket.send(frame)
                except OSError:
                    self.lost += 1
                self.lateness.add(time.monotonic() - due)
        due = [end.waiting[0][0] for end in self.ends if end.waiting]
        return max(0.0, min(due) - time.monotonic()) if due else None

    def run(self):
        print('ready', flush=True)
        while True:
            ready = select.select([sys.stdin, *self.ends], [], [], self.send_due())[0]
            for end in ready:
                if end is sys.stdin:
                    return
                end.receive(self.delay)

    def tell(self):
        loss, queue, late = self.ends[0].loss, self.ends[0].queue, self.lateness
        return {'passed': loss.passed, 'dropped': loss.dropped,
                'overflowed': queue.overflowed if queue else 0, 'red': queue.dropped if queue else 0,
                'frames': late.frames, 'lost': self.lost + sum(end.overflowed() for end in self.ends),
                'late-max': late.most, 'late-95': late.share(0.95),
                'late-mean': late.sum / late.frames if late.frames else 0.0}


def make_queue(told, seed):
    red = told.pop('red', None)
    return LinkQueue(**told, red=Red(**red, seed=seed) if red else None)


def main():
    link = json.loads(sys.argv[3])
    seed = link.get('seed', 0)
    loss = Loss(link.get('loss', 0.0), link.get('every', False), seed)
    queue = make_queue(link['queue'], seed) if 'queue' in link else None
    wire = Wire(sys.argv[1:3], link.get('delay', 0.0), loss, queue)
    wire.run()
    print(json.dumps(wire.tell()))


if __name__ == '__main__':
    main()
