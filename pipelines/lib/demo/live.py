# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Connects a run and its web page: passes the state to the page, and the actions of the page to the run."""
import base64
import threading
import time
from dataclasses import asdict

from . import actions
from .session import ALGORITHMS

INTERVAL = 0.5

# Maximum number of queued actions. A run is busy for seconds when a session restarts.
MOST_WAITING = 32


class Live:
    def __init__(self, run, serve):
        """`serve` creates the server; its argument is the function that handles actions."""
        self.run = run
        self.begin = time.monotonic()
        self.told = 0.0
        self.room = threading.BoundedSemaphore(MOST_WAITING)
        self.server = serve(self.do)
        run.on_tick = self.tick
        run.on_unit = self.pass_unit

    def do(self, name, arguments, refuse):
        """Called in the server's thread; queues the action for the thread of the run."""
        def act():
            self.room.release()
            try:
                actions.act(self.run, name, arguments)
            except actions.Refused as reason:
                refuse(reason)

        if self.room.acquire(blocking=False):
            self.run.events.put((act, {'event': 'action'}))
        else:
            refuse('too many requests at once; please wait')

    def pass_unit(self, receiver, event):
        self.server.publish_unit(receiver, event['key'], event['shown'], base64.b64decode(event['data']))

    def tick(self):
        if self.run.changed or time.monotonic() - self.told >= INTERVAL:
            self.run.changed = False
            self.told = time.monotonic()
            self.server.publish_state(self.state())

    def state(self):
        """Everything that the page shows except the pictures; rates in bit/s, times in s."""
        run = self.run
        return {
            'time': round(time.monotonic() - self.begin, 3), 'algorithms': ALGORITHMS, 'busy': run.busy,
            'measured': run.measured, 'network': bool(run.net), 'hasTcp': run.has_tcp,
            'seconds': run.arguments.seconds,
            'sessions': [{'algorithm': session.algorithm, 'layers': session.layer_rates, 'levels': session.levels}
                         for session in run.sessions],
            'receivers': [self.receiver_state(reception) for reception in run.receptions]}

    def receiver_state(self, reception):
        last = reception.samples[-1] if reception.running and reception.samples else None
        change = reception.levels[-1] if reception.running and reception.levels else None
        psnr = reception.shown.psnr() if reception.running else None
        # The loopback interface has no switch, so the joined layers stand for the forwarded groups.
        groups = reception.groups if self.run.net else reception.session.layers_of(reception.level)
        return {
            'name': reception.name, 'link': reception.link, 'session': reception.session.index,
            'running': reception.running, 'phase': reception.phase,
            'capacity': reception.capacity, 'nominal': reception.nominal,
            'tcp': reception.tcp is not None, 'tcpRate': reception.tcp_rate,
            'level': reception.level, 'rate': last.rate if last else 0,
            'loss': last.loss if last else None, 'rtt': last.rtt if last else None, 'groups': groups,
            'train': last.train if last else None, 'fair': last.fair if last else None,
            'turn': asdict(last.turn) if last and last.turn else None,
            'psnr': None if psnr is None else round(psnr, 1),
            'change': change and {'from': change['from'], 'to': change['to'], 'reason': reception.reason}}
