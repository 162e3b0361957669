// Traces side by side with their picks. Traces are columns; time runs down, perhaps reduced by offset.
// A column: {record, trace, label, offset, start, interval, data, most, picks: {P, S}, predicted,
// predictedS, reciprocal, beside, static}; data are over `most`, the trace's largest amplitude.

const GRAB = 7;  // pixels within which a pick or the end of its bar is meant
const SLICE = 5;  // milliseconds per frame for the traces while the view moves
const SETTLED = 90;  // milliseconds without a move after which the view stands

class GatherView {
  constructor(canvas, actions) {
    Object.assign(this, {canvas, actions, columns: [], look: "wiggle", gain: "trace", size: 0, reduce: 0, selected: 0});
    this.room = {left: 52, right: 8, top: 26, bottom: 6};
    this.view = {first: -1, last: 1, top: 0, bottom: 1};
    this.pointers = new Map();
    this.listen();
  }

  set(columns, keepView) {
    this.columns = columns;
    this.scales = null;
    if (!keepView) this.whole();
    this.redraw();
  }

  // All traces; from a little before the first pick or prediction to a while after the last.
  whole() {
    const all = {top: Infinity, bottom: -Infinity}, near = {top: Infinity, bottom: -Infinity};
    for (const c of this.columns) {
      const shift = this.shift(c);
      all.top = Math.min(all.top, c.start - shift);
      all.bottom = Math.max(all.bottom, c.start + c.data.length * c.interval - shift);
      for (const t of [c.picks.P && c.picks.P.time, c.picks.S && c.picks.S.time, c.predicted, c.predictedS])
        if (Number.isFinite(t) && t !== null) {
          near.top = Math.min(near.top, t - shift);
          near.bottom = Math.max(near.bottom, t - shift);
        }
    }
    const margin = Math.max(near.bottom - near.top, 0.01);
    this.view = {first: -0.8, last: this.columns.length - 0.2,
      top: Math.max(all.top, near.top - 0.4 * margin) || 0, bottom: Math.min(all.bottom, near.bottom + 0.8 * margin) || 1};
    if (!Number.isFinite(near.top)) Object.assign(this.view, {top: all.top || 0, bottom: all.bottom || 1});
    this.scales = null;
  }

  shift(column) { return this.reduce > 0 && Number.isFinite(column.offset) ? column.offset / this.reduce : 0; }

  // `kept`: the traces are as they were; only the view or what lies over them is another.
  redraw(kept) {
    if (!kept) this.stale = true;
    if (this.asked) return;
    this.asked = requestAnimationFrame(() => { this.asked = null; this.draw(); });
  }

  get inner() {
    if (this.box) return this.box;
    const {room} = this, {width, height} = this.canvasSize || fitCanvas(this.canvas);
    return {x: room.left, y: room.top, width: width - room.left - room.right, height: height - room.top - room.bottom};
  }
  px(column) { const b = this.inner, v = this.view; return b.x + (column - v.first) / (v.last - v.first) * b.width; }
  py(time) { const b = this.inner, v = this.view; return b.y + (time - v.top) / (v.bottom - v.top) * b.height; }
  column(x) { const b = this.inner, v = this.view; return v.first + (x - b.x) / b.width * (v.last - v.first); }
  time(y) { const b = this.inner, v = this.view; return v.top + (y - b.y) / b.height * (v.bottom - v.top); }

  // What each trace is multiplied with, so that 1 is half the distance of two.
  factors() {
    if (this.scales) return this.scales;
    const {columns, gain, view} = this;
    const most = Math.max(...columns.map(c => c.most), 1e-30);
    this.scales = columns.map(c => {
      if (gain === "agc") return 1;
      if (gain === "true") return c.most / most;
      if (gain === "offset") return c.most / most * (1 + (c.offset || 0)) ** 1.3;
      const shift = this.shift(c);
      let from = view.top + shift, to = view.bottom + shift;
      const pick = c.picks.P ? c.picks.P.time : c.predicted;
      if (gain === "first" && Number.isFinite(pick) && pick !== null) [from, to] = [pick - 0.01, pick + 0.008];
      const peak = peakOf(c.data, (from - c.start) / c.interval, (to - c.start) / c.interval);
      return peak > 0 ? 1 / peak : 0;
    });
    if (gain === "offset") {
      const top = Math.max(...this.scales, 1e-30);
      this.scales = this.scales.map(s => s / top);
    }
    return this.scales;
  }

