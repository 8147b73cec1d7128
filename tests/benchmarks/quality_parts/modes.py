# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Encoders with their settings, and how layers are made of their output. A new codec is a new row here."""
import collections

from clip import Gst

# encoder: {key} is one second in pictures, {rate} the requested rate, {width} and {height} half the film's size.
# rung_pad: for encoders with several rungs. caps: input of lmccsink, or of a payloader. levels: native layers. decoder:
# takes RTP.
Mode = collections.namedtuple('Mode', 'needs encoder rungs rung_pad caps levels decoder')

H264 = 'video/x-h264,stream-format=byte-stream,alignment=au'
OF_H264 = 'h264parse ! avdec_h264 max-threads=1'
FROM_H264 = f'rtph264depay ! {OF_H264}'
# The decoder of a rung's file, and the single encoding that rungs are compared with.
OF_RUNG, BESIDE_RUNGS = OF_H264, 'x264'
FROM_VP9 = 'rtpvp9depay ! vp9dec threads=1'
X264 = ('x264enc bitrate={} key-int-max={{key}} bframes={} b-pyramid={} b-adapt=false speed-preset=veryfast threads=1 '
        'vbv-buf-capacity=1000 option-string="scenecut=0:open-gop=0"')
H265 = 'video/x-h265,stream-format=byte-stream,alignment=au'
X265 = ('x265enc bitrate={} key-int-max={{key}} speed-preset=superfast option-string="bframes=3:b-adapt=0:'
        'open-gop=0:scenecut=0:repeat-headers=1:pools=none:frame-threads=1"')
LADDER = 'x264ladderenc name=ladder bitrates={} bframes={} speed-preset=veryfast real-time=false'


def x264(bitrate, bframes, levels):
    return Mode('x264enc', X264.format(bitrate, bframes, str(bframes > 1).lower()), 1, '', H264, levels, FROM_H264)


def ladder(bitrates, bframes, levels):
    return Mode('x264ladderenc', LADDER.format(bitrates, bframes), len(bitrates.split(',')), 'ladder.src_{}', H264,
                levels, FROM_H264)


def vp9svc(scaling):
    encoder = f'vp9svcenc target-bitrate=1200000 keyframe-max-dist={{key}} layer-scaling={scaling} threads=2'
    return Mode('vp9svcenc', encoder, 1, '', 'rtpvp9svcpay mtu=1300', 9, FROM_VP9)


# Pictures of a quarter of the size: JPEG 2000 needs ten times the rate of x264.
J2K = ('videoscale ! video/x-raw,width={{width}},height={{height}} ! j2klayerenc bitrates="<{}>" resolutions=4 '
       'threads=1')


MODES = {
    'x264-temporal': x264(900, 7, 3),
    'x264-ladder': ladder('100k,300k,900k', 3, 9),
    'x264-rungs': ladder('100k,200k,400k,800k', 0, 4),
    'x265-temporal': Mode('x265enc', X265.format(900), 1, '', H265, 2,
                          'rtph265depay ! h265parse ! avdec_h265 max-threads=1'),
    'vp9-svc': vp9svc('none'),
    'vp9-svc-half': vp9svc('half'),
    'j2k': Mode('j2klayerenc', J2K.format('100000,250000,500000,1000000,2000000'), 1, '', 'rtpj2klayerpay mtu=1300', 5,
                'rtpj2klayerdepay ! openjpegdec'),
}

# (settings of lmccsink, number of layers of fixed rates; 0: the mode's own).
ALLOCATIONS = {
    'native': ('layering=native levels=cumulative', 0),
    'fallback': ('layering=native levels=fallback', 0),
    'replicated': ('layering=native levels=replicated', 0),
    'doubling': ('layering=doubling layers=5 base-rate=150000', 5),
}

# Modes whose levels show one encoding each, with or without the lowest one.
ONE_ENCODING = ('fallback', 'replicated')

SINGLE_RATES = (50, 100, 200, 400, 800, 1600)

# (element, encoder, decoder, the encoder's units per kbit/s, the lowest rate that it accepts).
SINGLE = {
    'x264': ('x264enc', X264.format('{rate}', 3, 'true') + ' ! ' + H264, OF_H264, 1, 0),
    'VP9': ('vp9enc', 'vp9enc target-bitrate={rate} end-usage=cbr deadline=1 cpu-used=6 lag-in-frames=0 '
            'keyframe-max-dist={key} buffer-size=1000 buffer-initial-size=500 buffer-optimal-size=600 undershoot=50 '
            'overshoot=50 threads=2 row-mt=true aq-mode=cyclic-refresh', 'vp9dec threads=1', 1000, 0),
    'x265': ('x265enc', X265.format('{rate}') + ' ! ' + H265, 'h265parse ! avdec_h265 max-threads=1', 1, 0),
    'J2K': ('j2klayerenc', J2K.format('{rate}'), 'openjpegdec', 1000, 100),
}


def layer_sets(mode, allocation):
    """The layers of each level; empty if the mode has no such levels."""
    n_layers = ALLOCATIONS[allocation][1] or mode.levels
    if allocation not in ONE_ENCODING:
        return [range(level + 1) for level in range(n_layers)]
    if mode.rungs == 1:
        return []
    if allocation == 'replicated':
        return [[0, rung + 1] for rung in range(mode.rungs)]
    return [[0]] + [[0, rung] for rung in range(1, mode.rungs)]


def rung_of_layer(mode, allocation):
    """A function that returns the rung of a layer (None for a layer without one); None if layers contain data of
    several rungs."""
    if ALLOCATIONS[allocation][1]:
        return None
    if allocation == 'replicated':
        return lambda layer: layer - 1 if layer else None
    n_classes = 1 if allocation == 'fallback' else mode.levels // mode.rungs
    return lambda layer: layer // n_classes


def is_there(element):
    return Gst.ElementFactory.find(element) is not None


def has_property(element, name):
    return Gst.ElementFactory.make(element).find_property(name) is not None
