// lmcc: layered multicast congestion control
// SPDX-License-Identifier: LGPL-2.1-or-later

// The card of a receiver: pictures, figures, a chart of the last minute, and buttons.

import { Pictures, canDecode } from './pictures.js';
import { Plot } from './plot.js';
import { colour, rateText } from './tree.js';

const PSNR = 'PSNR: how close the pictures of the last seconds are to the film, calculated from their brightness. '
  + 'Higher is better: 30 dB looks poor, 40 dB looks good.';

// The text over the picture of a receiver that has no level yet.
const OVERLAYS = { waiting: 'Waiting for the sender …', joining: 'Joining …', stopped: 'Stopped' };
const NO_DECODER = 'No pictures: browsers decode them (WebCodecs) only on pages from this machine or over HTTPS.';

// What the result of the latest packet train means for the next level.
const TRAINS = { room: 'fits', full: 'does not fit', queue: 'unknown' };

// The frame rate is measured over this many seconds.
const COUNTED = 3;

function changeText({ from, to }) {
  if (to < 0) return 'Left the session';
  if (from < 0) return `Level ${to}`;
  return `${to > from ? 'Up' : 'Down'} to level ${to}`;
}

export class Card {
  constructor(index, name, loupe, act) {
    this.index = index;
    this.loupe = loupe;
    this.root = document.getElementById('card').content.cloneNode(true).firstElementChild;
    this.root.dataset.receiver = index;
    document.getElementById('receivers').append(this.root);
    this.screen = this.find('.screen');
    this.counts = [];
    this.pictures = new Pictures(this.find('.picture'), () => this.onPicture());
    this.plot = new Plot(this.find('.chart canvas'), this.find('.key'), name);
    this.root.dataset.pictures = 0;
    this.find('.psnr').title = PSNR;
    loupe.add(this.screen);
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

  onPicture() {
    this.root.dataset.pictures = this.pictures.count;
    this.loupe.draw(this.screen);
    if (this.find('.overlay').textContent) this.showOverlay();
  }

  update(data, whole) {
    this.data = data;
    const levels = whole.sessions[data.session].levels.length;
    Object.assign(this.root.dataset, { session: data.session, level: data.level, rate: data.rate, psnr: data.psnr ?? '' });
    this.root.setAttribute('aria-label', data.name);
    this.find('.name').textContent = data.name;
    this.showLevel(data, levels);
    this.showFigures(data, whole.time);
    this.showFairness(data, whole);
    this.showButtons(data, whole);
    this.root.dataset.points = this.plot.add(data, whole.time, levels);
  }

  showLevel({ name, level, phase, psnr, change }, levels) {
    const badge = this.find('.badge');
    badge.textContent = level >= 0 ? `level ${level} of ${levels - 1}` : phase;
    badge.style.background = level >= 0 ? colour(level, levels, 32) : '';
    this.root.style.setProperty('--level', level >= 0 ? colour(level, levels) : '');
    this.find('.psnr').hidden = psnr === null;
    this.find('.psnr').textContent = psnr === null ? '' : `PSNR ${psnr.toFixed(1)} dB`;
    this.find('.reason').textContent = change ? `${changeText(change)}: ${change.reason}.` : '';
    this.screen.setAttribute('aria-label', `Pictures of ${name}. Arrow keys move the magnifier, + and - change its zoom, `
      + 'Enter turns it on or off.');
    this.find('.picture').setAttribute('aria-label', level >= 0 ? `The film at level ${level} of ${levels - 1}`
      : 'No pictures yet');
    this.showOverlay();
  }

  showOverlay() {
    const { phase } = this.data;
    this.find('.overlay').textContent = OVERLAYS[phase] ?? (!canDecode ? NO_DECODER
      : this.pictures.count ? '' : 'Waiting for the first picture …');
  }

  showFigures(data, time) {
    this.counts.push({ time, count: this.pictures.count });
    while (this.counts[0].time < time - COUNTED) this.counts.shift();
    const [{ time: since, count }] = this.counts;
    const speed = time > since ? (this.pictures.count - count) / (time - since) : 0;
    const texts = {
      rate: rateText(data.rate), link: data.capacity ? rateText(data.capacity) : '–', 'tcp-rate': data.tcp ? rateText(data.tcpRate) : 'none',
      loss: data.loss === null ? '–' : `${(100 * data.loss).toFixed(1)} %`,
      rtt: data.rtt ? `${Math.round(1000 * data.rtt)} ms` : '–', speed: `${Math.round(speed)} fps`,
    };
    for (const [name, text] of Object.entries(texts)) this.find(`dl .${name}`).textContent = text;
  }

  // Figures that only some algorithms have. Once one receiver has them, all cards reserve room, so that no text moves.
  showFairness({ session, fair, train, turn }, { sessions, receivers }) {
    const { algorithm } = sessions[session];
    if (receivers.some((each) => each.session === session && each.fair)) this.fairAlgorithm = algorithm;
    const texts = {
      fair: fair && rateText(fair), train: train && (TRAINS[train] ?? train),
      turn: turn && `level ${turn.upper}: ${Math.round(100 * turn.share)} %`,
    };
    for (const [name, text] of Object.entries(texts)) {
      const item = this.find(`dl .${name}`);
      item.hidden = algorithm !== this.fairAlgorithm;
      item.lastElementChild.textContent = text ?? '–';
    }
    this.find('dl .turn').title = 'If the fair rate is between the rates of two levels, the receiver alternates between them. This '
      + `is the upper level's share of the time.${turn ? ` The next change is in ${Math.round(turn.left)} s.` : ''}`;
  }

  showButtons({ name, tcp, running }, { hasTcp, busy, measured }) {
    const show = (which, text, label, disabled) => {
      const button = this.find(`button.${which}`);
      button.textContent = text;
      button.setAttribute('aria-label', label);
      button.disabled = disabled;
    };
    const word = (on) => (on ? 'Stop' : 'Start');
    show('tcp', `${word(tcp)} TCP`, `${word(tcp)} TCP beside ${name}`, !hasTcp || busy || !running);
    this.find('button.tcp').classList.toggle('on', tcp);
    const link = this.halved ? 'Restore the link' : 'Halve the link';
    show('halve', link, `${link} of ${name}`, busy);
    show('stop', word(running), `${word(running)} ${name}`, measured || busy);
  }

  destroy() {
    this.loupe.remove(this.screen);
    this.plot.destroy();
    this.root.remove();
  }
}
