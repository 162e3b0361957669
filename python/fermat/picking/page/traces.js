// A picture of traces for one view, drawn in steps of a few milliseconds, so that a page which moves
// never waits for it. Samples are read from a pyramid of extremes: no arrival is missed, and the cost
// does not grow with the samples behind a pixel.

const DENSE = 9;  // pixels between traces below which they are drawn pixel by pixel
const BLOCK = 8;  // samples of one level per sample of the next

// A colour of the page, '#rgb' or '#rrggbb', as a pixel.
function packedColour(text, alpha) {
  const digits = text.length === 4 ? [...text.slice(1)].map(d => d + d) : text.slice(1).match(/../g);
  const [r, g, b] = digits.map(d => parseInt(d, 16));
  return (alpha << 24 | b << 16 | g << 8 | r) >>> 0;
}

const pyramids = new WeakMap();

// Levels of a trace: the samples, then of each eight the one that is furthest from zero.
function pyramid(data) {
  if (pyramids.has(data)) return pyramids.get(data);
  const levels = [data];
  while (levels[levels.length - 1].length > 4 * BLOCK) {
    const below = levels[levels.length - 1], level = new Float32Array(Math.ceil(below.length / BLOCK));
    for (let n = 0; n < below.length; ++n) {
      const at = n >> 3;
      if (Math.abs(below[n]) > Math.abs(level[at])) level[at] = below[n];
    }
    levels.push(level);
  }
  pyramids.set(data, levels);
  return levels;
}

// The level with at least two values per `step` samples, and how many samples one of them stands for.
function levelFor(data, step) {
  const levels = pyramid(data);
  let n = 0, size = 1;
  while (n + 1 < levels.length && 2 * BLOCK * size <= step) { ++n; size *= BLOCK; }
  return {values: levels[n], size};
}

// The largest amplitude between two samples.
function peakOf(data, from, to) {
  const {values, size} = levelFor(data, (to - from) / 32), last = Math.min(values.length, to / size);
  let peak = 0;
  for (let n = Math.max(0, Math.floor(from / size)); n < last; ++n) {
    const v = Math.abs(values[n]);
    if (v > peak) peak = v;
  }
  return peak;
}

class TraceSheet {
  // what: columns with data, start, interval; view; width and height in pixels of the page; look; factors;
  // size; ink; moving, if it is to be seen for some frames only; samples(column) and shift(column).
  constructor(what) {
    Object.assign(this, what);
    this.view = {...what.view};
    this.fine = window.devicePixelRatio || 1;
    this.wide = Math.max(1, Math.round(this.width * this.fine));
    this.tall = Math.max(1, Math.round(this.height * this.fine));
    this.canvas = new OffscreenCanvas(this.wide, this.tall);
    this.pen = this.canvas.getContext("2d");
    this.apart = this.wide / (this.view.last - this.view.first);
    this.next = Math.max(0, Math.floor(this.view.first) - 1);
    this.end = Math.min(this.columns.length, Math.ceil(this.view.last) + 2);
    this.wiggles = this.look !== "image" && !this.moving && this.apart >= DENSE * this.fine;
    this.loud = (this.look === "image" ? 127 : 0.9 * this.apart) * 1.25 ** this.size;
    if (!this.wiggles) {
      this.image = new ImageData(this.wide, this.tall);
      this.pixels = new Uint32Array(this.image.data.buffer);
    }
    if (this.look === "image") this.packed = imageColours();
    this.cost = 0;
  }

  px(column) { return (column - this.view.first) * this.apart; }

  // Draws until it is done (true) or the time in milliseconds is over.
  draw(budget) {
    const began = performance.now();
    while (this.next < this.end) {
      const k = this.next++;
      if (this.look === "image") this.stripe(k);
      else if (this.wiggles) this.wiggle(k);
      else this.thin(k);
      if (performance.now() - began > budget && this.next < this.end) {
        this.cost += performance.now() - began;
        return false;
      }
    }
    if (this.image) this.pen.putImageData(this.image, 0, 0);
    this.image = this.pixels = null;
    this.cost += performance.now() - began;
    return true;
  }

