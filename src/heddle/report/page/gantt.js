// The Gantt chart: a rectangle per attempt in the row of its worker, coloured by task type, and one per transfer in the row
// of its link. Both are called bars here.

// Colours by slot: those of types, then those that stand for no type.
const SLOT_LOST = TYPE_COLOURS;
const SLOT_DIM = TYPE_COLOURS + 1;
const SLOT_TRANSFER = TYPE_COLOURS + 2;
const SLOT_CAUSE = TYPE_COLOURS + 3; // and those after it
const SLOTS = SLOT_CAUSE + CAUSES;

const NARROW = 2; // narrower bars, in pixels, are merged
const font = (size, weight = 400) => `${weight} ${size}px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif`;

// The first bar of a row, first .. last - 1, that ends after `time`.
function firstEndingAfter(end, first, last, time) {
  while (first < last) {
    const middle = (first + last) >> 1;
    if (end[middle] > time) last = middle;
    else first = middle + 1;
  }
  return first;
}

// `text` cut to a width in the current font of a canvas. No letter is narrower than a pixel: no more of them are measured.
function fitText(context, text, width) {
  const most = text.slice(0, Math.ceil(width));
  const full = context.measureText(most).width;
  if (most === text && full <= width) return text;
  let length = Math.min(most.length, Math.ceil((most.length * width) / full));
  while (length > 1 && context.measureText(`${text.slice(0, length)}…`).width > width) length -= 1;
  return `${text.slice(0, length)}…`;
}

