// lmcc: layered multicast congestion control
// SPDX-License-Identifier: LGPL-2.1-or-later

// The chart of a receiver's last minute: its rates as lines, and above them its levels as a coloured ribbon.

import { colour } from './tree.js';

const SHOWN_SECONDS = 60;
const TICKS = [60, 40, 20, 0];
// Upper limit of the axis, as a multiple of the highest value.
const ABOVE = 1.15;
const RIBBON = 14, RIBBON_GAP = 8;
// Minimum interval of descriptions for screen readers, in seconds.
const TOLD_EVERY = 5;

const RECEIVED = 1, FAIR = 3;

// Label, colour and style of each line.
const LINES = [
  ['link', '--link', { stepped: true, fill: 'origin', borderWidth: 1 }],
  ['received', '--received', { borderWidth: 2 }],
  ['TCP', '--tcp', {}],
  ['fair rate', '--fair', { borderDash: [4, 3] }],
];

const variable = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const megabits = (rate) => rate.toFixed(2);

// The values under the pointer.
const TOOLTIP = {
  filter: ({ parsed }) => !Number.isNaN(parsed.y),
  callbacks: {
    title: ([{ chart, parsed }]) => `${Math.round(chart.scales.x.max - parsed.x)} s ago`,
    label: ({ dataset, raw }) => `${dataset.label}: ${megabits(raw.whole ?? raw.y)} Mbit/s`,
  },
};

// Draws the levels over time, above the rates.
const ribbon = {
  id: 'ribbon',
  beforeInit(chart) {
    chart.levels = [];
  },
  afterDraw(chart) {
    const { ctx, chartArea: { left, right, top }, scales: { x }, levels } = chart;
    ctx.save();
    ctx.font = '11px system-ui, sans-serif';
    ctx.textBaseline = 'middle';
    ctx.textAlign = 'right';
    ctx.fillStyle = chart.options.color;
    const middle = top - RIBBON_GAP - RIBBON / 2;
    ctx.fillText('level', left - 6, middle);
    ctx.textAlign = 'center';
    levels.forEach(({ x: since, level, count }, i) => {
      const begin = Math.max(left, x.getPixelForValue(since));
      const end = i + 1 < levels.length ? x.getPixelForValue(levels[i + 1].x) : right;
      if (level < 0 || end <= begin) return;
      ctx.fillStyle = colour(level, count, 32);
      ctx.fillRect(begin, middle - RIBBON / 2, end - begin, RIBBON);
      ctx.fillStyle = '#fff';
      if (end - begin > 12) ctx.fillText(level, (begin + end) / 2, middle);
    });
    ctx.restore();
  },
};

export class Plot {
  constructor(canvas, key, name) {
    this.canvas = canvas;
    this.key = key;
    this.name = name;
    this.told = -Infinity;
    this.chart = new Chart(canvas, {
      type: 'line',
      data: { datasets: LINES.map(([label, colourOf, options]) => (
        { label, colourOf, data: [], borderWidth: 1.5, pointRadius: 0, ...options })) },
      plugins: [ribbon],
      options: {
        animation: false, parsing: false, normalized: true, responsive: true, maintainAspectRatio: false,
        interaction: { mode: 'index', intersect: false },
        layout: { padding: { top: RIBBON + RIBBON_GAP } },
        scales: {
          x: { type: 'linear', afterBuildTicks: (axis) => { axis.ticks = TICKS.map((ago) => ({ value: axis.max - ago })); },
               ticks: { maxRotation: 0, callback: (value, i) => (TICKS[i] ? `−${TICKS[i]} s` : 'now') } },
          y: { beginAtZero: true, ticks: { maxTicksLimit: 5, includeBounds: false },
               title: { display: true, text: 'Mbit/s' } },
        },
        plugins: { legend: { display: false }, tooltip: TOOLTIP },
      },
    });
    this.makeKey();
    this.paint();
  }

  makeKey() {
    this.key.replaceChildren(...LINES.map(([label, colourOf, { borderDash }]) => {
      const item = document.createElement('span');
      const mark = document.createElement('i');
      mark.style.borderTop = `2px ${borderDash ? 'dashed' : 'solid'} var(${colourOf})`;
      item.append(mark, label);
      return item;
    }));
  }

  paint() {
    const { chart } = this;
    for (const set of chart.data.datasets) {
      set.borderColor = variable(set.colourOf);
      set.backgroundColor = `${variable(set.colourOf)}22`;
    }
    chart.options.color = variable('--muted');
    for (const scale of Object.values(chart.options.scales)) {
      scale.grid = { ...scale.grid, color: variable('--line') };
      scale.ticks.color = variable('--muted');
      if (scale.title) scale.title.color = variable('--muted');
    }
    chart.update('none');
  }

  // Adds the state of the receiver at a time in s; `count` is the number of levels.
  add(data, time, count) {
    const { chart } = this;
    const values = [data.capacity / 1e6, data.rate / 1e6, data.tcp ? data.tcpRate / 1e6 : NaN,
      data.fair ? data.fair / 1e6 : NaN];
    const sets = chart.data.datasets;
    values.forEach((y, i) => {
      sets[i].data.push({ x: time, y });
      while (sets[i].data[0].x < time - SHOWN_SECONDS) sets[i].data.shift();
    });
    this.limit(sets);
    this.addLevel(data.level, count, time);
    Object.assign(chart.options.scales.x, { min: time - SHOWN_SECONDS, max: time });
    sets.forEach((set, i) => { this.key.children[i].hidden = set.data.every(({ y }) => Number.isNaN(y)); });
    this.describe(data, time);
    // The texts are updated at once; the chart is drawn at most once per screen refresh.
    this.drawing ||= requestAnimationFrame(() => {
      this.drawing = 0;
      chart.update('none');
    });
    return sets[RECEIVED].data.length;
  }

  // The fair rate may be far above all other rates. It is cut off, so that the other lines keep their height.
  limit(sets) {
    const highest = Math.max(...sets.slice(0, FAIR).flatMap((set) => set.data.map(({ y }) => y || 0)));
    const limit = ABOVE * (highest || 1);
    this.chart.options.scales.y.max = limit;
    sets[FAIR].data.at(-1).whole = sets[FAIR].data.at(-1).y;
    for (const point of sets[FAIR].data) point.y = Math.min(point.whole, limit);
  }

  addLevel(level, count, time) {
    const { levels } = this.chart;
    const last = levels.at(-1);
    if (last?.level !== level || last.count !== count) levels.push({ x: time, level, count });
    while (levels.length > 1 && levels[1].x < time - SHOWN_SECONDS) levels.shift();
  }

  // Describes the chart for screen readers.
  describe(data, time) {
    if (time < this.told + TOLD_EVERY) return;
    this.told = time;
    const received = this.chart.data.datasets[RECEIVED].data.map(({ y }) => y);
    const levels = this.chart.levels.map(({ level }) => level).filter((level) => level >= 0);
    this.canvas.setAttribute('aria-label', `Last minute of ${this.name}: received `
      + `${megabits(Math.min(...received))} to ${megabits(Math.max(...received))} Mbit/s, now ${megabits(data.rate / 1e6)}; `
      + `link ${megabits(data.capacity / 1e6)}; `
      + (data.tcp ? `competing TCP ${megabits(data.tcpRate / 1e6)}; ` : '')
      + (levels.length ? `levels ${Math.min(...levels)} to ${Math.max(...levels)}.` : 'no level yet.'));
  }

  destroy() {
    cancelAnimationFrame(this.drawing);
    this.chart.destroy();
  }
}
