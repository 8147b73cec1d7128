# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What must not be in the output of a command on a fresh machine."""
import json
import re
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
from count import output_of, skip_reasons  # noqa: E402

INSTALLING = 'Installing missing packages'

# What apt and dpkg print, and what the scripts say before they call these.
PACKAGE_STEP = re.compile(rf'{INSTALLING}|apt-get|^(Get:\d|Reading package lists|Unpacking |Setting up \S+ \()')

FAULTS = [
    ('a Python traceback', re.compile(r'Traceback \(most recent call last\)')),
    ('something is missing', re.compile(
        r'(?<!-)\bmissing\b|not installed|no element|No module named|ModuleNotFoundError|command not found',
        re.IGNORECASE)),
]

# How packages are set up is not this project's to say; why tests are skipped is judged apart.
OF_PACKAGES = re.compile(r'^(Selecting|Preparing|Unpacking|Setting up|Get:|Processing|update-alternatives:|debconf:|'
                         r'dpkg|invoke-rc\.d:|Created symlink|Adding|Creating|NOTE:|skipped: )|' + INSTALLING)

# What to do about it: packages, a switch of the tests' own or of the kernel's, another release.
PACKAGES = re.compile(r'\(Debian: ([^)]+)\)')
SWITCH = re.compile(r'\bLMCC_[A-Z_]+|--[a-z]+|\bsysctl |\bon Debian \d+')

# What a build looks for that only other commands install: tests/run --valgrind, and tests/sim with ns-3.
OF_OTHERS = re.compile(r'valgrind$|ns3-')

# What ./tests/run and ./pipelines/demo install, in pipelines/lib/packages.
INSTALLED = ('build', 'run', 'demo', 'test')


def output_faults(text):
    """What a command says that a newcomer should never read; [] if all is well."""
    faults = []
    for line in text.splitlines():
        if OF_PACKAGES.match(line):
            continue
        faults += [f'{what}: {line.strip()}' for what, pattern in FAULTS if pattern.search(line)]
    return faults


def package_steps(text):
    """The lines of a second run that show a step of apt or dpkg."""
    return [f'a package step: {line.strip()}' for line in text.splitlines() if PACKAGE_STEP.search(line)]


def optional_packages(listing):
    """Those of pipelines/lib/packages that are for the user to install."""
    lines = [line.replace('|', ' ').split() for line in listing.splitlines() if line and not line.startswith('#')]
    installed = {word for line in lines if line[0] in INSTALLED for word in line[1:]}
    return {word for line in lines for word in line[1:]} - installed


def has_remedy(reason, optional):
    """Whether the reason names a switch, or packages that the user may go without."""
    packages = [word for words in PACKAGES.findall(reason) for word in words.split()]
    return SWITCH.search(reason) is not None or (packages != [] and set(packages) <= optional)


def skip_faults(log, optional):
    """Tests in a log of `meson test` (lines of JSON) that were skipped without saying what to do about it, or for want
    of a package that is not `optional`."""
    faults = []
    for test in map(json.loads, log.splitlines()):
        for reason in skip_reasons(test['result'], output_of(test)):
            if reason is None:
                faults.append(f"{test['name']}: skipped without saying why")
            elif not has_remedy(reason, optional):
                faults.append(f"{test['name']}: skipped without a remedy: {reason}")
    return faults


def log_faults(log):
    """Tracebacks in a log of `meson test`, whatever the tests' results."""
    what, pattern = FAULTS[0]
    return [f"{what} in the output of the test {test['name']}" for test in map(json.loads, log.splitlines())
            if pattern.search(output_of(test))]


def suites_not_run(command, log):
    """Suites that a command of tests/run names, and of which its log has no test."""
    # A test's name is PROJECT:SUITE+SUITE / NAME.
    ran = {suite for test in map(json.loads, log.splitlines())
           for suite in test['name'].split(' / ')[0].split(':')[-1].split('+')}
    return [f'no test of the suite {name}' for name in re.findall(r'--suite (\S+)', command) if name not in ran]


def parts_left_out(meson_log):
    """What a build looked for in vain: it goes without ISA-L, libvpx or OpenJPEG where they are not there."""
    looked_for = re.findall(r'^(?:\S+ dependency|Library|Program) (\S+) found: NO', meson_log, re.MULTILINE)
    return [f'built without {name}' for name in looked_for if not OF_OTHERS.match(name)]


def without_package(listing, package):
    """pipelines/lib/packages without one package and its alternatives; None where it names no such package."""
    lines = []
    for line in listing.splitlines():
        words = line.split()
        kept = [word for word in words[1:] if package not in word.split('|')]
        lines.append(line if line.startswith('#') or kept == words[1:] else ' '.join(words[:1] + kept))
    without = '\n'.join(lines) + '\n'
    return None if without == listing else without
