// lmcc: layered multicast congestion control
// SPDX-License-Identifier: LGPL-2.1-or-later

// The network: sender, switch and receivers, with a strand for each group. A strand is lit if the switch forwards the
// group, according to its table.

const SVG = 'http://www.w3.org/2000/svg';

// Height of a box, maximum width of a receiver's box, and margin of its text.
const BOX = 22, WIDEST = 170, MARGIN = 8;

const dark = matchMedia('(prefers-color-scheme: dark)');

// The colour of a level, layer or group: from teal to magenta, hues that nothing else on the page has.
export function colour(index, count, lightness = dark.matches ? 64 : 43) {
  const hue = count > 1 ? 185 + 130 * index / (count - 1) : 185;
  return `hsl(${hue} 72% ${lightness}%)`;
}

export function rateText(rate) {
  return rate >= 1e6 ? `${(rate / 1e6).toFixed(2)} Mbit/s` : `${(rate / 1e3).toFixed(0)} kbit/s`;
}

function make(name, attributes, parent) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  parent.append(element);
  return element;
}

export class Tree {
  constructor(svg) {
    this.svg = svg;
    this.shape = '';
    this.groups = [];
    this.strands = [];
  }

  // Draws a box with the first of the texts that fits.
  host(x, y, width, texts) {
    const box = make('g', {}, this.svg);
    make('title', {}, box).textContent = texts[0];
    make('rect', { class: 'host', x: x - width / 2, y: y - BOX / 2, width, height: BOX, rx: 6 }, box);
    const label = make('text', { x, y }, box);
    for (const text of texts) {
      label.textContent = text;
      if (label.getComputedTextLength() <= width - MARGIN) break;
    }
  }

  // Draws one strand of a bundle, `offset` beside the middle of the bundle; `spread` is the largest offset.
  strand(from, to, offset, spread, stroke, kind, lit) {
    // Keeps the strands apart where they run level, and between the boxes there.
    const free = (to.y - from.y) / 2 - BOX / 2 - MARGIN / 2;
    const middle = (from.y + to.y) / 2 - offset * Math.sign(to.x - from.x) * Math.min(1, free / spread);
    const path = `M${from.x + offset} ${from.y} C${from.x + offset} ${middle} ${to.x + offset} ${middle} ${to.x + offset} ${to.y}`;
    const element = make('path', { class: `strand ${kind}`, d: path, stroke }, this.svg);
    this.strands.push({ element, lit });
  }

  // `groups` has the number of groups of each session.
  build({ receivers, sessions }, groups) {
    const width = this.svg.clientWidth || 600;
    const height = this.svg.clientHeight || 132;
    this.svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
    this.svg.replaceChildren();
    this.strands = [];
    const most = Math.max(...groups);
    const step = Math.min(7, 48 / most, 0.5 * width / receivers.length / (most + 1));
    const sender = { x: width / 2, y: 12 };
    const place = { x: width / 2, y: height * 0.48 };
    // `of` selects the receivers of a state that this bundle leads to.
    const bundle = (from, to, count, of) => {
      const spread = count / 2 * step;
      for (let group = 0; group < count; group++) {
        this.strand(from, to, group * step - spread, spread, colour(group, count), '',
          (state) => of(state).some((each) => each.groups.includes(group)));
      }
      this.strand(from, to, spread, spread, 'currentColor', 'tcp', (state) => of(state).some((each) => each.tcp));
    };
    sessions.forEach((_, i) => {
      const shift = (i - (sessions.length - 1) / 2) * (most + 2) * step;
      bundle({ ...sender, x: sender.x + shift }, { ...place, x: place.x + shift }, groups[i],
        (state) => state.receivers.filter((each) => each.session === i));
    });
    const ends = receivers.map((_, i) => ({ x: width * (i + 0.5) / receivers.length, y: height - 12 }));
    receivers.forEach((receiver, i) => {
      bundle(place, ends[i], groups[receiver.session], (state) => [state.receivers[i]]);
    });
    // Boxes are drawn above all strands.
    receivers.forEach((receiver, i) => {
      const end = ends[i];
      const number = `${receiver.link + 1}`;
      this.host(end.x, end.y, Math.min(WIDEST, width / receivers.length - 6),
        [receiver.name, `${number} ${sessions[receiver.session].algorithm}`, number]);
    });
    this.host(sender.x, sender.y, 76, ['sender']);
    this.host(place.x, place.y, 76, ['switch']);
  }

  update(state) {
    const groups = state.sessions.map(({ layers }, i) => Math.max(layers.length,
      ...state.receivers.filter((each) => each.session === i).flatMap((each) => each.groups.map((group) => group + 1))));
    const shape = `${this.svg.clientWidth} ${this.svg.clientHeight} ${groups} ${state.receivers.map((each) => each.name)}`;
    if (shape !== this.shape) {
      this.shape = shape;
      this.groups = groups;
      this.build(state, groups);
    }
    for (const { element, lit } of this.strands) element.classList.toggle('lit', lit(state));
    this.describe(state);
  }

  // Describes the tree for screen readers.
  describe({ receivers }) {
    const parts = receivers.map(({ name, groups, tcp }) => `${name}: ${groups.length
      ? `groups ${groups.map((group) => group + 1).join(', ')}` : 'no group'}${tcp ? ' and TCP' : ''}`);
    const text = `Groups that the switch forwards: ${parts.join('; ')}.`;
    if (this.svg.getAttribute('aria-label') !== text) this.svg.setAttribute('aria-label', text);
  }
}