  // Samples of a column in the view: over the RMS about them where gain is automatic.
  samples(c) {
    if (this.gain !== "agc") return c.data;
    if (c.levelled) return c.levelled;
    const half = Math.max(4, Math.round(0.02 / c.interval)), out = new Float32Array(c.data.length);
    let sum = 0;
    for (let n = 0; n < c.data.length + half; ++n) {
      if (n < c.data.length) sum += c.data[n] ** 2;
      if (n >= 2 * half) sum -= c.data[n - 2 * half] ** 2;
      const at = n - half;
      if (at >= 0 && at < out.length) out[at] = c.data[at] / Math.max(3 * Math.sqrt(Math.max(sum, 0) / (2 * half)), 1e-4);
    }
    return c.levelled = out;
  }

  draw() {
    const began = performance.now();
    this.canvasSize = fitCanvas(this.canvas);
    this.box = null;
    const b = this.box = this.inner, pen = this.canvas.getContext("2d"), ink = colours();
    pen.fillStyle = ink.paper;
    pen.fillRect(0, 0, this.canvasSize.width, this.canvasSize.height);
    pen.font = "12px system-ui, sans-serif";
    pen.save();
    pen.beginPath();
    pen.rect(b.x, b.y, b.width, b.height);
    pen.clip();
    this.drawTraces(pen, ink);
    this.drawOver(pen, ink);
    pen.restore();
    this.drawAxes(pen, ink);
    this.canvasSize = this.box = null;
    this.took = performance.now() - began;
  }

  visible() {
    const from = Math.max(0, Math.floor(this.view.first) - 1), to = Math.min(this.columns.length, Math.ceil(this.view.last) + 2);
    return {from, to};
  }

  // The traces lie on a sheet. While the view moves, the last sheet is shown where it would be, and a new
  // one is drawn a slice per frame; once the view stands, the sheet is that of the view.
  drawTraces(pen, ink) {
    const b = this.inner, same = sheet => sheet && this.fits(sheet, b);
    if (!this.moving) {
      if (this.stale || !same(this.sheet)) {
        this.sheet = this.newSheet(b, ink);
        this.sheet.draw(Infinity);
      }
      this.coming = null;
    } else {
      if (!this.coming && (this.stale || !same(this.sheet))) this.coming = this.newSheet(b, ink);
      if (this.coming && this.coming.draw(this.sheet ? SLICE : Infinity)) { this.sheet = this.coming; this.coming = null; }
      if (!same(this.sheet)) this.redraw();
    }
    this.stale = false;
    const s = this.sheet, v = s.view;
    const [x0, x1, y0, y1] = [this.px(v.first), this.px(v.last), this.py(v.top), this.py(v.bottom)];
    pen.drawImage(s.canvas, x0, y0, x1 - x0, y1 - y0);
  }

  newSheet(b, ink) {
    return new TraceSheet({columns: this.columns, view: this.view, width: b.width, height: b.height, look: this.look,
      factors: this.factors(), size: this.size, ink, moving: this.moving, samples: c => this.samples(c), shift: c => this.shift(c)});
  }

  fits(sheet, b) {
    return sheet.width === b.width && sheet.height === b.height &&
      (this.moving || !sheet.moving) && ["first", "last", "top", "bottom"].every(side => sheet.view[side] === this.view[side]);
  }

  // The view has moved: what is drawn may lag behind for a few frames.
  moved() {
    this.moving = true;
    clearTimeout(this.settling);
    this.settling = setTimeout(() => { this.moving = false; this.redraw(true); }, SETTLED);
    this.redraw(true);
  }

