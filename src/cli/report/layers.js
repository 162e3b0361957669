// Runs of later phases: rays and interfaces on the section, times and residuals by phase.

// Colours that all eyes tell apart (Okabe & Ito 2008).
const PHASE_COLOURS = ["#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#808080"];
const phaseColour = n => PHASE_COLOURS[n % PHASE_COLOURS.length];

// Rays by phase, interfaces and the standard deviations of their depths, on a 2-D section.
function drawLayers(view, layers, f) {
  const {pen} = view;
  const path = points => {
    pen.beginPath();
    for (const [x, z] of points) pen.lineTo(...view.toPixel(x, z));
    pen.stroke();
  };
  pen.save();
  pen.beginPath();
  pen.rect(f.x, f.y, f.width, f.height);
  pen.clip();
  pen.lineWidth = view.small ? 0.3 : 0.6;
  pen.globalAlpha = 0.6;
  for (const {phase, points} of layers.rays) {
    pen.strokeStyle = phaseColour(phase);
    path(points);
  }
  pen.globalAlpha = 1;
  pen.strokeStyle = pen.fillStyle = theme.ink;
  for (const {id, points, bars} of layers.interfaces) {
    pen.lineWidth = view.small ? 0.8 : 1.4;
    path(points);
    if (view.small) continue;
    for (const [x, z, deviation] of bars) {
      const [at, top] = view.toPixel(x, z - deviation), [, bottom] = view.toPixel(x, z + deviation);
      pen.fillRect(at - 0.7, top, 1.4, bottom - top);
      for (const end of [top, bottom]) pen.fillRect(at - 4, end - 0.7, 8, 1.4);
    }
    const [x, z] = points[points.length - 1], [right, y] = view.toPixel(x, z);
    pen.textAlign = "right";
    pen.fillText(id, Math.min(right, f.x + f.width) - 6, y - 6);
  }
  pen.restore();
}

// Picks of each phase as bars of their errors, and times of the final model as dots.
function drawPhases(canvas, lists, layers, units, reduce) {
  const less = n => lists.time[n] - (reduce > 0 ? lists.offset[n] / reduce : 0);
  const all = Array.from(lists.time, (_, n) => less(n)).filter(Number.isFinite);
  const x = span(lists.offset, Number.isFinite), y = span(all, Number.isFinite);
  const [pen, f] = chart(canvas, {x: widened(0, x.high, 0.03), y: widened(y.low, y.high),
    xLabel: `distance (${units.length})`, tall: 340,
    yLabel: reduce > 0 ? `time − distance / ${show(reduce)} (${units.time})` : `time (${units.time})`});
  lists.phase.forEach((phase, n) => {
    const at = f.x(lists.offset[n]), t = less(n), left = !lists.kept[n] || !Number.isFinite(lists.after[n]);
    pen.strokeStyle = pen.fillStyle = left ? theme.grey : phaseColour(phase);
    if (left) {
      for (const side of [-3, 3]) {
        pen.beginPath();
        pen.moveTo(at - 3, f.y(t) - side);
        pen.lineTo(at + 3, f.y(t) + side);
        pen.stroke();
      }
      return;
    }
    const top = f.y(t + lists.error[n]), bottom = f.y(t - lists.error[n]);
    pen.globalAlpha = 0.45;
    pen.fillRect(at - 0.5, top, 1, bottom - top);
    pen.globalAlpha = 1;
    pen.fillRect(at - 1.3, f.y(t - lists.after[n]) - 1.3, 2.6, 2.6);
  });
}

function drawPhaseResiduals(canvas, lists, units) {
  const far = span(lists.offset, Number.isFinite).high;
  const values = Array.from(lists.after).filter(Number.isFinite), {low, high} = span(values, Number.isFinite);
  const [pen, f] = chart(canvas, {x: widened(0, far, 0.03), y: widened(low, high),
    xLabel: `distance (${units.length})`, yLabel: `observed − computed (${units.time})`, tall: 240});
  pen.fillStyle = theme.grey;
  pen.fillRect(f.left, f.y(0) - 0.5, f.right - f.left, 1);
  lists.after.forEach((v, n) => {
    if (!Number.isFinite(v) || !lists.kept[n]) return;
    pen.fillStyle = phaseColour(lists.phase[n]);
    pen.fillRect(f.x(lists.offset[n]) - 1.4, f.y(v) - 1.4, 2.8, 2.8);
  });
}

function showPhases(data) {
  const find = id => document.getElementById(id), {layers, units} = data;
  const lists = {};
  for (const name of ["phase", "offset", "time", "error", "after", "kept"]) lists[name] = floats(data.picks[name]);
  const list = find("phase-names");
  for (const [n, {name, used, all, rms}] of layers.phases.entries()) {
    const item = document.createElement("span"), swatch = document.createElement("span");
    swatch.className = "swatch";
    swatch.style.background = phaseColour(n);
    item.append(swatch, ` ${name}: ${used} of ${all} picks, RMS ${show(rms)} ${units.time}`);
    list.append(item, " ");
  }
  const speeds = lists.time.map((t, n) => lists.offset[n] / t).filter(v => Number.isFinite(v) && v > 0).sort();
  const reduce = find("reduce");
  reduce.value = Number((1.1 * speeds[Math.floor(speeds.length / 2)] || 0).toPrecision(2));
  const draw = () => {
    drawPhases(find("phase-times"), lists, layers, units, Number(reduce.value));
    drawPhaseResiduals(find("phase-residuals"), lists, units);
  };
  reduce.addEventListener("input", draw);
  drawn(draw);
}
