"use strict";
// A plane through the model on a canvas: colours, axes, zoom, and the value under the pointer.

// viridis and RdBu at nine places each; between them colours are mixed linearly.
const VIRIDIS = ["440154", "472d7b", "3b528b", "2c728e", "21918c", "28ae80", "5ec962", "addc30",
  "fde725"];
const RED_BLUE = ["67001f", "b2182b", "d6604d", "f4a582", "f7f7f7", "92c5de", "4393c3", "2166ac",
  "053061"];
const MAGMA = ["fcfdbf", "feca8d", "fd9668", "f1605d", "cd4071", "9e2f7f", "721f81", "440f76",
  "180f3d"];
const AIR = [217, 217, 217];

function colourTable(stops) {
  const parts = stops.map(s => [0, 2, 4].map(n => parseInt(s.slice(n, n + 2), 16)));
  return Array.from({length: 256}, (_, i) => {
    const at = i / 255 * (parts.length - 1), low = Math.min(Math.floor(at), parts.length - 2);
    return parts[low].map((c, k) => Math.round(c + (at - low) * (parts[low + 1][k] - c)));
  });
}

function niceTicks(low, high, wanted) {
  const raw = (high - low) / wanted, size = 10 ** Math.floor(Math.log10(raw));
  const step = size * [1, 2, 5, 10].find(m => m * size >= raw);
  const ticks = [];
  for (let t = Math.ceil(low / step) * step; t <= high + 1e-9 * step; t += step)
    ticks.push(Math.abs(t) < 1e-9 * step ? 0 : t);
  return ticks;
}

// How far apart neighbours along an axis stand in memory: the last axis is fastest.
const stride = (shape, axis) => shape.slice(axis + 1).reduce((a, b) => a * b, 1);

const show = value => Number.isFinite(value) ? Number(value.toPrecision(4)).toString() : "none";

class SectionView {
  constructor(canvas, model, units, onHover) {
    Object.assign(this, {canvas, model, units, onHover});
    this.pen = canvas.getContext("2d");
    this.room = {left: 70, right: 122, top: 16, bottom: 46};
    this.tallest = canvas.height;
    this.listen();
  }

  // What is drawn: values by nodes or cells, the axis that is cut, and where.
  set(field, axis, index, veil) {
    const kept = this.axis === axis ? this.view : null;
    Object.assign(this, {field, axis, index, veil});
    [this.across, this.along] = [0, 1, 2].filter(n => n !== axis);
    this.view = kept || this.whole();
    if (!kept) this.fitHeight();
    this.draw();
  }

  // No taller than the plane needs.
  fitHeight() {
    const {room, canvas, view} = this;
    const wide = canvas.width - room.left - room.right;
    const tall = wide * (view.high - view.low) / (view.right - view.left);
    canvas.height = Math.min(this.tallest, Math.max(60, tall) + room.top + room.bottom);
  }

  whole() {
    const {origin, spacing, shape} = this.model;
    const end = a => origin[a] + spacing[a] * (shape[a] - 1);
    return {left: origin[this.across], right: end(this.across), low: origin[this.along],
      high: end(this.along)};
  }

  // Depth and, in maps, y: depth grows downwards, y upwards.
  get isMap() { return this.axis === 2; }

  // The frame on the canvas, with equal scales along both axes.
  frame() {
    const {room, canvas, view} = this;
    const wide = canvas.width - room.left - room.right;
    const tall = canvas.height - room.top - room.bottom;
    const scale = Math.min(wide / (view.right - view.left), tall / (view.high - view.low));
    return {x: room.left, y: room.top, scale, width: (view.right - view.left) * scale,
      height: (view.high - view.low) * scale};
  }

  toPixel(across, along) {
    const f = this.frame(), v = this.view;
    const down = this.isMap ? v.high - along : along - v.low;
    return [f.x + (across - v.left) * f.scale, f.y + down * f.scale];
  }

  toPlace(x, y) {
    const f = this.frame(), v = this.view, down = (y - f.y) / f.scale;
    return [v.left + (x - f.x) / f.scale, this.isMap ? v.high - down : v.low + down];
  }

  // What a place along one axis adds to the number of its node or cell; NaN outside.
  share(field, axis, place) {
    const {origin, spacing, shape} = this.model, last = field.shape[axis] - 1;
    const steps = (place - origin[axis]) / spacing[axis];
    if (steps < -1e-9 || steps > shape[axis] - 1 + 1e-9) return NaN;
    const n = field.isCells ? Math.floor(steps) : Math.round(steps);
    return Math.max(0, Math.min(n, last)) * stride(field.shape, axis);
  }

  // The same of the axis that is cut.
  ground(field) {
    return Math.min(this.index, field.shape[this.axis] - 1) * stride(field.shape, this.axis);
  }

  valueAt(field, across, along) {
    const n = this.ground(field) + this.share(field, this.across, across) +
      this.share(field, this.along, along);
    return Number.isNaN(n) ? NaN : field.values[n];
  }

  // Reads a field by pixel (column, row): what columns and rows share is worked out once.
  pixels(field, f, wide, tall) {
    const places = (count, place) => Float64Array.from({length: count}, (_, n) => place(n));
    const ground = this.ground(field);
    const column = places(wide, i =>
      this.share(field, this.across, this.toPlace(f.x + i + 0.5, 0)[0]));
    const row = places(tall, j =>
      this.share(field, this.along, this.toPlace(0, f.y + j + 0.5)[1]));
    return (i, j) => field.values[ground + column[i] + row[j]];
  }

