# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plots a run: the link, the level, the packet loss and the picture quality of each receiver over time."""
import matplotlib

matplotlib.use('Agg')
from matplotlib import pyplot  # noqa: E402

from .analysis import SECOND  # noqa: E402

RUNG_COLOURS = ['tab:orange', 'tab:green', 'tab:blue', 'tab:purple']
BELOW = {'loc': 'upper left', 'fontsize': 'x-small', 'frameon': False}


def kbit(rates):
    return [float('nan') if rate is None else rate / 1000 for rate in rates]


def draw_rate(axes, reception, rates, end):
    """Plots the link's capacity, the TCP rate, the received rate and the rate of the joined layers."""
    times = [sample.time / SECOND for sample in reception.samples]
    capacities = [step.capacity / 1000 for step in reception.steps]
    if capacities:
        axes.fill_between([step.time / SECOND for step in reception.steps] + [end], capacities + capacities[-1:],
                          step='post', color='tab:green', alpha=0.15, label='link')
    for rate in rates:
        axes.axhline(rate / 1000, color='grey', linewidth=0.5, linestyle=':')
    axes.plot(times, kbit(sample.rate for sample in reception.samples), color='grey', linewidth=0.8, label='received')
    if reception.tcp_samples:
        axes.plot([time / SECOND for time, _ in reception.tcp_samples],
                  kbit(rate for _, rate in reception.tcp_samples), color='tab:red', linewidth=0.8, label='TCP')
    if any(sample.fair for sample in reception.samples):
        axes.plot(times, kbit(sample.fair for sample in reception.samples), color='tab:purple', linewidth=0.8,
                  label='fair rate')
    axes.step(times, kbit(sample.held for sample in reception.samples), where='post', color='black',
              label='joined layers')
    axes.set_ylim(0, 1.45 * max([*capacities, *(rate / 1000 for rate in rates[:1]), 1]))
    axes.set_ylabel('kbit/s')
    axes.set_title(f'{reception.name}'
                   + (f', link {capacities[-1]:.0f} kbit/s' if capacities else ''), fontsize='small', loc='left')
    axes.legend(ncol=5, **BELOW)


def draw_loss(axes, samples):
    axes.fill_between([sample.time / SECOND for sample in samples], [100 * (sample.loss or 0) for sample in samples],
                      color='tab:red', alpha=0.6)
    axes.set_ylabel('loss (%)')
    axes.set_ylim(bottom=0, top=max([10] + [110 * (sample.loss or 0) for sample in samples]))


def draw_quality(axes, frames):
    """Plots a dot for each picture, in the colour of its encoding, and a red line for each picture that no encoder
    made."""
    for rung in sorted({frame.rung for frame in frames if frame.rung is not None}):
        shown = [frame for frame in frames if frame.rung == rung and frame.psnr is not None]
        axes.plot([frame.time / SECOND for frame in shown], [frame.psnr for frame in shown], '.', markersize=1.5,
                  color=RUNG_COLOURS[rung % len(RUNG_COLOURS)], label=f'encoding {rung}')
    for frame in frames:
        if frame.rung is None:
            axes.axvline(frame.time / SECOND, color='red', linewidth=0.7)
    axes.set_ylabel('PSNR (dB)')
    axes.set_ylim(20, 65)
    axes.legend(ncol=4, markerscale=4, **BELOW)


def draw(path, title, run, rates):
    """Plots a run, whose frames are identified, to a file. Each session, with its `rates`, has a column, and each link
    has a row."""
    count, sessions = 1 + max(reception.link for reception in run.receptions), len(run.sessions)
    figure, axes = pyplot.subplots(3 * count, sessions, sharex=True,
                                   figsize=(9 if sessions == 1 else 7 * sessions, 1 + 3.9 * count), squeeze=False,
                                   height_ratios=[3, 1, 1.6] * count)
    end = max([sample.time / SECOND for reception in run.receptions for sample in reception.samples] + [1])
    for reception in run.receptions:
        place, session = reception.link, reception.session.index
        rate, loss, quality = axes[3 * place:3 * place + 3, session]
        draw_rate(rate, reception, rates[session], end)
        draw_loss(loss, reception.samples)
        draw_quality(quality, reception.frames)
    for each in axes.flat:
        each.grid(True, linewidth=0.3)
        each.set_xlim(0, end)
        each.label_outer()
    for each in axes[-1]:
        each.set_xlabel('time (s)')
    figure.suptitle(title, fontsize='medium')
    figure.tight_layout()
    figure.savefig(path, dpi=100)
    pyplot.close(figure)
