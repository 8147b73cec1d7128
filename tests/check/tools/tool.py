# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs gst-lmcc-1.0 for the tests beside this file."""
import os
import subprocess

TOOL = os.environ['LMCC_TOOL']
SOURCE_ROOT = os.environ['LMCC_SOURCE_ROOT']

OK, FAILURE, USAGE = 0, 1, 2


def run(*arguments, timeout=60, prefix=()):
    """`prefix` is what runs the tool, such as unshare with its options."""
    return subprocess.run([*prefix, TOOL, *arguments], capture_output=True, text=True, timeout=timeout, check=False,
                          cwd=SOURCE_ROOT)


def start(*arguments):
    return subprocess.Popen([TOOL, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
