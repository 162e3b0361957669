// Frames with axes; the convergence as SVG, residuals by offset and their histogram on canvases.

function svg(name, attributes, text) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  return node;
}

// A frame with axes on a canvas; gives the pen and what turns values into pixels. Without a name the
// axis that runs up has ticks alone.
function chart(canvas, {x, y, xLabel, yLabel, tall, wanted = 10, below = 46, numbers = true}) {
  const {pen, wide: over, tall: whole} = sized(canvas, tall), narrow = over < 480;
  const f = {left: !yLabel ? 40 : narrow ? 60 : 74, right: over - 16, top: 14, bottom: whole - below};
  const wide = (x.high - x.low) || 1, high = (y.high - y.low) || 1;
  f.x = v => f.left + (v - x.low) / wide * (f.right - f.left);
  f.y = v => f.bottom - (v - y.low) / high * (f.bottom - f.top);
  pen.strokeStyle = pen.fillStyle = theme.ink;
  pen.strokeRect(f.left - 0.5, f.top - 0.5, f.right - f.left + 1, f.bottom - f.top + 1);
  pen.textAlign = "center";
  if (numbers) for (const t of niceTicks(x.low, x.low + wide, Math.max(2, Math.min(wanted, (f.right - f.left) / 60)))) {
    pen.fillRect(f.x(t) - 0.5, f.bottom, 1, 4);
    // No number is cut off by the edge.
    const most = over - 2 - pen.measureText(show(t)).width / 2;
    pen.fillText(show(t), Math.min(f.x(t), most), f.bottom + 18);
  }
  pen.fillText(xLabel, (f.left + f.right) / 2, whole - 8);
  pen.textAlign = "right";
  // Depths grow downward: low is then above high.
  for (const t of niceTicks(Math.min(y.low, y.low + high), Math.max(y.low, y.low + high), 6)) {
    pen.fillRect(f.left - 4, f.y(t) - 0.5, 4, 1);
    if (yLabel) pen.fillText(show(t), f.left - 7, f.y(t) + 4);
  }
  if (yLabel) upright(pen, yLabel, narrow ? 12 : 15, (f.top + f.bottom) / 2);
  return [pen, f];
}

const widened = (low, high, part = 0.05) => {
  const more = part * (high - low) || Math.abs(high) * part || 1;
  return {low: low - more, high: high + more};
};

const columnOf = (history, name) => {
  const at = history.names.indexOf(name);
  return at < 0 ? null : history.rows.map(row => typeof row[at] === "number" ? row[at] : NaN);
};

// The RMS at which the run was to stop, in the run's own unit; NaN where it had none.
const targetRms = settings => Number((/^target-rms = (\S+)$/m.exec(settings) || [])[1]);

// A dashed line across a chart at the height of its target.
function drawTarget(root, left, right, at) {
  const line = svg("line", {x1: left, x2: right, y1: at, y2: at, stroke: theme.grey,
    "stroke-dasharray": "6 5", class: "target"});
  root.append(line, svg("text", {x: right, y: at - 5, "text-anchor": "end", "font-size": 12,
    fill: theme.dim}, "target"));
}

function drawConvergence(holder, history, given, target) {
  const {factor, unit} = smallTimes(given, columnOf(history, "rms"));
  const scaled = name => (columnOf(history, name) || []).map(v => factor * v);
  const iteration = columnOf(history, "iteration"), rms = scaled("rms");
  const weighted = scaled("weighted_rms");
  // Equal errors make both the same: one line then.
  const two = weighted.some((v, n) => Math.abs(v - rms[n]) > 1e-6 * rms[n]);
  const lines = [["plain RMS", rms, theme.after, ""]];
  if (two) lines.push(["weighted RMS", weighted, theme.weighted, "7 5"]);
  const wide = Math.max(240, holder.clientWidth), tall = 300;
  const room = {left: wide < 560 ? 56 : 70, right: 20, top: 30, bottom: 44};
  const all = lines.flatMap(([, values]) => values).filter(Number.isFinite);
  const top = 1.08 * Math.max(...all), last = Math.max(1, ...iteration), first = iteration[0];
  const x = n => room.left + (n - first) / (last - first || 1) * (wide - room.left - room.right);
  const y = v => tall - room.bottom - v / top * (tall - room.top - room.bottom);
  const root = svg("svg", {viewBox: `0 0 ${wide} ${tall}`, role: "img", "font-size": 13,
    "aria-label": "RMS residual of each iteration", fill: theme.ink});
  for (const t of niceTicks(0, top, 5)) {
    root.append(svg("line", {x1: room.left, x2: wide - room.right, y1: y(t), y2: y(t),
      stroke: theme.line}));
    root.append(svg("text", {x: room.left - 8, y: y(t) + 4, "text-anchor": "end"}, show(t)));
  }
  for (const t of niceTicks(first, last, Math.min(12, wide / 40)).filter(Number.isInteger))
    root.append(svg("text", {x: x(t), y: tall - room.bottom + 18, "text-anchor": "middle"}, t));
  root.append(svg("text", {x: wide / 2, y: tall - 8, "text-anchor": "middle"}, "iteration"));
  root.append(svg("text", {x: 16, y: tall / 2, "text-anchor": "middle",
    transform: `rotate(-90 16 ${tall / 2})`}, `RMS residual (${unit})`));
  if (factor * target < top) drawTarget(root, room.left, wide - room.right, y(factor * target));
  lines.forEach(([name, values, colour, dash], number) => {
    root.append(svg("polyline", {points: values.map((v, n) => `${x(iteration[n])},${y(v)}`).join(" "),
      fill: "none", stroke: colour, "stroke-width": 2, "stroke-dasharray": dash}));
    values.forEach((value, n) => {
      const dot = svg("circle", {cx: x(iteration[n]), cy: y(value), r: 4, fill: colour});
      dot.append(svg("title", {}, `iteration ${iteration[n]}: ${name} ${show(value)} ${unit}`));
      root.append(dot);
    });
    const at = wide - room.right - 140 * (lines.length - number);
    root.append(svg("line", {x1: at, x2: at + 26, y1: 14, y2: 14, stroke: colour, "stroke-width": 2,
      "stroke-dasharray": dash}));
    root.append(svg("text", {x: at + 32, y: 18}, name));
  });
  holder.replaceChildren(root);
}

