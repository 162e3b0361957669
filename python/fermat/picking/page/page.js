// The page: which gather is shown, what keys and buttons do, and what the server says.

const get = id => document.getElementById(id);
let meta, state, model = null, modelNumber = -1, gatherIndex = 0, gathers = [];
const held = new Map();  // samples by record and band

const view = new GatherView(get("traces"), {hover, pick, erase, setError});
const curves = new CurvesView(get("curves"), record => { get("kind").value = "shot"; makeGathers(); showGather(record); });
const section = new LiveSection(get("section"), text => { get("under").textContent = text; });
let distances = null, map = null;  // of a network, in place of curves and section

const say = text => { get("status").textContent = text || ""; };
const trouble = error => say(`Error: ${error.message || error}`);
const pickKey = (column, phase) => `${meta.records[column.record].name}/${column.trace}/${phase}`;
const staticOf = record => (state.statics[meta.records[record].name] || {time: 0}).time;

// Gathers: by shot the records themselves, else the traces of one place or of one offset.
function makeGathers() {
  const kind = get("kind").value, before = gathers[gatherIndex];
  if (meta.network) {
    gathers = networkGathers(kind, meta, model, get("component").value);
  } else if (kind === "shot") {
    gathers = meta.records.map((r, n) => ({label: `${r.name}${r.sourceX === null ? "" : `, x ${show(r.sourceX)}`}`,
      traces: r.channels.map((_, k) => [n, k])}));
  } else {
    const groups = new Map(), step = kind === "offset" ? offsetStep() : 0;
    meta.records.forEach((r, n) => r.channels.forEach((channel, k) => {
      const value = kind === "receiver" ? r.x[k] : Math.round(r.offset[k] / step) * step;
      if (!Number.isFinite(value)) return;
      if (!groups.has(value)) groups.set(value, []);
      groups.get(value).push([n, k]);
    }));
    gathers = [...groups].sort((a, b) => a[0] - b[0]).map(([value, traces]) =>
      ({label: kind === "receiver" ? `receiver at ${show(value)}` : `offset ${show(value)}`, traces}));
  }
  const list = get("gather");
  list.replaceChildren(...gathers.map((g, n) => new Option(g.label, n)));
  if (gatherIndex >= gathers.length || !before) gatherIndex = 0;
}

function offsetStep() {
  const x = [...meta.records[0].x].sort((a, b) => a - b), apart = x.slice(1).map((v, n) => v - x[n]).filter(v => v > 0);
  return apart.length ? percentile(apart, 0.5) : 1;
}

async function samplesOf(record) {
  const low = Number(get("low").value), high = Number(get("high").value), key = `${record}:${low}:${high}`;
  if (!held.has(key)) {
    if (held.size > 40) held.delete(held.keys().next().value);
    held.set(key, await askSamples(record, meta.records[record].traces, low, high));
  }
  return held.get(key);
}

async function showGather(n, keepView) {
  if (!gathers.length) return;
  gatherIndex = (n + gathers.length) % gathers.length;
  get("gather").value = gatherIndex;
  const wanted = gatherIndex, traces = gathers[gatherIndex].traces, kind = get("kind").value;
  try {
    const records = [...new Set(traces.map(([r]) => r))];
    const data = new Map();
    for (const r of records) data.set(r, await samplesOf(r));
    if (wanted !== gatherIndex) return;
    view.set(traces.map(([r, k]) => {
      const record = meta.records[r], source = data.get(r);
      const label = meta.network ? (kind === "shot" ? `${record.stations[k].split(".").pop()} ${record.components[k]}` : record.components[k])
        : kind === "shot" ? show(record.x[k]) : record.sourceX === null ? record.name : show(record.sourceX);
      const event = meta.network ? eventOf(model, r) : null;
      return {record: r, trace: k, label, offset: event ? event.distance[k] : record.offset[k], start: record.start, interval: record.interval,
        data: source.trace(k), most: source.most[k], picks: {}};
    }).map(fillColumn), keepView);
    drawCurves();
    about();
  } catch (error) { trouble(error); }
}

// The picks and lines of a column, as the state has them now.
function fillColumn(column) {
  for (const phase of ["P", "S"]) column.picks[phase] = state.picks[pickKey(column, phase)] || null;
  column.predicted = model ? model.predicted[column.record][column.trace] : null;
  column.predictedS = model && model.predictedS ? model.predictedS[column.record][column.trace] : null;
  column.reciprocal = state.reciprocal[column.record][column.trace];
  column.beside = besides(column);
  column.static = staticOf(column.record) || null;
  return column;
}

