# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Finds an ffmpeg that compares pictures, and runs it. Debian 12's has neither VMAF nor XPSNR; the Python package
imageio-ffmpeg has both:

    python3 -m venv build/ffmpeg && build/ffmpeg/bin/pip install imageio-ffmpeg
"""
import glob
import json
import os
import re
import shutil
import subprocess

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../..')
PACKAGED = 'build/ffmpeg/lib/python3*/site-packages/imageio_ffmpeg/binaries/ffmpeg-*'

# Filter of each measure, and its arguments except the file.
FILTERS = {'psnr': 'psnr=stats_file={}', 'ssim': 'ssim=stats_file={}', 'xpsnr': 'xpsnr=stats_file={}',
           'vmaf': 'libvmaf=log_fmt=json:log_path={}'}

# The value of each picture: PSNR and SSIM of the luma, XPSNR of the luma.
VALUES = {'psnr': r'psnr_y:(\S+)', 'ssim': r' Y:(\S+)', 'xpsnr': r'XPSNR y: *(\S+)'}


def known_filters(path):
    shown = subprocess.run([path, '-hide_banner', '-filters'], capture_output=True, text=True, check=True).stdout
    return {words[1] for words in map(str.split, shown.splitlines()) if len(words) > 2}


def find():
    """The path of the ffmpeg with most measures, and these measures."""
    paths = [shutil.which('ffmpeg'), *glob.glob(os.path.join(ROOT, PACKAGED))]
    found = []
    for path in filter(None, paths):
        known = known_filters(path)
        found.append((path, [name for name, graph in FILTERS.items() if graph.split('=')[0] in known]))
    return max(found, key=lambda item: len(item[1]))


def graph_of(measures, paths):
    """Compares input 0 with input 1 by each measure; the outputs are [o0], [o1] and so on."""
    n = len(measures)
    parts = [f'[{i}:v]split={n}' + ''.join(f'[{i}{k}]' for k in range(n)) for i in range(2)]
    parts += [f'[0{k}][1{k}]{FILTERS[name].format(paths[name])}[o{k}]' for k, name in enumerate(measures)]
    return ';'.join(parts)


def read(measure, path):
    """The values of all pictures."""
    with open(path, encoding='ascii') as file:
        text = file.read()
    if measure == 'vmaf':
        return [frame['metrics']['vmaf'] for frame in json.loads(text)['frames']]
    return [float(value) for value in re.findall(VALUES[measure], text)]
