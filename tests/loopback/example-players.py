#!/usr/bin/env python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests the example players in pipelines/: their output, their keys and their exit."""

import importlib.util
import os
import subprocess
import sys

import lib

GROUP, PORT = '239.255.65.2', 15250
URI = f'lmcc://{GROUP}:{PORT}?multicast-iface=lo'
PYTHON_PLAYER = os.path.join(lib.HERE, '../../pipelines/player.py')

# Sinks for a machine without screen and loudspeaker.
SINKS = ['fakevideosink', 'fakeaudiosink']


def start_sender():
    return lib.launch(f'{lib.source()} ! {lib.three_classes()} ! '
                      f'lmccsink address={GROUP} port={PORT} multicast-iface=lo algorithm=none', '-e')


def shows(player, text):
    """Waits for another matching line; earlier lines do not count."""
    player.seen = getattr(player, 'seen', 0)
    found = lib.wait_until(lambda: [when for when, _ in player.find(text, player.seen)], 20)
    if lib.check(found, f'{player.name} shows "{text}"', *player.tail()):
        player.seen = found[-1]


def level_line(level):
    return rf'^level {level}(, \d+\.\d\d Mbit/s)?$'


def check_keys(players):
    for player in players:
        shows(player, f'waiting for {GROUP}:{PORT}')
    sender = start_sender()
    for player in players:
        shows(player, level_line(2))
    for key, level in (('-', 1), ('-', 0), ('+', 1)):
        for player in players:
            player.write(key)
            shows(player, level_line(level))
    lib.check(sender.stop(), 'the sender stops', *sender.tail())
    for player in players:
        shows(player, f'waiting for {GROUP}:{PORT}')
        player.write('q')
        lib.check(player.ends(8) and player.returncode() == 0, f'{player.name} ends at q', player.returncode(),
                  *player.tail())
        lib.check(not player.find('CRITICAL|Traceback'), f'{player.name} reports no error', *player.tail())


def check_overlay():
    """Runs the player in this process, to read the overlay."""
    spec = importlib.util.spec_from_file_location('player', PYTHON_PLAYER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.Gst.init(None)
    player = module.Player(URI, *SINKS)
    texts = []

    def on_picture(_pad, _info):
        texts.append(player.text.get_property('text'))
        if texts[-1].startswith('level 2'):
            player.loop.quit()
        return module.Gst.PadProbeReturn.OK

    player.text.get_static_pad('src').add_probe(module.Gst.PadProbeType.BUFFER, on_picture)
    module.GLib.timeout_add_seconds(20, player.quit)
    sender = start_sender()
    status = player.run()
    lib.check(status == 0 and texts and texts[-1].startswith('level 2'), 'the overlay shows the level',
              set(texts))
    lib.check(sender.stop(), 'the sender stops', *sender.tail())


lib.start('textoverlay', 'playbin', *SINKS)
if subprocess.run([sys.executable, '-c', 'import gi; gi.require_version("GstVideo", "1.0")'], check=False).returncode:
    lib.skip('PyGObject with GstVideo is not installed (Debian: python3-gi gir1.2-gst-plugins-base-1.0)')
check_keys([lib.Child(argv, name=os.path.basename(argv[0]), stdin=subprocess.PIPE)
            for argv in ([sys.argv[1], URI, *SINKS], [PYTHON_PLAYER, URI, *SINKS])])
check_overlay()
lib.finish()
