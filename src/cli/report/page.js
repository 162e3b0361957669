// Reads the data that stands in the page and joins views and controls.

function floats(text) {
  const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
  return new Float32Array(bytes.buffer);
}

// The scale of what is plainly seen, without the last per cent at either end.
function seenSpan(values, fade, keep) {
  const seen = fade ? values.filter((v, n) => keep(v) && fade[n] > 0.5) : [];
  if (!seen.length) return span(values, keep);
  return {low: percentile(seen, 0.01), high: percentile(seen, 0.99)};
}

// From 0 to the largest errors of what the data see: elsewhere they are those of the smoothing.
function errorSpan(values, fade) {
  return {low: 0, high: seenSpan(values, fade, Number.isFinite).high || 1};
}

function fieldsOf(data) {
  const {model, units} = data, velocity = floats(model.velocity), fields = {};
  const cells = model.shape.map(n => Math.max(1, n - 1)), shape = model.shape;
  const speed = `${units.length}/${units.time}`, isRock = v => v > 0;
  const fade = model.fade && floats(model.fade).map((f, n) => velocity[n] > 0 ? f : NaN);
  const onNodes = text => floats(text).map((v, n) => velocity[n] > 0 ? v : NaN);
  model.rock = velocity;
  fields.velocity = {label: "velocity", short: "velocity", unit: speed, values: velocity, shape,
    zeroIsNone: true, fades: true, mayBeLog: true, table: colourTable(VIRIDIS),
    whole: span(velocity, isRock), seen: seenSpan(velocity, fade, isRock)};
  if (model.start) {
    const start = floats(model.start);
    const change = velocity.map((v, n) => v > 0 && start[n] > 0 ? 100 * (v / start[n] - 1) : NaN);
    const ends = ({low, high}) => {
      const end = Math.max(-low, high) || 1;
      return {low: -end, high: end};
    };
    fields.change = {label: "change from the start model", short: "change", unit: "%",
      values: change, shape, fades: true, table: colourTable(RED_BLUE),
      whole: ends(span(change, Number.isFinite)), seen: ends(seenSpan(change, fade, Number.isFinite))};
  }
  if (model.resolution) {
    fields.resolution = {label: "resolution", short: "resolution", unit: "", shape,
      values: onNodes(model.resolution), table: colourTable([...MAGMA].reverse())};
    fields.resolution.whole = {low: 0, high: span(fields.resolution.values, Number.isFinite).high || 1};
  }
  if (model.deviation) {
    // Air has none, and no velocity to share it by.
    const share = onNodes(model.deviation).map((v, n) => 100 * v / velocity[n]);
    fields.deviation = {label: "standard deviation", short: "deviation", unit: speed, shape,
      values: onNodes(model.deviation), table: colourTable(CIVIDIS)};
    fields.deviation.whole = errorSpan(fields.deviation.values, fade);
    fields.error = {label: "deviation in per cent", short: "deviation", unit: "%", shape, values: share,
      table: colourTable(CIVIDIS), whole: errorSpan(share, fade)};
  }
  if (model.coverage) {
    const count = floats(model.coverage);
    fields.coverage = {label: "rays in the cell", short: "rays", unit: "", values: count, shape: cells,
      isCells: true, zeroIsNone: true, log: true, table: colourTable(MAGMA), whole: span(count, isRock)};
  }
  return {fields, fade: fade && {values: fade, shape}};
}

// The ends of a field's colours, with and without what fades; a logarithmic scale by itself where
// velocities differ much.
function setScale(field, fading, log) {
  Object.assign(field, fading && field.seen ? field.seen : field.whole);
  if (field.mayBeLog) field.log = log && field.low > 0 && field.high > field.low;
}

// The values of every field under the pointer, in words.
function readoutOf(view, fields, model, units, up, across, along) {
  const place = [0, 0, 0];
  place[view.across] = across;
  place[view.along] = along;
  place[view.axis] = model.origin[view.axis] + model.spacing[view.axis] * view.index;
  const where = model.axes.map(([name, unit], a) => {
    if (a === 1 && model.shape[1] === 1) return "";
    const value = a === 2 && up ? -place[a] : place[a];
    return `${a === 2 && up ? "elevation" : name} ${show(value)}${unit === "°" ? "°" : ""}`;
  }).filter(Boolean);
  const values = Object.values(fields).map(field => {
    const value = view.valueAt(field, across, along);
    const air = field.zeroIsNone && !field.isCells && value === 0;
    return `${field.label} ${air ? "none (air)" : `${show(value)} ${field.unit}`}`.trim();
  });
  return `${where.join(", ")} ${units.length}: ${values.join(", ")}`;
}

// Small views of all fields but the one that is shown large; a click exchanges them.
function showMaps(holder, fields, model, units, choose) {
  return Object.entries(fields).map(([name, field]) => {
    const figure = document.createElement("figure"), canvas = document.createElement("canvas");
    const words = document.createElement("figcaption");
    figure.className = "figure";
    words.textContent = field.label + (field.unit ? ` (${field.unit})` : "");
    figure.append(words, canvas);
    figure.addEventListener("click", () => choose(name));
    holder.append(figure);
    return {name, figure, field, view: new SectionView(canvas, model, units, {small: true})};
  });
}

