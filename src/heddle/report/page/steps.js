// The keyboard's way through the Gantt chart: from task to task along a worker, and from worker to worker. What it is at is
// framed in the chart and told to screen readers.

// The bar of a lane that is nearest to `time`, or null when the lane is empty.
function nearestBar({ bars, first, last }, time) {
  if (first === last) return null;
  const next = Math.min(firstEndingAfter(bars.end, first, last, time), last - 1);
  if (next === first || bars.start[next] <= time) return next;
  return bars.start[next] - time < time - bars.end[next - 1] ? next : next - 1;
}

class Steps {
  // `describe(hit)`: the content of the detail of a bar, { bars, bar, others }; `speak(hit, row)`: a sentence.
  constructor(gantt, view, tooltip, { describe, speak }) {
    this.gantt = gantt;
    this.view = view;
    this.tooltip = tooltip;
    this.describe = describe;
    this.speak = speak;
    this.spoken = document.getElementById("spoken");
    gantt.canvas.addEventListener("keydown", (event) => this.press(event));
    gantt.canvas.addEventListener("blur", () => this.leave());
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = {
      ArrowLeft: () => this.along(-1),
      ArrowRight: () => this.along(1),
      ArrowUp: () => this.across(-1),
      ArrowDown: () => this.across(1),
      Home: () => this.toEnd(false),
      End: () => this.toEnd(true),
      Enter: () => this.open(),
      " ": () => this.open(),
      Escape: () => this.escape(),
    };
    if (!event.shiftKey && Object.hasOwn(keys, event.key)) keys[event.key]();
    else if (!navigateByKey(event, this.view, () => this.middle())) return;
    else this.tooltip.hide();
    event.preventDefault();
  }

  get current() {
    return this.gantt.current;
  }

  get isOpen() {
    return this.current !== null && !this.tooltip.node.hidden;
  }

  // The current bar stays where it is when the keyboard zooms.
  middle() {
    const { low, high } = this.view;
    const time = this.current ? this.timeOf(this.current) : low;
    return time > low && time < high ? time : (low + high) / 2;
  }

  timeOf({ row, bar }) {
    const { bars } = this.gantt.lane(row);
    return (bars.start[bar] + bars.end[bar]) / 2;
  }

  // Along the row; the first step of all goes to what is visible of the first row that holds something.
  along(distance) {
    if (!this.current) return this.across(1);
    const { row, bar } = this.current;
    const { first, last } = this.gantt.lane(row);
    return this.moveTo({ row, bar: Math.min(Math.max(bar + distance, first), last - 1) });
  }

  // To the next row that holds something, and there to the bar that is nearest in time.
  across(distance) {
    const rows = this.gantt.rowLayout.rows.length;
    const time = this.current ? this.timeOf(this.current) : this.view.low;
    for (let row = (this.current?.row ?? -1) + distance; row >= 0 && row < rows; row += distance) {
      const bar = nearestBar(this.gantt.lane(row), time);
      if (bar !== null) return this.moveTo({ row, bar });
    }
    return undefined;
  }

  toEnd(last) {
    if (!this.current) return this.across(1);
    const lane = this.gantt.lane(this.current.row);
    return this.moveTo({ row: this.current.row, bar: last ? lane.last - 1 : lane.first });
  }

  moveTo(place) {
    const { isOpen } = this;
    this.gantt.current = place;
    const hit = this.hit();
    this.spoken.textContent = this.speak(hit, place.row);
    this.showTime(hit);
    this.showRow(place.row);
    if (isOpen) this.open();
    requestDraw();
  }

  hit() {
    const { bars } = this.gantt.lane(this.current.row);
    return { bars, bar: this.current.bar, others: 0 };
  }

  // Moves the view so that the bar's middle is in it.
  showTime({ bars, bar }) {
    const { low, high, span } = this.view;
    const time = (bars.start[bar] + bars.end[bar]) / 2;
    if (time < low || time > high) this.view.show(time - span / 2, time + span / 2);
  }

  // Scrolls the page so that the row is in sight.
  showRow(row) {
    const { top, pitch } = this.gantt.rowLayout.rows[row];
    const y = this.gantt.canvas.getBoundingClientRect().top + top;
    if (y < 0) window.scrollBy(0, y - 40);
    else if (y + pitch > window.innerHeight) window.scrollBy(0, y + pitch + 40 - window.innerHeight);
  }

  open() {
    if (!this.current) return;
    const canvas = this.gantt.canvas.getBoundingClientRect();
    this.gantt.view = this.view;
    const { left, bottom } = this.gantt.boxOf(this.current);
    this.tooltip.show({ clientX: canvas.left + left, clientY: canvas.top + bottom - 8 }, ...this.describe(this.hit()));
  }

  // Closes the detail, then leaves the bar.
  escape() {
    if (this.isOpen) this.tooltip.hide();
    else this.leave();
  }

  leave() {
    if (!this.current) return;
    this.tooltip.hide();
    this.gantt.current = null;
    this.spoken.textContent = "";
    requestDraw();
  }
}
