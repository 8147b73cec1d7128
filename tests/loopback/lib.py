# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shared functions of the end-to-end tests.

Child processes whose output is read while they run, packets of a group, H.264 access units, and results. Exit status: 0
if all is well, 1 after a failure, 77 if skipped.
"""

import atexit
import hashlib
import os
import re
import shlex
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, '../../pipelines/lib'))
import network  # noqa: E402
from installed import where  # noqa: E402

SKIPPED = 77

# Default deadline in seconds; a test that takes longer is considered hung.
DEADLINE = 58

WIDTH, HEIGHT = 320, 240
FRAME_SIZE = WIDTH * HEIGHT * 3 // 2

_children = []
_failures = []


# Results


def skip(reason):
    print(f'SKIP: {reason}', flush=True)
    sys.exit(SKIPPED)


def check(good, statement, *details):
    """Reports a result; prints `details` if it is not good."""
    print(f'{"ok  " if good else "FAIL"} {statement}', flush=True)
    if not good:
        _failures.append(statement)
        for detail in details:
            for line in str(detail).splitlines():
                print(f'       {line}', flush=True)
    return good


def note(text):
    print(f'     {text}', flush=True)


def finish(skipped=None):
    """Ends the test; `skipped` is the reason why a part of it was skipped."""
    if _failures:
        print(f'{len(_failures)} failed')
        sys.exit(1)
    if skipped:
        skip(skipped)
    print('all well')
    sys.exit(0)


def _too_long(*_):
    print('FAIL: the test took too long', flush=True)
    for child in _children:
        if child.returncode() is None:
            print(f'       still running: {child.name}')
            for line in child.tail():
                print(f'         {line}')
    sys.exit(1)


def start(*elements, tools=(), deadline=DEADLINE):
    """Skips the test if an element or a tool is not installed; fails it after `deadline` seconds."""
    for tool in ('gst-launch-1.0', 'gst-inspect-1.0', *tools):
        if shutil.which(tool) is None:
            skip(f'{tool} is not installed ({where(tool)})')
    for element in ('lmccsink', 'lmccsrc', 'x264enc', 'avdec_h264',
                    'checksumsink', *elements):
        if subprocess.run(['gst-inspect-1.0', element], check=False,
                          stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode:
            skip(f'the element {element} is not installed ({where(element)})')
    signal.signal(signal.SIGALRM, _too_long)
    signal.alarm(deadline)


def control():
    """The program that runs a pipeline and takes commands while it runs; skips the test if it is not built."""
    if 'LMCC_CONTROL' not in os.environ:
        skip('LMCC_CONTROL does not name the program that is built from '
             'tests/loopback/control.c')
    return os.environ['LMCC_CONTROL']


def processor_seconds(pid):
    with open(f'/proc/{pid}/stat', encoding='ascii') as file:
        fields = file.read().rsplit(')', 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def directory():
    """A temporary directory."""
    path = tempfile.mkdtemp(prefix='lmcc-loopback-')
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


def wait_until(condition, timeout, step=0.05):
    """Evaluates a condition repeatedly; returns its last value."""
    end = time.monotonic() + timeout
    answer = condition()
    while not answer and time.monotonic() < end:
        time.sleep(step)
        answer = condition()
    return answer


# Processes


class Child:
    """A program whose output is kept by line, with times. It and the namespaces that it is in end with this process,
    however that ends."""

    def __init__(self, argv, name=None, prefix=(), stdin=None, env=None):
        # After the prefix, because entering a user namespace clears the setting.
        self.argv = [*prefix, 'setpriv', '--pdeathsig', 'KILL', *argv]
        self.name = name or shlex.join([*prefix, *argv])
        self.output = []
        self._changed = threading.Condition()
        self._ended = False
        self.process = subprocess.Popen(
            self.argv, stdin=stdin or subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors='replace', bufsize=1, env={**os.environ, **(env or {})})
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        _children.append(self)

    def _read(self):
        for line in self.process.stdout:
            with self._changed:
                self.output.append((time.monotonic(), line.rstrip('\n')))
                self._changed.notify_all()
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    @property
    def pid(self):
        return self.process.pid

    def returncode(self):
        return self.process.poll()

    def text(self):
        with self._changed:
            return '\n'.join(line for _, line in self.output)

    def tail(self, count=15):
        """The latest lines, except those of pictures."""
        with self._changed:
            lines = [line for _, line in self.output
                     if not PICTURE.search(line)]
        return lines[-count:]

    def find(self, pattern, after=0.0):
        """(time, match) of each matching line after the time `after`."""
        compiled = re.compile(pattern)
        with self._changed:
            output = list(self.output)
        return [(when, match) for when, line in output if when > after
                for match in [compiled.search(line)] if match]

    def wait_for(self, pattern, timeout, count=1, after=0.0):
        """Waits for `count` matches and returns them; fewer after the timeout or the end of the program."""
        end = time.monotonic() + timeout
        while True:
            with self._changed:
                before, ended = len(self.output), self._ended
            found = self.find(pattern, after)
            left = end - time.monotonic()
            if len(found) >= count or ended or left <= 0:
                return found
            with self._changed:
                if len(self.output) == before and not self._ended:
                    self._changed.wait(left)

    def ends(self, timeout):
        """Whether the program ends on its own within the timeout."""
        try:
            self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            return False
        self._reader.join(5)
        return True

    def stop(self, timeout=8):
        """Interrupts the program as Ctrl-C does; returns whether it ended in time."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        ended = self.ends(timeout)
        if not ended:
            self.kill()
        return ended

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._reader.join(5)

    def write(self, line):
        self.process.stdin.write(line + '\n')
        self.process.stdin.flush()


