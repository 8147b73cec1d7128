# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes a page for each paper: its claims, the results, and pictures of the first replications."""
import io
import math
import re

from papers import claims
from papers.assumed import ASSUMED


# Most digits of a mean that is near to a limit.
MOST_DIGITS = 6


def beyond(value, limits):
    """The side of each limit on which a number is."""
    return [(value > limit) - (value < limit) for limit in limits]


def mean_of(claim, mean):
    """The mean, with enough digits to show on which side of a limit it is."""
    text = claims.number(mean)
    limits = [limit for limit in (claim.least, claim.most) if claim.is_judged() and not math.isclose(mean, limit)]
    for digits in range(len(text.partition('.')[2]), MOST_DIGITS + 1):
        if beyond(float(text), limits) == beyond(mean, limits):
            break
        text = f'{mean:.{digits}f}'
    return text


def describe(claim, results):
    values = claim.values(results)
    if not values:
        return ''
    found = claims.estimate(values)
    interval = f' ± {claims.number(found.half)}' if math.isfinite(found.half) else ''
    return f'{mean_of(claim, found.mean)}{interval}'


def bar(claim):
    """The limits and their rule."""
    if not claim.is_judged():
        return ''
    least, most = f'{claim.least:.4g}', f'{claim.most:.4g}'
    if claim.least == claim.most:
        limits = least
    elif math.isinf(claim.most):
        limits = f'{">" if claim.rule == claims.ORDER else "≥"} {least}'
    elif math.isinf(claim.least) or claim.least == 0 != claim.most:
        limits = f'{"<" if claim.rule == claims.ORDER else "≤"} {most}'
    else:
        limits = f'{least} to {most}'
    return f'{claim.rule}: {limits}'


def verdict(claim, results):
    """agrees or differs by a paper's limit, holds or fails by ours, shown without a limit, not run, or does not occur
    in any replication. With "so far" if the replications do not decide it."""
    values = claim.values(results)
    if not values:
        return 'does not occur' if all(results.get(run) for run in claim.runs) else 'not run'
    if not claim.is_judged():
        return 'shown'
    good, bad = ('holds', 'fails') if claim.is_ours() else ('agrees', 'differs')
    return (good if claim.agrees(values) else bad) + ('' if claim.is_certain(values) else ' so far')


VERDICTS = ['agrees', 'agrees so far', 'differs so far', 'differs', 'holds', 'holds so far', 'fails so far', 'fails',
            'shown', 'does not occur', 'not run']


def count(paper, results):
    """The number of claims of each verdict."""
    verdicts = [verdict(claim, results) for claim in paper.CLAIMS]
    return [(word, verdicts.count(word)) for word in VERDICTS]


def has_cause(claim, results):
    """Whether it misses its limit or is not judged, and has a cause."""
    return bool(claim.cause) and verdict(claim, results).startswith(('differs', 'fails', 'shown'))


def causes_of(paper, results):
    """The causes of all claims, each once, in the order of their numbers."""
    return list(dict.fromkeys(claim.cause for claim in paper.CLAIMS if has_cause(claim, results)))


def cause_number(claim, results, causes):
    return f'[{causes.index(claim.cause) + 1}]' if has_cause(claim, results) else ''


def told(claim):
    """The paper's number or words; words are in quotation marks."""
    return f'"{claim.paper}"' if re.search('[a-z]', claim.paper) else claim.paper


def table(paper, results):
    lines = ['| where | claim | the paper | our bar | ours | n | | cause |', '|---|---|--:|--:|--:|--:|---|---|']
    causes = causes_of(paper, results)
    for claim in paper.CLAIMS:
        lines.append(f'| {claim.where} | {claim.text}{", " + claim.unit if claim.unit else ""} | {told(claim)} '
                     f'| {bar(claim)} | {describe(claim, results)} | {len(claim.values(results)) or ""} '
                     f'| {verdict(claim, results)} | {cause_number(claim, results, causes)} |')
    return lines + [''] + [f'[{i}] {cause}\n' for i, cause in enumerate(causes, 1)]


def miss(claim, results):
    """The difference from the paper's number, if the mean is beyond the limits."""
    values = claim.values(results)
    if not values or claim.agrees(values):
        return ''
    mean = claims.estimate(values).mean
    papers = claims.told_numbers(claim.paper)[0]
    return f'{claims.number(abs(mean - papers))} {"less" if mean < papers else "more"}'