class Gantt {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.raster = new Raster();
    this.density = new Density(SLOTS);
    this.paint = new Uint32Array(SLOTS);
    this.setTheme(readTheme());
  }

  setTheme(theme) {
    this.theme = theme;
    this.inks = theme.types.map(inkOn);
    theme.types.forEach((colour, slot) => (this.paint[slot] = packColour(colour)));
    this.paint[SLOT_LOST] = packColour(theme.lost);
    this.paint[SLOT_DIM] = packColour(theme.dim);
    this.paint[SLOT_TRANSFER] = packColour(theme.transfer);
    theme.causes.forEach((colour, cause) => (this.paint[SLOT_CAUSE + cause] = packColour(colour)));
  }

  show(instance, contexts, chart, bound) {
    this.instance = instance;
    this.attempts = chart.attempts;
    this.transfers = chart.transfers;
    this.idle = chart.idle;
    this.bound = bound;
    this.rowLayout = layOutRows(bandsOf(instance.classes, contexts), chart.transfers.links.length);
    this.rowOfWorker = new Uint32Array(this.rowLayout.workers);
    this.rowLayout.order.forEach((worker, row) => (this.rowOfWorker[worker] = row));
    this.current = null; // { row, bar } that the keyboard is at, or that was clicked
    this.marked = null; // { low, high }: a span of time
    this.arrows = []; // { from, to, isBefore }: from one { row, bar } to another
    this.canvas.style.height = `${this.rowLayout.height}px`;
  }

  // For `attempts` and for `transfers`, `slots`: the colour of each; `forced`: a 1 for each that stands out even where it is
  // narrow, or null. `causes`: whether idle time with each cause is shown.
  colour(colours) {
    this.colours = colours;
  }

  // What a row holds: { bars, first, last, slots, forced }, the bars first .. last - 1.
  lane(row) {
    const { workers, order } = this.rowLayout;
    const kind = row < workers ? "attempts" : "transfers";
    const number = row < workers ? order[row] : row - workers;
    const bars = this[kind];
    return { bars, first: bars.rows[number], last: bars.rows[number + 1], ...this.colours[kind] };
  }

  get plot() {
    return { left: GUTTER, width: Math.max(10, this.canvas.clientWidth - GUTTER) };
  }

  draw(view) {
    this.ratio = Math.min(3, window.devicePixelRatio || 1);
    const width = Math.round(this.canvas.clientWidth * this.ratio);
    const height = Math.round(this.rowLayout.height * this.ratio);
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
    this.view = view;
    this.drawn = 0;
    this.merged = 0;
    this.labels = [];
    this.crosses = [];
    this.ticks = timeTicks(view.low, view.high, Math.max(2, Math.floor(this.plot.width / 110)));
    this.drawRows();
    this.context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    this.drawNames();
    this.drawLabels();
    this.drawAxis();
    this.drawBound();
    if (this.marked) this.drawMarked();
    if (this.current) this.drawCurrent();
    this.drawArrows();
  }

  // In device pixels from here ...

  toPixels(time) {
    return (time - this.view.low) * this.scale;
  }

  rowEdges(row) {
    const { top: high, pitch } = this.rowLayout.rows[row];
    const top = Math.round(high * this.ratio);
    const bottom = Math.round((high + pitch) * this.ratio);
    return [top, Math.max(top + 1, bottom - (pitch * this.ratio >= 4 ? 1 : 0))];
  }

  drawRows() {
    const { raster } = this;
    const left = Math.round(GUTTER * this.ratio);
    raster.resize(Math.max(1, this.canvas.width - left), this.canvas.height);
    this.scale = raster.width / this.view.span;
    this.background = this.backgroundLine();
    raster.clear(packColour(this.theme.panel));
    for (let row = 0; row < this.rowLayout.rows.length; row++) this.drawRow(row);
    this.context.setTransform(1, 0, 0, 1, 0, 0);
    this.context.fillStyle = this.theme.panel;
    this.context.fillRect(0, 0, left, this.canvas.height);
    this.context.putImageData(raster.image, left, 0);
  }

  backgroundLine() {
    const line = new Uint32Array(this.raster.width).fill(packColour(this.theme.row));
    const grid = packColour(this.theme.grid);
    for (const tick of this.ticks.at) {
      const x = Math.round(this.toPixels(tick));
      if (x >= 0 && x < line.length) line[x] = grid;
    }
    return line;
  }

  drawRow(row) {
    const { raster, view, density } = this;
    const { bars, first, last, slots, forced } = this.lane(row);
    const [top, bottom] = this.rowEdges(row);
    const wide = []; // attempts that are hatched, crossed or named on top
    const marks = []; // narrow ones that must not go under
    raster.line.set(this.background);
    density.start(raster.width);
    if (this.idle && row < this.rowLayout.workers && this.colours.causes.includes(true)) this.drawIdle(this.rowLayout.order[row]);
    for (let i = firstEndingAfter(bars.end, first, last, view.low); i < last && bars.start[i] < view.high; i++) {
      const from = this.toPixels(bars.start[i]);
      const to = this.toPixels(bars.end[i]);
      const lost = bars.outcome[i] !== COMPLETED && slots[i] !== SLOT_DIM;
      const slot = lost ? SLOT_LOST : slots[i];
      if (to - from < NARROW * this.ratio) {
        density.add(from, to, slot);
        this.merged += 1;
        if (forced?.[i]) marks.push({ from, slot });
      } else {
        density.addEnds(from, to, slot);
        const box = this.drawWide(from, to, this.paint[slots[i]]);
        const named = bars === this.attempts && box.right - box.left >= 34 * this.ratio;
        if (named || bars.outcome[i] !== COMPLETED) wide.push({ attempt: i, ...box, named });
      }
      this.drawn += 1;
    }
    raster.copyLine(top, bottom);
    density.draw(raster, top, bottom, this.paint, this.background);
    for (const mark of marks) this.drawMark(mark, top, bottom);
    for (const attempt of wide) this.decorate(attempt, top, bottom);
  }

  // The idle time of a worker that stands out, in the colours of its causes.
  drawIdle(worker) {
    const { view, density, raster } = this;
    this.idle.parts(worker, view.low, view.high, (start, end, cause) => {
      if (!this.colours.causes[cause]) return;
      const from = this.toPixels(start);
      const to = this.toPixels(end);
      if (to - from < NARROW * this.ratio) {
        density.add(from, to, SLOT_CAUSE + cause);
      } else {
        density.addEnds(from, to, SLOT_CAUSE + cause);
        raster.line.fill(this.paint[SLOT_CAUSE + cause], Math.max(0, Math.round(from)), Math.min(raster.line.length, Math.round(to)));
      }
    });
  }

  // A rectangle in the row's line, with a pixel of background before it where there is room. Returns the columns it covers.
  drawWide(from, to, colour) {
    const { line } = this.raster;
    const left = Math.max(0, Math.round(from));
    const right = Math.min(line.length, Math.max(Math.round(to), left + 1));
    const gap = to - from >= 4 * this.ratio && from >= 0 ? Math.round(this.ratio) : 0;
    line.fill(colour, left + gap, right);
    return { left: left + gap, right };
  }

  drawMark({ from, slot }, top, bottom) {
    const left = Math.max(0, Math.round(from));
    const right = Math.min(this.raster.width, left + Math.round(NARROW * this.ratio));
    for (let x = left; x < right; x++) this.raster.fillColumn(x, top, bottom, this.paint[slot]);
  }

  decorate({ attempt, left, right, named }, top, bottom) {
    const outcome = this.attempts.outcome[attempt];
    const period = Math.max(4, Math.round(6 * this.ratio));
    if (outcome !== COMPLETED) this.raster.hatch(left, right, top, bottom, packColour(this.theme.row), period);
    const box = { left: left / this.ratio + GUTTER, right: right / this.ratio + GUTTER };
    box.top = top / this.ratio;
    box.bottom = bottom / this.ratio;
    if (outcome === FAILED) this.crosses.push(box);
    if (named && outcome === COMPLETED && box.bottom - box.top >= 12) this.labels.push({ attempt, box });
  }

  // ... and in CSS pixels from here.

  xOf(time) {
    return GUTTER + ((time - this.view.low) / this.view.span) * this.plot.width;
  }

  drawNames() {
    const { context, theme, rowLayout } = this;
    context.textBaseline = "middle";
    for (const group of rowLayout.groups) {
      const every = Math.ceil(12 / group.pitch);
      if (group.name) this.drawClassName(group);
      context.textAlign = "right";
      context.font = font(11);
      context.fillStyle = theme.faint;
      for (let i = 0; i < group.count; i++) {
        if (i % every !== 0 || (every > 1 && (group.count - i) * group.pitch < 10)) continue;
        const middle = rowLayout.rows[group.first + i].top + (every > 1 ? 6 : group.pitch / 2);
        context.fillText(this.fit(this.rowName(group.first + i), group.name ? 46 : GUTTER - 6), GUTTER - 6, middle);
      }
    }
  }

  drawClassName(group) {
    const { context, theme } = this;
    context.textAlign = "left";
    context.font = font(12, 600);
    context.fillStyle = theme.text;
    if (group.height >= 11) context.fillText(this.fit(group.name, 46), 0, group.top + group.height / 2);
    context.fillStyle = theme.line;
    context.fillRect(50, group.top, 2, group.height - 1);
  }

  rowName(row) {
    const { workers, order } = this.rowLayout;
    if (row < workers) return this.instance.workers[order[row]];
    const { from, to } = this.transfers.links[row - workers];
    return `${this.instance.memories[from]} > ${this.instance.memories[to]}`;
  }

  fit(text, width) {
    return fitText(this.context, text, width);
  }

  drawLabels() {
    const { context, attempts, instance } = this;
    context.font = font(11);
    context.textAlign = "left";
    context.textBaseline = "middle";
    for (const { attempt, box } of this.labels.slice(0, 800)) {
      const slot = this.colours.attempts.slots[attempt];
      context.fillStyle = slot === SLOT_DIM ? this.theme.text : this.inks[slot];
      const name = instance.taskNames.of(attempts.task[attempt]);
      const text = this.fit(name, box.right - box.left - 7);
      if (text === name || text.length > 4) context.fillText(text, box.left + 4, (box.top + box.bottom) / 2 + 0.5);
    }
    context.strokeStyle = this.theme.bound;
    context.lineWidth = 1.5;
    context.beginPath();
    for (const box of this.crosses) {
      context.moveTo(box.left, box.top);
      context.lineTo(box.right, box.bottom);
      context.moveTo(box.left, box.bottom);
      context.lineTo(box.right, box.top);
    }
    context.stroke();
  }

  drawAxis() {
    const { context, theme, ticks, plot } = this;
    const y = this.rowLayout.bottom;
    context.font = font(11);
    context.fillStyle = theme.faint;
    context.textBaseline = "top";
    context.textAlign = "right";
    if (ticks.base) context.fillText(ticks.base, GUTTER - 6, y + 7);
    context.textAlign = "center";
    for (const tick of ticks.at) {
      const x = this.xOf(tick);
      context.fillRect(Math.round(x), y, 1, 4);
      const half = context.measureText(ticks.label(tick)).width / 2;
      const middle = Math.min(Math.max(x, plot.left + half), plot.left + plot.width - half);
      if (Math.abs(middle - x) <= half) context.fillText(ticks.label(tick), middle, y + 7);
    }
    if (!this.view.whole) this.drawPosition();
  }

  // Where the visible stretch lies in the whole.
  drawPosition() {
    const { context, theme, plot, view } = this;
    context.fillStyle = theme.row;
    context.fillRect(plot.left, 0, plot.width, 4);
    context.fillStyle = theme.accent;
    const width = Math.max(3, (view.span / view.end) * plot.width);
    context.fillRect(plot.left + Math.min((view.low / view.end) * plot.width, plot.width - width), 0, width, 4);
  }

  drawBound() {
    const { context, theme, view, plot } = this;
    if (!this.bound || this.bound.value < view.low || this.bound.value > view.high) return;
    const x = this.xOf(this.bound.value);
    context.strokeStyle = theme.bound;
    context.fillStyle = theme.bound;
    context.lineWidth = 1.5;
    context.setLineDash([5, 3]);
    context.beginPath();
    context.moveTo(x, HEADROOM - 4);
    context.lineTo(x, this.rowLayout.bottom);
    context.stroke();
    context.setLineDash([]);
    context.font = font(11);
    context.textBaseline = "middle";
    const text = `lower bound ${formatTime(this.bound.value)}`;
    const roomLeft = x - plot.left > context.measureText(text).width + 4;
    context.textAlign = roomLeft ? "right" : "left";
    context.fillText(text, roomLeft ? x + 1 : x, 10);
  }

  // Where a bar is: { left, right, top, bottom }, at least a few pixels wide, cut at the edges of the plot.
  boxOf({ row, bar }) {
    const { bars } = this.lane(row);
    const { top, pitch } = this.rowLayout.rows[row];
    const cut = (x) => Math.min(Math.max(x, GUTTER), GUTTER + this.plot.width);
    const left = cut(this.xOf(bars.start[bar]));
    return { left, right: Math.max(cut(this.xOf(bars.end[bar])), left + 3), top, bottom: top + pitch };
  }

  // What is not in the marked span is veiled.
  drawMarked() {
    const { context, theme, plot, rowLayout } = this;
    const cut = (x) => Math.min(Math.max(x, plot.left), plot.left + plot.width);
    const left = cut(this.xOf(this.marked.low));
    const right = cut(this.xOf(this.marked.high));
    context.save();
    context.globalAlpha = 0.6;
    context.fillStyle = theme.panel;
    context.fillRect(plot.left, HEADROOM, left - plot.left, rowLayout.bottom - HEADROOM);
    context.fillRect(right, HEADROOM, plot.left + plot.width - right, rowLayout.bottom - HEADROOM);
    context.restore();
    context.fillStyle = theme.accent;
    for (const x of [left, right]) context.fillRect(Math.round(x) - 1, HEADROOM, 2, rowLayout.bottom - HEADROOM);
  }

  // A frame around the bar that the keyboard is at, dark on light, so that it shows on any colour.
  drawCurrent() {
    const { context, theme } = this;
    const { left, right, top, bottom } = this.boxOf(this.current);
    for (const [width, colour] of [[5, theme.panel], [2.5, theme.text]]) {
      context.lineWidth = width;
      context.strokeStyle = colour;
      context.strokeRect(left - 1.5, top - 1.5, right - left + 3, bottom - top + 2);
    }
  }

  // Where an attempt, or a transfer of a link, is.
  placeOf(attempt) {
    return { row: this.rowOfWorker[this.attempts.worker[attempt]], bar: attempt };
  }

  placeOfTransfer({ link, transfer }) {
    return { row: this.rowLayout.workers + link, bar: transfer };
  }

  // From what the current attempt waited for, and to what waited for it, on a light edge, so that they show on any colour.
  drawArrows() {
    const { context, theme, plot } = this;
    if (this.arrows.length === 0) return;
    context.save();
    context.beginPath();
    context.rect(plot.left, HEADROOM - 4, plot.width, this.rowLayout.bottom - HEADROOM + 6);
    context.clip();
    context.lineJoin = "round";
    for (const arrow of this.arrows) {
      const path = this.arrowPath(arrow);
      const width = arrow.isBefore ? 2.5 : 1.5;
      for (const [wide, colour] of [[width + 2.5, theme.panel], [width, arrow.isBefore ? theme.bound : theme.text]]) {
        context.lineWidth = wide;
        context.strokeStyle = colour;
        context.fillStyle = colour;
        context.stroke(path.line);
        context.stroke(path.head);
        context.fill(path.head);
      }
    }
    context.restore();
  }

  // From the end of a bar to the start of another, which may be out of sight.
  arrowPath({ from, to }) {
    const middle = ({ row }) => this.rowLayout.rows[row].top + this.rowLayout.rows[row].pitch / 2;
    const cut = (x) => Math.min(Math.max(x, GUTTER - 2000), GUTTER + this.plot.width + 2000);
    const x = cut(this.xOf(this.lane(from.row).bars.end[from.bar]));
    const tip = cut(this.xOf(this.lane(to.row).bars.start[to.bar]));
    const y = middle(from);
    const tipY = middle(to);
    const bend = Math.max(14, Math.min(60, Math.abs(tip - x) / 2));
    const line = new Path2D();
    line.moveTo(x - 3, y);
    line.bezierCurveTo(x + bend, y, tip - bend - 5, tipY, tip - 5, tipY);
    const head = new Path2D();
    head.moveTo(tip + 1, tipY);
    head.lineTo(tip - 6, tipY - 4);
    head.lineTo(tip - 6, tipY + 4);
    head.closePath();
    return { line, head };
  }

  // The idle time of a worker under a point of the canvas (IdleTime.at), or null.
  idleAt(x, y, view) {
    const row = this.rowAt(y);
    if (!this.idle || row < 0 || row >= this.rowLayout.workers || x < GUTTER) return null;
    return this.idle.at(this.rowLayout.order[row], view.low + ((x - GUTTER) / this.plot.width) * view.span);
  }

  rowAt(y) {
    return this.rowLayout.rows.findIndex(({ top, pitch }) => y >= top && y < top + pitch);
  }

  // What is under a point of the canvas: { bars, bar, row, others } or null; `others` counts further bars within a pixel or two.
  at(x, y, view) {
    const row = this.rowAt(y);
    if (row < 0 || x < GUTTER) return null;
    const { bars, first, last } = this.lane(row);
    const reach = (1.5 / this.plot.width) * view.span;
    const time = view.low + ((x - GUTTER) / this.plot.width) * view.span;
    let found = null;
    let count = 0;
    for (let i = firstEndingAfter(bars.end, first, last, time - reach); i < last; i++) {
      if (bars.start[i] > time + reach) break;
      count += 1;
      if (found === null || bars.start[i] <= time) found = i;
    }
    return found === null ? null : { bars, bar: found, row, others: count - 1 };
  }
}

