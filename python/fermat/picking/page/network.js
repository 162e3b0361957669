// Earthquakes: gathers of events and stations, a map with the place of the event, and times over distance.

// Traces of one event by distance, or of one station by time; `parts` are the components to show.
function networkGathers(kind, meta, model, parts) {
  const shown = (r, k) => parts === "all" || (parts === "Z") === (r.components[k] === "Z");
  if (kind === "shot") return meta.records.map((r, n) => {
    const event = eventOf(model, n), far = event && event.distance;
    const traces = r.channels.map((_, k) => k).filter(k => shown(r, k));
    const place = k => far ? far[k] ?? Infinity : 0, name = k => r.stations[k];  // of a station Z, N, E
    traces.sort((a, b) => place(a) - place(b) || (name(a) > name(b)) - (name(a) < name(b)) ||
      (r.components[a] < r.components[b]) - (r.components[a] > r.components[b]));
    return {label: r.name, traces: traces.map(k => [n, k])};
  });
  const groups = new Map();
  meta.records.forEach((r, n) => r.channels.forEach((_, k) => {
    if (!shown(r, k)) return;
    if (!groups.has(r.stations[k])) groups.set(r.stations[k], []);
    groups.get(r.stations[k]).push([n, k]);
  }));
  return [...groups].sort().map(([name, traces]) => ({label: name, traces}));
}

function eventOf(model, record) {
  return model && model.events && model.events.find(e => e.record === record && e.place) || null;
}

function eventText(event, unit) {
  const [x, y, z] = event.place, [ex, ey, ez] = event.errors;
  const where = event.degrees ? `${event.degrees[1].toFixed(3)}° N ${event.degrees[0].toFixed(3)}° E` : `x ${show(x)}, y ${show(y)}`;
  return `${where} ± ${show(Math.hypot(ex, ey))} ${unit}, depth ${show(z)} ± ${show(ez)} ${unit}; ` +
    `${event.used} of ${event.picks} picks, RMS ${show(1000 * event.rms)} ms, gap ${show(event.gap)}°` +
    (event.status === "located" ? "" : " (on a face of the model: it may lie outside)");
}

// Times after the origin over distance: the model's curves, the picks with their errors.
class DistanceCurves {
  constructor(canvas) { Object.assign(this, {canvas, event: null, picks: [], unit: ""}); }

  // picks: [{x, t, error, phase, bad}] after the origin.
  set(event, picks, unit) {
    Object.assign(this, {event, picks, unit});
    this.draw();
  }

  draw() {
    const pen = this.canvas.getContext("2d"), {width, height} = fitCanvas(this.canvas), ink = colours();
    pen.clearRect(0, 0, width, height);
    pen.font = "12px system-ui, sans-serif";
    if (!this.event) return;
    const {curve} = this.event, room = {left: 48, right: 8, top: 8, bottom: 30};
    const x = {low: 0, high: Math.max(...curve.x)}, most = Math.max(...curve.s, ...this.picks.map(p => p.t + p.error));
    const t = {low: Math.min(0, ...this.picks.map(p => p.t - p.error)), high: 1.04 * most};
    const f = {x, t, width, height, room,
      px: v => room.left + (v - x.low) / (x.high - x.low || 1) * (width - room.left - room.right),
      py: v => room.top + (v - t.low) / (t.high - t.low || 1) * (height - room.top - room.bottom)};
    axes(pen, f, ink, `distance${this.unit ? ` (${this.unit})` : ""}`, "time after origin (s)", 1);
    for (const [times, colour] of [[curve.p, ink.p], [curve.s, ink.s]]) {
      pen.strokeStyle = colour;
      pen.lineWidth = 1.5;
      pen.beginPath();
      times.forEach((v, n) => n ? pen.lineTo(f.px(curve.x[n]), f.py(v)) : pen.moveTo(f.px(curve.x[n]), f.py(v)));
      pen.stroke();
    }
    for (const p of this.picks) {
      pen.strokeStyle = pen.fillStyle = p.phase === "P" ? ink.p : ink.s;
      pen.lineWidth = 1;
      pen.beginPath();
      pen.moveTo(f.px(p.x), f.py(p.t - p.error)); pen.lineTo(f.px(p.x), f.py(p.t + p.error)); pen.stroke();
      pen.beginPath(); pen.arc(f.px(p.x), f.py(p.t), 3.5, 0, 7);
      if (p.bad) pen.stroke(); else pen.fill();
    }
  }
}

