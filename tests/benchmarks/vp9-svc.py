#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares each level of vp9svcenc with vp9enc at the same rate, and prints the tables of docs/measured/vp9-svc.md.

Run it with ./pipelines/env tests/benchmarks/vp9-svc.py. The clip is decoded once and held in memory.
"""
import os

import gi
import numpy

gi.require_version('Gst', '1.0')
gi.require_version('GstApp', '1.0')
gi.require_version('GstVideo', '1.0')
import gi.repository.GstApp  # noqa: E402  (gives appsrc and appsink their methods)
from gi.repository import Gst, GstVideo  # noqa: E402

WIDTH, HEIGHT, FRAME_RATE, N_PICTURES = 640, 360, 24, 240
SECONDS = N_PICTURES / FRAME_RATE
TARGET = 1200000
CLIP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../pipelines/big-buck-bunny.mp4')
RAW = f'video/x-raw,format=I420,width={WIDTH},height={HEIGHT}'
VP9ENC = ('vp9enc end-usage=cbr deadline=1 cpu-used=6 lag-in-frames=0 keyframe-max-dist=48 buffer-size=1000 '
          'buffer-initial-size=500 buffer-optimal-size=600 undershoot=50 overshoot=50 threads=2 row-mt=true '
          'aq-mode=cyclic-refresh')


def run(description, buffers=()):
    """Runs a pipeline with an appsink, and with an appsrc if there are buffers; returns the samples."""
    pipeline = Gst.parse_launch(f'{description} ! appsink name=sink sync=false')
    source, sink = pipeline.get_by_name('source'), pipeline.get_by_name('sink')
    pipeline.set_state(Gst.State.PLAYING)
    for number, data in buffers:
        buffer = Gst.Buffer.new_wrapped(data)
        buffer.pts = number * Gst.SECOND // FRAME_RATE
        source.emit('push-buffer', buffer)
    if source is not None:
        source.emit('end-of-stream')
    samples = []
    while (sample := sink.emit('pull-sample')) is not None:
        samples.append(sample)
    error = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    if error is not None:
        raise RuntimeError(error.parse_error())
    return samples


def get_bytes(sample):
    buffer = sample.get_buffer()
    return buffer.extract_dup(0, buffer.get_size())


def get_number(sample):
    return round(sample.get_buffer().pts * FRAME_RATE / Gst.SECOND)


def read_clip():
    samples = run(f'filesrc location={CLIP} ! qtdemux ! h264parse ! avdec_h264 ! videoscale method=lanczos ! '
                  f'videoconvert ! {RAW}')
    return [get_bytes(sample) for sample in samples[:N_PICTURES]]


def encode(clip, encoder):
    return run(f'appsrc name=source format=time caps={RAW},framerate={FRAME_RATE}/1 ! {encoder}', enumerate(clip))


def encode_layers(clip, settings):
    """Layer frames as (picture, spatial layer, temporal layer, bytes)."""
    frames = []
    for sample in encode(clip, f'vp9svcenc threads=2 target-bitrate={TARGET} {settings}'):
        layer = sample.get_buffer().get_custom_meta('GstVp9SvcMeta').get_structure()
        frames.append((get_number(sample), layer.get_uint('spatial-id')[1], layer.get_uint('temporal-id')[1],
                       get_bytes(sample)))
    return frames


def get_rate(frames):
    return sum(len(frame[-1]) for frame in frames) * 8 / SECONDS / 1000


def decode(frames):
    """The luma of each picture by number, at full size."""
    pictures = {}
    for frame in frames:
        pictures[frame[0]] = pictures.get(frame[0], b'') + frame[-1]
    samples = run(f'appsrc name=source format=time caps=video/x-vp9 ! vp9dec ! videoscale method=catrom ! {RAW}',
                  sorted(pictures.items()))
    return {get_number(sample): get_visible_luma(sample) for sample in samples}


def get_visible_luma(sample):
    """Removes the padding that decoders add to lines."""
    meta = GstVideo.buffer_get_video_meta(sample.get_buffer())
    if meta is None:
        return get_luma(get_bytes(sample))
    stride, offset = meta.stride[0], meta.offset[0]
    data = numpy.frombuffer(get_bytes(sample), numpy.uint8)[offset:]
    lines = [data[line * stride:line * stride + WIDTH] for line in range(HEIGHT)]
    return numpy.concatenate(lines).astype(int)


def get_luma(data):
    return numpy.frombuffer(data, numpy.uint8)[:WIDTH * HEIGHT].astype(int)


def measure(clip, shown):
    """Mean PSNR of the luma over the decoded pictures, and over all pictures with the last decoded one repeated."""
    decoded, held, last = [], [], numpy.zeros(WIDTH * HEIGHT, int)
    for number, picture in enumerate(clip):
        last = shown.get(number, last)
        noise = ((get_luma(picture) - last) ** 2).mean()
        held.append(10 * numpy.log10(255 ** 2 / max(noise, 1e-9)))
        if number in shown:
            decoded.append(held[-1])
    return numpy.mean(decoded), numpy.mean(held)


def measure_single(clip, rate):
    frames = [(get_number(sample), get_bytes(sample))
              for sample in encode(clip, f'{VP9ENC} target-bitrate={rate}')]
    return f'{measure(clip, decode(frames))[1]:.1f} at {get_rate(frames):.0f}'


def print_levels(clip, scaling):
    frames = encode_layers(clip, f'layer-scaling={scaling} keyframe-max-dist=48 switch-distance=24')
    print(f'\nlayer-scaling={scaling}\n\n| class | its kbit/s | sum | pictures/s | dB, decoded | dB, all | '
          'vp9enc: dB at kbit/s |\n|---|---|---|---|---|---|---|')
    for top in [(s, t) for s in range(3) for t in range(3)]:
        own = [frame for frame in frames if frame[1:3] == top]
        subset = [frame for frame in frames if frame[1:3] <= top]
        shown = decode(subset)
        decoded, held = measure(clip, shown)
        print(f'| S{top[0]}T{top[1]} | {get_rate(own):.0f} | {get_rate(subset):.0f} | {len(shown) / SECONDS:g} | '
              f'{decoded:.1f} | {held:.1f} | {measure_single(clip, int(get_rate(subset) * 1000))} |', flush=True)


def print_switch_points(clip):
    print('\n| key pictures | `switch-distance` | dB |\n|---|---|---|')
    for key, switch in ((0, 0), (0, 48), (0, 24), (0, 12), (24, 0)):
        frames = encode_layers(clip, f'keyframe-max-dist={key} switch-distance={switch}')
        print(f'| {key} | {switch} | {measure(clip, decode(frames))[1]:.1f} |', flush=True)


def main():
    Gst.init(None)
    clip = read_clip()
    for scaling in ('none', 'half'):
        print_levels(clip, scaling)
    print_switch_points(clip)


if __name__ == '__main__':
    main()