  colourOf(value) {
    const {low, high, table, log} = this.field;
    if (!Number.isFinite(value) || (this.field.zeroIsNone && value === 0)) return AIR;
    const f = log ? x => Math.log(x) : x => x;
    const t = high > low ? (f(value) - f(low)) / (f(high) - f(low)) : 0.5;
    return table[Math.max(0, Math.min(255, Math.round(255 * t)))];
  }

  draw() {
    const {pen, canvas} = this, f = this.frame();
    pen.fillStyle = "#fff";
    pen.fillRect(0, 0, canvas.width, canvas.height);
    const wide = Math.max(1, Math.round(f.width)), tall = Math.max(1, Math.round(f.height));
    const image = pen.createImageData(wide, tall);
    const value = this.pixels(this.field, f, wide, tall);
    const rays = this.veil ? this.pixels(this.veil, f, wide, tall) : () => 1;
    for (let j = 0, n = 0; j < tall; ++j) {
      for (let i = 0; i < wide; ++i, n += 4) {
        const colour = this.colourOf(value(i, j)), bare = !(rays(i, j) > 0);
        const pale = bare && colour !== AIR ? 0.6 : 0;
        for (let k = 0; k < 3; ++k) image.data[n + k] = colour[k] + pale * (255 - colour[k]);
        image.data[n + 3] = 255;
      }
    }
    pen.putImageData(image, f.x, f.y);
    this.drawAxes(f);
    this.drawScale(f);
  }

  drawAxes(f) {
    const {pen, view, units} = this;
    pen.strokeStyle = pen.fillStyle = "#1d2529";
    pen.font = "13px system-ui, sans-serif";
    pen.strokeRect(f.x - 0.5, f.y - 0.5, f.width + 1, f.height + 1);
    pen.textAlign = "center";
    for (const t of niceTicks(view.left, view.right, 8)) {
      const [x] = this.toPixel(t, view.low);
      pen.fillRect(x - 0.5, f.y + f.height, 1, 5);
      pen.fillText(show(t), x, f.y + f.height + 18);
    }
    const name = "xyz"[this.across];
    pen.fillText(`${name} (${units.length})`, f.x + f.width / 2, f.y + f.height + 36);
    pen.textAlign = "right";
    for (const t of niceTicks(view.low, view.high, Math.max(2, f.height / 50))) {
      const [, y] = this.toPixel(view.left, t);
      pen.fillRect(f.x - 5, y - 0.5, 5, 1);
      pen.fillText(show(t), f.x - 8, y + 4);
    }
    pen.save();
    pen.translate(16, f.y + f.height / 2);
    pen.rotate(-Math.PI / 2);
    pen.textAlign = "center";
    pen.fillText(`${this.isMap ? "y" : "depth"} (${units.length})`, 0, 0);
    pen.restore();
  }

  drawScale(f) {
    const {pen, field} = this, x = f.x + f.width + 18, tall = Math.round(f.height);
    for (let j = 0; j < tall; ++j) {
      pen.fillStyle = `rgb(${field.table[Math.round(255 * (1 - j / tall))]})`;
      pen.fillRect(x, f.y + j, 14, 1.5);
    }
    pen.fillStyle = "#1d2529";
    pen.textAlign = "left";
    const middle = field.log ? Math.sqrt(field.low * field.high) : (field.low + field.high) / 2;
    for (const [value, at] of [[field.high, 8], [middle, tall / 2 + 4], [field.low, tall]])
      pen.fillText(show(value), x + 20, f.y + at);
    pen.save();
    pen.translate(x + 92, f.y + f.height / 2);
    pen.rotate(-Math.PI / 2);
    pen.textAlign = "center";
    pen.fillText(field.unit ? `${field.short} (${field.unit})` : field.short, 0, 0);
    pen.restore();
  }

  zoom(factor, across, along) {
    const v = this.view;
    this.view = {left: across + (v.left - across) * factor,
      right: across + (v.right - across) * factor, low: along + (v.low - along) * factor,
      high: along + (v.high - along) * factor};
    this.draw();
  }

  move(across, along) {
    const v = this.view;
    this.view = {left: v.left + across, right: v.right + across, low: v.low + along,
      high: v.high + along};
    this.draw();
  }

  showAll() { this.view = this.whole(); this.draw(); }

  listen() {
    const {canvas} = this;
    const place = event => {
      const box = canvas.getBoundingClientRect();
      return this.toPlace((event.clientX - box.left) * canvas.width / box.width,
        (event.clientY - box.top) * canvas.height / box.height);
    };
    let held = null;
    canvas.addEventListener("wheel", event => {
      event.preventDefault();
      this.zoom(event.deltaY < 0 ? 0.8 : 1.25, ...place(event));
    }, {passive: false});
    canvas.addEventListener("pointerdown", event => {
      held = place(event);
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointerup", () => { held = null; });
    canvas.addEventListener("pointermove", event => {
      const now = place(event);
      if (held) this.move(held[0] - now[0], held[1] - now[1]);
      else this.onHover(...now);
    });
    canvas.addEventListener("dblclick", () => this.showAll());
    canvas.addEventListener("keydown", event => {
      const v = this.view, step = 0.1 * (v.right - v.left), up = this.isMap ? 1 : -1;
      const moves = {ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, up * step],
        ArrowDown: [0, -up * step]};
      const middle = [(v.left + v.right) / 2, (v.low + v.high) / 2];
      if (moves[event.key]) this.move(...moves[event.key]);
      else if (event.key === "+") this.zoom(0.8, ...middle);
      else if (event.key === "-") this.zoom(1.25, ...middle);
      else if (event.key === "0") this.showAll();
      else return;
      event.preventDefault();
    });
  }
}
