#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests which requests the demonstration's web server accepts: fixed files, its own host name, its own page as
origin, and a fixed table of actions."""
import asyncio
import http.client
import json
import sys
import types
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / 'pipelines' / 'lib'))
try:
    import aiohttp
    from demo import web
except ModuleNotFoundError as missing:
    print(f'SKIP: {missing} (Debian: python3-aiohttp)')
    sys.exit(77)
from demo import actions  # noqa: E402

PATIENCE = 20


class WithServer(unittest.TestCase):
    def setUp(self):
        self.done = []
        self.server = web.Server('127.0.0.1', 0, lambda name, arguments, refuse: self.done.append((name, arguments)))
        try:
            self.server.start()
        except web.Failure as reason:
            self.skipTest(str(reason))
        self.addCleanup(self.server.close)

    @property
    def host(self):
        return f'127.0.0.1:{self.server.port}'

    def ask(self, target, method='GET', **headers):
        """(status, headers, body) of a request; the target is sent unchanged."""
        connection = http.client.HTTPConnection('127.0.0.1', self.server.port, timeout=PATIENCE)
        connection.putrequest(method, target, skip_host=True)
        for name, value in {'Host': self.host, **headers}.items():
            if value is not None:
                connection.putheader(name.replace('_', '-'), value)
        connection.endheaders()
        response = connection.getresponse()
        answer = response.status, response.headers, response.read()
        connection.close()
        return answer

    def talk(self, conversation, **headers):
        """Runs a coroutine function with an open WebSocket."""
        async def run():
            async with aiohttp.ClientSession() as session:
                async with session.ws_connect(f'http://{self.host}/socket', timeout=PATIENCE,
                                              headers={'Origin': f'http://{self.host}', **headers}) as connection:
                    return await conversation(connection)

        return asyncio.run(asyncio.wait_for(run(), PATIENCE))


class Files(WithServer):
    def test_the_page_and_its_parts_are_there(self):
        for path, (file, kind) in web.FILES.items():
            status, headers, body = self.ask(path)
            self.assertEqual((status, body), (200, file.read_bytes()), path)
            self.assertTrue(headers['Content-Type'].startswith(kind))
            self.assertEqual(headers['X-Content-Type-Options'], 'nosniff')
            self.assertIn("default-src 'self'", headers['Content-Security-Policy'])

    def test_the_page_names_only_files_that_are_served(self):
        import re
        text = ''.join(path.read_text() for path in web.PAGE.iterdir() if path.suffix in ('.html', '.js'))
        named = re.findall(r'''(?:src|href)="([^"]+)"|from '\.([^']+)';''', text)
        self.assertGreater(len(named), 4)
        for one, other in named:
            self.assertIn(one or other, web.FILES)
        self.assertNotIn('https://', text)

    def test_no_other_file_is_reached(self):
        for target in ('/../web.py', '/../../../../../../etc/passwd', '/%2e%2e/web.py', '/%2e%2e%2fweb.py',
                       '//etc/passwd', '/..%5cweb.py', '/style.css/../../web.py', '/style.css/..%2f..%2fweb.py',
                       '/etc/passwd', '/web.py', '/page/', '/page/index.html', '/index.html', '/.', '/%00',
                       '/style.css%00', '/style.css/', '/chart.js/../chart.mjs', 'http://127.0.0.1/etc/passwd',
                       'file:///etc/passwd', '/?file=/etc/passwd#', '/socket/..', '/' + 'a' * 4000):
            status, _, body = self.ask(target)
            if status == 200:
                self.assertEqual(body, (web.PAGE / 'index.html').read_bytes(), target)
            self.assertNotIn(b'root:', body, target)
            self.assertNotIn(b'aiohttp', body, target)
            self.assertIn(status, (200, 400, 403, 404), target)

    def test_nothing_can_be_sent_to_a_file(self):
        for method in ('POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE'):
            for path in ('/', '/page.js', '/socket', '/etc/passwd'):
                self.assertIn(self.ask(path, method)[0], (404, 405), (method, path))


class Names(WithServer):
    def test_another_host_name_is_refused(self):
        port = self.server.port
        for name in ('example.org', f'example.org:{port}', f'127.0.0.1.example.org:{port}', '127.0.0.1', 'localhost',
                     f'127.0.0.1:{port + 1}', '', f':{port}', f'10.0.0.1:{port}', f'127.0.0.1:{port}:{port}',
                     f'user@127.0.0.1:{port}', f'[::ffff:10.0.0.1]:{port}', None):
            status, _, body = self.ask('/', Host=name)
            self.assertIn(status, (400, 403), name)
            self.assertNotIn(b'<html', body)

    def test_its_own_names_are_not(self):
        for name in (f'localhost:{self.server.port}', f'LOCALHOST:{self.server.port}', f'[::1]:{self.server.port}'):
            self.assertEqual(self.ask('/', Host=name)[0], 200, name)

    def test_on_another_address_only_addresses_and_its_own_name_are_its_names(self):
        server = web.Server('0.0.0.0', 8080, None)
        self.addCleanup(server.loop.close)
        self.assertTrue(server.is_own_name('192.0.2.1:8080'))
        self.assertFalse(server.is_own_name('example.org:8080'))
        self.assertFalse(server.is_own_name('192.0.2.1:80'))


class Socket(WithServer):
    UPGRADE = {'Connection': 'Upgrade', 'Upgrade': 'websocket', 'Sec_WebSocket_Version': '13',
               'Sec_WebSocket_Key': 'dGhlIHNhbXBsZSBub25jZQ=='}

    def test_only_the_own_page_opens_a_websocket(self):
        for origin in ('http://example.org', f'https://{self.host}', 'http://127.0.0.1', 'null', '', None,
                       f'http://localhost:{self.server.port}', f'http://{self.host}.example.org',
                       f'http://{self.host}/'):
            status, _, _ = self.ask('/socket', **self.UPGRADE, Origin=origin)
            self.assertEqual(status, 403, origin)
        status, _, _ = self.ask('/socket', **self.UPGRADE, Host='example.org', Origin='http://example.org')
        self.assertEqual(status, 403)
        self.assertEqual(self.ask('/socket', Origin=f'http://{self.host}')[0], 400)

    def test_an_action_of_the_table_is_passed_on(self):
        async def conversation(connection):
            await connection.send_str('{"action": "tcp", "receiver": 2, "on": true}')
            await connection.send_str('{"action": "nothing"}')
            return await connection.receive_json()

        self.assertIn('refused', self.talk(conversation))
        self.assertEqual(self.done, [('tcp', {'receiver': 2, 'on': True})])

    def test_all_else_is_refused_and_the_connection_stays(self):
        bad = ['', '{', 'null', '7', '[]', '{}', '"tcp"', '{"action": 7}', '{"action": "run", "command": "id"}',
               '{"action": "__class__"}', '{"action": "tcp"}', '{"action": "tcp", "receiver": 0}',
               '{"action": "tcp", "receiver": "0", "on": true}', '{"action": "tcp", "receiver": 0, "on": 1}',
               '{"action": "tcp", "receiver": true, "on": true}', '{"action": "tcp", "receiver": -1, "on": true}',
               '{"action": "tcp", "receiver": 1000000, "on": true}',
               '{"action": "tcp", "receiver": 0, "on": true, "file": "/etc/passwd"}',
               '{"action": "link", "receiver": 0, "share": "1; reboot"}',
               '{"action": "link", "receiver": 0, "share": []}',
               '{"action": "algorithm", "session": 0, "name": "none"}',
               '{"action": "algorithm", "session": 0, "name": "$(id)"}', '{"action": "algorithm", "name": "elm"}',
               '{"action": "algorithm", "session": 2, "name": "elm"}',
               '{"action": "algorithm", "session": true, "name": "elm"}',
               '{"action": "algorithm", "session": 0, "name": ["elm"]}',
               '{"action": "add-receiver", "run": 1}', '[' * 900,
               '{"action": "tcp", "receiver": NaN, "on": true}', '{"action": "receiver", "receiver": 1e9, "on": true}']

        async def conversation(connection):
            answers = []
            for text in bad:
                await connection.send_str(text)
                answers.append(await connection.receive_json())
            await connection.send_bytes(b'{"action": "add-receiver"}')
            answers.append(await connection.receive_json())
            return answers

        for text, answer in zip([*bad, 'bytes'], self.talk(conversation)):
            self.assertEqual(list(answer), ['refused'], text)
        self.assertEqual(self.done, [])

    def test_a_message_that_is_too_long_ends_the_connection(self):
        async def conversation(connection):
            await connection.send_str('x' * (web.LARGEST_MESSAGE + 1))
            return (await connection.receive()).type

        self.assertIn(self.talk(conversation), (aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED,
                                                aiohttp.WSMsgType.CLOSING))
        self.assertEqual(self.ask('/')[0], 200)

    def test_states_and_pictures_come_from_a_key_picture_on(self):
        async def conversation(connection):
            self.server.publish_unit(1, False, True, b'delta')
            self.server.publish_unit(1, True, True, b'key')
            self.server.publish_unit(1, False, False, b'hidden')
            self.server.publish_state({'time': 1.5})
            units = [await connection.receive_bytes() for _ in range(2)]
            return units, await connection.receive_json()

        units, state = self.talk(conversation)
        self.assertEqual(units, [bytes([1, web.KEY | web.SHOWN, 0, 0]) + b'key', bytes([1, 0, 0, 0]) + b'hidden'])
        self.assertEqual(state, {'time': 1.5})

    def test_a_page_that_does_not_read_loses_pictures_up_to_a_key_picture(self):
        page = web.Page()
        page.put_unit(0, True, b'key')
        for _ in range(web.LONGEST_QUEUE):
            page.put_unit(0, False, b'delta')
        while not page.queue.empty():
            page.queue.get_nowait()
        page.put_unit(0, False, b'delta')
        self.assertTrue(page.queue.empty())
        page.put_unit(0, True, b'key')
        self.assertEqual(page.queue.get_nowait(), b'key')


class Start(unittest.TestCase):
    def test_a_port_that_is_taken_is_told(self):
        import socket
        with socket.socket() as taken:
            taken.bind(('127.0.0.1', 0))
            taken.listen()
            server = web.Server('127.0.0.1', taken.getsockname()[1], None)
            if not web.CHART.is_file():
                self.skipTest('the charts are not installed (Debian: libjs-chart.js)')
            with self.assertRaisesRegex(web.Failure, 'in use'):
                server.start()


class Actions(unittest.TestCase):
    def test_every_action_has_a_function_that_takes_its_fields(self):
        import inspect
        for function, fields in actions.ACTIONS.values():
            self.assertEqual(list(inspect.signature(function).parameters), ['run', *fields])

    def test_what_a_run_cannot_do_now_is_refused(self):
        class Run:
            busy, draining, measured, has_tcp, receptions, sessions = False, False, True, False, [], []

        run = Run()
        for name, arguments in (('tcp', {'receiver': 0, 'on': True}), ('link', {'receiver': 5, 'share': 'half'}),
                                ('receiver', {'receiver': 0, 'on': False}), ('add-receiver', {}),
                                ('algorithm', {'session': 0, 'name': 'rlc'})):
            self.assertEqual(actions.parse(json.loads(json.dumps({'action': name, **arguments}))), (name, arguments))
            with self.assertRaises(actions.Refused):
                actions.act(run, name, arguments)
        run.busy = True
        with self.assertRaisesRegex(actions.Refused, 'restarting'):
            actions.act(run, 'algorithm', {'session': 0, 'name': 'elm'})
        run.busy, run.draining = False, True
        with self.assertRaisesRegex(actions.Refused, 'ending'):
            actions.act(run, 'algorithm', {'session': 0, 'name': 'elm'})

    def test_two_sessions_have_two_algorithms(self):
        begun = []

        class Run:
            busy, draining, measured = False, False, False
            sessions = [types.SimpleNamespace(algorithm=name) for name in ('elm', 'rlc')]
            set_algorithm = staticmethod(lambda session, name: begun.append((session.algorithm, name)))

        with self.assertRaisesRegex(actions.Refused, 'already uses rlc'):
            actions.act(Run, 'algorithm', {'session': 0, 'name': 'rlc'})
        for session, name in ((0, 'elm'), (1, 'rlm')):
            actions.act(Run, 'algorithm', {'session': session, 'name': name})
        self.assertEqual(begun, [('rlc', 'rlm')])
        Run.sessions = Run.sessions[:1]
        with self.assertRaisesRegex(actions.Refused, 'no such session'):
            actions.act(Run, 'algorithm', {'session': 1, 'name': 'rlm'})

    def test_more_than_a_run_can_take_is_refused(self):
        import queue
        from demo import live

        class Run:
            busy, draining, measured, events = False, False, False, queue.Queue()
            sessions = [types.SimpleNamespace(algorithm='elm')]

        run, refused = Run(), []
        page = live.Live(run, lambda do: None)
        for _ in range(2):
            refused.clear()
            for _ in range(live.MOST_WAITING + 2):
                page.do('algorithm', {'session': 0, 'name': 'elm'}, refused.append)
            self.assertEqual((run.events.qsize(), len(refused)), (live.MOST_WAITING, 2))
            while not run.events.empty():
                run.events.get()[0]()
        self.assertEqual(len(refused), 2)


if __name__ == '__main__':
    unittest.main(verbosity=2)
