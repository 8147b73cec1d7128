#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plays an lmcc:// address with playbin and shows the receiver's level over the picture.

Usage: player.py URI [VIDEO-SINK AUDIO-SINK]

The sinks are elements that replace the ones playbin would choose.

Keys, in the window or followed by Enter in the terminal: + and - raise and lower the level limit by one, q quits.
"""
import os
import signal
import sys

import gi
gi.require_version('Gst', '1.0')
gi.require_version('GstVideo', '1.0')
from gi.repository import GLib, Gst, GstVideo  # noqa: E402

# The overlay lies between the decoder and the screen.
PLAYBIN = 'playbin flags=video+audio+soft-volume video-filter="textoverlay valignment=top halignment=left"'


class Player:
    def __init__(self, uri, *sinks):
        self.loop = GLib.MainLoop()
        self.status = 0
        self.source = None
        self.level = -1
        chosen = [f'{name}={sink}' for name, sink in zip(('video-sink', 'audio-sink'), sinks)]
        try:
            self.playbin = Gst.parse_launch(' '.join([PLAYBIN, *chosen]))
        except GLib.Error as error:
            sys.exit(f'player.py: {error.message}; gst-inspect-1.0 lists the installed elements')
        self.text = self.playbin.get_property('video-filter')
        self.playbin.set_property('uri', uri)
        # playbin creates lmccsrc itself, and reports it before it starts.
        self.playbin.connect('source-setup', self.on_source)
        bus = self.playbin.get_bus()
        bus.add_signal_watch()
        bus.connect('message', self.on_message)
        GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGINT, self.quit)
        GLib.io_add_watch(GLib.IOChannel.unix_new(0), GLib.PRIORITY_DEFAULT, GLib.IOCondition.IN | GLib.IOCondition.HUP,
                          self.on_terminal)

    def on_source(self, _playbin, source):
        """Called in a streaming thread."""
        self.source = source if source.find_property('max-level') else None

    def say(self, text):
        self.text.set_property('text', text)
        print(text, flush=True)

    def change_cap(self, step):
        """Changes the limit relative to the current level, so that each key press has a visible effect."""
        if self.source is None:
            return
        cap = self.source.get_property('max-level')
        cap = max((self.level if cap < 0 else cap) + step, 0)
        self.source.set_property('max-level', cap)
        self.say(f'level {self.level}, at most {cap}')

    def on_key(self, key):
        if key in ('+', 'plus', 'KP_Add', 'Up'):
            self.change_cap(1)
        elif key in ('-', 'minus', 'KP_Subtract', 'Down'):
            self.change_cap(-1)
        elif key in ('q', 'Escape'):
            self.quit()

    def on_terminal(self, _channel, _condition):
        keys = os.read(0, 64)
        for key in keys.decode('ascii', 'ignore'):
            self.on_key(key)
        return keys != b''

    def on_message(self, _bus, message):
        if message.type == Gst.MessageType.ERROR:
            print(f'player.py: {message.parse_error()[0].message}', file=sys.stderr)
            self.status = 1
            self.loop.quit()
        elif message.type == Gst.MessageType.WARNING:
            print(f'player.py: {message.parse_warning()[0].message}', file=sys.stderr)
        elif message.type == Gst.MessageType.EOS:
            self.loop.quit()
        elif message.type == Gst.MessageType.ELEMENT:
            self.on_element_message(message)

    def on_element_message(self, message):
        structure = message.get_structure()
        if structure.has_name('lmcc-level-changed'):
            self.level = structure.get_int('to')[1]
            rate = structure.get_uint64('bitrate')[1]
            # The rates of a new session are not known yet.
            measured = f', {rate / 1e6:.2f} Mbit/s' if rate else ''
            self.say(f'level {self.level}{measured}' if self.level >= 0 else 'no layer joined')
        elif structure.has_name('lmcc-waiting'):
            self.say(f"waiting for {structure.get_string('address')}:{structure.get_int('port')[1]}")
        elif GstVideo.navigation_message_get_type(message) == GstVideo.NavigationMessageType.EVENT:
            event = GstVideo.navigation_message_parse_event(message)[1]
            if GstVideo.navigation_event_get_type(event) == GstVideo.NavigationEventType.KEY_PRESS:
                self.on_key(GstVideo.navigation_event_parse_key_event(event)[1])

    def quit(self):
        self.loop.quit()
        return GLib.SOURCE_CONTINUE

    def run(self):
        self.playbin.set_state(Gst.State.PLAYING)
        self.loop.run()
        self.playbin.set_state(Gst.State.NULL)
        return self.status


def main():
    Gst.init(None)
    if len(sys.argv) not in (2, 4) or not sys.argv[1].startswith('lmcc://'):
        sys.exit(__doc__.strip())
    return Player(*sys.argv[1:]).run()


if __name__ == '__main__':
    sys.exit(main())
