#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Takes pictures of the demonstration's page during a run, light and dark: of the whole page on a wide screen, and
of a phone's first screen. In the minute before, TCP has run beside the third receiver; each receiver is at the
level that its link carries.

Usage: screenshots.py DIRECTORY [--algorithm NAME[,NAME]] [--name NAME] [--receivers N]
"""
import argparse
import base64
import time
from pathlib import Path

import page
from page import PATIENCE, cards, lib, press

# Name of the picture, width and height of the screen, screen pixels per page pixel, whether it is a phone. Without a
# height, the picture shows the whole page.
SCREENS = [('', 1280, None, 1, False), ('-phone', 390, 844, 2, True)]

# Quality of the JPEG files: with the 256 colours of a smaller PNG, the encodings would look alike.
QUALITY = 90

# Seconds until all receivers have settled, of TCP traffic, and the shortest time until the third receiver is back.
SETTLED, WITH_TCP, BACK = 15, 14, 12

# Smallest difference in dB between the pictures of consecutive receivers, and the largest PSNR of the best one: where
# the film has much detail, there is more to see.
APART, DETAILED = 1.5, 37.0

# The magnified part, in fractions of the picture: not the middle, where the film has its title.
SPOT = 0.35, 0.64

# Until the page is laid out and its charts are drawn.
DRAWN = 2.0


def is_worth_it(all_):
    """Whether each receiver of one session has a different level."""
    pairs = list(zip(all_[:2], all_[1:3]))
    return all_[2]['psnr'] < DETAILED and all(one['level'] < other['level'] and one['psnr'] + APART < other['psnr']
                                              for one, other in pairs)


def take(browser, directory, name, good):
    browser.execute_cdp_cmd('Emulation.setScrollbarsHidden', {'hidden': True})
    for suffix, width, height, ratio, phone in SCREENS:
        browser.execute_cdp_cmd('Emulation.setDeviceMetricsOverride', {
            'width': width, 'height': height or page.height_of(browser), 'deviceScaleFactor': ratio, 'mobile': phone})
        for scheme, ending in (('light', ''), ('dark', '-dark')):
            browser.execute_cdp_cmd('Emulation.setEmulatedMedia', {
                'features': [{'name': 'prefers-color-scheme', 'value': scheme}]})
            page.point_at(browser, *SPOT)
            time.sleep(DRAWN)
            lib.wait_until(lambda: good(cards(browser)), PATIENCE)
            taken = browser.execute_cdp_cmd('Page.captureScreenshot', {'format': 'jpeg', 'quality': QUALITY})
            (directory / f'{name}{suffix}{ending}.jpg').write_bytes(base64.b64decode(taken['data']))


def add_receivers(browser, number):
    while len(cards(browser)) < number:
        before = len(cards(browser))
        browser.execute_script('document.getElementById("add").click()')
        lib.wait_until(lambda: len(cards(browser)) > before, PATIENCE)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('directory', type=Path)
    parser.add_argument('--algorithm', default='plumb')
    parser.add_argument('--name', default='demo-page')
    parser.add_argument('--receivers', type=int, default=3)
    arguments = parser.parse_args()
    page.skip_where_it_cannot_be()
    lib.start('rtph264depay', deadline=300)
    sessions = len(arguments.algorithm.split(','))
    with page.opened(arguments.algorithm) as (browser, _):
        lib.wait_until(lambda: all(card['level'] >= 0 for card in cards(browser) or [{'level': -1}]), PATIENCE)
        if sessions == 1:
            add_receivers(browser, arguments.receivers)
        time.sleep(SETTLED)
        for seconds in (WITH_TCP, BACK):
            for session in range(sessions):
                press(browser, 3 * sessions - 1 - session, 'tcp')
            time.sleep(seconds)
        take(browser, arguments.directory, arguments.name, is_worth_it if sessions == 1 else lambda _: True)
    lib.finish()


main()
