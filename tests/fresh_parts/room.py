# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A fresh machine: a minimal root in memory, with a user who has cloned the project."""
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

from cache import run

ENTER = Path(__file__).resolve().parent / 'enter'
USER = 'newcomer'
HOME = Path('home') / USER
SUDOERS = Path('etc/sudoers.d') / USER

# Size in bytes of a root with all packages and a build. With less memory it is on disk.
SIZE = 4 << 30

# Creates mount, process and host name namespaces, which end with the process in them.
UNSHARE = ['unshare', '--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child', '--ipc', '--uts']

ENVIRONMENT = {'PATH': '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', 'HOME': '/root', 'TERM': 'dumb'}


def available_memory():
    found = re.search(r'^MemAvailable:\s+(\d+) kB', Path('/proc/meminfo').read_text(encoding='ascii'), re.MULTILINE)
    return int(found.group(1)) << 10 if found else 0


class Room:
    """A root in a private mount namespace; its mounts end with this process."""

    def __init__(self, cache, clone, without=None):
        tar = cache.root()
        self.cache = cache
        # A run that was killed may have left files on disk.
        self.root = cache.directory / 'room'
        shutil.rmtree(self.root, ignore_errors=True)
        self.root.mkdir()
        if available_memory() > 1.5 * SIZE:
            run(['mount', '-t', 'tmpfs', '-o', f'size={SIZE},mode=755', 'tmpfs', self.root])
        else:
            run(['mount', '--bind', self.root, self.root])
        run(['tar', '--numeric-owner', '-xpf', tar, '-C', self.root])
        run(['mount', '--bind', cache.debs, self.root / 'var/cache/apt/archives'])
        self.furnish()
        self.give(clone)
        if without:
            self.forbid(*without)

    def write(self, path, text, mode=0o644):
        (self.root / path).write_text(text, encoding='utf-8')
        (self.root / path).chmod(mode)

    def furnish(self):
        """Sets the host name, the name servers and proxies of this machine, and a user with sudo."""
        self.write('etc/hosts', '127.0.0.1 localhost fresh\n::1 localhost ip6-localhost\n')
        self.write('etc/hostname', 'fresh\n')
        shutil.copyfile('/etc/resolv.conf', self.root / 'etc/resolv.conf')
        settings = run(['apt-config', 'dump']) if shutil.which('apt-config') else ''
        proxies = re.findall(r'^Acquire::https?::Proxy.*', settings, re.MULTILINE)
        proxies += [f'Acquire::{scheme}::Proxy "{os.environ[f"{scheme}_proxy"]}";' for scheme in ('http', 'https')
                    if os.environ.get(f'{scheme}_proxy')]
        self.write('etc/apt/apt.conf.d/99proxy', '\n'.join(proxies) + '\n')
        self.enter(['useradd', '--create-home', '--shell', '/bin/bash', USER])
        self.write(SUDOERS, f'{USER} ALL=(ALL) NOPASSWD: ALL\n', 0o440)

    def give(self, clone):
        """Clones the committed tree `clone` for the user."""
        run(['git', 'clone', '--quiet', '--no-hardlinks', clone, self.root / HOME / 'lmcc'])
        self.enter(['chown', '-R', f'{USER}:{USER}', f'/{HOME}/lmcc'])

    def forbid(self, package, listing):
        """Replaces the list of packages with `listing`, and prevents the installation of `package`."""
        self.write(HOME / 'lmcc/pipelines/lib/packages', listing)
        self.write('etc/apt/preferences.d/without', f'Package: {package}\nPin: release *\nPin-Priority: -1\n')

    def enter(self, words, network='host', output=subprocess.PIPE, timeout=60):
        """Runs a command as root. Returns its status and output; the status is None after a timeout."""
        command = [*UNSHARE, *(['--net'] if network == 'none' else []), ENTER, self.root, network, *words]
        # A new session, so that Ctrl-C goes only to this program, which then ends the command.
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, text=True,
                              env=ENVIRONMENT, start_new_session=True) as child:
            try:
                text = child.communicate(timeout=timeout)[0]
                status = child.returncode
            except subprocess.TimeoutExpired:
                status, text = None, ''
            finally:
                if child.returncode is None:
                    os.killpg(child.pid, signal.SIGKILL)
        return status, text

    def run(self, command, log, timeout, network='host'):
        """Runs a command as the user in the clone, with its output to the file `log`. Returns its status or None."""
        with open(log, 'w', encoding='utf-8') as output:
            return self.enter(['runuser', '-l', USER, '-c', f'cd lmcc && {command}'], network, output, timeout)[0]

    def shell(self):
        subprocess.run([*UNSHARE, ENTER, self.root, 'host', 'runuser', '-l', USER], env=ENVIRONMENT, check=False)

    def take_sudo(self):
        """Removes the user's right to use sudo, so that nothing can be installed."""
        (self.root / SUDOERS).unlink(missing_ok=True)

    def close(self):
        # Without lists apt would consider all packages outdated.
        if any((self.root / 'var/lib/apt/lists').glob('*_Packages*')):
            self.enter(['apt-get', '-qq', 'autoclean'])
        self.cache.keep_debs()
        run(['umount', self.root / 'var/cache/apt/archives'])
        run(['umount', self.root])
        shutil.rmtree(self.root)
