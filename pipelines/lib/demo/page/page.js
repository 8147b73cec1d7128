// lmcc: layered multicast congestion control
// SPDX-License-Identifier: LGPL-2.1-or-later

// Shows the server's states as cards and a tree, and sends the user's actions.

import { Card } from './card.js';
import { Loupe } from './loupe.js';
import { Tree, colour, rateText } from './tree.js';

const KEY = 1, SHOWN = 2, HEADER = 4;
const MOST_RECEIVERS = 6;
// Minimum interval of messages to screen readers, in seconds.
const SPOKEN_EVERY = 10;

const $ = (id) => document.getElementById(id);
const tree = new Tree($('tree'));
const loupe = new Loupe((on) => $('magnify').setAttribute('aria-pressed', on));
const cards = [];
const spoken = new Map();
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

// Announces changed levels to screen readers. Levels change faster than anybody can listen, hence the interval.
function speak() {
  speak.timer = null;
  const changed = state.receivers.filter(({ name, level }) => spoken.get(name) !== level);
  for (const { name, level } of changed) spoken.set(name, level);
  $('spoken').textContent = changed.map(({ name, level, phase }) => (
    `${name}: ${level >= 0 ? `level ${level}` : phase}`)).join('; ');
}

// The legend of a session's strands.
function legendOf({ layers, levels }, groups) {
  const count = layers.length;
  if (groups > count) return [`${count} layers, carried by ${groups} groups in turn`];
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
  parts.push(state.network ? 'Bright line: the switch forwards the group.'
    : 'Bright line: the receiver has joined the group.');
  // Each part becomes an element, plain text too.
  $('legend').replaceChildren(...parts.map((part) => {
    const item = document.createElement('span');
    item.append(part);
    return item;
  }));
}

// Removes the receivers of an earlier run.
function forget() {
  for (const card of cards.splice(0)) card.destroy();
}

function makeChoice(session) {
  const select = document.createElement('select');
  select.replaceChildren(...state.algorithms.map((name) => new Option(name, name)));
  select.onchange = () => { act('algorithm', { session, name: select.value }); select.blur(); };
  const label = document.createElement('label');
  label.title = 'Congestion control algorithm, which decides the level of each receiver';
  label.append(session ? 'and ' : 'Algorithm ', select);
  return label;
}

// One selection box for each session.
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

// Sets the text only if it changes, because screen readers read each change aloud.
function showStatus(text) {
  if ($('status').textContent !== text) $('status').textContent = text;
}

function showState(next) {
  if (state && next.time < state.time) forget();
  state = next;
  document.body.classList.toggle('two', state.sessions.length > 1);
  while (cards.length < state.receivers.length) {
    cards.push(new Card(cards.length, state.receivers[cards.length].name, loupe, act));
  }
  state.receivers.forEach((data, i) => cards[i].update(data, state));
  tree.update(state);
  showLegend();
  showAlgorithms();
  $('add').disabled = state.measured || state.busy || state.receivers.length >= MOST_RECEIVERS;
  showStatus(state.busy ? 'The session is starting …' : '');
  $('clock').textContent = `${Math.round(state.time)} s`
    + (state.seconds ? ` of about ${Math.round(state.seconds)} s (measured run)` : '');
  speak.timer ??= setTimeout(speak, 1000 * SPOKEN_EVERY);
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
    showStatus('No connection to the demonstration. Reconnecting …');
    setTimeout(connect, 2000);
  };
}

$('add').onclick = () => act('add-receiver');
$('magnify').onclick = () => loupe.toggle();
matchMedia('(prefers-color-scheme: dark)').onchange = () => {
  for (const card of cards) card.plot.paint();
  tree.shape = '';
  if (!state) return;
  tree.update(state);
  showLegend();
};
addEventListener('resize', () => { if (state) tree.update(state); });
connect();
