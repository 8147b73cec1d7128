#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws the traces that the duels and elm-settle write when LMCC_DUEL_TRACE names a directory.

Each trace becomes one picture: rates received by receivers and flows and their limits, levels, verdicts of packet
trains, losses, and the queue; for plumb also the fair rate, its mean, and the mean level over its turns. Notes of
the step table stand at the top. --overview draws several traces side by side; this command makes
docs/images/elm-duels.png:

    tests/plots/duels.py out/duels --run build/tests/check/libs_duels --overview docs/images/elm-duels.png
"""
import argparse
import csv
import os
import subprocess
import sys
from pathlib import Path

import matplotlib
matplotlib.use('Agg')
from matplotlib import pyplot  # noqa: E402

NUMBERS = ('time', 'capacity', 'queue_delay', 'level', 'level_rate', 'received', 'loss', 'loss_event_rate',
           'calculated', 'smoothed', 'rtt', 'fair', 'mean_fair', 'turn_level', 'turn_share')

# Verdicts of trains, from the bottom up.
VERDICTS = ('full', 'queue', 'room')

# Traces of the overview, from left to right.
TELLING = {
    'elm-bottleneck-halves': 'The bottleneck halves, and opens again',
    'elm-eight-receivers': 'Eight receivers behind one link',
    'elm-beside-tcp': 'Beside one TCP connection',
}

# Samples are 0.1 s apart; rates and losses are drawn as means over this number of samples.
MEAN_OF = 5


def read_trace(path):
    """Returns ({who: {column: [number or NaN, ...]}}, [(time, note), ...]) in the order of appearance."""
    series, notes = {}, []
    with open(path, encoding='utf-8', newline='') as file:
        for row in csv.DictReader(file):
            if row['who'] == 'note':
                notes.append((float(row['time']), row['note']))
                continue
            columns = series.setdefault(row['who'], {name: [] for name in (*NUMBERS, 'train')})
            columns['train'].append(row['train'])
            for name in NUMBERS:
                columns[name].append(float(row[name]) if row[name] else float('nan'))
    return series, notes


def mean(values):
    """A running mean over MEAN_OF samples."""
    result = []
    for at in range(len(values)):
        window = values[max(0, at - MEAN_OF + 1):at + 1]
        result.append(sum(window) / len(window))
    return result


def scaled(values, factor):
    return [value * factor for value in values]


def known(values):
    """Whether the list contains a number."""
    return any(value == value for value in values)


def draw_estimates(axes, who, columns, colour):
    """The rates to compare levels with: for plumb the fair rate and its mean, for others the rate that the formula
    allows."""
    if known(columns['mean_fair']):
        axes.plot(columns['time'], scaled(columns['fair'], 1e-6), color='C4', linewidth=0.8,
                  label=f'{who}: fair rate')
        axes.plot(columns['time'], scaled(columns['mean_fair'], 1e-6), color='C4', linestyle='--', linewidth=1.5,
                  label=f'{who}: its mean')
    elif known(columns['smoothed']):
        axes.plot(columns['time'], scaled(columns['smoothed'], 1e-6), color=colour, linestyle='--', linewidth=1,
                  label=f'{who}: the formula allows')


def draw_rates(axes, series):
    """Link capacity, rates of the levels, received rate and the formula's rate, in Mbit/s."""
    first = next(iter(series.values()))
    axes.plot(first['time'], scaled(first['capacity'], 1e-6), color='black', linewidth=1.5, label='capacity')
    top = 1.5 * max([value for value in scaled(first['capacity'], 1e-6) if value == value] or [1])
    for number, (who, columns) in enumerate(series.items()):
        colour = f'C{number % 10}'
        axes.plot(columns['time'], scaled(mean(columns['received']), 1e-6), color=colour, linewidth=0.8,
                  label=f'{who} gets')
        if who.startswith('receiver') and len(series) <= 3:
            axes.step(columns['time'], scaled(columns['level_rate'], 1e-6), where='post', color=colour, linewidth=1.5,
                      alpha=0.6, label=f'{who}: rate of its level')
            draw_estimates(axes, who, columns, colour)
    axes.set_ylim(0, top)
    axes.set_ylabel('Mbit/s')
    axes.legend(loc='upper left', bbox_to_anchor=(1.005, 1), fontsize='x-small')


