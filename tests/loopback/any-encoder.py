#!/usr/bin/env python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests encoders and sources with lmccsink in their default settings.

Each must lead to a picture at the receiver within seconds, or to a message with the reason.

Without arguments, tests the quick rows with one join each. `--all` tests all rows; `--rows NAME,NAME` some; `--markdown
FILE` writes this Debian release's table of docs/measured/encoders.md; `--front TEXT` tries any other pipeline. Each row
runs in a separate process.

`--waits FILE` writes the other table: the time until the first picture of twenty receivers that join one after the
other, with encoders that can be asked for a key frame, and checks it against the bars.
"""

import argparse
import datetime
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import threading
import time

import gi
gi.require_version('Gst', '1.0')
from gi.repository import Gst  # noqa: E402

import lib  # noqa: E402

GROUP, FIRST_PORT = '239.255.55.1', 15500

WIDTH, HEIGHT, RATE = 320, 240, 30

# The number of a picture is drawn as blocks of luma at its top, least significant bit first.
BITS = 16
BLOCK = WIDTH // BITS
BLACK, WHITE, MIDDLE = 32, 220, 126

# Seconds: the longest time that a join may take; the time for which pictures are watched; the time before the first
# join, in which encoders start and the first key frame passes.
PATIENCE, LOOK, WARM_UP = 20, 2, 2

# For the table of `--waits`, in seconds: the time between joins, long enough that no join profits from the key frame of
# another; the bars for encoders without look-ahead, for the median and for the maximum.
WAITS, APART = 20, 3
BAR, WORST_BAR = 1.0, 1.5
ASKED = ('x264enc key-int-max=30 tune=zerolatency', 'x264enc tune=zerolatency', 'openh264enc', 'vp8enc')
LOOK_AHEAD = ('raw video', 'x264enc', 'x265enc', 'vp9enc')

# Seconds that an X server may take to start.
SCREEN_PATIENCE = 20

PICTURE = 'picture'

# Has key frames as often as joins need them.
X264 = 'x264enc key-int-max=30'


class Row:
    """`front`: the pipeline in front of lmccsink. `required`: PICTURE, or words of the expected message; with `either`,
    a picture is accepted too, as other GStreamer versions or plugins may lead to one. `codec`: the encoding name, for
    receivers that must be told it. `quick`: the row is in the short form. `numbered`: the pictures come from Camera.
    `plain`: for comparison, sent and received without the elements of lmcc."""

    def __init__(self, name, front, required=PICTURE, needs=(), codec=None, quick=False, numbered=True, plain=False,
                 either=False):
        self.name = name
        self.front = front
        self.required = required
        self.needs = needs
        self.codec = codec
        self.quick = quick
        self.numbered = numbered
        self.plain = plain
        self.either = either

    def sink(self, port):
        to = f'port={port} multicast-iface=lo'
        if self.plain:
            return f'rtph264pay name=out config-interval=-1 ! udpsink host={GROUP} {to}'
        return f'lmccsink name=out address={GROUP} {to}'

    def source(self, port):
        if self.plain:
            return (f'udpsrc address={GROUP} port={port} multicast-iface=lo caps=application/x-rtp,media=video,'
                    'clock-rate=90000,encoding-name=H264 ! rtpjitterbuffer latency=200')
        codecs = f'codecs={self.codec}' if self.codec else ''
        return f'lmccsrc uri=lmcc://{GROUP}:{port}?multicast-iface=lo {codecs}'

    def missing(self):
        """The reason why the row cannot be tried here, or None."""
        for need in self.needs:
            if not (os.path.exists(need) or shutil.which(need) or Gst.ElementFactory.find(need)):
                return f'{need} is not installed'
        return None


def encoder(line, required=PICTURE, **kwargs):
    """A row for an encoder of the camera's pictures. The line has its name, then its properties."""
    return Row(line, f'camera. ! {line}', required, needs=(line.split()[0],), **kwargs)


