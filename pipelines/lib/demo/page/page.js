// lmcc: layered multicast congestion control
// SPDX-License-Identifier: LGPL-2.1-or-later

// What the server tells, as cards, charts and a tree; what people press, as actions.

import { Pictures, canDecode } from './pictures.js';
import { Tree, colour } from './tree.js';

const SHOWN_SECONDS = 60;
const SMALL_CHART = 130;
// Datasets that are rates of the link, and room above the highest of them.
const RATES = 4, ABOVE = 1.2;
const KEY = 1, SHOWN = 2, HEADER = 4;

const $ = (id) => document.getElementById(id);
const tree = new Tree($('tree'));
const cards = [];
let socket = null;
let state = null;

function act(action, fields = {}) {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ action, ...fields }));
}

function notice(text) {
  $('notice').textContent = text;
  $('notice').hidden = false;
  clearTimeout(notice.timer);
  notice.timer = setTimeout(() => { $('notice').hidden = true; }, 5000);
}

const variable = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function rateText(rate) {
  return rate >= 1e6 ? `${(rate / 1e6).toFixed(2)} Mbit/s` : `${(rate / 1e3).toFixed(0)} kbit/s`;
}

function makeChart(canvas) {
  const line = (label, options) => ({ label, data: [], borderWidth: 1.5, pointRadius: 0, ...options });
  const chart = new Chart(canvas, {
    type: 'line',
    data: { datasets: [
      line('layers held', { stepped: true, colourOf: '--held', borderWidth: 2 }),
      line('received', { colourOf: '--received' }),
      line('TCP', { colourOf: '--tcp' }),
      line('link', { stepped: true, colourOf: '--link', fill: 'origin' }),
      line('fair rate', { colourOf: '--fair', borderDash: [4, 3] }),
      line('level', { stepped: true, colourOf: '--level', yAxisID: 'level', borderWidth: 2 }),
    ] },
    options: {
      animation: false, parsing: false, normalized: true, responsive: true, maintainAspectRatio: false,
      interaction: { mode: 'nearest', axis: 'x', intersect: false },
      scales: {
        x: { type: 'linear', ticks: { maxTicksLimit: 7, callback: (value) => `${Math.round(value)} s` } },
        y: { beginAtZero: true, stack: 'all', stackWeight: 3, ticks: { maxTicksLimit: 5, includeBounds: false },
             title: { display: true, text: 'Mbit/s' } },
        level: { axis: 'y', position: 'left', min: 0, stack: 'all', stackWeight: 1, offset: true,
                 ticks: { precision: 0, maxTicksLimit: 3 }, title: { display: true, text: 'level' } },
      },
      plugins: { legend: { labels: { boxWidth: 12, boxHeight: 2, padding: 6, font: { size: 11 },
                                     filter: (item) => !item.hidden } } },
    },
  });
  paintChart(chart);
  return chart;
}

function paintChart(chart) {
  for (const set of chart.data.datasets) {
    set.borderColor = variable(set.colourOf);
    set.backgroundColor = set.fill ? `${variable(set.colourOf)}22` : variable(set.colourOf);
  }
  chart.options.color = variable('--text');
  for (const scale of Object.values(chart.options.scales)) {
    scale.grid = { ...scale.grid, color: variable('--line') };
    scale.ticks.color = variable('--muted');
    if (scale.title) scale.title.color = variable('--muted');
  }
  chart.update('none');
}

class Card {
  constructor(index) {
    this.index = index;
    this.root = $('card').content.cloneNode(true).firstElementChild;
    this.root.dataset.receiver = index;
    $('receivers').append(this.root);
    this.pictures = new Pictures(this.find('.screen canvas'), (count) => { this.find('.pictures').textContent = count; });
    this.chart = makeChart(this.find('.chart canvas'));
    this.find('button.tcp').onclick = () => act('tcp', { receiver: index, on: !this.data.tcp });
    this.find('button.halve').onclick = () => act('link', { receiver: index, share: this.halved ? 'whole' : 'half' });
    this.find('button.stop').onclick = () => act('receiver', { receiver: index, on: !this.data.running });
  }

