// The page's data, as page_data.cpp writes it. Times are in seconds unless they count a chart's `unit`.
//
//   { title,
//     instances: [{ name, platform, tasks, edges, classes: [{ name, workers }], workers: [name],
//                   types: [name], type_of, patterns: [[piece]], names,             (these four only for charts)
//                   memories: [name], data: { count, patterns, names } }],          (these two only for transfers)
//     schedules: [{ instance, policy, seed, run, noise, makespan, bounds: [{ kind, value }], ratio, aborted, bytes, homeBytes,
//                   use: [{ busy, idle, tasks, acceleration }],
//                   joules, contexts: [{ name, policy, workers: [number], tasks, busy, idle, start, end, aborted }],  (where there are any)
//                   moves: [{ at, worker, from, to }],    (workers that changed contexts; without from or to: from none, to none)
//                   analysis: { verdict, losses: [{ time: [by cause], links: [[from, to, time]] }], memories: [name],
//                               causes: [{ key, title, cost }], loss, model, changes: [{ what, makespan, gain }],
//                               notReached: [change] },                              (of heddle analyze)
//                   chart: { count, unit, rounds, attempts, queue, chain,           (chart: only within the budget)
//                            transfers: { count, links: [[from, to]], column },      (where there are any)
//                            transfersLeftOut: count,                                (instead, where there are very many)
//                            waits: { unit, links: [[from, to]], states, heldUp, waits } } }],  (of heddle analyze)
//     groups: [{ verdict, policies: [{ policy, makespan, schedules: [number] }] }],             (by instance, the shortest makespan first)
//     summary: { text, toBound, policies: [{ policy, instances, mean, worst, wins, factors }] },  (only for several instances)
//     skipped: [{ instance, policy, reason }] }
//
// type_of, names, attempts, queue, chain, column, states, heldUp and waits are columns of numbers (columns.hpp,
// pack_transfers.hpp and pack_run.hpp say which), compressed: unpackColumns() makes bytes of them all, Column reads these.

