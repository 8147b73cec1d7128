# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Joins the recordings of all receivers, side by side, in one film.

Usage: python3 -m demo.film OUT FILMS

FILMS is a JSON list. Each film has `file`, `seconds` (when its first picture was shown, on a clock common to all
films), `text` (to write over it), and `column` and `row` (its place).
"""
import json
import sys

from .process import GLib, Gst, HEIGHT, WIDTH

# The size of the recordings, half the size of the film.
TILE_WIDTH, TILE_HEIGHT = WIDTH // 2, HEIGHT // 2

JOIN = ('compositor name=all background=black ! video/x-raw,width={width},height={height},framerate=24/1 ! '
        'videoconvert ! x264enc pass=qual quantizer=23 speed-preset=superfast key-int-max=48 ! h264parse ! '
        'matroskamux ! filesink name=out')

TILE = ('filesrc name=file{i} ! matroskademux ! h264parse ! avdec_h264 ! videoconvert ! '
        'textoverlay halignment=left valignment=top font-desc="Sans 18" name=text{i} ! '
        'queue max-size-time=0 max-size-bytes=0 max-size-buffers=60 ! all.')


def describe(count, columns, rows):
    """The description of the pipeline."""
    parts = [JOIN.format(width=TILE_WIDTH * columns, height=TILE_HEIGHT * rows)]
    return ' '.join(parts + [TILE.format(i=i) for i in range(count)])


def join(out, films):
    """Writes `out`. Returns an error message, or None."""
    columns, rows = (1 + max(film[key] for film in films) for key in ('column', 'row'))
    try:
        pipeline = Gst.parse_launch(describe(len(films), columns, rows))
    except GLib.Error as error:
        return error.message
    pipeline.get_by_name('out').set_property('location', str(out))
    first = min(film['seconds'] for film in films)
    for i, film in enumerate(films):
        pipeline.get_by_name(f'file{i}').set_property('location', film['file'])
        pipeline.get_by_name(f'text{i}').set_property('text', film['text'])
        pad = pipeline.get_by_name('all').get_static_pad(f'sink_{i}')
        pad.set_property('xpos', film['column'] * TILE_WIDTH)
        pad.set_property('ypos', film['row'] * TILE_HEIGHT)
        pad.set_offset(round((film['seconds'] - first) * Gst.SECOND))
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(Gst.CLOCK_TIME_NONE,
                                                    Gst.MessageType.EOS | Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    if message.type != Gst.MessageType.ERROR:
        return None
    error, debug = message.parse_error()
    return f'{error.message} {debug.splitlines()[-1]}' if debug else error.message


def main():
    Gst.init(None)
    fault = join(sys.argv[1], json.loads(sys.argv[2]))
    if fault:
        print(fault, file=sys.stderr)
    return 1 if fault else 0


if __name__ == '__main__':
    sys.exit(main())
