# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures the quality of the receivers' pictures during the run. The sender decodes its encoders' output and compares
it with the film; a checksum identifies a coded picture at a receiver. So receivers need not decode."""
import time
import zlib
from collections import OrderedDict, deque
from math import log10

# H.264: the start code of a NAL unit in byte-stream format, and the types of NAL units with slices of a picture.
START = b'\0\0\1'
SLICES = (1, 5)

# Number of pictures to remember: enough for all pictures of three encoders between the sender and a receiver.
REMEMBERED = 2000

# The quality is averaged over this many seconds.
SPAN = 3.0


def checksum(unit):
    """The checksum of the coded picture in an access unit in byte-stream format; None if it has no picture. Skips what
    is in front of the picture, as payloaders and parsers change it."""
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
        """Adds a picture. Two different pictures may have equal code, for example where nothing moves; their quality is
        unknown. After a restart an encoder makes the same pictures of the same film again."""
        self.pictures[coded] = psnr if self.pictures.get(coded, psnr) == psnr else None
        self.pictures.move_to_end(coded)
        while len(self.pictures) > REMEMBERED:
            self.pictures.popitem(last=False)

    def find(self, coded):
        """The quality of a picture in dB; None if it is unknown."""
        return self.pictures.get(coded)


class Shown:
    """The latest pictures of one receiver."""

    def __init__(self, clock=time.monotonic):
        self.clock = clock
        self.pictures = deque()

    def add(self, psnr):
        self.pictures.append((self.clock(), psnr))

    def psnr(self):
        """The PSNR of the latest pictures in dB, from the mean of their squared errors; None without pictures."""
        while self.pictures and self.pictures[0][0] < self.clock() - SPAN:
            self.pictures.popleft()
        if not self.pictures:
            return None
        return -10 * log10(sum(10 ** (-psnr / 10) for _, psnr in self.pictures) / len(self.pictures))
