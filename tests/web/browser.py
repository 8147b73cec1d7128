#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests the demonstration's page in Chromium: its charts move, it decodes pictures of every receiver, and its
buttons work. The TCP button lowers the level of the receiver beside it and of no other, and that receiver
recovers. The page shows each level change within a second. Halving a link halves its rate. Finally the
demonstration is killed and must leave nothing behind."""
import bisect
import json
import threading
import time
from pathlib import Path

import page
from page import PATIENCE, cards, lib, press, wait_for

RECEIVERS = 3
BESIDE = 2

# RLC goes up again within seconds of the last loss, regardless of the round-trip time on a busy machine; ELM after a
# minute.
ALGORITHM, TOP = 'rlc', 3

LIT = 'return document.querySelectorAll("#tree .strand.lit").length'

# Makes the page record when it shows another level, by the clock that the receivers' processes use, too.
WATCH = '''window.shown = [];
document.querySelectorAll(".card").forEach((card, receiver) => {
  const badge = card.querySelector(".badge");
  new MutationObserver(() => {
    const level = Number(/level (\\d+) of/.exec(badge.textContent)?.[1] ?? -1);
    const last = window.shown.filter((each) => each.receiver === receiver).pop();
    if (last?.level !== level) window.shown.push({ receiver, level, unix: Date.now() / 1000 });
  }).observe(badge, { childList: true, characterData: true, subtree: true });
});'''

# Longest time in seconds from a receiver's level change until the page shows it; and how much earlier the page's clock,
# in whole milliseconds, may be.
SOON = 1.0
ROUNDING = 0.01

# In dB, for any of the film's encodings.
LEAST_PSNR, MOST_PSNR = 20, 60

# Shortest time in seconds with TCP; compared with an equal time before it.
BESIDE_TCP = 8


class Waits(threading.Thread):
    """Time that the page's thread was ready but had no processor, according to the kernel: a busy machine may delay
    it by seconds, which is not the page's fault."""

    INTERVAL = 0.05

    def __init__(self, directory):
        super().__init__(daemon=True)
        self.threads = [process / 'schedstat' for process in Path('/proc').glob('[0-9]*')
                        if self.is_page(process, directory)]
        self.times, self.waits = [], []
        self.start()

    @staticmethod
    def is_page(process, directory):
        try:
            line = (process / 'cmdline').read_bytes()
        except OSError:
            return False
        return b'--type=renderer' in line and str(directory).encode() in line

    def run(self):
        while True:
            try:
                waits = [int(thread.read_text().split()[1]) / 1e9 for thread in self.threads]
            except OSError:
                return
            # between() searches by times; values that belong to one are stored before it.
            self.waits.append(max(waits, default=0.0))
            self.times.append(time.time())
            time.sleep(self.INTERVAL)

    def between(self, begin, end):
        """The part of an interval that the thread waited."""
        first, last = (min(bisect.bisect(self.times, when), len(self.times) - 1) for when in (begin, end))
        return self.waits[last] - self.waits[first]


def told(directory, kind='level', key='to'):
    """Each level change with its time, as reported by the receiver: (index, level, s since 1970). Or another kind of
    event."""
    events = [json.loads(line) for line in (directory / 'events.jsonl').read_text().splitlines()]
    return [(int(event['receiver'].split()[1]) - 1, event[key], event['unix']) for event in events
            if event['event'] == kind]


def held_most(changes, receiver, since, until):
    """The level that the receiver had for the longest time."""
    spans = [(level, when) for index, level, when in changes if index == receiver and when < until]
    times = {}
    for (level, begin), (_, end) in zip(spans, spans[1:] + [(None, until)]):
        times[level] = times.get(level, 0) + max(0, end - max(begin, since))
    return max(times, key=times.get)


def check_page(browser):
    wait_for(browser, lambda all_: len(all_) == RECEIVERS and all(card['level'] >= 0 for card in all_),
             'three receivers have begun')
    browser.execute_script(WATCH)
    first = cards(browser)
    wait_for(browser, lambda all_: all(card['points'] > before['points'] + 3 for card, before in zip(all_, first)),
             'the charts move')
    wait_for(browser, lambda all_: all(card['pictures'] > 24 for card in all_),
             'a second of pictures of each receiver is decoded by the browser')
    lib.check(lib.wait_until(lambda: browser.execute_script(LIT) >= RECEIVERS + 1, PATIENCE),
              'the tree shows which groups flow')
    wait_for(browser, lambda all_: all_[BESIDE]['level'] == TOP, 'the third receiver holds all')
    wait_for(browser, lambda all_: all(LEAST_PSNR < card['psnr'] < MOST_PSNR for card in all_)
             and all_[0]['psnr'] < all_[BESIDE]['psnr'],
             'the pictures are compared with the film, and those of the best link are closest to it')


