# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Starts a sender and receivers in a network of this machine alone, and reports."""
import argparse
import ipaddress
import json
import os
import signal
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import network

from . import analysis, figures
from .child import LIBRARY
from .needs import Missing
from .run import Failure, Run
from .session import ALGORITHMS, MOST_SESSIONS, last_address

CLIP = Path(__file__).resolve().parent.parent.parent / 'big-buck-bunny.mp4'

# Up takes a receiver as much as a minute; by hand a level is there at once.
SECONDS = 120
SECONDS_BY_HAND = 40

WEB_PORT = 8080

FILM = 'side-by-side.mkv'


def parse_algorithms(text):
    names = text.split(',')
    for name in names:
        if name not in ALGORITHMS:
            raise argparse.ArgumentTypeError(f'{name!r} is none of {", ".join(ALGORITHMS)}')
    if len(names) > MOST_SESSIONS or len(set(names)) < len(names):
        raise argparse.ArgumentTypeError('one algorithm, or two different ones')
    return names


def check_groups(parser, arguments):
    """All that the sessions may use is multicast, and the ports are ports: RTCP has the odd ones."""
    address, port = last_address(arguments.address, arguments.port, len(arguments.algorithm))
    if not arguments.address.is_multicast or address is None or not address.is_multicast:
        parser.error(f'--address: {arguments.address} and what follows it are not all groups')
    if arguments.port < 2 or arguments.port % 2 or port > 65535:
        parser.error(f'--port: an even number, {65534 - (port - 1 - arguments.port)} at most')


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog='demo',
        description='A film through x264 and multicast layers to three receivers behind unequal links, in a network of '
                    'this machine alone. A TCP connection comes and goes beside the last.')
    parser.add_argument('file', nargs='?', type=Path, default=CLIP, help='any film (default: %(default)s)')
    parser.add_argument('--seconds', type=float,
                        help=f'how long to receive (default: {SECONDS}, or {SECONDS_BY_HAND} with --level)')
    parser.add_argument('--out', type=Path, help='directory for the results (default: out/demo-DATE)')
    parser.add_argument('--algorithm', type=parse_algorithms, default=['plumb'], metavar='NAME[,NAME]',
                        help=f'what decides the levels: {", ".join(ALGORITHMS)}; or two of them, side by side, each '
                             'with receivers and links of its own (default: plumb)')
    parser.add_argument('--web', nargs='?', type=int, const=WEB_PORT, metavar='PORT',
                        help='show the run on a page, http://127.0.0.1:PORT/ (default: %(const)s, 0: any); without '
                             '--seconds until it is stopped, and not measured')
    parser.add_argument('--web-host', default='127.0.0.1', metavar='ADDRESS',
                        help='address that the page is served on. Whoever reaches it can see and steer the run '
                             '(default: %(default)s)')
    parser.add_argument('--window', action='store_true', help='show the pictures')
    parser.add_argument('--level', type=int,
                        help='one receiver, which holds this level, on the loopback interface (default: what '
                             'congestion control finds)')
    parser.add_argument('--loopback', action='store_true',
                        help='use the loopback interface, and max-bitrate instead of links that carry less')
    parser.add_argument('--address', type=ipaddress.ip_address, default='239.255.42.1',
                        help='base group (default: %(default)s)')
    parser.add_argument('--port', type=int, default=5004, help='UDP port, even (default: %(default)s)')
    arguments = parser.parse_args()
    if not arguments.file.is_file():
        parser.error(f'{arguments.file}: no such file')
    if arguments.web is not None and not 0 <= arguments.web < 65536:
        parser.error('--web: not a port')
    check_groups(parser, arguments)
    if arguments.level is not None and len(arguments.algorithm) > 1:
        parser.error('--level: without algorithms beside each other')
    if arguments.seconds is None and arguments.web is None:
        arguments.seconds = SECONDS if arguments.level is None else SECONDS_BY_HAND
    if arguments.seconds is not None and arguments.seconds < 2:
        parser.error('--seconds: at least 2')
    return arguments


