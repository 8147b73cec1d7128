# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tables that compare levels with alternatives: what a user would otherwise send over an access link, the limits for
levels that join the lowest encoding and one more, pictures damaged by packet loss, and the latency from capture
to display."""

NO_DATA = '-'

# Numbers of receivers for which the sender's rate is reported.
RECEIVERS = (1, 100, 10000)

# Largest loss of a level in dB, compared with one encoding at its rate: for the lowest rung, and for rungs with at
# least this multiple of its rate. Below, what the level may lose beyond the bits of the lowest rung. Then the share of
# a level's bits that are not shown.
MOST_LESS, FAR_ABOVE, MOST_ABOVE_WORTH, MOST_UNSEEN = 1.0, 6.0, 0.3, 0.03

# The same for a level with a single encoding, and in VMAF points.
MOST_LESS_ALONE, MOST_VMAF_LESS_ALONE = 0.4, 2.0

LEVELS = {'fallback': 'lmcc, levels=fallback', 'replicated': 'lmcc, levels=replicated',
          'native': 'lmcc, levels=cumulative'}


def table(head, rows):
    lines = [f"| {' | '.join(head)} |", f"|{'|'.join(':--' if name in WORDS else '--:' for name in head)}|"]
    return '\n'.join(lines + [f"| {' | '.join(map(str, row))} |" for row in rows])


# Columns with text.
WORDS = ('what', 'encoding', 'mode', 'layers', 'repair data', 'bar', 'met')


def highest_that_fits(rows, rate):
    """The last row whose rate fits the link; None if there is none."""
    return next((row for row in reversed(rows) if row['rate'] <= rate), None)


def rows_of(film, mode, allocation):
    return [row for row in film['rows'] if (row['mode'], row['allocation']) == (mode, allocation)]


def options(film, mode, link):
    """[(alternative, its chosen encoding or level, its row or None, bit/s sent for each number of receivers)] behind
    a link of the given rate."""
    links = sorted(film['links'], key=lambda row: row['link'])
    bound = next(row for row in links if row['link'] == link)
    rungs = [row for row in film['rungs'] if row['mode'] == mode]
    found = []
    for allocation, name in LEVELS.items():
        row = highest_that_fits(rows_of(film, mode, allocation), link)
        found.append((name, row and f"level {row['level']}", row, lambda _, row=row: row['sent-rate']))
    found.append(('one encoding for all', f"for {links[0]['link'] / 1e6:g} Mbit/s", links[0],
                  lambda _, row=links[0]: row['rate']))
    row = highest_that_fits(rungs, link)
    found.append(('simulcast by a server', row and f"rung {row['rung']}", row, lambda n, row=row: n * row['rate']))
    found.append(('the bound', 'its own', bound, lambda n, row=bound: n * row['rate']))
    return found


def access_table(film, mode):
    """Compares what a receiver behind each link sees with lmcc's levels and with the alternatives."""
    head = ['link, Mbit/s', 'what', 'encoding', 'kbit/s', 'pictures/s', 'PSNR, dB', 'less than the bound', 'SSIM',
            'VMAF', 'XPSNR, dB', *(f'sent for {n:,}, Mbit/s' for n in RECEIVERS)]
    lines = []
    for bound in sorted(film['links'], key=lambda row: row['link']):
        for what, which, row, sent in options(film, mode, bound['link']):
            cells = [f"{bound['link'] / 1e6:g}", what]
            if row is None:
                lines.append(cells + ['none fits'] + [NO_DATA] * (len(head) - 3))
                continue
            cells += [which, f"{row['rate'] / 1000:.0f}", f"{row['shown'] / row['of'] * film['frame-rate']:.1f}",
                      f"{row['psnr']:.1f}", f"{bound['psnr'] - row['psnr']:.1f}", f"{row['ssim']:.3f}",
                      *(f'{row[key]:.1f}' if key in row else NO_DATA for key in ('vmaf', 'xpsnr')),
                      *(f'{sent(n) / 1e6:.2f}' for n in RECEIVERS)]
            lines.append(cells)
    return table(head, lines)


def judge(row, times):
    """(loss in dB compared with one encoding at the level's rate, dB that the bits of the lowest rung are worth or
    None, limit in dB) of a level whose rung has the given multiple of the lowest rung's rate."""
    less = row['single']['psnr'] - row['psnr']
    if row['allocation'] == 'replicated':
        return less, None, MOST_LESS_ALONE
    worth = row['single']['psnr'] - row['single-less']['psnr'] if 'single-less' in row else None
    near = worth is not None and times < FAR_ABOVE
    return less, worth, worth + MOST_ABOVE_WORTH if near else MOST_LESS


