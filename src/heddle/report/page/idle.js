// Why workers were idle, and what attempts waited for: what `heddle analyze` adds to a chart. docs/analyze.md states the rules.

// As analysis::Cause counts them.
const KERNEL = 0;
const ABORTED = 1;
const DATA = 2;
const DATA_OR_OVERHEAD = 3;
const READY_NOT_RUN = 4;
const NO_READY_TASK = 5;
const BEGIN = 6;
const END = 7;
const UNEXPLAINED = 8;

const WHY = {
  [KERNEL]: "Attempts that completed.",
  [ABORTED]: "Attempts that were aborted, or failed.",
  [DATA]: "The worker's next task waited for data.",
  [DATA_OR_OVERHEAD]: "The worker's next task could start. The recording does not tell whether it waited for data or for the runtime.",
  [READY_NOT_RUN]: "A task was ready that the worker could run.",
  [NO_READY_TASK]: "No task was ready that the worker can run.",
  [BEGIN]: "No task was ready yet that the worker can run.",
  [END]: "No task was ready any more that the worker can run.",
  [UNEXPLAINED]: "Nothing ran on any worker, and no task was ready.",
};

// What an idle worker of a class could do: until end[i], code[i].
const CODE_READY = 1;
const CODE_STALLED = 2;

function decodeStates(bytes, unit) {
  const column = new Column(bytes);
  const end = [];
  const code = [];
  for (let now = 0; !column.done; ) {
    const packed = column.next();
    now += Math.floor(packed / 4);
    end.push(now * unit);
    code.push(packed % 4);
  }
  return { end: Float64Array.from(end), code: Uint8Array.from(code) };
}

class IdleTime {
  constructor(packed, instance, attempts, makespan) {
    this.attempts = attempts;
    this.makespan = makespan;
    this.links = packed.links.map(([from, to]) => ({ from, to }));
    this.classOf = instance.classes.flatMap(({ workers }, number) => Array(workers).fill(number));
    this.states = packed.states.map((bytes) => decodeStates(bytes, packed.unit));
    this.heldUp = this.decodeHeldUp(new Column(packed.heldUp), packed.unit);
  }

  // When a worker's next task was held up: those of worker w are rows[w] .. rows[w + 1] - 1. `link`: -1 where it is not known.
  decodeHeldUp(column, unit) {
    const heldUp = { rows: [0], start: [], end: [], link: [] };
    while (!column.done) {
      let now = 0;
      for (let left = column.next(); left > 0; left--) {
        const start = now + column.next();
        now = start + column.next();
        heldUp.start.push(start * unit);
        heldUp.end.push(now * unit);
        heldUp.link.push(column.next() - 1);
      }
      heldUp.rows.push(heldUp.start.length);
    }
    return heldUp;
  }

  // Calls visit(start, end, cause, link) for the parts of a worker's time from `low` to `high` in which it ran no attempt.
  parts(worker, low, high, visit) {
    const { rows, start, end } = this.attempts;
    const first = rows[worker];
    const last = rows[worker + 1];
    for (let i = firstEndingAfter(end, first, last, low); i <= last; i++) {
      const from = Math.max(low, i > first ? end[i - 1] : 0);
      const to = Math.min(high, i < last ? start[i] : this.makespan);
      let otherwise = NO_READY_TASK;
      if (first < last && i === first) otherwise = BEGIN;
      else if (first < last && i === last) otherwise = END;
      if (from < to) this.partsOfGap(worker, from, to, otherwise, visit);
      if (i < last && start[i] >= high) break;
    }
  }

  partsOfGap(worker, from, to, otherwise, visit) {
    const { rows, start, end, link } = this.heldUp;
    let now = from;
    for (let i = firstEndingAfter(end, rows[worker], rows[worker + 1], from); i < rows[worker + 1] && start[i] < to; i++) {
      this.partsOfIdle(worker, now, start[i], otherwise, visit);
      visit(Math.max(from, start[i]), Math.min(to, end[i]), link[i] < 0 ? DATA_OR_OVERHEAD : DATA, link[i]);
      now = end[i];
    }
    this.partsOfIdle(worker, now, to, otherwise, visit);
  }