def check_tcp(browser, directory):
    waits = Waits(directory)
    begin = time.time()
    press(browser, BESIDE, 'tcp')
    wait_for(browser, lambda all_: 'bit/s' in all_[BESIDE]['tcp'] and all_[BESIDE]['level'] < TOP,
             'TCP lowers the third receiver')
    lib.check(all(card['tcp'] == 'none' for card in cards(browser)[:BESIDE]), 'TCP is beside no other')
    lib.wait_until(lambda: time.time() >= begin + BESIDE_TCP, PATIENCE)
    end = time.time()
    changes = told(directory)
    for receiver, fits, _ in told(directory, 'link', 'fits'):
        # A receiver that has just started may have tried more than its link carries.
        before = min(fits, held_most(changes, receiver, 2 * begin - end, begin))
        beside = held_most(changes, receiver, begin, end)
        if receiver != BESIDE:
            lib.check(beside >= before, f'receiver {receiver + 1}, without TCP, does not go down',
                      f'it held {before}, and {beside} while TCP was beside another', *changes)
    press(browser, BESIDE, 'tcp')
    wait_for(browser, lambda all_: all_[BESIDE]['tcp'] == 'none', 'TCP goes')
    check_comes_back(browser, directory, time.time())
    check_delay(browser, directory, begin, waits)


def check_comes_back(browser, directory, since):
    """It may keep the level for less time than between two looks at the page; the page's own record shows it."""
    def is_back():
        return any((each['receiver'], each['level']) == (BESIDE, TOP) and each['unix'] >= since
                   for each in browser.execute_script('return window.shown'))

    back = cards(browser)[BESIDE]['level'] == TOP or lib.wait_until(is_back, PATIENCE, 0.3)
    lib.check(back, 'and the third receiver comes back', *cards(browser), *last_events(directory, BESIDE, since))


def last_events(directory, receiver, since):
    """Reports of a receiver from a given time on, to explain its behaviour after a failure."""
    events = map(json.loads, (directory / 'events.jsonl').read_text().splitlines())
    return [json.dumps({**event, 'unix': round(event['unix'] - since, 3)}) for event in events
            if event.get('receiver') == f'receiver {receiver + 1}' and event['unix'] >= since]


def check_delay(browser, directory, since, waits):
    """Every change that a receiver reported from a given time on appeared on the page soon."""
    lib.wait_until(lambda: False, 2 * SOON)
    shown = browser.execute_script('return window.shown')
    changes = [change for change in told(directory) if change[2] >= since and change[2] < time.time() - SOON]
    down = next((when for receiver, level, when in changes if receiver == BESIDE and level < TOP), None)
    lib.check(down is not None, 'the third receiver told that it went down', *changes)
    delays = []
    for receiver, level, when in changes:
        after = [each['unix'] for each in shown
                 if (each['receiver'], each['level']) == (receiver, level) and each['unix'] >= when - ROUNDING]
        there = min(after, default=float('inf'))
        waited = waits.between(when, there)
        delays.append((there - when - waited, waited, receiver + 1, level))
    slowest = max(delays, default=(float('inf'),))
    lib.check(slowest[0] <= SOON, f'the page shows each of {len(delays)} changes of level within a second',
              f'the slowest (s, and s without a processor; receiver, level): {slowest}', *changes, *shown)
    lib.note(f'the slowest took {max(sum(delay[:2]) for delay in delays):.3f} s, {slowest[0]:.3f} s without the times '
             'that the page had no processor')


def check_buttons(browser):
    link = cards(browser)[1]['link']
    press(browser, 1, 'halve')
    wait_for(browser, lambda all_: all_[1]['link'] != link, 'a link is halved')
    press(browser, 1, 'halve')
    wait_for(browser, lambda all_: all_[1]['link'] == link, 'and whole again')
    press(browser, 0, 'stop')
    wait_for(browser, lambda all_: all_[0]['level'] == -1, 'a receiver stops')


def main():
    page.skip_where_it_cannot_be()
    lib.start('rtph264depay', deadline=580)
    with page.opened(ALGORITHM) as (browser, directory):
        check_page(browser)
        check_tcp(browser, directory)
        check_buttons(browser)
        wrong = [entry for entry in browser.get_log('browser') if entry['level'] == 'SEVERE']
        lib.check(not wrong, 'the browser has nothing to complain of', *wrong)
    lib.finish()


main()
