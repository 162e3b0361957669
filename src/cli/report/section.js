// A plane through the model on a canvas: colours, ground, axes, zoom, and the value under the pointer.

class SectionView {
  constructor(canvas, model, units, onHover) {
    Object.assign(this, {canvas, model, units, onHover});
    this.pen = canvas.getContext("2d");
    this.room = {left: 70, right: 122, top: 16, bottom: 46};
    this.tallest = canvas.height;
    this.listen();
  }

  // What is drawn: values by nodes or cells, the axis that is cut, and where; how plainly nodes are
  // shown (a field from 0 to 1, or null), and whether heights take the place of depths.
  set(field, axis, index, fade, elevation) {
    const kept = this.axis === axis ? this.view : null;
    Object.assign(this, {field, axis, index, fade, elevation});
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

  // Whether the axis that runs down is named by heights.
  get heights() { return this.elevation && !this.isMap; }

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

  // Where a pixel's places lie between the nodes (or in the cells) of a field along one axis.
  steps(field, axis, count, place) {
    const {origin, spacing, shape} = this.model, last = field.shape[axis] - 1;
    const jump = stride(field.shape, axis);
    return Array.from({length: count}, (_, n) => {
      const at = (place(n) - origin[axis]) / spacing[axis];
      if (at < -1e-9 || at > shape[axis] - 1 + 1e-9) return null;
      if (field.isCells) {
        const cell = Math.max(0, Math.min(Math.floor(at), last));
        return {low: cell * jump, high: cell * jump, part: 0, node: cell};
      }
      const low = Math.max(0, Math.min(Math.floor(at), last - 1));
      return {low: low * jump, high: Math.min(low + 1, last) * jump, part: at - low,
        node: Math.round(at)};
    });
  }

  // Reads a field by pixel (column, row). On nodes values run evenly from one to the next; air has
  // no share, and above the first rock of a column its value goes on, for the ground to cut off.
  pixels(field, f, wide, tall) {
    const ground = this.ground(field), values = field.values;
    const column = this.steps(field, this.across, wide, i => this.toPlace(f.x + i + 0.5, 0)[0]);
    const row = this.steps(field, this.along, tall, j => this.toPlace(0, f.y + j + 0.5)[1]);
    const none = field.zeroIsNone ? v => !(v > 0) : v => !Number.isFinite(v);
    let sum = 0, weight = 0;
    const add = (n, w) => {
      const v = values[n];
      if (w > 0 && !none(v)) { sum += w * v; weight += w; }
    };
    return (i, j) => {
      const c = column[i], r = row[j];
      if (!c || !r) return NaN;
      sum = weight = 0;
      add(ground + c.low + r.low, (1 - c.part) * (1 - r.part));
      add(ground + c.high + r.low, c.part * (1 - r.part));
      add(ground + c.low + r.high, (1 - c.part) * r.part);
      add(ground + c.high + r.high, c.part * r.part);
      if (weight > 1e-9) return sum / weight;
      if (!this.top || field.isCells) return NaN;
      return this.firstRock(field, ground + (c.part < 0.5 ? c.low : c.high), r.node, none);
    };
  }

  // The first value of a column that is there, for a place above it.
  firstRock(field, column, node, none) {
    const jump = stride(field.shape, this.along);
    for (let k = 0; k < field.shape[this.along]; ++k) {
      const v = field.values[column + k * jump];
      if (!none(v)) return node <= k ? v : NaN;
    }
    return NaN;
  }

  // Depth of the ground at each node across a vertical section, or null where none has air on top.
  // A grid knows it to half a cell: between the middles of equal steps the line runs straight.
  groundLine() {
    if (this.isMap) return null;
    const {shape, origin, spacing, rock} = this.model, {across, along} = this;
    const base = this.index * stride(shape, this.axis), count = shape[across];
    const heights = Array.from({length: count}, (_, i) => {
      let k = 0;
      while (k < shape[along] && !(rock[base + i * stride(shape, across) + k * stride(shape, along)] > 0))
        ++k;
      return k === 0 ? origin[along] : origin[along] + (k - 0.5) * spacing[along];
    });
    if (heights.every(h => h === origin[along])) return null;
    const knots = [];
    for (let i = 0, begin = 0; i < count; ++i)
      if (i + 1 === count || heights[i + 1] !== heights[i]) {
        const at = begin === 0 ? 0 : i + 1 === count ? count - 1 : (begin + i) / 2;
        knots.push([at, heights[i]]);
        begin = i + 1;
      }
    const line = [];
    for (let i = 0, k = 0; i < count; ++i) {
      while (k + 1 < knots.length && knots[k + 1][0] <= i) ++k;
      const [x0, z0] = knots[k], [x1, z1] = knots[Math.min(k + 1, knots.length - 1)];
      line.push(x1 > x0 ? z0 + (z1 - z0) * Math.max(0, Math.min(1, (i - x0) / (x1 - x0))) : z0);
    }
    return line;
  }

  // Its depth at a place between the nodes.
  groundAt(across) {
    const {origin, spacing} = this.model, line = this.top;
    const at = Math.max(0, Math.min((across - origin[this.across]) / spacing[this.across],
      line.length - 1));
    const low = Math.min(Math.floor(at), line.length - 2);
    return line[low] + (at - low) * (line[low + 1] - line[low]);
  }

  colourOf(value) {
    const {low, high, table, log} = this.field;
    if (!Number.isFinite(value)) return null;
    const f = log ? x => Math.log(x) : x => x;
    const t = high > low ? (f(value) - f(low)) / (f(high) - f(low)) : 0.5;
    return table[Math.max(0, Math.min(255, Math.round(255 * t)))];
  }

  draw() {
    const {pen, canvas} = this, f = this.frame();
    this.top = this.groundLine();
    pen.fillStyle = "#fff";
    pen.fillRect(0, 0, canvas.width, canvas.height);
    const wide = Math.max(1, Math.round(f.width)), tall = Math.max(1, Math.round(f.height));
    const image = pen.createImageData(wide, tall);
    const value = this.pixels(this.field, f, wide, tall);
    const plain = this.fade && this.field.fades ? this.pixels(this.fade, f, wide, tall) : () => 1;
    const sky = this.top && Array.from({length: wide}, (_, i) =>
      this.toPixel(0, this.groundAt(this.toPlace(f.x + i + 0.5, 0)[0]))[1] - f.y);
    for (let j = 0, n = 0; j < tall; ++j) {
      for (let i = 0; i < wide; ++i, n += 4) {
        const colour = sky && j + 0.5 < sky[i] ? null : this.colourOf(value(i, j));
        const part = colour ? Math.max(0, Math.min(1, plain(i, j))) || 0 : 0;
        for (let k = 0; k < 3; ++k)
          image.data[n + k] = colour ? 255 + part * (colour[k] - 255) : 255;
        image.data[n + 3] = 255;
      }
    }
    pen.putImageData(image, f.x, f.y);
    if (sky) {
      pen.strokeStyle = "#222";
      pen.lineWidth = 1.4;
      pen.save();
      pen.beginPath();
      pen.rect(f.x, f.y, f.width, f.height);
      pen.clip();
      pen.beginPath();
      sky.forEach((y, i) => pen.lineTo(f.x + i + 0.5, f.y + y));
      pen.stroke();
      pen.restore();
      pen.lineWidth = 1;
    }
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
      pen.fillText(show(this.heights ? -t : t), f.x - 8, y + 4);
    }
    pen.save();
    pen.translate(16, f.y + f.height / 2);
    pen.rotate(-Math.PI / 2);
    pen.textAlign = "center";
    pen.fillText(`${this.isMap ? "y" : this.heights ? "elevation" : "depth"} (${units.length})`, 0, 0);
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
    const {low, high, log} = field, g = log ? Math.log : v => v;
    const at = v => f.y + (high > low ? (g(high) - g(v)) / (g(high) - g(low)) : 0.5) * tall;
    const ticks = !(high > low) ? [low] : log ? logTicks(low, high)
      : niceTicks(low, high, Math.max(3, tall / 60));
    for (const t of ticks) {
      pen.fillRect(x + 14, at(t) - 0.5, 4, 1);
      pen.fillText(show(t), x + 21, at(t) + 4);
    }
    pen.save();
    pen.translate(x + 92, f.y + f.height / 2);
    pen.rotate(-Math.PI / 2);
    pen.textAlign = "center";
    const words = [field.unit, field.log ? "log scale" : ""].filter(Boolean).join(", ");
    pen.fillText(words ? `${field.short} (${words})` : field.short, 0, 0);
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
