// A catalogue: its map, sections and depths, with errors and magnitudes.

// Of a Gaussian in a plane, this many deviations hold 68 %.
const HOLDS_68 = Math.sqrt(-2 * Math.log(1 - 0.6827));
const MANY = 400;  // events whose ellipses would hide one another
const FEW = 20;  // events whose ellipses are shown whole
const EVENT_LISTS = ["x", "y", "z", "fromX", "fromY", "fromZ", "rms", "magnitude", "covXX", "covXY",
  "covXZ", "covYY", "covYZ", "covZZ"];

function spanOf(...lists) {
  let low = Infinity, high = -Infinity;
  for (const list of lists)
    for (const v of list) if (Number.isFinite(v)) { low = Math.min(low, v); high = Math.max(high, v); }
  return Number.isFinite(low) ? widened(low, high) : {low: 0, high: 1};
}

class EventsView {
  constructor(data, units) {
    const lists = Object.fromEntries(EVENT_LISTS.map(name => [name, floats(data[name])]));
    Object.assign(this, lists, {data, units});
    this.depth = span(this.z, Number.isFinite);
    this.size = span(this.magnitude, Number.isFinite);
    this.table = colourTable([...VIRIDIS].reverse());
    this.at = axis => data.stations.map(row => row[axis + 1]);
    const names = data.degrees ? ["longitude", "latitude", "depth"] : ["x", "y", "depth"];
    const unit = axis => data.degrees && axis < 2 ? "°" : units.length;
    this.axes = names.map((name, axis) => [name, unit(axis)]);
    // Lengths in a degree of longitude and latitude at the middle of the events.
    const {low, high} = spanOf(this.y), middle = Math.PI / 180 * (low + high) / 2;
    this.reach = data.degrees ? [data.degree * Math.cos(middle), data.degree, 1] : [1, 1, 1];
    this.hasMagnitudes = Number.isFinite(this.size.low);
    this.hasErrors = this.covZZ.some(Number.isFinite);
  }

  colour(z) {
    const {low, high} = this.depth, share = high > low ? (z - low) / (high - low) : 0;
    return `rgb(${this.table[Math.round(255 * share)].join(",")})`;
  }

  // The radius of a dot: half as large again per magnitude; where none is known, by their number.
  radius(magnitude) {
    const count = this.x.length, plain = count > 2000 ? 1.6 : count > 300 ? 2.4 : 3.4;
    if (!Number.isFinite(magnitude)) return this.hasMagnitudes ? 1.6 : plain;
    return Math.min(16, 2 * 1.5 ** (magnitude - Math.max(this.size.low, this.size.high - 5)));
  }

  label(axis) { return `${this.axes[axis][0]} (${this.axes[axis][1]})`; }

  // Equal lengths along both axes: widens the shorter one to the shape of the frame.
  alike(x, y, wide, tall) {
    const [rx, ry] = this.reach;
    const scale = Math.max((x.high - x.low) * rx / wide, (y.high - y.low) * ry / tall) || 1;
    const grown = ({low, high}, size, reach) => {
      const more = (scale * size / reach - (high - low)) / 2;
      return {low: low - more, high: high + more};
    };
    return [grown(x, wide, rx), grown(y, tall, ry)];
  }