def find_sink():
    """The element that shows pictures on this screen."""
    done = subprocess.run(['gst-lmcc-1.0', 'screen'], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        raise Failure(f"--window: {done.stderr.strip().removeprefix('gst-lmcc-1.0 screen: ')}")
    return done.stdout.strip()


def report(run, arguments, out):
    from . import plot
    from . import report as page
    rates = [figures.mean_rates([levels for _, levels in session.rate_samples]) for session in run.sessions]
    for reception in run.receptions:
        analysis.identify(reception.frames, run.references)
    sessions = [{'algorithm': session.algorithm, 'address': str(session.first), 'port': session.port,
                 'layer-rates': [round(rate) for rate in figures.mean_rates([layers for layers, _ in
                                                                             session.rate_samples])],
                 'level-rates': [round(rate) for rate in rates[session.index]]} for session in run.sessions]
    summary = {'seconds': arguments.seconds, 'network': bool(run.net), 'frames-sent': run.sent, 'sessions': sessions,
               'receivers': [figures.summarize(reception, run.references, rates[reception.session.index])
                             for reception in run.receptions]}
    (out / 'summary.json').write_text(json.dumps(summary, indent=2) + '\n', encoding='utf-8')
    title = f'{arguments.file.name}: 3 x264 rungs, {" beside ".join(each.algorithm for each in run.sessions)}'
    plot.draw(out / 'demo.png', title, run, rates)
    page.write(out / 'report.html', title, summary, out / 'demo.png')
    run.say(page.as_text(summary))
    fault = join_films(run, out)
    run.say(f'In {out}: report.html, demo.png, summary.json, events.jsonl, SDP, and what each receiver showed')
    return '; '.join(filter(None, [*run.faults, fault, figures.verdict(summary)]))


def join_films(run, out):
    """What the receivers showed, side by side. Returns what went wrong, or None."""
    shown = [reception for reception in run.receptions if reception.frames]
    if len(shown) < 2:
        return None
    films = [{'file': str(run.film_of(each)), 'seconds': (each.base + each.frames[0].time) / analysis.SECOND,
              'text': each.name, 'column': each.link, 'row': each.session.index} for each in shown]
    done = subprocess.run([sys.executable, '-B', '-m', 'demo.film', str(out / FILM), json.dumps(films)],
                          stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          env={**os.environ, 'PYTHONPATH': str(LIBRARY)}, check=False)
    sys.stderr.write(done.stderr)
    if done.returncode != 0:
        cause = done.stderr.strip().rpartition('\n')[2] or f'status {done.returncode}'
        return f'{out / FILM} was not made: {cause}'
    run.say(f'In {out / FILM}: what the receivers showed, side by side')
    return None


def make_network():
    """None, with a notice, where there can be none."""
    try:
        return network.Network()
    except network.Failure as reason:
        sys.stderr.write(f'No network of its own can be made here ({reason}).\n'
                         'The loopback interface is used, which has no bottleneck: max-bitrate stands for one.\n')
        return None


def serve(run, arguments):
    """The page of a run; it is open when this returns."""
    try:
        from . import live, web
    except ModuleNotFoundError as missing:
        raise Failure(f'no page: {missing} (Debian: python3-aiohttp)') from missing
    try:
        server = live.Live(run, lambda do: web.Server(arguments.web_host, arguments.web, do)).server
        server.start()
    except web.Failure as reason:
        raise Failure(reason) from reason
    run.say(f'The page is {server.url}' + ('' if run.measured else '; Ctrl-C ends.'))
    return server


def end(number, _frame):
    """A signal ends this program as a key does, so that what it started ends too."""
    raise KeyboardInterrupt(signal.Signals(number).name)


def main():
    arguments = parse_arguments()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)
    out = arguments.out or Path('out') / datetime.now().strftime('demo-%Y%m%d-%H%M%S')
    out.mkdir(parents=True, exist_ok=True)
    net = None if arguments.loopback or arguments.level is not None else make_network()
    run = server = None
    try:
        run = Run(arguments, out, net, find_sink() if arguments.window else None, units=arguments.web is not None)
        run.check()
        if arguments.web is not None:
            server = serve(run, arguments)
        run.run()
    except (Failure, Missing, network.Failure, KeyboardInterrupt) as error:
        if isinstance(error, KeyboardInterrupt) and run and not run.measured:
            return 0
        sys.stderr.write(f'demo: {error or "interrupted"}\n')
        return 1
    finally:
        if server:
            server.close()
        if run:
            run.close()
        if net:
            net.close()
    wrong = report(run, arguments, out)
    if wrong:
        run.say(f'demo: {wrong}')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
