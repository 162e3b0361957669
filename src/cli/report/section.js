// A plane through the model on a canvas: colours, ground, points, axes, zoom, the value under the pointer.

class SectionView extends Plane {
  // Small ones stand beside one another and have neither labels nor pointer.
  constructor(canvas, model, units, {onHover = null, small = false} = {}) {
    super(model);
    Object.assign(this, {canvas, units, onHover, small, points: null, layers: null});
    if (!small) this.listen();
  }

  // What is drawn: values by nodes or cells, the axis that is cut, and where; how plainly nodes are
  // shown (a field from 0 to 1, or null), whether heights take the place of depths, and shots and
  // receivers, and rays with interfaces, or null.
  set(field, axis, index, {fade, elevation, points, layers = null}) {
    Object.assign(this, {field, fade, elevation, points, layers});
    this.cut(axis, index);
    this.draw();
  }

  // Whether the axis that runs down is named by heights.
  get heights() { return this.elevation && !this.isMap; }

  // Beside the frame stands the colour scale; on a phone it lies below.
  roomOf(wide) {
    if (this.small) return {left: 40, right: 10, top: 10, bottom: 58};
    if (wide < 560) return {left: 52, right: 14, top: 16, bottom: 96};
    return {left: 70, right: 122, top: 16, bottom: 46};
  }

  colourOf(value) {
    const {low, high, table, log} = this.field;
    if (!Number.isFinite(value)) return null;
    const f = log ? x => Math.log(x) : x => x;
    const t = high > low ? (f(value) - f(low)) / (f(high) - f(low)) : 0.5;
    return table[Math.max(0, Math.min(255, Math.round(255 * t)))];
  }

  draw() {
    const given = this.canvas.parentElement.clientWidth, room = this.roomOf(given);
    const tallest = this.small ? 220 : 460;
    const {pen, fine, wide} = sized(this.canvas, w => this.place(w, tallest, room));
    Object.assign(this, {pen, fine});
    this.beside = !this.small && wide >= 560;
    const f = this.frame();
    this.top = this.groundLine();
    const sky = this.drawColours(f);
    if (sky) this.drawGround(f, sky);
    if (this.layers) drawLayers(this, this.layers, f);
    if (this.points) this.drawPoints(f);
    this.drawAxes(f);
    this.drawScale(f);
  }

  // Gives the pixel rows of the ground, or null.
  drawColours(f) {
    const {pen, fine} = this, paper = theme.paperParts;
    const wide = Math.max(1, Math.round(f.width * fine)), tall = Math.max(1, Math.round(f.height * fine));
    const image = pen.createImageData(wide, tall);
    const value = this.pixels(this.field, f, wide, tall, fine);
    const plain = this.fade && this.field.fades ? this.pixels(this.fade, f, wide, tall, fine) : () => 1;
    const sky = this.top && Array.from({length: wide}, (_, i) =>
      (this.toPixel(0, this.groundAt(this.toPlace(f.x + (i + 0.5) / fine, 0)[0]))[1] - f.y) * fine);
    for (let j = 0, n = 0; j < tall; ++j) {
      for (let i = 0; i < wide; ++i, n += 4) {
        const colour = sky && j + 0.5 < sky[i] ? null : this.colourOf(value(i, j));
        const part = colour ? Math.max(0, Math.min(1, plain(i, j))) || 0 : 0;
        for (let k = 0; k < 3; ++k)
          image.data[n + k] = colour ? paper[k] + part * (colour[k] - paper[k]) : paper[k];
        image.data[n + 3] = 255;
      }
    }
    pen.putImageData(image, Math.round(f.x * fine), Math.round(f.y * fine));
    return sky;
  }

  drawGround(f, sky) {
    const {pen, fine} = this;
    pen.save();
    pen.beginPath();
    pen.rect(f.x, f.y, f.width, f.height);
    pen.clip();
    pen.strokeStyle = theme.ink;
    pen.lineWidth = 1.4;
    pen.beginPath();
    sky.forEach((y, i) => pen.lineTo(f.x + (i + 0.5) / fine, f.y + y / fine));
    pen.stroke();
    pen.restore();
  }

  // Receivers are triangles, shots are stars above them. Points on an edge are drawn whole.
  drawPoints(f) {
    const {pen} = this, size = this.small ? 2.6 : 4.5;
    const each = (points, draw) => {
      for (const p of this.near(points)) {
        const [x, y] = this.toPixel(p[this.across], p[this.along]);
        if (x >= f.x - 1 && x <= f.x + f.width + 1 && y >= f.y - 1 && y <= f.y + f.height + 1) draw(x, y);
      }
    };
    pen.lineWidth = 1;
    pen.strokeStyle = theme.paper;
    pen.fillStyle = theme.receiver;
    each(this.points.receivers, (x, y) => triangle(pen, x, y, size));
    pen.fillStyle = theme.shot;
    each(this.points.shots, (x, y) => star(pen, x, y, 1.5 * size));
  }

