# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The Debian packages of the elements, programs and Python modules that the scripts and the tests use."""

# Debian packages and what each provides.
PACKAGES = {
    'libgstreamer1.0-0': 'capsfilter clocksync fakesink filesink filesrc identity queue tee',
    'gstreamer1.0-tools': 'gst-launch-1.0 gst-inspect-1.0',
    'gstreamer1.0-plugins-base-apps': 'gst-play-1.0 gst-discoverer-1.0',
    'gstreamer1.0-plugins-base': 'appsink appsrc compositor decodebin opusenc playbin playbin3 rawvideoparse '
                                 'uridecodebin3 videoconvert videorate videoscale videotestsrc',
    'gstreamer1.0-plugins-good': 'matroskademux matroskamux mp4mux qtdemux rtph264depay rtpjitterbuffer '
                                 'splitmuxsink udpsrc vp8enc vp9dec',
    'gstreamer1.0-plugins-bad': 'checksumsink fakeaudiosink fakevideosink gdpdepay gdppay h264parse h264timestamper '
                                'hlssink2 openjpegdec waylandsink',
    'gstreamer1.0-plugins-ugly': 'x264enc',
    'gstreamer1.0-libav': 'avdec_h264',
    'gstreamer1.0-x': 'textoverlay ximagesink xvimagesink',
    'gstreamer1.0-gl': 'glimagesink',
    'dbus-daemon': 'dbus-daemon',
    'ffmpeg': 'ffmpeg ffprobe',
    'frr': 'vtysh',
    'iperf3': 'iperf3',
    'iproute2': 'ip',
    'parole': 'parole',
    'util-linux': 'nsenter setpriv unshare',
    'xvfb': 'Xvfb',
    'python3-gi': 'gi',
    'gir1.2-gstreamer-1.0': 'Gst',
    'gir1.2-gst-plugins-base-1.0': 'GstApp',
    'python3-matplotlib': 'matplotlib',
    'python3-numpy': 'numpy',
}

PACKAGE_OF = {name: package for package, names in PACKAGES.items() for name in names.split()}

# Elements of this project: if one is missing, the build does not include it.
OURS = ('lmccsink', 'lmccsrc', 'j2klayerenc', 'vp9svcenc', 'x264ladderenc')


def where(name):
    """The remedy for a missing element, program or module, for a message."""
    if name in OURS:
        return 'not part of this build; meson setup reports the dependency that it lacks'
    return f'Debian: {PACKAGE_OF[name]}'
