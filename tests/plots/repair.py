#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws the packet loss that remains after repair: for blocks, as the test repair-residual measures and computes it,
and for each class of pictures in layers that double, as repair-table measures it.

This command makes docs/images/repair.png:

    tests/plots/repair.py build/tests/check/libs_repair_residual build/tests/check/repair-table docs/images/repair.png
"""
import argparse
import csv
import os
import subprocess
import sys
import tempfile
from collections import defaultdict

import matplotlib
matplotlib.use('Agg')
from matplotlib import pyplot  # noqa: E402

sys.dont_write_bytecode = True
import repair_table  # noqa: E402

TEST = 'residual_loss_is_that_of_the_best_code'
COLUMNS = ('loss', 'burst', 'source', 'repair', 'measured', 'exact', 'error')

# Smaller loss rates are not drawn: the measurement is too short for them.
LOWEST = 1e-6


def read(program):
    """Runs the test and returns {burst, or 0 for single losses: {(k, r): [row, ...]}}."""
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, 'repair.csv')
        environment = dict(os.environ, GST_CHECKS=TEST, LMCC_REPAIR_TRACE=path, CK_DEFAULT_TIMEOUT='60')
        subprocess.run([program], env=environment, check=True, stdout=subprocess.DEVNULL)
        with open(path, encoding='ascii', newline='') as file:
            rows = [dict(zip(COLUMNS, map(float, row))) for row in csv.reader(file)]
    series = defaultdict(lambda: defaultdict(list))
    for row in rows:
        # Independent losses have bursts of 1 / (1 - loss).
        burst = 0 if row['burst'] < 1.2 else round(row['burst'])
        series[burst][int(row['source']), int(row['repair'])].append(row)
    return series


def draw_classes(axes, series):
    axes.set_title('classes, 10 % of repair')
    axes.plot([0.5, 10], [0.005, 0.1], color='0.6', linestyle='--')
    for klass, rows in sorted(series.items()):
        losses = [100 * row['loss'] for row in rows]
        axes.plot(losses, [row['bound'] or float('nan') for row in rows], color=f'C{klass:.0f}',
                  label=f'class {klass:.0f}, best code')
        axes.plot(losses, [row['measured'] or float('nan') for row in rows], 'o', color=f'C{klass:.0f}', markersize=4)
    axes.legend(fontsize='small', loc='lower right')


def style(axes):
    axes.set_xscale('log')
    axes.set_yscale('log')
    axes.set_ylim(LOWEST, 0.2)
    axes.set_xticks([0.5, 1, 2, 5, 10], ['0.5', '1', '2', '5', '10'])
    axes.minorticks_off()
    axes.grid(color='0.9')
    axes.set_xlabel('loss, %')


def draw(axes, burst, shapes):
    axes.set_title(f'bursts of {burst} packets' if burst else 'single losses')
    axes.plot([0.5, 10], [0.005, 0.1], color='0.6', linestyle='--', label='without repair')
    for number, ((source, repair), rows) in enumerate(shapes.items()):
        losses = [100 * row['loss'] for row in rows]
        color = f'C{number}'
        axes.plot(losses, [row['exact'] for row in rows], color=color, label=f'{source} + {repair}, exact')
        axes.errorbar(losses, [row['measured'] or float('nan') for row in rows],
                      [2 * row['error'] for row in rows], color=color, fmt='o', markersize=4, capsize=2)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('program', help='the built test, libs_repair_residual')
    parser.add_argument('table', help='the built repair-table')
    parser.add_argument('--seconds', type=int, default=1000, help='length of a run of it (default %(default)s)')
    parser.add_argument('picture', help='PNG file to write')
    arguments = parser.parse_args()

    series = read(arguments.program)
    figure, plots = pyplot.subplots(1, len(series) + 1, figsize=(14, 4), sharey=True, layout='constrained')
    for axes, (burst, shapes) in zip(plots, sorted(series.items())):
        draw(axes, burst, shapes)
    draw_classes(plots[-1], repair_table.read(arguments.table, arguments.seconds, 'classes', 'class'))
    for axes in plots:
        style(axes)
    plots[0].set_ylabel('share of source packets missing')
    plots[0].legend(fontsize='small', loc='lower right')
    figure.savefig(arguments.picture, dpi=100)


if __name__ == '__main__':
    main()