  drawAxes(f) {
    const {pen, view} = this, axes = this.model.axes;
    pen.strokeStyle = pen.fillStyle = theme.ink;
    pen.font = this.small ? "11px system-ui, sans-serif" : FONT;
    pen.strokeRect(f.x - 0.5, f.y - 0.5, f.width + 1, f.height + 1);
    pen.textAlign = "center";
    for (const t of niceTicks(view.left, view.right, Math.max(2, Math.min(8, f.width / 65)))) {
      const [x] = this.toPixel(t, view.low);
      pen.fillRect(x - 0.5, f.y + f.height, 1, 5);
      pen.fillText(show(t), x, f.y + f.height + 17);
    }
    pen.textAlign = "right";
    for (const t of niceTicks(view.low, view.high, Math.max(2, f.height / 50))) {
      const [, y] = this.toPixel(view.left, t);
      pen.fillRect(f.x - 5, y - 0.5, 5, 1);
      pen.fillText(show(this.heights ? -t : t), f.x - 8, y + 4);
    }
    if (this.small) return;
    pen.textAlign = "center";
    const [name, unit] = axes[this.across];
    pen.fillText(`${name} (${unit})`, f.x + f.width / 2, f.y + f.height + 36);
    const [deep, length] = axes[this.along];
    const stretched = this.stretch > 1 ? `, ${this.stretch} ×` : "";
    upright(pen, `${this.heights ? "elevation" : deep} (${length}${stretched})`, this.beside ? 16 : 12,
      f.y + f.height / 2);
  }

  drawScale(f) {
    const {field} = this, {low, high, log} = field, g = log ? Math.log : v => v;
    const part = v => high > low ? (g(v) - g(low)) / (g(high) - g(low)) : 0.5;
    const ticks = wanted => !(high > low) ? [low] : log ? logTicks(low, high) : niceTicks(low, high, wanted);
    const words = [field.unit, log ? "log scale" : ""].filter(Boolean).join(", ");
    const name = words ? `${field.short} (${words})` : field.short;
    if (this.beside) this.scaleBeside(f, part, ticks(Math.max(3, f.height / 60)), name);
    else this.scaleBelow(f, part, ticks(Math.max(4, f.width / 80)), name);
  }

  scaleBeside(f, part, ticks, name) {
    const {pen, field} = this, x = f.x + f.width + 18, tall = Math.round(f.height);
    for (let j = 0; j < tall; ++j) {
      pen.fillStyle = `rgb(${field.table[Math.round(255 * (1 - j / tall))]})`;
      pen.fillRect(x, f.y + j, 14, 1.5);
    }
    pen.fillStyle = theme.ink;
    pen.textAlign = "left";
    for (const t of ticks) {
      const y = f.y + (1 - part(t)) * tall;
      pen.fillRect(x + 14, y - 0.5, 4, 1);
      pen.fillText(show(t), x + 21, y + 4);
    }
    upright(pen, name, x + 92, f.y + f.height / 2);
  }

  scaleBelow(f, part, ticks, name) {
    const {pen, field} = this, wide = Math.round(f.width), y = f.y + f.height + (this.small ? 26 : 48);
    for (let i = 0; i < wide; ++i) {
      pen.fillStyle = `rgb(${field.table[Math.round(255 * i / wide)]})`;
      pen.fillRect(f.x + i, y, 1.5, 10);
    }
    pen.fillStyle = theme.ink;
    pen.textAlign = "center";
    let end = -Infinity;
    for (const t of ticks) {
      const x = f.x + part(t) * wide, half = pen.measureText(show(t)).width / 2;
      pen.fillRect(x - 0.5, y + 10, 1, 4);
      if (x - half < end + 6) continue;
      end = x + half;
      pen.fillText(show(t), x, y + 25);
    }
    if (!this.small) pen.fillText(name, f.x + wide / 2, y + 42);
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
      return this.toPlace(event.clientX - box.left, event.clientY - box.top);
    };
    let held = null;
    canvas.addEventListener("wheel", event => {
      event.preventDefault();
      this.zoom(event.deltaY < 0 ? 0.8 : 1.25, ...place(event));
    }, {passive: false});
    canvas.addEventListener("pointerdown", event => {
      held = place(event);
      canvas.setPointerCapture(event.pointerId);
      this.onHover(...held);
    });
    for (const end of ["pointerup", "pointercancel"])
      canvas.addEventListener(end, () => { held = null; });
    canvas.addEventListener("pointermove", event => {
      const now = place(event);
      if (held) this.move(held[0] - now[0], held[1] - now[1]);
      else this.onHover(...now);
    });
    canvas.addEventListener("dblclick", () => this.showAll());
    canvas.addEventListener("keydown", event => {
      const v = this.view, step = 0.1 * (v.right - v.left), down = 0.1 * (v.high - v.low);
      const up = this.isMap ? 1 : -1;
      const moves = {ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, up * down],
        ArrowDown: [0, -up * down]};
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
