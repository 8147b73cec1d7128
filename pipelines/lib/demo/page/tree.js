// lmcc: layered multicast congestion control
// SPDX-License-Identifier: LGPL-2.1-or-later

// The sender, the switch and the receivers, a strand for each group. A strand is lit where the switch's table has it.

const SVG = 'http://www.w3.org/2000/svg';

export function colour(index, count, lightness = 47) {
  const hue = count > 1 ? 25 + 200 * index / (count - 1) : 25;
  return `hsl(${hue} 75% ${lightness}%)`;
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

  host(x, y, width, text) {
    make('rect', { class: 'host', x: x - width / 2, y: y - 11, width, height: 22, rx: 6 }, this.svg);
    make('text', { x, y }, this.svg).textContent = text;
  }

  // One strand of a bundle from one place to another, as far beside its middle as `offset` says.
  strand(from, to, offset, stroke, kind, lit) {
    // Beside each other also where they are level.
    const middle = (from.y + to.y) / 2 - offset * Math.sign(to.x - from.x);
    const path = `M${from.x + offset} ${from.y} C${from.x + offset} ${middle} ${to.x + offset} ${middle} ${to.x + offset} ${to.y}`;
    const element = make('path', { class: `strand ${kind}`, d: path, stroke }, this.svg);
    this.strands.push({ element, lit });
  }

  // `groups` says how many each session has.
  build({ receivers, sessions }, groups) {
    const width = this.svg.clientWidth || 600;
    const height = this.svg.clientHeight || 132;
    const narrow = width < 600;
    this.svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
    this.svg.replaceChildren();
    this.strands = [];
    const most = Math.max(...groups);
    const step = Math.min(7, 48 / most, 0.5 * width / receivers.length / (most + 1));
    const sender = { x: width / 2, y: 12 };
    const place = { x: width / 2, y: height * 0.48 };
    // `of` picks those receivers of a state that this bundle goes to.
    const bundle = (from, to, count, of) => {
      for (let group = 0; group < count; group++) {
        this.strand(from, to, (group - count / 2) * step, colour(group, count), '',
          (state) => of(state).some((each) => each.groups.includes(group)));
      }
      this.strand(from, to, count / 2 * step, 'currentColor', 'tcp', (state) => of(state).some((each) => each.tcp));
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
    // Above all strands.
    receivers.forEach((receiver, i) => {
      const end = ends[i];
      const room = width / receivers.length - 6;
      this.host(end.x, end.y, narrow ? Math.min(88, room) : 104,
        room < 76 ? `${receiver.link + 1} ${sessions.length > 1 ? sessions[receiver.session].algorithm : ''}` : receiver.name);
    });
    this.host(sender.x, sender.y, 76, 'sender');
    this.host(place.x, place.y, 76, 'switch');
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
  }
}
