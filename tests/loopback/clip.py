# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The clip in four x264 encodings, made once and kept in files, and the pictures that a decoder makes from them.

The files of streams have the GDP format of GStreamer: buffers with their times, caps and segments.
"""

import collections
import hashlib
import os
import shlex
import subprocess

import gi
gi.require_version('Gst', '1.0')
from gi.repository import Gst  # noqa: E402
import numpy  # noqa: E402

import lib  # noqa: E402

CLIP = os.path.join(lib.HERE, '../../pipelines/big-buck-bunny.mp4')

# Properties of the clip.
WIDTH, HEIGHT, FRAME_RATE, PICTURES = 640, 360, 24, 480
LUMA = WIDTH * HEIGHT
BLACK = 16

# One closed group of pictures per second, at the same pictures in all rungs.
GROUP = 24

# kbit/s, width, height. Each rung has about four times the rate of the one below, so that it fits a level of both
# ladders together with all rungs below and its headers.
RUNGS = [(56, 320, 180), (220, 640, 360), (900, 640, 360), (2600, 640, 360)]

# The buffer of 300 ms limits key frames to a third of the bits of their group, and groups to a fifth above the mean.
ENCODER = ('x264enc bitrate={} vbv-buf-capacity=300 key-int-max={} bframes=3 '
           'b-pyramid=true b-adapt=false speed-preset=veryfast threads=1 '
           'rc-lookahead=24 option-string="scenecut=0:open-gop=0"')
STREAM = 'video/x-h264,stream-format=byte-stream,alignment=au'

# Presentation time of the first picture of a file. Pictures that are decoded before it must not have negative times.
FIRST_TIME = Gst.SECOND

SLICES = range(1, 6)

# An access unit of a rung: the number of its picture, its position in decoding order, its class, the identity of its
# code, and the sizes of its NAL units.
Unit = collections.namedtuple('Unit', 'rung picture order klass identity sizes')

# A picture at the output of a decoder: its running time and its checksum.
Picture = collections.namedtuple('Picture', 'time checksum')


def nal_units(data):
    """The NAL units of a byte stream, without data before and after them."""
    return [nal.rstrip(b'\x00') for nal in data.split(b'\x00\x00\x01')[1:]]


def identify(nals):
    """The identity of the coded picture: the slices of a unit. Payloaders may add or remove parameter sets and
    delimiters."""
    digest = hashlib.sha1()
    for nal in nals:
        if nal and nal[0] & 31 in SLICES:
            digest.update(len(nal).to_bytes(4, 'big') + nal)
    return digest.digest()


def class_of(nals):
    """The class by nal_ref_idc, as in docs/developers/classification.md."""
    importance = max(nal[0] >> 5 for nal in nals if nal[0] & 31 in SLICES)
    return {3: 0, 2: 0, 1: 1, 0: 2}[importance]


def run(line):
    subprocess.run(['gst-launch-1.0', '-q', *shlex.split(line)], check=True)


def samples(line):
    """The samples that arrive at the element `out` of a pipeline, with running times."""
    pipeline = Gst.parse_launch(f'{line} ! appsink name=out sync=false '
                                'max-buffers=8')
    sink = pipeline.get_by_name('out')
    pipeline.set_state(Gst.State.PLAYING)
    while True:
        sample = sink.emit('pull-sample')
        if sample is None:
            break
        yield sample
    error = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    if error:
        raise RuntimeError(error.parse_error()[0].message)


def running_time(sample, time):
    """In ns; negative for pictures that are decoded before the start of the segment."""
    sign, value = sample.get_segment().to_running_time_full(Gst.Format.TIME,
                                                            time)
    return sign * value


def contents(sample):
    buffer = sample.get_buffer()
    return buffer.extract_dup(0, buffer.get_size())


def checksum(sample):
    """The checksum of an I420 picture."""
    data = contents(sample)
    caps = sample.get_caps().get_structure(0)
    size = caps.get_value('width') * caps.get_value('height') * 3 // 2
    if len(data) != size:
        raise RuntimeError(f'{len(data)} bytes are no picture of {size}')
    return hashlib.sha1(data).digest()


def decode(source):
    """The pictures of an H.264 file, as access units or RTP."""
    depay = 'rtph264depay ! ' if source.endswith('.rtp') else ''
    return [Picture(running_time(sample, sample.get_buffer().pts),
                    checksum(sample))
            for sample in samples(
                f'filesrc location={source} ! gdpdepay ! {depay}{STREAM} ! '
                'avdec_h264 max-threads=1 ! videoconvert ! '
                'video/x-raw,format=I420')]


class Clip:
    """The first `seconds` of the clip, encoded."""

    def __init__(self, directory, seconds):
        self.directory = directory
        self.n_pictures = min(seconds * FRAME_RATE, PICTURES)
        self._make_raw()
        self._encode()
        self._samples = [self._read(rung) for rung in range(len(RUNGS))]
        # For each rung in decoding order.
        self.units = [self._list_units(rung) for rung in range(len(RUNGS))]
        self.checksums = [[p.checksum for p in decode(self._path(rung, 'gdp'))]
                          for rung in range(len(RUNGS))]
        self._luma = [self._decode_luma(rung) for rung in range(len(RUNGS))]
        self._psnr = {}

    def _path(self, rung, suffix):
        return f'{self.directory}/rung{rung}.{suffix}'

    def _make_raw(self):
        path = f'{self.directory}/raw.yuv'
        run(f'filesrc location={CLIP} ! qtdemux ! h264parse ! avdec_h264 ! '
            f'videoconvert ! video/x-raw,format=I420 ! filesink location={path}')
        size = LUMA * 3 // 2
        if os.path.getsize(path) != PICTURES * size:
            raise RuntimeError(f'{CLIP} has not {PICTURES} pictures')
        os.truncate(path, self.n_pictures * size)
        frames = numpy.memmap(path, numpy.uint8, 'r',
                              shape=(self.n_pictures, size))
        self.raw = frames[:, :LUMA]

    def _encode(self):
        line = [f'filesrc location={self.directory}/raw.yuv ! rawvideoparse '
                f'format=i420 width={WIDTH} height={HEIGHT} '
                f'framerate={FRAME_RATE}/1 ! tee name=pictures']
        for rung, (bitrate, width, height) in enumerate(RUNGS):
            line.append(
                'pictures. ! queue ! videoscale ! '
                f'video/x-raw,width={width},height={height} ! '
                f'{ENCODER.format(bitrate, GROUP)} ! {STREAM},profile=high ! '
                f'gdppay ! filesink location={self._path(rung, "gdp")}')
        run(' '.join(line))

    def _read(self, rung):
        found = []
        for sample in samples(f'filesrc location={self._path(rung, "gdp")} ! '
                              'gdpdepay'):
            buffer = sample.get_buffer()
            found.append((running_time(sample, buffer.pts),
                          running_time(sample, buffer.dts), sample))
        return found

    def _list_units(self, rung):
        units = []
        for order, (time, _, sample) in enumerate(self._samples[rung]):
            nals = nal_units(contents(sample))
            units.append(Unit(rung, round(time * FRAME_RATE / Gst.SECOND),
                              order, class_of(nals), identify(nals),
                              [len(nal) for nal in nals]))
        return units

    def _decode_luma(self, rung):
        """Decodes the luma to a file, at the size of the clip."""
        path = self._path(rung, 'luma')
        run(f'filesrc location={self._path(rung, "gdp")} ! gdpdepay ! '
            'avdec_h264 max-threads=1 ! videoconvert ! videoscale '
            f'method=catrom ! video/x-raw,format=I420,width={WIDTH},'
            f'height={HEIGHT},pixel-aspect-ratio=1/1 ! filesink location={path}')
        return numpy.memmap(path, numpy.uint8, 'r',
                            shape=(self.n_pictures, LUMA * 3 // 2))[:, :LUMA]

    def write_looped(self, times):
        """Writes files with the clip repeated `times` times; returns their names. The decoder starts again at each key
        frame, so the pictures stay the same."""
        duration = self.n_pictures * Gst.SECOND // FRAME_RATE
        paths = []
        for rung, found in enumerate(self._samples):
            path = self._path(rung, 'looped.gdp')
            pipeline = Gst.parse_launch('appsrc name=in format=time ! gdppay ! '
                                        f'filesink location={path}')
            source = pipeline.get_by_name('in')
            source.set_property('caps', found[0][2].get_caps())
            source.set_property('block', True)
            pipeline.set_state(Gst.State.PLAYING)
            for turn in range(times):
                for pts, dts, sample in found:
                    buffer = Gst.Buffer.new_wrapped(contents(sample))
                    buffer.pts = FIRST_TIME + turn * duration + pts
                    buffer.dts = FIRST_TIME + turn * duration + dts
                    source.emit('push-buffer', buffer)
            source.emit('end-of-stream')
            pipeline.get_bus().timed_pop_filtered(Gst.CLOCK_TIME_NONE,
                                                  Gst.MessageType.EOS)
            pipeline.set_state(Gst.State.NULL)
            paths.append(path)
        return paths

    def psnr(self, picture, rung, shown):
        """PSNR of the luma in dB: picture `shown` of `rung` in place of `picture`; a rung of None is black."""
        key = (picture, rung, shown)
        if key not in self._psnr:
            there = self.raw[picture].astype(numpy.float32)
            here = BLACK if rung is None else self._luma[rung][shown]
            error = float(numpy.mean(numpy.square(there - here)))
            self._psnr[key] = 99.0 if error == 0 else float(
                10 * numpy.log10(255 * 255 / error))
        return self._psnr[key]
