# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The actions that the web page may request of a run: the table ACTIONS, and nothing else."""
from .run import MOST_RECEIVERS
from .session import ALGORITHMS, MOST_SESSIONS

SHARES = {'half': 0.5, 'whole': 1.0}


class Refused(Exception):
    """The action is refused; the text gives the reason."""


def find(run, index):
    if not 0 <= index < len(run.receptions):
        raise Refused('no such receiver')
    return run.receptions[index]


def set_tcp(run, receiver, on):
    reception = find(run, receiver)
    if not run.has_tcp:
        raise Refused('TCP is not available on the loopback interface')
    if on and not reception.running:
        raise Refused('the receiver is stopped')
    run.set_tcp(reception, on)


def set_link(run, receiver, share):
    reception = find(run, receiver)
    run.set_capacity(reception, SHARES[share] * reception.nominal)


def set_receiver(run, receiver, on):
    reception = find(run, receiver)
    if run.measured:
        raise Refused('receivers cannot be changed during a measured run')
    if on == reception.running:
        return
    if on:
        run.start_receiver(reception)
    else:
        run.stop_receiver(reception)


def add_receiver(run):
    if run.measured:
        raise Refused('receivers cannot be changed during a measured run')
    if len(run.receptions) >= MOST_RECEIVERS:
        raise Refused(f'a run has at most {MOST_RECEIVERS} receivers')
    run.add_late_receiver()


def set_algorithm(run, session, name):
    if run.measured:
        raise Refused('the algorithm cannot be changed during a measured run')
    if session >= len(run.sessions):
        raise Refused('no such session')
    if name in (each.algorithm for each in run.sessions if each is not run.sessions[session]):
        raise Refused(f'the other session already uses {name}')
    if name != run.sessions[session].algorithm:
        run.set_algorithm(run.sessions[session], name)


def is_index(value):
    return type(value) is int and 0 <= value < MOST_RECEIVERS


def is_session(value):
    return type(value) is int and 0 <= value < MOST_SESSIONS


def is_switch(value):
    return type(value) is bool


# For each action, its function and the check of each argument.
ACTIONS = {
    'tcp': (set_tcp, {'receiver': is_index, 'on': is_switch}),
    'link': (set_link, {'receiver': is_index, 'share': lambda value: isinstance(value, str) and value in SHARES}),
    'receiver': (set_receiver, {'receiver': is_index, 'on': is_switch}),
    'add-receiver': (add_receiver, {}),
    'algorithm': (set_algorithm, {'session': is_session,
                                  'name': lambda value: isinstance(value, str) and value in ALGORITHMS}),
}


def parse(message):
    """Returns (name, arguments) of the action in a JSON message. Raises Refused if the action is not in the table."""
    if not isinstance(message, dict) or not isinstance(message.get('action'), str):
        raise Refused('not a valid action')
    arguments = dict(message)
    name = arguments.pop('action')
    if name not in ACTIONS:
        raise Refused('no such action')
    fields = ACTIONS[name][1]
    if set(arguments) != set(fields) or not all(fields[key](value) for key, value in arguments.items()):
        raise Refused(f'{name}: invalid arguments; expected: {", ".join(fields) or "none"}')
    return name, arguments


def act(run, name, arguments):
    """Performs an action that `parse` has accepted. Raises Refused if it is not possible now."""
    if run.busy:
        raise Refused('the session is restarting; please wait')
    if run.draining:
        raise Refused('the run is ending')
    ACTIONS[name][0](run, **arguments)
