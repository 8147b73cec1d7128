#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws what `gst-lmcc-1.0 plan --plot=FILE` hands over on standard input: FLID-DL's figures 3, 10 and 11.

Byers et al., "FLID-DL: Congestion Control for Layered Multicast", IEEE JSAC 20(8), 2002: joins over loss, and the
throughput of the heuristic and of hill climbing beside TCP's, for the given session.
"""
import json
import sys


def draw_joins(axes, data):
    axes.plot(data['loss'], data['dynamic-joins'], color='tab:blue', label='dynamic layers')
    axes.plot(data['loss'], data['static-joins'], color='tab:orange', linestyle='--', label='static layers')
    axes.set_title('Joins, and as many leaves (figure 3)')
    axes.set_ylabel('joins per second')
    axes.set_ylim(bottom=0)


def draw_throughput(axes, data, title, curves):
    axes.plot(data['loss'], [rate / 1e6 for rate in data['tcp']], color='black', label='TCP')
    for name, colour, style, label in curves:
        axes.plot(data['loss'], [rate / 1e6 for rate in data[name]], color=colour, linestyle=style, label=label)
    axes.set_title(title)
    axes.set_ylabel('throughput (Mbit/s)')
    axes.set_yscale('log')


def draw(pyplot, data, path):
    figure, panels = pyplot.subplots(1, 3, figsize=(13, 4.2))
    joins, heuristic, hill = panels
    draw_joins(joins, data)
    draw_throughput(heuristic, data, 'The heuristic (figure 10)', [('heuristic', 'tab:blue', '--', 'heuristic')])
    draw_throughput(hill, data, 'Hill climbing (figure 11)',
                    [('hill-climb', 'tab:orange', '-.', 'linear grid, from 0.001'),
                     ('hill-climb-log', 'tab:blue', '--', 'logarithmic grid')])
    if 'given' in data:
        hill.plot(data['loss'], [rate / 1e6 for rate in data['given']], color='tab:green', label='as given')
    for axes in panels:
        axes.set_xscale('log')
        axes.set_xlabel('packet loss rate')
        axes.grid(True, which='major', linewidth=0.3)
        axes.legend(frameon=False)
    figure.suptitle(f'{data["layers"]} layers, slots of {data["slot"]:g} s, nominal RTT {data["nominal-rtt"]:g} s')
    figure.tight_layout()
    figure.savefig(path, dpi=100)


def main():
    data = json.load(sys.stdin)
    try:
        import matplotlib
        matplotlib.use('Agg')
        from matplotlib import pyplot
        draw(pyplot, data, sys.argv[1])
    except (ImportError, OSError, ValueError) as error:
        print(f'plot-plan: {error}', file=sys.stderr)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
