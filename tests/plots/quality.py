#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws and tabulates the results of tests/benchmarks/quality.

This command makes docs/images/quality.png and the tables of docs/measured/quality.md:

    tests/plots/quality.py *.json --plot docs/images/quality.png --markdown docs/measured/quality.md

tests/benchmarks/quality-page makes those of docs/measured/quality-levels.md and docs/measured/quality-beside.md.

Rewrites the tables between <!-- levels FILM -->, <!-- cost FILM -->, <!-- versus FILM -->, <!-- access FILM -->,
<!-- bars FILM -->, <!-- loss -->, <!-- damage --> or <!-- latency --> and <!-- end -->. If there are several
pages, each table is on one of them. Results of several runs in different modes are merged.
"""
import argparse
import json
import math
import re
import sys

import quality_beside

NO_DATA = '-'

# The codec whose single layer a mode is compared with.
SAME_ENCODER = {'x264-ladder': 'x264', 'x264-rungs': 'x264', 'x264-temporal': 'x264', 'x265-temporal': 'x265',
                'vp9-svc': 'VP9', 'vp9-svc-half': 'VP9', 'j2k': 'J2K'}
# Scalable modes, and the modes with several encodings that their levels are compared with.
SCALABLE, RUNGS = ('vp9-svc', 'vp9-svc-half'), ('x264-rungs', 'x264-ladder')
MEASURES = {'psnr': 'PSNR of luma, dB', 'ssim': 'SSIM of luma', 'vmaf': 'VMAF', 'xpsnr': 'XPSNR of luma, dB'}
# Kinds of rows per film.
OF_FILM = ('rows', 'single', 'rungs', 'links')
STYLES = {'native': '-', 'fallback': '-.', 'replicated': ':', 'doubling': '--'}
# Columns of tables in which all rows have these values.
MORE = {'vmaf': 'VMAF', 'xpsnr': 'XPSNR, dB'}


# Of the comparison with alternatives: the encodings that lmccsink makes of raw video.
LADDER = 'x264-ladder'


def read(paths):
    """Results by film, and the rows that do not depend on a film."""
    films, more = {}, {'loss': [], 'damage': [], 'latency': []}
    for path in paths:
        with open(path, encoding='utf-8') as file:
            run = json.load(file)
        for name, entry in run['films'].items():
            if name not in films:
                films[name] = {**entry, **{kind: [] for kind in OF_FILM}}
            for kind in OF_FILM:
                films[name][kind] += entry.get(kind, [])
        for kind, rows in more.items():
            rows += run.get(kind, [])
    return films, more


def group(rows, *keys):
    """Groups of rows with the same values, in order of first appearance."""
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row[key] for key in keys), []).append(row)
    return groups


def draw(axes, film, measure, modes):
    for number, ((codec,), rows) in enumerate(group(film['single'], 'codec').items()):
        axes.plot([row['rate'] / 1000 for row in rows], [row[measure] for row in rows],
                  color=('black', '0.6')[number % 2], marker='xx++'[number % 4],
                  linestyle=('-', '-', ':', ':')[number % 4], label=f'{codec}, one layer')
    for (mode, allocation), rows in group(film['rows'], 'mode', 'allocation').items():
        # Without any shown picture, there is nothing to compare.
        rows = [row for row in rows if row['shown']]
        axes.plot([row['rate'] / 1000 for row in rows], [row[measure] for row in rows], color=f'C{modes.index(mode)}',
                  linestyle=STYLES.get(allocation, ':'), marker='o' if allocation == 'native' else 's', markersize=4,
                  label=f'{mode}, {allocation}')
    axes.set_xscale('log')
    ticks = [50, 100, 200, 400, 800, 1600, 2400]
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.minorticks_off()
    axes.grid(color='0.9')
    axes.set_ylabel(MEASURES[measure])
    axes.set_xlabel('all layers of the level, kbit/s')


def plot(films, path):
    import matplotlib
    matplotlib.use('Agg')
    from matplotlib import pyplot
    rows = [row for film in films.values() for row in film['rows']]
    modes = list(dict.fromkeys(row['mode'] for row in rows))
    measures = [measure for measure in MEASURES if all(measure in row for row in rows)]
    figure, plots = pyplot.subplots(len(films), len(measures), figsize=(6.5 * len(measures), 4.6 * len(films) + 1),
                                    squeeze=False)
    labels = {}
    for row, (name, film) in zip(plots, films.items()):
        for axes, measure in zip(row, measures):
            axes.set_title(f"{name}, {film['width']}x{film['height']}, {film['frame-rate']} pictures/s")
            draw(axes, film, measure, modes)
            handles, texts = axes.get_legend_handles_labels()
            labels.update(zip(texts, handles))
    figure.legend(labels.values(), labels.keys(), loc='lower center', ncol=4, fontsize='small')
    figure.tight_layout(rect=(0, 0.9 / figure.get_figheight(), 1, 1))
    figure.savefig(path, dpi=100)


def decibels(value):
    return NO_DATA if value is None else f'{value:.1f}'


def interpolate(curve, at):
    """Interpolates [(x, y)] at `at`; None outside."""
    for (x0, y0), (x1, y1) in zip(curve, curve[1:]):
        if x0 <= at <= x1:
            return y0 + (y1 - y0) * (at - x0) / (x1 - x0)
    return None


def single_curves(film, measure='psnr'):
    """For each codec's single layer, [(logarithm of the rate, the measure)]."""
    return {codec: sorted((math.log(row['rate']), row[measure]) for row in rows if measure in row)
            for (codec,), rows in group(film['single'], 'codec').items()}