def _kill_all():
    for child in _children:
        if child.process.poll() is None:
            child.process.kill()
            child.process.wait()


atexit.register(_kill_all)


def launch(line, *flags, **kwargs):
    """gst-launch-1.0 with output of messages."""
    return Child(['gst-launch-1.0', *(flags or ('-m',)), *shlex.split(line)],
                 **kwargs)


# Pipelines


def source(name='', live=True):
    """A source of noisy pictures, so that no two pictures are equal."""
    return (f'videotestsrc {name and f"name={name} "}is-live={str(live).lower()}'
            f' pattern=smpte ! video/x-raw,format=I420,width={WIDTH},'
            f'height={HEIGHT},framerate=25/1')


# Fixed key frame interval, closed GOPs, I and P pictures, one referenced B picture and two that are not referenced:
# three temporal classes.
def three_classes(bitrate=600, key_distance=24):
    return (f'x264enc bitrate={bitrate} key-int-max={key_distance} bframes=3 '
            'b-adapt=false b-pyramid=true speed-preset=superfast threads=2 '
            'rc-lookahead=5 option-string="scenecut=0:open-gop=0"')


def one_class(bitrate=600, key_distance=24):
    return (f'x264enc bitrate={bitrate} key-int-max={key_distance} '
            'tune=zerolatency speed-preset=superfast threads=2 '
            'option-string="scenecut=0"')


# The line that checksumsink writes for each picture in one piece. gst-launch -m writes its lines in pieces, so the line
# may be in the middle of another one.
PICTURE = re.compile(r'(\d+:\d\d:\d\d\.\d{9}) ([0-9a-f]{40})$')

SHOW = 'checksumsink hash=sha1 sync=true'


def pictures(child, after=0.0):
    """(time, checksum) of each picture that `child` showed."""
    return [(when, match.group(2))
            for when, match in child.find(PICTURE.pattern, after)]


def wait_for_pictures(child, count, timeout, after=0.0):
    return len(child.wait_for(PICTURE.pattern, timeout, count, after)) >= count


# H.264


def _nal_units(data):
    starts = [m.start() for m in re.finditer(b'\x00\x00\x01', data)]
    for begin, end in zip(starts, starts[1:] + [len(data)]):
        yield data[begin + 3:end]


def access_units(data):
    """(class, bytes) of each access unit; they begin with a delimiter. The class is that of lmcc: 0 for nal_ref_idc 3
    and 2, 1 for 1, 2 for 0."""
    units = []
    for nal in _nal_units(data):
        nal_type, importance = nal[0] & 31, nal[0] >> 5
        if nal_type == 9:
            units.append([0, b''])
        if nal_type in (1, 5):
            units[-1][0] = max(units[-1][0], importance)
        units[-1][1] += b'\x00\x00\x00\x01' + nal.rstrip(b'\x00')
    return [({3: 0, 2: 0, 1: 1, 0: 2}[importance], unit)
            for importance, unit in units]


