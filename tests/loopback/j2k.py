#!/usr/bin/env python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests JPEG 2000 quality layers over multicast: every level shows the same picture as a codestream that is cut to the
same layers."""

import os
import struct
import sys

import lib

GROUP, PORT = '239.211.106.1', 15600
IFACE = 'multicast-iface=lo'
LAYERS = 3
COUNT = 20

# A still picture: every picture of a level is the same.
PICTURE = 'pattern=zone-plate kx2=20 ky2=20 ! video/x-raw,format=I420,width=160,height=120,framerate=10/1'
ENCODER = 'j2klayerenc bitrates="<60000,120000,240000>"'

SOP = b'\xff\x91\x00\x04'
SOT = b'\xff\x90\x00\x0a'
EOC = b'\xff\xd9'


def first_layers(codestream, count):
    """Keeps the packets of the first `count` layers; a Psot of 0 means that the tile-part continues to EOC."""
    packets = [at for at in range(len(codestream)) if codestream.startswith(SOP, at)]
    end = packets[len(packets) * count // LAYERS] if count < LAYERS else len(codestream) - len(EOC)
    length = codestream.index(SOT) + 6
    return codestream[:length] + struct.pack('>I', 0) + codestream[length + 4:end] + EOC


def references(directory):
    """The checksum of the picture for each number of layers."""
    path = os.path.join(directory, 'picture.j2c')
    coded = lib.launch(f'videotestsrc num-buffers=1 {PICTURE} ! {ENCODER} ! filesink location={path}')
    lib.check(coded.ends(20) and coded.returncode() == 0, 'a picture is encoded', *coded.tail())
    with open(path, 'rb') as file:
        codestream = file.read()
    sums = []
    for count in range(1, LAYERS + 1):
        with open(path, 'wb') as file:
            file.write(first_layers(codestream, count))
        decoded = lib.launch(f'filesrc location={path} blocksize=1000000 ! image/x-jpc,width=160,height=120,'
                             'colorspace=sYUV,sampling=YCbCr-4:2:0,framerate=10/1 ! openjpegdec ! '
                             'checksumsink hash=sha1 sync=false')
        lib.check(decoded.ends(20), f'{count} layers are decoded', *decoded.tail())
        sums += [checksum for _, checksum in lib.pictures(decoded)]
    return sums


def check_level(sums, level):
    child = lib.launch(f'lmccsrc uri=lmcc://{GROUP}:{PORT}?{IFACE}&max-level={level}&algorithm=none ! decodebin ! '
                       f'{lib.SHOW}')
    shown = lib.wait_until(lambda: [s for _, s in lib.pictures(child) if s == sums[level]][COUNT - 1:], 15)
    lib.check(shown, f'level {level} shows {COUNT} pictures of {level + 1} layers', *child.tail())
    lib.check(all(s in sums[:level + 1] for _, s in lib.pictures(child)),
              f'level {level} shows only pictures of complete layers', *child.tail())
    lib.check(not child.find('(?i)^error'), f'level {level} has no error', *child.tail())
    lib.check(child.stop(), f'the receiver of level {level} stops', *child.tail())


lib.start('j2klayerenc', 'openjpegdec')
checksums = references(lib.directory())
if not lib.check(len(set(checksums)) == LAYERS, 'every layer changes the picture', checksums):
    sys.exit(1)
sender = lib.launch(f'videotestsrc is-live=true {PICTURE} ! {ENCODER} ! lmccsink address={GROUP} port={PORT} {IFACE}')
for number in range(LAYERS):
    check_level(checksums, number)
lib.check(not sender.find('(?i)^error'), 'the sender has no error', *sender.tail())
lib.check(sender.stop(), 'the sender stops', *sender.tail())
lib.finish()
