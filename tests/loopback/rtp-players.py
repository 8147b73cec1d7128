#!/usr/bin/env python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks that the command lines of docs/users/players.md for any RTP player show the base layer, as they stand
there."""

import os
import shlex
import shutil

import lib

PAGE = os.path.join(lib.HERE, '../../docs/users/players.md')
GROUP, PORT = '239.255.77.1', 15977
PATIENCE = 30

# For each player, what to change so that it needs no screen and no keyboard, receives on the loopback interface, and
# reports that it shows pictures.
PLAYERS = {
    'ffplay': (['-localaddr', '127.0.0.1', '-vf', 'showinfo'], r'showinfo.* n: *[0-9]'),
    'mpv': (['--no-config', '--vo=null', '--ao=null', '--frames=50', '--msg-level=all=v',
             '--demuxer-lavf-o-append=localaddr=127.0.0.1'], r'first video frame after restart shown'),
}
NO_SCREEN = {'SDL_VIDEODRIVER': 'dummy', 'SDL_AUDIODRIVER': 'dummy'}


def read_lines(player):
    """The page's command lines of a player."""
    with open(PAGE, encoding='utf-8') as page:
        return [line.strip() for line in page if line.startswith(f'    {player} ')]


def try_line(player, line, directory):
    more, shown = PLAYERS[player]
    words = [os.path.join(directory, word) if word == 'session.sdp' else word for word in shlex.split(line)]
    child = lib.Child([*words, *more], env=NO_SCREEN)
    lib.check(len(child.wait_for(shown, PATIENCE)) > 0, f'{line}: shows pictures', *child.tail())
    child.kill()


def main():
    lib.start('x264enc', deadline=120)
    players = [player for player in PLAYERS if shutil.which(player)]
    if not players:
        lib.finish('neither ffplay nor mpv is installed (Debian: ffmpeg, mpv)')
    directory = lib.directory()
    description = os.path.join(directory, 'session.sdp')
    sender = lib.launch(f'{lib.source()} ! {lib.three_classes()} ! lmccsink address={GROUP} port={PORT} '
                        f'multicast-iface=lo sdp-location={description}')
    lib.check(lib.wait_until(lambda: os.path.exists(description) and 'sprop-parameter-sets' in open(
        description, encoding='utf-8').read(), PATIENCE), 'the description has the parameter sets', *sender.tail())
    for player in PLAYERS:
        if player not in players:
            lib.note(f'{player} is not installed')
    for player in players:
        lines = read_lines(player)
        lib.check(len(lines) > 0, f'the page has a command line of {player}')
        for line in lines:
            try_line(player, line, directory)
    sender.stop()
    lib.finish()


main()