def decode_checksums(data, path):
    """The checksums of the pictures of an H.264 stream, decoded from a file."""
    with open(path, 'wb') as file:
        file.write(data)
    raw = subprocess.run(
        ['ffmpeg', '-hide_banner', '-loglevel', 'error', '-nostdin', '-i', path,
         '-fps_mode', 'passthrough', '-pix_fmt', 'yuv420p', '-f', 'rawvideo',
         '-'], stdout=subprocess.PIPE, check=True).stdout
    return frame_checksums(raw)


def frame_checksums(raw):
    """The checksums of raw I420 pictures; ignores an incomplete picture at the end."""
    return [hashlib.sha1(raw[at:at + FRAME_SIZE]).hexdigest()
            for at in range(0, len(raw) - FRAME_SIZE + 1, FRAME_SIZE)]


# Packets


def group_socket(group, port):
    """A socket that receives a group on loopback."""
    hears = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    hears.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    hears.bind((group, port))
    hears.setsockopt(
        socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
        struct.pack('4s4s', socket.inet_aton(group),
                    socket.inet_aton('127.0.0.1')))
    return hears


def sending_socket(address):
    """A socket that sends to groups on loopback from this loopback address."""
    sends = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sends.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF,
                     socket.inet_aton('127.0.0.1'))
    sends.bind((address, 0))
    return sends


class Sniffer:
    """Counts the packets of a group on loopback by SSRC and payload type."""

    def __init__(self, group, port):
        self.socket = group_socket(group, port)
        self.socket.settimeout(0.2)
        self.payload_types = {}
        self.first_of = {}
        self.last_of = {}
        self._running = True
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        while self._running:
            try:
                data = self.socket.recv(2048)
            except socket.timeout:
                continue
            if len(data) < 12 or data[0] >> 6 != 2:
                continue
            now = time.monotonic()
            kind = data[1] & 127
            ssrc = int.from_bytes(data[8:12], 'big')
            self.payload_types[kind] = self.payload_types.get(kind, 0) + 1
            self.first_of.setdefault(ssrc, now)
            self.last_of[ssrc] = now

    def stop(self):
        self._running = False
        self._thread.join()
        self.socket.close()


def sniff(prefix):
    """Counts the packets that arrive in the network namespace in which `prefix` runs programs."""
    return Child([sys.executable, os.path.join(HERE, 'sniff.py')],
                 prefix=prefix)


def count_packets(sniffer, source, groups):
    """The number of packets from `source` to `groups`."""
    lines = sniffer.find('>')
    latest = lines[-1][1].string if lines else ''
    return sum(int(n) for group in groups
               for n in re.findall(
                   rf'{re.escape(source)}>{re.escape(group)}=(\d+)', latest))


# Memberships


def joined_groups(pid):
    """The IPv4 and IPv6 groups that the network namespace of `pid` has joined, except those that every host joins."""
    groups = set()
    for line in _read_lines(f'/proc/{pid}/net/igmp'):
        match = re.match(r'\s+([0-9A-F]{8})\s+\d+\s', line)
        if match:
            groups.add(socket.inet_ntoa(
                int(match.group(1), 16).to_bytes(4, 'little')))
    for line in _read_lines(f'/proc/{pid}/net/igmp6'):
        groups.add(_ipv6(line.split()[2]))
    return {group for group in groups
            if not re.match(r'224\.0\.0\.|ff0[12]::', group)}


def source_filters(pid):
    """(group, source) of each source-specific membership in that namespace."""
    filters = set()
    for line in _read_lines(f'/proc/{pid}/net/mcfilter')[1:]:
        fields = line.split()
        filters.add(tuple(socket.inet_ntoa(int(field, 16).to_bytes(4, 'big'))
                          for field in fields[2:4]))
    for line in _read_lines(f'/proc/{pid}/net/mcfilter6')[1:]:
        fields = line.split()
        filters.add((_ipv6(fields[2]), _ipv6(fields[3])))
    return filters


def _ipv6(digits):
    return socket.inet_ntop(socket.AF_INET6, bytes.fromhex(digits))


def _read_lines(path):
    try:
        with open(path, encoding='ascii') as file:
            return file.read().splitlines()
    except FileNotFoundError:
        return []


# Networks


def make_network():
    """A switch without hosts, which ends with the program; skips the test if the machine does not allow it."""
    try:
        made = network.Network()
    except network.Unavailable as reason:
        skip(reason)
    atexit.register(made.close)
    return made
