// lmcc: layered multicast congestion control
// SPDX-License-Identifier: LGPL-2.1-or-later

// A magnifier that shows the same spot of all pictures, for comparison.

// The diameter of the lens as a share of the picture's width and height, as in style.css.
const LENS = { x: 0.405, y: 0.72 };
const ZOOM = { least: 2, usual: 3, most: 8 };
const STEP = 0.02, LONG_STEP = 0.1;

const MOVES = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const within = (value, least, most) => Math.min(most, Math.max(least, value));

// One picture with its lens.
class View {
  constructor(screen) {
    this.screen = screen;
    this.picture = screen.querySelector('.picture');
    this.lens = screen.querySelector('.lens');
    this.context = this.lens.getContext('2d');
    this.observer = new ResizeObserver(([{ contentRect: { width } }]) => {
      this.lens.width = this.lens.height = Math.max(1, Math.round(width * devicePixelRatio));
      this.draw();
    });
    this.observer.observe(this.lens);
  }

  // Magnifies the spot `at`, in parts of the picture, by the factor `zoom`.
  show(at, zoom) {
    this.at = at;
    this.zoom = zoom;
    for (const [side, axis] of [['left', 'x'], ['top', 'y']]) {
      this.lens.style[side] = `${100 * within(at[axis] - LENS[axis] / 2, 0, 1 - LENS[axis])}%`;
    }
    this.draw();
  }

  draw() {
    if (!this.at || this.lens.hidden) return;
    const { width, height } = this.picture;
    const [wide, high] = [width * LENS.x / this.zoom, height * LENS.y / this.zoom];
    this.context.drawImage(this.picture, within(this.at.x * width - wide / 2, 0, width - wide),
      within(this.at.y * height - high / 2, 0, height - high), wide, high, 0, 0, this.lens.width, this.lens.height);
  }
}

export class Loupe {
  // `onSwitch` is called with true or false when the magnifier is turned on or off.
  constructor(onSwitch) {
    this.views = new Map();
    this.at = { x: 0.5, y: 0.5 };
    this.zoom = ZOOM.usual;
    this.on = true;
    this.onSwitch = onSwitch;
  }

  add(screen) {
    const view = new View(screen);
    this.views.set(screen, view);
    screen.onpointermove = screen.onpointerdown = (event) => this.point(screen, event);
    screen.onkeydown = (event) => this.press(event);
    this.show(view);
  }

  remove(screen) {
    this.views.get(screen).observer.disconnect();
    this.views.delete(screen);
  }

  // Draws the lens again, after a new picture.
  draw(screen) {
    this.views.get(screen)?.draw();
  }

  toggle(on = !this.on) {
    this.on = on;
    this.update();
    this.onSwitch(on);
  }

  show(view) {
    view.lens.hidden = !this.on;
    view.show(this.at, this.zoom);
  }

  update() {
    for (const view of this.views.values()) this.show(view);
  }

  moveTo(x, y) {
    this.at = { x: within(x, 0, 1), y: within(y, 0, 1) };
    this.update();
  }

  point(screen, event) {
    const box = screen.getBoundingClientRect();
    this.moveTo((event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
  }

  press(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const move = MOVES[event.key];
    if (move) {
      const step = event.shiftKey ? LONG_STEP : STEP;
      this.moveTo(this.at.x + step * move[0], this.at.y + step * move[1]);
    } else if (event.key === '+' || event.key === '-') {
      this.zoom = within(this.zoom + (event.key === '+' ? 1 : -1), ZOOM.least, ZOOM.most);
      this.update();
    } else if (event.key === 'Escape') {
      this.toggle(false);
    } else if (event.key === 'Enter') {
      this.toggle();
    } else {
      return;
    }
    event.preventDefault();
  }
}