def rows(film):
    """All rows in the order of the table."""
    return [
        Row('raw video', 'camera.', needs=('x264ladderenc', 'x264enc')),
        encoder('x264enc'),
        encoder(X264),
        encoder(f'{X264} bframes=3 b-pyramid=true'),
        encoder(f'{X264} bframes=3 b-pyramid=true tune=zerolatency'),
        encoder(f'{X264} bframes=2 b-pyramid=true b-adapt=false tune=zerolatency'),
        encoder(f'{X264} tune=zerolatency'),
        encoder('x264enc tune=zerolatency'),
        Row(f'{X264} tune=zerolatency by plain RTP (udpsink; udpsrc and rtpjitterbuffer)',
            f'camera. ! {X264} tune=zerolatency', needs=('x264enc', 'udpsink'), plain=True),
        encoder('x265enc'),
        encoder('openh264enc'),
        encoder('vah264enc'),
        encoder('nvh264enc'),
        encoder('vp8enc', quick=True),
        encoder('vp9enc'),
        encoder('av1enc', 'No RTP payloader for video/x-av1.*rtpav1pay', codec='AV1', quick=True, either=True),
        encoder('svtav1enc', 'No RTP payloader for video/x-av1.*rtpav1pay', codec='AV1', either=True),
        encoder('avenc_mpeg4', 'no usable timestamps: those of avenc_mpeg4', codec='MP4V-ES', quick=True, either=True),
        encoder('avenc_h263p', 'rtph263ppay does not accept this stream', codec='H263-1998', either=True),
        # With FFmpeg 5 it encodes nothing, whatever the pipeline.
        encoder('avenc_mpeg2video', 'Internal data stream error', codec='MPV', either=True),
        # Its caps say MPEG-1 for any output.
        encoder('mpeg2enc', 'No RTP payloader for video/mpeg of version 1', codec='MPV', either=True),
        encoder('jpegenc', codec='JPEG', quick=True),
        encoder('theoraenc', codec='THEORA', quick=True),
        encoder('openjpegenc'),
        encoder('vp9svcenc'),
        Row('x264ladderenc', 'camera. ! x264ladderenc name=enc enc.src_0 ! queue ! out.sink_0 '
            'enc.src_1 ! queue', needs=('x264ladderenc', 'x264enc')),
        Row('pngenc', 'camera. ! videoconvert ! pngenc', 'No RTP payloader for image/png', needs=('pngenc',)),
        Row('opusenc alone', 'audiotestsrc is-live=true ! opusenc', 'got audio.*audio_sink', needs=('opusenc',),
            quick=True, numbered=False),
        Row('raw sound alone', 'audiotestsrc is-live=true', 'got audio.*audio_sink', numbered=False),
        Row('a camera (v4l2src)', 'v4l2src ! videoconvert', needs=('v4l2src', '/dev/video0'), numbered=False),
        Row('the screen (ximagesrc)', 'ximagesrc ! videoconvert', needs=('ximagesrc', 'Xvfb'), numbered=False),
        Row('a file with sound (uridecodebin)', f'uridecodebin uri=file://{film}', needs=('x264ladderenc', 'x264enc'),
            numbered=False),
        Row('H.264 of an mp4 file (parsebin)', f'filesrc location={film} ! parsebin', numbered=False),
        Row('RTP of x264enc (rtph264pay)', 'camera. ! x264enc ! rtph264pay', needs=('x264enc', 'rtph264pay')),
        Row('RTP of an mp4 file (rtph264pay)', f'filesrc location={film} ! qtdemux ! rtph264pay',
            'Receivers will show no picture: rtph264pay', needs=('qtdemux', 'rtph264pay'), numbered=False),
    ]


# A camera


