// Residuals by station.

// Mean and RMS of each station and phase, the stations with the largest RMS first.
function drawStations(canvas, readout, data) {
  const {misfits: rows, what} = data.events, worst = {};
  for (const [name, , , , rms] of rows) worst[name] = Math.max(worst[name] || 0, rms);
  const names = Object.keys(worst).sort((a, b) => worst[b] - worst[a]);
  const place = Object.fromEntries(names.map((name, n) => [name, n]));
  const {factor, unit} = smallTimes(data.units.time, rows.flatMap(row => [row[3], row[4]]));
  const y = spanOf([0], rows.map(row => factor * row[3]), rows.map(row => factor * row[4]));
  // Names stand upright below the frame, which leaves room for the longest of them.
  const shown = names.map(name => name.length > 24 ? `${name.slice(0, 23)}…` : name);
  const pen = canvas.getContext("2d"), small = "11px system-ui, sans-serif";
  pen.font = small;
  const below = 16 + Math.max(...shown.map(name => pen.measureText(name).width));
  const [, f] = chart(canvas, {x: {low: -0.5, high: names.length - 0.5}, y, xLabel: "", numbers: false,
    yLabel: `residual (${unit})`, tall: 260 + below, below});
  pen.fillStyle = theme.grey;
  pen.fillRect(f.left, f.y(0) - 0.5, f.right - f.left, 1);
  const phases = [...new Set(rows.map(row => row[1]))].sort();
  const colours = {P: theme.after, S: theme.secondary};
  for (const [name, phase, , mean, rms] of rows) {
    const at = f.x(place[name] + (phases.length > 1 ? 0.3 * (phases.indexOf(phase) - 0.5) : 0));
    pen.fillStyle = colours[phase] || theme.ink;
    pen.beginPath();
    pen.arc(at, f.y(factor * rms), 3.4, 0, 2 * Math.PI);
    pen.fill();
    pen.fillRect(at - 5, f.y(factor * mean) - 1, 10, 2);
  }
  const step = Math.ceil(names.length * 13 / (f.right - f.left));
  pen.fillStyle = theme.ink;
  pen.font = small;
  shown.forEach((name, n) => {
    if (n % step) return;
    pen.save();
    pen.translate(f.x(n), f.bottom + 7);
    pen.rotate(-Math.PI / 2);
    pen.textAlign = "right";
    pen.fillText(name, 0, 4);
    pen.restore();
  });
  pen.font = FONT;
  pen.textAlign = "right";
  phases.forEach((phase, n) => {
    pen.fillStyle = colours[phase] || theme.ink;
    pen.fillText(phase, f.right - 10 - 22 * n, f.top + 16);
  });
  const total = rows.reduce((sum, row) => sum + row[2], 0);
  readout.textContent = `${total} residuals of ${what} at ${names.length} stations` +
    `; largest RMS ${show(factor * worst[names[0]])} ${unit} at ${names[0]}` +
    (step > 1 ? `; every ${step}th name is shown` : "");
}
