#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests the layout of the demonstration's page in Chromium with its longest texts and numbers: on narrow and wide
screens, light and dark, with three and with six receivers. No box leaves its card, no text overlaps another or
the charts, shortened texts have a title, and all controls and pictures have a name for screen readers. Pictures
grow with the screen, each meaning has one colour, and README.md shows the page as it is.

Usage: layout.py [DIRECTORY]; with DIRECTORY, saves pictures of the page there.
"""
import base64
import itertools
import math
import re
import sys
import time
from pathlib import Path

import page
import stage
from page import PATIENCE, lib

WIDTHS = ((320, 700), (390, 844), (1280, 800), (1920, 1080))

ROOT = Path(__file__).resolve().parents[2]

# Share of the screen's width: of one picture on a phone, and of three side by side; and the growth of a picture from
# 1280 to 1920 pixels.
SHARE_OF_PHONE, SHARE_OF_THREE, GROWTH = 0.85, 0.88, 1.45

# Smallest distance of two colours in L*a*b* that a reader notices when comparing a line with a badge.
APART = 15

# Tolerances: of colours (out of 255), and of the page's height, because texts differ in length between runs.
JPEG_ERROR, HEIGHT_ERROR = 6, 0.03

# More than the page keeps.
MOMENTS = 8

# Records the texts drawn on each canvas since it was cleared, with their boxes in pixels.
RECORD_TEXTS = '''
window.drawnTexts = new Map();
const { clearRect, fillText } = CanvasRenderingContext2D.prototype;
Object.assign(CanvasRenderingContext2D.prototype, {
  clearRect(x, y, width, height) {
    if (x <= 0 && y <= 0 && width >= this.canvas.width && height >= this.canvas.height) drawnTexts.set(this.canvas, []);
    return clearRect.call(this, x, y, width, height);
  },
  fillText(text, x, y, ...rest) {
    const { actualBoundingBoxLeft, actualBoundingBoxRight, actualBoundingBoxAscent, actualBoundingBoxDescent } =
      this.measureText(text);
    const corners = [x - actualBoundingBoxLeft, x + actualBoundingBoxRight].flatMap((cornerX) =>
      [y - actualBoundingBoxAscent, y + actualBoundingBoxDescent].map((cornerY) =>
        this.getTransform().transformPoint(new DOMPoint(cornerX, cornerY))));
    const xs = corners.map((corner) => corner.x), ys = corners.map((corner) => corner.y);
    drawnTexts.get(this.canvas)?.push({ text: `${text}`, box: { left: Math.min(...xs), right: Math.max(...xs),
      top: Math.min(...ys), bottom: Math.max(...ys) } });
    return fillText.call(this, text, x, y, ...rest);
  },
});
'''

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

for (const canvas of document.querySelectorAll(".chart canvas")) {
  const texts = drawnTexts.get(canvas) ?? [];
  const outer = { left: 0, top: 0, right: canvas.width, bottom: canvas.height };
  for (const text of ["level", "Mbit/s", "now", "0"]) {
    if (!texts.some((drawn) => drawn.text === text)) faults.push(`a chart does not say "${text}"`);
  }
  if (Math.abs(canvas.clientWidth - canvas.parentElement.clientWidth) > 1) faults.push("a chart has another width");
  texts.forEach(({ text, box }, i) => {
    if (leaves(box, outer)) faults.push(`is cut on a chart: "${text}"`);
    for (const other of texts.slice(i + 1)) {
      if (meet(box, other.box)) faults.push(`text over text on a chart: "${text}", "${other.text}"`);
    }
  });
}

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

SCREENS = '''return [...document.querySelectorAll(".screen")].map((screen) => {
  const { left, right, width, height } = screen.getBoundingClientRect();
  return { left, right, width, height };
})'''

# The meaning of each colour in the page's data, in L*a*b* (D65); the colours of levels come from the page's own code.
COLOURS = '''
const done = arguments[0];
const probe = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
const linear = (value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
const curve = (value) => (value > 216 / 24389 ? Math.cbrt(value) : (24389 / 27 * value + 16) / 116);
function lab(colour) {
  probe.fillStyle = colour;
  probe.fillRect(0, 0, 1, 1);
  const [r, g, b] = [...probe.getImageData(0, 0, 1, 1).data].map((each) => linear(each / 255));
  const x = curve((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505), y = curve(0.2126 * r + 0.7152 * g + 0.0722 * b);
  const z = curve((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}
const root = getComputedStyle(document.documentElement);
import("/tree.js").then(({ colour }) => {
  const colours = {};
  for (const name of ["link", "received", "tcp", "fair", "bad", "idle"]) {
    colours[name] = lab(root.getPropertyValue(`--${name}`).trim());
  }
  for (let level = 0; level < 3; level++) colours[`level ${level}`] = lab(colour(level, 3));
  done(colours);
}, (error) => done({ failed: String(error) }));
'''

# Places that show TCP and a receiver's rate: [meaning, its colour, the property with the expected colour].
SAME_COLOURS = '''
const root = getComputedStyle(document.documentElement);
const resolve = (text) => {
  const probe = document.body.appendChild(document.createElement("i"));
  probe.style.color = text;
  const shown = getComputedStyle(probe).color;
  probe.remove();
  return shown;
};
const lines = [...document.querySelectorAll(".card .key")[0].children].map((item) => [
  `the line ${item.textContent}`, getComputedStyle(item.firstChild).borderTopColor, item.textContent]);
const properties = { link: "--link", received: "--received", TCP: "--tcp", "fair rate": "--fair" };
return [...lines.map(([what, colour, text]) => [what, colour, properties[text]]),
  ["a strand of TCP", getComputedStyle(document.querySelector("#tree .strand.tcp")).stroke, "--tcp"],
  ["TCP's button", getComputedStyle(document.querySelector("button.tcp.on")).color, "--tcp"],
].map(([what, colour, name]) => [what, colour, resolve(root.getPropertyValue(name).trim())]);
'''

# The size of a picture and the colour of its corner. `arguments[0]` has its bytes in base64, because the page may load
# no image from elsewhere.
PICTURE = '''
const [bytes, done] = arguments;
createImageBitmap(new Blob([Uint8Array.from(atob(bytes), (each) => each.charCodeAt(0))])).then((image) => {
  const context = document.createElement("canvas").getContext("2d");
  context.drawImage(image, 0, 0);
  done({ width: image.width, height: image.height, corner: [...context.getImageData(2, 2, 1, 1).data].slice(0, 3),
    page: getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number) });
}, () => done({}));
'''

BADGES = 'return [...document.querySelectorAll(".badge, .overlay")].map((each) => each.textContent)'


def moments(receivers, **fields):
    """States over some seconds with changing levels."""
    return [stage.state([{**each, 'level': (each['level'] + i // 3) % 3 if each['level'] >= 0 else -1}
                         for each in receivers], time=100.0 + i, **fields) for i in range(MOMENTS)]


def casts():
    """All scenes: (name, states)."""
    yield 'three', moments([stage.receiver(i) for i in range(3)])
    yield 'six', moments([stage.receiver(i) for i in range(6)])
    two = ('elm', 'synchronized')
    yield 'two', moments([stage.receiver(link, session, f'receiver {link + 1} {two[session]}')
                          for link in range(3) for session in range(2)], algorithms=two)
    nothing = {'level': -1, 'rate': 0, 'loss': None, 'rtt': None, 'groups': [], 'train': None, 'fair': None,
               'turn': None, 'psnr': None, 'change': None, 'capacity': 0, 'nominal': 0, 'tcp': False, 'tcpRate': 0}
    yield 'none', moments([stage.receiver(i, **nothing, phase=phase, running=phase == 'joining')
                           for i, phase in enumerate(('waiting', 'joining', 'stopped'))], busy=True)


def check_cast(scene, name, states, directory):
    count = len(states[-1]['receivers'])
    scene.show(states)
    lib.check(lib.wait_until(lambda: scene.browser.execute_script(READY) == count, PATIENCE, 0.1),
              f'{name}: all receivers and their pictures are there', *scene.browser.get_log('browser'))
    for width, height in WIDTHS:
        for scheme in ('light', 'dark'):
            scene.set_screen(width, height, scheme)
            # By then the layout is finished; faults are searched for after the tree and the charts are drawn.
            scene.browser.execute_async_script('requestAnimationFrame(() => requestAnimationFrame(arguments[0]))')
            faults = scene.browser.execute_script(FAULTS)
            lib.check(not faults, f'{name}, {width} pixels, {scheme}: all is in its place', *faults)
            if directory:
                # The whole page; the lines of the tree have been drawn by then.
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
    lib.check(texts == ['waiting', 'Waiting for the sender …', 'joining', 'Joining …', 'stopped', 'Stopped'],
              'a receiver that waits or joins is not called stopped', *texts)


def check_sizes(scene):
    """Three pictures side by side grow with the screen."""
    scene.show(moments([stage.receiver(i) for i in range(3)]))
    lib.wait_until(lambda: scene.browser.execute_script(READY) == 3, PATIENCE, 0.1)
    found = {}
    for width, height in WIDTHS:
        scene.set_screen(width, height)
        found[width] = scene.browser.execute_script(SCREENS)
    lib.check(all(abs(each['width'] * 9 - each['height'] * 16) < 16 for all_ in found.values() for each in all_),
              'pictures have the shape of the film', *found.items())
    lib.check(all(each['width'] >= SHARE_OF_PHONE * width for width in (320, 390) for each in found[width]),
              'on a phone a picture is nearly as wide as the screen', *found.items())
    for width in (1280, 1920):
        lib.check(sum(each['width'] for each in found[width]) >= SHARE_OF_THREE * width,
                  f'on {width} pixels three pictures take most of the width', *found[width])
    lib.check(all(wide['width'] >= GROWTH * narrow['width'] for narrow, wide in zip(found[1280], found[1920])),
              'pictures are larger on a wide screen', *found.items())


def check_colours(scene):
    """In the lines, on the badges and in the tree."""
    for scheme in ('light', 'dark'):
        scene.set_screen(1280, 800, scheme)
        colours = scene.browser.execute_async_script(COLOURS)
        near = [(one, other, round(math.dist(colours[one], colours[other])))
                for one, other in itertools.combinations(colours, 2)
                if math.dist(colours[one], colours[other]) < APART]
        lib.check(len(colours) == 9 and not near, f'{scheme}: no two meanings have one colour', *near or [colours])
        shown = scene.browser.execute_script(SAME_COLOURS)
        lib.check(len(shown) == 6 and all(colour == meant for _, colour, meant in shown),
                  f'{scheme}: a meaning has one colour wherever it is', *shown)


def check_readme(scene):
    """The README's first picture is this page in light colours, taken by screenshots.py."""
    first = re.search(r'!\[[^]]*\]\(([^)]+)\)', (ROOT / 'README.md').read_text(encoding='utf-8'))
    path = ROOT / (first.group(1) if first else '')
    if not lib.check(path.is_file(), 'the first picture of README.md is there', path):
        return
    scene.set_screen(1280, 800)
    found = scene.browser.execute_async_script(PICTURE, base64.b64encode(path.read_bytes()).decode())
    lib.check(found.get('width') == 1280
              and all(abs(a - b) <= JPEG_ERROR for a, b in zip(found['corner'], found['page'])),
              'it is a picture of this page, light, 1280 pixels wide', found)
    height = page.height_of(scene.browser)
    lib.check(abs(found.get('height', 0) - height) <= HEIGHT_ERROR * height,
              'it is as high as the page: screenshots.py takes it again', found, height)


def main():
    page.skip_without_browser()
    lib.start('rtph264depay', deadline=280)
    directory = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    with stage.opened() as scene:
        scene.browser.execute_cdp_cmd('Page.addScriptToEvaluateOnNewDocument', {'source': RECORD_TEXTS})
        for name, states in casts():
            check_cast(scene, name, states, directory)
        check_phases(scene)
        check_magnifier(scene)
        check_sizes(scene)
        check_colours(scene)
        check_readme(scene)
        wrong = [entry for entry in scene.browser.get_log('browser') if entry['level'] == 'SEVERE']
        lib.check(not wrong, 'the browser has nothing to complain of', *wrong)
    lib.finish()


main()