def overview(paper, results):
    """A table with a row for each cell of the paper's tables: two claims for each way to run it."""
    ways = [way for way, _, _ in paper.CELLS[0].claims]
    head = ['where', 'receiver', paper.CELL_MEASURES[0] + ', the paper',
            *(column for way in ways for column in (way, 'differs by', 'n')),
            paper.CELL_MEASURES[1] + ', the paper', *ways, 'cause']
    lines = ['| ' + ' | '.join(head) + ' |', '|---|---|' + '--:|' * (len(head) - 3) + '---|']
    causes = causes_of(paper, results)
    for cell in paper.CELLS:
        indices = [index for _, index, _ in cell.claims]
        counts = [count for _, _, count in cell.claims]
        row = [cell.where, cell.receiver, indices[0].paper]
        for index in indices:
            row += [describe(index, results), miss(index, results), str(len(index.values(results)))]
        row += [told(counts[0]), *(describe(count, results) for count in counts)]
        row.append(' '.join(dict.fromkeys(filter(None, (cause_number(claim, results, causes)
                                                        for claim in indices + counts)))))
        lines.append('| ' + ' | '.join(row) + ' |')
    return [*lines, '']


def save(figure, path):
    """Saves as PNG and as SVG, with the same bytes each time."""
    import matplotlib.pyplot as plt

    figure.tight_layout()
    figure.savefig(path, dpi=80, metadata={'Software': None})
    with plt.rc_context({'svg.hashsalt': 'lmcc', 'svg.fonttype': 'none'}), io.StringIO() as svg:
        figure.savefig(svg, format='svg', metadata={'Date': None})
        lines = [line.rstrip() for line in svg.getvalue().splitlines()]
    path.with_suffix('.svg').write_text('\n'.join(lines) + '\n', encoding='utf-8')
    plt.close(figure)


def link_to_svg(path):
    return f'[SVG]({path.removesuffix(".png")}.svg)'


# With more receivers than this, a group such as R1 to R20 has one colour and one name.
MOST_LABELS = 8
# Points.
LABEL_SIZE = 8
TITLE_SIZE = 9
NUMBER_SIZE = 7


def smooth(rates, window=3):
    return [sum(rates[max(0, i - window + 1):i + 1]) / len(rates[max(0, i - window + 1):i + 1])
            for i in range(len(rates))]


def draw_flows(axis, run, node, flows, unit):
    seen = set()
    for flow in flows:
        lmcc = flow['kind'] == 'lmcc'
        name = dict(run.shown_as).get(flow['name'], flow['name'])
        colour = {'elm': 'tab:red', 'rlc': 'tab:orange', 'second': 'tab:orange'}.get(name, 'tab:red') if lmcc else \
            {'tcp': 'tab:blue', 'burst': 'tab:gray'}.get(name, 'tab:gray')
        axis.plot(range(1, len(flow['trace']) + 1), [rate / unit for rate in smooth(flow['trace'])], color=colour,
                  linewidth=1.2 if lmcc else 0.6, zorder=3 if lmcc else 2, label=None if name in seen else name)
        seen.add(name)
    axis.set_title(node)


def finish(axes):
    """Sets sizes and a grid, and adds a legend of all axes' curves to the first axes, each name once."""
    handles = {}
    for axis in axes[0].figure.axes:
        axis.tick_params(labelsize=NUMBER_SIZE)
        for text in (axis.xaxis.label, axis.yaxis.label):
            text.set_size(LABEL_SIZE)
        axis.title.set_size(TITLE_SIZE)
        for handle, name in zip(*axis.get_legend_handles_labels()):
            handles.setdefault(name, handle)
    for axis in axes:
        axis.grid(alpha=0.3)
    axes[0].legend(handles.values(), handles.keys(), fontsize=NUMBER_SIZE)


def draw_together(axis, nodes, unit):
    """One flow per node."""
    groups = {}
    for node in nodes:
        group = node if len(nodes) <= MOST_LABELS else node.rstrip('0123456789')
        groups.setdefault(group, []).append(node)
    for i, (group, members) in enumerate(groups.items()):
        names = members[0] if len(members) == 1 else f'{members[0]} to {group}{len(members)}'
        for node in members:
            flow, = nodes[node]
            axis.plot(range(1, len(flow['trace']) + 1), [rate / unit for rate in smooth(flow['trace'])], color=f'C{i}',
                      linewidth=1.2 if flow['kind'] == 'lmcc' else 0.7,
                      label=f'{flow["name"]}, {names}' if node == members[0] else None)