  partsOfIdle(worker, from, to, otherwise, visit) {
    const { end, code } = this.states[this.classOf[worker]];
    let now = from;
    for (let i = firstEndingAfter(end, 0, end.length, from); now < to; i++) {
      const until = i < end.length ? Math.min(to, end[i]) : to;
      let cause = otherwise;
      if (code[i] === CODE_READY) cause = READY_NOT_RUN;
      else if (code[i] === CODE_STALLED && otherwise === NO_READY_TASK) cause = UNEXPLAINED;
      if (now < until) visit(now, until, cause, -1);
      now = until;
    }
  }

  // The part that holds an instant: { worker, start, end, cause, link, next }, where `next` is the attempt after it or null;
  // null while the worker runs something.
  at(worker, time) {
    const { rows, start, end } = this.attempts;
    const first = rows[worker];
    const last = rows[worker + 1];
    const next = firstEndingAfter(end, first, last, time);
    if ((next < last && start[next] <= time) || time >= this.makespan) return null;
    let found = null;
    let open = null;
    this.parts(worker, next > first ? end[next - 1] : 0, next < last ? start[next] : this.makespan, (from, to, cause, link) => {
      if (open && open.cause === cause && open.link === link && open.end >= from) open.end = to;
      else open = { worker, start: from, end: to, cause, link, next: next < last ? next : null };
      if (open.start <= time && time < open.end) found = open;
    });
    return found;
  }
}

// What each attempt waited for, and what waited for it.
const WAIT_NAMES = ["nothing", "predecessor", "worker", "data"];
const WAIT_PREDECESSOR = 1;
const WAIT_WORKER = 2;
const WAIT_DATA = 3;
const NONE = -1;

class Waits {
  constructor(packed, attempts, transfers, idle) {
    this.attempts = attempts;
    this.transfers = transfers;
    this.idle = idle;
    this.wait = new Uint8Array(attempts.count);
    this.source = new Int32Array(attempts.count).fill(NONE); // the attempt that it waited for
    const column = new Column(packed.waits);
    for (let i = 0; i < attempts.count; i++) {
      const code = column.next();
      this.wait[i] = code % 4;
      if (code >= 8) this.source[i] = i + column.nextSigned();
      else if (code >= 4) this.source[i] = i - 1;
    }
  }

  waited(attempt) {
    const source = this.source[attempt];
    return this.attempts.start[attempt] - (source === NONE ? 0 : this.attempts.end[source]);
  }

  // The attempts that waited for one, by start.
  followers(attempt) {
    this.sorted ??= this.sortBySource();
    const { order, rows } = this.sorted;
    const { start } = this.attempts;
    return Array.from(order.subarray(rows[attempt], rows[attempt + 1])).sort((a, b) => start[a] - start[b]);
  }

  // order[rows[a]] .. order[rows[a + 1] - 1] waited for attempt a.
  sortBySource() {
    const rows = new Uint32Array(this.attempts.count + 2);
    for (const source of this.source) if (source !== NONE) rows[source + 2] += 1;
    for (let i = 2; i < rows.length; i++) rows[i] += rows[i - 1];
    const order = new Uint32Array(rows[rows.length - 1]);
    this.source.forEach((source, attempt) => {
      if (source !== NONE) order[rows[source + 1]++] = attempt;
    });
    return { order, rows };
  }

  // The last transfer that an attempt waited for: { from, to, link, transfer }, or null. `link` and `transfer` say where it is
  // in the chart, and are -1 where the page has left out transfers.
  transferBefore(attempt) {
    if (this.wait[attempt] !== WAIT_DATA) return null;
    const { rows, end, link } = this.idle.heldUp;
    const worker = this.attempts.worker[attempt];
    const started = this.attempts.start[attempt];
    const i = firstEndingAfter(end, rows[worker], rows[worker + 1], started) - 1;
    if (i < rows[worker] || link[i] < 0 || end[i] <= started - this.waited(attempt)) return null;
    const { from, to } = this.idle.links[link[i]];
    const row = this.transfers.links.findIndex((each) => each.from === from && each.to === to);
    if (row < 0) return { from, to, link: -1, transfer: -1 };
    const last = this.transfers.rows[row + 1];
    const transfer = firstEndingAfter(this.transfers.end, this.transfers.rows[row], last, end[i] * (1 - 1e-12));
    return transfer < last ? { from, to, link: row, transfer } : null;
  }
}
