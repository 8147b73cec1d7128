# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A film as raw pictures and its encodings, and the comparison of shown pictures with the film."""
import json
import math
import os
import subprocess

import beside
import clip
import ffmpeg
from clip import Gst

WIDTH = 640

# Seconds before and after the measured part: receivers need one group of pictures to learn the session and one more to
# learn which rungs are complete, and in layers of fixed rates the end cuts the last groups.
BEFORE, AFTER = 5, 4

# The PSNR of equal pictures would be infinite.
HIGHEST_PSNR = 100.0

# Sizes of the IP, UDP and RTP headers of a stream without layers, and the room beside them in a packet.
PLAIN_HEADERS, PLAIN_PAYLOAD = 40, 1360


class Film:
    """The first `seconds` of a file, at most 640 wide, preceded by the last and followed by the first pictures of
    this part."""

    def __init__(self, path, seconds, directory):
        self.name = os.path.splitext(os.path.basename(path))[0]
        self.directory = directory
        self.ffmpeg, self.measures = ffmpeg.find()
        shown = subprocess.run(
            ['ffprobe', '-v', 'error', '-select_streams', 'v', '-show_entries', 'stream=width,height,r_frame_rate',
             '-of', 'json', path], capture_output=True, text=True, check=True).stdout
        stream = json.loads(shown)['streams'][0]
        above, below = map(int, stream['r_frame_rate'].split('/'))
        if above % below:
            raise ValueError(f'{path}: {above}/{below} pictures/s; give a film with a whole number')
        self.frame_rate = above // below
        self.width = min(WIDTH, stream['width'])
        self.height = round(stream['height'] * self.width / stream['width'] / 2) * 2
        self.size = self.width * self.height * 3 // 2
        self.measured = self._path('measured.yuv')
        subprocess.run(
            ['ffmpeg', '-loglevel', 'error', '-nostdin', '-y', '-i', path, '-t', str(seconds), '-an', '-vf',
             f'scale={self.width}:{self.height}:flags=lanczos', '-pix_fmt', 'yuv420p', '-f', 'rawvideo', self.measured],
            check=True)
        self.seconds = os.path.getsize(self.measured) // self.size // self.frame_rate
        self._write_raw()

    def _path(self, name):
        return f'{self.directory}/{self.name}-{name}'

    def _write_raw(self):
        n_pictures = self.seconds * self.frame_rate
        if not n_pictures:
            raise ValueError(f'{self.name} is shorter than a second')
        os.truncate(self.measured, n_pictures * self.size)
        self.raw = self._path('raw.yuv')
        first = -BEFORE * self.frame_rate
        with open(self.measured, 'rb') as source, open(self.raw, 'wb') as raw:
            for picture in range(first, n_pictures + AFTER * self.frame_rate):
                source.seek(picture % n_pictures * self.size)
                raw.write(source.read(self.size))

    @property
    def n_measured(self):
        return self.seconds * self.frame_rate

    @property
    def span(self):
        """The measured pictures, out of all encoded ones."""
        first = BEFORE * self.frame_rate
        return range(first, first + self.n_measured)

    def source(self):
        return (f'filesrc location={self.raw} ! rawvideoparse format=i420 width={self.width} height={self.height} '
                f'framerate={self.frame_rate}/1')

    def fill_in(self, encoder, rate=0):
        """Values for the placeholders in an encoder's line; see modes.py."""
        return encoder.format(key=self.frame_rate, rate=rate, width=self.width // 4 * 2, height=self.height // 4 * 2)

    def encode(self, name, mode):
        """GDP files, one for each rung, with the input of lmccsink."""
        paths = [self._path(f'{name}-{rung}.gdp') for rung in range(mode.rungs)]
        line = f'{self.source()} ! {self.fill_in(mode.encoder)}'
        for rung, path in enumerate(paths):
            out = f'{mode.rung_pad.format(rung)} ! ' if mode.rung_pad else '! '
            line += f' {out}queue ! {mode.caps} ! gdppay ! filesink location={path}'
        clip.run(line)
        return paths

    def pictures(self, start):
        """(running time in ns, I420 at the film's size) of each picture of a pipeline that ends with a decoder."""
        # Converted twice, because pictures from a pool with other strides are never output unchanged.
        scaled = (f'{start} ! videoconvert ! video/x-raw,format=YV12 ! videoconvert ! videoscale method=catrom '
                  f'add-borders=false ! video/x-raw,format=I420,width={self.width},height={self.height},'
                  'pixel-aspect-ratio=1/1')
        for sample in clip.samples(scaled):
            data = clip.contents(sample)
            if len(data) != self.size:
                raise RuntimeError(f'{len(data)} bytes are no picture of {self.size}')
            yield clip.running_time(sample, sample.get_buffer().pts), data

    def measure(self, name, shown):
        """Compares {picture: I420} with the film. A missing picture counts as a repetition of the last one before
        it, or as black."""
        paths = {measure: self._path(f'{name}.{measure}') for measure in self.measures}
        raw = ['-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-s', f'{self.width}x{self.height}', '-r',
               str(self.frame_rate)]
        outputs = []
        for k in range(len(self.measures)):
            outputs += ['-map', f'[o{k}]', '-f', 'null', '-']
        child = subprocess.Popen([self.ffmpeg, '-loglevel', 'error', '-y', *raw, '-i', 'pipe:0', *raw, '-i',
                                  self.measured, '-filter_complex', ffmpeg.graph_of(self.measures, paths), *outputs],
                                 stdin=subprocess.PIPE)
        luma = self.width * self.height
        held = bytes([16]) * luma + bytes([128]) * (luma // 2)
        earlier = [picture for picture in shown if picture < self.span[0]]
        if earlier:
            held = shown[max(earlier)]
        for picture in self.span:
            held = shown.get(picture, held)
            child.stdin.write(held)
        child.stdin.close()
        if child.wait():
            raise RuntimeError('ffmpeg cannot compare the pictures')
        return self._read_figures(paths, shown)

    def _read_figures(self, paths, shown):
        values = {measure: ffmpeg.read(measure, path) for measure, path in paths.items()}
        for measure, found in values.items():
            if len(found) != self.n_measured:
                raise RuntimeError(f'ffmpeg compared {len(found)} pictures of {self.n_measured} by {measure}')
        for measure in ('psnr', 'xpsnr'):
            if measure in values:
                values[measure] = [min(value, HIGHEST_PSNR) for value in values[measure]]
        there = [value for picture, value in zip(self.span, values['psnr']) if picture in shown]
        return {'shown': len(there), 'of': self.n_measured,
                **{measure: sum(found) / len(found) for measure, found in values.items()},
                'psnr-shown': sum(there) / len(there) if there else None}

    def number(self, time):
        """Number of the picture at a running time."""
        return round(time * self.frame_rate / Gst.SECOND)

    def encode_single(self, encoder, rate):
        """A GDP file with one layer."""
        path = self._path('single.gdp')
        encoder = self.fill_in(encoder, rate)
        clip.run(f'{self.source()} ! {encoder} ! gdppay ! filesink location={path}')
        return path

    def plain_rate(self, path):
        """Rate in bit/s of a GDP file in plain RTP, with headers, during the measured pictures."""
        total = 0
        for sample in clip.samples(f'filesrc location={path} ! gdpdepay'):
            buffer = sample.get_buffer()
            if self.number(clip.running_time(sample, buffer.pts)) in self.span:
                size = buffer.get_size()
                total += size + PLAIN_HEADERS * math.ceil(size / PLAIN_PAYLOAD)
        return total * 8 / self.seconds

    def decode(self, path, decoder):
        """{picture: I420} of a GDP file."""
        return {self.number(time): data
                for time, data in self.pictures(f'filesrc location={path} ! gdpdepay ! {decoder}')}

    def measure_file(self, name, path, decoder):
        """A GDP file as plain RTP would carry it: its rate in bit/s with headers, and its figures."""
        return {'rate': self.plain_rate(path), **self.measure(name, self.decode(path, decoder))}

    def measure_single(self, name, encoder, rate, decoder):
        """One layer, with the result of `measure_file`."""
        return self.measure_file(name, self.encode_single(encoder, rate), decoder)

    def measure_single_at(self, name, encoder, wanted, unit, decoder, at_most):
        """One layer at a rate on the wire as near as possible to `wanted` bit/s; with `at_most` not above it, if
        possible."""
        def rate_of(asked):
            return self.plain_rate(self.encode_single(encoder, asked * unit)) / 1000
        asked = beside.ask_for(rate_of, wanted / 1000, at_most)
        return {'wanted': wanted, **self.measure_single(name, encoder, asked * unit, decoder)}
