// The depth of the ready queue over time, below the Gantt chart and on the same time axis. Several steps in one column of
// pixels become a range: dark up to the smallest depth, light up to the largest.

const QUEUE_HEIGHT = 96;
const QUEUE_TOP = 6;
const QUEUE_BOTTOM = 92;

class QueuePlot {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    canvas.style.height = `${QUEUE_HEIGHT}px`;
  }

  show(queue) {
    this.queue = queue;
    const step = Math.max(1, niceStep(queue.deepest / 3));
    this.ticks = multiples(step, 0, queue.deepest);
  }

  get plot() {
    return { left: GUTTER, width: Math.max(10, this.canvas.clientWidth - GUTTER) };
  }

  y(depth) {
    return QUEUE_BOTTOM - (depth / this.queue.deepest) * (QUEUE_BOTTOM - QUEUE_TOP);
  }

  // The step that holds at `time`.
  stepAt(time) {
    let first = 0;
    let last = this.queue.time.length;
    while (last - first > 1) {
      const middle = (first + last) >> 1;
      if (this.queue.time[middle] <= time) first = middle;
      else last = middle;
    }
    return first;
  }

  draw(view, theme, timeAxis, bound) {
    const { context, canvas } = this;
    const ratio = Math.min(3, window.devicePixelRatio || 1);
    canvas.width = Math.round(canvas.clientWidth * ratio);
    canvas.height = Math.round(QUEUE_HEIGHT * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.drawFrame(theme, view, timeAxis);
    const ranges = this.ranges(view);
    context.fillStyle = theme["accent-soft"];
    this.fillUpTo(ranges.largest);
    context.fillStyle = theme.accent;
    this.fillUpTo(ranges.smallest);
    if (bound && bound.value >= view.low && bound.value <= view.high) this.drawBound(view, theme, bound);
  }

  drawFrame(theme, view, timeAxis) {
    const { context, plot } = this;
    context.clearRect(0, 0, plot.left + plot.width, QUEUE_HEIGHT);
    context.fillStyle = theme.row;
    context.fillRect(plot.left, QUEUE_TOP, plot.width, QUEUE_BOTTOM - QUEUE_TOP);
    context.fillStyle = theme.grid;
    for (const tick of timeAxis.at) {
      context.fillRect(Math.round(plot.left + ((tick - view.low) / view.span) * plot.width), QUEUE_TOP, 1, QUEUE_BOTTOM - QUEUE_TOP);
    }
    for (const tick of this.ticks) context.fillRect(plot.left, Math.round(this.y(tick)), plot.width, 1);
    context.font = font(11);
    context.textAlign = "right";
    context.textBaseline = "middle";
    context.fillStyle = theme.faint;
    for (const tick of this.ticks) context.fillText(formatCount(tick), plot.left - 6, this.y(tick));
    context.textAlign = "left";
    context.font = font(12, 600);
    context.fillStyle = theme.text;
    context.fillText("ready", 0, (QUEUE_TOP + QUEUE_BOTTOM) / 2 - 8);
    context.fillText("tasks", 0, (QUEUE_TOP + QUEUE_BOTTOM) / 2 + 8);
  }

  // Smallest and largest depth in each CSS pixel of the plot.
  ranges(view) {
    const { time, depth } = this.queue;
    const columns = Math.ceil(this.plot.width);
    const smallest = new Float64Array(columns);
    const largest = new Float64Array(columns);
    let step = this.stepAt(view.low);
    for (let x = 0; x < columns; x++) {
      const until = view.low + ((x + 1) / columns) * view.span;
      smallest[x] = depth[step];
      largest[x] = depth[step];
      for (; step + 1 < time.length && time[step + 1] < until; step++) {
        smallest[x] = Math.min(smallest[x], depth[step + 1]);
        largest[x] = Math.max(largest[x], depth[step + 1]);
      }
    }
    return { smallest, largest };
  }

  fillUpTo(depths) {
    const { context, plot } = this;
    context.beginPath();
    context.moveTo(plot.left, QUEUE_BOTTOM);
    for (let x = 0; x < depths.length; x++) {
      if (x > 0 && depths[x] === depths[x - 1]) continue;
      if (x > 0) context.lineTo(plot.left + x, this.y(depths[x - 1]));
      context.lineTo(plot.left + x, this.y(depths[x]));
    }
    context.lineTo(plot.left + plot.width, this.y(depths[depths.length - 1]));
    context.lineTo(plot.left + plot.width, QUEUE_BOTTOM);
    context.fill();
  }

  drawBound(view, theme, bound) {
    const x = this.plot.left + ((bound.value - view.low) / view.span) * this.plot.width;
    this.context.strokeStyle = theme.bound;
    this.context.lineWidth = 1.5;
    this.context.setLineDash([5, 3]);
    this.context.beginPath();
    this.context.moveTo(x, QUEUE_TOP);
    this.context.lineTo(x, QUEUE_BOTTOM);
    this.context.stroke();
    this.context.setLineDash([]);
  }
}