def draw(run, replication, path):
    """Throughput of each flow over time, as in the papers' figures: in one picture if each node has one flow, else in a
    picture per node."""
    import matplotlib
    matplotlib.use('Agg')
    import matplotlib.pyplot as plt

    nodes = {node: at['flows'] for node, at in sorted(replication['nodes'].items())}
    fast = max(rate for flows in nodes.values() for flow in flows for rate in smooth(flow['trace'])) > 1000
    unit = 1000 if fast else 1
    together = all(len(flows) == 1 for flows in nodes.values())
    figure, axes = plt.subplots(1, 1 if together else len(nodes), squeeze=False,
            figsize=(8.4, 2.9) if together else (4.2 * len(nodes), 2.6))
    if together:
        draw_together(axes[0][0], nodes, unit)
    else:
        for axis, (node, flows) in zip(axes[0], nodes.items()):
            draw_flows(axis, run, node, flows, unit)
    for axis in axes[0]:
        axis.set_xlabel('time, s')
        axis.set_ylim(bottom=0)
    axes[0][0].set_ylabel(f'throughput, {"Mbit/s" if fast else "kbit/s"}')
    finish(axes[0])
    save(figure, path)


def draw_picture(picture, results, path):
    import matplotlib
    matplotlib.use('Agg')
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, picture.n_axes, figsize=(4.2 * picture.n_axes, 2.8), squeeze=False)
    picture.draw(axes[0], results)
    finish(axes[0])
    save(figure, path)


def describe_libraries(libraries):
    """The runs that were made with each library."""
    lines = []
    for library in sorted(set(libraries.values())):
        runs = [name for name in libraries if libraries[name] == library]
        which = 'all runs' if len(runs) == len(libraries) else ', '.join(runs)
        lines.append(f'{which}: ' + (f'`{library}`' if library else 'not known'))
    return 'Hash of the library\'s sources that the runs were made with: ' + '; '.join(lines) + '.'


def assumptions(paper):
    """The assumptions for values that the paper does not give."""
    rows = ASSUMED.get(paper.NAME, [])
    head = ['## What the paper leaves open', '',
            'The [README](README.md#assumptions) has the assumptions for all papers.', '',
            '| what | assumed | why |', '|---|---|---|']
    return [*head, *(f'| {" | ".join(row)} |' for row in rows), ''] if rows else []


def write(paper, results, libraries, directory):
    tally = ', '.join(f'{n} {word}' for word, n in count(paper, results) if n)
    lines = [f'# {paper.TITLE}', '',
             'Written by `tests/sim/reproduce`. The [README](README.md#how-a-claim-is-judged) explains how claims are '
             'judged. *agrees*, *differs*: compared with what the paper says. *holds*, *fails*: compared with a bar of '
             'this project.', '',
             f'{len(paper.CLAIMS)} claims: {tally}. *So far*: there are too few replications to decide within the 95 % '
             'interval.', '',
             *(line for note in getattr(paper, 'NOTES', []) for line in (note, '')),
             *(overview(paper, results) if hasattr(paper, 'CELLS') else []), *table(paper, results),
             describe_libraries(libraries), '']
    (directory / 'images').mkdir(parents=True, exist_ok=True)
    for picture in getattr(paper, 'PICTURES', []):
        path = f'images/{picture.name}.png'
        draw_picture(picture, results, directory / path)
        lines += [f'![{picture.caption}]({path})', '', f'*{picture.caption}* {link_to_svg(path)}', '']
    for run in paper.RUNS:
        if run.name not in paper.FIGURES or '1' not in results[run.name]:
            continue
        picture = f'images/{run.name}.png'
        draw(run, results[run.name]['1'], directory / picture)
        arguments = ' '.join(run.arguments)
        what = paper.FIGURES[run.name] if isinstance(paper.FIGURES, dict) else ''
        what = what or 'Throughput at each receiver over time'
        command = f'lmcc-sim --scenario {run.scenario} {arguments}'.rstrip()
        lines += [f'![{what}]({picture})', '',
                  f'*{what}; means over three seconds: `{command}`, seed 1.* {link_to_svg(picture)}', '']
    lines += assumptions(paper)
    (directory / f'{paper.NAME}.md').write_text('\n'.join(lines).rstrip('\n') + '\n', encoding='utf-8')
