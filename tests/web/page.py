# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the demonstration and a browser with its page, for tests and screenshots."""
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'loopback'))
import lib  # noqa: E402

DRIVER, BROWSER = '/usr/bin/chromedriver', '/usr/bin/chromium'
PIPELINES = Path(__file__).resolve().parents[2] / 'pipelines' / 'lib'

ADDRESS = '239.255.64.65'

# Time limit in seconds for anything on a busy machine; usually it takes a few seconds.
PATIENCE = 90
MARK = 'LMCC_WEB_TEST'

CARDS = '''return [...document.querySelectorAll(".card")].map((card) => ({
  level: Number(card.dataset.level), rate: Number(card.dataset.rate), points: Number(card.dataset.points),
  pictures: Number(card.dataset.pictures), psnr: Number(card.dataset.psnr),
  link: card.querySelector(".link").textContent, tcp: card.querySelector(".tcp-rate").textContent,
  reason: card.querySelector(".reason").textContent}))'''


POINT = '''const screen = document.querySelector(".screen"), box = screen.getBoundingClientRect();
screen.dispatchEvent(new PointerEvent("pointermove", { clientX: box.left + arguments[0] * box.width,
  clientY: box.top + arguments[1] * box.height, bubbles: true }))'''


def skip_without_browser():
    for path, package in ((DRIVER, 'chromium-driver'), (BROWSER, 'chromium'),
                          ('/usr/share/javascript/chart.js/chart.min.js', 'libjs-chart.js')):
        if not Path(path).exists():
            lib.skip(f'{path} is not installed (Debian: {package})')
    for module, package in (('selenium', 'python3-selenium'), ('aiohttp', 'python3-aiohttp')):
        try:
            __import__(module)
        except ModuleNotFoundError:
            lib.skip(f'{module} is not installed (Debian: {package})')


def skip_where_it_cannot_be():
    skip_without_browser()
    if not shutil.which('iperf3'):
        lib.skip('iperf3 is not installed (Debian: iperf3)')
    lib.make_network().close()


def start_demo(directory, algorithm):
    """(process, address of the page)"""
    environment = {**os.environ, 'PYTHONPATH': str(PIPELINES), MARK: directory}
    demo = subprocess.Popen([sys.executable, '-B', '-m', 'demo', '--web', '0', '--algorithm', algorithm,
                             '--address', ADDRESS, '--out', directory],
                            env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    said = []
    for line in demo.stdout:
        said.append(line)
        found = re.search(r'The page is (http://\S+/)', line)
        if found:
            return demo, found.group(1)
    lib.check(False, 'the demonstration begins', *said)
    return lib.finish()


def open_browser(profile):
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
    options = Options()
    options.binary_location = BROWSER
    for argument in ('--headless=new', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run',
                     '--disable-background-networking', '--window-size=1280,800', f'--user-data-dir={profile}'):
        options.add_argument(argument)
    if os.geteuid() == 0:
        # Chromium refuses to run as root with its sandbox. It opens only our own page.
        options.add_argument('--no-sandbox')
    options.set_capability('goog:loggingPrefs', {'browser': 'ALL'})
    return webdriver.Chrome(service=Service(DRIVER), options=options)


def left_over(directory):
    """The running processes of a demonstration, found by a variable in their environment."""
    found = []
    for process in Path('/proc').glob('[0-9]*'):
        try:
            if f'{MARK}={directory}\0'.encode() in (process / 'environ').read_bytes():
                found.append((process / 'cmdline').read_text().replace('\0', ' '))
        except OSError:
            pass
    return found


@contextlib.contextmanager
def opened(algorithm):
    """(browser, output directory of the demonstration) with the page open. At the end, the demonstration is killed
    and must leave nothing behind."""
    with tempfile.TemporaryDirectory(prefix='lmcc-web-', ignore_cleanup_errors=True) as directory:
        demo, url = start_demo(directory, algorithm)
        browser = None
        try:
            browser = open_browser(directory + '/profile')
            browser.get(url)
            yield browser, Path(directory)
        finally:
            if browser:
                browser.quit()
            demo.send_signal(signal.SIGKILL)
            demo.communicate()
        lib.check(lib.wait_until(lambda: not left_over(directory), PATIENCE, 0.2),
                  'nothing is left of a demonstration that was killed', *left_over(directory))


def point_at(browser, x, y):
    """Moves the pointer over the first picture, to a position given as fractions of it."""
    browser.execute_script(POINT, x, y)


def height_of(browser):
    """Of the whole page, in pixels."""
    return browser.execute_script('return document.documentElement.scrollHeight')


def cards(browser):
    return browser.execute_script(CARDS)


def wait_for(browser, condition, statement, patience=PATIENCE):
    good = lib.wait_until(lambda: condition(cards(browser)), patience, 0.3)
    lib.check(good, statement, *cards(browser))
    return good


def press(browser, receiver, button):
    browser.execute_script(f'document.querySelectorAll(".card")[{receiver}].querySelector("button.{button}").click()')
