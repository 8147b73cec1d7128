# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What people may do to a run from its page: this table, and nothing else."""
from .run import MOST_RECEIVERS
from .session import ALGORITHMS, MOST_SESSIONS

SHARES = {'half': 0.5, 'whole': 1.0}


class Refused(Exception):
    """It is not done; the text says why."""


def find(run, index):
    if not 0 <= index < len(run.receptions):
        raise Refused('there is no such receiver')
    return run.receptions[index]


def set_tcp(run, receiver, on):
    reception = find(run, receiver)
    if not run.has_tcp:
        raise Refused('TCP needs a network of its own')
    if on and not reception.running:
        raise Refused('the receiver is stopped')
    run.set_tcp(reception, on)


def set_link(run, receiver, share):
    reception = find(run, receiver)
    run.set_capacity(reception, SHARES[share] * reception.nominal)


def set_receiver(run, receiver, on):
    reception = find(run, receiver)
    if run.measured:
        raise Refused('the receivers of a run that is measured stay')
    if on == reception.running:
        return
    if on:
        run.start_receiver(reception)
    else:
        run.stop_receiver(reception)


def add_receiver(run):
    if run.measured:
        raise Refused('the receivers of a run that is measured stay')
    if len(run.receptions) >= MOST_RECEIVERS:
        raise Refused(f'{MOST_RECEIVERS} receivers are the most')
    run.add_late_receiver()


def set_algorithm(run, session, name):
    if run.measured:
        raise Refused('a run that is measured keeps its algorithms')
    if session >= len(run.sessions):
        raise Refused('there is no such session')
    if name in (each.algorithm for each in run.sessions if each is not run.sessions[session]):
        raise Refused(f'{name} is beside it already')
    if name != run.sessions[session].algorithm:
        run.set_algorithm(run.sessions[session], name)


def is_index(value):
    return type(value) is int and 0 <= value < MOST_RECEIVERS


def is_session(value):
    return type(value) is int and 0 <= value < MOST_SESSIONS


def is_switch(value):
    return type(value) is bool


# Name of the action: the function, and what each of its arguments must be.
ACTIONS = {
    'tcp': (set_tcp, {'receiver': is_index, 'on': is_switch}),
    'link': (set_link, {'receiver': is_index, 'share': lambda value: isinstance(value, str) and value in SHARES}),
    'receiver': (set_receiver, {'receiver': is_index, 'on': is_switch}),
    'add-receiver': (add_receiver, {}),
    'algorithm': (set_algorithm, {'session': is_session,
                                  'name': lambda value: isinstance(value, str) and value in ALGORITHMS}),
}


def parse(message):
    """(name, arguments) of an action, from what came as JSON. Raises Refused for all that is not in the table."""
    if not isinstance(message, dict) or not isinstance(message.get('action'), str):
        raise Refused('not an action')
    arguments = dict(message)
    name = arguments.pop('action')
    if name not in ACTIONS:
        raise Refused('there is no such action')
    fields = ACTIONS[name][1]
    if set(arguments) != set(fields) or not all(fields[key](value) for key, value in arguments.items()):
        raise Refused(f'{name}: not what it takes: {", ".join(fields) or "nothing"}')
    return name, arguments


def act(run, name, arguments):
    """Does what `parse` let pass. Raises Refused where it cannot be now."""
    if run.busy:
        raise Refused('the session begins anew; wait for it')
    if run.draining:
        raise Refused('the run ends')
    ACTIONS[name][0](run, **arguments)
