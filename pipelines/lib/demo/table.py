# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The terminal output: a table that is updated in place, and messages above it."""
import shutil
import sys
import time

INTERVAL = 0.25

HEADINGS = ('receiver', 'link', 'level', 'rate', 'TCP', 'loss', 'RTT', 'fair', 'train', 'groups', 'last change')
FORM = '{:<{width}} {:>6} {:>6} {:>6} {:>6} {:>7} {:>7} {:>6} {:>6}  {:<18} {}'


def row(reception):
    """The cells of one receiver: rates in kbit/s, the round-trip time in ms, and the last bytes of its groups'
    addresses. The fair rate and the result of packet trains are shown only if the algorithm has them."""
    if not reception.running or not reception.samples:
        return (reception.name, f'{reception.capacity / 1000:.0f}', '-', '', '', '', '', '', '', '', reception.phase)
    last, session = reception.samples[-1], reception.session
    return (reception.name, f'{reception.capacity / 1000:.0f}', f'{reception.level}/{len(session.levels) - 1}',
            f'{last.rate / 1000:.0f}', f'{reception.tcp_rate / 1000:.0f}' if reception.tcp else '-',
            f'{100 * (last.loss or 0):.2f} %', f'{last.rtt * 1000:.0f} ms' if last.rtt else '-',
            f'{last.fair / 1000:.0f}' if last.fair else '-', last.train or '-',
            ' '.join(str(int(session.first) + group & 0xff) for group in reception.groups), reception.reason)


def lines(rows, columns):
    """The lines of the table, cut to `columns` characters."""
    width = max(len(cells[0]) for cells in (HEADINGS, *rows))
    return [FORM.format(*cells, width=width)[:columns] for cells in (HEADINGS, *rows)]


class Screen:
    """Standard error: shows the table if it is a terminal, else only messages."""

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
        """Draws the table again, at most once per INTERVAL."""
        if not self.moving or time.monotonic() - self.shown < INTERVAL:
            return
        self.shown = time.monotonic()
        drawn = lines(rows, shutil.get_terminal_size().columns - 1)
        self.clear()
        self.stream.write('\n'.join(drawn) + '\n')
        self.stream.flush()
        self.height = len(drawn)
