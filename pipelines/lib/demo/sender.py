# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The sending process: repeats a film, encodes it with three encoders, and sends it with an lmccsink for each session.
So all sessions carry identical pictures.

If a run is measured or has a web page, each encoder's output is also decoded here. The decoded pictures are the
references with which the receivers' pictures are compared by checksum.
"""
import sys
import threading
import zlib
from math import inf
from time import sleep

import numpy

from . import quality
from .process import FRAME_SIZE, GLib, Gst, HEIGHT, RAW_CAPS, WIDTH, plain, read_commands, run, tell, watch

STATS_INTERVAL_MS = 500

# The quality of one in this many pictures of the film is measured.
PSNR_EVERY = 4

# Maximum number of raw pictures that wait for their decoded versions: more than the look-ahead of any encoder here.
MAX_PENDING = 75

# Seconds by which encoding may run ahead: enough for a busy machine. The queues in front of lmccsink hold the encoded
# pictures; without a limit they would grow throughout a run without an end.
LEAD = 8

# One closed GOP per second, at the same pictures in all rungs. Each rung is one class and so one layer: a receiver gets
# all of its pictures or none.
ENCODER = ('x264enc bitrate={bitrate} vbv-buf-capacity=1000 key-int-max={key} bframes=0 '
           'speed-preset=superfast threads=1 rc-lookahead=10 option-string="scenecut=0:open-gop=0"')

FILM = ('filesrc name=file ! decodebin caps="video/x-raw(ANY)" expose-all-streams=false ! '
        'videorate drop-only=true max-rate=30 ! '
        f'videoconvert ! videoscale ! {RAW_CAPS} ! appsink name=frames sync=false max-buffers=4')

# Debian packages with decoders that decodebin may need.
DECODERS = 'gstreamer1.0-plugins-good, -bad, -ugly, gstreamer1.0-libav'


def psnr_y(a, b):
    """Peak signal-to-noise ratio of two pictures' luma, in dB; 99 if they are equal."""
    size = WIDTH * HEIGHT
    left = numpy.frombuffer(a, numpy.uint8, size).astype(numpy.int32)
    right = numpy.frombuffer(b, numpy.uint8, size)
    error = numpy.mean(numpy.square(left - right))
    return 99.0 if error == 0 else float(10 * numpy.log10(255 * 255 / error))


def read_frame(sample):
    buffer = sample.get_buffer()
    if buffer.get_size() != FRAME_SIZE:
        raise ValueError(f'a picture has {buffer.get_size()} bytes instead of {FRAME_SIZE}')
    return buffer.extract_dup(0, FRAME_SIZE)