  find(selector) {
    return this.root.querySelector(selector);
  }

  get halved() {
    return this.data.capacity < 0.75 * this.data.nominal;
  }

  update(data, whole) {
    this.data = data;
    const levels = whole.sessions[data.session].levels.length;
    this.root.dataset.session = data.session;
    this.root.dataset.level = data.level;
    this.root.dataset.rate = data.rate;
    this.find('.name').textContent = data.name;
    const badge = this.find('.badge');
    badge.textContent = data.level >= 0 ? `level ${data.level} of ${levels - 1}` : data.running ? 'joins' : 'stopped';
    badge.style.background = data.level >= 0 ? colour(data.level, levels, 32) : '#6b7280';
    this.find('.rate').textContent = rateText(data.rate);
    this.find('.link').textContent = rateText(data.capacity);
    this.find('.tcp-rate').textContent = data.tcp ? rateText(data.tcpRate) : 'none';
    this.find('.loss').textContent = data.loss === null ? '–' : `${(100 * data.loss).toFixed(1)} %`;
    this.find('.rtt').textContent = !data.rtt ? '–' : `${Math.round(1000 * data.rtt)} ms`;
    this.find('.reason').textContent = data.reason ? `Last change: ${data.reason}` : '';
    this.find('.reason').title = data.reason;
    this.find('.overlay').textContent = !data.running ? 'stopped' : canDecode ? ''
      : 'No pictures: browsers decode them (WebCodecs) only on pages from this machine or by https.';
    const tcp = this.find('button.tcp');
    tcp.textContent = data.tcp ? 'Stop TCP' : 'Start TCP';
    tcp.setAttribute('aria-pressed', data.tcp);
    tcp.disabled = !whole.hasTcp || whole.busy || !data.running;
    this.find('button.halve').textContent = this.halved ? 'Restore the link' : 'Halve the link';
    this.find('button.halve').disabled = whole.busy;
    const stop = this.find('button.stop');
    stop.textContent = data.running ? 'Stop' : 'Start';
    stop.disabled = whole.measured || whole.busy;
    this.showFairness(data);
    this.plot(data, whole.time, levels);
  }

  // What only some algorithms have, once they know it.
  showFairness({ fair, train, turn }) {
    const show = (name, term, text) => {
      const item = this.find(`dl .${name}`);
      item.hidden = !text;
      item.firstElementChild.textContent = term;
      item.lastElementChild.textContent = text ?? '';
    };
    show('fair', 'fair rate', fair && rateText(fair));
    show('train', 'train', train);
    show('turn', turn && `level ${turn.upper} for`, turn && `${Math.round(100 * turn.share)} %`);
    this.find('dl .turn').title = turn
      ? `of the time; the present turn ends in ${Math.round(turn.left)} s` : '';
  }

  plot(data, time, levels) {
    const values = [data.held / 1e6, data.rate / 1e6, data.tcp ? data.tcpRate / 1e6 : 0, data.capacity / 1e6,
      data.fair ? data.fair / 1e6 : NaN, Math.max(0, data.level)];
    const sets = this.chart.data.datasets;
    const fair = sets[RATES];
    values.forEach((y, i) => {
      sets[i].data.push({ x: time, y });
      while (sets[i].data[0].x < time - SHOWN_SECONDS) sets[i].data.shift();
    });
    const scales = this.chart.options.scales;
    // A fair rate far above all that is there would make it small, or lie over the levels: it is cut off.
    scales.y.max = ABOVE * Math.max(...sets.slice(0, RATES).flatMap((set) => set.data.map((point) => point.y)));
    fair.data.at(-1).whole = values[RATES];
    fair.data.forEach((point) => { point.y = Math.min(point.whole, scales.y.max); });
    // In a small chart the layers held say it.
    const small = this.chart.height < SMALL_CHART;
    scales.level.display = !small;
    sets[sets.length - 1].hidden = small;
    fair.hidden = fair.data.every(({ y }) => Number.isNaN(y));
    scales.x.min = Math.max(0, time - SHOWN_SECONDS);
    scales.x.max = Math.max(SHOWN_SECONDS, time);
    scales.level.max = Math.max(1, levels - 1);
    this.root.dataset.points = sets[0].data.length;
    // What can be read is there first, and is not drawn more often than the screen is.
    if (this.drawing) return;
    this.drawing = requestAnimationFrame(() => {
      this.drawing = 0;
      this.chart.update('none');
    });
  }
}