function table(holder, {names, rows}) {
  const element = document.createElement("table");
  const line = (cells, tag) => {
    const row = element.insertRow();
    for (const cell of cells) {
      const node = document.createElement(tag);
      node.textContent = typeof cell === "number" ? show(cell) : cell;
      row.append(node);
    }
  };
  line(names, "th");
  rows.forEach(row => line(row, "td"));
  holder.replaceChildren(element);
}

class Residuals {
  constructor(data, units) {
    Object.assign(this, {data, units});
    const finite = [...data.before, ...data.after].filter(Number.isFinite);
    let low = Infinity, high = -Infinity, far = 0;
    for (const v of finite) { low = Math.min(low, v); high = Math.max(high, v); }
    for (const v of data.offset) far = Math.max(far, v);
    const margin = 0.05 * (high - low) || 1;
    Object.assign(this, {low: low - margin, high: high + margin, far: far || 1});
  }

  sets(before, after) {
    const all = [];
    if (before) all.push(["start model", this.data.before, theme.before]);
    if (after) all.push(["final model", this.data.after, theme.after]);
    return all;
  }

  draw(scatter, histogram, readout, before, after) {
    const sets = this.sets(before, after);
    this.scatter(scatter, sets);
    this.histogram(histogram, sets);
    readout.textContent = sets.map(([name, values]) => {
      const finite = Array.from(values).filter((v, n) => Number.isFinite(v) && this.data.kept[n]);
      if (!finite.length) return `${name}: no pick kept`;
      const rms = Math.sqrt(finite.reduce((sum, v) => sum + v * v, 0) / finite.length);
      const mean = finite.reduce((sum, v) => sum + v, 0) / finite.length;
      return `${name}: plain RMS ${show(rms)}${this.weighted(values)}, mean ${show(mean)} ${this.units.time}`;
    }).join("; ");
  }

  // Each pick by 1 / error^2, where all have errors.
  weighted(values) {
    const {error, kept} = this.data;
    let sum = 0, weights = 0;
    for (let n = 0; n < values.length; ++n) {
      if (!Number.isFinite(values[n]) || !kept[n]) continue;
      if (!(error[n] > 0)) return "";
      sum += (values[n] / error[n]) ** 2;
      weights += error[n] ** -2;
    }
    return `, weighted RMS ${show(Math.sqrt(sum / weights))}`;
  }

  scatter(canvas, sets) {
    const {length, time} = this.units;
    const [pen, f] = chart(canvas, {x: {low: 0, high: 1.02 * this.far}, y: this,
      xLabel: `offset (${length})`, yLabel: `observed − computed (${time})`, tall: 320});
    const size = this.data.offset.length > 4000 ? 1.4 : 2.6;
    for (const [, values, colour] of sets) {
      pen.fillStyle = colour + "99";
      values.forEach((v, n) => {
        if (Number.isFinite(v)) pen.fillRect(f.x(this.data.offset[n]) - size / 2,
          f.y(v) - size / 2, size, size);
      });
    }
    pen.fillStyle = theme.grey;
    pen.fillRect(f.left, f.y(0) - 0.5, f.right - f.left, 1);
  }

  histogram(canvas, sets) {
    const count = 40;
    const bins = sets.map(([, values, colour]) => {
      const bin = new Array(count).fill(0);
      for (const v of values) if (Number.isFinite(v))
        bin[Math.min(count - 1, Math.floor((v - this.low) / (this.high - this.low) * count))]++;
      return [bin, colour];
    });
    const most = Math.max(1, ...bins.flatMap(([bin]) => bin));
    const [pen, f] = chart(canvas, {x: {low: 0, high: most / 0.96}, y: this, xLabel: "picks",
      yLabel: "", tall: 320, wanted: 3});
    for (const [bin, colour] of bins) {
      pen.fillStyle = colour + "8c";
      const tall = (f.bottom - f.top) / count;
      bin.forEach((n, k) => pen.fillRect(f.left, f.bottom - (k + 1) * tall, f.x(n) - f.left, tall));
    }
  }
}