def bars_table(film):
    """Compares the levels with one encoding, with or without the lowest one, with single encodings at exactly their
    rates."""
    head = ['mode', 'layers', 'level', 'times the lowest', 'kbit/s', 'pictures/s', 'PSNR, dB', 'one encoding, dB',
            'less', 'the lowest is worth', 'at most', 'VMAF less', 'met', 'other encodings, %', 'control, %',
            'bits shown, met']
    lines = []
    for row in film['rows']:
        if 'single' not in row or row['rung'] is None:
            continue
        rungs = {rung['rung']: rung['rate'] for rung in film['rungs'] if rung['mode'] == row['mode']}
        times = rungs[row['rung']] / rungs[0]
        less, worth, most = judge(row, times)
        vmaf = row['single']['vmaf'] - row['vmaf'] if 'vmaf' in row else None
        met = less <= most and (row['allocation'] != 'replicated' or vmaf is None or vmaf <= MOST_VMAF_LESS_ALONE)
        unseen, control = row['unseen-rate'] / row['rate'], row['control-rate'] / row['rate']
        lines.append([row['mode'], row['allocation'], row['level'], f'{times:.1f}', f"{row['rate'] / 1000:.0f}",
                      f"{row['shown'] / row['of'] * film['frame-rate']:.1f}", f"{row['psnr']:.2f}",
                      f"{row['single']['psnr']:.2f}", f'{less:.2f}', NO_DATA if worth is None else f'{worth:.2f}',
                      f'{most:.2f}', NO_DATA if vmaf is None else f'{vmaf:.1f}', 'yes' if met else 'no',
                      f'{100 * unseen:.1f}', f'{100 * control:.1f}',
                      'yes' if unseen + control <= MOST_UNSEEN else 'no'])
    return table(head, lines)


def damage_table(damage):
    """Share in % of the pictures shown by each level without loss that packet loss damaged: without repair data and
    with it, for single losses and bursts."""
    kinds = list(dict.fromkeys((row['row'], row['repair']) for row in damage))
    kinds.sort(key=lambda kind: (kind[0], kind[1] == 'with'))

    def name(row, repair):
        return f"{'singly' if row == 1 else f'{row} in a row'}, {repair} repair"
    head = ['mode', 'layers', 'level', *(part for kind in kinds for part in (name(*kind), 'another encoding'))]
    levels = {}
    for row in damage:
        levels.setdefault((row['mode'], row['allocation'], row['level']), {})[row['row'], row['repair']] = row
    lines = []
    for key, found in levels.items():
        cells = list(key)
        for kind in kinds:
            row = found.get(kind)
            if row is None or not row['expected']:
                cells += [NO_DATA] * 2
                continue
            cells += [f"{100 * (row['missing'] + row['broken']) / row['expected']:.1f}",
                      f"{100 * row['other'] / row['expected']:.1f}"]
        lines.append(cells)
    return table(head, lines)


def latency_table(rows):
    """Latency from capture to display, from the rows of bench-latency."""
    end = ': glass to glass'
    missing = [after for before, after in zip(rows, rows[1:]) if before['name'].endswith(end)]
    glass = [row for row in rows if row['name'].endswith(end)]
    lines = []
    for row, lost in zip(glass, missing):
        lines.append([row['name'][:-len(end)].replace('ladder, ', ''), row['samples'], f"{row['median']:.0f}",
                      f"{row['p95']:.0f}", f"{row['max']:.0f}", f"{lost['median']:.0f}"])
    return table(['what', 'pictures', 'median, ms', '95th, ms', 'longest, ms', 'missing'], lines)


def draw(axes, film, mode):
    """PSNR over the rate of the link, for each alternative."""
    links = sorted(film['links'], key=lambda row: row['link'])
    highest = links[-1]['link']
    curve = sorted({row['rate']: row['psnr'] for row in film['single'] + links if row['rate'] <= highest}.items())
    axes.plot([rate / 1000 for rate, _ in curve], [psnr for _, psnr in curve], color='black', label='the bound')
    axes.hlines(links[0]['psnr'], links[0]['link'] / 1000, highest / 1000, color='0.6', linestyle=':',
                label='one encoding for all')
    rungs = [row for row in film['rungs'] if row['mode'] == mode]
    steps = {'simulcast by a server': rungs, **{name: rows_of(film, mode, key) for key, name in LEVELS.items()}}
    styles = {'simulcast by a server': ('C2', '--'), LEVELS['fallback']: ('C3', '-'),
              LEVELS['replicated']: ('C1', ':'), LEVELS['native']: ('C0', '-.')}
    for name, rows in steps.items():
        rates = [row['rate'] / 1000 for row in rows] + [highest / 1000]
        axes.step(rates, [row['psnr'] for row in rows] + [rows[-1]['psnr']], where='post', color=styles[name][0],
                  linestyle=styles[name][1], label=name)
    axes.set_xscale('log')
    # Labels of two points closer than this would overlap.
    ticks = [link['link'] / 1000 for link, above in zip(links, links[1:] + [None])
             if above is None or above['link'] > 1.4 * link['link']]
    axes.set_xticks(ticks, [f'{tick / 1000:g}' for tick in ticks])
    axes.minorticks_off()
    axes.grid(color='0.9')
    axes.set_xlabel('access link, Mbit/s')
    axes.set_ylabel('PSNR of luma, dB')


def plot(films, mode, path):
    import matplotlib
    matplotlib.use('Agg')
    from matplotlib import pyplot
    films = {name: film for name, film in films.items() if film.get('links')}
    figure, plots = pyplot.subplots(1, len(films), figsize=(4.8 * len(films), 4.6), squeeze=False)
    for axes, (name, film) in zip(plots[0], films.items()):
        axes.set_title(name)
        draw(axes, film, mode)
    figure.legend(*plots[0][0].get_legend_handles_labels(), loc='lower center', ncol=6)
    figure.tight_layout(rect=(0, 0.08, 1, 1))
    figure.savefig(path, dpi=90)
