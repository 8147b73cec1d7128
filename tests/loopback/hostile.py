#!/usr/bin/env python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Another host sends invalid session records: element, listen and relay survive them and stay with their sender.

A compound RTCP packet has two session records. The first is valid; the second has 65 layers, port 0 or a clock rate of
0. An RTP packet that would fit the second record follows."""

import itertools
import os
import signal
import socket
import struct
import threading
import time

import lib

GROUP, PORT = '239.255.51.1', 15020
RELAYED_PORT = 15024
HOSTILE_HOST = '127.0.0.2'
S0 = 0x7abcd000

TOOL = os.path.join(os.environ['LMCC_BUILD_ROOT'], 'plugins/tools/gst-lmcc-1.0')

# A pause of the sender, in s: too short for another sender to replace it.
PAUSE = 5

# A sender that started first gives way within this many seconds after hearing the other.
TAKEN_BACK = 14

# Minimum number of pictures or packets: half a second of them.
ENOUGH = 12

# A line of listen about more than the hostile host's packets.
HEARD = r'"bitrate": ?[0-9]{5}'


def rtcp(kind, count, body):
    return struct.pack('>BBH', 0x80 | count, kind, len(body) // 4) + body


def record(text):
    """An APP packet with one fragment (docs/developers/wire-format.md)."""
    data = text.encode()
    padded = data + bytes(-len(data) % 4)
    return rtcp(204, 1, struct.pack('>I4sHBBHH', S0, b'LMCC', 1, 0, 1, len(data), 0) + padded)


def session(port, layers, codec):
    return (f'v=0\no=- {S0} 1 IN IP4 {HOSTILE_HOST}\ns=-\nc=IN IP4 {GROUP}/1\nt=0 0\n'
            f'a=x-lmcc:1 v=0 l={",".join(["9"] * layers)}\nm=video {port} RTP/AVP 96\na=rtpmap:96 {codec}\n')


GOOD = session(PORT, 1, 'H264/90000')
BAD = [session(PORT, 1, 'H264/0'), session(PORT, 65, 'H264/90000'), session(0, 1, 'H264/90000'),
       session(0, 65, 'H264/0')]
REPORT = rtcp(200, 0, struct.pack('>IQIII', S0, 0x83aa7e8000000000, 0, 1, 1))


def media(ssrc, number):
    """A packet of the base layer as the sender of the record would send it: the header extension element of 16 bytes,
    and no picture."""
    sent = int(time.time() * 65536) & 0xffffffff
    element = struct.pack('>BBBBHbBHHI', 0x46, 0x02, 0, 0, 0, -1, number & 255, number, number, sent)
    extension = struct.pack('>HHB', 0xbede, 5, 0x1f) + element + bytes(3)
    return struct.pack('>BBHII', 0x90, 96, number, 3000 * number, ssrc) + extension + bytes(20)


class HostileHost:
    """Sends from its own address."""

    def __init__(self):
        self.socket = lib.sending_socket(HOSTILE_HOST)
        self.numbers = itertools.count(1)

    def send(self, *records):
        """Sends a compound packet of these records and the media that would follow; S0 is 0 if the records are not
        read."""
        self.socket.sendto(REPORT + b''.join(record(text) for text in records), (GROUP, PORT + 1))
        for ssrc in (S0, 0):
            self.socket.sendto(media(ssrc, next(self.numbers)), (GROUP, PORT))

    def repeat(self, seconds):
        """Sends a valid record repeatedly."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.send(GOOD)
            time.sleep(0.1)

    def send_bad(self):
        """Sends each invalid record after the valid one, and before it."""
        for bad in BAD:
            for records in ((GOOD, bad), (bad, GOOD)):
                for _ in range(4):
                    self.send(*records)
                    time.sleep(0.05)


class Relayed:
    """The output of the relay."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(('127.0.0.1', RELAYED_PORT))
        self.socket.setblocking(False)

    def count(self):
        """The number of packets since the last call."""
        packets = 0
        while True:
            try:
                self.socket.recv(2048)
            except BlockingIOError:
                return packets
            packets += 1


class Receivers:
    """All programs that receive the session."""

    def __init__(self):
        uri = f'lmcc://{GROUP}:{PORT}?multicast-iface=lo'
        self.relayed = Relayed()
        self.element = lib.launch(f'lmccsrc uri={uri} ! rtph264depay ! avdec_h264 ! {lib.SHOW}', name='lmccsrc')
        self.listen = lib.Child([TOOL, 'listen', '--json', uri], name='listen')
        self.relay = lib.Child([TOOL, 'relay', '--to', f'127.0.0.1:{RELAYED_PORT}', uri], name='relay')

    def check_alive(self, when):
        for child in (self.element, self.listen, self.relay):
            lib.check(child.returncode() is None, f'{child.name} still runs {when}',
                      f'exit status {child.returncode()}', *child.tail())

    def check_fed(self, when, timeout):
        """Checks that all of them receive the true sender's stream, for a second."""
        self.relayed.count()
        now = time.monotonic()
        shown = lib.wait_for_pictures(self.element, ENOUGH, timeout, now)
        lib.check(shown, f'lmccsrc shows pictures {when}', *self.element.tail())
        heard = self.listen.wait_for(HEARD, timeout, 2, now)
        lib.check(len(heard) >= 2, f'listen hears the sender {when}', *self.listen.tail())
        lib.check(lib.wait_until(lambda: self.relayed.count() >= ENOUGH, timeout, 1),
                  f'relay forwards pictures {when}', *self.relay.tail())

    def stop(self):
        for child in (self.element, self.listen, self.relay):
            lib.check(child.stop(), f'{child.name} stops', *child.tail())


def start_sender():
    return lib.launch(
        f'{lib.source()} ! {lib.one_class(300)} ! lmccsink name=sink address={GROUP} port={PORT} '
        'multicast-iface=lo')


lib.start('rtph264depay')
host = HostileHost()
receivers = Receivers()
time.sleep(1)
host.send_bad()
receivers.check_alive('before a sender is heard')
sender = start_sender()
receivers.check_fed('after another one was heard first', TAKEN_BACK)
host.send_bad()
receivers.check_fed('while another host speaks', 3)

os.kill(sender.pid, signal.SIGSTOP)
host.repeat(PAUSE)
os.kill(sender.pid, signal.SIGCONT)
stopper = threading.Thread(target=host.repeat, args=[4])
stopper.start()
receivers.check_fed('after the sender paused and another one spoke', 3)
stopper.join()
receivers.check_alive('at the end')
receivers.stop()
lib.check(sender.stop(), 'the sender stops', *sender.tail())
lib.finish()
