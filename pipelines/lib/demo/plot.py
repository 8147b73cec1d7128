# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The picture of a run: level, rate and quality over time."""
import matplotlib

matplotlib.use('Agg')
from matplotlib import pyplot  # noqa: E402

from .analysis import SECOND  # noqa: E402

RUNG_COLOURS = ['tab:orange', 'tab:green', 'tab:blue', 'tab:purple']


def draw_level(axes, levels, end):
    times = [change['now'] / SECOND for change in levels] + [end]
    held = [change['to'] for change in levels]
    axes.step(times, held + held[-1:], where='post', color='black')
    axes.set_ylabel('level')
    axes.yaxis.get_major_locator().set_params(integer=True)


def draw_rate(axes, samples, layer_rates):
    axes.plot([time / SECOND for time, _, _ in samples], [rate / 1000 for _, _, rate in samples], color='black',
              label='received')
    cumulative = 0
    for rate in layer_rates:
        cumulative += rate
        axes.axhline(cumulative / 1000, color='grey', linewidth=0.5, linestyle=':')
    axes.set_ylabel('rate (kbit/s)')
    axes.set_ylim(bottom=0)


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
    frames, levels, samples = run.frames, run.levels, run.samples
    figure, (top, middle, bottom) = pyplot.subplots(3, 1, sharex=True, figsize=(9, 6.5))
    end = max([frame.time / SECOND for frame in frames] + [time / SECOND for time, _, _ in samples] + [0])
    if levels:
        draw_level(top, levels, end)
    draw_rate(middle, samples, run.layer_rates)
    if frames:
        draw_quality(bottom, frames, run.references)
        bottom.set_xlim(0, end)
    bottom.set_xlabel('time (s)', loc='right')
    top.set_title(title, fontsize='medium')
    for axes in (top, middle, bottom):
        axes.grid(True, linewidth=0.3)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