def less_than_single(row, curve, measure='psnr'):
    """Returns (loss of a level by the measure, compared with one layer of the same encoder at the same rate, ''), or
    (None, reason) if the level does not show all `pictures` or its `rate` lies outside the measured rates of one
    layer."""
    if row['shown'] < row['of']:
        return None, 'pictures'
    single = interpolate(curve, math.log(row['rate']))
    return (None, 'rate') if single is None else (single - row[measure], '')


def tell_less(row, curve, measure='psnr'):
    if row['level'] == NO_DATA:
        return NO_DATA
    less, reason = less_than_single(row, curve, measure)
    return f'{NO_DATA} {reason}' if less is None else decibels(less)


def level_table(film, encoders):
    more = {key: name for key, name in MORE.items() if all(key in row for row in film['rows'])}
    lines = ['| mode | layers | level | kbit/s | pictures/s | PSNR, dB | of those shown | less than one layer | SSIM |',
             '|:--|:--|--:|--:|--:|--:|--:|--:|--:|']
    curves = single_curves(film)
    of_more = {key: single_curves(film, key) for key in more}
    lines = [lines[0] + ''.join(f' {name} | less |' for name in more.values()), lines[1] + '--:|' * 2 * len(more)]
    single = [{**row, 'mode': row['codec'], 'allocation': 'one', 'level': NO_DATA} for row in film['single']]
    for row in film['rows'] + single:
        less = tell_less(row, curves.get(encoders.get(row['mode']), []))
        rate = row['shown'] / row['of'] * film['frame-rate']
        # A level without pictures is black: its figures say nothing about the codec.
        seen = [NO_DATA] * 3
        if row['shown']:
            seen = [decibels(row['psnr']), decibels(row['psnr-shown']), f"{row['ssim']:.3f}"]
        seen.insert(2, less)
        for key in more:
            seen += [f'{row[key]:.1f}', tell_less(row, of_more[key].get(encoders.get(row['mode']), []), key)]
        cells = [row['mode'], row['allocation'], row['level'], f"{row['rate'] / 1000:.0f}", f'{rate:.1f}', *seen]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return '\n'.join(lines)


def cost_table(film, encoders):
    """The cost of layers compared with one layer of the same encoder: loss in dB at a level's rate, and the factor
    of the rate that one layer needs for the level's PSNR. Means over all comparable levels."""
    lines = ['| mode | layers | levels counted | mean, dB less | at best | at worst | mean, times the rate |',
             '|:--|:--|--:|--:|--:|--:|--:|']
    curves = single_curves(film)
    for (mode, allocation), rows in group(film['rows'], 'mode', 'allocation').items():
        curve = curves.get(encoders.get(mode), [])
        less, times = [], []
        for row in rows:
            behind, _ = less_than_single(row, curve)
            needed = interpolate([(psnr, rate) for rate, psnr in curve], row['psnr'])
            if behind is not None:
                less.append(behind)
                if needed is not None:
                    times.append(math.log(row['rate']) - needed)
        cells = [f'{sum(less) / len(less):.1f}', f'{min(less):.1f}', f'{max(less):.1f}'] if less else [NO_DATA] * 3
        cells.append(f'{math.exp(sum(times) / len(times)):.1f}' if times else NO_DATA)
        lines.append(f"| {mode} | {allocation} | {len(less)} of {len(rows)} | {' | '.join(cells)} |")
    return '\n'.join(lines)


def best_that_fits(rows, rate):
    """PSNR of the best level within a rate; None if there is none."""
    return max((row['psnr'] for row in rows if row['rate'] <= rate), default=None)