// Picks of the shots before and after this one at the same receiver, by this record's clock.
function besides(column) {
  if (meta.network || get("kind").value !== "shot") return [];
  return neighbours(column.record).map(n => {
    const r = meta.records[n], k = r.channels.indexOf(meta.records[column.record].channels[column.trace]);
    const p = k < 0 ? null : state.picks[`${r.name}/${k}/P`];
    return p && !p.bad ? p.time - staticOf(n) + staticOf(column.record) : null;
  });
}

const nextTo = new Map();
function neighbours(record) {
  if (!nextTo.size) {
    const placed = meta.records.map((_, n) => n).filter(n => meta.records[n].sourceX !== null)
      .sort((a, b) => meta.records[a].sourceX - meta.records[b].sourceX);
    placed.forEach((n, at) => nextTo.set(n, [placed[at - 1], placed[at + 1]].filter(one => one !== undefined)));
  }
  return nextTo.get(record) || [];
}

function refresh() {
  const first = !view.columns.some(c => c.picks.P || Number.isFinite(c.predicted) && c.predicted !== null);
  view.columns.forEach(fillColumn);
  if (view.gain === "first") view.scales = null;
  if (first && view.columns.some(c => c.picks.P)) view.whole();
  view.redraw();
  drawCurves();
  get("undo").disabled = !state.undo;
  get("redo").disabled = !state.redo;
  get("undo").title = state.undo ? `undo: ${state.undo} (Ctrl-Z)` : "nothing to undo";
  get("redo").title = state.redo ? `redo: ${state.redo} (Ctrl-Y)` : "nothing to redo";
  get("auto").disabled = Boolean(state.work);
  const banner = [];
  if (state.tabs > 1) banner.push(`This project is open in ${state.tabs} tabs: they show the same picks, and undo is shared.`);
  get("banner").hidden = !banner.length;
  get("banner").textContent = banner.join(" ");
  about();
}

function about() {
  const picks = Object.values(state.picks), by = name => picks.filter(p => p.by === name).length;
  const record = view.columns.length && get("kind").value === "shot" ? meta.records[view.columns[0].record] : null;
  const rows = [["picks", `${picks.length} on ${meta.records.reduce((a, r) => a + r.traces, 0)} traces; ` +
    `${by("auto")} automatic, ${by("hand")} by hand${by("file") ? `, ${by("file")} of files` : ""}`]];
  const event = record && meta.network ? eventOf(model, view.columns[0].record) : null;
  if (event) rows.push(["event", eventText(event, meta.unit)]);
  if (record && !meta.network) {
    const found = state.statics[record.name];
    rows.push(["static", !found ? "none" : `${show(1000 * found.time)} ms, ` + (found.by === "hand" ? "by hand"
      : `by ${[found.zero ? "zero offset" : "", found.pairs ? `${found.pairs} reciprocal pairs` : ""].filter(Boolean).join(" and ") || "none"}`)]);
  }
  rows.push(["project", `${meta.project}, ${state.changes} ${state.changes === 1 ? "change" : "changes"}`]);
  get("about").replaceChildren(...rows.flatMap(([name, text]) => {
    const dt = document.createElement("dt"), dd = document.createElement("dd");
    dt.textContent = name;
    dd.textContent = text;
    return [dt, dd];
  }));
}

function drawCurves() {
  if (meta.network) return drawNetwork();
  const lines = meta.records.map((r, n) => {
    const order = r.x.map((_, k) => k).sort((a, b) => r.x[a] - r.x[b]), shift = staticOf(n);
    const time = order.map(k => { const p = state.picks[`${r.name}/${k}/P`]; return p && !p.bad ? p.time - shift : null; });
    const predicted = order.map(k => model && model.predicted[n][k] !== null ? model.predicted[n][k] - shift : null);
    return {record: n, x: order.map(k => r.x[k]), t: time, predicted};
  });
  curves.set(lines, view.columns.length ? view.columns[0].record : -1);
}

// The current event: its picks over distance, and where it is.
function drawNetwork() {
  const n = view.columns.length ? view.columns[0].record : -1, event = eventOf(model, n), picks = [];
  if (event) meta.records[n].channels.forEach((_, k) => {
    for (const phase of ["P", "S"]) {
      const p = state.picks[`${meta.records[n].name}/${k}/${phase}`], x = event.distance[k];
      if (p && Number.isFinite(x)) picks.push({x, t: p.time - event.origin, error: p.error, phase, bad: p.bad});
    }
  });
  distances.set(event, picks, meta.unit);
  const stations = new Map();
  meta.records.forEach(r => r.stations.forEach((name, k) => {
    const [x, y] = r.receivers[k];
    if (x !== null) stations.set(name, {name, x, y});
  }));
  map.set([...stations.values()], model && model.events || [], n, meta.unit);
}

