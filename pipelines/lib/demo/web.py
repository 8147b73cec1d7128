# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The web server of a run: a few files under fixed names, and a WebSocket for states and actions.

Requests never name files of a directory. The server answers only requests whose Host header has one of its own
addresses or names, as a protection against DNS rebinding. It accepts WebSockets only from its own page.
"""
import asyncio
import ipaddress
import json
import socket
import struct
import threading
from pathlib import Path

from aiohttp import WSMsgType, web

from . import actions

PAGE = Path(__file__).resolve().parent / 'page'

# Debian's libjs-chart.js.
CHART = Path('/usr/share/javascript/chart.js/chart.min.js')

FILES = {
    '/': (PAGE / 'index.html', 'text/html'),
    '/style.css': (PAGE / 'style.css', 'text/css'),
    **{f'/{name}': (PAGE / name, 'text/javascript')
       for name in ('page.js', 'card.js', 'loupe.js', 'pictures.js', 'plot.js', 'tree.js')},
    '/icon.svg': (PAGE / 'icon.svg', 'image/svg+xml'),
    '/chart.js': (CHART, 'text/javascript'),
}

HEADERS = {
    'Content-Security-Policy': "default-src 'self'; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'; "
                               "base-uri 'none'; form-action 'none'",
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
}

# Maximum size of a message in bytes; an action is much smaller.
LARGEST_MESSAGE = 1024

# Maximum length of the queue of a page. If the page reads too slowly, pictures are dropped up to the next key frame.
LONGEST_QUEUE = 120

MOST_PAGES = 16

# Header of a coded picture on the WebSocket: receiver, flags, two unused bytes. H.264 with start codes follows.
UNIT = struct.Struct('!BBxx')
KEY, SHOWN = 1, 2


class Failure(Exception):
    """The page cannot be served; the text gives the reason."""


class Page:
    """One open page."""

    def __init__(self):
        self.queue = asyncio.Queue(LONGEST_QUEUE)
        self.begun = set()

    def put_state(self, text):
        if not self.queue.full():
            self.queue.put_nowait(text)

    def put_unit(self, receiver, key, data):
        """Queues a coded picture. The decoder starts with a key frame, and restarts with one after a dropped
        picture."""
        if key:
            self.begun.add(receiver)
        if self.queue.full():
            self.begun.discard(receiver)
        elif receiver in self.begun:
            self.queue.put_nowait(data)


class Server:
    """The HTTP server, which runs in its own thread. It calls `do` there with each valid action and with a function to
    call with a reason if the action is refused."""

    def __init__(self, host, port, do):
        self.host = host
        self.port = port
        self.do = do
        self.pages = set()
        self.loop = asyncio.new_event_loop()
        self.started = threading.Event()
        self.failure = None
        self.thread = threading.Thread(target=self.run, daemon=True)

    @property
    def url(self):
        host = f'[{self.host}]' if ':' in self.host else self.host
        return f'http://{host}:{self.port}/'

    def start(self):
        missing = [str(path) for path, _ in FILES.values() if not path.is_file()]
        if missing:
            raise Failure(f"{', '.join(missing)} is missing (Debian: libjs-chart.js)")
        self.thread.start()
        self.started.wait()
        if self.failure:
            raise Failure(f'cannot serve the page on {self.url}: {self.failure}; try another --web PORT, and check '
                          'that --web-host is an address of this machine')

    def run(self):
        asyncio.set_event_loop(self.loop)
        try:
            runner = self.loop.run_until_complete(self.listen())
        except Exception as error:
            self.failure = error
            self.started.set()
            return
        self.started.set()
        self.loop.run_forever()
        self.loop.run_until_complete(runner.cleanup())
        self.loop.close()

    async def listen(self):
        application = web.Application(middlewares=[self.guard], client_max_size=LARGEST_MESSAGE)
        for path in FILES:
            application.router.add_get(path, self.get_file)
        application.router.add_get('/socket', self.get_socket)
        runner = web.AppRunner(application, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, self.host, self.port, shutdown_timeout=1)
        await site.start()
        self.port = runner.addresses[0][1]
        return runner

    def close(self):
        if self.thread.is_alive():
            self.loop.call_soon_threadsafe(self.loop.stop)
            self.thread.join(5)

    # Requests

    def is_own_name(self, authority):
        """Whether a Host header names this server: its port, and an address or name of this machine."""
        name, colon, port = authority.rpartition(':')
        if not colon or port != str(self.port):
            return self.port == 80 and self.is_own_host(authority)
        return self.is_own_host(name)

    def is_own_host(self, name):
        name = name.lower()
        if name in ('localhost', self.host.lower()):
            return True
        try:
            address = ipaddress.ip_address(name.removeprefix('[').removesuffix(']'))
        except ValueError:
            return not is_local(self.host) and name == socket.gethostname().lower()
        return address.is_loopback or not is_local(self.host)

    @web.middleware
    async def guard(self, request, handler):
        if not self.is_own_name(request.headers.get('Host', '')):
            response = web.Response(status=403, text='The Host header does not name this server.\n')
        else:
            try:
                response = await handler(request)
            except web.HTTPException as error:
                response = web.Response(status=error.status, text=f'{error.status} {error.reason}\n')
        if not response.prepared:
            response.headers.update(HEADERS)
        return response

    async def get_file(self, request):
        path, kind = FILES[request.path]
        return web.Response(body=path.read_bytes(), content_type=kind, charset='utf-8')

    async def get_socket(self, request):
        if request.headers.get('Origin') != f"http://{request.headers['Host']}":
            return web.Response(status=403, text='WebSockets are open to this server\'s own page only.\n')
        if len(self.pages) >= MOST_PAGES:
            return web.Response(status=503, text='Too many pages are open.\n')
        connection = web.WebSocketResponse(max_msg_size=LARGEST_MESSAGE, heartbeat=20, compress=False)
        if not connection.can_prepare(request).ok:
            return web.Response(status=400, text='Only WebSocket requests are accepted here.\n')
        page = Page()
        writer = None
        # Added before the first await, so that the limit holds.
        self.pages.add(page)
        try:
            await connection.prepare(request)
            writer = asyncio.ensure_future(self.write(connection, page))
            async for message in connection:
                if message.type == WSMsgType.TEXT:
                    self.take(page, message.data)
                elif message.type == WSMsgType.BINARY:
                    self.refuse(page, 'not a valid action')
        finally:
            self.pages.discard(page)
            if writer:
                writer.cancel()
        return connection

    @staticmethod
    async def write(connection, page):
        while True:
            item = await page.queue.get()
            try:
                if isinstance(item, bytes):
                    await connection.send_bytes(item)
                else:
                    await connection.send_str(item)
            except ConnectionError:
                return

    def take(self, page, text):
        """Handles a message of a page."""
        try:
            name, arguments = actions.parse(json.loads(text))
        except (ValueError, RecursionError):
            self.refuse(page, 'not a valid action')
        except actions.Refused as reason:
            self.refuse(page, str(reason))
        else:
            self.do(name, arguments, lambda reason: self.call(self.refuse, page, str(reason)))

    @staticmethod
    def refuse(page, reason):
        page.put_state(json.dumps({'refused': reason}))

    # From other threads

    def call(self, function, *arguments):
        try:
            self.loop.call_soon_threadsafe(function, *arguments)
        except RuntimeError:
            pass  # The server has ended.

    def publish_state(self, state):
        self.call(self.put_state, json.dumps(state))

    def publish_unit(self, receiver, key, shown, data):
        """Sends a coded picture of a receiver to all pages; if not `shown`, it is only for the decoder."""
        self.call(self.put_unit, receiver, key, UNIT.pack(receiver, KEY * key + SHOWN * shown) + data)

    def put_state(self, text):
        for page in self.pages:
            page.put_state(text)

    def put_unit(self, receiver, key, data):
        for page in self.pages:
            page.put_unit(receiver, key, data)


def is_local(host):
    if host == 'localhost':
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
