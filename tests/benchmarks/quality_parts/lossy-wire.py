# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Joins two interfaces as delay.py does, and loses packets of multicast groups that come from the first.

Usage: lossy-wire.py INTERFACE INTERFACE SECONDS LOSS SEED

Each group has random numbers of its own, for RTP and for RTCP: which of its packets are lost depends on the seed and on
how many came before, not on time. Prints `ready`, then how many packets of groups it let through and lost, as JSON.
"""
import json
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../pipelines/lib/network'))
import delay  # noqa: E402

# struct virtio_net_hdr of linux/virtio_net.h, the Ethernet header, IPv4's without options.
VIRTIO, ETHERNET, IPV4 = 10, 14, 20
UDP = 17


def kind_of(frame):
    """Group, and whether the port is odd, of a datagram to a multicast group; None for all else."""
    packet = frame[VIRTIO + ETHERNET:]
    if len(packet) < IPV4 + 8 or packet[0] != 0x45 or packet[9] != UDP or packet[16] >> 4 != 14:
        return None
    return packet[16:20] + bytes([packet[23] & 1])


class LossyWire(delay.Wire):
    def __init__(self, interfaces, seconds, loss, seed):
        super().__init__(interfaces, seconds)
        self.loss = loss
        self.seed = seed
        self.numbers = {}
        self.counts = {'passed': 0, 'lost': 0}
        lossy = self.ends[0]
        receive = lossy.receive

        def receive_some(seconds):
            before = len(lossy.waiting)
            receive(seconds)
            fresh = [lossy.waiting.pop() for _ in range(len(lossy.waiting) - before)]
            lossy.waiting.extend(item for item in reversed(fresh) if not self.is_lost(item[1]))

        lossy.receive = receive_some

    def is_lost(self, frame):
        key = kind_of(frame)
        if key is None:
            return False
        numbers = self.numbers.setdefault(key, random.Random(f'{self.seed} {key.hex()}'))
        lost = numbers.random() < self.loss
        self.counts['lost' if lost else 'passed'] += 1
        return lost


def main():
    wire = LossyWire(sys.argv[1:3], float(sys.argv[3]), float(sys.argv[4]), int(sys.argv[5]))
    wire.run()
    print(json.dumps(wire.counts))


if __name__ == '__main__':
    main()
