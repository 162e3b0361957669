// A plane through the model: where its places lie on the page, and the values of fields there.

// Less tall than this share of its width, a section is stretched.
const FLAT = 0.14, STRETCHES = [1, 2, 3, 4, 5, 8, 10, 15, 20, 30, 50, 100, 200, 500, 1000];

class Plane {
  constructor(model) {
    this.model = model;
    this.room = {left: 0, right: 0, top: 0, bottom: 0};
    Object.assign(this, {wide: 0, tall: 0, stretch: 1});
  }

  // The axis that is cut and where; maps of a sphere have longitudes to the right.
  cut(axis, index) {
    const kept = this.axis === axis ? this.view : null;
    Object.assign(this, {axis, index});
    [this.across, this.along] = [0, 1, 2].filter(n => n !== axis);
    if (this.isMap && this.model.sphere) [this.across, this.along] = [this.along, this.across];
    this.view = kept || this.whole();
  }

  whole() {
    const {origin, spacing, shape} = this.model;
    const end = a => origin[a] + spacing[a] * (shape[a] - 1);
    return {left: origin[this.across], right: end(this.across), low: origin[this.along],
      high: end(this.along)};
  }

  // Depth and, in maps, y: depth grows downwards, y upwards.
  get isMap() { return this.axis === 2; }

  // Height over width in true lengths.
  get shape() {
    const {reach} = this.model, v = this.whole();
    return (v.high - v.low) * reach[this.along] / ((v.right - v.left) * reach[this.across]);
  }

  // Takes the width it is given, and no more height than the plane needs. A flat section is
  // stretched downwards by a round number.
  place(wide, tallest, room) {
    const inner = wide - room.left - room.right;
    this.stretch = this.isMap ? 1
      : STRETCHES.find(s => s * this.shape >= FLAT) || STRETCHES[STRETCHES.length - 1];
    const tall = Math.min(tallest, Math.max(60, inner * this.shape * this.stretch));
    Object.assign(this, {room, wide, tall: tall + room.top + room.bottom});
    return this.tall;
  }

  // The frame on the canvas, with true lengths along both axes but for the stretch.
  frame() {
    const {room, view} = this, {reach} = this.model;
    const along = this.stretch * reach[this.along] / reach[this.across];
    const scale = Math.min((this.wide - room.left - room.right) / (view.right - view.left),
      (this.tall - room.top - room.bottom) / (view.high - view.low) / along);
    return {x: room.left, y: room.top, scale, down: scale * along,
      width: (view.right - view.left) * scale, height: (view.high - view.low) * scale * along};
  }

  toPixel(across, along) {
    const f = this.frame(), v = this.view;
    const down = this.isMap ? v.high - along : along - v.low;
    return [f.x + (across - v.left) * f.scale, f.y + down * f.down];
  }

  toPlace(x, y) {
    const f = this.frame(), v = this.view, down = (y - f.y) / f.down;
    return [v.left + (x - f.x) / f.scale, this.isMap ? v.high - down : v.low + down];
  }

  // What a place along one axis adds to the number of its node or cell; NaN outside.
  share(field, axis, place) {
    const {origin, spacing, shape} = this.model, last = field.shape[axis] - 1;
    const steps = (place - origin[axis]) / spacing[axis];
    if (steps < -1e-9 || steps > shape[axis] - 1 + 1e-9) return NaN;
    const n = field.isCells ? Math.floor(steps) : Math.round(steps);
    return Math.max(0, Math.min(n, last)) * stride(field.shape, axis);
  }

  // The same of the axis that is cut.
  ground(field) {
    return Math.min(this.index, field.shape[this.axis] - 1) * stride(field.shape, this.axis);
  }

  valueAt(field, across, along) {
    const n = this.ground(field) + this.share(field, this.across, across) +
      this.share(field, this.along, along);
    return Number.isNaN(n) ? NaN : field.values[n];
  }

  // Where a pixel's places lie between the nodes (or in the cells) of a field along one axis.
  steps(field, axis, count, place) {
    const {origin, spacing, shape} = this.model, last = field.shape[axis] - 1;
    const jump = stride(field.shape, axis);
    return Array.from({length: count}, (_, n) => {
      const at = (place(n) - origin[axis]) / spacing[axis];
      if (at < -1e-9 || at > shape[axis] - 1 + 1e-9) return null;
      if (field.isCells) {
        const cell = Math.max(0, Math.min(Math.floor(at), last));
        return {low: cell * jump, high: cell * jump, part: 0, node: cell};
      }
      const low = Math.max(0, Math.min(Math.floor(at), last - 1));
      return {low: low * jump, high: Math.min(low + 1, last) * jump, part: at - low,
        node: Math.round(at)};
    });
  }

