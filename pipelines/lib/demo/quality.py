# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""How good the pictures are that receivers show while the run goes on. The sender decodes what its encoders made and
compares it with the film; a receiver's coded picture is known again by its checksum. So no receiver has to decode."""
import time
import zlib
from collections import OrderedDict, deque
from math import log10

# H.264: what begins a unit in byte-stream format, and the types of the units that are a coded picture.
START = b'\0\0\1'
SLICES = (1, 5)

# Pictures that are remembered: those of three encoders, of all that waits between the sender and a receiver.
REMEMBERED = 2000

# Seconds of pictures that a figure is of.
SPAN = 3.0


def checksum(unit):
    """Of the coded picture in an access unit in byte-stream format, without what is in front of it: a payloader and a
    parser change that. None where there is no picture in it."""
    at = unit.find(START)
    while at >= 0:
        begin = at + len(START)
        if unit[begin:begin + 1] and unit[begin] & 0x1f in SLICES:
            return zlib.crc32(unit[begin:])
        at = unit.find(START, begin)
    return None


class Known:
    """The quality of the encoders' pictures, by their checksums."""

    def __init__(self):
        self.pictures = OrderedDict()

    def add(self, coded, psnr):
        """Two pictures may be coded alike and look different, as where nothing moves: nothing is said of such. An
        encoder that begins anew makes the same pictures of the same film."""
        self.pictures[coded] = psnr if self.pictures.get(coded, psnr) == psnr else None
        self.pictures.move_to_end(coded)
        while len(self.pictures) > REMEMBERED:
            self.pictures.popitem(last=False)

    def find(self, coded):
        """In dB; None where it was not measured."""
        return self.pictures.get(coded)


class Shown:
    """The pictures that one receiver showed lately."""

    def __init__(self, clock=time.monotonic):
        self.clock = clock
        self.pictures = deque()

    def add(self, psnr):
        self.pictures.append((self.clock(), psnr))

    def psnr(self):
        """Of all of them together, in dB: by the mean of their squared errors. None where there were none."""
        while self.pictures and self.pictures[0][0] < self.clock() - SPAN:
            self.pictures.popleft()
        if not self.pictures:
            return None
        return -10 * log10(sum(10 ** (-psnr / 10) for _, psnr in self.pictures) / len(self.pictures))
