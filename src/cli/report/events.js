// A catalogue: its map, sections and depths, and residuals by station.

const STATION = "#1d2529", MOVE = "#9aa5ab";
const PHASE_COLOURS = {P: AFTER, S: "#d55e00"};

// Equal lengths along both axes: widens the shorter one to the shape of the frame.
function alike(x, y, wide, tall) {
  const scale = Math.max((x.high - x.low) / wide, (y.high - y.low) / tall) || 1;
  const grown = ({low, high}, size) => {
    const more = (scale * size - (high - low)) / 2;
    return {low: low - more, high: high + more};
  };
  return [grown(x, wide), grown(y, tall)];
}

function spanOf(...lists) {
  let low = Infinity, high = -Infinity;
  for (const list of lists)
    for (const v of list) if (Number.isFinite(v)) { low = Math.min(low, v); high = Math.max(high, v); }
  return Number.isFinite(low) ? widened(low, high) : {low: 0, high: 1};
}

class EventsView {
  constructor(data, units) {
    const lists = Object.fromEntries(["x", "y", "z", "fromX", "fromY", "fromZ", "rms"].map(
      name => [name, floats(data[name])]));
    Object.assign(this, lists, {data, units});
    this.depth = span(this.z, Number.isFinite);
    this.table = colourTable([...VIRIDIS].reverse());
    this.at = axis => data.stations.map(row => row[axis + 1]);
  }

  colour(z) {
    const {low, high} = this.depth, share = high > low ? (z - low) / (high - low) : 0;
    return `rgb(${this.table[Math.round(255 * share)].join(",")})`;
  }

  // Events, lines from where they were before, and stations. `across` and `along` are axes; along a
  // depth axis numbers grow downward.
  draw(canvas, across, along, moves, equal) {
    const names = ["x", "y", "z"], froms = ["fromX", "fromY", "fromZ"];
    const label = axis => `${["x", "y", "depth"][axis]} (${this.units.length})`;
    const stations = [this.at(across), this.at(along)];
    const wanted = moves && this.fromX.length;
    let x = spanOf(this[names[across]], stations[0], wanted ? this[froms[across]] : []);
    let y = spanOf(this[names[along]], stations[1], wanted ? this[froms[along]] : []);
    // As `chart` leaves room for labels.
    if (equal) [x, y] = alike(x, y, canvas.width - 90, canvas.height - 60);
    if (along === 2) y = {low: y.high, high: y.low};
    const [pen, f] = chart(canvas, {x, y, xLabel: label(across), yLabel: label(along)});
    pen.save();
    pen.beginPath();
    pen.rect(f.left, f.top, f.right - f.left, f.bottom - f.top);
    pen.clip();
    if (wanted) {
      pen.strokeStyle = MOVE;
      pen.lineWidth = 0.8;
      pen.beginPath();
      for (let n = 0; n < this.x.length; ++n) {
        pen.moveTo(f.x(this[froms[across]][n]), f.y(this[froms[along]][n]));
        pen.lineTo(f.x(this[names[across]][n]), f.y(this[names[along]][n]));
      }
      pen.stroke();
    }
    const size = this.x.length > 2000 ? 1.6 : this.x.length > 300 ? 2.4 : 3.4;
    for (let n = 0; n < this.x.length; ++n) {
      pen.fillStyle = this.colour(this.z[n]);
      pen.beginPath();
      pen.arc(f.x(this[names[across]][n]), f.y(this[names[along]][n]), size, 0, 2 * Math.PI);
      pen.fill();
    }
    pen.strokeStyle = STATION;
    pen.fillStyle = "#fff";
    pen.lineWidth = 1.2;
    for (let n = 0; n < stations[0].length; ++n) {
      const [px, py] = [f.x(stations[0][n]), f.y(stations[1][n])];
      pen.beginPath();
      pen.moveTo(px, py - 5);
      pen.lineTo(px - 4.5, py + 4);
      pen.lineTo(px + 4.5, py + 4);
      pen.closePath();
      pen.fill();
      pen.stroke();
    }
    pen.restore();
  }

