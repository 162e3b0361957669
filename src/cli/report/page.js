// Reads the data that stands in the page and joins views and controls.

function floats(text) {
  const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
  return new Float32Array(bytes.buffer);
}

function span(values, keep) {
  let low = Infinity, high = -Infinity;
  for (const v of values) if (keep(v)) { low = Math.min(low, v); high = Math.max(high, v); }
  return {low, high};
}

function fieldsOf(data) {
  const {model, units} = data, velocity = floats(model.velocity), fields = {};
  const cells = model.shape.map(n => Math.max(1, n - 1));
  const speed = `${units.length}/${units.time}`;
  fields.velocity = {label: "velocity", short: "velocity", unit: speed, values: velocity, shape: model.shape,
    zeroIsNone: true, table: colourTable(VIRIDIS), ...span(velocity, v => v > 0)};
  if (model.start) {
    const start = floats(model.start);
    const change = velocity.map((v, n) => v > 0 && start[n] > 0 ? 100 * (v / start[n] - 1) : NaN);
    const {low, high} = span(change, Number.isFinite), end = Math.max(-low, high) || 1;
    fields.change = {label: "change from the start model", short: "change", unit: "%", values: change,
      shape: model.shape, table: colourTable(RED_BLUE), low: -end, high: end};
  }
  if (data.coverage) {
    const count = floats(data.coverage);
    fields.coverage = {label: "rays in the cell", short: "rays", unit: "", values: count, shape: cells,
      isCells: true, zeroIsNone: true, log: true, table: colourTable(MAGMA),
      ...span(count, v => v > 0)};
  }
  return fields;
}

function showModel(data) {
  const {model, units} = data, fields = fieldsOf(data), find = id => document.getElementById(id);
  const flat = model.shape[1] === 1, readout = find("readout");
  const planes = {"x–depth": 1, "y–depth": 0, "map": 2};
  for (const [name, field] of Object.entries(fields))
    find("field").add(new Option(field.label, name));
  for (const name of Object.keys(planes)) find("plane").add(new Option(name, planes[name]));
  find("plane-label").hidden = find("cut-label").hidden = flat;
  find("veil-label").hidden = !fields.coverage;

  // On the window, so that a console (and the test) can reach it.
  const view = window.view = new SectionView(find("section"), model, units, (across, along) => {
    const place = ["", "", ""];
    place[view.across] = show(across);
    place[view.along] = show(along);
    place[view.axis] = show(model.origin[view.axis] + model.spacing[view.axis] * view.index);
    const where = [`x ${place[0]}`, ...(flat ? [] : [`y ${place[1]}`]), `depth ${place[2]}`];
    const values = Object.values(fields).map(field => {
      const value = view.valueAt(field, across, along);
      const air = field === fields.velocity && value === 0;
      return `${field.label} ${air ? "none (air)" : `${show(value)} ${field.unit}`}`.trim();
    });
    readout.textContent = `${where.join(", ")} ${units.length}: ${values.join(", ")}`;
  });
  const update = () => {
    const axis = flat ? 1 : Number(find("plane").value), cut = find("cut");
    if (Number(cut.max) !== model.shape[axis] - 1 || view.axis !== axis) {
      cut.max = model.shape[axis] - 1;
      cut.value = Math.floor((model.shape[axis] - 1) / (axis === 2 ? 4 : 2));
    }
    const index = Number(cut.value);
    find("cut-name").textContent = `at ${["x", "y", "depth"][axis]}`;
    find("cut-value").textContent =
      `${show(model.origin[axis] + model.spacing[axis] * index)} ${units.length}`;
    const veil = find("veil").checked && fields.coverage ? fields.coverage : null;
    view.set(fields[find("field").value], axis, index, veil);
  };
  for (const id of ["field", "plane", "cut", "veil"]) find(id).addEventListener("input", update);
  find("reset").addEventListener("click", () => view.showAll());
  update();
}

function main() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const find = id => document.getElementById(id);
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
  showModel(data);
  if (data.history.rows.length) {
    drawConvergence(find("convergence"), data.history, data.units.time);
    table(find("history"), data.history);
  }
  const lists = Object.fromEntries(
    Object.entries(data.residuals).map(([name, text]) => [name, floats(text)]));
  const residuals = new Residuals(lists, data.units);
  const draw = () => residuals.draw(find("scatter"), find("histogram"), find("residual-readout"),
    find("before").checked, find("after").checked);
  for (const id of ["before", "after"]) find(id).addEventListener("input", draw);
  draw();
  find("settings").textContent = data.settings;
  find("footer").textContent = data.footer;
}

main();
