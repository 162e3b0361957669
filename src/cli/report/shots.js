// Misfit shot by shot, picks with their fitted curves, and the trade-off curve.

// The axis along which shots differ most.
function widest(shots) {
  const spread = [0, 1, 2].map(a => {
    const {low, high} = span(shots.map(p => p[a]), Number.isFinite);
    return high - low;
  });
  return spread.indexOf(Math.max(...spread));
}

function shotOrder(shots) {
  const axis = widest(shots);
  return shots.map((_, n) => n).sort((a, b) => shots[a][axis] - shots[b][axis]);
}

function shotPlace([x, y, z], data) {
  const {shape, axes} = data.model, values = [x, y, z];
  return axes.map(([name], a) => a === 1 && shape[1] === 1 ? "" : `${name} ${show(values[a])}`)
    .filter(Boolean).join(", ") + ` ${data.units.length}`;
}

function drawShots(canvas, lists, shots, units, before, after) {
  const axis = widest(shots), along = shots.map(p => p[axis]);
  // Two shots at one place along the line would hide each other.
  const is3d = new Set(shots.map(p => p[1])).size > 1;
  const numbered = is3d || new Set(along).size < along.length;
  const sets = [];
  if (before) sets.push([lists.before, theme.before]);
  if (after) sets.push([lists.after, theme.after]);
  const drawn = sets.map(([values, colour]) => {
    const sums = shots.map(() => [0, 0, 0]);
    values.forEach((v, n) => {
      if (!Number.isFinite(v) || !lists.kept[n]) return;
      const s = sums[lists.shot[n]];
      s[0] += 1; s[1] += v; s[2] += v * v;
    });
    return [sums.map(([n, , squares]) => Math.sqrt(squares / n)), sums.map(([n, sum]) => sum / n), colour];
  });
  const all = drawn.flatMap(([rms, mean]) => [...rms, ...mean]).filter(Number.isFinite);
  const place = numbered ? along.map((_, n) => n + 1) : along;
  const ends = span(place, Number.isFinite), name = ["x", "y", "depth"][axis];
  const [pen, f] = chart(canvas, {x: widened(ends.low, ends.high, 0.03),
    y: widened(Math.min(0, ...all), Math.max(0, ...all)),
    xLabel: numbered ? "shot (number)" : `shot ${name} (${units.length})`,
    yLabel: `residuals of the shot (${units.time})`, tall: 280});
  pen.fillStyle = theme.grey;
  pen.fillRect(f.left, f.y(0) - 0.5, f.right - f.left, 1);
  for (const [rms, mean, colour] of drawn) {
    pen.fillStyle = colour;
    place.forEach((x, n) => {
      if (!Number.isFinite(rms[n])) return;
      pen.beginPath();
      pen.arc(f.x(x), f.y(rms[n]), 3.4, 0, 7);
      pen.fill();
      pen.fillRect(f.x(x) - 6, f.y(mean[n]) - 1, 12, 2);
    });
  }
}

function drawCurves(canvas, lists, shot, names) {
  const {across, time, error, after, kept} = lists, count = time.length;
  const computed = time.map((t, n) => t - after[n]);
  const xs = span(across, Number.isFinite), ts = span(time, Number.isFinite);
  if (!Number.isFinite(ts.low)) return;
  const low = ts.low < 0.4 * ts.high ? Math.min(0, ts.low) : ts.low;
  const [pen, f] = chart(canvas, {x: widened(xs.low, xs.high, 0.03), y: widened(low, ts.high, 0.04),
    xLabel: `${names.across} (${names.length})`, yLabel: `time (${names.time})`, tall: 360});
  const byShot = new Map();
  for (let n = 0; n < count; ++n) {
    if (!byShot.has(lists.shot[n])) byShot.set(lists.shot[n], []);
    byShot.get(lists.shot[n]).push(n);
  }
  // Neighbours in offset are no neighbours in 3-D: no line there.
  const line = (rows, colour, width) => {
    if (names.across === "offset") return;
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.beginPath();
    for (const n of rows) if (Number.isFinite(computed[n])) pen.lineTo(f.x(across[n]), f.y(computed[n]));
    pen.stroke();
  };
  const sorted = rows => [...rows].sort((a, b) => across[a] - across[b]);
  for (const [number, rows] of byShot) if (number !== shot) line(sorted(rows), theme.line, 1);
  const mine = sorted(byShot.get(shot) || []);
  line(mine, theme.after, 1.8);
  for (const n of mine) {
    const x = f.x(across[n]), y = f.y(time[n]);
    pen.strokeStyle = pen.fillStyle = kept[n] ? theme.ink : theme.grey;
    pen.lineWidth = 1.2;
    if (!kept[n]) {
      pen.beginPath();
      pen.moveTo(x - 4, y - 4); pen.lineTo(x + 4, y + 4);
      pen.moveTo(x - 4, y + 4); pen.lineTo(x + 4, y - 4);
      pen.stroke();
      continue;
    }
    if (error[n] > 0) pen.fillRect(x - 0.5, f.y(time[n] + error[n]), 1,
      f.y(time[n] - error[n]) - f.y(time[n] + error[n]));
    pen.beginPath();
    pen.arc(x, y, 2.6, 0, 7);
    pen.fill();
    if (names.across === "offset" && Number.isFinite(computed[n])) {
      pen.strokeStyle = theme.after;
      pen.beginPath();
      pen.arc(x, f.y(computed[n]), 4.5, 0, 7);
      pen.stroke();
    }
  }
}

