// Time-distance curves of all shots: picks as lines, the current gather plainly, the model's times dashed.

class CurvesView {
  constructor(canvas, onChoose) {
    Object.assign(this, {canvas, onChoose, lines: [], current: -1});
    canvas.addEventListener("click", event => this.choose(event));
  }

  // lines: [{record, x: [], t: [], predicted: []}] by place, times without statics.
  set(lines, current) {
    Object.assign(this, {lines, current});
    this.draw();
  }

  frame() {
    const {width, height} = fitCanvas(this.canvas);
    const x = span(this.lines.flatMap(l => l.x), Number.isFinite), t = span(this.lines.flatMap(l => l.t), Number.isFinite);
    if (!(x.high > x.low)) { x.low = 0; x.high = 1; }
    if (!(t.high > t.low)) { t.low = 0; t.high = 0.1; }
    const room = {left: 48, right: 8, top: 8, bottom: 30};
    t.low = Math.min(t.low, 0);
    t.high += 0.04 * (t.high - t.low);
    return {x, t, width, height, room,
      px: v => room.left + (v - x.low) / (x.high - x.low) * (width - room.left - room.right),
      py: v => room.top + (v - t.low) / (t.high - t.low) * (height - room.top - room.bottom)};
  }

  draw() {
    const pen = this.canvas.getContext("2d"), f = this.frame(), ink = colours();
    pen.clearRect(0, 0, f.width, f.height);
    pen.font = "12px system-ui, sans-serif";
    axes(pen, f, ink, "x (m)", "time (ms)", 1000);
    for (const line of this.lines) {
      const main = line.record === this.current;
      pen.lineWidth = main ? 2 : 1;
      pen.globalAlpha = main ? 1 : 0.45;
      this.stroke(pen, f, line.x, line.t, main ? ink.p : ink.ink, []);
      if (main) this.stroke(pen, f, line.x, line.predicted, ink.predicted, [5, 4]);
    }
    pen.globalAlpha = 1;
    pen.setLineDash([]);
  }

  stroke(pen, f, x, t, colour, dash) {
    pen.strokeStyle = colour;
    pen.setLineDash(dash);
    pen.beginPath();
    let on = false;
    for (let n = 0; n < x.length; ++n) {
      if (!Number.isFinite(t[n]) || t[n] === null) { on = false; continue; }
      if (on) pen.lineTo(f.px(x[n]), f.py(t[n]));
      else pen.moveTo(f.px(x[n]), f.py(t[n]));
      on = true;
    }
    pen.stroke();
  }

  choose(event) {
    const f = this.frame(), box = this.canvas.getBoundingClientRect();
    const at = [event.clientX - box.left, event.clientY - box.top];
    let best = null, least = 20;
    for (const line of this.lines)
      line.x.forEach((x, n) => {
        if (!Number.isFinite(line.t[n]) || line.t[n] === null) return;
        const far = Math.hypot(f.px(x) - at[0], f.py(line.t[n]) - at[1]);
        if (far < least) { least = far; best = line.record; }
      });
    if (best !== null) this.onChoose(best);
  }
}

// The canvas as large as it is shown, in pixels of the page; drawn finely on dense screens.
function fitCanvas(canvas) {
  const fine = window.devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * fine) || canvas.height !== Math.round(height * fine)) {
    canvas.width = Math.round(width * fine);
    canvas.height = Math.round(height * fine);
  }
  canvas.getContext("2d").setTransform(fine, 0, 0, fine, 0, 0);
  return {width, height};
}

function colours() {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(["paper", "ink", "dim", "line", "p", "s", "predicted", "reciprocal"]
    .map(name => [name, style.getPropertyValue(`--${name}`).trim()]));
}

// Frame, ticks and names; times are shown by a factor.
function axes(pen, f, ink, across, down, factor) {
  const right = f.width - f.room.right, bottom = f.height - f.room.bottom;
  pen.strokeStyle = ink.line;
  pen.fillStyle = ink.dim;
  pen.lineWidth = 1;
  pen.textAlign = "center";
  pen.textBaseline = "top";
  for (const x of niceTicks(f.x.low, f.x.high, 6)) {
    pen.beginPath(); pen.moveTo(f.px(x), f.room.top); pen.lineTo(f.px(x), bottom); pen.stroke();
    pen.fillText(show(x), f.px(x), bottom + 3);
  }
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  for (const t of niceTicks(f.t.low * factor, f.t.high * factor, 6)) {
    pen.beginPath(); pen.moveTo(f.room.left, f.py(t / factor)); pen.lineTo(right, f.py(t / factor)); pen.stroke();
    pen.fillText(show(t), f.room.left - 4, f.py(t / factor));
  }
  pen.textAlign = "center";
  pen.textBaseline = "bottom";
  pen.fillText(across, (f.room.left + right) / 2, f.height - 1);
  pen.save();
  pen.translate(10, (f.room.top + bottom) / 2);
  pen.rotate(-Math.PI / 2);
  pen.textBaseline = "middle";
  pen.fillText(down, 0, 0);
  pen.restore();
  pen.strokeStyle = ink.dim;
  pen.strokeRect(f.room.left, f.room.top, right - f.room.left, bottom - f.room.top);
}
