#!/usr/bin/env python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs every pipeline in the documentation of the elements as it stands. Pipelines that need a screen run only where
there is one."""

import glob
import os
import re
import subprocess
import sys

import lib

sys.path.insert(0, os.path.join(lib.HERE, '..'))
import readme  # noqa: E402

SECONDS = 4


def pipelines():
    """Yields (file, command) of everything between |[ and ]|."""
    for path in sorted(glob.glob(os.path.join(lib.HERE, '../../plugins/*/*.c'))):
        with open(path, encoding='utf-8') as file:
            text = file.read()
        for block in re.findall(r'\|\[\n(.*?)\]\|', text, re.DOTALL):
            plain = re.sub(r'^ \* ?', '', block, flags=re.MULTILINE)
            for command in readme.split_commands(plain):
                if command.startswith('gst-'):
                    yield os.path.basename(path), command


lib.start('x264ladderenc', deadline=175)
found = list(pipelines())
lib.check(len(found) > 5, f'the documentation has {len(found)} pipelines')
have_j2k = subprocess.run(['gst-inspect-1.0', 'j2klayerenc'], check=False, capture_output=True).returncode == 0
screen = os.environ.get('DISPLAY') or os.environ.get('WAYLAND_DISPLAY')
for name, command in found:
    if not screen and re.search('autovideosink|gst-play-1.0', command):
        lib.note(f'no screen for: {command}')
        continue
    if not have_j2k and 'j2k' in name:
        lib.note(f'built without libopenjp2: {command}')
        continue
    fault = readme.run_together([command], SECONDS)
    lib.check(fault is None, f'{name}: {command}', fault)
lib.finish()
