# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The picture of a run: link, level, loss and quality over time."""
import matplotlib

matplotlib.use('Agg')
from matplotlib import pyplot  # noqa: E402

from .analysis import SECOND, cumulative  # noqa: E402

RUNG_COLOURS = ['tab:orange', 'tab:green', 'tab:blue', 'tab:purple']
REASON_COLOURS = ['tab:blue', 'tab:red', 'tab:green', 'tab:orange', 'tab:purple', 'tab:brown', 'tab:pink', 'tab:olive']

BELOW = {'loc': 'upper left', 'bbox_to_anchor': (0, -0.06), 'fontsize': 'x-small', 'frameon': False}


def kbit(rates):
    return [float('nan') if rate is None else rate / 1000 for rate in rates]


def draw_rate(axes, run, end):
    """What the link carries, what is held of it, what came, and what the receiver thinks that it may take."""
    times = [sample.time / SECOND for sample in run.samples]
    highest = max([step.capacity for step in run.steps] + cumulative(run.layer_rates)[-1:] + [1]) / 1000
    if run.steps:
        steps = [step.time / SECOND for step in run.steps] + [end]
        capacities = [step.capacity / 1000 for step in run.steps]
        axes.fill_between(steps, capacities + capacities[-1:], step='post', color='tab:green', alpha=0.15,
                          label='capacity')
    for rate in cumulative(run.layer_rates):
        axes.axhline(rate / 1000, color='grey', linewidth=0.5, linestyle=':')
    axes.plot(times, kbit(sample.rate for sample in run.samples), color='grey', linewidth=0.8, label='received')
    calculated = kbit(sample.calculated for sample in run.samples)
    if any(rate == rate for rate in calculated):
        axes.plot(times, calculated, color='tab:red', linewidth=0.8, label='calculated')
    axes.step(times, kbit(sample.held for sample in run.samples), where='post', color='black', label='layers held')
    axes.set_ylabel('rate (kbit/s)')
    # What is calculated may be anything while nothing is lost.
    axes.set_ylim(0, 1.25 * highest)
    axes.legend(ncol=4, **BELOW)


def draw_level(axes, levels, end):
    """The level, with a mark of the reason's colour at each change."""
    times = [change['now'] / SECOND for change in levels] + [end]
    held = [change['to'] for change in levels]
    axes.step(times, held + held[-1:], where='post', color='black', linewidth=1)
    for i, reason in enumerate(dict.fromkeys(change['reason'] for change in levels)):
        for_it = [change for change in levels if change['reason'] == reason]
        axes.plot([change['now'] / SECOND for change in for_it], [change['to'] for change in for_it], 'o', markersize=4,
                  color=REASON_COLOURS[i % len(REASON_COLOURS)], label=reason)
    axes.set_ylabel('level')
    axes.yaxis.get_major_locator().set_params(integer=True)
    axes.legend(ncol=3, **BELOW)


def draw_loss(axes, samples):
    axes.fill_between([sample.time / SECOND for sample in samples], [100 * (sample.loss or 0) for sample in samples],
                      color='tab:red', alpha=0.6)
    axes.set_ylabel('loss (%)')
    axes.set_ylim(bottom=0, top=max([10] + [110 * (sample.loss or 0) for sample in samples]))


def draw_quality(axes, frames, references):
    """A line for what each rung's encoder made of the film, a dot for each picture that was received."""
    offset = next((frame.time - frame.source_time for frame in frames if frame.source_time is not None), 0)
    for rung in sorted({reference.rung for reference in references}):
        colour = RUNG_COLOURS[rung % len(RUNG_COLOURS)]
        made = sorted((reference.time + offset, reference.psnr) for reference in references
                      if reference.rung == rung and reference.psnr is not None)
        shown = [frame for frame in frames if frame.rung == rung and frame.psnr is not None]
        axes.plot([time / SECOND for time, _ in made], [psnr for _, psnr in made], linewidth=0.6, alpha=0.4,
                  color=colour)
        axes.plot([frame.time / SECOND for frame in shown], [frame.psnr for frame in shown], '.', markersize=3,
                  color=colour, label=f'rung {rung}, received')
    for frame in frames:
        if frame.rung is None:
            axes.axvline(frame.time / SECOND, color='red', linewidth=0.7)
    axes.set_ylabel('PSNR-Y (dB)')
    axes.legend(loc='upper left', bbox_to_anchor=(0, -0.15), fontsize='small', ncol=4, markerscale=2, frameon=False)


def draw(path, title, run):
    """Draws a run into a file; its frames are identified."""
    figure, (rate, level, loss, quality) = pyplot.subplots(
        4, 1, sharex=True, figsize=(9, 9), height_ratios=[3, 2, 1, 3])
    end = max([frame.time / SECOND for frame in run.frames] + [sample.time / SECOND for sample in run.samples] + [0])
    draw_rate(rate, run, end)
    if run.levels:
        draw_level(level, run.levels, end)
    draw_loss(loss, run.samples)
    if run.frames:
        draw_quality(quality, run.frames, run.references)
        quality.set_xlim(0, end)
    quality.set_xlabel('time (s)', loc='right')
    rate.set_title(title, fontsize='medium')
    for axes in (rate, level, loss, quality):
        axes.grid(True, linewidth=0.3)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