def versus_table(film, scalable, rungs):
    """What a receiver with just enough capacity for a level of a scalable mode would see with other modes, native
    layers."""
    levels = {mode: rows for (mode, allocation), rows in group(film['rows'], 'mode', 'allocation').items()
              if allocation == 'native'}
    rungs = [mode for mode in rungs if mode in levels]
    lines = [f"| mode | level | kbit/s | PSNR, dB | {' | '.join(f'{mode}, dB | more' for mode in rungs)} |",
             '|:--|--:|--:|--:|' + '--:|--:|' * len(rungs)]
    for mode in scalable:
        for row in levels.get(mode, []):
            cells = [mode, row['level'], f"{row['rate'] / 1000:.0f}", decibels(row['psnr'])]
            for rung in rungs:
                best = best_that_fits(levels[rung], row['rate'])
                cells += [decibels(best), NO_DATA if best is None else f"{best - row['psnr']:+z.1f}"]
            lines.append(f"| {' | '.join(map(str, cells))} |")
    return '\n'.join(lines)


def tell_spoilt(films, more):
    """Names the runs that the machine disturbed, whichever table is made."""
    rows = [row for film in films.values() for row in film['rows']] + more['loss'] + more['damage']
    for row in rows:
        if row.get('spoilt'):
            print(f"disturbed by other load: {row['mode']} {row['allocation']}: {row['spoilt']}", file=sys.stderr)


def loss_table(loss):
    lines = ['| film | mode | layers | repair data | lost, % | media repaired | on-loss | right | broken | frozen | '
             'PSNR, dB |', '|:--|:--|:--|:--|--:|--:|:--|--:|--:|--:|--:|']
    for row in loss:
        repaired = f"{row['repaired']} of {row['media-lost']}" if row['media-lost'] else NO_DATA
        lines.append(f"| {row['film']} | {row['mode']} | {row['allocation']} | {row['repair']} | "
                     f"{100 * row['lost']:.1f} | {repaired} | {row['on-loss']} | "
                     f"{row['whole']} | {row['broken']} | {row['frozen']} | {row['psnr']:.1f} |")
    return '\n'.join(lines)


def write_pages(paths, tables):
    """Writes each table to its place in one of the pages."""
    texts = {}
    for path in paths:
        with open(path, encoding='utf-8') as file:
            texts[path] = file.read()
    for name, table in tables.items():
        pattern = rf'(<!-- {re.escape(name)} -->\n).*?(<!-- end -->)'
        places = 0
        for path, text in texts.items():
            texts[path], count = re.subn(pattern, lambda match, table=table: f'{match[1]}{table}\n{match[2]}', text,
                                         flags=re.DOTALL)
            places += count
        if places != 1:
            raise SystemExit(f'{", ".join(paths)}: found {places} places for "{name}" instead of one')
    for path, text in texts.items():
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text.rstrip('\n') + '\n')


def make_tables(films, more):
    """{name: table} of all results."""
    tables = {}
    for name, film in films.items():
        if film['rows']:
            tables[f'levels {name}'] = level_table(film, SAME_ENCODER)
        if film['rows'] and film['single']:
            tables[f'cost {name}'] = cost_table(film, SAME_ENCODER)
        if any(row['mode'] in SCALABLE for row in film['rows']):
            tables[f'versus {name}'] = versus_table(film, SCALABLE, RUNGS)
        if film['links']:
            tables[f'access {name}'] = quality_beside.access_table(film, LADDER)
            tables[f'bars {name}'] = quality_beside.bars_table(film)
    of_more = {'loss': loss_table, 'damage': quality_beside.damage_table, 'latency': quality_beside.latency_table}
    tables.update({kind: of_more[kind](rows) for kind, rows in more.items() if rows})
    return tables


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('figures', nargs='+', help='JSON files of tests/benchmarks/quality')
    parser.add_argument('--plot', help='PNG file to write')
    parser.add_argument('--links-plot', metavar='PLOT', help='PNG file to write, with the quality behind links')
    parser.add_argument('--markdown', nargs='+', metavar='PAGE', help='pages whose tables are rewritten')
    arguments = parser.parse_args()
    films, more = read(arguments.figures)
    if arguments.plot:
        plot(films, arguments.plot)
    if arguments.links_plot:
        quality_beside.plot(films, LADDER, arguments.links_plot)
    tables = make_tables(films, more)
    tell_spoilt(films, more)
    if arguments.markdown:
        write_pages(arguments.markdown, tables)
    else:
        print('\n\n'.join(tables.values()))


if __name__ == '__main__':
    main()
