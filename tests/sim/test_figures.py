#!/usr/bin/python3
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks the figures of docs/reproduction in their SVG files: labels and units of axes, legends, curves with data."""
import copy
import itertools
import re
import struct
import unittest
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

PAGES = Path(__file__).resolve().parents[2] / 'docs/reproduction'
IMAGES = PAGES / 'images'
SVG = '{http://www.w3.org/2000/svg}'
HREF = '{http://www.w3.org/1999/xlink}href'
PNG_DPI = 80
PT_PER_INCH = 72
# Units, which follow the last comma of a label.
UNITS = {'s', 'ms', '1/s', 'kbit/s', 'Mbit/s', 'packets', 'packets/s', 'packets/RTT', 'kB/RTT', 'ms/s', '%'}
# Quantities without a unit: counts, ratios and probabilities, and numbers of a paper's formulas.
WITHOUT_UNIT = {
    'N, sessions and TCP flows each',
    'c',
    'feedback / base rate',
    'filter output times 65536',
    'layers',
    'link utilization',
    'loss events per packet',
    'loss events per round-trip time',
    'loss rate',
    'loss rate over 5 s',
    'loss-event rate',
    'loss-event rate, LAP',
    'loss-event rate, LIP',
    'n, sessions and TCP flows each',
    'packet loss rate',
    'receivers',
    'sequence number of the packet',
    'share of 10 Mbit/s used',
    'subscription level',
    'TCP connections',
    'throughput / even share',
    'throughput / fair share',
}
# For the width of lines and the rounding of coordinates.
TOLERANCE_PT = 1
# If the numbers cover less than this fraction of the axis, the scale hides the curves.
LEAST_SPREAD = 1 / 3
NUMBER = r'-?\d+(?:\.\d+)?(?:e-?\d+)?'


@dataclass(frozen=True)
class Look:
    """The look of a curve, by which it is told from others: a line and a marker of one colour, or an area."""
    colour: str
    line: str
    marker: str


@dataclass
class Box:
    left: float
    top: float
    right: float
    bottom: float

    def has(self, x, y, below=0.0):
        return (self.left - TOLERANCE_PT <= x <= self.right + TOLERANCE_PT
                and self.top - TOLERANCE_PT <= y <= self.bottom + TOLERANCE_PT + below)


def kind(element):
    """The identifier of an element without its number."""
    return re.sub(r'_?\d+$', '', element.get('id', ''))


def children(element, *kinds):
    return [child for child in element if kind(child) in kinds]


def text_of(element):
    return ' '.join(''.join(text.itertext()).strip() for text in element.iter(SVG + 'text')).strip()


def style(element):
    pairs = (each.split(':', 1) for each in element.get('style', '').split(';') if ':' in each)
    return {name.strip(): value.strip() for name, value in pairs}


def points(path):
    numbers = [float(each) for each in re.findall(NUMBER, path.get('d', ''))]
    return list(zip(numbers[::2], numbers[1::2]))


def paths(element):
    """The paths that are drawn, without the definitions of markers."""
    defined = {path for defs in element.iter(SVG + 'defs') for path in defs.iter(SVG + 'path')}
    return [path for path in element.iter(SVG + 'path') if path not in defined]


def uses(element):
    return list(element.iter(SVG + 'use'))


def vertices(element):
    """The points of the lines and the markers of a curve."""
    at_markers = [(float(use.get('x', 0)), float(use.get('y', 0))) for use in uses(element)]
    return [point for path in paths(element) for point in points(path)] + at_markers


def has_data(element):
    """A marker, or a line from one point to another."""
    return bool(uses(element)) or any(len(points(path)) > 1 for path in paths(element))


class Axes:
    def __init__(self, element, definitions):
        self.element = element
        self.name = element.get('id')
        self.definitions = definitions
        spines = [patch for patch in children(element, 'patch') if not self.is_area(patch) and self.is_stroked(patch)]
        corners = [point for patch in spines for point in vertices(patch)]
        self.box = Box(min(x for x, _ in corners), min(y for _, y in corners),
                       max(x for x, _ in corners), max(y for _, y in corners))

    @staticmethod
    def is_stroked(patch):
        return any('stroke' in style(path) for path in paths(patch))

    @staticmethod
    def is_area(patch):
        """Whether it is an area, not the background or an edge of the axes."""
        return any(style(path).get('fill', 'none') not in ('none', '#ffffff') for path in paths(patch))

    def title(self):
        return ' '.join(text_of(each) for each in children(self.element, 'text')).strip()

    def axis(self, direction):
        """The group of the x or the y axis; None if the axis is not shown."""
        return next((each for each in children(self.element, 'matplotlib.axis')
                     if children(each, f'{direction}tick')), None)

    def label(self, direction):
        axis = self.axis(direction)
        return '' if axis is None else ' '.join(text_of(each) for each in children(axis, 'text')).strip()

    def ticks(self, direction):
        axis = self.axis(direction)
        return [] if axis is None else [text for text in map(text_of, children(axis, f'{direction}tick')) if text]

    def spread(self, direction):
        """The distance from the first to the last number, relative to the axis."""
        found = [float(use.get(direction)) for tick in children(self.axis(direction), f'{direction}tick')
                 if text_of(tick) for use in uses(tick)]
        length = self.box.right - self.box.left if direction == 'x' else self.box.bottom - self.box.top
        return (max(found) - min(found)) / length

    def is_cap(self, line):
        """Whether it is the cap of an error bar: a marker that is one horizontal line, without a line."""
        return bool(uses(line)) and not paths(line) and all(
            len(found := points(self.definitions[use.get(HREF)[1:]])) == 2 and found[0][1] == found[1][1]
            for use in uses(line))

    def curves(self):
        """Lines and areas; not error bars and their caps."""
        return [each for each in children(self.element, 'line2d') if not self.is_cap(each)] + [
            each for each in children(self.element, 'patch') if self.is_area(each)]

    def bars(self):
        """Bars of errors or events, which are drawn as collections of lines."""
        return children(self.element, 'LineCollection')

    def unknown(self):
        known = ('patch', 'matplotlib.axis', 'line2d', 'LineCollection', 'text', 'legend')
        return [each.get('id') for each in self.element if kind(each) not in known]

    def look(self, *elements):
        """The look of a curve, or of the parts of a legend's entry."""
        colours, line, marker = [], '', ''
        for element in elements:
            for path in paths(element):
                found = style(path)
                if kind(element) == 'patch':
                    colours.append(found.get('fill'))
                    line = 'area'
                elif len(points(path)) > 1:
                    colours.append(found.get('stroke'))
                    line = 'dashed' if 'stroke-dasharray' in found else 'solid'
            for use in uses(element):
                colours.append(style(use).get('stroke', '#000000'))
                marker = use.get(HREF)
        return Look(colours[0] if colours else '', line, marker)

    def legend(self):
        """The look and the text of each entry."""
        entries, parts = [], []
        for legend in children(self.element, 'legend'):
            for part in list(legend)[1:]:
                if kind(part) != 'text':
                    parts.append(part)
                    continue
                drawn = [each for each in parts if kind(each) != 'LineCollection' and not self.is_cap(each)]
                entries.append((self.look(*(drawn or parts)), text_of(part)))
                parts = []
        return entries


