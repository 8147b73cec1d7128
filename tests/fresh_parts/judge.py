# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Finds faults in the output of commands on a fresh machine."""
import json
import re
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
from count import output_of, skip_reasons  # noqa: E402

INSTALLING = 'Installing missing packages'

# Output of apt and dpkg, and messages of the scripts before they call them.
PACKAGE_STEP = re.compile(rf'{INSTALLING}|apt-get|^(Get:\d|Reading package lists|Unpacking |Setting up \S+ \()')

FAULTS = [
    ('a Python traceback', re.compile(r'Traceback \(most recent call last\)')),
    ('something is missing', re.compile(
        r'(?<!-)\bmissing\b|not installed|no element|No module named|ModuleNotFoundError|command not found',
        re.IGNORECASE)),
]

# Lines to ignore: output of package installations, and reasons of skipped tests, which are judged separately.
OF_PACKAGES = re.compile(r'^(Selecting|Preparing|Unpacking|Setting up|Get:|Processing|update-alternatives:|debconf:|'
                         r'dpkg|invoke-rc\.d:|Created symlink|Adding|Creating|NOTE:|skipped: )|' + INSTALLING)

# Remedies: packages, an option of the tests or of the kernel, another release.
PACKAGES = re.compile(r'\(Debian: ([^)]+)\)')
SWITCH = re.compile(r'\bLMCC_[A-Z_]+|--[a-z]+|\bsysctl |\bon Debian \d+')

# Dependencies that only other commands install: tests/run --valgrind, and tests/sim with ns-3.
OF_OTHERS = re.compile(r'valgrind$|ns3-')

# Names in pipelines/lib/packages that ./tests/run and ./pipelines/demo install.
INSTALLED = ('build', 'run', 'demo', 'test')


def output_faults(text):
    """The lines of output that report a fault."""
    faults = []
    for line in text.splitlines():
        if OF_PACKAGES.match(line):
            continue
        faults += [f'{what}: {line.strip()}' for what, pattern in FAULTS if pattern.search(line)]
    return faults


def package_steps(text):
    """The lines of a second run that show a package installation."""
    return [f'a package step: {line.strip()}' for line in text.splitlines() if PACKAGE_STEP.search(line)]


def optional_packages(listing):
    """The packages in pipelines/lib/packages that no command installs."""
    lines = [line.replace('|', ' ').split() for line in listing.splitlines() if line and not line.startswith('#')]
    installed = {word for line in lines if line[0] in INSTALLED for word in line[1:]}
    return {word for line in lines for word in line[1:]} - installed


def has_remedy(reason, optional):
    """Whether the reason names an option, or only optional packages."""
    packages = [word for words in PACKAGES.findall(reason) for word in words.split()]
    return SWITCH.search(reason) is not None or (packages != [] and set(packages) <= optional)


def skip_faults(log, optional):
    """Tests in a log of `meson test` (lines of JSON) that were skipped without naming a remedy, or because of a missing
    package that is not `optional`."""
    faults = []
    for test in map(json.loads, log.splitlines()):
        for reason in skip_reasons(test['result'], output_of(test)):
            if reason is None:
                faults.append(f"{test['name']}: skipped without a reason")
            elif not has_remedy(reason, optional):
                faults.append(f"{test['name']}: skipped without a remedy: {reason}")
    return faults


def log_faults(log):
    """Tracebacks in a log of `meson test`, regardless of the results of the tests."""
    what, pattern = FAULTS[0]
    return [f"{what} in the output of the test {test['name']}" for test in map(json.loads, log.splitlines())
            if pattern.search(output_of(test))]


def suites_not_run(command, log):
    """Suites in a command line of tests/run without any test in its log."""
    # The name of a test has the form PROJECT:SUITE+SUITE / NAME.
    ran = {suite for test in map(json.loads, log.splitlines())
           for suite in test['name'].split(' / ')[0].split(':')[-1].split('+')}
    return [f'no test of the suite {name}' for name in re.findall(r'--suite (\S+)', command) if name not in ran]


def parts_left_out(meson_log):
    """Optional dependencies that a build did not find, such as ISA-L, libvpx or OpenJPEG."""
    looked_for = re.findall(r'^(?:\S+ dependency|Library|Program) (\S+) found: NO', meson_log, re.MULTILINE)
    return [f'built without {name}' for name in looked_for if not OF_OTHERS.match(name)]


def without_package(listing, package):
    """pipelines/lib/packages without a package and its alternatives; None if it does not list the package."""
    lines = []
    for line in listing.splitlines():
        words = line.split()
        kept = [word for word in words[1:] if package not in word.split('|')]
        lines.append(line if line.startswith('#') or kept == words[1:] else ' '.join(words[:1] + kept))
    without = '\n'.join(lines) + '\n'
    return None if without == listing else without
