# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The receiving process: lmccsrc and a standard depayloader. In a measured run it also decodes and records every
picture; for a web page it outputs access units for the decoder in the browser.
"""
import base64
import sys
import time
import zlib

from . import quality
from .process import GLib, Gst, HEIGHT, RAW_CAPS, WIDTH, plain, read_commands, run, tell, watch

STATS_INTERVAL_MS = 200

# The delay of a full link queue, and as much again for a busy machine.
LATENCY_MS = 500

# Number of packet times to remember: those of more pictures than are in transit.
MAX_RTP_TIMES = 500

# A busy machine may need this long to finish a recording.
RECORD_TIMEOUT = 30 * Gst.SECOND

# A decoder moves a picture that begins just before a segment to the segment's start. The difference is the correction
# of the receiver's clock during the gap, at most 500 parts per million: far less than the time between two pictures.
PTS_TOLERANCE = 10 * Gst.MSECOND

# Records at half the size, to save processor time with three receivers.
RECORDER = (f'appsrc name=pictures format=time caps={RAW_CAPS} ! queue ! videoscale ! '
            f'video/x-raw,width={WIDTH // 2},height={HEIGHT // 2} ! '
            'x264enc pass=qual quantizer=21 speed-preset=ultrafast key-int-max=48 threads=1 ! h264parse ! '
            'matroskamux ! filesink name=file')

RECEIVE = (f'lmccsrc name=in latency={LATENCY_MS} ! identity name=tap signal-handoffs=true ! rtph264depay ! '
           'h264parse ! tee name=coded')

DECODE = (f'coded. ! queue ! avdec_h264 name=decoder max-threads=1 ! videoconvert ! {RAW_CAPS} ! tee name=pictures '
          'pictures. ! queue ! appsink name=frames sync=false emit-signals=true')

# Outputs each coded picture at its presentation time, and the parameter sets in front of each key frame.
UNITS = ('coded. ! queue max-size-time=0 max-size-buffers=0 max-size-bytes=0 ! h264parse config-interval=-1 ! '
         'video/x-h264,stream-format=byte-stream,alignment=au ! clocksync name=units ! fakesink sync=false async=false')


class Recorder:
    """Writes the decoded pictures to a video file."""

    def __init__(self, path):
        self.path = path
        self.pipeline = None
        self.start = 0

    def write(self, sample, time):
        if self.pipeline is None:
            self.pipeline = Gst.parse_launch(RECORDER)
            self.pipeline.get_by_name('file').set_property('location', self.path)
            self.source = self.pipeline.get_by_name('pictures')
            self.source.set_property('caps', sample.get_caps())
            self.start = time
            self.pipeline.set_state(Gst.State.PLAYING)
        buffer = sample.get_buffer().copy()
        buffer.pts, buffer.dts, buffer.duration = time - self.start, Gst.CLOCK_TIME_NONE, Gst.CLOCK_TIME_NONE
        self.source.emit('push-buffer', buffer)

    def close(self):
        """Finishes the file. Returns an error message, or None."""
        if self.pipeline is None:
            return None
        self.source.emit('end-of-stream')
        message = self.pipeline.get_bus().timed_pop_filtered(RECORD_TIMEOUT,
                                                             Gst.MessageType.EOS | Gst.MessageType.ERROR)
        self.pipeline.set_state(Gst.State.NULL)
        if message is None:
            return f'the recording did not finish within {RECORD_TIMEOUT // Gst.SECOND} s'
        return message.parse_error()[0].message if message.type == Gst.MessageType.ERROR else None


def describe(options):
    """The description of the pipeline."""
    parts = [RECEIVE]
    if options['measured'] or options['sink']:
        parts.append(DECODE)
    if options['sink']:
        parts.append(f"pictures. ! queue ! videoconvert ! {options['sink']}")
    if options['units'] or len(parts) == 1:
        parts.append(UNITS)
    return ' '.join(parts)


class Receiver:
    def __init__(self, options):
        self.loop = GLib.MainLoop()
        self.pipeline = Gst.parse_launch(describe(options))
        self.source = self.pipeline.get_by_name('in')
        self.source.set_property('uri', options['uri'])
        for name, value in options['settings'].items():
            Gst.util_set_object_arg(self.source, name, str(value))
        self.decoder = self.pipeline.get_by_name('decoder')
        self.recorder = Recorder(options['record']) if options['measured'] else None
        self.rtp_times = {}
        self.latency = 0
        self.begun = False
        if self.decoder:
            self.pipeline.get_by_name('tap').connect('handoff', self.on_packet)
            self.pipeline.get_by_name('frames').connect('new-sample', self.on_frame)
        if options['units']:
            units = self.pipeline.get_by_name('units').get_static_pad('src')
            units.add_probe(Gst.PadProbeType.BUFFER, self.on_unit)
        self.failed = watch(self.pipeline, self.loop)
        self.pipeline.get_bus().connect('message::element', self.on_element_message)
        read_commands(self.on_command)

    def running_time(self):
        clock = self.pipeline.get_clock()
        return clock.get_time() - self.pipeline.get_base_time() if clock else 0

    def on_packet(self, _identity, buffer):
        """Remembers the RTP timestamp of a presentation time."""
        if buffer.pts not in self.rtp_times:
            self.rtp_times[buffer.pts] = int.from_bytes(buffer.extract_dup(4, 4), 'big')
            if len(self.rtp_times) > MAX_RTP_TIMES:
                del self.rtp_times[next(iter(self.rtp_times))]

    def rtp_time(self, pts):
        if pts in self.rtp_times:
            return self.rtp_times[pts]
        nearest = min(tuple(self.rtp_times), key=lambda known: abs(known - pts), default=pts)
        return self.rtp_times.get(nearest) if abs(nearest - pts) <= PTS_TOLERANCE else None

    def on_frame(self, appsink):
        sample = appsink.pull_sample()
        if self.recorder is None:
            return Gst.FlowReturn.OK
        buffer = sample.get_buffer()
        time = sample.get_segment().to_running_time(Gst.Format.TIME, buffer.pts)
        rtp = self.rtp_time(buffer.pts)
        # Pictures that were due before this receiver started have the time 0, or a time that the decoder invented.
        self.begun = self.begun or time > 0 and rtp is not None
        if not self.begun:
            return Gst.FlowReturn.OK
        tell('frame', time=time, now=self.running_time(), latency=self.latency, rtp=rtp,
             crc=zlib.crc32(buffer.extract_dup(0, buffer.get_size())),
             corrupted=bool(buffer.get_flags() & Gst.BufferFlags.CORRUPTED))
        self.recorder.write(sample, time)
        return Gst.FlowReturn.OK

    def on_unit(self, pad, info):
        """Reports a coded picture. After a change to a lower level, pictures before the segment are decoded but not
        shown."""
        buffer = info.get_buffer()
        event = pad.get_sticky_event(Gst.EventType.SEGMENT, 0)
        # At the end of the pipeline there is no segment any more.
        segment = event and event.parse_segment()
        shown = bool(segment) and segment.to_running_time(Gst.Format.TIME, buffer.pts) != Gst.CLOCK_TIME_NONE
        data = buffer.extract_dup(0, buffer.get_size())
        tell('unit', key=not buffer.get_flags() & Gst.BufferFlags.DELTA_UNIT, shown=shown,
             coded=quality.checksum(data), data=base64.b64encode(data).decode('ascii'))
        return Gst.PadProbeReturn.OK

    def on_element_message(self, _bus, message):
        structure = message.get_structure()
        if structure.get_name() == 'lmcc-level-changed':
            now, message = self.running_time(), plain(structure)
            tell('level', now=now, unix=time.time() - (now - message['running-time-ns']) / Gst.SECOND, message=message)
        elif structure.get_name().startswith('lmcc-'):
            tell('message', now=self.running_time(), name=structure.get_name(), message=plain(structure))

    def on_command(self, text):
        if text:
            Gst.util_set_object_arg(self.source, *text.split())
        else:
            self.loop.quit()

    def tell_stats(self):
        query = Gst.Query.new_latency()
        if self.decoder and self.decoder.get_static_pad('src').query(query):
            self.latency = query.parse_latency()[1]
        tell('receiver-stats', now=self.running_time(), base=self.pipeline.get_base_time(),
             level=self.source.get_property('level'), stats=plain(self.source.get_property('stats')))
        return True

    def run(self):
        self.pipeline.set_state(Gst.State.PLAYING)
        GLib.timeout_add(STATS_INTERVAL_MS, self.tell_stats)
        self.loop.run()
        self.tell_stats()
        self.pipeline.set_state(Gst.State.NULL)
        fault = self.recorder.close() if self.recorder else None
        if fault:
            tell('error', text=f'{self.recorder.path}: {fault}', debug=None, element='recorder')
        return 1 if fault or self.failed() else 0


if __name__ == '__main__':
    sys.exit(run(Receiver))
