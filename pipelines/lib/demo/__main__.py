# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Starts a sender and receivers in a private network on this machine, and reports the results."""
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

# A receiver may need a minute to reach its level; with --level it joins at once.
SECONDS = 120
SECONDS_BY_HAND = 40

WEB_PORT = 8080

FILM = 'side-by-side.mkv'


def parse_algorithms(text):
    names = text.split(',')
    for name in names:
        if name not in ALGORITHMS:
            raise argparse.ArgumentTypeError(f'unknown algorithm {name!r}; choose from {", ".join(ALGORITHMS)}')
    if len(names) > MOST_SESSIONS or len(set(names)) < len(names):
        raise argparse.ArgumentTypeError('give one algorithm, or two different ones')
    return names


def check_groups(parser, arguments):
    """Checks that all addresses and ports of the sessions are valid. RTP uses even ports, RTCP the odd ones."""
    address, port = last_address(arguments.address, arguments.port, len(arguments.algorithm))
    if not arguments.address.is_multicast or address is None or not address.is_multicast:
        parser.error(f'--address: {arguments.address} and the addresses after it must all be multicast addresses')
    if arguments.port < 2 or arguments.port % 2 or port > 65535:
        parser.error(f'--port: must be an even number from 2 to {65534 - (port - 1 - arguments.port)}')


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog='demo',
        description='Encodes a film with x264 and sends it in multicast layers to three receivers behind links of '
                    'different rates, in a private network on this machine. A TCP connection shares the last link for '
                    'part of the time.')
    parser.add_argument('file', nargs='?', type=Path, default=CLIP, help='video file to send (default: %(default)s)')
    parser.add_argument('--seconds', type=float,
                        help=f'how long to receive, in seconds (default: {SECONDS}, or {SECONDS_BY_HAND} with --level)')
    parser.add_argument('--out', type=Path, help='directory for the results (default: out/demo-DATE)')
    parser.add_argument('--algorithm', type=parse_algorithms, default=['plumb'], metavar='NAME[,NAME]',
                        help=f'congestion control algorithm: {", ".join(ALGORITHMS)}; or two of them side by side, '
                             'each with its own receivers and links (default: plumb)')
    parser.add_argument('--web', nargs='?', type=int, const=WEB_PORT, metavar='PORT',
                        help='show the run on a web page, http://127.0.0.1:PORT/ (default: %(const)s, 0: any free '
                             'port); without --seconds, the run continues until it is stopped, and is not measured')
    parser.add_argument('--web-host', default='127.0.0.1', metavar='ADDRESS',
                        help='address to serve the page on. Anyone who can reach it can watch and control the run '
                             '(default: %(default)s)')
    parser.add_argument('--window', action='store_true', help='show the video of each receiver in a window')
    parser.add_argument('--level', type=int,
                        help='run a single receiver at this level, on the loopback interface (default: congestion '
                             'control chooses the level)')
    parser.add_argument('--loopback', action='store_true',
                        help='use the loopback interface, and limit receivers with max-bitrate instead of slow links')
    parser.add_argument('--address', type=ipaddress.ip_address, default='239.255.42.1',
                        help='multicast address of the base group (default: %(default)s)')
    parser.add_argument('--port', type=int, default=5004, help='UDP port, an even number (default: %(default)s)')
    arguments = parser.parse_args()
    if not arguments.file.is_file():
        parser.error(f'{arguments.file}: no such file')
    if arguments.web is not None and not 0 <= arguments.web < 65536:
        parser.error('--web: must be a port number from 0 to 65535')
    check_groups(parser, arguments)
    if arguments.level is not None and len(arguments.algorithm) > 1:
        parser.error('--level: cannot be combined with two algorithms')
    if arguments.seconds is None and arguments.web is None:
        arguments.seconds = SECONDS if arguments.level is None else SECONDS_BY_HAND
    if arguments.seconds is not None and arguments.seconds < 2:
        parser.error('--seconds: must be at least 2')
    return arguments


def find_sink():
    """The name of the element that shows video on this screen."""
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
    title = f'{arguments.file.name}: 3 x264 encodings, {" and ".join(each.algorithm for each in run.sessions)}'
    plot.draw(out / 'demo.png', title, run, rates)
    page.write(out / 'report.html', title, summary, out / 'demo.png')
    run.say(page.as_text(summary))
    fault = join_films(run, out)
    run.say(f'Results in {out}: report.html, demo.png, summary.json, events.jsonl, SDP files and a recording of each '
            'receiver')
    return '; '.join(filter(None, [*run.faults, fault, figures.verdict(summary)]))


def join_films(run, out):
    """Writes a film with all recordings side by side. Returns an error message, or None."""
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
        return f'{out / FILM} could not be written: {cause}'
    run.say(f'All recordings side by side: {out / FILM}')
    return None


def make_network():
    """The network; None, after a notice, if this machine does not allow one."""
    try:
        return network.Network()
    except network.Failure as reason:
        sys.stderr.write(f'Cannot create a private network here ({reason}).\n'
                         'Using the loopback interface instead. It has no bottleneck, so max-bitrate limits each '
                         'receiver.\n')
        return None


def serve(run, arguments):
    """Starts the web server of a run and returns it; it accepts connections from then on."""
    try:
        from . import live, web
    except ModuleNotFoundError as missing:
        raise Failure(f'no page: {missing} (Debian: python3-aiohttp)') from missing
    try:
        server = live.Live(run, lambda do: web.Server(arguments.web_host, arguments.web, do)).server
        server.start()
    except web.Failure as reason:
        raise Failure(reason) from reason
    run.say(f'The page is {server.url}' + ('' if run.measured else '; press Ctrl-C to stop.'))
    return server


def end(number, _frame):
    """Handles a signal like Ctrl-C, so that all child processes end too."""
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