function showModel(data) {
  const {model, units} = data, {fields, fade} = fieldsOf(data);
  const find = id => document.getElementById(id);
  const flat = model.shape[1] === 1, readout = find("readout");
  const [first, second, deep] = model.axes.map(([name]) => name);
  const planes = {[`${first}–${deep}`]: 1, [`${second}–${deep}`]: 0, "map": 2};
  for (const [name, field] of Object.entries(fields))
    find("field").add(new Option(field.label, name));
  for (const name of Object.keys(planes)) find("plane").add(new Option(name, planes[name]));
  find("plane-label").hidden = find("cut-label").hidden = flat;
  find("veil-label").hidden = !fade;
  find("veil-reason").textContent = model.resolution ? "pale where the data resolve little"
    : "pale where no ray passes near by";
  find("points-label").hidden = !data.picks;
  find("rays-label").hidden = !data.layers || !flat;
  const {low, high} = fade ? fields.velocity.seen : fields.velocity.whole;
  find("log").checked = low > 0 && high >= LARGE * low;

  // On the window, so that a console (and the test) can reach it.
  const view = window.view = new SectionView(find("section"), model, units, {onHover: (across, along) => {
    readout.textContent = readoutOf(view, fields, model, units, find("elevation").checked, across, along);
  }});
  const maps = showMaps(find("maps"), fields, model, units, name => {
    find("field").value = name;
    update();
  });
  const update = () => {
    const axis = flat ? 1 : Number(find("plane").value), cut = find("cut");
    if (Number(cut.max) !== model.shape[axis] - 1 || view.axis !== axis) {
      cut.max = model.shape[axis] - 1;
      cut.value = Math.floor((model.shape[axis] - 1) / (axis === 2 ? 4 : 2));
    }
    const index = Number(cut.value), [name, unit] = model.axes[axis];
    find("cut-name").textContent = `at ${name}`;
    find("cut-value").textContent =
      `${show(model.origin[axis] + model.spacing[axis] * index)} ${unit}`;
    const chosen = find("field").value, field = fields[chosen];
    const fading = find("veil").checked && fade, points = find("points").checked ? data.picks : null;
    for (const each of Object.values(fields)) setScale(each, fading, find("log").checked);
    find("log-label").hidden = !field.mayBeLog;
    const layers = flat && data.layers && find("rays").checked ? data.layers : null;
    const how = {fade: fading || null, elevation: find("elevation").checked, points, layers};
    view.set(field, axis, index, how);
    for (const map of maps) {
      map.figure.hidden = map.name === chosen;
      if (!map.figure.hidden) map.view.set(map.field, axis, index, how);
    }
  };
  for (const id of ["field", "plane", "cut", "veil", "log", "elevation", "points", "rays"])
    find(id).addEventListener("input", update);
  find("reset").addEventListener("click", () => view.showAll());
  drawn(update);
}

function showPicks(data) {
  const find = id => document.getElementById(id), {shots, receivers, acrossName, ...texts} = data.picks;
  const lists = Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, floats(text)]));
  const small = smallTimes(data.units.time, [...lists.before, ...lists.after]);
  const late = smallTimes(data.units.time, lists.time);
  const scaled = (names, factor) => ({...lists, ...Object.fromEntries(
    names.map(name => [name, lists[name].map(v => factor * v)]))});
  const misses = scaled(["before", "after", "error"], small.factor);
  const times = scaled(["time", "after", "error"], late.factor);
  const units = {...data.units, time: small.unit};
  const residuals = new Residuals(misses, units);
  const draw = () => {
    const before = find("before").checked, after = find("after").checked;
    residuals.draw(find("scatter"), find("histogram"), find("residual-readout"), before, after);
    drawShots(find("by-shot"), misses, shots, units, before, after);
  };
  for (const id of ["before", "after"]) find(id).addEventListener("input", draw);
  drawn(draw);
  if (!shots.length) return;
  const order = shotOrder(shots), slider = find("shot");
  slider.max = order.length - 1;
  const curves = () => {
    const number = order[Number(slider.value)];
    find("shot-value").textContent =
      `${Number(slider.value) + 1} of ${order.length}, ${shotPlace(shots[number], data)}`;
    drawCurves(find("curves"), times, number,
      {across: acrossName, ...data.units, time: late.unit});
  };
  slider.addEventListener("input", curves);
  drawn(curves);
}

function main() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const find = id => document.getElementById(id);
  chooseScheme(find("scheme"));
  find("title").textContent = data.title;
  find("subtitle").textContent = data.subtitle;
  for (const [name, value] of data.summary) {
    const group = document.createElement("div");
    for (const [tag, text] of [["dt", name], ["dd", value]]) {
      const node = document.createElement(tag);
      node.textContent = text;
      group.append(node);
    }
    find("summary").append(group);
  }
  const hide = (...ids) => { for (const id of ids) find(id).hidden = true; };
  if (data.model) showModel(data);
  else hide("model-section");
  if (data.events) showEvents(data);
  else hide("events-section");
  if (!data.history) hide("convergence-section");
  else if (data.history.rows.length) {
    drawn(() => {
      drawConvergence(find("convergence"), data.history, data.units.time, targetRms(data.settings));
      drawTradeOff(find("trade-off"), data.history, data.units.time, targetRms(data.settings));
    });
    table(find("history"), data.history);
  }
  if (data.layers) showPhases(data);
  else hide("phases-section");
  if (data.picks) showPicks(data);
  else hide("residuals-section", "curves-section");
  // Of a run that is still going: fermat watch writes the page anew.
  if (data.going) setTimeout(() => location.reload(), 4000);
  find("settings").textContent = data.settings;
  if (!data.settings) hide("settings-section");
  find("footer").textContent = data.footer;
  followWidth();
  printLight();
}

main();
