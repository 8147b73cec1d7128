# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The report of a run: a self-contained HTML page, and a table for the terminal."""
import base64
import html

# Figures of each receiver: title, key in the summary, and format.
COLUMNS = [
    ('receiver', 'name', str),
    ('algorithm', 'algorithm', str),
    ('link, kbit/s', 'capacity', lambda rate: f'{rate / 1000:.0f}'),
    ('target level', 'level-right', str),
    ('most used level', 'level', str),
    ('time at the target level', 'share-right', lambda share: f'{100 * share:.1f} %'),
    ('settled after', 'settled-s', lambda seconds: f'{seconds:.1f} s'),
    ('join experiments', 'join-experiments', str),
    ('loss outside joins', 'loss-outside-joins', lambda share: f'{100 * share:.2f} %'),
    ('total loss', 'loss', lambda share: f'{100 * share:.2f} %'),
    ('intact pictures outside joins', 'frames-whole-outside-joins', lambda share: f'{100 * share:.1f} %'),
    ('intact pictures', 'frames-whole', lambda share: f'{100 * share:.1f} %'),
    ('mean PSNR', 'psnr-mean-db', lambda psnr: f'{psnr:.1f} dB'),
]

STYLE = '''
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; }
td, th { padding: .2rem .8rem; border-bottom: 1px solid #8888; text-align: right; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 600; }
img { width: 100%; height: auto; background: white; }
'''


def cell(figures, key, form):
    return '-' if figures[key] is None else form(figures[key])


def tcp_lines(summary):
    """Sentences about each TCP connection and the receiver that shared its link."""
    for figures in summary['receivers']:
        for tcp in figures['tcp']:
            if tcp['tcp-rate'] is None or tcp['rate'] is None:
                continue
            back = ('did not return to its target level before the run ended' if tcp['back-after-s'] is None
                    else f"returned to its target level {tcp['back-after-s']:.0f} s after TCP stopped")
            yield (f"From {tcp['from-s']:.0f} s to {tcp['until-s']:.0f} s, a TCP connection shared the link of "
                   f"{figures['name']}. TCP got {tcp['tcp-rate'] / 1000:.0f} kbit/s and the receiver "
                   f"{tcp['rate'] / 1000:.0f} kbit/s. The receiver {back}.")


def as_text(summary):
    """The report as text for a terminal."""
    lines = []
    width = max(len(title) for title, _, _ in COLUMNS)
    column = 2 + max(12, *(len(figures['name']) for figures in summary['receivers']))
    for title, key, form in COLUMNS:
        lines.append(f'{title:<{width}}'
                     + ''.join(f'{cell(figures, key, form):>{column}}' for figures in summary['receivers']))
    return '\n'.join([*lines, *tcp_lines(summary)])


def write(path, title, summary, picture):
    """Writes the page; `picture` is a PNG to include."""
    rows = ''.join(
        f'<tr><th scope="row">{html.escape(name)}</th>'
        + ''.join(f'<td>{html.escape(cell(figures, key, form))}</td>' for figures in summary['receivers']) + '</tr>\n'
        for name, key, form in COLUMNS)
    layers = ' '.join(f'Layers of {session["algorithm"]}: '
                      + ', '.join(f'{rate / 1000:.0f}' for rate in session['layer-rates']) + ' kbit/s.'
                      for session in summary['sessions'])
    sentences = ''.join(f'<p>{html.escape(line)}</p>\n' for line in tcp_lines(summary))
    data = base64.b64encode(picture.read_bytes()).decode('ascii')
    path.write_text(f'''<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{html.escape(title)}</title>
<style>{STYLE}</style>
<h1>{html.escape(title)}</h1>
<p>{summary['seconds']:.0f} seconds {'in a private network' if summary['network'] else 'on the loopback interface'}.
{layers} The target level is the highest level whose rate is at most 0.9 of the link rate. The shares of time
and of pictures and the loss outside joins exclude the time from the start of TCP until the receiver has returned to
its target level.</p>
<table>
{rows}</table>
{sentences}<img src="data:image/png;base64,{data}"
alt="Rates, levels, packet loss and picture quality of each receiver over time">
</html>
''', encoding='utf-8')