def all_axes(root):
    definitions = {path.get('id'): path for defs in root.iter(SVG + 'defs') for path in defs.iter(SVG + 'path')}
    return [Axes(group, definitions) for group in root.iter(SVG + 'g') if kind(group) == 'axes']


def rows(axes, low, high):
    """Groups of axes whose boxes overlap in a direction: side by side, or one above another."""
    found = []
    for each in axes:
        row = next((row for row in found if getattr(row[0].box, low) < getattr(each.box, high)
                    and getattr(each.box, low) < getattr(row[0].box, high)), None)
        if row is None:
            found.append([each])
        else:
            row.append(each)
    return found


def label_problems(axes):
    """A row shares the label of the left-most y axis, a column that of the lowest x axis; the second y axes of a row
    share that of the right-most."""
    second = [each for before, each in itertools.combinations(axes, 2) if before.box == each.box]
    first = [each for each in axes if each not in second]
    for row in rows(first, 'top', 'bottom'):
        unlabelled = [each for each in row if not each.label('y')]
        left = min(row, key=lambda each: each.box.left)
        if left in unlabelled or 0 < len(unlabelled) < len(row) - 1:
            yield f'{unlabelled[0].name} has no y label'
    for column in rows(first, 'left', 'right'):
        lowest = max(column, key=lambda each: each.box.bottom)
        if not lowest.label('x'):
            yield f'{lowest.name} has no x label'
    for row in rows(second, 'top', 'bottom'):
        right = max(row, key=lambda each: each.box.right)
        if not right.label('y'):
            yield f'{right.name} has no y label'


