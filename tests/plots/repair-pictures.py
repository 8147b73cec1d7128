#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws how many pictures are whole, and can be decoded, over loss and repair.

docs/images/repair-pictures.png is made by

    tests/plots/repair-pictures.py build/tests/check/repair-table docs/images/repair-pictures.png
"""
import argparse
import csv
import os
import subprocess
import tempfile
from collections import defaultdict

import matplotlib
matplotlib.use('Agg')
from matplotlib import pyplot  # noqa: E402


def read(program, seconds):
    """Returns {share of repair: [row, ...]}."""
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, 'curves.csv')
        subprocess.run([program, '--seconds', str(seconds), '--curves', path], check=True)
        with open(path, encoding='ascii', newline='') as file:
            rows = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]
    series = defaultdict(list)
    for row in rows:
        series[row['repair']].append(row)
    return series


def draw(axes, series, name, title):
    for share, rows in sorted(series.items()):
        axes.plot([100 * row['loss'] for row in rows], [100 * row[name] for row in rows], marker='o', markersize=4,
                  label=f'{100 * share:.0f} % repair' if share else 'without repair')
    axes.set_title(title)
    axes.set_xlim(0, 10.3)
    axes.grid(color='0.9')
    axes.set_xlabel('loss, %')
    axes.set_ylabel('% of the pictures')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('program', help='the built repair-table')
    parser.add_argument('picture', help='PNG file to write')
    parser.add_argument('--seconds', type=int, default=400, help='length of a run (default %(default)s)')
    arguments = parser.parse_args()

    series = read(arguments.program, arguments.seconds)
    figure, (whole, decodable) = pyplot.subplots(1, 2, figsize=(11, 4), layout='constrained')
    draw(whole, series, 'whole', 'whole')
    draw(decodable, series, 'decodable', 'decodable, with all that they refer to')
    whole.legend(fontsize='small', loc='lower left')
    figure.savefig(arguments.picture, dpi=100)


if __name__ == '__main__':
    main()