// Misfit against roughness, a point a model; nothing where the run has no such numbers.
function drawTradeOff(holder, history, given, target) {
  const {factor, unit} = smallTimes(given, columnOf(history, "rms"));
  const lambda = columnOf(history, "lambda"), roughness = columnOf(history, "roughness");
  const chi2 = columnOf(history, "chi2"), rms = columnOf(history, "rms").map(v => factor * v);
  if (!lambda || !roughness) return;
  const hasChi2 = chi2 && Number.isFinite(chi2[chi2.length - 1]), value = hasChi2 ? chi2 : rms;
  const kept = lambda.map((_, n) => n).filter(n => lambda[n] > 0 && roughness[n] > 0 && value[n] > 0);
  if (!kept.length) return;
  holder.hidden = false;
  const wide = Math.max(240, holder.clientWidth), tall = 320;
  const room = {left: wide < 560 ? 56 : 70, right: 90, top: 16, bottom: 46};
  const ends = values => {
    const {low, high} = span(values, Number.isFinite);
    return {low: low / 1.15, high: high * 1.2};
  };
  const xs = ends(kept.map(n => roughness[n])), ys = ends(kept.map(n => value[n]));
  if (hasChi2) ys.low = Math.min(ys.low, 0.85);
  const part = (v, {low, high}) => Math.log(v / low) / Math.log(high / low);
  const x = v => room.left + part(v, xs) * (wide - room.left - room.right);
  const y = v => tall - room.bottom - part(v, ys) * (tall - room.top - room.bottom);
  const root = svg("svg", {viewBox: `0 0 ${wide} ${tall}`, role: "img", "font-size": 13,
    "aria-label": "trade-off of misfit and roughness", fill: theme.ink});
  for (const t of logTicks(ys.low, ys.high)) {
    root.append(svg("line", {x1: room.left, x2: wide - room.right, y1: y(t), y2: y(t), stroke: theme.line}));
    root.append(svg("text", {x: room.left - 8, y: y(t) + 4, "text-anchor": "end"}, show(t)));
  }
  for (const t of logTicks(xs.low, xs.high))
    root.append(svg("text", {x: x(t), y: tall - room.bottom + 18, "text-anchor": "middle"}, show(t)));
  root.append(svg("text", {x: (room.left + wide - room.right) / 2, y: tall - 8, "text-anchor": "middle"},
    "roughness of the model"));
  root.append(svg("text", {x: 16, y: tall / 2, "text-anchor": "middle",
    transform: `rotate(-90 16 ${tall / 2})`}, hasChi2 ? "χ² per pick" : `plain RMS residual (${unit})`));
  if (hasChi2) root.append(svg("line", {x1: room.left, x2: wide - room.right, y1: y(1), y2: y(1),
    stroke: theme.grey, "stroke-dasharray": "6 5"}));
  else if (factor * target > ys.low && factor * target < ys.high)
    drawTarget(root, room.left, wide - room.right, y(factor * target));
  root.append(svg("polyline", {points: kept.map(n => `${x(roughness[n])},${y(value[n])}`).join(" "),
    fill: "none", stroke: theme.after, "stroke-width": 1.5}));
  const taken = [];
  [...kept].reverse().forEach((n, order) => {
    const cx = x(roughness[n]), cy = y(value[n]), last = order === 0;
    const dot = svg("circle", {cx, cy, r: last ? 6.5 : 4, fill: last ? theme.before : theme.after, class: "trade"});
    dot.append(svg("title", {}, `iteration ${columnOf(history, "iteration")[n]}: λ ${show(lambda[n])}`));
    root.append(dot);
    if (taken.some(([a, b]) => Math.abs(a - cx) < 62 && Math.abs(b - cy) < 17)) return;
    taken.push([cx, cy]);
    root.append(svg("text", {x: cx + 9, y: cy - 6, "font-size": 12, fill: theme.dim},
      `λ ${Number(lambda[n].toPrecision(2))}${last ? ", found" : ""}`));
  });
  holder.replaceChildren(root);
}