  // Events, lines from where they were before, errors and stations. `across` and `along` are axes;
  // along a depth axis numbers grow downward.
  draw(canvas, across, along, {moves, errors}, tall) {
    const names = ["x", "y", "z"], froms = ["fromX", "fromY", "fromZ"];
    const stations = [this.at(across), this.at(along)];
    const wanted = moves && this.fromX.length;
    const whole = errors && this.hasErrors && this.x.length <= FEW;
    const spanAlong = (axis, at) => spanOf(this[names[axis]], at, wanted ? this[froms[axis]] : [],
      whole ? this.endsOfErrors(axis) : []);
    let x = spanAlong(across, stations[0]), y = spanAlong(along, stations[1]);
    // As `chart` leaves room for labels.
    if (along === 1) {
      const wide = canvas.parentElement.clientWidth;
      [x, y] = this.alike(x, y, wide - (wide < 480 ? 76 : 90), tall - 60);
    }
    if (along === 2) y = {low: y.high, high: y.low};
    const [pen, f] = chart(canvas, {x, y, xLabel: this.label(across), yLabel: this.label(along), tall});
    pen.save();
    pen.beginPath();
    pen.rect(f.left, f.top, f.right - f.left, f.bottom - f.top);
    pen.clip();
    if (wanted) {
      pen.strokeStyle = theme.grey;
      pen.lineWidth = 0.8;
      pen.beginPath();
      for (let n = 0; n < this.x.length; ++n) {
        pen.moveTo(f.x(this[froms[across]][n]), f.y(this[froms[along]][n]));
        pen.lineTo(f.x(this[names[across]][n]), f.y(this[names[along]][n]));
      }
      pen.stroke();
    }
    if (errors && this.hasErrors) this.drawErrors(pen, f, across, along);
    // Around each dot: what keeps those of deep events visible on dark paper.
    pen.strokeStyle = theme.paperParts[0] < 128 ? theme.dim : theme.paper;
    pen.lineWidth = 0.5;
    // Large ones first, so that none is hidden.
    const order = Array.from(this.x.keys());
    if (this.hasMagnitudes) order.sort((a, b) => (this.magnitude[b] || 0) - (this.magnitude[a] || 0));
    for (const n of order) {
      pen.fillStyle = this.colour(this.z[n]);
      pen.beginPath();
      pen.arc(f.x(this[names[across]][n]), f.y(this[names[along]][n]), this.radius(this.magnitude[n]), 0,
        2 * Math.PI);
      pen.fill();
      pen.stroke();
    }
    pen.restore();
    pen.strokeStyle = theme.receiver;
    pen.fillStyle = theme.paper;
    pen.lineWidth = 1.2;
    stations[0].forEach((place, n) => triangle(pen, f.x(place), f.y(stations[1][n]), 5));
    if (along === 1 && this.hasMagnitudes) this.drawMagnitudes(pen, f);
    return f;
  }

  // How far the ellipses reach along an axis.
  endsOfErrors(axis) {
    const place = [this.x, this.y, this.z][axis], square = [this.covXX, this.covYY, this.covZZ][axis];
    return Array.from(place).flatMap((v, n) => {
      const reach = HOLDS_68 * Math.sqrt(square[n]) / this.reach[axis];
      return [v - reach, v + reach];
    });
  }

  // The ellipse of two axes that holds 68 %, from the lower triangle of their covariance's root.
  drawErrors(pen, f, across, along) {
    const names = ["x", "y", "z"], letters = "XYZ", [a, b] = [across, along].sort();
    const kx = (f.x(1) - f.x(0)) / this.reach[across], ky = (f.y(1) - f.y(0)) / this.reach[along];
    const xx = this[`cov${letters[a]}${letters[a]}`], xy = this[`cov${letters[a]}${letters[b]}`];
    const yy = this[`cov${letters[b]}${letters[b]}`];
    pen.strokeStyle = theme.dim;
    pen.lineWidth = 0.8;
    for (let n = 0; n < this.x.length; ++n) {
      if (!(xx[n] >= 0) || !(yy[n] >= 0)) continue;
      const p = Math.sqrt(xx[n]), q = p > 0 && Number.isFinite(xy[n]) ? xy[n] / p : 0;
      const r = Math.sqrt(Math.max(0, yy[n] - q * q));
      pen.beginPath();
      for (let k = 0; k <= 40; ++k) {
        const c = Math.cos(k * Math.PI / 20), s = Math.sin(k * Math.PI / 20);
        pen.lineTo(f.x(this[names[across]][n]) + HOLDS_68 * kx * p * c,
          f.y(this[names[along]][n]) + HOLDS_68 * ky * (q * c + r * s));
      }
      pen.stroke();
    }
  }

  // Dots of whole magnitudes in the map's corner.
  drawMagnitudes(pen, f) {
    const high = Math.floor(this.size.high), low = Math.max(Math.ceil(this.size.low), high - 4);
    const sizes = Array.from({length: Math.max(0, high - low + 1)}, (_, n) => this.radius(low + n));
    const wide = sizes.reduce((sum, size) => sum + Math.max(2 * size, 26) + 10, 12);
    pen.fillStyle = theme.paper;
    if (sizes.length) pen.fillRect(f.left + 1, f.bottom - 51, wide, 50);
    pen.textAlign = "center";
    pen.lineWidth = 0.8;
    let x = f.left + 16;
    for (let m = low; m <= high; ++m) {
      const size = sizes[m - low];
      pen.fillStyle = theme.paper;
      pen.strokeStyle = theme.ink;
      pen.beginPath();
      pen.arc(x + size, f.bottom - 30, size, 0, 2 * Math.PI);
      pen.fill();
      pen.stroke();
      pen.fillStyle = theme.ink;
      pen.fillText(`M ${m}`, x + size, f.bottom - 8);
      x += Math.max(2 * size, 26) + 10;
    }
  }