// A time as the axis has it.
const timeText = t => meta.network ? `${t.toFixed(3)} s` : `${show(1000 * t)} ms`;

function hover(at) {
  const c = view.columns[at.column];
  if (!c) return;
  const pick = c.picks.P, later = c.picks.S, parts = [`${meta.records[c.record].name}, trace ${meta.records[c.record].channels[c.trace]}`,
    `offset ${show(c.offset)} ${meta.network ? meta.unit : "m"}`, timeText(at.time)];
  if (meta.network) parts[0] = `${meta.records[c.record].name}, ${meta.records[c.record].stations[c.trace]} ${meta.records[c.record].components[c.trace]}`;
  if (pick) parts.push(`P ${timeText(pick.time)} ± ${show(1000 * pick.error)} ms (${pick.by}${pick.bad ? ", bad" : ""})`);
  if (pick && c.predicted !== null) parts.push(`residual ${show(1000 * (pick.time - c.predicted))} ms`);
  if (later) parts.push(`S ${timeText(later.time)} ± ${show(1000 * later.error)} ms (${later.by}${later.bad ? ", bad" : ""})`);
  if (later && Number.isFinite(c.predictedS)) parts.push(`residual ${show(1000 * (later.time - c.predictedS))} ms`);
  if (pick && pick.note) parts.push(`“${pick.note}”`);
  get("readout").textContent = parts.join(" · ");
}

// Changes go to the server, whose answer is the new state.
async function change(path, body) {
  try {
    take(await post(path, body));
    say("");
  } catch (error) { trouble(error); refresh(); }
}

function take(found) {
  if (state && found.revision < state.revision) return;
  state = found;
  refresh();
}

const address = column => ({record: column.record, trace: column.trace});

async function pick(places, exact) {
  const phase = get("phase").value, rows = [];
  for (const [k, time] of places) {
    const c = view.columns[k];
    let found = null;
    if (get("snap").checked && !exact) {
      try { found = (await post("snap", {...address(c), time, phase})).pick; } catch (error) { return trouble(error); }
    }
    rows.push({...address(c), phase, time: found ? found.time : time, by: "hand", bad: false,
      ...(found ? {error: found.error} : {})});
  }
  await change("change", {picks: rows, what: rows.length === 1 ? "a pick" : `${rows.length} picks`});
}

function erase(columns) {
  const phase = get("phase").value;
  const rows = columns.map(k => view.columns[k]).filter(c => c && c.picks[phase]).map(c => ({...address(c), phase, time: null}));
  if (rows.length) change("change", {picks: rows, what: rows.length === 1 ? "a pick removed" : `${rows.length} picks removed`});
}

function setError(k, phase) {
  const c = view.columns[k], p = c.picks[phase];
  change("change", {picks: [{...address(c), phase, time: p.time, error: p.error, by: p.by}], what: "an error"});
}

// Changes the pick under the pointer, or of the selected trace.
function adjust(edit, what) {
  const c = view.columns[view.hovered ? view.hovered.column : view.selected], phase = get("phase").value;
  const p = c && c.picks[phase];
  if (p) change("change", {picks: [{...address(c), phase, ...p, ...edit(p, c)}], what});
}

function worst() {
  if (!model) return say("There is no model yet.");
  let best = null;
  for (const [phase, times] of [["P", model.predicted], ["S", model.predictedS]])
    meta.records.forEach((r, n) => r.channels.forEach((_, k) => {
      const p = times && state.picks[`${r.name}/${k}/${phase}`], t = times && times[n][k];
      if (!p || p.bad || !Number.isFinite(t)) return;
      const size = Math.abs(p.time - t) / p.error;
      if (!best || size > best.size) best = {n, k, size, phase, off: p.time - t};
    }));
  if (!best) return say("No pick has a predicted time.");
  get("kind").value = "shot";
  if (meta.network) get("component").value = "all";
  makeGathers();
  showGather(best.n).then(() => {
    view.select(view.columns.findIndex(c => c.trace === best.k));
    const record = meta.records[best.n], name = meta.network ? `${record.stations[best.k]} ${best.phase}` : `trace ${best.k + 1}`;
    say(`${record.name}, ${name}: ${show(1000 * best.off)} ms from the model, ${show(best.size)} of its errors`);
  });
}