  // How many events at which depth; bars in the colours of the map.
  drawDepths(canvas) {
    const bins = 24, {low, high} = this.depth, tall = (high - low) / bins || 1;
    const count = new Array(bins).fill(0);
    for (const z of this.z) ++count[Math.min(bins - 1, Math.max(0, Math.floor((z - low) / tall)))];
    const most = Math.max(...count);
    const [pen, f] = chart(canvas, {x: {low: 0, high: 1.05 * most},
      y: {low: low + bins * tall, high: low}, xLabel: "events", yLabel: `depth (${this.units.length})`});
    count.forEach((n, k) => {
      pen.fillStyle = this.colour(low + (k + 0.5) * tall);
      const top = f.y(low + k * tall), bottom = f.y(low + (k + 1) * tall);
      pen.fillRect(f.left, top + 0.5, f.x(n) - f.left, bottom - top - 1);
    });
  }

  // Mean and RMS of each station and phase, the stations with the largest RMS first.
  drawStations(canvas, readout) {
    const rows = this.data.misfits, worst = {};
    for (const [name, , , , rms] of rows) worst[name] = Math.max(worst[name] || 0, rms);
    const names = Object.keys(worst).sort((a, b) => worst[b] - worst[a]);
    const place = Object.fromEntries(names.map((name, n) => [name, n]));
    const {factor, unit} = smallTimes(this.units.time, rows.flatMap(row => [row[3], row[4]]));
    const y = spanOf([0], rows.map(row => factor * row[3]), rows.map(row => factor * row[4]));
    const [pen, f] = chart(canvas, {x: {low: -0.5, high: names.length - 0.5}, y,
      xLabel: "", yLabel: `residual (${unit})`});
    // The frame's own numbers say nothing here: names stand below.
    pen.fillStyle = "#fff";
    pen.fillRect(f.left - 30, f.bottom + 1, f.right - f.left + 46, 45);
    pen.fillStyle = GREY;
    pen.fillRect(f.left, f.y(0) - 0.5, f.right - f.left, 1);
    const phases = [...new Set(rows.map(row => row[1]))].sort();
    for (const [name, phase, , mean, rms] of rows) {
      const at = f.x(place[name] + (phases.length > 1 ? 0.3 * (phases.indexOf(phase) - 0.5) : 0));
      pen.fillStyle = PHASE_COLOURS[phase] || INK;
      pen.beginPath();
      pen.arc(at, f.y(factor * rms), 3.4, 0, 2 * Math.PI);
      pen.fill();
      pen.fillRect(at - 5, f.y(factor * mean) - 1, 10, 2);
    }
    const step = Math.ceil(names.length / 45);
    pen.fillStyle = INK;
    pen.font = "11px system-ui, sans-serif";
    names.forEach((name, n) => {
      if (n % step) return;
      pen.save();
      pen.translate(f.x(n) + 3, f.bottom + 6);
      pen.rotate(-Math.PI / 3);
      pen.textAlign = "right";
      pen.fillText(name.slice(0, 9), 0, 4);
      pen.restore();
    });
    phases.forEach((phase, n) => {
      pen.font = "13px system-ui, sans-serif";
      pen.fillStyle = PHASE_COLOURS[phase] || INK;
      pen.textAlign = "right";
      pen.fillText(phase, f.right - 10 - 22 * n, f.top + 16);
    });
    const total = rows.reduce((sum, row) => sum + row[2], 0);
    readout.textContent = `${total} residuals of ${this.data.what} at ${names.length} stations` +
      `; largest RMS ${show(factor * worst[names[0]])} ${unit} at ${names[0]}`;
  }
}

function showEvents(data) {
  const find = id => document.getElementById(id), view = new EventsView(data.events, data.units);
  const flat = data.events.flat, moves = find("moves");
  find("moves-label").hidden = !view.fromX.length;
  find("event-map").parentElement.hidden = flat;
  find("event-side").parentElement.hidden = flat;
  const draw = () => {
    if (!flat) view.draw(find("event-map"), 0, 1, moves.checked, true);
    view.draw(find("event-section"), 0, 2, moves.checked, false);
    if (!flat) view.draw(find("event-side"), 1, 2, moves.checked, false);
  };
  moves.addEventListener("input", draw);
  draw();
  view.drawDepths(find("event-depths"));
  const known = data.events.misfits.length > 0;
  find("event-stations").hidden = !known;
  if (known) view.drawStations(find("station-residuals"), find("station-readout"));
}
