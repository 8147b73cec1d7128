# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shows the page with made-up states instead of a run: with the longest texts, and with pictures of the film, so
that each state can be inspected at once."""
import contextlib
import sys
import tempfile

import page
from page import lib, open_browser

sys.path.insert(0, str(page.PIPELINES))
from demo import reasons, web  # noqa: E402
from demo.process import Gst  # noqa: E402
from demo.session import ALGORITHMS  # noqa: E402

CLIP = page.PIPELINES.parent / 'big-buck-bunny.mp4'

# Seconds of the film that the pictures come from, and the rates of its encodings in kbit/s.
FROM = 8
RATES = (200, 350, 900)

ENCODE = ('filesrc location={clip} ! decodebin name=film film. ! videoconvert ! videoscale ! '
          'video/x-raw,format=I420,width=640,height=360,pixel-aspect-ratio=1/1 ! '
          'x264enc bitrate={rate} key-int-max=24 bframes=0 speed-preset=superfast ! '
          'h264parse config-interval=-1 ! video/x-h264,stream-format=byte-stream,alignment=au ! '
          'appsink name=units sync=false max-buffers=1')
PICTURES = 24


def encode(rate):
    """The first pictures of one encoding: (whether it is a key frame, data)."""
    pipeline = Gst.parse_launch(ENCODE.format(clip=CLIP, rate=rate))
    units = pipeline.get_by_name('units')
    pipeline.set_state(Gst.State.PAUSED)
    pipeline.get_state(Gst.CLOCK_TIME_NONE)
    pipeline.seek_simple(Gst.Format.TIME, Gst.SeekFlags.FLUSH | Gst.SeekFlags.KEY_UNIT, FROM * Gst.SECOND)
    pipeline.set_state(Gst.State.PLAYING)
    found = []
    while len(found) < PICTURES:
        buffer = units.emit('pull-sample').get_buffer()
        found.append((not buffer.get_flags() & Gst.BufferFlags.DELTA_UNIT,
                      buffer.extract_dup(0, buffer.get_size())))
    pipeline.set_state(Gst.State.NULL)
    return found


def receiver(index, session=0, name=None, **fields):
    """The state of one receiver with the longest texts and numbers."""
    level = index % len(RATES)
    return {'name': name or f'receiver {index + 1}', 'link': index, 'session': session, 'running': True,
            'phase': 'receiving', 'capacity': 12340000, 'nominal': 12340000, 'tcp': True, 'tcpRate': 10880000,
            'level': level, 'rate': 10880000, 'loss': 0.888, 'rtt': 1.288, 'groups': list(range(level + 1)),
            'train': 'full', 'fair': 10880000, 'turn': {'upper': 2, 'share': 0.888, 'left': 28.8}, 'psnr': 38.8,
            'change': {'from': 0, 'to': 1, 'reason': max(reasons.PLAIN.values(), key=len)}, **fields}


def state(receivers, algorithms=('plumb',), busy=False, time=100.0):
    levels = [{'bitrate': 10880000, 'layers': [0, level]} for level in range(len(RATES))]
    return {'time': time, 'algorithms': ALGORITHMS, 'busy': busy, 'measured': False, 'network': True,
            'hasTcp': True, 'seconds': None,
            'sessions': [{'algorithm': name, 'layers': [1] * len(RATES), 'levels': levels} for name in algorithms],
            'receivers': receivers}


class Stage:
    def __init__(self, server, browser):
        self.server = server
        self.browser = browser
        self.encodings = [encode(rate) for rate in RATES]

    def show(self, states):
        """Reloads the page and sends these states one after the other, with pictures of receivers that have a level."""
        self.browser.get(self.server.url)
        lib.wait_until(lambda: self.server.pages, page.PATIENCE, 0.05)
        for each in states:
            self.server.publish_state(each)
        for pictures in zip(*self.encodings):
            for index, each in enumerate(states[-1]['receivers']):
                if each['level'] >= 0:
                    self.server.publish_unit(index, pictures[each['level']][0], True, pictures[each['level']][1])

    def set_screen(self, width, height, scheme='light'):
        self.browser.execute_cdp_cmd('Emulation.setDeviceMetricsOverride', {
            'width': width, 'height': height, 'deviceScaleFactor': 1, 'mobile': width < 600})
        self.browser.execute_cdp_cmd('Emulation.setEmulatedMedia', {
            'features': [{'name': 'prefers-color-scheme', 'value': scheme}]})


@contextlib.contextmanager
def opened():
    """The stage with an empty page."""
    Gst.init(None)
    server = web.Server('127.0.0.1', 0, lambda *_: None)
    server.start()
    with tempfile.TemporaryDirectory(prefix='lmcc-web-', ignore_cleanup_errors=True) as directory:
        browser = open_browser(directory)
        try:
            yield Stage(server, browser)
        finally:
            browser.quit()
            server.close()