  drawOver(pen, ink) {
    const {from, to} = this.visible();
    const half = Math.max(3, Math.min(9, 0.4 * this.inner.width / (this.view.last - this.view.first)));
    this.line(pen, from, to, c => c.predicted, ink.predicted, 2, []);
    this.line(pen, from, to, c => c.predictedS, ink.predicted, 2, [6, 4]);
    for (const n of [0, 1]) this.line(pen, from, to, c => c.beside && c.beside[n], ink.dim, 1, [4, 3]);
    this.line(pen, from, to, c => c.static || null, ink.dim, 1, [2, 4]);
    for (let k = from; k < to; ++k) {
      const c = this.columns[k], shift = this.shift(c), x = this.px(k);
      if (Number.isFinite(c.reciprocal) && c.reciprocal !== null) {
        const y = this.py(c.reciprocal - shift);
        pen.strokeStyle = ink.reciprocal;
        pen.lineWidth = 1.5;
        pen.beginPath();
        pen.moveTo(x, y - 5); pen.lineTo(x + 5, y); pen.lineTo(x, y + 5); pen.lineTo(x - 5, y); pen.closePath();
        pen.stroke();
      }
      for (const phase of ["S", "P"]) {
        const pick = c.picks[phase];
        if (!pick) continue;
        const y = this.py(pick.time - shift), up = this.py(pick.time - pick.error - shift), down = this.py(pick.time + pick.error - shift);
        pen.strokeStyle = phase === "P" ? ink.p : ink.s;
        pen.lineWidth = 1.2;
        pen.beginPath();
        pen.moveTo(x, up); pen.lineTo(x, down);
        pen.moveTo(x - half / 2, up); pen.lineTo(x + half / 2, up);
        pen.moveTo(x - half / 2, down); pen.lineTo(x + half / 2, down);
        pen.stroke();
        if (pick.bad) {
          pen.strokeRect(x - half, y - 2.5, 2 * half, 5);
        } else {
          pen.lineWidth = pick.by === "hand" ? 3.4 : 2.2;
          pen.beginPath(); pen.moveTo(x - half, y); pen.lineTo(x + half, y); pen.stroke();
        }
        if (pick.note) { pen.fillStyle = ink.s; pen.beginPath(); pen.arc(x + half, y - 4, 2.5, 0, 7); pen.fill(); }
      }
    }
    if (this.columns[this.selected]) {
      pen.fillStyle = ink.p;
      pen.globalAlpha = 0.12;
      const wide = this.inner.width / (this.view.last - this.view.first);
      pen.fillRect(this.px(this.selected) - wide / 2, this.inner.y, wide, this.inner.height);
      pen.globalAlpha = 1;
    }
    if (this.path && this.path.length > 1) {
      pen.strokeStyle = ink.p;
      pen.lineWidth = 1;
      pen.beginPath();
      this.path.forEach(([x, y], n) => n ? pen.lineTo(x, y) : pen.moveTo(x, y));
      pen.stroke();
    }
  }

  line(pen, from, to, time, colour, width, dash) {
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.setLineDash(dash);
    pen.beginPath();
    let on = false;
    for (let k = from; k < to; ++k) {
      const t = time(this.columns[k]);  // not a number where there is none
      if (!Number.isFinite(t)) { on = false; continue; }
      const y = this.py(t - this.shift(this.columns[k]));
      if (on) pen.lineTo(this.px(k), y); else pen.moveTo(this.px(k), y);
      on = true;
    }
    pen.stroke();
    pen.setLineDash([]);
  }

  drawAxes(pen, ink) {
    const b = this.inner, {from, to} = this.visible();
    pen.fillStyle = ink.dim;
    pen.strokeStyle = ink.dim;
    pen.lineWidth = 1;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    const long = this.view.bottom - this.view.top > 3, unit = long ? 1 : 1000, name = long ? "s" : "ms";
    for (const t of niceTicks(unit * this.view.top, unit * this.view.bottom, 10)) {
      const y = this.py(t / unit);
      pen.fillText(show(t), b.x - 6, y);
      pen.beginPath(); pen.moveTo(b.x - 4, y); pen.lineTo(b.x, y); pen.stroke();
    }
    pen.textAlign = "center";
    pen.textBaseline = "bottom";
    const every = Math.max(1, Math.ceil((to - from) / (b.width / 46)));
    for (let k = from; k < to; ++k)
      if (k % every === 0 && this.px(k) >= b.x && this.px(k) <= b.x + b.width) pen.fillText(this.columns[k].label, this.px(k), b.y - 3);
    pen.textAlign = "left";
    pen.fillText(this.reduce > 0 ? `${name} − x/${show(this.reduce)}` : name, 2, b.y - 3);
    pen.strokeRect(b.x, b.y, b.width, b.height);
  }

  // What lies at a place of the page: column, time (not reduced), and the pick or bar that is meant.
  at(event) {
    const box = this.canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    const k = Math.max(0, Math.min(this.columns.length - 1, Math.round(this.column(x)))), c = this.columns[k];
    const shift = c ? this.shift(c) : 0, found = {x, y, column: k, time: this.time(y) + shift, grab: null};
    for (const phase of c ? ["P", "S"] : []) {
      const pick = c.picks[phase];
      if (!pick || Math.abs(this.px(k) - x) > 2 * GRAB) continue;
      for (const sign of [-1, 1]) {
        const end = this.py(pick.time + sign * pick.error - shift);
        const far = Math.abs(end - this.py(pick.time - shift));
        if (Math.abs(end - y) < Math.min(GRAB, 0.6 * far + 2) && far > 4) found.grab = {phase, sign};
      }
    }
    return found;
  }

