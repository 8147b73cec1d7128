# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Joins two interfaces as a wire does that is some thousand kilometres long, and loses packets.

Usage: emulator.py INTERFACE INTERFACE SECONDS [LOSS SEED]

Loses that share of what comes to multicast groups from the first interface. Each group has random numbers of its own,
for RTP and for RTCP: which of its packets are lost depends on the seed and on how many came before, not on time.

Prints `ready`, then works until its standard input is closed, and prints how late it was, and how many packets of
groups it let through and dropped, as JSON.
"""
import json
import random
import select
import socket
import sys
import time
from collections import deque

# linux/if_packet.h, linux/if_ether.h
SOL_PACKET = 263
PACKET_VNET_HDR = 15
PACKET_IGNORE_OUTGOING = 23
ETH_P_ALL = 3

# struct virtio_net_hdr of linux/virtio_net.h, the Ethernet header, IPv4's without options.
VIRTIO, ETHERNET, IPV4 = 10, 14, 20
UDP = 17

BUFFER = 4 << 20
LARGEST = 1 << 17


def group_of(frame):
    """The group of a datagram over IPv4, and whether its port is odd; None for all else."""
    packet = frame[VIRTIO + ETHERNET:]
    if len(packet) < IPV4 + 8 or packet[0] != 0x45 or packet[9] != UDP or packet[16] >> 4 != 14:
        return None
    return packet[16:20] + bytes([packet[23] & 1])


class Loss:
    def __init__(self, share, seed):
        self.share = share
        self.seed = seed
        self.numbers = {}
        self.passed = 0
        self.dropped = 0

    def takes(self, frame):
        group = group_of(frame)
        if group is None:
            return False
        if group not in self.numbers:
            self.numbers[group] = random.Random(f'{self.seed} {group.hex()}')
        taken = self.numbers[group].random() < self.share
        if taken:
            self.dropped += 1
        else:
            self.passed += 1
        return taken


class End:
    """One interface. Frames come and go with the header that says what the hardware is to do yet (checksum,
    segmentation), so that nothing has to be switched off at the hosts."""

    def __init__(self, interface):
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        self.socket.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
        self.socket.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
        self.socket.bind((interface, ETH_P_ALL))
        self.socket.setblocking(False)
        self.waiting = deque()
        self.other = None
        self.loss = None

    def fileno(self):
        return self.socket.fileno()

    def receive(self, delay):
        try:
            while True:
                frame = self.socket.recv(LARGEST)
                if not (self.loss and self.loss.takes(frame)):
                    self.waiting.append((time.monotonic() + delay, frame))
        except BlockingIOError:
            pass


class Wire:
    def __init__(self, interfaces, delay, loss):
        self.delay = delay
        self.ends = [End(interface) for interface in interfaces]
        self.ends[0].loss = loss
        self.ends[0].other, self.ends[1].other = self.ends[1], self.ends[0]
        self.frames = 0
        self.lost = 0
        self.late_sum = 0.0
        self.late_max = 0.0

    def send_due(self):
        """Sends what has waited long enough; returns the seconds until the next is due, None where nothing waits."""
        for end in self.ends:
            while end.waiting and end.waiting[0][0] <= time.monotonic():
                due, frame = end.waiting.popleft()
                try:
                    end.other.socket.send(frame)
                except OSError:
                    self.lost += 1
                late = time.monotonic() - due
                self.frames += 1
                self.late_sum += late
                self.late_max = max(self.late_max, late)
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


def main():
    loss = Loss(float(sys.argv[4]), int(sys.argv[5])) if len(sys.argv) > 4 else Loss(0, 0)
    wire = Wire(sys.argv[1:3], float(sys.argv[3]), loss)
    wire.run()
    print(json.dumps({'passed': loss.passed, 'dropped': loss.dropped,
                      'frames': wire.frames, 'lost': wire.lost, 'late-max': wire.late_max,
                      'late-mean': wire.late_sum / wire.frames if wire.frames else 0.0}))


if __name__ == '__main__':
    main()
