"use strict";
// Colours, ticks and numbers, which all figures share.

// viridis, fermat.plot's change (even steps of lightness and chroma on both sides), magma and
// cividis, at nine places each; between them colours are mixed linearly.
const VIRIDIS = ["440154", "472d7b", "3b528b", "2c728e", "21918c", "28ae80", "5ec962", "addc30",
  "fde725"];
const RED_BLUE = ["a13329", "bd6557", "d59589", "e8c5be", "f6f6f6", "c7cbe5", "97a2d4", "627bc2",
  "0d57b0"];
const MAGMA = ["fcfdbf", "feca8d", "fd9668", "f1605d", "cd4071", "9e2f7f", "721f81", "440f76",
  "180f3d"];
const CIVIDIS = ["fee838", "e1cc55", "c3b369", "a69d75", "8a8678", "707173", "575d6d", "35456c",
  "00224e"];
const LARGE = 6;  // velocities that differ by this factor or more get a logarithmic scale

function colourTable(stops) {
  const parts = stops.map(s => [0, 2, 4].map(n => parseInt(s.slice(n, n + 2), 16)));
  return Array.from({length: 256}, (_, i) => {
    const at = i / 255 * (parts.length - 1), low = Math.min(Math.floor(at), parts.length - 2);
    return parts[low].map((c, k) => Math.round(c + (at - low) * (parts[low + 1][k] - c)));
  });
}

function niceTicks(low, high, wanted) {
  const raw = (high - low) / wanted, size = 10 ** Math.floor(Math.log10(raw));
  const step = size * [1, 2, 5, 10].find(m => m * size >= raw);
  const ticks = [];
  for (let t = Math.ceil(low / step) * step; t <= high + 1e-9 * step; t += step)
    ticks.push(Math.abs(t) < 1e-9 * step ? 0 : t);
  return ticks;
}

// Four to nine round numbers between, of the coarsest set that has so many.
function logTicks(low, high) {
  let found = [];
  for (const digits of [[1], [1, 3], [1, 2, 5], [1, 1.5, 2, 3, 5, 7],
    [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8]]) {
    found = [];
    for (let d = Math.floor(Math.log10(low)); d <= Math.ceil(Math.log10(high)); ++d)
      for (const digit of digits) {
        const t = Number((digit * 10 ** d).toPrecision(6));
        if (t >= 0.999 * low && t <= 1.001 * high) found.push(t);
      }
    if (found.length >= 4) break;
  }
  return found;
}

// The place of a share of a list's values, from the least (0) to the most (1).
function percentile(values, share) {
  const sorted = Float32Array.from(values).sort();
  return sorted[Math.round(share * (sorted.length - 1))];
}

// Milliseconds where the unit is "s" and nothing reaches 0.1 s.
function smallTimes(unit, values) {
  const {low, high} = span(values, Number.isFinite), most = Math.max(-low, high);
  return unit === "s" && most > 0 && most < 0.1 ? {factor: 1000, unit: "ms"} : {factor: 1, unit};
}

function span(values, keep) {
  let low = Infinity, high = -Infinity;
  for (const v of values) if (keep(v)) { low = Math.min(low, v); high = Math.max(high, v); }
  return {low, high};
}

// An upright triangle and a star of four rays, about a place, filled and with an edge.
function triangle(pen, x, y, size) {
  pen.beginPath();
  pen.moveTo(x, y - size);
  pen.lineTo(x - 0.9 * size, y + 0.8 * size);
  pen.lineTo(x + 0.9 * size, y + 0.8 * size);
  pen.closePath();
  pen.fill();
  pen.stroke();
}

function star(pen, x, y, size) {
  pen.beginPath();
  for (let n = 0; n < 8; ++n) {
    const far = n % 2 ? 0.4 * size : size, turn = n * Math.PI / 4;
    pen.lineTo(x + far * Math.sin(turn), y - far * Math.cos(turn));
  }
  pen.closePath();
  pen.fill();
  pen.stroke();
}

function upright(pen, text, x, y) {
  pen.save();
  pen.translate(x, y);
  pen.rotate(-Math.PI / 2);
  pen.textAlign = "center";
  pen.fillText(text, 0, 0);
  pen.restore();
}

// How far apart neighbours along an axis stand in memory: the last axis is fastest.
const stride = (shape, axis) => shape.slice(axis + 1).reduce((a, b) => a * b, 1);

const show = value => Number.isFinite(value) ? Number(value.toPrecision(4)).toString() : "none";
