// The keyboard's way through the Gantt chart: from task to task along a worker, from worker to worker, and from a task to what
// it waited for and back. What it is at, or what was clicked, is framed in the chart and told to screen readers.

// The bar of a lane that is nearest to `time`, or null when the lane is empty.
function nearestBar({ bars, first, last }, time) {
  if (first === last) return null;
  const next = Math.min(firstEndingAfter(bars.end, first, last, time), last - 1);
  if (next === first || bars.start[next] <= time) return next;
  return bars.start[next] - time < time - bars.end[next - 1] ? next : next - 1;
}

const MOST_ARROWS = 300; // to what waited for one attempt

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
    this.listenToClicks();
  }

  // To the waits of a chart (idle.js), or null, and the attempts of its critical chain.
  show({ waits, chain }) {
    this.waits = waits;
    this.chain = chain;
  }

  // A click is a press and a release at one place: what moves the chart is none.
  listenToClicks() {
    const { canvas } = this.gantt;
    let pressed = null;
    canvas.addEventListener("pointerdown", (event) => {
      pressed = event.button === 0 ? [event.offsetX, event.offsetY] : null;
    });
    canvas.addEventListener("pointerup", ({ offsetX, offsetY }) => {
      const still = pressed && Math.hypot(offsetX - pressed[0], offsetY - pressed[1]) < 4;
      pressed = null;
      if (!still) return;
      const hit = this.gantt.at(offsetX, offsetY, this.view);
      if (hit) this.moveTo({ row: hit.row, bar: hit.bar });
      else this.leave();
    });
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
      p: () => this.toSource(),
      n: () => this.toFollower(),
    };
    const name = event.key.length === 1 ? event.key.toLowerCase() : event.key; // whatever Caps Lock says
    if (!event.shiftKey && Object.hasOwn(keys, name)) keys[name]();
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

  // The current attempt; null at a transfer, or at nothing.
  get attempt() {
    return this.current && this.current.row < this.gantt.rowLayout.workers ? this.current.bar : null;
  }

  // To what the current attempt waited for; the first step of all goes to the last attempt of the critical chain.
  toSource() {
    if (!this.waits) return undefined;
    const { end } = this.gantt.attempts;
    if (this.attempt === null) {
      const last = this.chain.reduce((best, member, i) => (member && (best === NONE || end[i] > end[best]) ? i : best), NONE);
      return last === NONE ? undefined : this.moveTo(this.gantt.placeOf(last));
    }
    const source = this.waits.source[this.attempt];
    return source === NONE ? undefined : this.moveTo(this.gantt.placeOf(source));
  }

  // To what waited for the current attempt: along the critical chain where it is part of that, else to the first.
  toFollower() {
    if (!this.waits || this.attempt === null) return undefined;
    const followers = this.waits.followers(this.attempt);
    if (followers.length === 0) return undefined;
    const onChain = this.chain[this.attempt] ? followers.find((each) => this.chain[each]) : undefined;
    return this.moveTo(this.gantt.placeOf(onChain ?? followers[0]));
  }

  // From what the current attempt waited for, over the transfer that came last, and to what waited for it.
  findArrows() {
    const { attempt, gantt, waits } = this;
    if (!waits || attempt === null) return [];
    const arrows = [];
    const steps = [];
    if (waits.source[attempt] !== NONE) steps.push(gantt.placeOf(waits.source[attempt]));
    const moved = waits.transferBefore(attempt);
    if (moved && moved.transfer >= 0) steps.push(gantt.placeOfTransfer(moved));
    steps.push(this.current);
    for (let i = 1; i < steps.length; i++) arrows.push({ from: steps[i - 1], to: steps[i], isBefore: true });
    for (const follower of waits.followers(attempt).slice(0, MOST_ARROWS)) {
      arrows.unshift({ from: this.current, to: gantt.placeOf(follower), isBefore: false });
    }
    return arrows;
  }

  moveTo(place) {
    const { isOpen } = this;
    this.gantt.current = place;
    this.gantt.arrows = this.findArrows();
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
    this.gantt.arrows = [];
    this.spoken.textContent = "";
    requestDraw();
  }
}
