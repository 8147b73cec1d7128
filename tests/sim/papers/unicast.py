# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The rate of one unicast flow that follows ELM's equation in simulation 3. The thesis gives no number of it."""
from papers.claims import Run, beside, flows, rate

# The library has no TFRC: TFMCC with one receiver has TFRC's history and equation (RFC 4654), and follows X.
LINKS = {'R1': (3, ()), 'R2': (6, ('--set', 'rate=6000000,bytes=90000')),
         'R3': (12, ('--set', 'rate=12000000,bytes=180000'))}
RUNS = [Run(f'thesis-3-unicast-{mbit}', 'tfmcc-tcp', arguments, 0) for mbit, arguments in LINKS.values()]


def loss(name):
    return lambda replication: flows(replication, 'R', name)[0]['loss']


def _claims():
    for node, (mbit, _) in LINKS.items():
        run = f'thesis-3-unicast-{mbit}'
        label = f'{node}: one flow by the same equation instead of ELM, TFMCC with one receiver'
        yield beside('6.3.3', label, rate('R', 'tfmcc'), run, unit='kbit/s')
        yield beside('6.3.3', f'{label}: TCP beside it', rate('R', 'tcp'), run, unit='kbit/s')
        yield beside('6.3.3', f'{label}: its loss rate', loss('tfmcc'), run)


CLAIMS = list(_claims())
NOTE = ('The rows *one flow by the same equation* have no number of the thesis: they show what a flow that follows '
        'the equation gets instead of ELM in simulation 3. ns-2.35 has such a flow, TFRC; [the measured '
        'algorithms](../measured/algorithms.md#elm-beside-a-flow-that-follows-its-equation) have its rates and the '
        'reasons for ELM\'s lower ones.')