// What the colours of a session's strands stand for.
function legendOf({ layers, levels }, groups) {
  const count = layers.length;
  if (groups > count) return [`${groups} groups take turns in carrying ${count} layers`];
  return levels.map((level, i) => {
    const item = document.createElement('span');
    const mark = document.createElement('i');
    mark.style.background = colour(Math.max(...level.layers), count);
    item.append(mark, levels.length > 4 ? `${i}` : `level ${i}: ${rateText(level.bitrate)}`);
    return item;
  });
}

function showLegend() {
  const { sessions } = state;
  const alike = sessions.every(({ layers }, i) => layers.length === sessions[0].layers.length
    && tree.groups[i] === tree.groups[0]);
  const parts = alike ? legendOf(sessions[0], tree.groups[0])
    : sessions.flatMap((session, i) => [`${session.algorithm}:`, ...legendOf(session, tree.groups[i])]);
  parts.push(state.network ? 'lit: the switch sends the group there, by its own table (bridge mdb)'
    : 'loopback: lit is what each receiver holds');
  // Each beside the other, words too.
  $('legend').replaceChildren(...parts.map((part) => {
    const item = document.createElement('span');
    item.append(part);
    return item;
  }));
}

// Another run has another time, and receivers of its own.
function forget() {
  for (const card of cards.splice(0)) {
    cancelAnimationFrame(card.drawing);
    card.chart.destroy();
    card.root.remove();
  }
}

function makeChoice(session) {
  const select = document.createElement('select');
  select.replaceChildren(...state.algorithms.map((name) => new Option(name, name)));
  select.onchange = () => { act('algorithm', { session, name: select.value }); select.blur(); };
  const label = document.createElement('label');
  label.append(session ? 'beside ' : 'Algorithm ', select);
  return label;
}

// One choice for each session.
function showAlgorithms() {
  const { sessions } = state;
  if ($('algorithms').children.length !== sessions.length) {
    $('algorithms').replaceChildren(...sessions.map((_, i) => makeChoice(i)));
  }
  sessions.forEach(({ algorithm }, i) => {
    const select = $('algorithms').children[i].firstElementChild;
    if (document.activeElement !== select) select.value = algorithm;
    select.disabled = state.measured || state.busy;
  });
}

function showState(next) {
  if (state && next.time < state.time) forget();
  state = next;
  document.body.classList.toggle('two', state.sessions.length > 1);
  while (cards.length < state.receivers.length) cards.push(new Card(cards.length));
  state.receivers.forEach((data, i) => cards[i].update(data, state));
  tree.update(state);
  showLegend();
  showAlgorithms();
  $('add').disabled = state.measured || state.busy || state.receivers.length >= 6;
  $('status').textContent = state.busy ? 'The session begins anew …' : `${Math.round(state.time)} s`
    + (state.seconds ? ` of about ${Math.round(state.seconds)} s, measured` : '');
}

function take({ data }) {
  if (typeof data === 'string') {
    const message = JSON.parse(data);
    if (message.refused) notice(message.refused);
    else showState(message);
    return;
  }
  const [receiver, flags] = new Uint8Array(data, 0, 2);
  cards[receiver]?.pictures.push(Boolean(flags & KEY), Boolean(flags & SHOWN), new Uint8Array(data, HEADER));
}

function connect() {
  socket = new WebSocket(`ws://${location.host}/socket`);
  socket.binaryType = 'arraybuffer';
  socket.onmessage = take;
  socket.onclose = () => {
    $('status').textContent = 'The demonstration has ended, or is away. Trying again …';
    setTimeout(connect, 2000);
  };
}

$('add').onclick = () => act('add-receiver');
matchMedia('(prefers-color-scheme: dark)').onchange = () => cards.forEach((card) => paintChart(card.chart));
addEventListener('resize', () => { if (state) tree.update(state); });
connect();
