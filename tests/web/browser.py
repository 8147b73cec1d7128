#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The demonstration's page in Chromium: its charts move, it decodes pictures of every receiver, and its buttons do what
they say: TCP lowers the receiver that it is beside, which comes back; a halved link is half. Then the demonstration is
killed, and nothing of it is left.

Usage: browser.py [--screenshots DIRECTORY]
"""
import argparse
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
RECEIVERS = 3
BESIDE = 2

# RLC goes up again within seconds of the last loss, whatever the round-trip time of a busy machine; ELM after a minute.
ALGORITHM, TOP = 'rlc', 3

# Seconds that anything may take on a busy machine, which else takes a few.
PATIENCE = 90
MARK = 'LMCC_WEB_TEST'

CARDS = '''return [...document.querySelectorAll(".card")].map((card) => ({
  level: Number(card.dataset.level), rate: Number(card.dataset.rate), points: Number(card.dataset.points),
  pictures: Number(card.querySelector(".pictures").textContent),
  link: card.querySelector(".link").textContent, tcp: card.querySelector(".tcp-rate").textContent,
  reason: card.querySelector(".reason").textContent}))'''

LIT = 'return document.querySelectorAll("#tree .strand.lit").length'


def skip_where_it_cannot_be():
    for path, package in ((DRIVER, 'chromium-driver'), (BROWSER, 'chromium'),
                          ('/usr/share/javascript/chart.js/chart.min.js', 'libjs-chart.js')):
        if not Path(path).exists():
            lib.skip(f'{path} is not installed (Debian: {package})')
    if not shutil.which('iperf3'):
        lib.skip('iperf3 is not installed')
    for module, package in (('selenium', 'python3-selenium'), ('aiohttp', 'python3-aiohttp')):
        try:
            __import__(module)
        except ModuleNotFoundError:
            lib.skip(f'{module} is not installed (Debian: {package})')
    lib.make_network().close()


def start_demo(directory):
    environment = {**os.environ, 'PYTHONPATH': str(PIPELINES), MARK: directory}
    demo = subprocess.Popen([sys.executable, '-B', '-m', 'demo', '--web', '0', '--algorithm', ALGORITHM,
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
        # Chromium refuses to be run by root with its sandbox. It opens our own page alone.
        options.add_argument('--no-sandbox')
    options.set_capability('goog:loggingPrefs', {'browser': 'ALL'})
    return webdriver.Chrome(service=Service(DRIVER), options=options)


def left_over(directory):
    """The processes of a demonstration that still run, by what is in their environment."""
    found = []
    for process in Path('/proc').glob('[0-9]*'):
        try:
            if f'{MARK}={directory}\0'.encode() in (process / 'environ').read_bytes():
                found.append((process / 'cmdline').read_text().replace('\0', ' '))
        except OSError:
            pass
    return found


def cards(browser):
    return browser.execute_script(CARDS)


def wait_for(browser, condition, statement, patience=PATIENCE):
    good = lib.wait_until(lambda: condition(cards(browser)), patience, 0.3)
    lib.check(good, statement, *cards(browser))
    return good


def press(browser, receiver, button):
    browser.execute_script(f'document.querySelectorAll(".card")[{receiver}].querySelector("button.{button}").click()')


def check_page(browser):
    wait_for(browser, lambda all_: len(all_) == RECEIVERS and all(card['level'] >= 0 for card in all_),
             'three receivers have begun')
    first = cards(browser)
    wait_for(browser, lambda all_: all(card['points'] > before['points'] + 3 for card, before in zip(all_, first)),
             'the charts move')
    wait_for(browser, lambda all_: all(card['pictures'] > 24 for card in all_),
             'a second of pictures of each receiver is decoded by the browser')
    lib.check(lib.wait_until(lambda: browser.execute_script(LIT) >= RECEIVERS + 1, PATIENCE),
              'the tree shows which groups flow')
    wait_for(browser, lambda all_: all_[BESIDE]['level'] == TOP, 'the third receiver holds all')


def check_buttons(browser):
    press(browser, BESIDE, 'tcp')
    wait_for(browser, lambda all_: 'bit/s' in all_[BESIDE]['tcp'] and all_[BESIDE]['level'] < TOP,
             'TCP lowers the third receiver')
    lib.check(all(card['tcp'] == 'none' for card in cards(browser)[:BESIDE]), 'TCP is beside no other')
    link = cards(browser)[1]['link']
    press(browser, 1, 'halve')
    wait_for(browser, lambda all_: all_[1]['link'] != link, 'a link is halved')
    press(browser, 1, 'halve')
    wait_for(browser, lambda all_: all_[1]['link'] == link, 'and whole again')
    press(browser, 0, 'stop')
    wait_for(browser, lambda all_: all_[0]['level'] == -1, 'a receiver stops')
    press(browser, BESIDE, 'tcp')
    wait_for(browser, lambda all_: all_[BESIDE]['tcp'] == 'none', 'TCP goes')
    wait_for(browser, lambda all_: all_[BESIDE]['level'] == TOP, 'and the third receiver comes back')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--screenshots', type=Path)
    arguments = parser.parse_args()
    skip_where_it_cannot_be()
    lib.start('rtph264depay', deadline=580)
    with tempfile.TemporaryDirectory(prefix='lmcc-web-', ignore_cleanup_errors=True) as directory:
        demo, url = start_demo(directory)
        browser = open_browser(directory + '/profile')
        try:
            browser.get(url)
            check_page(browser)
            check_buttons(browser)
            wrong = [entry for entry in browser.get_log('browser') if entry['level'] == 'SEVERE']
            lib.check(not wrong, 'the browser has nothing to complain of', *wrong)
            if arguments.screenshots:
                browser.save_screenshot(str(arguments.screenshots / 'page.png'))
        finally:
            browser.quit()
            demo.send_signal(signal.SIGKILL)
            demo.communicate()
        lib.check(lib.wait_until(lambda: not left_over(directory), PATIENCE, 0.2),
                  'nothing is left of a demonstration that was killed', *left_over(directory))
    lib.finish()


main()
