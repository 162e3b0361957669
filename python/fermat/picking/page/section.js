// The live model: velocities where rays are, rays, shots and receivers, and the value under the pointer.

class LiveSection {
  constructor(canvas, onHover) {
    Object.assign(this, {canvas, onHover, model: null});
    this.table = colourTable(VIRIDIS);
    canvas.addEventListener("pointermove", event => this.hover(event));
    canvas.addEventListener("pointerleave", () => onHover(""));
  }

  set(model) {
    this.model = model;
    this.draw();
  }

  frame() {
    const {width, height} = fitCanvas(this.canvas), {origin, spacing, shape} = this.model;
    const x = {low: origin[0], high: origin[0] + spacing[0] * (shape[0] - 1)};
    const t = {low: origin[1], high: origin[1] + spacing[1] * (shape[1] - 1)};
    // As deep as rays go, and a little more.
    const {seen} = this.model;
    let deepest = 0;
    for (let i = 0; i < shape[0]; ++i)
      for (let k = 0; k < shape[1]; ++k) if (seen[i * shape[1] + k] > 0 && k > deepest) deepest = k;
    t.high = Math.min(t.high, origin[1] + spacing[1] * (deepest + 2));
    const room = {left: 48, right: 64, top: 12, bottom: 30};
    return {x, t, width, height, room,
      px: v => room.left + (v - x.low) / (x.high - x.low) * (width - room.left - room.right),
      py: v => room.top + (v - t.low) / (t.high - t.low) * (height - room.top - room.bottom)};
  }

  scale() {
    const {velocity, seen} = this.model, known = velocity.filter((v, n) => seen[n] > 0 && v > 0);
    const low = percentile(known, 0.01), high = percentile(known, 0.99), log = high > 3 * low;
    const place = v => log ? Math.log(v / low) / Math.log(high / low) : (v - low) / (high - low || 1);
    return {low, high, log, index: v => Math.max(0, Math.min(255, Math.round(255 * place(v)))), place};
  }

  draw() {
    const pen = this.canvas.getContext("2d"), ink = colours();
    const size = fitCanvas(this.canvas);
    pen.clearRect(0, 0, size.width, size.height);
    pen.font = "12px system-ui, sans-serif";
    if (!this.model) return;
    const f = this.frame(), {shape, velocity, seen} = this.model, scale = this.scale();
    const picture = new OffscreenCanvas(shape[0], shape[1]), image = new ImageData(shape[0], shape[1]);
    for (let i = 0; i < shape[0]; ++i)
      for (let k = 0; k < shape[1]; ++k) {
        const v = velocity[i * shape[1] + k], at = 4 * (k * shape[0] + i);
        image.data.set([...this.table[scale.index(v)], v > 0 ? (seen[i * shape[1] + k] > 0 ? 255 : 40) : 0], at);
      }
    picture.getContext("2d").putImageData(image, 0, 0);
    pen.save();
    pen.beginPath();
    pen.rect(f.room.left, f.room.top, f.width - f.room.left - f.room.right, f.height - f.room.top - f.room.bottom);
    pen.clip();
    pen.imageSmoothingEnabled = true;
    const {origin, spacing} = this.model;
    const right = f.px(origin[0] + spacing[0] * (shape[0] - 0.5)), left = f.px(origin[0] - 0.5 * spacing[0]);
    const top = f.py(origin[1] - 0.5 * spacing[1]), bottom = f.py(origin[1] + spacing[1] * (shape[1] - 0.5));
    pen.drawImage(picture, left, top, right - left, bottom - top);
    pen.strokeStyle = "rgba(255, 255, 255, 0.35)";
    pen.lineWidth = 0.7;
    pen.beginPath();
    for (const ray of this.model.rays)
      ray.forEach(([x, z], n) => n ? pen.lineTo(f.px(x), f.py(z)) : pen.moveTo(f.px(x), f.py(z)));
    pen.stroke();
    pen.restore();
    axes(pen, f, ink, "x (m)", "depth (m)", 1);
    this.marks(pen, f, ink);
    this.bar(pen, f, ink, scale);
  }

  marks(pen, f, ink) {
    pen.fillStyle = ink.ink;
    for (const [x, z] of this.model.receivers) {
      pen.beginPath(); pen.arc(f.px(x), f.py(z), 1.6, 0, 7); pen.fill();
    }
    pen.fillStyle = ink.s;
    for (const [x, z] of this.model.sources) {
      pen.beginPath(); pen.arc(f.px(x), f.py(z), 4, 0, 7); pen.fill();
    }
  }

  bar(pen, f, ink, scale) {
    const x = f.width - f.room.right + 10, top = f.room.top, bottom = f.height - f.room.bottom;
    for (let y = top; y < bottom; ++y) {
      const [r, g, b] = this.table[Math.round(255 * (bottom - y) / (bottom - top))];
      pen.fillStyle = `rgb(${r}, ${g}, ${b})`;
      pen.fillRect(x, y, 10, 1.5);
    }
    pen.fillStyle = ink.dim;
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    const ticks = scale.log ? logTicks(scale.low, scale.high) : niceTicks(scale.low, scale.high, 5);
    for (const v of ticks) {
      const y = bottom - scale.place(v) * (bottom - top);
      if (y >= top && y <= bottom) pen.fillText(show(v), x + 13, y);
    }
    pen.textBaseline = "bottom";
    pen.fillText("m/s", x, f.height - 1);
  }

  hover(event) {
    if (!this.model) return;
    const f = this.frame(), box = this.canvas.getBoundingClientRect(), {origin, spacing, shape} = this.model;
    const across = (event.clientX - box.left - f.room.left) / (f.width - f.room.left - f.room.right);
    const down = (event.clientY - box.top - f.room.top) / (f.height - f.room.top - f.room.bottom);
    const x = f.x.low + across * (f.x.high - f.x.low), z = f.t.low + down * (f.t.high - f.t.low);
    const i = Math.round((x - origin[0]) / spacing[0]), k = Math.round((z - origin[1]) / spacing[1]);
    if (i < 0 || k < 0 || i >= shape[0] || k >= shape[1]) return this.onHover("");
    const n = i * shape[1] + k;
    this.onHover(`x ${show(x)} m, depth ${show(z)} m: ${show(this.model.velocity[n])} m/s` +
      (this.model.seen[n] > 0 ? "" : ", no rays"));
  }
}
