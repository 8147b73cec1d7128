# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a person at the terminal sees: a table that moves, and above it what happens."""
import shutil
import sys
import time

INTERVAL = 0.25

HEADINGS = ('receiver', 'link', 'level', 'rate', 'TCP', 'loss', 'RTT', 'fair', 'train', 'groups', 'last change')
FORM = '{:<{width}} {:>6} {:>6} {:>6} {:>6} {:>7} {:>7} {:>6} {:>6}  {:<18} {}'


def row(reception):
    """The cells of one receiver: rates in kbit/s, the round-trip time in ms, the last bytes of its groups. The fair
    rate and what trains say only where the algorithm has them."""
    if not reception.running or not reception.samples:
        return (reception.name, f'{reception.capacity / 1000:.0f}', '-', '', '', '', '', '', '', '', reception.phase)
    last, session = reception.samples[-1], reception.session
    return (reception.name, f'{reception.capacity / 1000:.0f}', f'{reception.level}/{len(session.levels) - 1}',
            f'{last.rate / 1000:.0f}', f'{reception.tcp_rate / 1000:.0f}' if reception.tcp else '-',
            f'{100 * (last.loss or 0):.2f} %', f'{last.rtt * 1000:.0f} ms' if last.rtt else '-',
            f'{last.fair / 1000:.0f}' if last.fair else '-', last.train or '-',
            ' '.join(str(int(session.first) + group & 0xff) for group in reception.groups), reception.reason)


def lines(rows, columns):
    """The table, for a terminal that is so wide."""
    width = max(len(cells[0]) for cells in (HEADINGS, *rows))
    return [FORM.format(*cells, width=width)[:columns] for cells in (HEADINGS, *rows)]


class Screen:
    """Standard error: a table where it is a terminal, else only the lines."""

    def __init__(self, stream=sys.stderr):
        self.stream = stream
        self.moving = stream.isatty()
        self.height = 0
        self.shown = 0.0

    def clear(self):
        if self.height:
            self.stream.write(f'\033[{self.height}A\r\033[J')
            self.height = 0

    def say(self, text):
        self.clear()
        self.stream.write(text + '\n')
        self.stream.flush()
        self.shown = 0.0

    def show(self, rows):
        """Draws the table anew, not too often."""
        if not self.moving or time.monotonic() - self.shown < INTERVAL:
            return
        self.shown = time.monotonic()
        drawn = lines(rows, shutil.get_terminal_size().columns - 1)
        self.clear()
        self.stream.write('\n'.join(drawn) + '\n')
        self.stream.flush()
        self.height = len(drawn)