class Film:
    """Decodes the pictures of a file repeatedly, with times that continue to increase."""

    def __init__(self, path):
        self.pipeline = Gst.parse_launch(FILM)
        self.pipeline.get_by_name('file').set_property('location', path)
        self.frames = self.pipeline.get_by_name('frames')
        self.offset = 0
        self.end = 0
        self.error = None
        self.pipeline.set_state(Gst.State.PLAYING)

    def pull(self):
        """Returns the next picture; None at the end of the file or after an error on the bus."""
        while True:
            sample = self.frames.try_pull_sample(Gst.SECOND // 5)
            if sample is not None or self.frames.is_eos():
                return sample
            message = self.pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
            if message:
                error = message.parse_error()[0]
                self.error = error.message
                if error.matches(Gst.CoreError.quark(), Gst.CoreError.MISSING_PLUGIN):
                    self.error += f' (Debian: {DECODERS})'
                return None

    def next(self):
        """Returns (caps, picture, time, duration), or None if the file has no pictures or an error occurred."""
        sample = self.pull()
        if sample is None and self.error is None and self.end > self.offset:
            self.offset = self.end
            self.pipeline.seek_simple(Gst.Format.TIME, Gst.SeekFlags.FLUSH, 0)
            sample = self.pull()
        if sample is None:
            return None
        buffer = sample.get_buffer()
        running_time = sample.get_segment().to_running_time(Gst.Format.TIME, buffer.pts)
        time = self.offset + running_time
        duration = buffer.duration if buffer.duration != Gst.CLOCK_TIME_NONE else Gst.SECOND // 24
        self.end = max(self.end, time + duration)
        return sample.get_caps(), read_frame(sample), time, duration

    def close(self):
        self.pipeline.set_state(Gst.State.NULL)


def describe(options):
    """The description of the pipeline."""
    sessions = range(len(options['sessions']))
    parts = [f'appsrc name=film format=time block=true max-buffers=4 caps={RAW_CAPS} ! tee name=pictures',
             *(f'lmccsink name=out{session}' for session in sessions)]
    for rung, bitrate in enumerate(options['rates']):
        encoder = ENCODER.format(bitrate=bitrate, key=options['key-interval'])
        parts.append(f'pictures. ! queue ! {encoder} ! video/x-h264,profile=high ! tee name=rung{rung}')
        parts += [f'rung{rung}. ! queue max-size-time=0 max-size-buffers=0 max-size-bytes=0 ! '
                  f'out{session}.sink_{rung}' for session in sessions]
        if not options['references']:
            continue
        parts.append(f'rung{rung}. ! queue max-size-time=0 max-size-buffers=0 max-size-bytes=0 ! '
                     'h264parse ! video/x-h264,stream-format=byte-stream,alignment=au ! '
                     f'avdec_h264 name=decoder{rung} max-threads=1 ! videoconvert ! {RAW_CAPS} ! '
                     f'appsink name=reference{rung} sync=false async=false emit-signals=true')
    return ' '.join(parts)


class Sender:
    def __init__(self, options):
        self.options = options
        self.loop = GLib.MainLoop()
        self.pipeline = Gst.parse_launch(describe(options))
        self.sinks = [self.set_up_sink(index, session) for index, session in enumerate(options['sessions'])]
        self.source = self.pipeline.get_by_name('film')
        self.pending = {}
        self.coded = [{} for _ in options['rates']]
        self.lock = threading.Lock()
        for rung in range(len(options['rates']) if options['references'] else 0):
            appsink = self.pipeline.get_by_name(f'reference{rung}')
            appsink.connect('new-sample', self.on_reference, rung)
            decoder = self.pipeline.get_by_name(f'decoder{rung}').get_static_pad('sink')
            decoder.add_probe(Gst.PadProbeType.BUFFER, self.on_coded, rung)
        self.failed = watch(self.pipeline, self.loop)
        self.pipeline.get_bus().connect('message::eos', lambda *_: self.loop.quit())
        read_commands(lambda _text: self.loop.quit())

    def set_up_sink(self, index, session):
        sink = self.pipeline.get_by_name(f'out{index}')
        sink.set_property('address', session['address'])
        sink.set_property('port', session['port'])
        sink.set_property('multicast-iface', session['iface'])
        sink.set_property('sdp-location', session['sdp'])
        for name, value in session['settings'].items():
            Gst.util_set_object_arg(sink, name, str(value))
        return sink

    def on_coded(self, _pad, info, rung):
        """Remembers the checksum of a coded picture in front of the decoder, for on_reference."""
        buffer = info.get_buffer()
        self.coded[rung][buffer.pts] = quality.checksum(buffer.extract_dup(0, buffer.get_size()))
        return Gst.PadProbeReturn.OK

    def on_reference(self, appsink, rung):
        sample = appsink.pull_sample()
        picture = read_frame(sample)
        pts = sample.get_buffer().pts
        time = sample.get_segment().to_running_time(Gst.Format.TIME, pts)
        with self.lock:
            original = self.pending.get(time)
        tell('reference', rung=rung, time=time, crc=zlib.crc32(picture), coded=self.coded[rung].pop(pts, None),
             psnr=psnr_y(original, picture) if original is not None else None)
        return Gst.FlowReturn.OK

    def keep(self, picture, time):
        """Keeps a picture of the film until its decoded versions have arrived."""
        with self.lock:
            self.pending[time] = picture
            if len(self.pending) > MAX_PENDING:
                del self.pending[min(self.pending)]

    def running_time(self):
        clock = self.pipeline.get_clock()
        return clock.get_time() - self.pipeline.get_base_time() if clock and self.pipeline.get_base_time() else 0

    def feed(self):
        film = Film(self.options['file'])
        limit = (self.options['seconds'] or inf) * Gst.SECOND
        count = 0
        while True:
            frame = film.next()
            if frame is None or frame[2] >= limit:
                break
            caps, picture, time, duration = frame
            while time > self.running_time() + LEAD * Gst.SECOND:
                sleep(0.02)
            if count == 0:
                self.source.set_property('caps', caps)
            if self.options['references'] and count % PSNR_EVERY == 0:
                self.keep(picture, time)
            buffer = Gst.Buffer.new_wrapped(picture)
            buffer.pts, buffer.duration = time, duration
            if self.source.emit('push-buffer', buffer) != Gst.FlowReturn.OK:
                break
            count += 1
        if count == 0:
            reason = film.error or 'no video found in the file'
            tell('error', text=f"{self.options['file']}: {reason}", debug=None, element='film')
        tell('fed', frames=count)
        film.close()
        self.source.emit('end-of-stream')

    def tell_stats(self):
        for session, sink in enumerate(self.sinks):
            tell('sender-stats', session=session, stats=plain(sink.get_property('stats')))
        return True

    def run(self):
        self.pipeline.set_state(Gst.State.PLAYING)
        threading.Thread(target=self.feed, daemon=True).start()
        GLib.timeout_add(STATS_INTERVAL_MS, self.tell_stats)
        self.loop.run()
        self.tell_stats()
        self.pipeline.set_state(Gst.State.NULL)
        return 1 if self.failed() else 0


if __name__ == '__main__':
    sys.exit(run(Sender))