async function takeModel() {
  const found = await (await ask("model")).json();
  modelNumber = found.number;
  if (found.model) {
    const first = meta.network && !eventOf(model, view.columns.length ? view.columns[0].record : 0);
    model = found.model;
    if (model.section) section.set(model.section);
    if (first && gathers.length) { makeGathers(); await showGather(gatherIndex, true); }  // now by distance
    get("fit").textContent = (meta.network ? `${model.events.filter(e => e.place).length} located, ` : "") + `RMS ${show(1000 * model.rms)} ms` + (model.chi2 === null ? "" : `, χ² ${show(model.chi2)}`) +
      `, ${model.picks} picks` + (model.rejected ? `, ${model.rejected} not used` : "");
    refresh();
  }
  if (found.said) get("fit").textContent = found.said;
}

// One long question after the other: what is new?
async function follow() {
  for (;;) {
    try {
      const found = await (await ask("poll", {tab: tabName, revision: state.revision, model: modelNumber,
        work: state.work || "", tabs: state.tabs})).json();
      const done = state.work && !found.work;
      state = found;
      if (found.model !== modelNumber) await takeModel();
      refresh();
      if (found.work) say(found.work);
      else if (done) say(found.said);
    } catch (error) {
      say("The server does not answer: start `fermat pick` again; nothing is lost.");
      await new Promise(later => setTimeout(later, 2000));
    }
  }
}

function cycle(id, name) {
  const list = get(id);
  list.selectedIndex = (list.selectedIndex + 1) % list.options.length;
  list.dispatchEvent(new Event("input"));
}

function places() {
  const table = document.createElement("table");
  const row = cells => { const tr = table.insertRow(); cells.forEach(c => tr.insertCell().append(c)); };
  const field = (value, done) => {
    const input = Object.assign(document.createElement("input"), {type: "number", step: "any", value: value === null ? "" : value});
    input.addEventListener("change", () => done(Number(input.value)));
    return input;
  };
  const fields = (kind, key, place) => place.map((v, axis) => field(v, async value => {
    place[axis] = value;
    if (place.some(one => one === null)) return;
    await change("place", {kind, key: String(key), place});
    meta = await (await ask("meta")).json();
    nextTo.clear();
    makeGathers();
    showGather(gatherIndex, true);
  }));
  row(["shot", "x", "y", "z", "static (ms)", ""]);
  meta.records.forEach((r, n) => {
    const found = state.statics[r.name];
    row([r.name, ...fields("shot", r.name, r.source), field(found ? Number((1000 * found.time).toFixed(3)) : null,
      value => change("static", {record: n, time: value / 1000})), found ? found.by : ""]);
  });
  row(["receiver", "x", "y", "z", "", ""]);
  const seen = new Set();
  meta.records.forEach(r => r.channels.forEach((channel, k) => {
    if (seen.has(channel)) return;
    seen.add(channel);
    row([String(channel), ...fields("receiver", channel, r.receivers[k]), "", ""]);
  }));
  get("rows").replaceChildren(table);
  get("table").showModal();
}

async function save(format) {
  try {
    const found = await post("export", {format});
    if (found.file === null) return say([`wrote ${found.name.replace(".zip", "")} into the project's folder exports`, ...found.notes].join("; "));
    const bytes = Uint8Array.from(atob(found.file), c => c.charCodeAt(0));
    const link = Object.assign(document.createElement("a"), {href: URL.createObjectURL(new Blob([bytes])), download: found.name});
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    say([`wrote ${found.name}; a copy is in the project's folder exports`, ...found.notes].join("; "));
  } catch (error) { trouble(error); }
}

async function bring(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (let n = 0; n < bytes.length; n += 8192) text += String.fromCharCode(...bytes.subarray(n, n + 8192));
  await change("import", {name: file.name, file: btoa(text)});
  say(state.said);
}

const KEYS = {
  ArrowLeft: () => showGather(gatherIndex - 1), ArrowRight: () => showGather(gatherIndex + 1),
  Delete: () => erase([view.hovered ? view.hovered.column : view.selected]),
  Backspace: () => erase([view.hovered ? view.hovered.column : view.selected]),
  ",": () => adjust((p, c) => ({time: p.time - c.interval, by: "hand"}), "a pick moved"),
  ".": () => adjust((p, c) => ({time: p.time + c.interval, by: "hand"}), "a pick moved"),
  e: () => adjust(p => ({error: p.error * 1.25}), "an error"), E: () => adjust(p => ({error: p.error / 1.25}), "an error"),
  b: () => adjust(p => ({bad: !p.bad}), "quality"),
  n: () => adjust(p => ({note: prompt("Comment", p.note || "") ?? p.note}), "a comment"),
  s: () => cycle("phase"), c: () => { if (meta.network) cycle("component"); }, g: () => cycle("gain"), i: () => cycle("look"),
  r: () => { get("reduce").value = view.reduce > 0 ? "" : meta.network ? 6 : 1500; get("reduce").dispatchEvent(new Event("input")); },
  f: () => { view.whole(); view.redraw(); }, w: worst, a: () => get("auto").click(),
  "+": () => size(1), "=": () => size(1), "-": () => size(-1), "?": () => get("keys").showModal(),
};