  // Reads a field by pixel (column, row), `fine` of them to a pixel of the page. On nodes values run
  // evenly from one to the next; air has no share, and above the first rock of a column its value
  // goes on, for the ground to cut off.
  pixels(field, f, wide, tall, fine) {
    const ground = this.ground(field), values = field.values;
    const column = this.steps(field, this.across, wide, i => this.toPlace(f.x + (i + 0.5) / fine, 0)[0]);
    const row = this.steps(field, this.along, tall, j => this.toPlace(0, f.y + (j + 0.5) / fine)[1]);
    const none = field.zeroIsNone ? v => !(v > 0) : v => !Number.isFinite(v);
    let sum = 0, weight = 0;
    const add = (n, w) => {
      const v = values[n];
      if (w > 0 && !none(v)) { sum += w * v; weight += w; }
    };
    return (i, j) => {
      const c = column[i], r = row[j];
      if (!c || !r) return NaN;
      sum = weight = 0;
      add(ground + c.low + r.low, (1 - c.part) * (1 - r.part));
      add(ground + c.high + r.low, c.part * (1 - r.part));
      add(ground + c.low + r.high, (1 - c.part) * r.part);
      add(ground + c.high + r.high, c.part * r.part);
      if (weight > 1e-9) return sum / weight;
      if (!this.top || field.isCells) return NaN;
      return this.firstRock(field, ground + (c.part < 0.5 ? c.low : c.high), r.node, none);
    };
  }

  // The first value of a column that is there, for a place above it.
  firstRock(field, column, node, none) {
    const jump = stride(field.shape, this.along);
    for (let k = 0; k < field.shape[this.along]; ++k) {
      const v = field.values[column + k * jump];
      if (!none(v)) return node <= k ? v : NaN;
    }
    return NaN;
  }

  // Depth of the ground at each node across a vertical section, or null where none has air on top.
  // A grid knows it to half a cell: between the middles of equal steps the line runs straight.
  groundLine() {
    if (this.isMap) return null;
    const {shape, origin, spacing, rock} = this.model, {across, along} = this;
    const base = this.index * stride(shape, this.axis), count = shape[across];
    const heights = Array.from({length: count}, (_, i) => {
      let k = 0;
      while (k < shape[along] && !(rock[base + i * stride(shape, across) + k * stride(shape, along)] > 0))
        ++k;
      return k === 0 ? origin[along] : origin[along] + (k - 0.5) * spacing[along];
    });
    if (heights.every(h => h === origin[along])) return null;
    const knots = [];
    for (let i = 0, begin = 0; i < count; ++i)
      if (i + 1 === count || heights[i + 1] !== heights[i]) {
        const at = begin === 0 ? 0 : i + 1 === count ? count - 1 : (begin + i) / 2;
        knots.push([at, heights[i]]);
        begin = i + 1;
      }
    const line = [];
    for (let i = 0, k = 0; i < count; ++i) {
      while (k + 1 < knots.length && knots[k + 1][0] <= i) ++k;
      const [x0, z0] = knots[k], [x1, z1] = knots[Math.min(k + 1, knots.length - 1)];
      line.push(x1 > x0 ? z0 + (z1 - z0) * Math.max(0, Math.min(1, (i - x0) / (x1 - x0))) : z0);
    }
    return line;
  }

  // Its depth at a place between the nodes.
  groundAt(across) {
    const {origin, spacing} = this.model, line = this.top;
    const at = Math.max(0, Math.min((across - origin[this.across]) / spacing[this.across],
      line.length - 1));
    const low = Math.min(Math.floor(at), line.length - 2);
    return line[low] + (at - low) * (line[low + 1] - line[low]);
  }

  // Of points [x, y, z], those that are drawn: all of them on maps and in 2-D; else those within
  // this share of the model's breadth on either side of the plane.
  near(points, share = 0.05) {
    const {origin, spacing, shape} = this.model, a = this.axis;
    if (this.isMap || shape[a] === 1) return points;
    const at = origin[a] + spacing[a] * this.index;
    const reach = Math.max(share * spacing[a] * (shape[a] - 1), 0.5 * spacing[a]);
    return points.filter(p => Math.abs(p[a] - at) <= reach);
  }
}
