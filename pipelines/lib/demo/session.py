# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The sessions of a run: which algorithm each has, in which groups, and what its layers are."""
import ipaddress

# kbit/s of the three encoders. With their repair each level, of the lowest one and one more, has about twice the rate
# of that below: the further apart they are, the more is lost where a receiver tries the next one.
RATES = [200, 350, 900]

# Native layers carry a whole rung each. The key frames of all rungs together are more than half of a second's bits: so
# long spread, they pass a short queue. A block of repair data is half a second's. Where a receiver tries a level that
# does not fit, about a third of all packets is lost for half a second or more, in bursts.
NATIVE = {'window': 500, 'repair': 0.5, 'repair-base': 1.0}

# bit/s of the base where rates are fixed: the lowest encoding, its headers, a tenth of repair and its peaks fit.
BASE_RATE = 320000
DOUBLING = {'layering': 'doubling', 'base-rate': BASE_RATE, 'layers': 4}

# A picture is not left out because a busy machine encodes it late, in ms.
RUNG_TIMEOUT = 1000

# What lmccsink makes for each algorithm: most need layers of fixed rates. FLID's c is 1.3 (Byers et al. 2002).
SETTINGS = {
    'elm': NATIVE, 'plumb': NATIVE, 'rlm': NATIVE, 'none': NATIVE,
    'rlc': DOUBLING, 'synchronized': DOUBLING, 'flid-sl': DOUBLING,
    'flid-dl': {'layering': 'multiplicative', 'rate-factor': 1.3, 'base-rate': BASE_RATE, 'layers': 9},
}
ALGORITHMS = [name for name in SETTINGS if name != 'none']
MOST_SESSIONS = 2

# A session has no more groups; another's begin so far after its first, and its ports two further.
MOST_GROUPS = 97
GROUPS_APART = 128
PORTS_APART = 2


def settings_for(algorithms):
    """What lmccsink makes for each of algorithms that run side by side. Those that take any layers get the same as
    their neighbour: so the algorithm alone makes the difference."""
    fixed = [SETTINGS[name] for name in algorithms if SETTINGS[name] is not NATIVE]
    return [fixed[0] if fixed and SETTINGS[name] is NATIVE else SETTINGS[name] for name in algorithms]


def last_address(address, port, n):
    """(group, port), the last ones that so many sessions may use from these on; the group is None where there is no
    such address."""
    try:
        last = address + (n - 1) * GROUPS_APART + MOST_GROUPS - 1
    except ipaddress.AddressValueError:
        last = None
    return last, port + (n - 1) * PORTS_APART + 1


class Session:
    """One of the sessions of a run; rates in bit/s. `levels` are as in lmccsink's statistics."""

    def __init__(self, index, address, port, iface):
        self.index = index
        self.first = ipaddress.ip_address(address) + index * GROUPS_APART
        self.port = port + index * PORTS_APART
        self.iface = iface
        self.algorithm = None
        self.settings = NATIVE
        self.layer_rates = []
        self.levels = []
        self.rate_samples = []

    @property
    def level_rates(self):
        return [level['bitrate'] for level in self.levels]

    def layers_of(self, level):
        """Which layers a receiver of a level holds; -1 is none."""
        return self.levels[level]['layers'] if 0 <= level < len(self.levels) else []

    @property
    def uri(self):
        host = f'[{self.first}]' if self.first.version == 6 else self.first
        return f'lmcc://{host}:{self.port}?multicast-iface={self.iface}'

    @property
    def layers(self):
        """How many there are going to be."""
        return self.settings.get('layers', len(RATES))

    def begin(self, algorithm, settings):
        self.algorithm = algorithm
        self.settings = settings
        self.layer_rates = []
        self.levels = []
        self.rate_samples = []

    def note_stats(self, stats):
        """Of its sender."""
        self.layer_rates = [layer['bitrate'] for layer in stats.get('layers', [])]
        self.levels = stats.get('levels', [])

    def options(self, sdp):
        """What the sending process is told of it."""
        return {'address': str(self.first), 'port': self.port, 'iface': self.iface, 'sdp': str(sdp),
                'settings': {'algorithm': self.algorithm, 'rung-timeout': RUNG_TIMEOUT, **self.settings}}

    def number_of(self, group):
        """Which of its groups, from 0 on, an address is; None where it is none of them."""
        group = ipaddress.ip_address(group)
        number = int(group) - int(self.first)
        return number if group.version == self.first.version and 0 <= number < MOST_GROUPS else None