  // Of one column, per row of pixels the largest sample that falls on it, times its factor.
  rows(k) {
    const c = this.columns[k], {tall} = this, data = this.samples(c), out = this.row || (this.row = new Float32Array(tall));
    const step = (this.view.bottom - this.view.top) / tall / c.interval;
    const from = (this.view.top + this.shift(c) - c.start) / c.interval, factor = this.factors[k] * this.loud;
    const {values, size} = levelFor(data, step), most = values.length;
    for (let y = 0; y < tall; ++y) {
      const first = Math.floor((from + y * step) / size);
      if (first < 0 || first >= most) { out[y] = 0; continue; }
      const last = Math.min(Math.floor((from + (y + 1) * step) / size), most);
      let v = values[first];
      for (let n = first + 1; n < last; ++n) if (Math.abs(values[n]) > Math.abs(v)) v = values[n];
      out[y] = v * factor;
    }
    return out;
  }

  stripe(k) {
    const left = Math.max(0, Math.round(this.px(k - 0.5))), right = Math.min(this.wide, Math.round(this.px(k + 0.5)));
    if (right <= left) return;
    const rows = this.rows(k), {pixels, packed, wide, tall} = this;
    for (let y = 0, at = left; y < tall; ++y, at += wide) {
      const colour = packed[Math.max(0, Math.min(255, 128 - rows[y])) | 0];
      for (let n = at; n < at + right - left; ++n) pixels[n] = colour;
    }
  }

  // One of many narrow traces, or of a view that moves: pixel by pixel, as paths would take too long.
  thin(k) {
    const rows = this.rows(k), {pixels, wide, tall} = this, limit = 1.4 * this.apart, x = this.px(k);
    const dark = this.dark || (this.dark = packedColour(this.ink.ink, 255)), grey = this.grey || (this.grey = packedColour(this.ink.ink, 130));
    const zero = Math.max(0, Math.round(x));
    let before = x;
    for (let y = 0; y < tall; ++y) {
      const at = x + Math.max(-limit, Math.min(limit, rows[y])), row = y * wide;
      const low = Math.max(0, Math.round(Math.min(before, at))), high = Math.min(wide - 1, Math.round(Math.max(before, at)));
      for (let n = zero; n < at && n < wide; ++n) if (!pixels[row + n]) pixels[row + n] = grey;
      for (let n = low; n <= high; ++n) pixels[row + n] = dark;
      before = at;
    }
  }

  // One of few wide traces, as a line with its positive side filled.
  wiggle(k) {
    const c = this.columns[k], {pen, fine} = this, shift = this.shift(c), x = this.px(k), limit = 1.4 * this.apart;
    const perTime = this.tall / (this.view.bottom - this.view.top), line = new Path2D(), fill = new Path2D();
    const step = 1 / (perTime * c.interval);
    let y = 0;
    const put = v => {
      const out = Math.max(-limit, Math.min(limit, v));
      line.lineTo(x + out, y);
      fill.lineTo(x + Math.max(out, 0), y);
    };
    fill.moveTo(x, 0);
    if (step > 1) {
      const rows = this.rows(k);
      for (; y < this.tall; ++y) put(rows[y]);
    } else {
      const data = this.samples(c), first = c.start - shift - this.view.top, factor = this.factors[k] * this.loud;
      const a = Math.max(0, Math.floor(-first / c.interval) - 1);
      const end = Math.min(data.length, Math.ceil((this.view.bottom - this.view.top - first) / c.interval) + 2);
      for (let n = a; n < end; ++n) { y = (first + n * c.interval) * perTime; put(data[n] * factor); }
    }
    fill.lineTo(x, y);
    pen.lineWidth = 0.8 * fine;
    pen.strokeStyle = pen.fillStyle = this.ink.ink;
    pen.stroke(line);
    pen.globalAlpha = 0.55;
    pen.fill(fill);
    pen.globalAlpha = 1;
  }
}

let imagePixels = null;
function imageColours() {
  return imagePixels || (imagePixels = colourTable(RED_BLUE).map(([r, g, b]) => (255 << 24 | b << 16 | g << 8 | r) >>> 0));
}