  listen() {
    const {canvas} = this;
    canvas.addEventListener("contextmenu", event => event.preventDefault());
    canvas.addEventListener("wheel", event => {
      event.preventDefault();
      const at = this.at(event), by = Math.exp(0.0015 * event.deltaY);
      if (event.shiftKey || event.ctrlKey) this.zoomAcross(this.column(at.x), Math.exp(0.0015 * (event.deltaY || event.deltaX)));
      else this.zoomDown(this.time(at.y), by);
    }, {passive: false});
    canvas.addEventListener("pointerdown", event => this.down(event));
    canvas.addEventListener("pointermove", event => this.move(event));
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, event => this.up(event, name));
  }

  zoomDown(about, by) {
    const v = this.view;
    v.top = about + (v.top - about) * by;
    v.bottom = about + (v.bottom - about) * by;
    if (v.bottom - v.top < 1e-4) v.bottom = v.top + 1e-4;
    if (this.gain === "trace") this.scales = null;
    this.moved();
  }
  zoomAcross(about, by) {
    const v = this.view;
    v.first = Math.max(-1, about + (v.first - about) * by);
    v.last = Math.min(this.columns.length, about + (v.last - about) * by);
    if (v.last - v.first < 2) v.last = v.first + 2;
    this.moved();
  }
  pan(dx, dy) {
    const v = this.view, b = this.inner, x = dx / b.width * (v.last - v.first), t = dy / b.height * (v.bottom - v.top);
    v.first -= x; v.last -= x; v.top -= t; v.bottom -= t;
    this.moved();
  }

  down(event) {
    if (!this.columns.length) return;
    this.canvas.focus();
    this.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, event);
    const at = this.at(event);
    this.select(at.column);
    if (this.pointers.size === 2) { this.mode = "pinch"; this.path = null; return; }
    const moves = event.button === 1 || event.button === 2 || this.spaceHeld;
    this.mode = moves ? "pan" : at.grab ? "bar" : event.shiftKey ? "erase" : "pick";
    this.bar = at.grab && {...at.grab, column: at.column};
    this.path = [[at.x, at.y]];
    this.exact = event.altKey;
  }

  move(event) {
    if (!this.columns.length) return;
    const before = this.pointers.get(event.pointerId), at = this.at(event);
    this.hovered = at;
    this.actions.hover(at);
    if (!before) return;
    if (this.mode === "pan") this.pan(event.clientX - before.clientX, event.clientY - before.clientY);
    else if (this.mode === "pinch") this.pinch(event);
    else if (this.mode === "bar") this.dragBar(at);
    else { this.path.push([at.x, at.y]); this.redraw(true); }
    this.pointers.set(event.pointerId, event);
  }

  pinch(event) {
    const [a, b] = [...this.pointers.values()], other = a.pointerId === event.pointerId ? b : a;
    const old = this.pointers.get(event.pointerId);
    this.pan((event.clientX - old.clientX) / 2, (event.clientY - old.clientY) / 2);
    const ratio = (one, two) => Math.max(20, Math.abs(one - two));
    const middle = this.at({clientX: (event.clientX + other.clientX) / 2, clientY: (event.clientY + other.clientY) / 2});
    this.zoomDown(this.time(middle.y), ratio(old.clientY, other.clientY) / ratio(event.clientY, other.clientY));
    this.zoomAcross(this.column(middle.x), ratio(old.clientX, other.clientX) / ratio(event.clientX, other.clientX));
  }

  dragBar(at) {
    const c = this.columns[this.bar.column], pick = c.picks[this.bar.phase];
    const error = Math.max(c.interval / 2, this.bar.sign * (this.time(at.y) + this.shift(c) - pick.time));
    c.picks[this.bar.phase] = {...pick, error};
    this.redraw(true);
  }

  up(event, name) {
    const had = this.pointers.delete(event.pointerId), {mode, path} = this;
    this.path = null;
    this.redraw(true);
    if (!had || name === "pointercancel" || mode === "pan" || mode === "pinch" || !path) return;
    if (mode === "bar") return this.actions.setError(this.bar.column, this.bar.phase);
    const far = Math.hypot(path[0][0] - path[path.length - 1][0], path[0][1] - path[path.length - 1][1]);
    const places = far < 6 ? [[this.at(event).column, this.at(event).time]] : this.along(path);
    if (mode === "erase") this.actions.erase(places.map(([k]) => k));
    else this.actions.pick(places, this.exact);
  }

  // Columns that a drawn line crosses, each with its time.
  along(path) {
    const found = new Map();
    for (let n = 1; n < path.length; ++n) {
      const [a, b] = [path[n - 1], path[n]].map(([x, y]) => [this.column(x), this.time(y)]);
      const [low, high] = [Math.ceil(Math.min(a[0], b[0])), Math.floor(Math.max(a[0], b[0]))];
      for (let k = Math.max(low, 0); k <= Math.min(high, this.columns.length - 1); ++k) {
        const share = b[0] === a[0] ? 0 : (k - a[0]) / (b[0] - a[0]);
        found.set(k, a[1] + share * (b[1] - a[1]) + this.shift(this.columns[k]));
      }
    }
    return [...found];
  }

  select(k) {
    this.selected = Math.max(0, Math.min(this.columns.length - 1, k));
    this.redraw(true);
  }
}
