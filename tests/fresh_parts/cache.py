# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The cache of tests/fresh for each release: a minimal root as a tar file, and downloaded packages. Files are used only
if their checksums are the recorded ones."""
import fcntl
import hashlib
import json
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

DEFAULT_MIRROR = 'http://deb.debian.org/debian'
DEFAULT_SECURITY = 'http://deb.debian.org/debian-security'

# Maximum age of a root in seconds. A new root has the packages that a new machine has.
OLDEST = 7 * 24 * 3600

# Packages in addition to Debian's minimum: sudo, which the README requires.
INCLUDED = ['sudo']

DEBIAN_SUITES = re.compile(r'(bullseye|bookworm|trixie|forky|sid|(old)?(old)?stable|testing|unstable)')
SECURITY_SUITES = re.compile(rf'{DEBIAN_SUITES.pattern}(-security|/updates)')


class Failure(Exception):
    """A root cannot be made; the text gives the reason."""


def parse_list(text):
    """Yields (URI, suites) of each line of a sources.list."""
    for line in text.splitlines():
        words = re.sub(r'\[[^]]*\]', ' ', line.split('#')[0]).split()
        if len(words) >= 3 and words[0] == 'deb':
            yield words[1], [words[2]]


def parse_deb822(text):
    """Yields (URI, suites) of each paragraph of a file *.sources."""
    for paragraph in re.split(r'\n\s*\n', re.sub(r'^#.*\n', '', text, flags=re.MULTILINE)):
        fields = {key.lower(): value.split() for key, value in
                  re.findall(r'^([\w-]+):(.*(?:\n[ \t].*)*)', paragraph, re.MULTILINE)}
        if 'deb' in fields.get('types', []) and fields.get('enabled') != ['no']:
            for uri in fields.get('uris', []):
                yield uri, fields.get('suites', [])


def find_mirrors(sources):
    """Returns (mirror of Debian, mirror of security updates) from a list of (URI, suites)."""
    found = {}
    for uri, suites in sources:
        for suite in suites:
            for pattern in (DEBIAN_SUITES, SECURITY_SUITES):
                if pattern.fullmatch(suite):
                    found.setdefault(pattern, uri.rstrip('/'))
    return found.get(DEBIAN_SUITES, DEFAULT_MIRROR), found.get(SECURITY_SUITES, DEFAULT_SECURITY)


def host_sources(etc=Path('/etc/apt')):
    for path in [etc / 'sources.list', *sorted(etc.glob('sources.list.d/*.list'))]:
        if path.is_file():
            yield from parse_list(path.read_text(encoding='utf-8'))
    for path in sorted(etc.glob('sources.list.d/*.sources')):
        yield from parse_deb822(path.read_text(encoding='utf-8'))


def sources_of(release, mirror, security):
    return ''.join(f'deb {uri} {suite} main\n' for uri, suite in (
        (mirror, release), (mirror, f'{release}-updates'), (security, f'{release}-security')))


def checksum(path):
    with open(path, 'rb') as file:
        return hashlib.file_digest(file, 'sha256').hexdigest()


def read_record(path):
    """Reads a record of `write_record`; {} if it does not exist or is damaged."""
    try:
        record = json.loads(path.read_text(encoding='utf-8'))
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def write_record(path, record):
    """Writes a record atomically."""
    new = path.with_suffix('.new')
    new.write_text(json.dumps(record, indent=1) + '\n', encoding='utf-8')
    new.replace(path)


class Cache:
    """The cache of a release, locked until this process ends."""

    def __init__(self, directory, release):
        self.release = release
        self.directory = directory / release
        self.debs = self.directory / 'debs'
        self.debs.mkdir(parents=True, exist_ok=True)
        self.lock = open(self.directory / 'lock', 'w', encoding='utf-8')
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f'Waiting for another run, which uses {self.directory}', file=sys.stderr, flush=True)
            fcntl.flock(self.lock, fcntl.LOCK_EX)
        self.check_debs()

    def check_debs(self):
        """Deletes packages that were not completely downloaded or have changed since."""
        record = read_record(self.directory / 'debs.json')
        for path in self.debs.glob('*.deb'):
            if record.get(path.name) != checksum(path):
                path.unlink()

    def keep_debs(self):
        """Records the checksums of the packages that apt has downloaded and checked."""
        write_record(self.directory / 'debs.json', {path.name: checksum(path) for path in self.debs.glob('*.deb')})

    def fault_of_root(self, sources):
        """The reason why the root cannot be used; None if it can."""
        tar = self.directory / 'root.tar'
        record = read_record(self.directory / 'root.json')
        if not tar.is_file() or not record:
            return 'there is no root yet'
        if record.get('sources') != sources or record.get('included') != INCLUDED:
            return 'its list of packages has changed'
        if not 0 <= time.time() - record.get('made', 0) < OLDEST:
            return 'it is older than a week'
        if record.get('sha256') != checksum(tar):
            return 'it is damaged'
        return None

    def root(self):
        """The tar file of the minimal root. Makes it if there is no usable one."""
        sources = sources_of(self.release, *find_mirrors(host_sources()))
        tar = self.directory / 'root.tar'
        fault = self.fault_of_root(sources)
        if fault:
            print(f'Making a minimal root of {self.release}: {fault}', file=sys.stderr, flush=True)
            new = self.directory / 'root.new.tar'
            make_root(self.release, sources, new)
            new.replace(tar)
            write_record(self.directory / 'root.json',
                         {'made': time.time(), 'sources': sources, 'included': INCLUDED, 'sha256': checksum(tar)})
        return tar


def run(command, text=None):
    done = subprocess.run(command, input=text, stdin=None if text else subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        raise Failure(f"{' '.join(map(str, command))}: {done.stdout.strip()[-2000:]}")
    return done.stdout


def make_root(release, sources, tar):
    """Makes a root with mmdebstrap or, if that is not installed, with debootstrap."""
    included = INCLUDED + (['ca-certificates'] if 'https://' in sources else [])
    if shutil.which('mmdebstrap'):
        run(['mmdebstrap', '--mode=root', '--variant=minbase', f"--include={','.join(included)}", '--format=tar',
             release, tar, '-'], sources)
        return
    directory = tar.with_suffix('')
    shutil.rmtree(directory, ignore_errors=True)
    try:
        run(['debootstrap', '--variant=minbase', f"--include={','.join(included)}", release, directory,
             sources.split()[1]])
        (directory / 'etc/apt/sources.list').write_text(sources, encoding='utf-8')
        run(['tar', '--numeric-owner', '-C', directory, '-cf', tar, '.'])
    finally:
        shutil.rmtree(directory, ignore_errors=True)