async function unpack(base64) {
  const letters = atob(base64);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Browsers unpack in the background only: so it is done once, before anything is shown.
async function unpackColumns({ instances, schedules }) {
  const work = [];
  const replace = (owner, ...keys) => {
    for (const key of keys) if (owner?.[key] !== undefined) work.push(unpack(owner[key]).then((bytes) => (owner[key] = bytes)));
  };
  for (const instance of instances) {
    replace(instance, "type_of", "names");
    replace(instance.data, "names");
  }
  for (const { chart } of schedules) {
    replace(chart, "attempts", "queue", "chain");
    replace(chart?.transfers, "column");
    replace(chart?.waits, "heldUp", "waits");
    if (chart?.waits) replace(chart.waits.states, ...chart.waits.states.keys());
  }
  await Promise.all(work);
}

class Column {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  get done() {
    return this.at >= this.bytes.length;
  }

  // Seven bits a byte, the lowest first. Sums instead of shifts: JavaScript shifts 32 bits only.
  next() {
    let value = 0;
    for (let place = 1; ; place *= 128) {
      const byte = this.bytes[this.at++];
      value += (byte & 127) * place;
      if (byte < 128) return value;
    }
  }

  // 0, 1, 2, 3, ... stand for 0, -1, 1, -2, ...
  nextSigned() {
    return unzigzag(this.next());
  }
}

function unzigzag(value) {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

// Names of tasks or data, put together from their patterns when somebody asks.
class Names {
  constructor({ patterns, names }, count) {
    this.patterns = patterns;
    this.pattern = new Uint32Array(count);
    this.first = new Uint32Array(count);
    const numbers = [];
    const column = new Column(names);
    for (let item = 0; item < count; item++) {
      this.pattern[item] = column.next();
      this.first[item] = numbers.length;
      for (let i = 1; i < this.patterns[this.pattern[item]].length; i++) numbers.push(column.next());
    }
    this.numbers = Float64Array.from(numbers);
  }

  of(item) {
    const pieces = this.patterns[this.pattern[item]];
    let name = pieces[0];
    for (let i = 1; i < pieces.length; i++) name += this.numbers[this.first[item] + i - 1] + pieces[i];
    return name;
  }

  // Those that contain `text`, upper and lower case alike: a 1 for each.
  containing(text) {
    this.lower ??= Array.from(this.pattern, (_, item) => this.of(item).toLowerCase());
    const wanted = text.toLowerCase();
    return Uint8Array.from(this.lower, (name) => (name.includes(wanted) ? 1 : 0));
  }
}

function decodeTypes(instance) {
  const column = new Column(instance.type_of);
  return Uint32Array.from({ length: instance.tasks }, () => column.next());
}

const OUTCOMES = ["completed", "aborted", "failed"];
const COMPLETED = 0;
const FAILED = 2;

// Calls visit(i, before) for all bars, row by row: those of row r are rows[r] .. rows[r + 1] - 1; `before` is the one before in
// the row, or -1.
function eachBar({ rows }, visit) {
  for (let row = 0; row + 1 < rows.length; row++) {
    for (let i = rows[row]; i < rows[row + 1]; i++) visit(i, i > rows[row] ? i - 1 : -1);
  }
}

function decodeRows(column, rows) {
  for (let row = 1; row < rows.length; row++) rows[row] = rows[row - 1] + column.next();
}

// When bars start and end, as columns.hpp's add_times() writes it, in seconds.
function decodeTimes(column, bars, unit) {
  const { start, end } = bars;
  eachBar(bars, (i) => (start[i] = column.nextSigned()));
  eachBar(bars, (i, before) => {
    start[i] += before < 0 ? 0 : end[before];
    end[i] = start[i] + column.next();
  });
  for (let i = 0; i < bars.count; i++) {
    start[i] *= unit;
    end[i] *= unit;
  }
}

// A schedule's attempts, worker by worker and by start: those of worker w are rows[w] .. rows[w + 1] - 1.
function decodeAttempts(chart, workers) {
  const attempts = {
    count: chart.count,
    rows: new Uint32Array(workers + 1),
    task: new Uint32Array(chart.count),
    worker: new Uint32Array(chart.count),
    start: new Float64Array(chart.count),
    end: new Float64Array(chart.count),
    outcome: new Uint8Array(chart.count),
  };
  const column = new Column(chart.attempts);
  decodeRows(column, attempts.rows);
  eachBar(attempts, (i, before) => {
    const packed = column.next();
    attempts.task[i] = (before < 0 ? 0 : attempts.task[before]) + unzigzag(Math.floor(packed / 4));
    attempts.outcome[i] = packed % 4;
  });
  for (let worker = 0; worker < workers; worker++) attempts.worker.fill(worker, attempts.rows[worker], attempts.rows[worker + 1]);
  decodeTimes(column, attempts, chart.unit);
  return attempts;
}

// A schedule's transfers, in the shape of its attempts: those of links[l] are rows[l] .. rows[l + 1] - 1.
function decodeTransfers({ unit, transfers: { count, links, column: packed } = { count: 0, links: [], column: new Uint8Array(0) } }) {
  const transfers = {
    count,
    links: links.map(([from, to]) => ({ from, to })),
    rows: new Uint32Array(links.length + 1),
    data: new Uint32Array(count),
    link: new Uint32Array(count),
    start: new Float64Array(count),
    end: new Float64Array(count),
    bytes: new Float64Array(count),
    outcome: new Uint8Array(count).fill(COMPLETED), // only those are recorded
  };
  const column = new Column(packed);
  const decodeDifferences = (values) => {
    eachBar(transfers, (i, before) => (values[i] = (before < 0 ? 0 : values[before]) + column.nextSigned()));
  };
  decodeRows(column, transfers.rows);
  decodeDifferences(transfers.data);
  decodeTimes(column, transfers, unit);
  decodeDifferences(transfers.bytes);
  for (let link = 0; link < links.length; link++) transfers.link.fill(link, transfers.rows[link], transfers.rows[link + 1]);
  return transfers;
}

// How many tasks are ready but not running: depth[i] from time[i] on.
function decodeQueue(chart) {
  const time = [];
  const depth = [];
  const column = new Column(chart.queue);
  let now = 0;
  let ready = 0;
  while (!column.done) {
    now += column.next();
    ready += column.nextSigned();
    time.push(now * chart.unit);
    depth.push(ready);
  }
  return { time: Float64Array.from(time), depth: Float64Array.from(depth), deepest: Math.max(1, ...maxima(depth)) };
}

// The maximum of each block: Math.max takes only so many arguments.
function maxima(values) {
  const result = [0];
  for (let i = 0; i < values.length; i += 4096) result.push(Math.max(...values.slice(i, i + 4096)));
  return result;
}

function decodeChain(chart) {
  const member = new Uint8Array(chart.count);
  const column = new Column(chart.chain);
  while (!column.done) member[column.next()] = 1;
  return member;
}

// Everything a chart draws, decoded when it is first looked at.
function decodeChart(schedule, instance) {
  const { chart } = schedule;
  instance.typeOf ??= decodeTypes(instance);
  instance.taskNames ??= new Names(instance, instance.tasks);
  if (chart.transfers) instance.dataNames ??= new Names(instance.data, instance.data.count);
  if (!chart.decoded) {
    const attempts = decodeAttempts(chart, instance.workers.length);
    const transfers = decodeTransfers(chart);
    const idle = chart.waits ? new IdleTime(chart.waits, instance, attempts, schedule.makespan) : null;
    const waits = chart.waits ? new Waits(chart.waits, attempts, transfers, idle) : null;
    chart.decoded = { attempts, transfers, queue: decodeQueue(chart), chain: decodeChain(chart), idle, waits };
  }
  return chart.decoded;
}