  // How many events at which depth; bars in the colours of the map.
  drawDepths(canvas, height) {
    const {low, high} = this.depth, bins = high > low ? 24 : 1, tall = (high - low) / bins || 1;
    const count = new Array(bins).fill(0);
    for (const z of this.z) ++count[Math.min(bins - 1, Math.max(0, Math.floor((z - low) / tall)))];
    const most = Math.max(...count);
    const [pen, f] = chart(canvas, {x: {low: 0, high: 1.05 * most}, wanted: 4, tall: height,
      y: {low: low + bins * tall, high: low}, xLabel: "events", yLabel: this.label(2)});
    count.forEach((n, k) => {
      pen.fillStyle = this.colour(low + (k + 0.5) * tall);
      const top = f.y(low + k * tall), bottom = f.y(low + (k + 1) * tall);
      pen.fillRect(f.left, top + 0.5, f.x(n) - f.left, bottom - top - 1);
    });
  }

  // The event nearest to the pointer, in words.
  nearest(f, x, y) {
    let best = -1, least = 20 * 20;
    for (let n = 0; n < this.x.length; ++n) {
      const far = (f.x(this.x[n]) - x) ** 2 + (f.y(this.y[n]) - y) ** 2;
      if (far < least) [best, least] = [n, far];
    }
    if (best < 0) return "";
    const words = this.axes.map(([name, unit], a) => {
      const value = [this.x, this.y, this.z][a][best];
      return `${name} ${unit === "°" ? value.toFixed(4) : show(value)}${unit === "°" ? "°" : ` ${unit}`}`;
    });
    if (Number.isFinite(this.magnitude[best])) words.push(`magnitude ${show(this.magnitude[best])}`);
    if (Number.isFinite(this.rms[best])) words.push(`RMS ${show(this.rms[best])} ${this.units.time}`);
    return `event ${this.data.names[best]}: ${words.join(", ")}`;
  }
}

function showEvents(data) {
  const find = id => document.getElementById(id), view = new EventsView(data.events, data.units);
  const flat = data.events.flat, moves = find("moves"), errors = find("errors"), map = find("event-map");
  find("moves-label").hidden = !view.fromX.length;
  find("errors-label").hidden = !view.hasErrors;
  errors.checked = view.x.length <= MANY;
  map.parentElement.hidden = find("event-readout").hidden = flat;
  find("event-side").parentElement.hidden = flat;
  find("event-words").textContent = "Dots: events, coloured by depth as in the histogram" +
    (view.hasMagnitudes ? ", as large as their magnitudes" : "") +
    (view.hasErrors ? "; ellipses: 68 % of their errors in the plane" : "") +
    (view.at(0).length ? "; triangles: stations." : ".");
  let frame = null;
  const draw = () => {
    const shown = {moves: moves.checked, errors: errors.checked};
    const tall = find("events-section").clientWidth < 560 ? 380 : 560;
    if (!flat) frame = view.draw(map, 0, 1, shown, tall);
    view.draw(find("event-section"), 0, 2, shown, 340);
    if (!flat) view.draw(find("event-side"), 1, 2, shown, 340);
    view.drawDepths(find("event-depths"), flat ? 340 : tall);
  };
  for (const box of [moves, errors]) box.addEventListener("input", draw);
  map.addEventListener("pointermove", event => {
    const box = map.getBoundingClientRect();
    find("event-readout").textContent = view.nearest(frame, event.clientX - box.left, event.clientY - box.top);
  });
  drawn(draw);
  // On the window, so that a console (and the test) can reach it.
  window.events = view;
  const known = data.events.misfits.length > 0;
  find("event-stations").hidden = !known;
  if (known) drawn(() => drawStations(find("station-residuals"), find("station-readout"), data));
}
