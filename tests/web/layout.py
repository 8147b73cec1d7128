#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""How the demonstration's page is laid out in Chromium, with the widest words and numbers that there are: on narrow and
wide screens, light and dark, with three and with six receivers no box leaves its card, no text lies over another, none
is cut without a title, and all that can be pressed or seen has a name for those who do not see it.

Usage: layout.py [DIRECTORY], where the page's pictures are to be left.
"""
import sys
import time
from pathlib import Path

import page
import stage
from page import PATIENCE, lib

WIDTHS = ((320, 700), (390, 844), (1280, 800), (1920, 1080))

# More than the page keeps.
MOMENTS = 8

FAULTS = '''
const faults = [];
const name = (element) => `${element.tagName} .${element.getAttribute("class") ?? element.id} `
  + `"${element.textContent.trim().slice(0, 40)}"`;
const seen = (element) => element.checkVisibility() && element.getClientRects().length > 0;
const leaves = (inner, outer) => inner.left < outer.left - 1 || inner.right > outer.right + 1
  || inner.top < outer.top - 1 || inner.bottom > outer.bottom + 1;
const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;

if (document.documentElement.scrollWidth > innerWidth) faults.push("the page is wider than the screen");

function textsOf(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    const { parentElement: element } = walker.currentNode;
    if (!walker.currentNode.data.trim() || !seen(element)) continue;
    if (element.closest(".screen, option, title, .unseen")) continue;
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    for (const box of range.getClientRects()) found.push({ element, box });
  }
  return found;
}

for (const root of document.querySelectorAll("header, #intro, #network, .card")) {
  const outer = root.getBoundingClientRect();
  for (const element of root.querySelectorAll("*")) {
    if (!seen(element)) continue;
    if (!element.closest("g, path") && leaves(element.getBoundingClientRect(), outer)) {
      faults.push(`leaves its card: ${name(element)}`);
    }
    const cut = getComputedStyle(element).overflowX !== "visible"
      && (element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1);
    if (cut && element.textContent.trim() && !element.matches("svg, select") && !element.title) {
      faults.push(`is cut: ${name(element)}`);
    }
  }
  const texts = textsOf(root);
  texts.forEach(({ element, box }, i) => {
    if (leaves(box, outer)) faults.push(`text leaves its card: ${name(element)}`);
    for (const other of texts.slice(i + 1)) {
      if (meet(box, other.box)) faults.push(`text over text: ${name(element)}, ${name(other.element)}`);
    }
  });
}

const hosts = [...document.querySelectorAll("#tree rect.host")].map((box) => box.getBoundingClientRect());
document.querySelectorAll("#tree text").forEach((text, i) => {
  if (leaves(text.getBoundingClientRect(), hosts[i])) faults.push(`text leaves its box: ${name(text)}`);
  if (hosts.slice(i + 1).some((other) => meet(other, hosts[i]))) faults.push(`box over box: ${name(text)}`);
});

for (const element of document.querySelectorAll("button, [role=img], [tabindex], section, article")) {
  if (!element.getAttribute("aria-label") && !element.textContent.trim()) faults.push(`has no name: ${name(element)}`);
}
for (const element of document.querySelectorAll("select")) {
  if (!element.labels.length) faults.push(`has no label: ${name(element)}`);
}
return [...new Set(faults)];
'''

READY = '''return [...document.querySelectorAll(".card")].every((card) => Number(card.dataset.level) < 0
  || Number(card.dataset.pictures) > 0) && document.querySelectorAll(".card").length'''

LENSES = '''return [...document.querySelectorAll(".lens")].filter((lens) => lens.checkVisibility()).map((lens) => {
  const { data } = lens.getContext("2d").getImageData(0, 0, lens.width, lens.height);
  let sum = 0;
  for (let i = 0; i < data.length; i += 97) sum += data[i] * (i % 251);
  return { left: lens.style.left, top: lens.style.top, width: lens.width, sum };
})'''

KEY = 'document.querySelectorAll(".screen")[1].dispatchEvent(new KeyboardEvent("keydown", { key: arguments[0] }))'

BADGES = 'return [...document.querySelectorAll(".badge, .overlay")].map((each) => each.textContent)'


def moments(receivers, **fields):
    """States of some seconds, in which levels change."""
    return [stage.state([{**each, 'level': (each['level'] + i // 3) % 3 if each['level'] >= 0 else -1}
                         for each in receivers], time=100.0 + i, **fields) for i in range(MOMENTS)]


def casts():
    """What there is to see: (name, states)."""
    yield 'three', moments([stage.receiver(i) for i in range(3)])
    yield 'six', moments([stage.receiver(i) for i in range(6)])
    two = ('elm', 'synchronized')
    yield 'two', moments([stage.receiver(link, session, f'receiver {link + 1} {two[session]}')
                          for link in range(3) for session in range(2)], algorithms=two)
    nothing = {'level': -1, 'rate': 0, 'loss': None, 'rtt': None, 'groups': [], 'train': None, 'fair': None,
               'turn': None, 'psnr': None, 'change': None, 'capacity': 0, 'nominal': 0, 'tcp': False, 'tcpRate': 0}
    yield 'none', moments([stage.receiver(i, **nothing, phase=phase, running=phase == 'joins')
                           for i, phase in enumerate(('waits', 'joins', 'stopped'))], busy=True)


def check_cast(scene, name, states, directory):
    count = len(states[-1]['receivers'])
    scene.show(states)
    lib.check(lib.wait_until(lambda: scene.browser.execute_script(READY) == count, PATIENCE, 0.1),
              f'{name}: all receivers and their pictures are there', *scene.browser.get_log('browser'))
    for width, height in WIDTHS:
        for scheme in ('light', 'dark'):
            scene.set_screen(width, height, scheme)
            # Laid out by then; the faults are looked for after the tree and the charts were drawn.
            scene.browser.execute_async_script('requestAnimationFrame(() => requestAnimationFrame(arguments[0]))')
            faults = scene.browser.execute_script(FAULTS)
            lib.check(not faults, f'{name}, {width} pixels, {scheme}: all is in its place', *faults)
            if directory:
                # Of all of the page; its strands have come up by then.
                scene.set_screen(width, page.height_of(scene.browser), scheme)
                time.sleep(0.5)
                scene.browser.save_screenshot(str(directory / f'{name}-{width}-{scheme}.png'))


def check_magnifier(scene):
    scene.set_screen(1280, 800)
    scene.show(moments([stage.receiver(i) for i in range(3)]))
    lib.wait_until(lambda: scene.browser.execute_script(READY) == 3, PATIENCE, 0.1)

    def lenses():
        return scene.browser.execute_script(LENSES)

    def agree(all_):
        return len(all_) == 3 and len({(lens['left'], lens['top']) for lens in all_}) == 1

    first = lenses()
    lib.check(agree(first) and len({lens['sum'] for lens in first}) == 3 and all(lens['sum'] for lens in first),
              'each picture has a lens over the same spot, and shows its own encoding there', *first)
    page.point_at(scene.browser, 0.25, 0.4)
    moved = lenses()
    lib.check(agree(moved) and moved[0]['left'] != first[0]['left'] and moved[2]['sum'] != first[2]['sum'],
              'the pointer over one moves all of them', *moved)
    scene.browser.execute_script(KEY, 'ArrowRight')
    pressed = lenses()
    lib.check(agree(pressed) and pressed[0]['left'] != moved[0]['left'], 'and so does an arrow key', *pressed)
    scene.browser.execute_script(KEY, '+')
    lib.check(lenses()[0]['sum'] != pressed[0]['sum'], '+ makes it larger')
    scene.browser.execute_script('document.getElementById("magnify").click()')
    lib.check(not lenses(), 'the button takes them away')


def check_phases(scene):
    scene.show(dict(casts())['none'])
    lib.wait_until(lambda: scene.browser.execute_script(READY) == 3, PATIENCE, 0.1)
    texts = scene.browser.execute_script(BADGES)
    lib.check(texts == ['waits', 'Waits for the sender …', 'joins', 'Joins …', 'stopped', 'Stopped'],
              'who waits or joins is not called stopped', *texts)


def main():
    page.skip_without_browser()
    lib.start('rtph264depay', deadline=280)
    directory = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    with stage.opened() as scene:
        for name, states in casts():
            check_cast(scene, name, states, directory)
        check_phases(scene)
        check_magnifier(scene)
        wrong = [entry for entry in scene.browser.get_log('browser') if entry['level'] == 'SEVERE']
        lib.check(not wrong, 'the browser has nothing to complain of', *wrong)
    lib.finish()


main()