def draw_levels(axes, series):
    for number, (who, columns) in enumerate(series.items()):
        if who.startswith('receiver'):
            axes.step(columns['time'], columns['level'], where='post', color=f'C{number % 10}', linewidth=1, label=who)
    first = next((columns for who, columns in series.items() if who == 'receiver 1'), None)
    if first and known(first['turn_level']):
        share = [level + part for level, part in zip(first['turn_level'], first['turn_share'])]
        axes.plot(first['time'], share, color='C4', linestyle='--', linewidth=1.2,
                  label='receiver 1: mean of its turns')
        axes.legend(loc='upper left', bbox_to_anchor=(1.005, 1), fontsize='x-small')
    axes.set_ylabel('level')
    axes.yaxis.get_major_locator().set_params(integer=True)


def draw_verdicts(axes, series):
    """Verdicts of trains for each receiver, while they count."""
    receivers = [(who, columns) for who, columns in series.items() if who.startswith('receiver')]
    for number, (_, columns) in enumerate(receivers):
        # Receivers below each other within the row of a verdict.
        offset = 0.3 - 0.6 * (number + 1) / (len(receivers) + 1)
        points = [(time, VERDICTS.index(verdict) + offset)
                  for time, verdict in zip(columns['time'], columns['train']) if verdict]
        axes.plot([time for time, _ in points], [place for _, place in points], '.', markersize=2,
                  color=f'C{number % 10}')
    axes.set_yticks(range(len(VERDICTS)), VERDICTS)
    axes.set_ylim(-0.5, len(VERDICTS) - 0.5)
    axes.set_ylabel('train')


def draw_losses(axes, series):
    for number, (who, columns) in enumerate(series.items()):
        if who.startswith('receiver'):
            axes.plot(columns['time'], scaled(mean(columns['loss']), 100), color=f'C{number % 10}', linewidth=0.8)
            axes.plot(columns['time'], scaled(columns['loss_event_rate'], 100), color=f'C{number % 10}', linestyle='--',
                      linewidth=0.8)
    axes.set_ylabel('loss, p (dashed) %')
    axes.set_ylim(bottom=0)


def draw_times(axes, series):
    first = next(iter(series.values()))
    axes.plot(first['time'], scaled(first['queue_delay'], 1e3), color='grey', linewidth=0.8, label='shared queue')
    for number, (who, columns) in enumerate(series.items()):
        if any(value > 0 for value in columns['rtt']):
            axes.plot(columns['time'], scaled(columns['rtt'], 1e3), color=f'C{number % 10}', linewidth=1,
                      label=f'RTT, {who}')
    axes.set_ylabel('ms')
    axes.set_ylim(bottom=0)
    axes.set_xlabel('s')
    axes.legend(loc='upper left', bbox_to_anchor=(1.005, 1), fontsize='x-small')


def draw(path, target):
    """Draws the trace at path into the picture target; returns whether it contained anything."""
    series, notes = read_trace(path)
    if not series:
        return False
    charts = {draw_rates: 4, draw_levels: 2, draw_losses: 2, draw_times: 2}
    if any(any(columns['train']) for columns in series.values()):
        charts = {draw_rates: 4, draw_levels: 2, draw_verdicts: 1.2, draw_losses: 2, draw_times: 2}
    figure, axes = pyplot.subplots(len(charts), 1, figsize=(13, 9), sharex=True,
                                   gridspec_kw={'height_ratios': list(charts.values())})
    for one, draw_chart in zip(axes, charts):
        draw_chart(one, series)
    end = max(columns['time'][-1] for columns in series.values())
    for number, (time, note) in enumerate(notes):
        for one in axes:
            one.axvline(time, color='grey', linewidth=0.5, linestyle=':')
        late = time > 0.7 * end
        axes[0].annotate(note, (time, 1), xycoords=('data', 'axes fraction'),
                         xytext=(-2 if late else 2, -8 - 9 * (number % 6)), textcoords='offset points',
                         horizontalalignment='right' if late else 'left', fontsize='x-small')
    for one in axes:
        one.grid(alpha=0.3)
    figure.suptitle(path.stem)
    figure.tight_layout()
    figure.savefig(target, dpi=90)
    pyplot.close(figure)
    return True