// Stations as triangles, events as dots, the current one with its ellipse of 68 %.
class NetworkMap {
  constructor(canvas, onHover, onChoose) {
    Object.assign(this, {canvas, onHover, onChoose, stations: [], events: [], current: -1, unit: ""});
    canvas.addEventListener("pointermove", event => this.onHover(this.nearest(event).text));
    canvas.addEventListener("pointerleave", () => onHover(""));
    canvas.addEventListener("click", event => {
      const {record} = this.nearest(event);
      if (record !== undefined) this.onChoose(record);
    });
  }

  // stations: [{name, x, y}]; events as the server gives them.
  set(stations, events, current, unit) {
    Object.assign(this, {stations, events: events.filter(e => e.place), current, unit});
    this.draw();
  }

  frame() {
    const {width, height} = fitCanvas(this.canvas), room = {left: 48, right: 12, top: 10, bottom: 30};
    const points = [...this.stations.map(s => [s.x, s.y]), ...this.events.map(e => e.place)];
    const x = span(points.map(p => p[0]), Number.isFinite), y = span(points.map(p => p[1]), Number.isFinite);
    const wide = width - room.left - room.right, tall = height - room.top - room.bottom;
    const scale = 1.15 * Math.max((x.high - x.low) / wide, (y.high - y.low) / tall, 1e-9);  // one for both axes
    const middle = [(x.low + x.high) / 2, (y.low + y.high) / 2];
    const half = [scale * wide / 2, scale * tall / 2];
    return {width, height, room, x: {low: middle[0] - half[0], high: middle[0] + half[0]},
      t: {low: middle[1] - half[1], high: middle[1] + half[1]},
      px: v => room.left + (v - middle[0] + half[0]) / scale, py: v => height - room.bottom - (v - middle[1] + half[1]) / scale};
  }

  draw() {
    const pen = this.canvas.getContext("2d"), size = fitCanvas(this.canvas), ink = colours();
    pen.clearRect(0, 0, size.width, size.height);
    pen.font = "12px system-ui, sans-serif";
    if (!this.stations.length) return;
    const f = this.frame(), unit = this.unit ? ` (${this.unit})` : "";
    axes(pen, f, ink, `east${unit}`, `north${unit}`, 1);
    pen.save();
    pen.beginPath();
    pen.rect(f.room.left, f.room.top, f.width - f.room.left - f.room.right, f.height - f.room.top - f.room.bottom);
    pen.clip();
    for (const {x, y, name} of this.stations) {
      pen.fillStyle = ink.ink;
      pen.beginPath();
      pen.moveTo(f.px(x), f.py(y) - 6); pen.lineTo(f.px(x) + 5, f.py(y) + 4); pen.lineTo(f.px(x) - 5, f.py(y) + 4);
      pen.fill();
      pen.fillStyle = ink.dim;
      pen.textAlign = "center";
      pen.textBaseline = "top";
      pen.fillText(name.split(".").pop(), f.px(x), f.py(y) + 5);
    }
    for (const event of this.events) {
      const main = event.record === this.current;
      pen.globalAlpha = main ? 1 : 0.45;
      pen.fillStyle = pen.strokeStyle = ink.s;
      pen.beginPath();
      event.ellipse.forEach(([x, y], n) => n ? pen.lineTo(f.px(x), f.py(y)) : pen.moveTo(f.px(x), f.py(y)));
      pen.closePath();
      pen.stroke();
      pen.beginPath(); pen.arc(f.px(event.place[0]), f.py(event.place[1]), main ? 5 : 3.5, 0, 7); pen.fill();
    }
    pen.globalAlpha = 1;
    pen.restore();
  }

  nearest(event) {
    if (!this.stations.length) return {text: ""};
    const f = this.frame(), box = this.canvas.getBoundingClientRect();
    const at = [event.clientX - box.left, event.clientY - box.top];
    let best = {text: ""}, least = 14;
    for (const one of this.events) {
      const far = Math.hypot(f.px(one.place[0]) - at[0], f.py(one.place[1]) - at[1]);
      if (far < least) { least = far; best = {record: one.record, text: eventText(one, this.unit)}; }
    }
    for (const one of this.stations) {
      const far = Math.hypot(f.px(one.x) - at[0], f.py(one.y) - at[1]);
      if (far < least) { least = far; best = {text: one.name}; }
    }
    return best;
  }
}
