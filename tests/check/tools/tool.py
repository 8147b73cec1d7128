# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs gst-lmcc-1.0 for the tests in this directory."""
import os
import re
import subprocess

TOOL = os.environ['LMCC_TOOL']
SOURCE_ROOT = os.environ['LMCC_SOURCE_ROOT']

OK, FAILURE, USAGE = 0, 1, 2

COMMANDS = ['send', 'play', 'plan', 'listen', 'doctor', 'algorithms', 'relay', 'screen', 'help']

OPTION_IN_HELP = re.compile(r'^  (?:-\w, )?(--[\w-]+(?:=\S+)?) +(\S.*)$', re.MULTILINE)
COMMAND_IN_HELP = re.compile(r'^  (\w+)  +(\S.*)$', re.MULTILINE)


def run(*arguments, timeout=60, prefix=()):
    """`prefix` is a command that runs the tool, such as unshare with its options."""
    return subprocess.run([*prefix, TOOL, *arguments], capture_output=True, text=True, timeout=timeout, check=False,
                          cwd=SOURCE_ROOT)


def options_in_help(command, part=''):
    """Maps each option, with its argument, to its text in help; of one section or all."""
    text = run(command, '--help').stdout
    return dict(OPTION_IN_HELP.findall(text[text.find(part):]))


def start(*arguments):
    return subprocess.Popen([TOOL, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