def draw_backgrounds():
    """The pictures without their numbers: 64 successive ones."""
    wave = bytes(range(16, 235)) + bytes(range(235, 16, -1))
    size = WIDTH * (HEIGHT - BLOCK)
    chroma = bytes([128]) * (WIDTH * HEIGHT // 2)
    return [(wave * (size // len(wave) + 2))[shift * 4:shift * 4 + size] + chroma for shift in range(64)]


class Camera:
    """Pushes numbered pictures in real time."""

    def __init__(self, source, clock, base):
        self.source = source
        self.clock = clock
        self.base = base
        self.running = True
        self.backgrounds = draw_backgrounds()
        self.thread = threading.Thread(target=self.film, daemon=True)
        self.thread.start()

    def draw(self, number):
        row = b''.join(bytes([WHITE if number >> bit & 1 else BLACK]) * BLOCK for bit in range(BITS))
        return row * BLOCK + self.backgrounds[number % len(self.backgrounds)]

    def film(self):
        number = 0
        while self.running:
            due = number * Gst.SECOND // RATE
            wait = (self.base + due - self.clock.get_time()) / Gst.SECOND
            if wait > 0:
                time.sleep(wait)
            picture = Gst.Buffer.new_wrapped(self.draw(number))
            picture.pts = due
            picture.duration = Gst.SECOND // RATE
            if self.source.emit('push-buffer', picture) != Gst.FlowReturn.OK:
                return
            number += 1


def read_number(buffer):
    number = 0
    for bit in range(BITS):
        at = BLOCK // 2 * WIDTH + bit * BLOCK + BLOCK // 2
        if buffer.extract_dup(at, 1)[0] > MIDDLE:
            number |= 1 << bit
    return number


# Pipelines


class Pipeline:
    """A pipeline on the row's clock, with its messages."""

    def __init__(self, text, clock, base):
        self.pipeline = Gst.parse_launch(text)
        self.pipeline.use_clock(clock)
        self.pipeline.set_start_time(Gst.CLOCK_TIME_NONE)
        self.pipeline.set_base_time(base)
        self.said = []
        self.failed = threading.Event()
        self.pipeline.get_bus().set_sync_handler(self.on_message)

    def on_message(self, _, message):
        if message.type == Gst.MessageType.ERROR:
            self.said.append(message.parse_error()[0].message)
            self.failed.set()
        elif message.type == Gst.MessageType.WARNING:
            self.said.append(message.parse_warning()[0].message)
        elif message.type == Gst.MessageType.LATENCY:
            threading.Thread(target=self.pipeline.recalculate_latency, daemon=True).start()
        return Gst.BusSyncReply.DROP

    def play(self):
        self.pipeline.set_state(Gst.State.PLAYING)

    def stop(self):
        self.pipeline.set_state(Gst.State.NULL)


class Screen:
    """A receiver that records when it shows which picture."""

    def __init__(self, source, clock, base):
        self.clock = clock
        self.base = base
        self.first = None
        self.ages = []
        self.shown = threading.Event()
        self.playback = Pipeline(
            f'{source} ! decodebin ! videoconvert ! videoscale ! '
            f'video/x-raw,format=I420,width={WIDTH},height={HEIGHT},pixel-aspect-ratio=1/1 ! '
            'fakesink name=screen sync=true signal-handoffs=true', clock, base)
        self.playback.pipeline.get_by_name('screen').connect('handoff', self.on_picture)
        self.started = time.monotonic()
        self.playback.play()

    def on_picture(self, _, buffer, __):
        now = time.monotonic()
        if self.first is None:
            self.first = now - self.started
        taken = read_number(buffer) * Gst.SECOND // RATE
        self.ages.append((self.clock.get_time() - self.base - taken) / Gst.SECOND)
        self.shown.set()


# A row


def count_layers(sender):
    # A plain sender has no statistics, and Python's GStreamer does not read arrays of structures.
    stats = sender.pipeline.get_by_name('out').get_property('stats')
    return len(re.findall(r'"layer\\,', stats.to_string()))


def join(row, port, clock, base, result, apart=0):
    """Runs one receiver. Returns whether it showed a picture."""
    screen = Screen(row.source(port), clock, base)
    shown = screen.shown.wait(PATIENCE)
    if shown:
        time.sleep(max(LOOK, apart - screen.first))
        result['first'].append(screen.first)
        if row.numbered:
            result['latency'].append(statistics.median(screen.ages))
    screen.playback.stop()
    result['receiver'] += screen.playback.said
    return shown


def run_row(row, port, joins, apart):
    """Runs a row. Returns its results."""
    result = {'first': [], 'latency': [], 'sender': [], 'receiver': [], 'layers': 0}
    clock = Gst.SystemClock.obtain()
    base = clock.get_time()
    source = (f'appsrc name=source is-live=true format=time caps=video/x-raw,format=I420,width={WIDTH},height={HEIGHT},'
              f'framerate={RATE}/1,pixel-aspect-ratio=1/1,interlace-mode=progressive ! tee name=camera '
              if 'camera.' in row.front else '')
    try:
        sender = Pipeline(f'{row.sink(port)} {source} {row.front} ! out.', clock, base)
    except gi.repository.GLib.Error as error:
        result['sender'].append(error.message)
        return result
    sender.play()
    camera = Camera(sender.pipeline.get_by_name('source'), clock, base) if source else None
    sender.failed.wait(WARM_UP)
    for _ in range(joins):
        if sender.failed.is_set() or row.required != PICTURE and not row.either and sender.said:
            break
        if not join(row, port, clock, base, result, apart):
            break
    result['sender'] += sender.said
    if not sender.failed.is_set():
        result['layers'] = count_layers(sender)
    if camera:
        camera.running = False
    sender.stop()
    return result


def judge(row, result):
    """Whether the row has the required result."""
    if row.required == PICTURE or row.either and result['first']:
        return bool(result['first'])
    said = ' '.join(result['sender'] + result['receiver'])
    return not result['first'] and re.search(row.required, said, re.DOTALL) is not None


def make_film(directory):
    """Makes an mp4 file with H.264 and sound: one second, repeated."""
    path = os.path.join(directory, 'film.mp4')
    subprocess.run(['gst-launch-1.0', '-q', 'mp4mux', 'name=mux', '!', 'filesink', f'location={path}',
                    'videotestsrc', f'num-buffers={60 * RATE}', '!',
                    f'video/x-raw,width={WIDTH},height={HEIGHT},framerate={RATE}/1', '!', 'x264enc',
                    'speed-preset=ultrafast', 'key-int-max=60', '!', 'h264parse', '!', 'mux.',
                    'audiotestsrc', 'num-buffers=2600', '!', 'avenc_aac', '!', 'mux.'], check=True)
    return path


# The table


def cells(row, missing, result):
    if missing:
        return ['not here', '', '', '', missing]
    picture = 'no'
    if result['first']:
        picture = f'yes, with `codecs={row.codec}`' if row.codec else 'yes'
    first = f'{statistics.median(result["first"]):.1f}' if result['first'] else ''
    latency = f'{statistics.median(result["latency"]) * 1000:.0f}' if result['latency'] else ''
    said = result['sender'] or result['receiver']
    return [picture, str(result['layers'] or ''), first, latency, '' if result['first'] else (said or ['nothing'])[0]]


def read_release():
    """The system's name, such as Debian 12."""
    release = platform.freedesktop_os_release()
    return f'{release["NAME"].split()[0]} {release.get("VERSION_ID", "testing")}'


def write_section(path, name, lines):
    with open(path, encoding='utf-8') as file:
        text = file.read()
    version = '.'.join(str(part) for part in Gst.version()[:3])
    lines = [f'Measured {datetime.date.today()} with GStreamer {version}.', '', *lines]
    begin, end = f'<!-- {name} -->\n', f'<!-- end of {name} -->\n'
    before, after = text.split(begin)[0], text.split(end)[1]
    with open(path, 'w', encoding='utf-8') as file:
        file.write(before + begin + '\n'.join(lines) + '\n' + end + after)


def write_table(path, done):
    """Writes the rows to this release's table."""
    lines = ['| In front of lmccsink | Picture | Layers | First picture, s | Latency, ms | Message |',
             '|---|---|--:|--:|--:|---|']
    lines += [f'| {row.name} | ' + ' | '.join(cells(row, missing, result)) + ' |' for row, missing, result in done]
    write_section(path, read_release(), lines)


def write_waits(path, done):
    lines = ['| In front of lmccsink | Looks ahead | Median, s | Worst, s |', '|---|---|--:|--:|']
    for row, missing, result in done:
        if not missing and result['first']:
            lines.append(f'| {row.name} | {"yes" if row.name in LOOK_AHEAD else "no"} | '
                         f'{statistics.median(result["first"]):.2f} | {max(result["first"]):.2f} |')
    write_section(path, 'waits', lines)


def hold_bars(row, result):
    if row.name in ASKED and result['first']:
        median, worst = statistics.median(result['first']), max(result['first'])
        lib.check(median <= BAR and worst <= WORST_BAR,
                  f'{row.name}: median at most {BAR} s, maximum at most {WORST_BAR} s', f'{median:.2f}', f'{worst:.2f}')


def start_screen():
    """Starts an X server for ximagesrc."""
    server = lib.Child(['Xvfb', '-displayfd', '1', '-screen', '0', f'{WIDTH}x{HEIGHT}x24', '-nolisten', 'tcp'])
    for _, number in server.wait_for(r'^\d+$', SCREEN_PATIENCE):
        os.environ['DISPLAY'] = f':{number.group()}'


def spawn(row, port, args, film):
    """Runs a row in a separate process, so that a crash of an encoder affects no other row."""
    nothing = {'first': [], 'latency': [], 'layers': 0, 'receiver': []}
    try:
        done = subprocess.run([sys.executable, __file__, '--row', row.name, '--port', str(port), '--film', film,
                               '--joins', str(args.joins), '--apart', str(args.apart)], stdout=subprocess.PIPE,
                              text=True, check=False, timeout=60 + args.joins * (PATIENCE + LOOK + args.apart + 5))
    except subprocess.TimeoutExpired:
        return nothing | {'sender': ['the process did not end']}
    lines = [line for line in done.stdout.splitlines() if line.startswith('{')]
    return json.loads(lines[-1]) if lines else nothing | {'sender': [f'the process ended with {done.returncode}']}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--all', action='store_true', help='test all rows')
    parser.add_argument('--rows', metavar='NAME,...', help='test these rows')
    parser.add_argument('--markdown', metavar='FILE', help="write this Debian release's table to FILE")
    parser.add_argument('--front', help='another pipeline in front of lmccsink, such as "camera. ! x264enc bframes=3"')
    parser.add_argument('--joins', type=int, default=1, help='number of joins per row (default: %(default)s)')
    parser.add_argument('--waits', metavar='FILE', help='write the table of times until the first picture to FILE')
    parser.add_argument('--apart', type=float, default=0, help=argparse.SUPPRESS)
    parser.add_argument('--row', help=argparse.SUPPRESS)
    parser.add_argument('--port', type=int, default=FIRST_PORT, help=argparse.SUPPRESS)
    parser.add_argument('--film', default='', help=argparse.SUPPRESS)
    args = parser.parse_args()
    Gst.init(None)
    if args.row:
        row = next(row for row in rows(args.film) if row.name == args.row)
        print(json.dumps(run_row(row, args.port, args.joins, args.apart)), flush=True)
        os._exit(0)     # an encoder that hangs must not keep the process alive

    if args.front:
        row = Row(args.front, args.front)
        result = run_row(row, args.port, args.joins, args.apart)
        print(json.dumps(result), '|', ' | '.join(cells(row, None, result)), flush=True)
        os._exit(0)

    every = args.all or args.markdown
    names = args.rows.split(',') if args.rows else None
    if args.waits:
        args.joins, args.apart, names = WAITS, APART, [*ASKED, *LOOK_AHEAD]
    lib.start(deadline=3000 if every or names else lib.DEADLINE)
    film = make_film(lib.directory()) if every or names else ''
    if shutil.which('Xvfb') and (every or names):
        start_screen()
    done = []
    for at, row in enumerate(rows(film)):
        if row.name not in names if names else not every and not row.quick:
            continue
        missing = row.missing()
        if missing:
            lib.note(f'{row.name}: {missing}')
        result = None if missing else spawn(row, args.port + 4 * at, args, film)
        if not missing:
            lib.check(judge(row, result), f'{row.name}: {row.required}', json.dumps(result))
            lib.note(' | '.join(cells(row, missing, result)))
            if args.waits:
                hold_bars(row, result)
        done.append((row, missing, result))
    if args.markdown:
        write_table(args.markdown, done)
    if args.waits:
        write_waits(args.waits, done)
    lib.finish()


main()