def draw_telling_rates(axes, series):
    """Link capacity, and the rate of each receiver and flow; thin lines for receivers, because those behind one link
    coincide."""
    first = next(iter(series.values()))
    axes.step(first['time'], scaled(first['capacity'], 1e-6), where='post', color='black', linewidth=1.2,
              label='capacity')
    labels = {'receiver': 'each receiver gets', 'flow': 'TCP gets'}
    for who, columns in series.items():
        kind = who.split()[0]
        axes.plot(columns['time'], scaled(mean(columns['received']), 1e-6), linewidth=0.6, alpha=0.8,
                  color='C3' if kind == 'flow' else 'C0', label=labels.pop(kind, None))
    axes.legend(loc='upper right', fontsize='x-small')


def draw_overview(directory, target):
    """Draws the traces of TELLING as columns of one picture; each row has a common vertical axis."""
    figure, grid = pyplot.subplots(3, len(TELLING), figsize=(13, 6.5), sharex='col', sharey='row',
                                   gridspec_kw={'height_ratios': (4, 3, 2)})
    for column, (name, title) in zip(grid.T, TELLING.items()):
        series, _ = read_trace(directory / f'{name}.csv')
        draw_telling_rates(column[0], series)
        for who, columns in series.items():
            if who.startswith('receiver'):
                column[1].step(columns['time'], columns['level'], where='post', color='C0', linewidth=1)
                column[2].plot(columns['time'], scaled(mean(columns['loss']), 100), color='C0', linewidth=0.8)
        column[0].set_title(title, fontsize='medium')
        column[2].set_xlabel('s')
        column[0].set_xlim(0, max(columns['time'][-1] for columns in series.values()))
    for row, label in zip(grid, ('Mbit/s', 'level', 'loss %')):
        for axes in row:
            axes.set_ylabel('')
            axes.set_ylim(bottom=0)
            axes.grid(alpha=0.3)
        row[0].set_ylabel(label)
    grid[1][0].yaxis.get_major_locator().set_params(integer=True)
    # Room for the legends.
    grid[0][0].set_ylim(top=4)
    figure.tight_layout()
    figure.savefig(target, dpi=80, metadata={'Software': None})
    pyplot.close(figure)


def make_traces(program, directory):
    """Runs a program that writes traces; ignores its exit status."""
    environment = {**os.environ, 'LMCC_DUEL_TRACE': str(directory), 'GST_PLUGIN_SYSTEM_PATH_1_0': ''}
    subprocess.run([str(program)], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('directory', type=Path, help='directory of the traces and the pictures')
    parser.add_argument('--run', type=Path, metavar='PROGRAM', help='first write the traces with this test program')
    parser.add_argument('--only', default='', metavar='TEXT', help='only traces whose names contain TEXT')
    parser.add_argument('--overview', type=Path, metavar='FILE',
                        help=f"draw only one picture, with {', '.join(TELLING)} side by side")
    arguments = parser.parse_args()

    arguments.directory.mkdir(parents=True, exist_ok=True)
    if arguments.run:
        make_traces(arguments.run, arguments.directory)
    if arguments.overview:
        draw_overview(arguments.directory, arguments.overview)
        return 0
    paths = sorted(path for path in arguments.directory.glob('*.csv') if arguments.only in path.stem)
    for path in paths:
        if draw(path, path.with_suffix('.png')):
            print(path.with_suffix('.png'))
    if not paths:
        print(f'no trace in {arguments.directory}', file=sys.stderr)
    return 0 if paths else 1


if __name__ == '__main__':
    sys.exit(main())