def unit_problems(axes):
    for each in axes:
        for label in filter(None, (each.label('x'), each.label('y'))):
            quantity, _, unit = label.rpartition(', ')
            if label not in WITHOUT_UNIT and not (quantity and unit in UNITS):
                yield f'{each.name}: "{label}" is not "quantity, unit" with a unit of UNITS, and not in WITHOUT_UNIT'


def tick_problems(axes):
    for each in axes:
        for direction in 'xy':
            if each.axis(direction) is None:
                continue
            if len(each.ticks(direction)) < 2:
                yield f'{each.name} has fewer than two numbers on its {direction} axis'
            elif each.spread(direction) < LEAST_SPREAD:
                yield f'{each.name}: the numbers of its {direction} axis are in one corner'
        if each.axis('y') is None:
            yield f'{each.name} has no y axis'


def data_problems(axes):
    for each in axes:
        if not each.curves() + each.bars():
            yield f'{each.name} has no curve'
        for curve in each.curves() + each.bars():
            if not has_data(curve):
                yield f'{each.name}: {curve.get("id")} has no data'
        for unknown in each.unknown():
            yield f'{each.name}: {unknown} is of an unknown kind'


def box_problems(axes):
    """An error bar may end below the axes: a logarithmic scale has no zero, and no rate is negative."""
    for each in axes:
        for curves, below in ((each.curves(), 0), (each.bars(), float('inf'))):
            for curve in curves:
                outside = [point for point in vertices(curve) if not each.box.has(*point, below=below)]
                if outside:
                    yield f'{each.name}: {curve.get("id")} leaves the axes, at {outside[0]}'


def legend_problems(axes):
    entries = [entry for each in axes for entry in each.legend()]
    looks = {each.look(curve): each for each in axes for curve in each.curves() if has_data(curve)}
    if not entries:
        yield from (f'{each.name} has neither a legend nor a title that names its one curve' for each in axes
                    if len({each.look(curve) for curve in each.curves()}) > 1 or not each.title())
        return
    named = [look for look, _ in entries]
    bars = {style(path).get('stroke') for each in axes for bar in each.bars() for path in paths(bar)}
    colours = {look.colour for look in looks}
    for look, where in looks.items():
        if look not in named:
            yield f'{where.name}: no legend names the curve {look}'
    for colour in sorted(bars - colours - {look.colour for look in named}):
        yield f'no legend names the lines of colour {colour}'
    for look, text in entries:
        if not text:
            yield f'the legend\'s entry {look} is empty'
        if look not in looks and look.colour not in bars - colours:
            yield f'the legend\'s "{text}" is not drawn'
    for what in (named, [text for _, text in entries]):
        yield from (f'the legend has {each} {n} times' for each, n in Counter(what).items() if n > 1)


def problems(root):
    axes = all_axes(root)
    if not axes:
        return ['there are no axes']
    checks = (label_problems, unit_problems, tick_problems, data_problems, box_problems, legend_problems)
    return [problem for check in checks for problem in check(axes)]


def svg_size(path):
    root = ET.parse(path).getroot()
    return tuple(float(root.get(name).removesuffix('pt')) / PT_PER_INCH for name in ('width', 'height'))


def png_size(path):
    """The size in its first chunk, in inches."""
    return tuple(pixels / PNG_DPI for pixels in struct.unpack('>II', path.read_bytes()[16:24]))


def names(suffix):
    return sorted(path.stem for path in IMAGES.glob(f'*.{suffix}'))


