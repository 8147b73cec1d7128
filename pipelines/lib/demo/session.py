# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The sessions of a run: the algorithm, the groups and the layers of each."""
import ipaddress

# Rates of the three encoders in kbit/s. With repair data, each level has about twice the rate of the level below. The
# wider the steps, the more packets are lost when a receiver tries the next level.
RATES = [200, 350, 900]

# Each native layer carries a whole rung. The key frames of all rungs together are more than half of the bits of a
# second: a window of 500 ms spreads them, so that they pass a short queue. A block of repair data covers half a
# second. When a receiver tries a level that does not fit, about a third of all packets is lost in bursts, for half a
# second or more.
NATIVE = {'window': 500, 'repair': 0.5, 'repair-base': 1.0}

# Base rate of layers of fixed rates in bit/s: room for the lowest encoding, its headers, a tenth of repair data, and
# peaks.
BASE_RATE = 320000
DOUBLING = {'layering': 'doubling', 'base-rate': BASE_RATE, 'layers': 4}

# In ms; long, so that lmccsink does not skip a picture that a busy machine encodes late.
RUNG_TIMEOUT = 1000

# Settings of lmccsink for each algorithm: most need layers of fixed rates. FLID's c is 1.3 (Byers et al. 2002).
SETTINGS = {
    'elm': NATIVE, 'plumb': NATIVE, 'rlm': NATIVE, 'none': NATIVE,
    'rlc': DOUBLING, 'synchronized': DOUBLING, 'flid-sl': DOUBLING,
    'flid-dl': {'layering': 'multiplicative', 'rate-factor': 1.3, 'base-rate': BASE_RATE, 'layers': 9},
}
ALGORITHMS = [name for name in SETTINGS if name != 'none']
MOST_SESSIONS = 2

# Maximum number of groups of a session, and the distances of the groups and ports of two sessions.
MOST_GROUPS = 97
GROUPS_APART = 128
PORTS_APART = 2


def settings_for(algorithms):
    """The settings of lmccsink for each of the algorithms that run side by side. An algorithm that can use any layers
    gets those of its neighbour, so that only the algorithms differ."""
    fixed = [SETTINGS[name] for name in algorithms if SETTINGS[name] is not NATIVE]
    return [fixed[0] if fixed and SETTINGS[name] is NATIVE else SETTINGS[name] for name in algorithms]


def last_address(address, port, n):
    """(group, port): the last ones that `n` sessions may use, starting with these; the group is None if there is no
    such address."""
    try:
        last = address + (n - 1) * GROUPS_APART + MOST_GROUPS - 1
    except ipaddress.AddressValueError:
        last = None
    return last, port + (n - 1) * PORTS_APART + 1


class Session:
    """One session of a run; rates in bit/s. `levels` has the format of lmccsink's statistics."""

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
        """The layers that a receiver at a level has joined; none at level -1."""
        return self.levels[level]['layers'] if 0 <= level < len(self.levels) else []

    @property
    def uri(self):
        host = f'[{self.first}]' if self.first.version == 6 else self.first
        return f'lmcc://{host}:{self.port}?multicast-iface={self.iface}'

    @property
    def layers(self):
        """The expected number of layers."""
        return self.settings.get('layers', len(RATES))

    def begin(self, algorithm, settings):
        self.algorithm = algorithm
        self.settings = settings
        self.layer_rates = []
        self.levels = []
        self.rate_samples = []

    def note_stats(self, stats):
        """Takes the layers and levels from the sender's statistics."""
        self.layer_rates = [layer['bitrate'] for layer in stats.get('layers', [])]
        self.levels = stats.get('levels', [])

    def options(self, sdp):
        """The options of the sending process for this session."""
        return {'address': str(self.first), 'port': self.port, 'iface': self.iface, 'sdp': str(sdp),
                'settings': {'algorithm': self.algorithm, 'rung-timeout': RUNG_TIMEOUT, **self.settings}}

    def number_of(self, group):
        """The number of a group in this session, from 0 on; None if the group is not in this session."""
        group = ipaddress.ip_address(group)
        number = int(group) - int(self.first)
        return number if group.version == self.first.version and 0 <= number < MOST_GROUPS else None
