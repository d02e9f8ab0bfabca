// The page's data, as page_data.cpp writes it. Times are in seconds unless they count a chart's `unit`.
//
//   { title,
//     instances: [{ name, platform, tasks, edges, classes: [{ name, workers }], workers: [name],
//                   types: [name], type_of, patterns: [[piece]], names,             (these four only for charts)
//                   memories: [name], data: { count, patterns, names } }],          (these two only for transfers)
//     schedules: [{ instance, policy, seed, run, noise, makespan, bounds: [{ kind, value }], ratio, aborted, bytes, homeBytes,
//                   use: [{ busy, idle, tasks, acceleration }],
//                   joules, contexts: [{ name, policy, workers: [number], tasks, busy, idle, start, end, aborted }],  (where there are any)
//                   chart: { count, unit, attempts, queue, chain,                   (chart: only within the budget)
//                            transfers: { count, links: [[from, to]], column } } }], (transfers: where there are any)
//     groups: [{ verdict, policies: [{ policy, makespan, schedules: [number] }] }],             (by instance, the shortest makespan first)
//     summary: { text, toBound, policies: [{ policy, instances, mean, worst, wins, factors }] },  (only for several instances)
//     skipped: [{ instance, policy, reason }] }
//
// type_of, names, attempts, queue, chain and column are columns of numbers (columns.hpp and pack_transfers.hpp say which),
// read here by Column.

class Column {
  constructor(base64) {
    const letters = atob(base64);
    this.bytes = new Uint8Array(letters.length);
    for (let i = 0; i < letters.length; i++) this.bytes[i] = letters.charCodeAt(i);
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
  let next = 0;
  for (let worker = 0; worker < workers; worker++) {
    let task = 0;
    let now = 0;
    for (let left = column.next(); left > 0; left--, next++) {
      const packed = column.next();
      task += unzigzag(Math.floor(packed / 4));
      const start = now + column.nextSigned();
      now = start + column.next();
      attempts.task[next] = task;
      attempts.worker[next] = worker;
      attempts.outcome[next] = packed % 4;
      attempts.start[next] = start * chart.unit;
      attempts.end[next] = now * chart.unit;
    }
    attempts.rows[worker + 1] = next;
  }
  return attempts;
}

// A schedule's transfers, in the shape of its attempts: those of links[l] are rows[l] .. rows[l + 1] - 1.
function decodeTransfers({ unit, transfers: { count, links, column: packed } = { count: 0, links: [], column: "" } }) {
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
  let next = 0;
  for (let link = 0; link < links.length; link++) {
    let data = 0;
    let bytes = 0;
    let now = 0;
    for (let left = column.next(); left > 0; left--, next++) {
      data += column.nextSigned();
      const start = now + column.nextSigned();
      now = start + column.next();
      bytes += column.nextSigned();
      transfers.data[next] = data;
      transfers.link[next] = link;
      transfers.bytes[next] = bytes;
      transfers.start[next] = start * unit;
      transfers.end[next] = now * unit;
    }
    transfers.rows[link + 1] = next;
  }
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
  chart.decoded ??= {
    attempts: decodeAttempts(chart, instance.workers.length),
    transfers: decodeTransfers(chart),
    queue: decodeQueue(chart),
    chain: decodeChain(chart),
  };
  return chart.decoded;
}