function size(by) {
  get("size").value = Number(get("size").value) + by;
  get("size").dispatchEvent(new Event("input"));
}

function listen() {
  const on = (id, event, work) => get(id).addEventListener(event, work);
  on("previous", "click", () => showGather(gatherIndex - 1));
  on("next", "click", () => showGather(gatherIndex + 1));
  on("gather", "input", () => showGather(Number(get("gather").value)));
  on("kind", "input", () => { gatherIndex = 0; makeGathers(); showGather(0); });
  on("component", "input", () => { makeGathers(); showGather(gatherIndex); keep("component"); });
  on("auto", "click", () => change("auto", {rounds: 3}));
  on("undo", "click", () => change("undo"));
  on("redo", "click", () => change("redo"));
  on("worst", "click", worst);
  on("help", "click", () => get("keys").showModal());
  on("places", "click", places);
  on("whole", "click", () => { view.whole(); view.redraw(); });
  on("export", "input", () => { const format = get("export").value; get("export").value = ""; if (format) save(format); });
  on("import", "change", () => { if (get("import").files[0]) bring(get("import").files[0]); get("import").value = ""; });
  on("look", "input", () => { view.look = get("look").value; view.redraw(); keep("look"); });
  on("gain", "input", () => { view.gain = get("gain").value; view.scales = null; view.redraw(); keep("gain"); });
  on("size", "input", () => { view.size = Number(get("size").value); view.redraw(); });
  for (const id of ["low", "high"]) on(id, "change", () => { showGather(gatherIndex, true); keep(id); });
  on("reduce", "input", () => { view.reduce = Number(get("reduce").value); view.whole(); view.redraw(); });
  document.addEventListener("keydown", event => {
    if (event.target.matches("input, select, textarea") || document.querySelector("dialog[open]")) return;
    if (event.key === " ") { view.spaceHeld = true; event.preventDefault(); return; }
    if (event.ctrlKey || event.metaKey) {
      const redo = event.key === "y" || event.key === "Z";
      if (event.key !== "z" && !redo) return;
      event.preventDefault();
      change(redo ? "redo" : "undo");
      return;
    }
    const work = KEYS[event.key];
    if (work && !event.altKey) { event.preventDefault(); work(); }
  });
  document.addEventListener("keyup", event => { if (event.key === " ") view.spaceHeld = false; });
  const all = () => { view.redraw(); if (meta.network) { distances.draw(); map.draw(); } else { curves.draw(); section.draw(); } };
  new ResizeObserver(all).observe(get("traces"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", all);
  addEventListener("pagehide", () => fetch("leave", {method: "POST", keepalive: true,
    headers: {"Content-Type": "application/json"}, body: JSON.stringify({tab: tabName})}));
}

// Filters and looks are kept with the project.
function keep(id) { post("setting", {name: id, value: get(id).value}).then(take).catch(trouble); }

// What a network has in place of a line.
function asNetwork() {
  distances = new DistanceCurves(get("curves"));
  map = new NetworkMap(get("section"), text => { get("under").textContent = text; }, record => {
    get("kind").value = "shot"; makeGathers(); showGather(record); });
  get("component").hidden = false;
  get("curvesTitle").textContent = "Times over distance";
  get("modelTitle").textContent = "Map";
  get("kind").replaceChildren(new Option("event", "shot"), new Option("station", "receiver"));
  get("kind").title = "traces of one event or of one station";
  get("places").hidden = true;
  get("reduce").placeholder = meta.unit ? `${meta.unit}/s` : "x/t";
}

async function start() {
  try {
    [meta, state] = await Promise.all([ask("meta"), ask("state")].map(async answer => (await answer).json()));
    if (meta.network) asNetwork();
    for (const option of [...get("export").options]) if (option.value && !meta.exports.includes(option.value)) option.remove();
    for (const id of ["look", "gain", "low", "high", "component"]) if (state.settings[id] !== undefined) get(id).value = state.settings[id];
    Object.assign(view, {look: get("look").value, gain: get("gain").value});
    makeGathers();
    listen();
    await takeModel();
    await showGather(0);
    refresh();
    if (meta.notes.length) say(meta.notes.join(". "));
    document.body.dataset.ready = "yes";
    follow();
  } catch (error) { trouble(error); }
}

start();
