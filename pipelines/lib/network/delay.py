# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Joins two interfaces as a wire does that is some thousand kilometres long.

Usage: delay.py INTERFACE INTERFACE SECONDS

Prints `ready`, then works until its standard input is closed, and prints how late it was, as JSON.
"""
import json
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

BUFFER = 4 << 20
LARGEST = 1 << 17


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

    def fileno(self):
        return self.socket.fileno()

    def receive(self, delay):
        try:
            while True:
                frame = self.socket.recv(LARGEST)
                self.waiting.append((time.monotonic() + delay, frame))
        except BlockingIOError:
            pass


class Wire:
    def __init__(self, interfaces, delay):
        self.delay = delay
        self.ends = [End(interface) for interface in interfaces]
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
    wire = Wire(sys.argv[1:3], float(sys.argv[3]))
    wire.run()
    print(json.dumps({'frames': wire.frames, 'lost': wire.lost, 'late-max': wire.late_max,
                      'late-mean': wire.late_sum / wire.frames if wire.frames else 0.0}))


if __name__ == '__main__':
    main()