class Pages(unittest.TestCase):
    def test_each_page_links_the_svg_under_each_png(self):
        for path in sorted(PAGES.glob('*.md')):
            paragraphs = path.read_text(encoding='utf-8').split('\n\n')
            for paragraph, caption in itertools.zip_longest(paragraphs, paragraphs[1:], fillvalue=''):
                for name in re.findall(r'!\[[^]]*\]\(images/([^)]*)\.png\)', paragraph):
                    with self.subTest(page=path.name, picture=name):
                        self.assertEqual(re.findall(r'\[SVG\]\(([^)]*)\)', caption), [f'images/{name}.svg'])

    def test_the_pages_show_each_picture_once_and_link_no_other(self):
        text = ''.join(path.read_text(encoding='utf-8') for path in sorted(PAGES.glob('*.md')))
        for suffix in ('png', 'svg'):
            with self.subTest(suffix=suffix):
                self.assertEqual(sorted(re.findall(rf'\(images/([^)]*)\.{suffix}\)', text)), names(suffix))

    def test_each_png_has_its_svg_of_the_same_size(self):
        self.assertEqual(names('png'), names('svg'))
        for name in names('svg'):
            with self.subTest(picture=name):
                for png, svg in zip(png_size(IMAGES / f'{name}.png'), svg_size(IMAGES / f'{name}.svg')):
                    self.assertAlmostEqual(png, svg, delta=1 / PNG_DPI)


class Figures(unittest.TestCase):
    def test_each_figure_has_axes_labels_units_a_legend_and_curves_with_data(self):
        self.assertTrue(names('svg'))
        for name in names('svg'):
            with self.subTest(figure=name):
                self.assertEqual(problems(ET.parse(IMAGES / f'{name}.svg').getroot()), [])


class Damaged(unittest.TestCase):
    """A figure without one of its parts fails."""

    def setUp(self):
        self.root = copy.deepcopy(ET.parse(IMAGES / 'thesis-3-paper.svg').getroot())
        self.first = all_axes(self.root)[0]

    def check(self, problem):
        self.assertIn(problem, ' '.join(problems(self.root)))

    def remove(self, parent, *kinds):
        for child in children(parent, *kinds):
            parent.remove(child)

    def test_without_a_label(self):
        for direction in 'xy':
            with self.subTest(direction=direction):
                self.remove(self.first.axis(direction), 'text')
                self.check(f'axes_1 has no {direction} label')

    def test_without_a_unit(self):
        for text in children(self.first.axis('x'), 'text')[0].iter(SVG + 'text'):
            text.text = 'time'
        self.check('axes_1: "time" is not')

    def test_without_numbers(self):
        for tick in children(self.first.axis('y'), 'ytick'):
            self.remove(tick, 'text')
        self.check('axes_1 has fewer than two numbers on its y axis')

    def test_with_all_numbers_in_one_corner(self):
        for tick in children(self.first.axis('y'), 'ytick'):
            for use in uses(tick):
                use.set('y', str(self.first.box.top))
        self.check('axes_1: the numbers of its y axis are in one corner')

    def test_without_a_legend(self):
        self.remove(self.first.element, 'legend')
        self.check('axes_1 has neither a legend nor a title')

    def test_without_an_entry_of_the_legend(self):
        legend, = children(self.first.element, 'legend')
        legend.remove(children(legend, 'line2d')[0])
        legend.remove(children(legend, 'text')[0])
        self.check('no legend names the curve')

    def test_with_an_empty_entry_of_the_legend(self):
        legend, = children(self.first.element, 'legend')
        for text in children(legend, 'text')[0].iter(SVG + 'text'):
            text.text = ''
        self.check('is empty')

    def test_with_an_entry_that_is_not_drawn(self):
        look = self.first.look(self.first.curves()[0])
        for axes in all_axes(self.root):
            for curve in axes.curves():
                if axes.look(curve) == look:
                    axes.element.remove(curve)
        self.check('is not drawn')

    def test_with_a_curve_without_data(self):
        curve = self.first.curves()[0]
        for path in paths(curve):
            path.set('d', '')
        self.check(f'axes_1: {curve.get("id")} has no data')

    def test_with_a_curve_beyond_the_axes(self):
        curve = self.first.curves()[0]
        for path in paths(curve):
            path.set('d', f'M {self.first.box.left} {self.first.box.top - 50} L {self.first.box.right} 100')
        self.check(f'axes_1: {curve.get("id")} leaves the axes')


if __name__ == '__main__':
    unittest.main(verbosity=2)
