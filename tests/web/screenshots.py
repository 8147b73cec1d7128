#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pictures of the demonstration's page from a run, at 1280 x 800 and as on a phone, light and dark, while TCP is beside
the third receiver.

Usage: screenshots.py DIRECTORY [--algorithm NAME[,NAME]] [--name NAME]
"""
import argparse
import shutil
import subprocess
import time
from pathlib import Path

import page
from page import PATIENCE, cards, lib, press

# Name of the picture, width, height, pixels of the screen to one of the page; a phone has a finger.
SCREENS = [('', 1280, 800, 1, False), ('-phone', 390, 844, 2, True)]

# Seconds until all have settled, and until TCP has its share.
SETTLED, WITH_TCP = 40, 14

# Until the page is laid out, and its charts are drawn.
DRAWN = 2.0


def take(browser, directory, name):
    for suffix, width, height, ratio, phone in SCREENS:
        browser.execute_cdp_cmd('Emulation.setDeviceMetricsOverride', {
            'width': width, 'height': height, 'deviceScaleFactor': ratio, 'mobile': phone})
        for scheme, ending in (('light', ''), ('dark', '-dark')):
            browser.execute_cdp_cmd('Emulation.setEmulatedMedia', {
                'features': [{'name': 'prefers-color-scheme', 'value': scheme}]})
            time.sleep(DRAWN)
            path = str(directory / f'{name}{suffix}{ending}.png')
            browser.save_screenshot(path)
            if shutil.which('convert'):
                # A third of the size.
                subprocess.run(['convert', path, '-colors', '256', f'PNG8:{path}'], check=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('directory', type=Path)
    parser.add_argument('--algorithm', default='elm')
    parser.add_argument('--name', default='demo-page')
    arguments = parser.parse_args()
    page.skip_where_it_cannot_be()
    lib.start('rtph264depay', deadline=300)
    with page.opened(arguments.algorithm) as (browser, _):
        lib.wait_until(lambda: all(card['level'] >= 0 for card in cards(browser) or [{'level': -1}]), PATIENCE)
        time.sleep(SETTLED)
        sessions = len(arguments.algorithm.split(','))
        for session in range(sessions):
            press(browser, len(cards(browser)) - 1 - session, 'tcp')
        time.sleep(WITH_TCP)
        take(browser, arguments.directory, arguments.name)
    lib.finish()


main()
