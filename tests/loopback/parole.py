#!/usr/bin/env python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plays an lmcc:// address with Debian's desktop player Parole on a virtual screen, and checks that the picture is on
the screen."""

import mmap
import struct
from pathlib import Path

import lib

GROUP, PORT = '239.255.73.34', 15290
URI = f'lmcc://{GROUP}:{PORT}?multicast-iface=lo'

# No part of a desktop has as many pixels of this colour. H.264 and conversions change each component by a few steps.
COLOUR, NEAR = (0x20, 0xc0, 0x60), 24
LEAST_PIXELS = 20000
SCREEN = (800, 600)

# X11/XWDFile.h: 32-bit words, most significant byte first: size of the header, ... bytes per line, ... number of
# colours.
HEADER_SIZE, LINE_BYTES, COLOURS = 0, 12, 19
COLOUR_BYTES = 12


def start_screen(directory):
    """Starts a virtual screen whose picture is in a file; returns its name."""
    screen = lib.Child(['Xvfb', '-displayfd', '1', '-screen', '0', f'{SCREEN[0]}x{SCREEN[1]}x24', '-nolisten', 'tcp',
                        '-fbdir', directory], name='Xvfb')
    found = screen.wait_for(r'^(\d+)$', 20)
    if not found:
        lib.skip(f'Xvfb does not start: {screen.tail(3)}')
    return f':{found[0][1].group(1)}'


def count_pixels(path):
    """The number of pixels on the screen that have about the colour of the stream."""
    with open(path, 'rb') as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as screen:
        words = struct.unpack_from('>25I', screen)
        begin = words[HEADER_SIZE] + COLOUR_BYTES * words[COLOURS]
        pixels = screen[begin:begin + SCREEN[1] * words[LINE_BYTES]]
    return sum(all(abs(part - wanted) <= NEAR for part, wanted in zip(pixel, reversed(COLOUR)))
               for pixel in struct.iter_unpack('<3Bx', pixels))


lib.start(tools=('parole', 'Xvfb', 'dbus-daemon'))
home = lib.directory()
display = start_screen(home)
picture = Path(home) / 'Xvfb_screen0'
red, green, blue = COLOUR
sender = lib.launch(f'videotestsrc is-live=true pattern=solid-color foreground-color=0xff{red:02x}{green:02x}{blue:02x}'
                    f' ! video/x-raw,format=I420,width={lib.WIDTH},height={lib.HEIGHT},framerate=24/1 ! '
                    f'{lib.three_classes()} ! lmccsink address={GROUP} port={PORT} multicast-iface=lo algorithm=none')
lib.check(count_pixels(picture) == 0, 'the screen is empty')
# Uses neither settings nor the session of the user.
environment = {'DISPLAY': display, 'NO_AT_BRIDGE': '1', 'GDK_BACKEND': 'x11',
               **{name: home for name in ('HOME', 'XDG_RUNTIME_DIR', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME',
                                          'XDG_DATA_HOME')}}
bus = lib.Child(['dbus-daemon', '--session', '--nofork', '--print-address'], name='dbus-daemon', env=environment)
found = bus.wait_for('^unix:.*', 20)
if not found:
    lib.skip(f'dbus-daemon does not start: {bus.tail(3)}')
player = lib.Child(['parole', URI], name='parole',
                   env={**environment, 'DBUS_SESSION_BUS_ADDRESS': found[0][1].group(0)})
lib.check(lib.wait_until(lambda: count_pixels(picture) >= LEAST_PIXELS, 40, 0.5),
          'Parole shows the stream', f'{count_pixels(picture)} pixels', *player.tail())
lib.check(player.returncode() is None, 'and still runs', *player.tail())
lib.finish()
