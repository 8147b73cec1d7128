#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws the share of complete and of decodable pictures over loss rate and repair share.

This command makes docs/images/repair-pictures.png:

    tests/plots/repair-pictures.py build/tests/check/repair-table docs/images/repair-pictures.png
"""
import argparse
import sys

import matplotlib
matplotlib.use('Agg')
from matplotlib import pyplot  # noqa: E402

sys.dont_write_bytecode = True
import repair_table  # noqa: E402


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

    series = repair_table.read(arguments.program, arguments.seconds, 'curves', 'repair')
    figure, (whole, decodable) = pyplot.subplots(1, 2, figsize=(11, 4), layout='constrained')
    draw(whole, series, 'whole', 'whole')
    draw(decodable, series, 'decodable', 'decodable, with all that they refer to')
    whole.legend(fontsize='small', loc='lower left')
    figure.savefig(arguments.picture, dpi=100)


if __name__ == '__main__':
    main()
