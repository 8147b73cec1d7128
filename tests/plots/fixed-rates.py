#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
r"""Draws and tabulates the results of tests/loopback/fixed-rates.py: what each level of a session of fixed rates
shows.

    tests/plots/fixed-rates.py rlc.json flid-dl.json --plot docs/images/fixed-rates.png \
        --markdown docs/measured/fixed-rates.md

Rewrites the tables between <!-- NAME --> and <!-- end --> on the page, where NAME is the algorithm.
"""
import argparse
import json
import re

import matplotlib
matplotlib.use('Agg')
from matplotlib import pyplot  # noqa: E402

COLOURS = {'rlc': 'tab:blue', 'flid-dl': 'tab:orange'}


def draw(runs, path):
    figure, axes = pyplot.subplots(1, 2, figsize=(11, 4), sharex=True)
    for run in runs:
        rates = [row['rate'] / 1000 for row in run['levels']]
        label = f'{run["algorithm"]}, {len(rates)} levels'
        for axis, key in zip(axes, ('psnr', 'pictures')):
            axis.plot(rates, [row[key] for row in run['levels']], marker='o', markersize=4, label=label,
                      color=COLOURS.get(run['algorithm']))
    for axis, text in zip(axes, ('PSNR of the luma with held pictures, dB', 'pictures/s')):
        axis.set_xscale('log')
        axis.set_xticks([50, 100, 200, 500, 1000, 2000, 5000])
        axis.get_xaxis().set_major_formatter(matplotlib.ticker.ScalarFormatter())
        axis.get_xaxis().set_minor_formatter(matplotlib.ticker.NullFormatter())
        axis.set_xlabel('R_i, kbit/s of IP packets')
        axis.set_ylabel(text)
        axis.grid(alpha=0.3)
    axes[1].set_ylim(0, 26)
    axes[0].legend()
    figure.tight_layout()
    figure.savefig(path, dpi=90)


def describe_rungs(row):
    total = sum(row['rungs'].values())
    return ', '.join(f'{rung}' if n == total else f'{rung}: {100 * n / total:.1f} %'
                     for rung, n in row['rungs'].items()) or 'none'


def tabulate(run):
    lines = ['| level | R_i kbit/s | units/s that fit | units/s output | rungs shown | pictures/s | PSNR dB |',
             '|--:|--:|--:|--:|:--|--:|--:|']
    lines += [f'| {row["level"]} | {row["rate"] / 1000:.0f} | {row["units-fit"]:.1f} | {row["units"]:.1f} | '
              f'{describe_rungs(row)} | {row["pictures"]:.1f} | {row["psnr"]:.1f} |' for row in run['levels']]
    climber = run['climber']
    levels = ', '.join(f'{to} at {when:.1f}' for when, _, to, _ in climber['changes']
                       if when <= climber['climbed'])
    shown = sum(climber['pictures'].values())
    lines += ['', f'`{run["session"]}`. Under congestion control, the receiver reaches the top level after '
              f'{climber["climbed"]:.1f} s (level and seconds: {levels}). It shows {shown} pictures; '
              f'{climber["wrong"]} are wrong and {climber["missing"]} are missing.']
    return '\n'.join(lines)


def write_page(runs, path):
    with open(path, encoding='utf-8') as file:
        text = file.read()
    for run in runs:
        pattern = rf'(<!-- {run["algorithm"]} -->\n).*?(<!-- end -->)'
        if not re.search(pattern, text, re.S):
            raise SystemExit(f'{path} has no place for {run["algorithm"]}')
        text = re.sub(pattern, lambda m, run=run: f'{m.group(1)}{tabulate(run)}\n{m.group(2)}', text, flags=re.S)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('figures', nargs='+', help='JSON files of fixed-rates.py --full')
    parser.add_argument('--plot')
    parser.add_argument('--markdown')
    arguments = parser.parse_args()
    runs = []
    for path in arguments.figures:
        with open(path, encoding='utf-8') as file:
            runs.append(json.load(file))
        if not runs[-1]['full']:
            raise SystemExit(f'{path} comes from a short run. Run tests/loopback/fixed-rates.py with --full.')
    if arguments.plot:
        draw(runs, arguments.plot)
    if arguments.markdown:
        write_page(runs, arguments.markdown)


if __name__ == '__main__':
    main()
